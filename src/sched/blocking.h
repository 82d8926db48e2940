/* SPDX-License-Identifier: MIT
 *
 * blocking.h - the threads of pools and of pinned dispatchers: one queue for all of a dispatcher.
 */
#ifndef WARDI_BLOCKING_H
#define WARDI_BLOCKING_H

#include <ward/types.h>

struct wardi_dispatcher;
struct wardi_runnable;
struct wardi_thread;

/* Starts the first thread, if there is none. Errors: WARD_ENOMEM, WARD_ESYS. */
ward_err wardi_blocking_open(struct wardi_dispatcher *dispatcher);
void wardi_blocking_push(struct wardi_dispatcher *dispatcher, struct wardi_runnable *runnable);
/* Its threads end when there is nothing more to do. */
void wardi_blocking_close(struct wardi_dispatcher *dispatcher);

/* A thread that was starting is there. */
void wardi_blocking_begun(struct wardi_dispatcher *dispatcher);
/* What its threads do until the end. */
void wardi_blocking_loop(struct wardi_thread *thread);
/* A thread for which nobody waited could not begin. */
void wardi_blocking_lost(struct wardi_dispatcher *dispatcher);

#endif
