/* SPDX-License-Identifier: MIT
 *
 * test_simulate.c - simulations: seeds, faults, violations, shrinking, replays.
 */
#include "unit/testkit/caught.h"
#include "unit/testkit/counting.h"

/* ---- seeds -------------------------------------------------------------------------------- */

WARD_TEST(what_holds_is_run_with_each_seed_once)
{
	ward_simulation_test test = counting(count_and_check);

	ward_simulation_result result = ward_simulate(&test);
	ward_assert_eq(result.seeds, 100);
	ward_assert_eq(shared->runs, 100);
	ward_assert_eq(result.violations, 0);
	ward_assert(result.steps >= 100 * 10);
	ward_assert_str(result.replay, "");
	test.seeds = 1000;
	ward_assert_eq(ward_simulate(&test).seeds, 1000);
}

static void note_seed(ward_kit *kit, void *arg)
{
	(void)kit;
	(void)arg;
	shared->runs++;
	/* Of the replay line, which says 1 more: the one that fails. */
	ward_assert(shared->runs < 5);
}

WARD_TEST(environment_chooses_the_seeds)
{
	ward_simulation_test test = counting(note_seed);

	setenv("WARD_SEEDS", "1000:4", 1);
	ward_assert_eq(ward_simulate(&test).seeds, 4);
	setenv("WARD_SEEDS", "3", 1);
	shared->runs = 0;
	ward_assert_eq(ward_simulate(&test).seeds, 3);
	setenv("WARD_SEEDS", "2000:9", 1);
	shared->runs = 0;
	ward_assert_part(ward_simulate(&test).replay, "counting seed=2004 ");
}

/* A function of its own: what is caught jumps, and a loop's counter might not outlive that. */
static void refuses_seeds(const ward_simulation_test *test, const char *seeds)
{
	setenv("WARD_SEEDS", seeds, 1);
	CAUGHT_AT("simulate.c", ward_simulate(test), "WARD_SEEDS=");
	unsetenv("WARD_SEEDS");
}

static void refuses_words(const ward_simulation_test *test, const char *words)
{
	char line[64];

	snprintf(line, sizeof(line), "counting %s", words);
	CAUGHT_AT("simulate.c", replay(test, line), "WARD_REPLAY='counting ");
}

static void refuses_name(ward_simulation_test *test, const char *name)
{
	test->name = name;
	CAUGHT_AT("simulate.c", ward_simulate(test), "cannot name a simulation");
}

WARD_TEST(nonsense_in_the_environment_fails_the_test)
{
	static const char *const seeds[] = {"0", "5:0", "0:5", "-1", "many", "3,4", "1:2:3", ":3"};
	static const char *const words[] = {"seed=0",  "seed=x",      "order=any", "faults=fail",
					    "fault=1", "seed=1 more", "seed"};
	ward_simulation_test test = counting(note_seed);

	for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++)
		refuses_seeds(&test, seeds[i]);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		refuses_words(&test, words[i]);
	ward_assert_eq(shared->runs, 0);
}

WARD_TEST(name_that_no_replay_line_can_hold_is_refused)
{
	static const char *const names[] = {"", "two words", "a:b", "it's", "tab\t", "\xc3\xa4"};
	ward_simulation_test test = counting(note_seed);
	char longest[102];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		refuses_name(&test, names[i]);
	memset(longest, 'x', sizeof(longest));
	longest[101] = '\0';
	refuses_name(&test, longest);
	longest[100] = '\0';
	test.seeds = 1;
	ward_assert_eq(ward_simulate(&test).seeds, 1);
}

static void compare_seed(ward_kit *kit, void *arg)
{
	(void)kit;
	(void)arg;
	/* The runs have one seed after the other. */
	ward_assert_eq(ward_test_seed(), 1000 + shared->runs++);
}

WARD_TEST(seed_inside_a_run_is_the_seed_of_the_run)
{
	ward_simulation_test test = counting(compare_seed);
	uint64_t before = ward_test_seed();

	setenv("WARD_SEEDS", "1000:4", 1);
	ward_assert_eq(ward_simulate(&test).violations, 0);
	ward_assert_eq(shared->runs, 4);
	ward_assert_eq(ward_test_seed(), before);
}

/* ---- faults ------------------------------------------------------------------------------- */

