/* SPDX-License-Identifier: MIT
 *
 * shutdown.c - the ordered end of a system: the work of /system, stage by stage (S77).
 *
 *	NONE     a shutdown is requested, or /user has ended -> PHASES
 *	PHASES   all tasks of the phase are done or timed out -> next phase, or USER;
 *	         services -> OVER
 *	USER     /user is gone -> PHASES, with services
 *	OVER     /system stops its services and itself
 *
 * An event that may move the stage (a task's answer, the end of an actor, the timeout) is noted
 * under the lock, and the one node for this purpose is sent to /system, unless it is on its way
 * already. So no step needs memory, and no notice is lost: /system clears the mark before it looks.
 *
 * Threads: see the struct; the stages run on /system's holder.
 */
#include "shutdown/shutdown.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "cell/caller.h"
#include "cell/command.h"
#include "cell/table.h"
#include "mail/ref.h"
#include "sched/timers.h"
#include "send/event.h"
#include "send/waiter.h"
#include "shutdown/phases.h"
#include "shutdown/task.h"

static const int64_t timeout_default_ms = 5 * WARD_SECOND;

static const ward_phase services = {.name = WARD_PHASE_SERVICES, .timeout_ms = WARD_FOREVER};

static size_t size_of(uint32_t count)
{
	return sizeof(struct wardi_shutdown) + (count + 1) * sizeof(struct wardi_phase);
}

static void fill(struct wardi_phase *phase, const ward_phase *row)
{
	strcpy(phase->name, row->name);
	phase->timeout_ms = row->timeout_ms == 0 ? timeout_default_ms : row->timeout_ms;
	phase->abort_on_timeout = row->abort_on_timeout;
}

/* Under the timers' lock: the timeout of a phase has passed. */
static void fire(struct wardi_worker *worker, struct wardi_timer_node *node, int64_t now_ns)
{
	struct ward_self *self = worker->context;
	struct wardi_shutdown *shutdown = self->system->shutdown;
	bool send;

	(void)node;
	(void)now_ns;
	wardi_mutex_lock(&shutdown->mu);
	shutdown->late = true;
	send = wardi_shutdown_note(shutdown);
	wardi_mutex_unlock(&shutdown->mu);
	if (send)
		wardi_shutdown_send(self->system, self);
}

ward_err wardi_shutdown_create(ward_system *system, const ward_phase *phases)
{
	const ward_phase *sorted[WARD_PHASES_MAX];
	struct wardi_shutdown *shutdown;
	uint32_t count;
	ward_err err =
		wardi_phases_sort(phases == NULL ? ward_default_phases : phases, sorted, &count);

	if (err != WARD_OK)
		return err;
	shutdown = wardi_alloc_zeroed(&system->alloc, size_of(count));
	if (shutdown == NULL)
		return wardi_error(WARD_ENOMEM, "no memory for the phases of a shutdown");
	wardi_mutex_init(&shutdown->mu, WARDI_LOCK_SHUTDOWN);
	wardi_list_init(&shutdown->asked);
	wardi_hash_init(&shutdown->numbers, &system->alloc);
	shutdown->count = count;
	shutdown->way.node.kind = WARDI_SYS_SHUTDOWN;
	shutdown->timer.fire = fire;
	for (uint32_t i = 0; i <= count; i++)
		wardi_list_init(&shutdown->phases[i].tasks);
	for (uint32_t i = 0; i < count; i++)
		fill(&shutdown->phases[i], sorted[i]);
	fill(&shutdown->phases[count], &services);
	system->shutdown = shutdown;
	return WARD_OK;
}

void wardi_shutdown_destroy(ward_system *system)
{
	struct wardi_shutdown *shutdown = system->shutdown;

	if (shutdown == NULL)
		return;
	wardi_hash_finish(&shutdown->numbers);
	wardi_mutex_destroy(&shutdown->mu);
	wardi_free(&system->alloc, shutdown, size_of(shutdown->count));
}

/* ---- telling /system --------------------------------------------------------------------- */

bool wardi_shutdown_note(struct wardi_shutdown *shutdown)
{
	bool first = !shutdown->queued;

	shutdown->queued = true;
	return first;
}

