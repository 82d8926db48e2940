/* SPDX-License-Identifier: MIT
 *
 * test_bridge.c - a bridge to a pool of real threads: they report its death by dice, several at
 * once, while it is stopped and while it starts; others report to incarnations that are over.
 *
 * Method: the books. A report that was taken ends exactly one incarnation, and terminate gets it;
 * a report to one that is over is never taken; of a pool there is one at a time, and none in
 * the end.
 */
#include <string.h>

#include <ward/bridge.h>

#include "support/stress.h"

enum { POOL_THREADS = 3, GOSSIPS = 2 };

static const ward_failure_class broken = {.name = "broken", .parent = &ward_exception};
static const ward_exit_reason worn = {.kind = WARD_EXIT_OTHER, .name = "worn"};

static struct {
	_Atomic uint64_t started, stopped, pools, two_at_once;
	_Atomic uint64_t taken, heard; /* reports; by terminate */
	_Atomic uint64_t late_taken, late, handled, closing;
	_Atomic(ward_bridge *) last; /* of an incarnation that is over */
} books;

/* ---- the pool ---------------------------------------------------------------------------- */

struct pool;

struct pool_thread {
	struct pool *pool;
	pthread_t thread;
	uint64_t dice;
};

struct pool {
	ward_bridge *bridge;
	_Atomic bool stop;
	struct pool_thread threads[POOL_THREADS];
};

static ward_err report(ward_bridge *bridge, uint64_t dice)
{
	if (dice % 8 == 0)
		return ward_bridge_ended(bridge, &worn);
	return ward_bridge_died(bridge, &broken, "by %d", (int)(dice % 100));
}

static void *pool_main(void *arg)
{
	struct pool_thread *me = arg;

	while (!atomic_load_explicit(&me->pool->stop, memory_order_relaxed)) {
		uint64_t number = stress_random(&me->dice);

		if (number % 16 == 0)
			stress_add(&books.taken, report(me->pool->bridge, number / 16) == WARD_OK);
		sched_yield();
	}
	/* On its way out, into the arms of terminate. */
	stress_add(&books.late_taken, report(me->pool->bridge, me->dice) == WARD_OK);
	return NULL;
}

static ward_result pool_start(ward_self *self, void *state, const void *args, ward_bridge *bridge)
{
	struct pool *me = state;

	(void)args;
	me->bridge = bridge;
	stress_add(&books.started, 1);
	stress_add(&books.two_at_once, stress_add(&books.pools, 1) != 0);
	for (size_t i = 0; i < POOL_THREADS; i++) {
		me->threads[i].pool = me;
		me->threads[i].dice = ward_random(self);
		me->threads[i].thread = stress_thread(pool_main, &me->threads[i]);
	}
	if (ward_random(self) % 8 == 0)
		stress_add(&books.taken, report(bridge, 1) == WARD_OK);
	return WARD_DONE;
}

static ward_result pool_stop(ward_self *self, void *state, const ward_exit_reason *reason,
			     bool dead)
{
	struct pool *me = state;

	(void)self, (void)reason;
	atomic_store_explicit(&me->stop, true, memory_order_relaxed);
	for (size_t i = 0; i < POOL_THREADS; i++)
		stress_join(me->threads[i].thread);
	stress_add(&books.heard, dead);
	stress_add(&books.stopped, 1);
	atomic_fetch_sub_explicit(&books.pools, 1, memory_order_relaxed);
	ward_bridge_unref(atomic_exchange_explicit(&books.last, ward_bridge_ref(me->bridge),
						   memory_order_acq_rel));
	return WARD_DONE;
}

struct job {
	int number;
};
WARD_MESSAGE(job);

static ward_result pool_submit(ward_self *self, void *state, const ward_msg *msg)
{
	const struct job *job = ward_match(msg, job);

	(void)state;
	if (job == NULL)
		return WARD_UNHANDLED;
	stress_add(&books.handled, 1);
	if (job->number % 64 == 0)
		return ward_failed(self, &ward_exception, "%d", job->number);
	return WARD_DONE;
}

static const ward_subsystem pool = {
	.name = "pool",
	.state_size = sizeof(struct pool),
	.init = pool_start,
	.terminate = pool_stop,
	.receive = pool_submit,
};

