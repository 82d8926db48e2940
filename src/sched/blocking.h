/* SPDX-License-Identifier: MIT
 *
 * blocking.h - the threads of pools and of pinned dispatchers: one queue for all of a dispatcher.
 */
#ifndef WARDI_BLOCKING_H
#define WARDI_BLOCKING_H

#include <ward/types.h>

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

/* A thread that was starting is there. */
void wardi_blocking_begun(struct wardi_thread *thread);
/* What its threads do until the end. */
void wardi_blocking_loop(struct wardi_thread *thread);
/* A thread for which nobody waited could not be started, or could not begin. It is tried again for
 * as long as there is work for it. */
void wardi_blocking_lost(struct wardi_dispatcher *dispatcher, const char *why);

/* When wardi_blocking_recruit() has something to do; INT64_MAX: nothing. */
int64_t wardi_blocking_recruit_ns(struct wardi_sched *sched);
/* By a worker of the default dispatcher, without a lock: starts the threads that pools lack, when
 * it is time. */
void wardi_blocking_recruit(struct wardi_worker *worker, int64_t now_ns);

#endif
