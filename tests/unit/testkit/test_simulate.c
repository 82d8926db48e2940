/* SPDX-License-Identifier: MIT
 *
 * test_simulate.c - simulations: violations, faults, replays, shrinking, leaked nondeterminism.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <ward/testkit.h>
#include <ward/ward.h>

#include "testkit/child.h"

/* Of the runs, which are in other processes. */
struct shared {
	unsigned runs;
	uint64_t last_seed;
	uint32_t strikes;   /* in all */
	unsigned injected;  /* failures by a fault */
	unsigned elsewhere; /* failures of others than the helper */
	unsigned refused;   /* spawns */
	unsigned lost;      /* dead letters: lost, or without memory */
	unsigned starved;
	int64_t longest_ns;    /* of a run */
	unsigned out_of_order; /* numbers that came too early */
};
static struct shared *shared;

__attribute__((constructor)) static void make_shared(void)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
}

/* ---- a program: a clerk has his helper count ------------------------------------------------ */

struct count {
	int number;
};
WARD_MESSAGE_FLAT(count);
WARD_SIGNAL(break_here);

static struct {
	int counted;
	int last;
	int fresh; /* incarnations */
} seen;

static ward_result helper_init(ward_self *self, void *state, const void *args)
{
	(void)self;
	(void)state;
	(void)args;
	seen.fresh++;
	return WARD_DONE;
}

static ward_result helper_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct count *count = ward_match(msg, count);

	(void)self;
	(void)state;
	if (count == NULL)
		return WARD_UNHANDLED;
	seen.counted++;
	shared->out_of_order += count->number < seen.last;
	seen.last = count->number;
	return WARD_DONE;
}

static const ward_behavior helper = {
	.name = "helper", .init = helper_init, .receive = helper_receive};

static ward_result clerk_start(ward_self *self, void *state)
{
	ward_ref child;

	(void)state;
	if (ward_spawn(self, &(ward_props){.behavior = &helper, .name = "helper"}, &child) !=
	    WARD_OK) {
		shared->refused++;
		return WARD_DONE;
	}
	for (int i = 0; i < 10; i++)
		ward_tell(self, child, count, .number = i);
	return WARD_DONE;
}

static const ward_behavior clerk = {
	.name = "clerk", .pre_start = clerk_start, .receive = helper_receive};

static void hear(void *arg, const ward_event *event)
{
	(void)arg;
	shared->injected +=
		event->kind == WARD_EVENT_FAILURE && strcmp(event->failure_class, "injected") == 0;
	shared->elsewhere +=
		event->kind == WARD_EVENT_FAILURE && strstr(event->path, "/helper") == NULL;
	shared->lost += event->kind == WARD_EVENT_DEAD_LETTER && event->reason == WARD_REASON_LOST;
	shared->starved +=
		event->kind == WARD_EVENT_DEAD_LETTER && event->reason == WARD_REASON_NO_MEMORY;
}

static void count_to_ten(ward_kit *kit, void *arg)
{
	(void)arg;
	memset(&seen, 0, sizeof(seen));
	ward_kit_spawn(kit, &(ward_props){.behavior = &clerk, .name = "clerk"});
	ward_simulation_eventually_idle(kit, WARD_MINUTE);
	shared->runs++;
	shared->strikes += ward_simulation_faults(kit);
	if (ward_kit_now_ns(kit) > shared->longest_ns)
		shared->longest_ns = ward_kit_now_ns(kit);
}

static void count_and_check(ward_kit *kit, void *arg)
{
	count_to_ten(kit, arg);
	ward_assert_eq(seen.counted, 10);
}

static ward_simulation_test counting(void (*run)(ward_kit *kit, void *arg))
{
	memset(shared, 0, sizeof(*shared));
	return (ward_simulation_test){
		.name = "counting", .run = run, .kit = {.log = hear}, .check_every = UINT32_MAX};
}

static ward_simulation_result replay(const ward_simulation_test *test, const char *words)
{
	setenv("WARD_REPLAY", words, 1);
	ward_simulation_result result = ward_simulate(test);
	unsetenv("WARD_REPLAY");
	return result;
}

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
	ward_assert_ok(ward_timer_start(
		self, &(ward_timer){.mode = WARD_FIXED_RATE, .after_ms = WARD_SECOND},
		WARD_BODY(count)));
	return WARD_DONE;
}

static void wait_for_idle(ward_kit *kit, void *arg)
{
	static const ward_behavior repeater = {
		.name = "repeater", .pre_start = repeat_start, .receive = helper_receive};

	(void)arg;
	ward_kit_spawn(kit, &(ward_props){.behavior = &repeater});
	ward_simulation_eventually_idle(kit, WARD_MINUTE);
}

WARD_TEST(what_never_comes_is_a_violation)
{
	ward_simulation_test test = counting(wait_in_vain);

	ward_assert_str(ward_simulate(&test).text, "not within 500 ms: it counts backwards");
	test.run = wait_for_idle;
	ward_assert_str(ward_simulate(&test).text, "not idle within 60000 ms");
}

/* ---- ends that nobody announces ------------------------------------------------------------ */

static ward_result crash_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)msg;
	raise(SIGKILL);
	return WARD_DONE;
}

static ward_result hang_receive(ward_self *self, void *state, const ward_msg *msg)
{
	static volatile bool for_ever = true;

	(void)self;
	(void)state;
	(void)msg;
	while (for_ever)
		;
	return WARD_DONE;
}

