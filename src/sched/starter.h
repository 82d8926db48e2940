/* SPDX-License-Identifier: MIT
 *
 * starter.h - the thread that starts the others, where they must not inherit from the one that
 * needs them.
 */
#ifndef WARDI_STARTER_H
#define WARDI_STARTER_H

#include <pthread.h>
#include <stdbool.h>

#include <ward/types.h>

#include "base/lock.h"

struct wardi_thread_settings;
struct wardi_start_order;

struct wardi_starter {
	bool runs; /* written by begin and end, while no thread is started */
	pthread_t id;
	struct wardi_mutex mu;
	pthread_cond_t changed;
	/* under mu */
	struct wardi_start_order *order; /* that nobody has carried out yet, or NULL */
	bool closing;
};

void wardi_starter_init(struct wardi_starter *starter);
void wardi_starter_finish(struct wardi_starter *starter);
/* Starts it: from now on it starts all threads. Error: WARD_ESYS. */
ward_err wardi_starter_begin(struct wardi_starter *starter);
/* Ends it, if it runs. */
void wardi_starter_end(struct wardi_starter *starter);

/* As wardi_os_thread_start(), on that thread if it runs, else on the caller's. One call at a
 * time. */
int wardi_starter_start(struct wardi_starter *starter, const struct wardi_thread_settings *settings,
			void *(*main)(void *arg), void *arg, pthread_t *ret_id);

#endif
