/* SPDX-License-Identifier: MIT
 *
 * test_inside.c - functions of the test that run inside an actor, and messages with a sender.
 */
#include <ward/simulation.h>

#include "bank.h"

#define REAL                                                                                       \
	&(ward_kit_options)                                                                        \
	{                                                                                          \
		.real_threads = real                                                               \
	}

struct look {
	ward_ref self;
	int64_t cents;
	int times;
};

static ward_result look(ward_self *self, void *state, void *arg)
{
	struct look *seen = arg;
	const struct account *account = state;

	seen->self = ward_self_ref(self);
	seen->cents = account->cents;
	seen->times++;
	return WARD_DONE;
}

static ward_result rob(ward_self *self, void *state, void *arg)
{
	(void)self;
	((struct account *)state)->cents = *(int64_t *)arg;
	return WARD_DONE;
}

BOTH(inside_runs_as_the_actor_on_its_state_behind_its_mail)
{
	struct scene s = scene_start(REAL);
	struct look seen = {.cents = -1};
	int64_t left = 1;

	ward_kit_tell_from(s.kit, ward_probe_ref(s.probe), s.bank, deposit, .cents = 5);
	ward_kit_inside(s.kit, s.bank, look, &seen);
	ward_assert(ward_ref_equal(seen.self, s.bank));
	ward_assert_eq(seen.cents, 5);
	ward_assert_eq(seen.times, 1);
	ward_kit_inside(s.kit, s.bank, rob, &left);
	ward_kit_tell_from(s.kit, ward_probe_ref(s.probe), s.bank, deposit, .cents = 2);
	ward_assert_eq(ward_expect(s.probe, WARD_MINUTE, balance)->cents, 5);
	ward_assert_eq(ward_expect(s.probe, WARD_MINUTE, balance)->cents, 3);
	ward_assert(ward_ref_equal(ward_probe_sender(s.probe), s.bank));
	ward_kit_finish(s.kit);
}

static ward_result spawn_and_tell(ward_self *self, void *state, void *arg)
{
	ward_ref *child = arg;

	(void)state;
	if (ward_try_spawn(self, &bank_props, child) != WARD_OK)
		return ward_failed(self, &broke, "no child");
	ward_tell(self, *child, deposit, .cents = 1);
	return WARD_DONE;
}

/* The child's answer is unhandled by the bank: it came from there, and goes there. */
BOTH(inside_spawns_and_sends_as_the_actor)
{
	struct scene s = scene_start(REAL);
	ward_ref child;
	ward_actor_info info;

	ward_kit_inside(s.kit, s.bank, spawn_and_tell, &child);
	ward_assert(ward_kit_info(s.kit, child, &info));
	ward_assert(ward_ref_equal(info.parent, s.bank));
	ward_kit_run(s.kit);
	ward_assert_eq(ward_kit_count(s.kit, WARD_EVENT_UNHANDLED, "sim/user/bank"), 1);
	ward_kit_finish(s.kit);
}

static ward_result fail_by_return(ward_self *self, void *state, void *arg)
{
	(void)state;
	return ward_failed(self, &broke, "%s", (const char *)arg);
}

static ward_result fail_by_jump(ward_self *self, void *state, void *arg)
{
	(void)state;
	ward_fail(self, &broke, "%s", (const char *)arg);
}

static void check_fails(bool real, ward_kit_inside_fn *fail)
{
	static char why[] = "from inside";
	ward_kit *kit = ward_kit_start(REAL);
	ward_probe *parent = ward_probe_start(kit, "parent");
	ward_ref bank = ward_probe_spawn_props(parent, &bank_props);
	struct look seen = {0};
	int64_t much = 100;

	ward_kit_inside(kit, bank, rob, &much);
	ward_kit_inside(kit, bank, fail, why);
	ward_assert_str(ward_expect_failure(parent, WARD_MINUTE, bank, &broke)->text, why);
	ward_probe_decide(parent, bank, WARD_RESTART);
	ward_kit_inside(kit, bank, look, &seen);
	ward_assert_eq(seen.cents, 0);
	ward_kit_finish(kit);
}

BOTH(inside_that_fails_is_a_failure_of_the_actor)
{
	check_fails(real, fail_by_return);
	check_fails(real, fail_by_jump);
}

static ward_result fail_without_a_word(ward_self *self, void *state, void *arg)
{
	(void)self;
	(void)state;
	(void)arg;
	return WARD_FAILED;
}

BOTH(inside_that_fails_without_a_failure_is_misuse)
{
	ward_kit *kit = ward_kit_start(REAL);
	ward_probe *parent = ward_probe_start(kit, "parent");
	ward_ref bank = ward_probe_spawn_props(parent, &bank_props);

	ward_kit_inside(kit, bank, fail_without_a_word, NULL);
	ward_assert_part(ward_expect_failure(parent, WARD_MINUTE, bank, &ward_misuse)->text,
			 "failed without ward_failed()");
	ward_kit_finish(kit);
}

