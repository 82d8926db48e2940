/* SPDX-License-Identifier: MIT
 *
 * self_api.c - what an actor can learn about itself, and stopping.
 *
 * Threads: runs only on the holder's worker; ward_system_stop on any thread.
 */
#include "cell/caller.h"
#include "cell/command.h"
#include "cell/places.h"
#include "cell/self.h"
#include "cell/visit.h"
#include "mail/outgoing.h"
#include "mail/ref.h"
#include "sched/worker.h"
#include "send/dead_letter.h"
#include "send/far.h"

/* Asks the system of that actor. Without memory for that it is as if the connection was lost. */
static void stop_far(ward_system *system, struct ward_self *self, ward_ref who)
{
	struct wardi_source from = self == NULL ? wardi_outside_source(system) : self->from;
	ward_ref by = self == NULL ? ward_nobody() : wardi_own_ref(self);
	struct ward_msg *msg = wardi_outgoing_make(from, WARD_CONTROL_STOP, by, who);

	if (msg == NULL)
		wardi_count(&system->counters.shortages);
	else
		(void)wardi_far_submit(system, self, msg);
}

/* What is not connected may live, and is not stopped: so that is said. */
static void stop_elsewhere(ward_system *system, struct ward_self *self, ward_ref who)
{
	static const ward_type type = {.name = "ward_stop", .flags = WARD_TYPE_FLAT};

	if (wardi_place_has_actor(system, who))
		stop_far(system, self, who);
	else if (!ward_ref_is_nobody(who) && !wardi_ref_is_within(system->place, who))
		wardi_dead_body(system, self, self == NULL ? ward_nobody() : wardi_own_ref(self),
				who, &type, NULL, 0, WARD_REASON_NOBODY);
}

static void stop(ward_system *system, struct ward_self *self, ward_ref who)
{
	if (!wardi_ref_is_here(system->place, who)) {
		stop_elsewhere(system, self, who);
		return;
	}

	uint32_t visit = wardi_visit(system, self);
	struct wardi_cell *cell = wardi_self_find(system, who); /* NULL: gone already */

	if (cell != NULL && self != NULL && wardi_self_is_own_child(self, cell, who.uid))
		wardi_command_stop_child(self, self->cell, cell);
	else if (cell != NULL)
		wardi_command_stop(self, cell, wardi_uid_gen(who.uid));
	wardi_visited(system, self, visit);
}

void ward_stop(ward_self *self, ward_ref who)
{
	if (wardi_self_usable(self))
		stop(self->system, self, who);
}

/* In receive a flag is enough: the turn looks at it afterwards. It stands for a message at the end
 * of the system lane, so the lane must be empty; and no such look follows a hook. */
ward_result ward_stop_self(ward_self *self)
{
	struct wardi_cell *cell;

	if (!wardi_self_usable(self))
		return WARD_DONE;
	cell = self->cell;
	if (!wardi_self_receives(self) || wardi_mailbox_has_system(&cell->mailbox)) {
		wardi_command_stop(self, cell, wardi_uid_gen(cell->uid));
		return WARD_DONE;
	}
	cell->end = WARDI_END_OWN;
	wardi_cell_require_general_turn(cell);
	self->stops = self->has_leftovers = true;
	return WARD_DONE;
}

void ward_system_stop(ward_system *system, ward_ref who)
{
	if (wardi_outside_check(system) == WARD_OK)
		stop(system, NULL, who);
}

/* The self of the deferred call that runs on this thread, or NULL. The one that such a call may
 * bring is of the worker that the actor had then. */
static const ward_self *in_deferred_call(void)
{
	const struct wardi_worker *worker = wardi_worker_current();
	const ward_self *self = worker == NULL ? NULL : worker->context;

	return self == NULL || self->callback || self->stop_reason == WARD_END_UNKNOWN ? NULL
										       : self;
}

ward_end ward_stop_reason(const ward_self *self, const ward_failure **ret_failure)
{
	const ward_self *deferred = in_deferred_call();

	if (deferred != NULL)
		self = deferred;
	else if (!wardi_self_usable(self))
		self = NULL;
	if (ret_failure != NULL)
		*ret_failure = self == NULL ? NULL : self->stop_failure;
	return self == NULL ? WARD_END_UNKNOWN : self->stop_reason;
}

ward_ref ward_self_ref(const ward_self *self)
{
	return wardi_self_usable(self) ? wardi_own_ref(self) : ward_nobody();
}

ward_ref ward_parent(const ward_self *self)
{
	/* The root has none, and runs no code of the program's. */
	return wardi_self_usable(self)
		       ? wardi_ref_make(wardi_cell_parent_uid(self->cell), self->system->place)
		       : ward_nobody();
}

ward_system *ward_self_system(const ward_self *self)
{
	return wardi_self_usable(self) ? self->system : NULL;
}

void *ward_state(ward_self *self)
{
	return wardi_self_usable(self) ? self->cell->memory : NULL;
}

const void *ward_args(const ward_self *self)
{
	return wardi_self_usable(self) && self->cell->rare->args != NULL
		       ? self->cell->rare->args->bytes
		       : NULL;
}

uint32_t ward_incarnation(const ward_self *self)
{
	if (!wardi_self_usable(self))
		return 0;
	return atomic_load_explicit(&self->cell->incarnation, memory_order_relaxed);
}

int64_t ward_now_ns(const ward_self *self)
{
	return wardi_self_usable(self) ? wardi_clock_now(&self->system->clock) : 0;
}

uint64_t ward_random(ward_self *self)
{
	return wardi_self_usable(self) ? wardi_random_u64(&self->worker->random) : 0;
}
