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
	uint64_t served_run; /* by then all that the look has found has run; 0: nothing */
	int64_t found_ns;    /* when it was */
	int64_t until_ns;    /* until then the worker belongs to others */
};

/* Busy worker, before its run of that number: looks if it is time. */
void wardi_polling_look(struct wardi_thread *thread, uint64_t run, int64_t now_ns);

#endif