static ward_result stop(ward_self *self, void *state, void *arg)
{
	(void)state;
	(void)arg;
	ward_stop_self(self);
	return WARD_DONE;
}

BOTH(inside_of_an_actor_that_is_gone_fails_the_test)
{
	struct scene s = scene_start(REAL);

	ward_kit_inside(s.kit, s.bank, stop, NULL);
	ward_kit_run_until_state(s.kit, s.bank, WARD_STATE_GONE);
	CAUGHT(ward_kit_inside(s.kit, s.bank, stop, NULL), "cannot run a function inside ");
	ward_kit_finish(s.kit);
}

/* Its mail goes with it, and what was to run behind a pill. */
WARD_TEST(inside_that_the_end_overtakes_fails_the_test)
{
	struct scene s = scene_start(NULL);

	ward_kit_tell(s.kit, s.bank, ward_poison_pill);
	CAUGHT(ward_kit_inside(s.kit, s.bank, stop, NULL), "it came to its end before");
	ward_kit_finish(s.kit);
}

/* The case is over, and so is the look: had it run at the resume, it would be counted. */
WARD_TEST(inside_that_was_given_up_does_not_run_later)
{
	ward_kit *kit = ward_kit_start(&(ward_kit_options){.patience_ms = 5});
	ward_probe *parent = ward_probe_start(kit, "parent");
	ward_ref bank = ward_probe_spawn_props(parent, &bank_props);
	struct look seen = {0};

	ward_kit_tell(kit, bank, break_down);
	ward_expect_failure(parent, WARD_MINUTE, bank, &broke);
	CAUGHT(ward_kit_inside(kit, bank, look, &seen),
	       "it did not come to it within 5 ms, it is \"failed\"");
	ward_probe_decide(parent, bank, WARD_RESUME);
	ward_kit_run(kit);
	ward_assert_eq(seen.times, 0);
	ward_kit_inside(kit, bank, look, &seen);
	ward_assert_eq(seen.times, 1);
	ward_kit_finish(kit);
}

static bool armed;

static ward_fault fail_all(void *arg, ward_system *system, const ward_occasion *occasion)
{
	(void)arg;
	(void)system;
	(void)occasion;
	return (ward_fault){armed ? WARD_FAULT_FAIL_BEFORE : WARD_FAULT_NONE, 0};
}

WARD_TEST(inside_is_struck_by_no_fault)
{
	static const ward_simulation faulty = {.fault = fail_all};
	ward_kit *kit = ward_kit_start(&(ward_kit_options){.simulation = &faulty});
	ward_ref bank = ward_kit_spawn_props(kit, &bank_props);
	struct look seen = {0};

	ward_kit_run(kit);
	armed = true;
	ward_kit_inside(kit, bank, look, &seen);
	ward_assert_eq(seen.times, 1);
	ward_assert_eq(ward_kit_stats(kit).failures, 0);
	ward_kit_finish(kit);
}

WARD_TEST(inside_without_memory_fails_the_test_and_leaves_nothing)
{
	struct scene s = scene_start(NULL);
	struct look seen = {0};

	ward_kit_fail_all_allocations(s.kit, true);
	CAUGHT(ward_kit_inside(s.kit, s.bank, look, &seen), "no memory");
	ward_kit_fail_all_allocations(s.kit, false);
	ward_assert_eq(seen.times, 0);
	ward_kit_finish(s.kit);
}

WARD_TEST(inside_without_a_function_is_refused)
{
	struct scene s = scene_start(NULL);

	ward_assert_err(ward_system_inside(ward_kit_system(s.kit), s.bank, NULL), WARD_EINVAL);
	ward_assert_err(
		ward_system_inside(ward_kit_system(s.kit), s.bank, &(ward_inside){.run = look}),
		WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "when it is over");
	ward_kit_finish(s.kit);
}

WARD_TEST(state_that_is_another_fails_the_test_with_both)
{
	struct scene s = scene_start(NULL);

	ward_kit_run(s.kit);
	ward_assert_state(s.kit, s.bank, WARD_STATE_RUNNING);
	CAUGHT(ward_assert_state(s.kit, s.bank, WARD_STATE_GONE),
	       "sim/user/bank is \"running\", not \"gone\"");
	/* It has no path any more: its last event says which it had. */
	ward_system_tell(ward_kit_system(s.kit), s.bank, ward_poison_pill);
	ward_kit_run(s.kit);
	CAUGHT(ward_assert_state(s.kit, s.bank, WARD_STATE_RUNNING),
	       "sim/user/bank is \"gone\", not \"running\"");
	ward_assert_str(ward_kit_state_text(WARD_STATE_RESTART_FAILED), "restart-failed");
	ward_assert_str(ward_kit_state_text((ward_actor_state)99), "?");
	ward_kit_finish(s.kit);
}

WARD_TEST_MAIN
