/* SPDX-License-Identifier: MIT
 *
 * test_router.c - a pool on real threads, whose routees come, go and die while it routes.
 *
 * Method: every job is handled once or is a dead letter; no more can be said of a race.
 */
#include <string.h>

#include <ward/router.h>
#include <ward/testkit.h>
#include <ward/ward.h>

#include "support/stress.h"

enum { QUIT_EVERY = 500, ADJUST_EVERY = 100 };

struct task {
	uint64_t number;
};
WARD_MESSAGE(task);

static _Atomic uint64_t handled, dead;

static ward_result worker_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct task *task = ward_match(msg, task);

	(void)state;
	if (task == NULL)
		return WARD_UNHANDLED;
	/* Relaxed: a count that is read when nobody moves any more. */
	atomic_fetch_add_explicit(&handled, 1, memory_order_relaxed);
	if (task->number % QUIT_EVERY == 0)
		ward_stop_self(self);
	return WARD_DONE;
}
static const ward_behavior worker = {.name = "worker", .receive = worker_receive};

static void hear(void *arg, const ward_event *event)
{
	(void)arg;
	if (event->kind == WARD_EVENT_DEAD_LETTER && strcmp(event->message_type, "task") == 0)
		atomic_fetch_add_explicit(&dead, 1, memory_order_relaxed); /* as above */
}

static uint64_t accounted(void)
{
	return atomic_load_explicit(&handled, memory_order_relaxed) +
	       atomic_load_explicit(&dead, memory_order_relaxed);
}

static void race(ward_routing routing)
{
	static const ward_resizer resizer = {.routees_min = 4, .routees_max = 16};
	const struct ward_router args = {.routing = routing,
					 .routees = 8,
					 .routee = {.behavior = &worker},
					 .resizer = &resizer};
	uint64_t count = stress_size(20000, 2000000);
	ward_kit *kit = stress_start(&(ward_kit_options){
		.event_kinds = WARD_EVENT_DEAD_LETTER, .log = hear, .system = {.workers = 4}});
	ward_ref pool = ward_kit_spawn(kit, &ward_pool, .args = {WARD_COPY(ward_router, &args)});

	atomic_store_explicit(&handled, 0, memory_order_relaxed); /* no other thread looks yet */
	atomic_store_explicit(&dead, 0, memory_order_relaxed);
	for (uint64_t i = 1; i <= count; i++) {
		ward_kit_tell(kit, pool, task, .number = i);
		if (i % ADJUST_EVERY == 0)
			ward_kit_tell(kit, pool, ward_adjust_pool,
				      .change = i % (2 * ADJUST_EVERY) == 0 ? -2 : 2);
	}
	STRESS_UNTIL(kit, accounted() == count);
	STRESS_UNTIL(kit, ward_kit_stats(kit).timers == 0); /* a pill that is due is mail */
	ward_kit_finish(kit);
}

WARD_TEST(each_task_is_handled_once_or_is_a_dead_letter, "S92")
{
	race(WARD_ROUTE_ROUND_ROBIN);
	race(WARD_ROUTE_RANDOM);
	race(WARD_ROUTE_SMALLEST_MAILBOX);
}

WARD_TEST_MAIN