void wardi_shutdown_send(ward_system *system, struct ward_self *self)
{
	uint64_t uid = system->system_guardian.uid;
	struct wardi_cell *cell = wardi_table_open(system, uid);

	/* If it is closed, /system has ended for another reason, and there is nothing to wait
	 * for. */
	if (cell != NULL)
		(void)wardi_sys_send(self, cell, wardi_uid_gen(uid), &system->shutdown->way.node);
}

/* Under mu. */
static bool has_tasks(const struct wardi_shutdown *shutdown)
{
	uint32_t phase = 0;

	while (phase < shutdown->count && wardi_list_empty(&shutdown->phases[phase].tasks))
		phase++;
	return phase < shutdown->count;
}

void wardi_shutdown_begin(ward_system *system, const char *reason)
{
	struct wardi_shutdown *shutdown = system->shutdown;
	bool send = false, at_once = false;

	wardi_mutex_lock(&shutdown->mu);
	if (!shutdown->begun && shutdown->stage == WARDI_SHUTDOWN_NONE) {
		shutdown->begun = true;
		wardi_text_copy(shutdown->reason, sizeof shutdown->reason, reason);
		send = wardi_shutdown_note(shutdown);
		at_once = reason[0] == '\0' && !has_tasks(shutdown);
	}
	wardi_mutex_unlock(&shutdown->mu);
	if (send)
		wardi_shutdown_send(system, NULL);
	/* There are no tasks and no reason to report: /user refuses requests from now on. */
	if (at_once)
		ward_system_stop(system, system->user);
	if (!send)
		return;
	wardi_waiters_begun(system, WARDI_WAIT_END);
}

bool wardi_shutdown_has_begun(ward_system *system)
{
	struct wardi_shutdown *shutdown = system->shutdown;
	bool begun;

	wardi_mutex_lock(&shutdown->mu);
	begun = shutdown->begun;
	wardi_mutex_unlock(&shutdown->mu);
	return begun;
}

void wardi_shutdown_user_gone(struct ward_self *self)
{
	struct wardi_shutdown *shutdown = self->system->shutdown;
	bool send;

	wardi_mutex_lock(&shutdown->mu);
	shutdown->user_gone = true;
	send = wardi_shutdown_note(shutdown);
	wardi_mutex_unlock(&shutdown->mu);
	if (send)
		wardi_shutdown_send(self->system, self);
}

/* ---- the stages: true, look again -------------------------------------------------------- */

static void enter(struct wardi_shutdown *shutdown, enum wardi_shutdown_stage stage, uint32_t phase)
{
	wardi_mutex_lock(&shutdown->mu);
	shutdown->stage = stage;
	shutdown->phase = phase;
	wardi_mutex_unlock(&shutdown->mu);
}

static void arm(struct ward_self *self, const struct wardi_phase *phase)
{
	ward_system *system = self->system;
	int64_t now = wardi_clock_now(&system->clock);

	if (phase->timeout_ms >= (INT64_MAX - now) / WARD_NS_PER_MS)
		return;
	system->shutdown->timer.owner = self->cell->uid;
	wardi_timer_arm_promised(system->sched, &system->shutdown->timer,
				 now + phase->timeout_ms * WARD_NS_PER_MS);
}

/* Enters a phase, or the next one that has a task; after the last phase /user stops. */
static bool come_to(struct ward_self *self, uint32_t phase)
{
	struct wardi_shutdown *shutdown = self->system->shutdown;

	wardi_mutex_lock(&shutdown->mu);
	while (phase < shutdown->count && wardi_list_empty(&shutdown->phases[phase].tasks))
		phase++;
	shutdown->stage = phase < shutdown->count ? WARDI_SHUTDOWN_PHASES : WARDI_SHUTDOWN_USER;
	shutdown->phase = phase;
	shutdown->late = false;
	wardi_mutex_unlock(&shutdown->mu);
	if (phase < shutdown->count) {
		arm(self, &shutdown->phases[phase]);
		wardi_tasks_ask(self, phase);
	}
	return true;
}

static bool nothing_yet(struct ward_self *self)
{
	struct wardi_shutdown *shutdown = self->system->shutdown;
	bool begun, gone;

	wardi_mutex_lock(&shutdown->mu);
	begun = shutdown->begun;
	gone = shutdown->user_gone;
	if (gone && !begun)
		wardi_text_copy(shutdown->reason, sizeof shutdown->reason, "/user has ended");
	wardi_mutex_unlock(&shutdown->mu);
	if (!begun && !gone)
		return false;
	if (begun && shutdown->reason[0] != '\0') /* no longer written */
		wardi_event_note(self->system, self, WARD_LEVEL_INFO, wardi_own_ref(self),
				 "shutting down: %s", shutdown->reason);
	return come_to(self, 0);
}