static const ward_behavior crasher = {.name = "crasher", .receive = crash_receive};
static const ward_behavior hanger = {.name = "hanger", .receive = hang_receive};

static void break_one(ward_kit *kit, void *arg)
{
	ward_ref ref = ward_kit_spawn(kit, &(ward_props){.behavior = arg});

	ward_system_tell(ward_kit_system(kit), ref, break_here);
	ward_kit_run(kit);
}

WARD_TEST(crash_is_a_violation_of_its_seed)
{
	ward_simulation_test test = counting(break_one);

	test.arg = (void *)&crasher;
	ward_simulation_result result = ward_simulate(&test);
	ward_assert_part(result.text, "ended by signal 9");
	ward_assert_part(result.replay, "seed=1 ");
}

WARD_TEST(hang_is_a_violation_of_its_seed)
{
	ward_simulation_test test = counting(break_one);

	wardi_child_patience_ms = 500;
	test.arg = (void *)&hanger;
	ward_simulation_result result = ward_simulate(&test);
	ward_assert_part(result.text, "hangs: ");
	ward_assert_part(result.replay, "seed=1 ");
}

static void exit_early(ward_kit *kit, void *arg)
{
	(void)arg;
	count_to_ten(kit, arg);
	if (shared->runs == 7)
		_exit(0);
}

WARD_TEST(run_that_ends_its_process_is_a_violation)
{
	ward_simulation_test test = counting(exit_early);

	ward_simulation_result result = ward_simulate(&test);
	ward_assert_eq(result.violations, 1);
	ward_assert_part(result.text, "ended with exit status 0");
	/* By itself it is the eighth. */
	ward_assert_part(result.text, "not again when run by itself");
	ward_assert_part(result.replay, "seed=7 ");
}

static void fail_at_exit(void)
{
	_exit(3);
}

/* One run in eight, by its seed, leaves something bad for the end of its process, as a leak is. */
static void leave_behind(ward_kit *kit, void *arg)
{
	count_to_ten(kit, arg);
	if (ward_simulation_hash(kit) % 8 == 0)
		atexit(fail_at_exit);
}

WARD_TEST(process_that_fails_after_its_runs_is_traced_to_one_of_them)
{
	ward_simulation_test test = counting(leave_behind);

	ward_simulation_result result = ward_simulate(&test);
	ward_assert_eq(result.violations, 1);
	ward_assert_str(result.text, "ended with exit status 3");
	ward_assert_eq(replay(&test, result.replay).violations, 1);
	/* The seed before it does not. */
	char words[64];
	snprintf(words, sizeof(words), "counting seed=%d", (int)result.seeds - 1);
	ward_assert(result.seeds == 1 || replay(&test, words).violations == 0);
}

/* ---- leaked nondeterminism ----------------------------------------------------------------- */

static int messages;

static ward_result leaky_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	(void)msg;
	/* Odd in one run, even in the next. */
	if (++messages % 5 == 0)
		ward_stop_self(self);
	return WARD_DONE;
}

static void tell_three(ward_kit *kit, void *arg)
{
	static const ward_behavior leaky = {.name = "leaky", .receive = leaky_receive};
	ward_ref ref = ward_kit_spawn(kit, &(ward_props){.behavior = &leaky, .name = "leaky"});

	(void)arg;
	for (int i = 0; i < 3; i++)
		ward_system_tell(ward_kit_system(kit), ref, break_here);
	ward_kit_run(kit);
}

WARD_TEST(what_leaks_from_one_run_to_the_next_is_told)
{
	ward_simulation_test test = counting(tell_three);

	test.check_every = 0;
	ward_simulation_result result = ward_simulate(&test);
	ward_assert_eq(result.violations, 1);
	ward_assert_part(result.text, "leaked nondeterminism: step ");
	ward_assert_part(result.text, "of sim/user/leaky");
	ward_assert_part(result.text, ", and then ");
	/* Nobody looks. */
	test.check_every = UINT32_MAX;
	ward_assert_eq(ward_simulate(&test).violations, 0);
}

static int notes;

static void note_same(ward_kit *kit, void *arg)
{
	count_to_ten(kit, arg);
	ward_simulation_note(kit, 7);
}

static void note_other(ward_kit *kit, void *arg)
{
	count_to_ten(kit, arg);
	ward_simulation_note(kit, (uint64_t)notes++);
}

WARD_TEST(note_that_differs_is_seen)
{
	ward_simulation_test test = counting(note_same);

	test.check_every = 1;
	ward_assert_eq(ward_simulate(&test).violations, 0);
	test.run = note_other;
	ward_assert_part(ward_simulate(&test).text, "note of the test");
}

struct introduction {
	char initial;
	ward_ref who; /* behind a gap that nobody writes */
};
WARD_MESSAGE_FLAT(introduction);

static void introduce(ward_kit *kit, void *arg)
{
	ward_ref ref = ward_kit_spawn(kit, &(ward_props){.behavior = &helper});

	(void)arg;
	ward_system_tell(ward_kit_system(kit), ref, introduction, .initial = 'a', .who = ref);
	ward_kit_run(kit);
}

WARD_TEST(refs_and_gaps_in_messages_are_no_difference)
{
	ward_simulation_test test = counting(introduce);

	test.check_every = 1;
	ward_assert_eq(ward_simulate(&test).violations, 0);
}

WARD_TEST_MAIN