WARD_TEST(fail_strikes_before_or_after_the_callback)
{
	ward_simulation_test test = counting(count_to_ten);

	/* Callbacks: pre_start of the clerk, init of the helper, then its messages. */
	replay(&test, "counting order=random faults=fail@4");
	ward_assert_eq(shared->injected, 1);
	ward_assert_eq(shared->strikes, 1);
	ward_simulation_test checked = counting(count_and_check);
	/* Before: the message is not counted; after: it is. */
	ward_assert_part(replay(&checked, "counting order=random faults=fail@4").text,
			 "got 9, wanted 10");
	ward_assert_eq(replay(&checked, "counting order=random faults=fail-after@4").violations, 0);
}

WARD_TEST(refuse_strikes_a_spawn)
{
	ward_simulation_test test = counting(count_to_ten);

	replay(&test, "counting order=random faults=refuse@1");
	/* Told runs are made twice, to compare. */
	ward_assert_eq(shared->refused, 1);
	ward_assert_eq(shared->strikes, 1);
}

WARD_TEST(memory_strikes_an_allocation)
{
	ward_simulation_test test = counting(count_to_ten);
	unsigned hurt = 0;

	for (int nth = 1; nth <= 20; nth++) {
		char words[64];
		snprintf(words, sizeof(words), "counting order=random faults=memory@%d", nth);
		ward_assert_eq(replay(&test, words).violations, 0);
	}
	hurt = shared->starved + shared->refused;
	ward_assert(hurt > 5);
	ward_assert(shared->strikes >= hurt);
}

/* Its actor allocates nothing in its turns but the first, the test around it does. */
static void tell_from_outside(ward_kit *kit, void *arg)
{
	ward_ref ref = ward_kit_spawn(kit, &helper);

	(void)arg;
	memset(&seen, 0, sizeof(seen));
	ward_kit_run(kit);
	for (int i = 0; i < 100; i++)
		ward_system_tell(ward_kit_system(kit), ref, count, .number = i);
	ward_kit_run(kit);
	ward_assert_eq(seen.counted, 100);
	shared->strikes += ward_simulation_faults(kit);
}

WARD_TEST(memory_does_not_strike_the_test_itself)
{
	ward_simulation_test test = counting(tell_from_outside);

	ward_assert_eq(replay(&test, "counting order=random faults=memory@30").violations, 0);
	ward_assert_eq(shared->strikes, 0);
	ward_assert_eq(shared->starved, 0);
}

WARD_TEST(stall_jump_and_delay_take_their_time)
{
	static const char *const faults[] = {"stall@2:250", "jump@2:250", "delay@3:250"};

	for (size_t i = 0; i < 3; i++) {
		char words[64];
		ward_simulation_test test = counting(count_and_check);

		snprintf(words, sizeof(words), "counting order=random faults=%s", faults[i]);
		ward_assert_eq(replay(&test, words).violations, 0);
		ward_assert_eq(shared->strikes, 1);
		ward_assert_eq(shared->longest_ns, 250 * 1000 * 1000);
		ward_assert_eq(shared->out_of_order, 0);
	}
}

WARD_TEST(lose_makes_a_dead_letter)
{
	ward_simulation_test test = counting(count_and_check);

	ward_assert_part(replay(&test, "counting order=random faults=lose@3").text,
			 "got 9, wanted 10");
	ward_assert_eq(shared->lost, 1);
}

WARD_TEST(drawn_faults_strike_those_whom_the_glob_means)
{
	ward_simulation_test test = counting(count_to_ten);

	test.faults = (ward_fault_mix){.fail = 2, .horizon = 12};
	test.faults.path = "sim/user/nobody";
	ward_simulate(&test);
	ward_assert_eq(shared->strikes, 0);
	test.faults.path = "*/helper";
	ward_simulate(&test);
	ward_assert(shared->strikes > 20);
	ward_assert(shared->injected > 20);
	ward_assert_eq(shared->elsewhere, 0);
	test.faults.path = NULL;
	ward_simulate(&test);
	ward_assert(shared->elsewhere > 5);
}

WARD_TEST(message_is_lost_to_the_receiver_whom_the_glob_means)
{
	ward_simulation_test test = counting(count_to_ten);

	test.faults.path = "*/clerk";
	replay(&test, "counting order=random faults=lose@3");
	ward_assert_eq(shared->lost, 0);
	test.faults.path = "*/helper";
	replay(&test, "counting order=random faults=lose@3");
	ward_assert_eq(shared->lost, 1);
}

