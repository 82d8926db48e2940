/* SPDX-License-Identifier: MIT
 *
 * worker_self.c - makes and frees the `ward_self` of a worker.
 *
 * Threads: the list of selves under selves_mu; all else by the worker itself.
 */
#include "turn/worker_self.h"

#include "actor/arena.h"
#include "actor/hardware_fault.h"
#include "actor/question_record.h"
#include "cell/segments.h"
#include "cell/self.h"
#include "sched/worker.h"
#include "send/event.h"

/* How many blocks of its former worker come with a stolen cell: its message in hand and its
 * mail. */
enum { MAIL_EACH = 2 };

/* NULL: simulated; each turn has the limits of its cell's dispatcher. */
static void take_limits(struct ward_self *self, const struct wardi_dispatcher *dispatcher)
{
	self->throughput = WARDI_BATCH;
	if (dispatcher == NULL)
		return;
	if (dispatcher->settings.throughput != 0)
		self->throughput = dispatcher->settings.throughput;
	self->deadline_ns = dispatcher->settings.deadline_ns;
	self->paced = dispatcher->settings.paced;
}

bool wardi_self_begin(struct wardi_worker *worker)
{
	ward_system *system = wardi_sched_arg(worker->sched);
	struct ward_self *self = wardi_alloc_zeroed(&system->alloc, sizeof *self);

	if (self == NULL)
		return false;
	self->worker = worker;
	self->system = system;
	wardi_cache_init(&self->cache, &system->pool);
	/* A run that may take long uses no short look-up: see wardi_visit(). */
	self->plain_place =
		system->seam == NULL && worker->own != NULL ? system->place : WARDI_PLACE_FLAGS;
	self->from = (struct wardi_source){&system->pool, &self->cache};
	take_limits(self, worker->dispatcher);
	if (!wardi_fault_seat_take(self)) {
		wardi_cache_finish(&self->cache);
		wardi_free(&system->alloc, self, sizeof *self);
		return false;
	}
	if (worker->own != NULL && wardi_thread_of(worker)->queue.lock.leans)
		wardi_free_cells_lean(&self->free_cells);
	worker->context = self;
	wardi_mutex_lock(&system->selves_mu);
	wardi_list_append(&system->selves, &self->link);
	wardi_mutex_unlock(&system->selves_mu);
	return true;
}

void wardi_self_end(struct wardi_worker *worker)
{
	struct ward_self *self = worker->context;
	ward_system *system = self->system;

	wardi_fault_seat_leave(self);
	wardi_free_cells_finish(self);
	wardi_mutex_lock(&system->selves_mu);
	wardi_list_remove(&self->link);
	system->turns_ended += atomic_load_explicit(&self->turns, memory_order_relaxed);
	wardi_life_counters_keep(system, &self->life_counters);
	wardi_mutex_unlock(&system->selves_mu);
	wardi_questions_free(self);
	wardi_chunk_free_all(&system->alloc, &self->scratch);
	wardi_cache_finish(&self->cache);
	wardi_free(&system->alloc, self, sizeof *self);
	worker->context = NULL;
}

static int64_t earlier(int64_t one_ns, int64_t other_ns)
{
	return one_ns < other_ns ? one_ns : other_ns;
}

/* Returns what the worker keeps for reuse, which would hold slabs and rows while it sleeps. */
int64_t wardi_self_rest(struct wardi_worker *worker)
{
	struct ward_self *self = worker->context;

	wardi_questions_free(self);
	wardi_cache_finish(&self->cache);
	wardi_free_cells_finish(self);
	return earlier(wardi_depot_due(&self->system->pool.depot),
		       wardi_segments_due(self->system));
}

int64_t wardi_self_tidy(struct wardi_worker *worker, int64_t now_ns)
{
	const struct ward_self *self = worker->context;

	return earlier(wardi_pool_tidy(&self->system->pool, now_ns),
		       wardi_segments_tidy(self->system, now_ns));
}

void wardi_self_stole(struct wardi_worker *worker, size_t count)
{
	struct ward_self *self = worker->context;

	wardi_cache_turn_away(&self->cache, (uint32_t)(MAIL_EACH * count));
}

void wardi_self_note(struct wardi_worker *worker, const char *text)
{
	struct ward_self *self = worker->context;

	wardi_event_note(self->system, self, WARD_LEVEL_WARNING, self->system->root, "%s", text);
}
