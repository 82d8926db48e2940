/* SPDX-License-Identifier: MIT
 *
 * points.h - the points of a run where whoever drives a simulation has a say, and is told.
 *
 * Without a simulation a point costs one branch on a pointer that is frozen. All else runs on the
 * simulation's own thread only.
 */
#ifndef WARDI_POINTS_H
#define WARDI_POINTS_H

#include <ward/simulation.h>

#include "cell/self.h"

struct wardi_trespasses;

/* What a simulated system has besides. */
struct wardi_seam {
	/* frozen */
	struct wardi_trespasses *trespasses; /* foreign_send.c */
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

/* WARD_OK, or WARD_ENOMEM. Before any thread runs. */
ward_err wardi_seam_create(ward_system *system);
/* Takes NULL and half-built. */
void wardi_seam_destroy(ward_system *system);

/* ---- callbacks --------------------------------------------------------------------------- */

/* Before a callback of self's actor; `child`: of DECIDE. WARD_FAULT_FAIL_BEFORE: its failure is
 * noted, and the callback must not be called. Remember what it gives for wardi_point_after(). */
ward_fault_kind wardi_point_before(struct ward_self *self, ward_point point, ward_ref child);
/* After it, also when it was jumped out of, or not called. Gives its result from here on. */
ward_result wardi_point_after(struct ward_self *self, ward_point point, ward_ref child,
			      ward_fault_kind fault, ward_result result);
/* The same for a hook that a default hook calls: a jump out of it ends the outer one, too. */
bool wardi_point_before_within(struct ward_self *self, ward_point point);
ward_result wardi_point_after_within(struct ward_self *self, ward_result result);
/* After a default hook: ends the one within that was jumped out of, if one was. */
void wardi_point_jumped(struct ward_self *self);

/* ---- turns ------------------------------------------------------------------------------- */

/* False: the cell was put off, and becomes ready again by itself. */
bool wardi_point_turn(struct ward_self *self);
/* `who` had its turn; its cell may be gone. */
void wardi_point_turned(ward_system *system, ward_ref who, uint32_t incarnation);

/* ---- calls. self: NULL outside ----------------------------------------------------------- */

/* True: refused, with a detail. */
bool wardi_point_refuses_spawn(ward_system *system, struct ward_self *self);
/* `child`: nobody, there is none. */
void wardi_point_spawned(ward_system *system, struct ward_self *self, ward_ref child);
/* In place of wardi_deliver(), for what a program sends. */
ward_err wardi_point_send(ward_system *system, struct ward_self *self, ward_ref to,
			  struct ward_msg *msg, ward_reason *ret_reason);

/* The same for what self brings for another actor, or for nobody. */
ward_err wardi_point_send_as(ward_system *system, struct ward_self *self, ward_ref by, ward_ref to,
			     struct ward_msg *msg, ward_reason *ret_reason);

/* ---- delay.c: messages that are late ----------------------------------------------------- */

/* Keeps the message aside; false: no memory for that. sender: the uid of who sends, 0: outside. */
bool wardi_delay(ward_system *system, uint64_t sender, ward_ref to, struct ward_msg *msg,
		 int64_t until_ns);
/* The same behind what is late already between these two; false: nothing is. Cannot fail. */
bool wardi_delay_behind(ward_system *system, uint64_t sender, ward_ref to, struct ward_msg *msg);
/* Delivers at once what this one sent, in its order: nothing of a life comes after its end. */
void wardi_delays_of(struct ward_self *self, uint64_t sender);
/* The same for all. */
void wardi_delays_all(struct ward_self *self);

/* ---- foreign_send.c: tells of other threads than the simulation's own ------------------------ */

ward_err wardi_trespasses_create(ward_system *system, struct wardi_trespasses **ret_trespasses);
void wardi_trespasses_destroy(ward_system *system, struct wardi_trespasses *trespasses);
/* Any thread: counts and drops the body; the event waits for the simulation's own thread. */
void wardi_trespass(ward_system *system, ward_ref to, const ward_type *type, const void *body,
		    size_t size);
/* The simulation's own thread: publishes the events that wait. */
void wardi_trespasses_publish(ward_system *system);

#endif
