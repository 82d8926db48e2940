/* SPDX-License-Identifier: MIT
 *
 * blocking.h - the threads of pools and of pinned dispatchers: one queue for each dispatcher.
 */
#ifndef WARDI_BLOCKING_H
#define WARDI_BLOCKING_H

#include <ward/dispatcher.h>

struct wardi_dispatcher;
struct wardi_runnable;
struct wardi_sched;
struct wardi_thread;
struct wardi_worker;

/* Starts the first thread, if there is none. Errors: WARD_ENOMEM, WARD_ESYS. */
ward_err wardi_blocking_open(struct wardi_dispatcher *dispatcher);
void wardi_blocking_push(struct wardi_dispatcher *dispatcher, struct wardi_runnable *runnable);
/* Its threads end when there is nothing more to do. */
void wardi_blocking_close(struct wardi_dispatcher *dispatcher);

/* Returns how many of its threads are starting, run something, or did so when they last looked for
 * more. */
uint32_t wardi_blocking_busy(struct wardi_dispatcher *dispatcher);

/* Notes its threads, for an observer. */
void wardi_blocking_info(struct wardi_dispatcher *dispatcher, ward_dispatcher_info *info);

/* A thread that was starting has begun. */
void wardi_blocking_begun(struct wardi_thread *thread);
/* The loop of its threads, until the end. */
void wardi_blocking_loop(struct wardi_thread *thread);
/* A thread that no starter waits for could not be started, or could not begin. The start is tried
 * again for as long as there is work. */
void wardi_blocking_lost(struct wardi_dispatcher *dispatcher, const char *why);

/* Returns when to call wardi_blocking_recruit(); INT64_MAX: there is nothing to do. */
int64_t wardi_blocking_recruit_ns(struct wardi_sched *sched);
/* Worker of the default dispatcher, without a lock: starts the threads that pools lack, when it is
 * time. */
void wardi_blocking_recruit(struct wardi_worker *worker, int64_t now_ns);

#endif
