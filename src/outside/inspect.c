/* SPDX-License-Identifier: MIT
 *
 * inspect.c - looking at a system from outside: actors, what they do, counters.
 *
 * It walks the slots, not the tree, and waits for no actor, so a stuck actor shows, too. Each row
 * is read by shown_life.c, under the path lock of its cell, or from atomic fields.
 *
 * Threads: all functions but destroy may run at the same time.
 */
#include "outside/inspect.h"

#include <stdio.h>
#include <string.h>

#include "actor/fd.h"
#include "actor/hardware_fault.h"
#include "actor/status.h"
#include "base/error.h"
#include "base/foreign_call.h"
#include "base/text.h"
#include "cell/path.h"
#include "cell/self.h"
#include "cell/shown_life.h"
#include "cell/table.h"
#include "cell/visit.h"
#include "common/uncancelled.h"
#include "mail/bounded.h"
#include "sched/timers.h"
#include "send/backpressure.h"

static void fill_failure(ward_actor_info *info, struct wardi_failure cause)
{
	struct ward_failure bare;
	const ward_failure *failure = wardi_failure_view(cause, &bare);

	if (failure != NULL)
		ward_text_format(info->last_failure, sizeof info->last_failure, "%.*s: %s",
				 WARD_TEXT_FIT(failure->failure_class->name, 60), failure->text);
	wardi_failure_unref(cause);
}

/* In a visit. False: no actor lives there. */
static bool fill_cell(ward_system *system, uint32_t slot, ward_actor_info *info)
{
	struct wardi_cell *cell = wardi_table_cell(system, slot);
	struct wardi_spin *lock = wardi_path_lock(system, slot);
	struct wardi_bounded *bounded;
	struct wardi_failure last = WARDI_NO_FAILURE;
	struct wardi_shown_life life;
	uint64_t holder;
	bool idle, shown;

	memset(info, 0, sizeof *info);
	/* Failures are noted, and lives that have one are hidden, under the lock: so it is of the
	 * life that was seen. */
	wardi_spin_take(lock, WARDI_LOCK_PATH);
	shown = wardi_life_look(cell, &life);
	if (shown)
		last = wardi_failure_ref(cell->last_failure);
	wardi_spin_drop(lock);
	if (!shown)
		return false;
	info->ref = wardi_ref_make(life.uid, system->place);
	if (life.parent_uid != 0)
		info->parent = wardi_ref_make(life.parent_uid, system->place);
	info->born = life.born;
	fill_failure(info, last);
	info->state = wardi_state_name(wardi_cell_state(cell));
	info->suspended = wardi_cell_suspended(cell);
	info->incarnation = atomic_load_explicit(&cell->incarnation, memory_order_relaxed);
	info->restarts = atomic_load_explicit(&cell->restarted, memory_order_relaxed);
	wardi_mailbox_look(&cell->mailbox, &idle, &info->has_mail);
	info->ready = !idle;
	info->mailbox = -1;
	/* Acquire: the thread that made it filled it before. */
	bounded = atomic_load_explicit(&cell->mailbox.bounded, memory_order_acquire);
	if (bounded != NULL)
		wardi_bounded_look(bounded, info->ref.uid, &info->mailbox, &info->dropped,
				   &info->has_mail);
	info->closed = wardi_cell_is_closed(cell);
	if (wardi_cell_unstashed(cell))
		info->has_mail = true;
	wardi_status_look(system, info->ref.uid, info->status, sizeof info->status);
	holder = wardi_backpressure_by(system, cell, info->ref.uid);
	if (holder != 0)
		info->held_by = wardi_ref_make(holder, system->place);
	return true;
}

