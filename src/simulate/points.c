/* SPDX-License-Identifier: MIT
 *
 * points.c - the points of a run: asks the driver of the simulation, and applies its answer.
 *
 *	before   fault() is asked                 not about guardians, nor calls to an inbox
 *	         the fault strikes, or the runtime goes on
 *	after    done() is called
 *
 * Each point applies only the faults that the contract allows there.
 *
 * Threads: the simulation's own.
 */
#include "simulate/points.h"

#include <inttypes.h>

#include "base/assert.h"
#include "base/error.h"
#include "cell/points.h"
#include "cell/ready.h"
#include "cell/reply_ref.h"
#include "cell/table.h"
#include "common/uncancelled.h"
#include "life/spawn.h"
#include "outside/inbox.h"
#include "sched/sim.h"
#include "send/dead_letter.h"
#include "send/deliver.h"
#include "simulate/delay.h"
#include "simulate/foreign_send.h"

static const char *const point_texts[] = {
	[WARD_POINT_TURN] = "turn",
	[WARD_POINT_INIT] = "init",
	[WARD_POINT_PRE_START] = "pre_start",
	[WARD_POINT_RECEIVE] = "receive",
	[WARD_POINT_POST_STOP] = "post_stop",
	[WARD_POINT_PRE_RESTART] = "pre_restart",
	[WARD_POINT_POST_RESTART] = "post_restart",
	[WARD_POINT_DECIDE] = "decide",
	[WARD_POINT_SPAWN] = "spawn",
	[WARD_POINT_SEND] = "send",
};
_Static_assert(sizeof point_texts / sizeof point_texts[0] == WARD_POINTS, "one text for each");

static const char *const fault_texts[] = {
	[WARD_FAULT_NONE] = "none",
	[WARD_FAULT_FAIL_BEFORE] = "fail before",
	[WARD_FAULT_FAIL_AFTER] = "fail after",
	[WARD_FAULT_REFUSE] = "refuse",
	[WARD_FAULT_LOSE] = "lose",
	[WARD_FAULT_DELAY] = "delay",
	[WARD_FAULT_STALL] = "stall",
	[WARD_FAULT_JUMP] = "jump",
};
_Static_assert(sizeof fault_texts / sizeof fault_texts[0] == WARD_FAULT_KINDS, "one text for each");

const char *ward_point_text(ward_point point)
{
	return (unsigned)point < WARD_POINTS ? point_texts[point] : "?";
}

const char *ward_fault_kind_text(ward_fault_kind kind)
{
	return (unsigned)kind < WARD_FAULT_KINDS ? fault_texts[kind] : "?";
}

/* ---- the seam ---------------------------------------------------------------------------- */

ward_err wardi_seam_create(ward_system *system)
{
	if (system->simulation == NULL)
		return WARD_OK;
	system->seam = wardi_alloc_zeroed(&system->alloc, sizeof *system->seam);
	if (system->seam == NULL)
		return wardi_error(WARD_ENOMEM, "no memory for a simulation");
	wardi_list_init(&system->seam->delays);
	wardi_hash_init(&system->seam->newest, &system->alloc);
	return wardi_foreign_sends_create(system, &system->seam->foreign_sends);
}

void wardi_seam_destroy(ward_system *system)
{
	if (system->seam == NULL)
		return;
	wardi_assert(wardi_list_empty(&system->seam->delays));
	wardi_hash_finish(&system->seam->newest);
	wardi_foreign_sends_destroy(system, system->seam->foreign_sends);
	wardi_free(&system->alloc, system->seam, sizeof *system->seam);
	system->seam = NULL;
}

/* ---- asking and telling ------------------------------------------------------------------ */

static ward_occasion occasion(ward_system *system, const struct ward_self *self, ward_point point)
{
	ward_occasion it = {.point = point, .now_ns = wardi_clock_now(&system->clock)};

	if (self == NULL)
		return it;
	it.who = wardi_own_ref(self);
	it.incarnation = atomic_load_explicit(&self->cell->incarnation, memory_order_relaxed);
	return it;
}

/* A fault that needs a time and has none does not strike. */
static bool may_strike(ward_fault fault)
{
	switch (fault.kind) {
	case WARD_FAULT_DELAY:
	case WARD_FAULT_STALL:
	case WARD_FAULT_JUMP:
		return fault.delay_ns > 0;
	default:
		return true;
	}
}