static void note_late(struct ward_self *self, const struct wardi_phase *phase)
{
	char names[WARD_EVENT_TEXT];

	wardi_tasks_give_up(self, names, sizeof names);
	wardi_event_note(self->system, self, WARD_LEVEL_WARNING, wardi_own_ref(self),
			 "phase %s is not done after %lld ms%s: %.*s", phase->name,
			 (long long)phase->timeout_ms,
			 phase->abort_on_timeout ? ", the phases after it are skipped" : "",
			 WARD_TEXT_FIT(names, 150));
}

static bool phase_under_way(struct ward_self *self)
{
	struct wardi_shutdown *shutdown = self->system->shutdown;
	struct wardi_phase *phase = &shutdown->phases[shutdown->phase];
	bool done, late;

	wardi_mutex_lock(&shutdown->mu);
	done = wardi_list_empty(&shutdown->asked);
	late = shutdown->late;
	wardi_mutex_unlock(&shutdown->mu);
	if (!done && !late)
		return false;
	/* From here on the timer does not fire for this phase, and it was armed for no other. */
	wardi_timer_disarm(self->system->sched, &shutdown->timer);
	if (done && shutdown->phase == shutdown->count) {
		enter(shutdown, WARDI_SHUTDOWN_OVER, shutdown->phase + 1);
		return true;
	}
	if (done)
		return come_to(self, shutdown->phase + 1);
	note_late(self, phase);
	return come_to(self, phase->abort_on_timeout ? shutdown->count : shutdown->phase + 1);
}

static bool user_stops(struct ward_self *self)
{
	ward_system *system = self->system;
	bool gone;

	wardi_mutex_lock(&system->shutdown->mu);
	gone = system->shutdown->user_gone;
	wardi_mutex_unlock(&system->shutdown->mu);
	if (!gone) {
		wardi_command_stop(self, system->user_cell, wardi_uid_gen(system->user.uid));
		return false;
	}
	enter(system->shutdown, WARDI_SHUTDOWN_PHASES, system->shutdown->count);
	wardi_tasks_ask(self, system->shutdown->count);
	return true;
}

static bool nothing_more(struct ward_self *self)
{
	(void)self;
	return false;
}

static bool (*const stages[])(struct ward_self *self) = {
	[WARDI_SHUTDOWN_NONE] = nothing_yet,
	[WARDI_SHUTDOWN_PHASES] = phase_under_way,
	[WARDI_SHUTDOWN_USER] = user_stops,
	[WARDI_SHUTDOWN_OVER] = nothing_more,
};
_Static_assert(sizeof stages / sizeof stages[0] == WARDI_SHUTDOWN_STAGES, "one for each stage");

bool wardi_shutdown_step(struct ward_self *self)
{
	struct wardi_shutdown *shutdown = self->system->shutdown;

	wardi_mutex_lock(&shutdown->mu);
	shutdown->queued = false;
	wardi_mutex_unlock(&shutdown->mu);
	while (stages[shutdown->stage](self))
		;
	return shutdown->stage == WARDI_SHUTDOWN_OVER;
}

void wardi_shutdown_ended(struct ward_self *self)
{
	wardi_timer_disarm(self->system->sched, &self->system->shutdown->timer);
}

/* ---- looking ----------------------------------------------------------------------------- */

void wardi_shutdown_text(ward_system *system, char *text, size_t max)
{
	struct wardi_shutdown *shutdown = system->shutdown;
	char first[WARDI_TASK_TEXT];

	text[0] = '\0';
	wardi_mutex_lock(&shutdown->mu);
	if (wardi_tasks_first(system, first, sizeof first))
		ward_text_format(text, max, "phase %s waits for %.*s",
				 shutdown->phases[shutdown->phase].name, WARD_TEXT_FIT(first, 180));
	wardi_mutex_unlock(&shutdown->mu);
}

/* ---- for the user ------------------------------------------------------------------------ */

void ward_system_shutdown(ward_system *system, const char *reason)
{
	if (wardi_outside_check(system) == WARD_OK)
		wardi_shutdown_begin(system, reason == NULL ? "" : reason);
}
