/* SPDX-License-Identifier: MIT
 *
 * test_simulate_ends.c - simulations whose runs end without a word, or are not equal.
 */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include "testkit/simulate/batch.h"
#include "unit/testkit/counting.h"

WARD_SIGNAL(break_here);

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
	ward_ref ref = ward_kit_spawn(kit, arg);

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
	ward_assert_str(result.text, "no turn ends for 500 ms, it hangs");
	ward_assert_part(result.replay, "seed=1 ");
}

/* Takes it for granted that there is memory. */
static ward_result careless_receive(ward_self *self, void *state, const ward_msg *msg)
{
	ward_ref child;

	(void)state;
	(void)msg;
	if (ward_try_spawn(self, WARD_PROPS(&crasher), &child) != WARD_OK)
		raise(SIGKILL);
	return WARD_DONE;
}

static const ward_behavior careless = {.name = "careless", .receive = careless_receive};

WARD_TEST(crash_in_the_turn_of_a_shortage_is_replayed_with_that_fault)
{
	ward_simulation_test test = counting(break_one);

	test.arg = (void *)&careless;
	test.faults = (ward_fault_mix){.memory = 4, .stall = 2, .horizon = 20};
	ward_simulation_result result = ward_simulate(&test);
	ward_assert_part(result.text, "ended by signal 9");
	ward_assert_part(result.replay, " faults=memory@");
	ward_assert_str(replay(&test, result.replay).text, result.text);
}

/* It waits for the end of the test, which has the other end of the pipe. */
static void leave_process(ward_kit *kit, void *arg)
{
	const int *ends = arg;

	count_to_ten(kit, NULL);
	if (fork() == 0) {
		char byte;
		close(ends[1]);
		_exit((int)read(ends[0], &byte, 1));
	}
}

WARD_TEST(process_that_a_run_leaves_behind_is_not_waited_for)
{
	ward_simulation_test test = counting(leave_process);
	int ends[2];

	ward_assert_eq(pipe(ends), 0);
	test.arg = ends;
	test.seeds = 1;
	ward_simulation_result result = ward_simulate(&test);
	ward_assert_str(result.text, "");
	close(ends[1]);
	close(ends[0]);
}

/* Stands still for longer than is waited for, as at a breakpoint. */
static void be_traced(ward_kit *kit, void *arg)
{
	(void)kit;
	(void)arg;
	ward_assert_eq(ptrace(PTRACE_TRACEME, 0, NULL, NULL), 0);
	ward_assert_eq(poll(NULL, 0, 4 * wardi_child_patience_ms), 0);
	ward_test_fail(__FILE__, __LINE__, "it was waited for");
}

WARD_TEST(run_in_a_debugger_does_not_hang)
{
	ward_simulation_test test = counting(be_traced);

	wardi_child_patience_ms = 500;
	ward_assert_part(replay(&test, "counting").text, "it was waited for");
}

WARD_TEST(hang_is_told_before_the_limit_of_the_case)
{
	ward_simulation_test test = counting(break_one);

	unsetenv("WARD_TEST_TIMEOUT_S");
	ward_test_allow_s(4);
	test.arg = (void *)&hanger;
	ward_assert_str(ward_simulate(&test).text, "no turn ends for 2000 ms, it hangs");
	ward_test_allow_s(60);
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
	ward_assert_part(result.text, "does not fail when run alone, so an earlier run");
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

static atomic_bool waker_begun, waker_done;

/* Keeps the watchdog busy, and its lock taken most of the time. */
static void *wake_watchdog(void *arg)
{
	(void)arg;
	/* Relaxed, both: nothing else goes with them. */
	while (!atomic_load_explicit(&waker_done, memory_order_relaxed)) {
		ward_test_allow_s(60);
		atomic_store_explicit(&waker_begun, true, memory_order_relaxed);
	}
	return NULL;
}

WARD_TEST(process_of_runs_is_not_held_up_by_the_watchdog_of_the_case)
{
	ward_simulation_test test = counting(count_to_ten);
	pthread_t waker;

	test.seeds = 1;
	ward_assert_eq(pthread_create(&waker, NULL, wake_watchdog, NULL), 0);
	/* A thread that begins holds locks of the sanitizer's, which a fork would keep for ever. */
	while (!atomic_load_explicit(&waker_begun, memory_order_relaxed))
		sched_yield();
	for (int i = 0; i < 50; i++)
		ward_assert_eq(ward_simulate(&test).violations, 0);
	atomic_store_explicit(&waker_done, true, memory_order_relaxed);
	pthread_join(waker, NULL);
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
	ward_ref ref = ward_kit_spawn(kit, &leaky, .name = "leaky");

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

/* The kit that an actor notes what it hears for; NULL: it does not. */
static ward_kit *noting;
static bool notes_bodies;

static ward_result hear_number(ward_self *self, void *state, const ward_msg *msg)
{
	const struct count *count = ward_match(msg, count);

	(void)self;
	(void)state;
	if (count == NULL)
		return WARD_UNHANDLED;
	if (noting != NULL)
		ward_simulation_note(noting, (uint64_t)count->number);
	return WARD_DONE;
}

/* The number is a larger one in each run. */
static void tell_number(ward_kit *kit, void *arg)
{
	static const ward_behavior listener = {.name = "listener", .receive = hear_number};
	ward_ref ref = ward_kit_spawn(kit, &listener);

	(void)arg;
	noting = notes_bodies ? kit : NULL;
	ward_system_tell(ward_kit_system(kit), ref, count, .number = notes++);
	ward_kit_run(kit);
}

WARD_TEST(bodies_are_not_compared_unless_an_actor_notes_them)
{
	ward_simulation_test test = counting(tell_number);

	test.check_every = 1;
	ward_assert_eq(ward_simulate(&test).violations, 0);
	notes_bodies = true;
	ward_assert_part(ward_simulate(&test).text, "note of the test");
}

struct introduction {
	char initial;
	ward_ref who; /* behind a gap that nobody writes */
};
WARD_MESSAGE_FLAT(introduction);

static void introduce(ward_kit *kit, void *arg)
{
	ward_ref ref = ward_kit_spawn(kit, &helper);

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