static ward_fault ask(ward_system *system, const ward_occasion *it)
{
	WARDI_UNCANCELLED;
	const ward_simulation *driver = system->simulation;
	ward_fault fault = {WARD_FAULT_NONE, 0};

	system->seam->asked[it->point]++;
	if (driver->fault == NULL)
		return fault;
	system->seam->asking = true;
	fault = driver->fault(driver->arg, system, it);
	system->seam->asking = false;
	return may_strike(fault) ? fault : (ward_fault){WARD_FAULT_NONE, 0};
}

static void tell_done(ward_system *system, const ward_occasion *it)
{
	WARDI_UNCANCELLED;
	const ward_simulation *driver = system->simulation;

	if (driver->done == NULL)
		return;
	system->seam->asking = true;
	driver->done(driver->arg, system, it);
	system->seam->asking = false;
}

static bool is_guardian(const ward_system *system, ward_ref ref)
{
	return ward_ref_equal(ref, system->user) || ward_ref_equal(ref, system->root) ||
	       ward_ref_equal(ref, system->system_guardian);
}

/* Adds without overflow; never returns the end of time. */
static int64_t later(int64_t now_ns, int64_t delay_ns)
{
	return delay_ns < INT64_MAX - now_ns ? now_ns + delay_ns : INT64_MAX - 1;
}

/* ---- callbacks --------------------------------------------------------------------------- */

static ward_occasion callback(struct ward_self *self, ward_point point, ward_ref child)
{
	ward_occasion it = occasion(self->system, self, point);

	it.to = child;
	if (point != WARD_POINT_RECEIVE)
		return it;
	it.type = atomic_load_explicit(&self->running_type, memory_order_relaxed);
	if (self->msg != NULL) { /* otherwise taken or forwarded */
		it.body = wardi_msg_bytes(self->msg);
		it.body_size = wardi_msg_size(self->msg);
	}
	return it;
}

static ward_result inject(struct ward_self *self, ward_point point, const char *when)
{
	return ward_failed(self, &ward_injected, "injected %s %s number %" PRIu64 " of the run",
			   when, point_texts[point], self->system->seam->asked[point]);
}

/* Whether this is a function that a testkit runs inside an actor, not a callback of the program. */
static bool is_inside(ward_point point, ward_ref child)
{
	return point == WARD_POINT_DECIDE && ward_ref_is_nobody(child);
}

static ward_fault_kind before(struct ward_self *self, ward_point point, ward_ref child)
{
	ward_fault fault = {WARD_FAULT_NONE, 0};
	ward_occasion it;

	if (self->system->simulation->fault == NULL || is_inside(point, child))
		return WARD_FAULT_NONE;
	it = callback(self, point, child);
	/* A call to an inbox is not a message of the program: it is answered. */
	if (!is_guardian(self->system, it.who) && it.type != &wardi_type_inbox_order)
		fault = ask(self->system, &it);
	if (fault.kind == WARD_FAULT_FAIL_BEFORE)
		(void)inject(self, point, "before");
	return fault.kind;
}

static bool has_failed(const struct ward_self *self, ward_result result)
{
	return !wardi_failure_is_none(self->noted) || (unsigned)result > WARD_UNHANDLED;
}

static ward_result after(struct ward_self *self, ward_point point, ward_ref child,
			 ward_fault_kind fault, ward_result result)
{
	ward_occasion it;

	/* A failure of its own is the one that counts. */
	if (fault == WARD_FAULT_FAIL_AFTER && !has_failed(self, result))
		result = inject(self, point, "after");
	if (self->system->simulation->done == NULL || is_inside(point, child))
		return result;
	it = callback(self, point, child);
	it.result = result;
	it.failed = has_failed(self, result);
	tell_done(self->system, &it);
	return result;
}

static bool before_within(struct ward_self *self, ward_point point)
{
	struct wardi_seam *seam = self->system->seam;

	seam->within_point = point;
	seam->within_fault = before(self, point, ward_nobody());
	seam->within = true;
	return seam->within_fault != WARD_FAULT_FAIL_BEFORE;
}

static ward_result after_within(struct ward_self *self, ward_result result)
{
	struct wardi_seam *seam = self->system->seam;

	seam->within = false;
	return after(self, seam->within_point, ward_nobody(), seam->within_fault, result);
}

static void jumped(struct ward_self *self)
{
	if (self->system->seam->within)
		(void)after_within(self, WARD_FAILED);
}

