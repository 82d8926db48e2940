/* SPDX-License-Identifier: MIT
 *
 * points.h - the points of a run where the driver of a simulation decides, or is notified.
 *
 * Without a simulation a point costs one branch on a frozen pointer. All else runs on the
 * simulation's own thread only. The points are implemented in simulate/points.c.
 */
#ifndef WARDI_CELL_POINTS_H
#define WARDI_CELL_POINTS_H

#include <ward/simulation.h>

#include "base/hash.h"
#include "cell/system.h"

struct ward_self;
struct wardi_foreign_sends;

/* The extra state of a simulated system. */
struct wardi_seam {
	/* frozen */
	struct wardi_foreign_sends *foreign_sends; /* foreign_send.c */
	/* the simulation's own thread */
	bool asking;                 /* a function of the driver runs: it must not call ward */
	uint64_t asked[WARD_POINTS]; /* counts, for the texts of failures */
	bool within;                 /* a default hook has called one of the behaviour's */
	ward_point within_point;
	ward_fault_kind within_fault;
	ward_spawns spawns;       /* all zero: none */
	struct wardi_list delays; /* delay.c: in order of creation */
	struct wardi_hash newest; /* delay.c: the newest of each pair */
};

static inline bool wardi_has_points(const ward_system *system)
{
	return __builtin_expect(system->seam != NULL, 0);
}

/* self: NULL outside. */
struct wardi_points {
	/* Called before a callback of self's actor; `child`: for DECIDE. WARD_FAULT_FAIL_BEFORE:
	 * its failure is noted, and the callback must not be called. Pass its result to after(). */
	ward_fault_kind (*before)(struct ward_self *self, ward_point point, ward_ref child);
	/* Called after it, also after a jump out of it, or if it was not called. Returns its final
	 * result. */
	ward_result (*after)(struct ward_self *self, ward_point point, ward_ref child,
			     ward_fault_kind fault, ward_result result);
	/* The same for a hook that a default hook calls: a jump out of it ends the outer one, too.
	 *  */
	bool (*before_within)(struct ward_self *self, ward_point point);
	ward_result (*after_within)(struct ward_self *self, ward_result result);
	/* Called after a default hook: ends an inner hook that was left by a jump. */
	void (*jumped)(struct ward_self *self);

	/* False: the turn is delayed, and the cell becomes ready again by itself. */
	bool (*turn)(struct ward_self *self);
	/* `who` had its turn; its cell may be gone. */
	void (*turned)(ward_system *system, ward_ref who, uint32_t incarnation);

	/* True: refused, with a detail. */
	bool (*refuses_spawn)(ward_system *system, struct ward_self *self);
	/* Replaces wardi_spawn() for a child of self's actor. */
	ward_err (*spawn)(ward_system *system, struct ward_self *self, const ward_props *props,
			  struct wardi_cell **ret_child);
	/* `child`: nobody, there is none. */
	void (*spawned)(ward_system *system, struct ward_self *self, ward_ref child);

	/* Replaces wardi_deliver(), for messages of the program. */
	ward_err (*send)(ward_system *system, struct ward_self *self, ward_ref to,
			 struct ward_msg *msg, ward_reason *ret_reason);
	/* The same for a message that self delivers for another actor, or for nobody. */
	ward_err (*send_as)(ward_system *system, struct ward_self *self, ward_ref by, ward_ref to,
			    struct ward_msg *msg, ward_reason *ret_reason);
	/* Delivers the delayed messages of this sender at once, in their order: no message of a
	 * life comes after its end. */
	void (*end_delays_of)(struct ward_self *self, uint64_t sender);
	/* The same for all senders. */
	void (*end_delays)(struct ward_self *self);

	/* For a send by any thread but the simulation's own: counts and drops the body; the event
	 * waits for that thread. */
	void (*foreign_send)(ward_system *system, ward_ref to, const ward_type *type,
			     const void *body, size_t size);
	/* The simulation's own thread: publishes the events that wait. */
	void (*publish_foreign)(ward_system *system);
};
extern const struct wardi_points wardi_points;

#endif