/* In a visit. */
static void fill_current(ward_system *system, ward_actor_info *info)
{
	const struct wardi_cell *cell = wardi_table_cell(system, wardi_uid_slot(info->ref.uid));

	wardi_mutex_lock(&system->selves_mu);
	for (struct wardi_list *at = system->selves.next; at != &system->selves; at = at->next) {
		struct ward_self *self = wardi_container_of(at, struct ward_self, link);
		const ward_type *type;
		int64_t since;

		/* Relaxed: a picture. */
		if (atomic_load_explicit(&self->running, memory_order_relaxed) != cell)
			continue;
		type = atomic_load_explicit(&self->running_type, memory_order_relaxed);
		if (type == NULL || wardi_life_uid(cell) != info->ref.uid)
			continue;
		wardi_text_copy(info->message, sizeof info->message, type->name);
		since = atomic_load_explicit(&self->running_since_ns, memory_order_relaxed);
		if (since == 0)
			since = atomic_load_explicit(&self->worker->clock_ns, memory_order_relaxed);
		info->message_ms = (wardi_clock_now(&system->clock) - since) / WARD_NS_PER_MS;
	}
	wardi_mutex_unlock(&system->selves_mu);
}

bool wardi_inspect(ward_system *system, uint32_t slot, ward_actor_info *info)
{
	uint32_t visit = wardi_visit(system, NULL);
	bool lives = fill_cell(system, slot, info);

	if (lives)
		fill_current(system, info);
	wardi_visited(system, NULL, visit);
	return lives;
}

ward_err ward_system_actor(ward_system *system, ward_ref who, ward_actor_info *ret_info)
{
	WARDI_UNCANCELLED;
	ward_actor_info info;
	uint32_t slots;

	if (system == NULL || ret_info == NULL || ward_ref_is_nobody(who))
		return wardi_error(WARD_EINVAL, "ward_system_actor: no %s",
				   system == NULL     ? "system"
				   : ret_info == NULL ? "place for what is told"
						      : "actor: the ref is nobody");
	if (!wardi_system_here(system))
		return wardi_error(WARD_EFORKED,
				   "ward_system_actor: the system is another process's");
	if (!wardi_ref_is_here(system->place, who))
		return wardi_error(WARD_EFOREIGN, "ward_system_actor: it is of another system");
	/* Acquire: as below. */
	slots = atomic_load_explicit(&system->table.published, memory_order_acquire);
	if (wardi_uid_slot(who.uid) >= slots ||
	    !wardi_inspect(system, wardi_uid_slot(who.uid), &info) || info.ref.uid != who.uid)
		return wardi_error(WARD_EDEAD, "ward_system_actor: it is gone");
	wardi_path_tail(system, info.ref, info.path, sizeof info.path);
	*ret_info = info;
	return WARD_OK;
}

size_t ward_system_actors(ward_system *system, void (*each)(void *arg, const ward_actor_info *info),
			  void *arg)
{
	WARDI_UNCANCELLED;
	ward_actor_info info;
	size_t count = 0;
	uint32_t slots;

	if (system == NULL || !wardi_system_here(system))
		return 0;
	slots = atomic_load_explicit(&system->table.published, memory_order_acquire);
	for (uint32_t slot = 0; slot < slots; slot++) {
		if (!wardi_inspect(system, slot, &info))
			continue;
		wardi_path_tail(system, info.ref, info.path, sizeof info.path);
		count++;
		if (each == NULL)
			continue;
		wardi_foreign_call_begin();
		each(arg, &info);
		wardi_foreign_call_end();
	}
	return count;
}