static ward_result after_callback(struct ward_self *self, ward_point point, ward_ref child,
				  ward_fault_kind fault, ward_result result)
{
	jumped(self);
	return after(self, point, child, fault, result);
}

/* ---- turns ------------------------------------------------------------------------------- */

struct stall {
	struct wardi_put_off off;
	struct wardi_cell *cell;
};

/* Nobody else has made it ready: its scheduling bit is still taken. */
static void stall_over(struct wardi_worker *worker, struct wardi_put_off *off)
{
	struct stall *stall = wardi_container_of(off, struct stall, off);
	struct wardi_cell *cell = stall->cell;

	wardi_free(&wardi_cell_system(cell)->alloc, stall, sizeof *stall);
	wardi_cell_ready(worker->context, cell);
}

/* False: no memory, so no fault. */
static bool stall(struct ward_self *self, int64_t until_ns)
{
	struct stall *stall = wardi_alloc(&self->system->alloc, sizeof *stall);

	if (stall == NULL) {
		wardi_count(&self->system->counters.shortages);
		return false;
	}
	stall->cell = self->cell;
	wardi_sched_put_off(self->system->sched, &stall->off, until_ns, stall_over);
	return true;
}

static bool turn(struct ward_self *self)
{
	ward_occasion it;
	ward_fault fault;

	if (self->system->simulation->fault == NULL)
		return true;
	it = occasion(self->system, self, WARD_POINT_TURN);
	if (is_guardian(self->system, it.who))
		return true;
	fault = ask(self->system, &it);
	if (fault.kind == WARD_FAULT_STALL)
		return !stall(self, later(it.now_ns, fault.delay_ns));
	if (fault.kind == WARD_FAULT_JUMP)
		wardi_sched_jump(self->system->sched, fault.delay_ns);
	return true;
}

static void turned(ward_system *system, ward_ref who, uint32_t incarnation)
{
	ward_occasion it;

	if (system->simulation->done == NULL)
		return;
	it = occasion(system, NULL, WARD_POINT_TURN);
	it.who = who;
	it.incarnation = incarnation;
	tell_done(system, &it);
}

/* ---- calls ------------------------------------------------------------------------------- */

static bool refuses_spawn(ward_system *system, struct ward_self *self)
{
	ward_occasion it = occasion(system, self, WARD_POINT_SPAWN);

	if (ask(system, &it).kind != WARD_FAULT_REFUSE)
		return false;
	(void)wardi_error(WARD_ELIMIT, "a simulation refused to start an actor, on purpose");
	return true;
}

static ward_err spawn_replaced(ward_system *system, struct ward_self *self, const ward_props *props,
			       struct wardi_cell **ret_child)
{
	struct wardi_seam *seam = system->seam;
	const ward_props *instead;
	ward_err err;

	seam->asking = true;
	instead = seam->spawns.replace(seam->spawns.arg, system, wardi_own_ref(self), props);
	seam->asking = false;
	err = wardi_spawn(system, self, self->cell, instead, ret_child);
	if (err == WARD_OK && instead != props && !instead->args_given)
		ward_given_drop_(props); /* the spawn takes them */
	seam->asking = true;
	seam->spawns.spawned(seam->spawns.arg, system,
			     err == WARD_OK ? wardi_cell_ref(*ret_child) : ward_nobody());
	seam->asking = false;
	return err;
}

static ward_err spawn(ward_system *system, struct ward_self *self, const ward_props *props,
		      struct wardi_cell **ret_child)
{
	if (refuses_spawn(system, self))
		return WARD_ELIMIT;
	if (system->seam->spawns.replace != NULL)
		return spawn_replaced(system, self, props, ret_child);
	return wardi_spawn(system, self, self->cell, props, ret_child);
}

static void spawned(ward_system *system, struct ward_self *self, ward_ref child)
{
	ward_occasion it = occasion(system, self, WARD_POINT_SPAWN);

	it.to = child;
	it.failed = ward_ref_is_nobody(child);
	tell_done(system, &it);
}

/* By contract; messages of the runtime itself never come here. */
static bool may_be_lost(const ward_system *system, const ward_occasion *it,
			const struct ward_msg *msg)
{
	return wardi_ref_is_here(system->place, it->to) && !is_guardian(system, it->to) &&
	       !wardi_msg_is_auto_received(msg) && it->type != &ward_type_ward_event &&
	       it->type != &wardi_type_inbox_order;
}

