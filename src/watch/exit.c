/* SPDX-License-Identifier: MIT
 *
 * exit.c - reasons of an end, the effect of an exit signal, and signals without a link.
 *
 *	the signal is            trapping     not trapping
 *	kill, of ward_exit()     ends         ends
 *	normal                   a message    nothing; ends if sent to itself
 *	any other                a message    ends
 *
 * An actor that stands in for another one gets a message whether it traps or not: whether that one
 * does is not known here (actor/represent.c).
 *
 * An actor that is stopping ignores signals. A signal travels as a system message. With it goes the
 * message that it becomes if it is trapped, which was made in advance and has the reason.
 *
 * Threads: runs only on the holder's worker.
 */
#include "watch/exit.h"

#include <stdio.h>
#include <string.h>

#include "actor/represent.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "cell/path.h"
#include "cell/places.h"
#include "cell/points.h"
#include "cell/table.h"
#include "cell/visit.h"
#include "life/life.h"
#include "mail/auto_received.h"
#include "mail/outgoing.h"
#include "mail/ref.h"
#include "send/deliver.h"
#include "send/event.h"
#include "send/far.h"
#include "watch/link.h"

_Static_assert(sizeof(struct wardi_exit_waiting) == sizeof(struct ward_exited) &&
		       offsetof(struct wardi_exit_waiting, reason) ==
			       offsetof(struct ward_exited, reason),
	       "the one becomes the other");
_Static_assert(sizeof(struct ward_exited) <= WARDI_BODY_MAX, "it fits a block of 144");

/* ---- reasons ----------------------------------------------------------------------------- */

ward_exit_reason wardi_exit_plain(ward_exit_kind kind)
{
	return (ward_exit_reason){.kind = kind};
}

static ward_exit_reason reason_of_failure(struct wardi_failure cause)
{
	ward_exit_reason reason = {.kind = WARD_EXIT_FAILURE};
	struct ward_failure bare;
	const ward_failure *failure = wardi_failure_view(cause, &bare);

	if (ward_failure_is(failure, &ward_killed))
		return wardi_exit_plain(WARD_EXIT_KILLED);
	wardi_text_copy(reason.name, sizeof reason.name, failure->failure_class->name);
	wardi_text_copy(reason.text, sizeof reason.text, failure->text);
	return reason;
}

ward_exit_reason wardi_exit_reason(const struct wardi_ending *ending)
{
	if (!wardi_failure_is_none(ending->failure))
		return reason_of_failure(ending->failure);
	return wardi_exit_plain(ending->end == WARDI_END_OWN || ending->end == WARDI_END_PILL
					? WARD_EXIT_NORMAL
					: WARD_EXIT_SHUTDOWN);
}

static const char *kind_text(uint32_t kind)
{
	static const char *const texts[] = {
		[WARD_EXIT_NORMAL] = "normal",  [WARD_EXIT_SHUTDOWN] = "shutdown",
		[WARD_EXIT_KILLED] = "killed",  [WARD_EXIT_KILL] = "kill",
		[WARD_EXIT_NOPROC] = "noproc",  [WARD_EXIT_FAILURE] = "failure",
		[WARD_EXIT_OTHER] = "a reason", [WARD_EXIT_UNREACHED] = "noconnection",
	};

	return kind < sizeof texts / sizeof texts[0] ? texts[kind] : "an unknown reason";
}

size_t ward_exit_format(const ward_exit_reason *reason, char *text, size_t max)
{
	const char *name = reason->name[0] != '\0' ? reason->name : kind_text(reason->kind);

	return ward_text_format(text, max, "%.*s%s%.*s", WARD_TEXT_FIT(name, WARD_EXIT_NAME),
				reason->text[0] == '\0' ? "" : ": ",
				WARD_TEXT_FIT(reason->text, WARD_EXIT_TEXT));
}

static bool has_end(const char *text, size_t max)
{
	return memchr(text, '\0', max) != NULL;
}

static bool needs_name(const ward_exit_reason *reason)
{
	return reason->kind == WARD_EXIT_FAILURE || reason->kind == WARD_EXIT_OTHER;
}

ward_err wardi_exit_check(const char *call, const ward_exit_reason *reason)
{
	if (reason == NULL)
		return wardi_error(WARD_EINVAL, "%s: the reason is NULL", call);
	if (reason->kind > WARD_EXIT_UNREACHED)
		return wardi_error(WARD_EINVAL, "%s: %u is not a ward_exit_kind", call,
				   reason->kind);
	if (!has_end(reason->name, sizeof reason->name) ||
	    !has_end(reason->text, sizeof reason->text))
		return wardi_error(WARD_EINVAL,
				   "%s: the name or the text of the reason is not terminated",
				   call);
	if (needs_name(reason) && reason->name[0] == '\0')
		return wardi_error(WARD_EINVAL, "%s: the reason needs a name: %s", call,
				   reason->kind == WARD_EXIT_FAILURE ? "the failure class"
								     : "one of your own");
	return WARD_OK;
}

/* ---- what a signal does ------------------------------------------------------------------ */