static uint64_t read_counter(const _Atomic uint64_t *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

/* Acquire: a reader that counts a turn sees what was done before that turn. So two looks at all
 * actors with no turn between them show whether anything moves (ward/system.h). A worker in the
 * last steps of a turn, which has given its cell up, shows in neither: a moment between the two
 * with no busy thread rules that out. */
static uint64_t count_turns(ward_system *system)
{
	uint64_t turns;

	wardi_mutex_lock(&system->selves_mu);
	turns = system->turns_ended;
	for (struct wardi_list *at = system->selves.next; at != &system->selves; at = at->next) {
		struct ward_self *self = wardi_container_of(at, struct ward_self, link);

		turns += atomic_load_explicit(&self->turns, memory_order_acquire);
	}
	wardi_mutex_unlock(&system->selves_mu);
	return turns;
}

void ward_system_stats(ward_system *system, ward_stats *ret_stats)
{
	const struct wardi_counters *counters;
	struct wardi_life_counters lives;
	struct wardi_alloc_sum memory;

	if (ret_stats == NULL)
		return;
	memset(ret_stats, 0, sizeof *ret_stats);
	if (system == NULL || !wardi_system_here(system))
		return;
	counters = &system->counters;
	ret_stats->turns = count_turns(system);
	wardi_life_counters_sum(system, &lives);
	ret_stats->spawned = read_counter(&lives.spawned);
	ret_stats->actors = ret_stats->spawned - read_counter(&lives.ended);
	ret_stats->failures = read_counter(&lives.failures);
	ret_stats->restarts = read_counter(&lives.restarts);
	ret_stats->dead_letters = read_counter(&counters->dead_letters);
	ret_stats->unhandled = read_counter(&counters->unhandled);
	ret_stats->shortages = read_counter(&counters->shortages);
	ret_stats->events_lost = read_counter(&counters->events_lost);
	memory = wardi_alloc_sum(&system->alloc);
	ret_stats->memory_bytes = memory.bytes;
	ret_stats->memory_blocks = memory.blocks;
	ret_stats->timers = wardi_timer_count(system->sched);
	ret_stats->threads_busy = wardi_sched_busy(system->sched);
	ret_stats->fds = read_counter(&counters->fds_adopted) + wardi_fds_watched(system);
	ret_stats->payloads = read_counter(&system->pool.owners);
	wardi_hardware_faults_stats(system, ret_stats);
	ret_stats->gave_up = atomic_load_explicit(&system->gave_up, memory_order_relaxed);
}

struct dispatchers_call {
	void (*each)(void *arg, const ward_dispatcher_info *info);
	void *arg;
};

static void call_each(void *arg, const ward_dispatcher_info *info)
{
	const struct dispatchers_call *call = arg;

	wardi_foreign_call_begin();
	call->each(call->arg, info);
	wardi_foreign_call_end();
}

size_t ward_system_dispatchers(ward_system *system,
			       void (*each)(void *arg, const ward_dispatcher_info *info), void *arg)
{
	WARDI_UNCANCELLED;
	struct dispatchers_call call = {each, arg};

	if (system == NULL || each == NULL || !wardi_system_here(system))
		return 0;
	return wardi_sched_dispatchers(system->sched, call_each, &call);
}

int64_t ward_mailbox_count(const ward_self *self, ward_ref who)
{
	struct wardi_cell *cell;
	struct wardi_bounded *bounded;
	int64_t count = -1;
	uint64_t dropped;
	uint32_t visit;
	bool unread;

	if (!wardi_self_usable(self) || !wardi_ref_is_here(self->system->place, who))
		return -1;
	visit = wardi_visit(self->system, self);
	cell = wardi_table_open(self->system, who.uid);
	/* Acquire: the thread that made it filled it before. */
	bounded = cell == NULL ? NULL
			       : atomic_load_explicit(&cell->mailbox.bounded,
						      memory_order_acquire); /* [P5] */
	if (bounded != NULL)
		wardi_bounded_look(bounded, who.uid, &count, &dropped, &unread);
	wardi_visited(self->system, self, visit);
	return count;
}

bool ward_system_is_alive(ward_system *system, ward_ref ref)
{
	uint32_t visit;
	bool alive;

	if (system == NULL || !wardi_system_here(system) || !wardi_ref_is_here(system->place, ref))
		return false;
	visit = wardi_visit(system, NULL);
	alive = wardi_table_open(system, ref.uid) != NULL;
	wardi_visited(system, NULL, visit);
	return alive;
}
