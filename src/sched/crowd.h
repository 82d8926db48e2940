/* SPDX-License-Identifier: MIT
 *
 * crowd.h - whether an idle worker has a processor to spare.
 */
#ifndef WARDI_CROWD_H
#define WARDI_CROWD_H

#include <stdbool.h>
#include <stdint.h>

struct wardi_runnable;
struct wardi_thread;

enum { WARDI_CROWDED_NAP_NS = 2 * 1000 * 1000 };

/* What an idle worker beside busy ones knows; its own. */
struct wardi_crowd {
	bool crowded; /* another thread waits for its processor: it is to nap */
	bool patient; /* it has napped for that */
	bool had_room;
	int64_t ask_ns; /* when to ask again */
};

/* Whether no other thread waits for this worker's processor. If one does the worker is crowded. */
bool wardi_crowd_has_room(struct wardi_thread *thread);
/* Steals if there is room or, after a crowded nap, what has waited for all of it. NULL: nothing. */
struct wardi_runnable *wardi_crowd_steal(struct wardi_thread *thread, int64_t now_ns);

#endif
