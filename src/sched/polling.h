/* SPDX-License-Identifier: MIT
 *
 * polling.h - how often a busy worker looks at the descriptors.
 */
#ifndef WARDI_POLLING_H
#define WARDI_POLLING_H

#include <stdint.h>

struct wardi_thread;

/* What a busy worker knows of its last look; its own. */
struct wardi_polling {
	uint64_t served;  /* when so many were taken from its queue, what it has found has run; 0:
			     nothing was found, or all has run */
	int64_t found_ns; /* when it was */
	int64_t until_ns; /* until then the worker belongs to others */
};

/* Busy worker: looks if it is time. */
void wardi_polling_look(struct wardi_thread *thread, int64_t now_ns);
/* A look at that time has found something, for this worker or for others. */
void wardi_polling_found(struct wardi_thread *thread, int64_t now_ns);
/* The worker has nothing to run: all that it has found has run. */
void wardi_polling_idle(struct wardi_thread *thread);

#endif