static void without_faults(ward_kit *kit, void *arg)
{
	ward_simulation_faults_end(kit);
	count_and_check(kit, arg);
}

WARD_TEST(no_fault_strikes_when_faults_have_ended)
{
	ward_simulation_test test = counting(without_faults);

	test.faults = (ward_fault_mix){.fail = 9, .lose = 9, .memory = 9, .horizon = 20};
	ward_assert_eq(ward_simulate(&test).violations, 0);
	ward_assert_eq(shared->strikes, 0);
}

/* ---- violations --------------------------------------------------------------------------- */

WARD_TEST(violation_is_shrunk_to_the_fault_that_is_needed)
{
	ward_simulation_test test = counting(count_and_check);

	test.faults = (ward_fault_mix){
		.fail = 4, .stall = 4, .delay = 4, .lose = 4, .memory = 4, .horizon = 15};
	ward_simulation_result result = ward_simulate(&test);
	ward_assert_eq(result.violations, 1);
	const char *faults = strstr(result.replay, "faults=");
	ward_assert(faults != NULL);
	ward_assert(strchr(faults, ',') == NULL);
	ward_assert(strchr(faults, '@') != NULL);
}

WARD_TEST(replay_reproduces_the_violation_exactly)
{
	ward_simulation_test test = counting(count_and_check);

	test.faults = (ward_fault_mix){.lose = 4, .jump = 4, .horizon = 40};
	ward_simulation_result result = ward_simulate(&test);
	ward_assert_eq(result.violations, 1);
	ward_simulation_result first = replay(&test, result.replay);
	ward_simulation_result second = replay(&test, result.replay);
	ward_assert_str(first.text, result.text);
	ward_assert_str(first.replay, result.replay);
	ward_assert_eq(first.hash, result.hash);
	ward_assert_eq(second.hash, result.hash);
	/* Another run has another hash. */
	ward_assert(replay(&test, "counting order=random seed=77").hash != result.hash);
}

WARD_TEST(replay_of_another_simulation_runs_nothing)
{
	ward_simulation_test test = counting(count_and_check);

	ward_assert_eq(replay(&test, "other seed=1").seeds, 0);
	ward_assert_eq(shared->runs, 0);
}

static bool fewer_than_seven(void *arg)
{
	(void)arg;
	return seen.counted < 7;
}

static void count_with_invariant(ward_kit *kit, void *arg)
{
	ward_simulation_invariant(kit, fewer_than_seven, NULL, "fewer than seven are counted");
	count_to_ten(kit, arg);
}

WARD_TEST(invariant_is_checked_after_each_turn)
{
	ward_simulation_test test = counting(count_with_invariant);

	ward_simulation_result result = ward_simulate(&test);
	ward_assert_eq(result.violations, 1);
	ward_assert_str(result.text, "does not hold: fewer than seven are counted");
	/* At once, not at the end. */
	ward_assert_eq(shared->runs, 0);
}

static void wait_in_vain(ward_kit *kit, void *arg)
{
	count_to_ten(kit, arg);
	ward_simulation_eventually(kit, 500, fewer_than_seven, NULL, "it counts backwards");
}

static ward_result repeat_start(ward_self *self, void *state)
{
	(void)state;
	ward_assert_ok(ward_try_timer_start(
		self,
		&(ward_timer){.key = 1, .mode = WARD_TIMER_FIXED_RATE, .after_ms = WARD_SECOND},
		WARD_BODY(count)));
	return WARD_DONE;
}

static void wait_for_idle(ward_kit *kit, void *arg)
{
	static const ward_behavior repeater = {
		.name = "repeater", .pre_start = repeat_start, .receive = helper_receive};

	(void)arg;
	ward_kit_spawn(kit, &repeater);
	ward_simulation_eventually_idle(kit, WARD_MINUTE);
}

WARD_TEST(what_never_comes_is_a_violation)
{
	ward_simulation_test test = counting(wait_in_vain);

	ward_assert_str(ward_simulate(&test).text, "not within 500 ms: it counts backwards");
	test.run = wait_for_idle;
	ward_assert_str(ward_simulate(&test).text, "not idle within 60000 ms");
}

WARD_TEST_MAIN