struct ward_msg *wardi_exit_make(struct ward_self *self, const ward_exit_reason *reason)
{
	struct wardi_exit_waiting body = {.reason = *reason};

	return wardi_msg_make(self->from, &wardi_type_exit, &body, sizeof body);
}

enum wardi_fate wardi_exit_fate(const struct ward_self *self, ward_ref from, uint32_t kind)
{
	const struct wardi_cell *cell = self->cell;

	if (wardi_cell_state(cell) == WARDI_STOPPING || self->stops)
		return WARDI_FATE_NONE;
	if (kind == WARD_EXIT_KILL)
		return WARDI_FATE_ENDS;
	if (wardi_represent_is_told(cell, from))
		return WARDI_FATE_ENDS;
	if (wardi_represent_takes_exits(cell))
		return wardi_cell_suspended(cell) > 0 ? WARDI_FATE_PASSED : WARDI_FATE_TRAPPED;
	if (cell->traps_exits)
		return WARDI_FATE_TRAPPED;
	return kind == WARD_EXIT_NORMAL && !ward_ref_equal(from, wardi_own_ref(self))
		       ? WARDI_FATE_NONE
		       : WARDI_FATE_ENDS;
}

enum wardi_fate wardi_exit_delivered(struct ward_self *self, enum wardi_fate fate, ward_ref from,
				     struct ward_msg *msg)
{
	uint32_t kind = wardi_exit_waiting(msg)->reason.kind;

	if (fate == WARDI_FATE_PASSED && !wardi_represent_pass_exit(self, from, msg))
		return kind == WARD_EXIT_NORMAL ? WARDI_FATE_NONE : WARDI_FATE_ENDS;
	if (fate == WARDI_FATE_PASSED)
		return fate;
	msg->sender_uid = from.uid;
	wardi_msg_set_sender_place(msg, wardi_ref_place(from));
	wardi_deliver_own(self, msg);
	return fate;
}

/* The level of the event about an end by a signal. An end in order, or one that was requested, is
 * no warning; an end because of another actor is. */
static ward_level level_of(const ward_exit_reason *reason)
{
	return reason->kind == WARD_EXIT_NORMAL || reason->kind == WARD_EXIT_SHUTDOWN ||
			       reason->kind == WARD_EXIT_KILL
		       ? WARD_LEVEL_DEBUG
		       : WARD_LEVEL_WARNING;
}

static void note(struct ward_self *self, ward_ref from, const ward_exit_reason *reason,
		 ward_level level)
{
	char path[WARD_EVENT_PATH], text[WARD_EVENT_TEXT];

	if (!wardi_event_wanted(self->system, WARD_EVENT_NOTE))
		return;
	ward_exit_format(reason, text, sizeof text);
	if (ward_ref_equal(from, wardi_own_ref(self))) {
		wardi_event_note(self->system, self, level, from, "exits: %s", text);
		return;
	}
	wardi_path_tail(self->system, from, path, sizeof path);
	wardi_event_note(self->system, self, level, wardi_own_ref(self), "told to exit by %.*s: %s",
			 WARD_TEXT_FIT(path, 120), text);
}

/* Whether an actor at the top ends itself, and not in order: ward_run() then returns another
 * status. */
static bool has_given_up(const struct ward_self *self, ward_ref from,
			 const ward_exit_reason *reason)
{
	bool plain = reason->kind == WARD_EXIT_NORMAL ||
		     (reason->kind == WARD_EXIT_SHUTDOWN && reason->text[0] == '\0');

	return !plain && ward_ref_equal(from, wardi_own_ref(self)) &&
	       self->cell->parent == self->system->user_cell;
}

static enum wardi_end end_of(const ward_exit_reason *reason)
{
	switch (reason->kind) {
	case WARD_EXIT_NORMAL:
		return WARDI_END_OWN;
	case WARD_EXIT_SHUTDOWN:
		return WARDI_END_TOLD;
	case WARD_EXIT_KILLED:
	case WARD_EXIT_KILL:
		return WARDI_END_KILLED;
	default:
		return WARDI_END_EXITED;
	}
}

static bool ends(struct ward_self *self, ward_ref from, const ward_exit_reason *reason,
		 ward_level level)
{
	if (has_given_up(self, from, reason))
		atomic_store_explicit(&self->system->gave_up, true, memory_order_relaxed);
	note(self, from, reason, level);
	wardi_links_say(self, reason);
	self->cell->end = (uint8_t)end_of(reason);
	return wardi_stop(self);
}

bool wardi_exit_ends(struct ward_self *self, ward_ref from, const ward_exit_reason *reason)
{
	return ends(self, from, reason, level_of(reason));
}

/* ---- signals without a link -------------------------------------------------------------- */

struct carrier {
	struct wardi_addressed way;
	bool own; /* of ward_exit_self() */
	ward_ref from;
	struct ward_msg *msg;
};

/* NULL: no memory. */
static struct carrier *make(struct ward_self *self, ward_ref from, const ward_exit_reason *reason)
{
	struct carrier *carrier = wardi_memory_get(self->from, sizeof *carrier);

