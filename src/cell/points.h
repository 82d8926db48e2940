/* SPDX-License-Identifier: MIT
 *
 * points.h - the points of a run where whoever drives a simulation has a say, and is told.
 *
 * Without a simulation a point costs one branch on a pointer that is frozen. All else runs on the
 * simulation's own thread only. What a point does is in simulate/points.c.
 */
#ifndef WARDI_CELL_POINTS_H
#define WARDI_CELL_POINTS_H

#include <ward/simulation.h>

#include "base/hash.h"
#include "cell/system.h"

struct ward_self;
struct wardi_foreign_sends;

/* What a simulated system has besides. */
struct wardi_seam {
	/* frozen */
	struct wardi_foreign_sends *foreign_sends; /* foreign_send.c */
	/* the simulation's own thread */
	bool asking;                 /* a function of the driver runs: it must not call ward */
	uint64_t asked[WARD_POINTS]; /* so many times, for the texts of failures */
	bool within;                 /* a default hook has called one of the behaviour's */
	ward_point within_point;
	ward_fault_kind within_fault;
	struct wardi_list delays; /* delay.c: in order of creation */
	struct wardi_hash newest; /* delay.c: the newest one of each pair */
};

static inline bool wardi_has_points(const ward_system *system)
{
	return __builtin_expect(system->seam != NULL, 0);
}

/* self: NULL outside. */
struct wardi_points {
	/* Before a callback of self's actor; `child`: of DECIDE. WARD_FAULT_FAIL_BEFORE: its
	 * failure is noted, and the callback must not be called. Remember what it returns for
	 * after(). */
	ward_fault_kind (*before)(struct ward_self *self, ward_point point, ward_ref child);
	/* After it, also when it was jumped out of, or not called. Returns its result from here
	 * on. */
	ward_result (*after)(struct ward_self *self, ward_point point, ward_ref child,
			     ward_fault_kind fault, ward_result result);
	/* The same for a hook that a default hook calls: a jump out of it ends the outer one, too.
	 *  */
	bool (*before_within)(struct ward_self *self, ward_point point);
	ward_result (*after_within)(struct ward_self *self, ward_result result);
	/* After a default hook: ends the one within that was jumped out of, if one was. */
	void (*jumped)(struct ward_self *self);

	/* False: the cell was put off, and becomes ready again by itself. */
	bool (*turn)(struct ward_self *self);
	/* `who` had its turn; its cell may be gone. */
	void (*turned)(ward_system *system, ward_ref who, uint32_t incarnation);

	/* True: refused, with a detail. */
	bool (*refuses_spawn)(ward_system *system, struct ward_self *self);
	/* `child`: nobody, there is none. */
	void (*spawned)(ward_system *system, struct ward_self *self, ward_ref child);

	/* In place of wardi_deliver(), for what a program sends. */
	ward_err (*send)(ward_system *system, struct ward_self *self, ward_ref to,
			 struct ward_msg *msg, ward_reason *ret_reason);
	/* The same for what self brings for another actor, or for nobody. */
	ward_err (*send_as)(ward_system *system, struct ward_self *self, ward_ref by, ward_ref to,
			    struct ward_msg *msg, ward_reason *ret_reason);
	/* Delivers at once what this one sent, and is late, in its order: nothing of a life comes
	 * after its end. */
	void (*end_delays_of)(struct ward_self *self, uint64_t sender);
	/* The same for all. */
	void (*end_delays)(struct ward_self *self);

	/* Any thread but the simulation's own tells: counts and drops the body; the event waits for
	 * that thread. */
	void (*foreign_send)(ward_system *system, ward_ref to, const ward_type *type,
			     const void *body, size_t size);
	/* The simulation's own thread: publishes the events that wait. */
	void (*publish_foreign)(ward_system *system);
};
extern const struct wardi_points wardi_points;

#endif
