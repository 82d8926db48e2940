/* SPDX-License-Identifier: MIT
 *
 * test_observe.c - an observer of a simulation gets each occasion, its fault, and its end.
 */
#include <sys/mman.h>

#include <ward/testkit.h>
#include <ward/ward.h>

WARD_SIGNAL(work);

static ward_result worker_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	return ward_match(msg, work) != NULL ? WARD_DONE : WARD_UNHANDLED;
}

static ward_result worker_start(ward_self *self, void *state)
{
	(void)state;
	for (int i = 0; i < 5; i++)
		ward_tell(self, ward_self_ref(self), work);
	return WARD_DONE;
}

static const ward_behavior worker = {
	.name = "worker", .pre_start = worker_start, .receive = worker_receive};

struct followed {
	unsigned turns, turns_over, callbacks, callbacks_over, strikes, failed;
};

static void begins(void *arg, const ward_occasion *occasion, const ward_fault *fault)
{
	struct followed *followed = arg;

	followed->strikes += fault->kind != WARD_FAULT_NONE;
	if (occasion->point == WARD_POINT_TURN)
		followed->turns += fault->kind != WARD_FAULT_STALL;
	else if (occasion->point < WARD_POINT_SPAWN)
		followed->callbacks++;
}

static void ends(void *arg, const ward_occasion *occasion)
{
	struct followed *followed = arg;

	if (occasion->point == WARD_POINT_TURN)
		followed->turns_over++;
	else if (occasion->point < WARD_POINT_SPAWN)
		followed->callbacks_over++;
	followed->failed += occasion->point < WARD_POINT_SPAWN && occasion->failed;
}

static void follow(ward_kit *kit, void *arg)
{
	struct followed *sum = arg;
	struct followed followed = {0};

	ward_simulation_observe(kit, &(ward_simulation_observer){begins, ends, &followed});
	uint32_t before = ward_simulation_faults(kit);
	(void)ward_kit_spawn(kit, &worker, .name = "worker");
	ward_simulation_eventually_idle(kit, WARD_MINUTE);
	ward_simulation_observe(kit, &(ward_simulation_observer){NULL, NULL, NULL});

	ward_assert_eq(followed.strikes, ward_simulation_faults(kit) - before);
	ward_assert(followed.callbacks > 0);
	ward_assert_eq(followed.callbacks, followed.callbacks_over);
	/* Guardians have turns that are over, but nobody is asked about them. */
	ward_assert(followed.turns > 0 && followed.turns <= followed.turns_over);
	sum->strikes += followed.strikes;
	sum->failed += followed.failed;
}

WARD_TEST(observer_is_told_of_each_occasion_its_fault_and_its_end)
{
	struct followed *sum =
		mmap(NULL, sizeof *sum, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	ward_assert(sum != MAP_FAILED);
	ward_simulate_check(&(ward_simulation_test){
		.name = "follow",
		.run = follow,
		.arg = sum,
		.faults = {.fail = 3, .stall = 3, .horizon = 20, .path = "*/worker"}});
	ward_assert(sum->strikes > 0 && sum->failed > 0);
}

WARD_TEST_MAIN
