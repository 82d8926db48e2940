/* SPDX-License-Identifier: MIT
 *
 * test_coalesced_orders.c - orders that add up while the one they are for is busy (S9, S26).
 *
 * Method: real threads. `busy` sits in a handler on a thread of its own while its sibling fails so
 * often that a counter of 16 bits comes round to nothing.
 */
#include <semaphore.h>
#include <stdatomic.h>

#include <ward/testkit.h>
#include <ward/ward.h>

enum { FAILURES = 1 << 16 };

static sem_t busy_now, go_on, all_failed, done;
static _Atomic uint32_t busy_restarts;

static ward_result failing_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	(void)msg;
	return ward_failed(self, &ward_exception, "as told");
}

static ward_result count_up(ward_self *self, void *state, const ward_failure *why)
{
	(void)state;
	(void)why;
	if (ward_incarnation(self) == FAILURES + 1)
		sem_post(&all_failed);
	return WARD_DONE;
}

static ward_result busy_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)msg;
	sem_post(&busy_now);
	sem_wait(&go_on);
	return WARD_DONE;
}

static ward_result note_restart(ward_self *self, void *state, const ward_failure *why)
{
	(void)self;
	(void)state;
	(void)why;
	atomic_fetch_add_explicit(&busy_restarts, 1, memory_order_relaxed);
	sem_post(&done);
	return WARD_DONE;
}

static const ward_behavior failing = {
	.name = "failing", .receive = failing_receive, .post_restart = count_up};
static const ward_behavior busy = {
	.name = "busy", .receive = busy_receive, .post_restart = note_restart};

WARD_SIGNAL(nudge);

WARD_TEST(restart_is_not_lost_however_many_add_up, "S9", "S26")
{
	static const ward_strategy all = {
		.scope = WARD_ALL_FOR_ONE, .otherwise = WARD_RESTART, .quiet = true};
	sem_init(&busy_now, 0, 0);
	sem_init(&go_on, 0, 0);
	sem_init(&all_failed, 0, 0);
	sem_init(&done, 0, 0);

	ward_kit *kit = ward_kit_start(
		&(ward_kit_options){.real_threads = true,
				    .keeps_no_events = true,
				    .system = {.workers = 2, .user_strategy = &all}});
	ward_system *system = ward_kit_system(kit);
	ward_ref sitting = ward_kit_spawn(kit, &busy, .dispatcher = WARD_PINNED);
	ward_ref breaking = ward_kit_spawn(kit, &failing);
	ward_system_tell(system, sitting, nudge);
	sem_wait(&busy_now);
	for (int i = 0; i < FAILURES; i++)
		ward_system_tell(system, breaking, nudge);
	sem_wait(&all_failed);
	sem_post(&go_on);
	sem_wait(&done);
	ward_assert_eq(atomic_load_explicit(&busy_restarts, memory_order_relaxed), 1);

	/* And it is not held back by what did not come out even. */
	ward_system_tell(system, sitting, nudge);
	sem_wait(&busy_now);
	sem_post(&go_on);
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
