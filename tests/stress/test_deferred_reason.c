/* SPDX-License-Identifier: MIT
 *
 * test_deferred_reason.c - deferred calls are told why their incarnation ends, on whatever worker
 * that is (S46).
 *
 * Method: actors fail and are restarted while they move between workers, and are stopped at last.
 * Each incarnation defers a call, which brings a self that may be another worker's by then; each
 * but the last must get the reason of a restart.
 */
#include "support/stress.h"

enum { ACTORS = 16 };

WARD_SIGNAL(blow);

struct teller {
	const ward_self *self;
};

static _Atomic uint64_t reasons[WARD_END_RESTARTED + 1];
static _Atomic uint64_t failures_left;

static void told(void *arg)
{
	const struct teller *teller = arg;
	ward_end end = ward_stop_reason(teller->self, NULL);

	atomic_fetch_add_explicit(&reasons[end], 1, memory_order_relaxed);
}

static ward_result init(ward_self *self, void *state, const void *args)
{
	struct teller *teller = state;

	(void)args;
	teller->self = self;
	ward_defer(self, told, teller);
	return WARD_DONE;
}

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (!ward_match(msg, blow))
		return WARD_UNHANDLED;
	atomic_fetch_sub_explicit(&failures_left, 1, memory_order_relaxed);
	return ward_failed(self, &ward_exception, "blown");
}

static const ward_behavior teller = {
	.name = "teller", .state_size = sizeof(struct teller), .init = init, .receive = receive};

WARD_TEST(deferred_calls_are_told_the_reason_on_any_worker, "S46")
{
	static const ward_strategy restart = {.otherwise = WARD_RESTART};
	uint64_t total = ACTORS * stress_size(200, 20000);
	ward_kit *kit = stress_start(
		&(ward_kit_options){.system = {.workers = 4, .user_strategy = &restart}});
	ward_ref tellers[ACTORS];

	for (int i = 0; i <= WARD_END_RESTARTED; i++)
		atomic_store(&reasons[i], 0);
	atomic_store(&failures_left, total);
	for (int i = 0; i < ACTORS; i++)
		tellers[i] = ward_kit_spawn(kit, &teller);
	for (uint64_t i = 0; i < total; i++)
		ward_kit_tell(kit, tellers[i % ACTORS], blow);
	STRESS_UNTIL(kit, atomic_load_explicit(&failures_left, memory_order_relaxed) == 0);
	STRESS_UNTIL(kit, atomic_load_explicit(&reasons[WARD_END_RESTARTED],
					       memory_order_relaxed) == total);
	for (int i = 0; i < ACTORS; i++)
		ward_kit_stop(kit, tellers[i]);
	STRESS_UNTIL(kit, atomic_load_explicit(&reasons[WARD_END_STOPPED], memory_order_relaxed) ==
				  ACTORS);
	ward_kit_finish(kit);
	ward_assert_eq(atomic_load(&reasons[WARD_END_UNKNOWN]), 0);
}

WARD_TEST_MAIN