	if (carrier == NULL)
		return NULL;
	carrier->way.node.kind = WARDI_SYS_EXIT;
	carrier->from = from;
	carrier->msg = wardi_exit_make(self, reason);
	if (carrier->msg != NULL)
		return carrier;
	wardi_memory_put(self->from, carrier, sizeof *carrier);
	return NULL;
}

static void free_carrier(struct ward_self *self, struct carrier *carrier)
{
	if (carrier->msg != NULL)
		wardi_msg_free(self->from, carrier->msg);
	wardi_memory_put(self->from, carrier, sizeof *carrier);
}

static struct carrier *carrier_of(struct wardi_sysmsg *msg)
{
	return wardi_container_of(msg, struct carrier, way.node);
}

bool wardi_exit_arrived(struct ward_self *self, struct wardi_sysmsg *msg)
{
	struct carrier *carrier = carrier_of(msg);
	ward_ref from = carrier->from;
	ward_exit_reason reason = wardi_exit_waiting(carrier->msg)->reason;
	ward_level level = level_of(&reason);
	enum wardi_fate fate = wardi_exit_fate(self, from, reason.kind);

	if (carrier->own && fate != WARDI_FATE_NONE)
		fate = WARDI_FATE_ENDS;
	if (fate == WARDI_FATE_TRAPPED || fate == WARDI_FATE_PASSED) {
		fate = wardi_exit_delivered(self, fate, from, carrier->msg);
		carrier->msg = NULL;
	}
	free_carrier(self, carrier);
	if (fate != WARDI_FATE_ENDS)
		return true;
	if (reason.kind == WARD_EXIT_KILL)
		reason.kind = WARD_EXIT_KILLED;
	return ends(self, from, &reason, level);
}

void wardi_exit_misaddressed(struct ward_self *self, struct wardi_sysmsg *msg)
{
	free_carrier(self, carrier_of(msg));
}

static void send(struct ward_self *self, ward_ref who, struct carrier *carrier)
{
	ward_system *system = self->system;
	uint32_t visit;
	struct wardi_cell *cell;

	if (wardi_has_points(system)) /* messages sent before the signal arrive before it */
		wardi_points.end_delays_of(self, self->cell->uid);
	visit = wardi_visit(system, self);
	cell = wardi_table_open(system, who.uid);
	if (cell == NULL || !wardi_sys_send(self, cell, wardi_uid_gen(who.uid), &carrier->way.node))
		free_carrier(self, carrier);
	wardi_visited(system, self, visit);
}

static ward_err exit_of(struct ward_self *self, ward_ref from, ward_ref who,
			const ward_exit_reason *reason, bool own)
{
	struct carrier *carrier = make(self, from, reason);

	if (carrier == NULL)
		return wardi_no_memory(self->system, "no memory for an exit signal");
	carrier->own = own;
	send(self, who, carrier);
	return WARD_OK;
}

/* The system of that actor applies it. */
static ward_err exit_of_far(struct ward_self *self, ward_ref who, const ward_exit_reason *reason)
{
	ward_ref from = wardi_far_name(self, wardi_own_ref(self), who);
	struct ward_msg *msg = wardi_outgoing_end_make(self->from, WARD_CONTROL_EXIT, from, who);

	if (msg == NULL)
		return wardi_no_memory(self->system, "no memory for an exit signal");
	wardi_outgoing_end_of(msg)->reason = *reason;
	if (wardi_far_submit(self->system, self, msg))
		return WARD_OK;
	return wardi_error(WARD_EUNREACHED, "ward_exit: the connection to the actor was lost");
}

ward_err wardi_exit_far(struct ward_self *self, ward_ref from, ward_ref to,
			const ward_exit_reason *reason)
{
	return exit_of(self, from, to, reason, false);
}

/* ---- for the user ------------------------------------------------------------------------ */

ward_err ward_exit(ward_self *self, ward_ref who, const ward_exit_reason *reason)
{
	ward_err err;

	if (!wardi_self_usable(self))
		return WARD_EINVAL;
	if (ward_ref_is_nobody(who))
		return wardi_error(WARD_EINVAL, "ward_exit: nobody cannot exit");
	if (!wardi_place_has_actor(self->system, who))
		return wardi_error(WARD_EFOREIGN, "ward_exit: the actor is of another system");
	err = wardi_exit_check("ward_exit", reason);
	if (err != WARD_OK)
		return err;
	return wardi_ref_is_here(self->system->place, who)
		       ? exit_of(self, wardi_own_ref(self), who, reason, false)
		       : exit_of_far(self, who, reason);
}

ward_err ward_try_exit_self(ward_self *self, const ward_exit_reason *reason)
{
	ward_err err;

	if (!wardi_self_usable(self))
		return WARD_EINVAL;
	err = wardi_exit_check("ward_exit_self", reason);
	return err == WARD_OK
		       ? exit_of(self, wardi_own_ref(self), wardi_own_ref(self), reason, true)
		       : err;
}

bool ward_trap_exit(ward_self *self, bool on)
{
	bool before;

	if (!wardi_self_usable(self))
		return false;
	before = self->cell->traps_exits;
	self->cell->traps_exits = on;
	return before;
}