static ward_err lose(ward_system *system, struct ward_self *self, ward_ref to, struct ward_msg *msg)
{
	wardi_dead_letter(system, self, to, msg, WARD_REASON_LOST);
	wardi_msg_free(self == NULL ? wardi_outside_source(system) : self->from, msg);
	return WARD_OK; /* the sender cannot know */
}

/* Delays a late message, and those that must stay behind it. */
static bool delayed(ward_system *system, const ward_occasion *it, ward_fault fault,
		    struct ward_msg *msg)
{
	if (!wardi_ref_is_here(system->place, it->to) ||
	    wardi_table_open(system, it->to.uid) == NULL)
		return false;
	if (fault.kind == WARD_FAULT_DELAY &&
	    wardi_delay(system, it->who.uid, it->to, msg, later(it->now_ns, fault.delay_ns)))
		return true;
	return wardi_delay_behind(system, it->who.uid, it->to, msg);
}

/* Delivers now, or late. An answer travels in its envelope, so that it keeps its place among the
 * other messages of its sender to the asker. */
static ward_err pass_on(ward_system *system, struct ward_self *self, const ward_occasion *it,
			ward_fault fault, ward_ref to, struct ward_msg *msg,
			ward_reason *ret_reason)
{
	struct wardi_source from = self == NULL ? wardi_outside_source(system) : self->from;
	struct ward_msg *envelope;

	if (!wardi_is_question(system, to) || ward_ref_is_nobody(it->to))
		return delayed(system, it, fault, msg)
			       ? WARD_OK
			       : wardi_deliver(system, self, to, msg, ret_reason);
	envelope = wardi_answer_wrap(from, it->to, to, msg);
	if (envelope == NULL) {
		*ret_reason = WARD_REASON_NO_MEMORY;
		return WARD_ENOMEM;
	}
	/* The owner is alive: a simulation has one thread. */
	if (!delayed(system, it, fault, envelope) &&
	    wardi_deliver(system, self, it->to, envelope, ret_reason) != WARD_OK)
		wardi_fatal("ward: broken invariant: an asker cannot be reached");
	return WARD_OK;
}

static ward_err send(ward_system *system, struct ward_self *self, ward_occasion it, ward_ref to,
		     struct ward_msg *msg, ward_reason *ret_reason)
{
	ward_fault fault = {WARD_FAULT_NONE, 0};
	ward_err err = WARD_OK;

	/* An answer is a message to the asker. */
	it.to = wardi_is_question(system, to) ? wardi_ask_owner(system, to) : to;
	it.type = wardi_msg_type(msg);
	it.body = wardi_msg_bytes(msg);
	it.body_size = wardi_msg_size(msg);
	if (may_be_lost(system, &it, msg))
		fault = ask(system, &it);
	if (fault.kind == WARD_FAULT_LOSE)
		err = lose(system, self, it.to, msg);
	else
		err = pass_on(system, self, &it, fault, to, msg, ret_reason);
	it.body = NULL; /* it is the receiver's by now, or gone */
	it.failed = err != WARD_OK || fault.kind == WARD_FAULT_LOSE;
	tell_done(system, &it);
	return err;
}

static ward_err send_own(ward_system *system, struct ward_self *self, ward_ref to,
			 struct ward_msg *msg, ward_reason *ret_reason)
{
	return send(system, self, occasion(system, self, WARD_POINT_SEND), to, msg, ret_reason);
}

static ward_err send_as(ward_system *system, struct ward_self *self, ward_ref by, ward_ref to,
			struct ward_msg *msg, ward_reason *ret_reason)
{
	ward_occasion it = occasion(system, NULL, WARD_POINT_SEND);

	it.who = by;
	return send(system, self, it, to, msg, ret_reason);
}

const struct wardi_points wardi_points = {
	.before = before,
	.after = after_callback,
	.before_within = before_within,
	.after_within = after_within,
	.jumped = jumped,
	.turn = turn,
	.turned = turned,
	.refuses_spawn = refuses_spawn,
	.spawn = spawn,
	.spawned = spawned,
	.send = send_own,
	.send_as = send_as,
	.end_delays_of = wardi_delays_of,
	.end_delays = wardi_delays_all,
	.foreign_send = wardi_foreign_send,
	.publish_foreign = wardi_foreign_sends_publish,
};
