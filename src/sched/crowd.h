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

/* What an idle worker beside busy ones knows; its own. */
struct wardi_crowd {
	bool crowded; /* another thread waits for its processor: it is to nap */
	bool patient; /* it has napped for that, all the time that it was to */
	bool had_room;
	int64_t ask_ns;   /* when to ask again */
	int64_t until_ns; /* the end of its nap; 0: none, or it is over */
	uint64_t looks;   /* at the descriptors, of all workers, before the nap */
};

/* Whether it is to leave the processor to others, since one of the workers is busy. */
bool wardi_crowd_is_crowded(const struct wardi_thread *thread);
/* Worker without work, which counts as busy itself, or as idle by now: serves what is due, as
 * wardi_worker_serve(). At descriptors it looks only if no other one is busy, if there is room or,
 * after a crowded nap, if nobody has looked in all of it. Returns the time. */
int64_t wardi_crowd_serve(struct wardi_thread *thread, int64_t poll_after_ns, bool counts_as_busy);
/* Steals if there is room or, after a crowded nap, what has waited for all of it. NULL: nothing. */
struct wardi_runnable *wardi_crowd_steal(struct wardi_thread *thread, int64_t now_ns);
/* A crowded nap begins, or goes on: returns its end. */
int64_t wardi_crowd_lie_down(struct wardi_thread *thread);
/* It is over, or only interrupted, by a timer that is due. */
void wardi_crowd_get_up(struct wardi_thread *thread);
/* The worker has something to run, or sleeps for longer: what it has waited for is forgotten. */
void wardi_crowd_leave(struct wardi_thread *thread);

#endif