/* ---- those who know it ------------------------------------------------------------------- */

/* Reports to what is over. */
static void *gossip(void *arg)
{
	uint64_t dice = (uint64_t)(uintptr_t)arg;

	while (stress_get(&books.closing) == 0) {
		ward_bridge *old =
			atomic_exchange_explicit(&books.last, NULL, memory_order_acq_rel);

		if (old != NULL) {
			stress_add(&books.late, 1);
			stress_add(&books.late_taken, report(old, stress_random(&dice)) == WARD_OK);
			ward_bridge_unref(old);
		}
		sched_yield();
	}
	return NULL;
}

/* Keeps one pool running: a new bridge for one that has ended. */
static ward_result keeper_start(ward_self *self, void *state)
{
	ward_ref ref;

	(void)state;
	ward_assert_ok(ward_try_spawn(
		self,
		WARD_PROPS(&ward_bridge_behavior, .name = "pool", .dispatcher = WARD_BLOCKING,
			   .args = WARD_ARGS(ward_bridged, .subsystem = &pool)),
		&ref));
	ward_assert_ok(ward_try_watch(self, ref));
	return WARD_DONE;
}

static ward_result keeper_receive(ward_self *self, void *state, const ward_msg *msg)
{
	ward_ref ref = ward_child(self, "pool");

	if (ward_match(msg, ward_terminated))
		return keeper_start(self, state);
	if (!ward_match(msg, job))
		return WARD_UNHANDLED;
	if (!ward_ref_is_nobody(ref))
		ward_forward(self, ref);
	return WARD_DONE;
}

static const ward_strategy again = {.otherwise = WARD_RESTART, .quiet = true};
static const ward_behavior keeper = {
	.name = "keeper",
	.child_strategy = &again,
	.pre_start = keeper_start,
	.receive = keeper_receive,
};

static void close_books(ward_kit *kit)
{
	ward_bridge *old;

	ward_kit_finish(kit);
	old = atomic_exchange_explicit(&books.last, NULL, memory_order_acq_rel);
	if (old != NULL)
		stress_add(&books.late_taken, report(old, 1) == WARD_OK);
	ward_bridge_unref(old);
	ward_assert_eq(stress_get(&books.pools), 0);
	ward_assert_eq(stress_get(&books.two_at_once), 0);
	ward_assert_eq(stress_get(&books.stopped), stress_get(&books.started));
	ward_assert_eq(stress_get(&books.heard), stress_get(&books.taken));
	ward_assert_eq(stress_get(&books.late_taken), 0);
}

static bool has_seen_all(uint64_t pools)
{
	return stress_get(&books.started) >= pools && stress_get(&books.taken) > 0 &&
	       stress_get(&books.late) > 0 && stress_get(&books.handled) > 0;
}

static void pool_dies_and_comes_back(uint32_t workers)
{
	uint64_t pools = stress_size(100, 10000);
	pthread_t gossips[GOSSIPS];
	ward_ref ref;
	ward_kit *kit;

	memset(&books, 0, sizeof books);
	kit = stress_start(&(ward_kit_options){.system.workers = workers, .may_leave_mail = true});
	ref = ward_kit_spawn(kit, &keeper);
	for (uintptr_t i = 0; i < GOSSIPS; i++)
		gossips[i] = stress_thread(gossip, (void *)(i + 1));
	for (int number = 1; !has_seen_all(pools); number++) {
		ward_kit_tell(kit, ref, job, .number = number);
		ward_kit_advance(kit, number % 4 == 0);
	}
	stress_add(&books.closing, 1);
	for (size_t i = 0; i < GOSSIPS; i++)
		stress_join(gossips[i]);
	close_books(kit);
}

STRESS_WORKERS(pool_dies_and_comes_back, "S117")

WARD_TEST(system_ends_while_a_pool_reports, "S117")
{
	for (uint64_t round = 0; round < stress_size(30, 1000); round++) {
		ward_kit *kit;

		memset(&books, 0, sizeof books);
		kit = stress_start(
			&(ward_kit_options){.system.workers = 2, .may_leave_mail = true});
		(void)ward_kit_spawn(kit, &keeper);
		ward_kit_advance(kit, (int64_t)(round % 3));
		close_books(kit);
	}
}

WARD_TEST_MAIN
