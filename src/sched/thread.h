/* SPDX-License-Identifier: MIT
 *
 * thread.h - the life of the scheduler's threads.
 */
#ifndef WARDI_THREAD_H
#define WARDI_THREAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <ward/types.h>

#include "base/lock.h"

struct wardi_dispatcher;
struct wardi_sched;
struct wardi_thread;

struct wardi_threads {
	struct wardi_mutex mu;
	pthread_cond_t changed;
	/* under mu */
	uint32_t living;            /* threads not yet in `ended` */
	struct wardi_thread *ended; /* to be joined */
	/* atomic */
	_Atomic uint32_t next_index;
};

void wardi_threads_init(struct wardi_threads *threads);
void wardi_threads_finish(struct wardi_threads *threads);
/* Waits for the end of all threads, which were told to end, and joins them. */
void wardi_threads_join(struct wardi_sched *sched);

/* The name of the thread is `name` and its index. NULL: no memory. */
struct wardi_thread *wardi_thread_create(struct wardi_dispatcher *dispatcher, const char *name);
/* Frees a thread that never ran. Takes NULL. */
void wardi_thread_destroy(struct wardi_thread *thread);
/* Worker: sleeps until it has an order, or until that time; INT64_MAX: without a limit. Called and
 * returns with the dispatcher's mu. */
void wardi_thread_sleep(struct wardi_thread *thread, int64_t until_ns);
/* Starts it; with `wait`, returns when it has begun. On success it is freed after its end, except
 * for threads of the default dispatcher, which own theirs. On an error it did not run. Errors:
 * WARD_ESYS; WARD_ENOMEM, only with `wait`. */
ward_err wardi_thread_start(struct wardi_thread *thread, bool wait);

#endif
