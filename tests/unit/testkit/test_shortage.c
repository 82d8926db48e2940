/* SPDX-License-Identifier: MIT
 *
 * test_shortage.c - that a run with shortages sees what must not follow from one.
 *
 * Method: with SHORTAGE_SAMPLES set this program registers samples that are wrong, each in its own
 * way and only when an allocation found no memory; the cases run it again with --shortages and read
 * what it prints.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/script.h"
#include "testkit/check/case_result.h"
#include "testkit/check/shortage.h"
#include "testkit/kit/kit.h"
#include "testkit/kit/living_kits.h"

/* ---- samples ----------------------------------------------------------------------------- */

/* Expects what it gets while there is memory. */
static void sample_sound(void)
{
	struct script a = {.name = "a"};
	ward_kit *kit = script_start(NULL);
	script_spawn(kit, &a);
	script_say(kit, a.ref, "hello");
	ward_kit_run(kit);
	assert_journal("a:init;a:pre_start;a:hello");
	script_finish(kit);
}

/* As if the runtime had an allocation of its own, about which it says nothing. */
static void sample_silent(void)
{
	ward_kit *kit = script_start(NULL);
	ward_assert(!wardi_shortage_strikes());
	script_finish(kit);
}

static void sample_crash(void)
{
	ward_kit *kit = script_start(NULL);
	if (wardi_shortage_strikes())
		raise(SIGKILL);
	script_finish(kit);
}

static void sample_leak(void)
{
	ward_kit *kit = script_start(NULL);
	const ward_allocator *allocator = &kit->memory.allocator;
	if (wardi_shortage_strikes())
		ward_assert(allocator->alloc(allocator->arg, 1) != NULL);
	script_finish(kit);
}

/* It leaks, and somebody was told: that excuses nothing. */
static void sample_leak_told(void)
{
	struct script a = {.name = "a"};
	ward_kit *kit = script_start(NULL);
	const ward_allocator *allocator = &kit->memory.allocator;
	ward_err err = ward_system_spawn(ward_kit_system(kit), script_props(&a), NULL);
	if (err == WARD_ENOMEM)
		ward_assert(allocator->alloc(allocator->arg, 1) != NULL);
	ward_kit_finish(kit);
}

static ward_result check_in_callback(ward_self *self, void *arg)
{
	(void)self;
	(void)arg;
	ward_assert(!wardi_shortage_strikes());
	return WARD_DONE;
}

/* The check fails the actor; nothing in the body looks at it, so the case is complete. */
static void sample_callback(void)
{
	struct script a = {.name = "a"};
	ward_kit *kit = script_start(NULL);
	if (ward_system_spawn(ward_kit_system(kit), script_props(&a), &a.ref) == WARD_OK) {
		script_do(kit, a.ref, check_in_callback, NULL);
		ward_kit_run(kit);
		ward_assert_state(kit, a.ref, WARD_STATE_RUNNING);
	}
	script_finish(kit);
}

static void check_in_log(void *arg, const ward_event *event)
{
	(void)arg;
	(void)event;
	if (!wardi_shortage_strikes())
		return;
	wardi_shortage_told(1);
	ward_assert(false);
}

/* Also while a callback runs, in which an actor could be failed. */
static void sample_log(void)
{
	struct script child = {.name = "c"}, parent = {.name = "p", .children = {&child}};
	ward_kit *kit = script_start(&(ward_kit_options){.log = check_in_log});
	script_spawn(kit, &parent);
	ward_kit_run(kit);
	script_finish(kit);
}

static ward_result close_mailbox(ward_self *self, void *arg)
{
	(void)arg;
	ward_mailbox_close(self);
	return WARD_DONE;
}

static ward_result fill(ward_self *self, void *arg)
{
	script_tell(self, ((struct script *)arg)->ref, "one");
	script_tell(self, ((struct script *)arg)->ref, "two");
	return WARD_DONE;
}

/* A sender is held by a mailbox that is closed: that is no lost wake-up. */
static void sample_held(void)
{
	struct script full = {
		.name = "full",
		.mailbox = {.messages_max = 1, .overflow = WARD_OVERFLOW_HOLD_SENDER}};
	struct script a = {.name = "a"};
	ward_kit *kit = script_start(&(ward_kit_options){.may_leave_mail = true});
	script_spawn(kit, &full);
	script_spawn(kit, &a);
	script_do(kit, full.ref, close_mailbox, NULL);
	ward_kit_run(kit);
	script_do(kit, a.ref, fill, &full);
	script_say(kit, a.ref, "waits");
	ward_kit_run(kit);
	if (wardi_shortage_strikes()) {
		wardi_shortage_told(1);
		ward_assert(false);
	}
	script_finish(kit);
}

static ward_directive forget(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)self;
	(void)child;
	(void)failure;
	return WARD_LATER;
}

/* Nobody will ever decide, and no event says that this is meant. */
static const ward_strategy forgetful = {.decide = forget, .quiet = true};

static void sample_undecided(void)
{
	struct script child = {.name = "c"};
	struct script parent = {.name = "p", .strategy = &forgetful, .children = {&child}};
	ward_kit *kit = script_start(NULL);
	script_spawn(kit, &parent);
	if (wardi_shortage_strikes() && !ward_ref_is_nobody(child.ref)) {
		script_break(kit, child.ref, &ward_exception);
		ward_kit_run(kit);
		wardi_shortage_told(1);
		ward_assert(false);
	}
	script_finish(kit);
}

static ward_result join(ward_self *self, void *arg)
{
	(void)arg;
	return ward_try_shutdown_join(self, WARD_PHASE_SERVICES, "wait") == WARD_OK ? WARD_DONE
										    : WARD_FAILED;
}

static void let_go(void *hook)
{
	struct script *script = hook;
	ward_system_stop(ward_kit_system(wardi_kit_next_living(NULL)), script->ref);
}

/* While the hook lives and does not answer, the system does not end. */
static void hold_up(bool lets_go)
{
	struct script hook = {.name = "hook", .pre_start = join};
	ward_kit *kit = script_start(NULL);
	ward_system *system = ward_kit_system(kit);
	if (ward_system_spawn_service(system, script_props(&hook), &hook.ref) == WARD_OK) {
		ward_kit_run(kit);
		if (lets_go)
			ward_kit_on_cut(kit, let_go, &hook);
		if (wardi_shortage_strikes()) {
			wardi_shortage_told(1);
			ward_assert(false);
		}
		ward_system_stop(system, hook.ref);
	}
	script_finish(kit);
}

static void sample_held_up(void)
{
	hold_up(false);
}

static void sample_let_go(void)
{
	hold_up(true);
}

static void sample_driven(void)
{
	static const ward_simulation nothing_special;
	struct script a = {.name = "a"};
	ward_kit *kit = script_start(&(ward_kit_options){.simulation = &nothing_special});
	script_spawn(kit, &a);
	script_finish(kit);
}

/* ---- simulations ------------------------------------------------------------------------- */

static void run_nothing(ward_kit *kit, void *arg)
{
	(void)kit;
	(void)arg;
}

static bool is_zero(void *arg)
{
	const int *number = arg;

	return *number == 0;
}

/* Breaks its invariant where a check fails: turns after the cut must not check that. */
static void run_with_invariant(ward_kit *kit, void *arg)
{
	static int runs;
	static struct script a = {.name = "a"}; /* ends with the kit, after this function */
	int broken = 0;

	(void)arg;
	ward_assert_eq(++runs, 1);
	ward_assert_eq(ward_test_seed(), 1);
	ward_simulation_invariant(kit, is_zero, &broken, "it is whole");
	script_spawn(kit, &a);
	script_say(kit, a.ref, "hello");
	ward_kit_run(kit);
	script_say(kit, a.ref, "again");
	broken = 1;
	assert_journal_of("a", "init;pre_start;hello");
	broken = 0;
	ward_simulation_eventually_idle(kit, WARD_MINUTE);
}

static void run_in_silence(ward_kit *kit, void *arg)
{
	(void)kit;
	(void)arg;
	ward_assert(!wardi_shortage_strikes());
}

static void simulate(void (*run)(ward_kit *kit, void *arg))
{
	ward_simulate_check(
		&(ward_simulation_test){.name = "sample", .run = run, .check_every = 1});
}

static void sample_simulation(void)
{
	simulate(run_nothing);
}

static void sample_simulation_invariant(void)
{
	simulate(run_with_invariant);
}

static void sample_simulation_silent(void)
{
	simulate(run_in_silence);
}

static void sample_knows(void)
{
	ward_assert(ward_test_shortage());
	ward_assert(ward_test_seed_fixed());
}

static const char *const no_clauses[] = {NULL};
static struct ward_test_case samples[] = {
	{"sound", no_clauses, sample_sound, NULL},
	{"silent", no_clauses, sample_silent, NULL},
	{"crash", no_clauses, sample_crash, NULL},
	{"leak", no_clauses, sample_leak, NULL},
	{"leak_told", no_clauses, sample_leak_told, NULL},
	{"callback", no_clauses, sample_callback, NULL},
	{"log", no_clauses, sample_log, NULL},
	{"held", no_clauses, sample_held, NULL},
	{"undecided", no_clauses, sample_undecided, NULL},
	{"held_up", no_clauses, sample_held_up, NULL},
	{"let_go", no_clauses, sample_let_go, NULL},
	{"driven", no_clauses, sample_driven, NULL},
	{"simulation", no_clauses, sample_simulation, NULL},
	{"simulation_invariant", no_clauses, sample_simulation_invariant, NULL},
	{"simulation_silent", no_clauses, sample_simulation_silent, NULL},
	{"knows", no_clauses, sample_knows, NULL},
};

__attribute__((constructor)) static void register_samples(void)
{
	if (getenv("SHORTAGE_SAMPLES") == NULL)
		return;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		ward_test_register(&samples[i]);
}

/* ---- running them ------------------------------------------------------------------------ */

enum { TEXT_MAX = 64 * 1024 };

static int run_sample(const char *sample, char text[TEXT_MAX])
{
	char self[1024], command[2048];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	ward_assert(length > 0);
	self[length] = '\0';
	snprintf(command, sizeof(command), "SHORTAGE_SAMPLES=1 '%s' --shortages %s 2>&1", self,
		 sample);
	FILE *output = popen(command, "r");
	ward_assert(output != NULL);
	text[fread(text, 1, TEXT_MAX - 1, output)] = '\0';
	int status = pclose(output);
	ward_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void check_fails(const char *sample, const char *part)
{
	static char text[TEXT_MAX];
	ward_assert_eq(run_sample(sample, text), 1);
	ward_assert_part(text, part);
	ward_assert_part(text, "# replay: WARD_SHORTAGE=");
	ward_assert_part(text, "not ok 1 - ");
}

/* Reads "# 40 shortages: 3 complete, 37 cut short, 0 unseen". */
static void read_sum(const char *text, unsigned sum[4])
{
	const char *at = strstr(text, " shortages: ");
	ward_assert(at != NULL);
	while (at > text && at[-1] != '#')
		at--;
	ward_assert_eq(sscanf(at, "%u shortages: %u complete, %u cut short, %u unseen", &sum[0],
			      &sum[1], &sum[2], &sum[3]),
		       4);
}

static void check_is_looked_at(const char *sample)
{
	static char text[TEXT_MAX];
	unsigned sum[4];

	ward_assert_eq(run_sample(sample, text), 0);
	read_sum(text, sum);
	ward_assert(sum[2] > 0);
	ward_assert_eq(sum[3], 0);
}

WARD_TEST(each_allocation_of_a_case_fails_once)
{
	static char text[TEXT_MAX];
	unsigned sum[4];
	uint64_t allocations;

	ward_kit *kit = script_start(NULL);
	struct script a = {.name = "a"};
	script_spawn(kit, &a);
	script_say(kit, a.ref, "hello");
	ward_kit_run(kit);
	allocations = ward_kit_allocations(kit);
	script_finish(kit);
	ward_assert_eq(run_sample("sound", text), 0);
	ward_assert_part(text, "ok 1 - sound");
	read_sum(text, sum);
	ward_assert(sum[0] >= allocations);
	ward_assert(sum[2] > 0);
	ward_assert_eq(sum[0], sum[1] + sum[2]);
	ward_assert_eq(sum[3], 0);
}

WARD_TEST(check_that_fails_though_nobody_was_told_fails_the_case)
{
	check_fails("silent", "the shortage was not reported, and yet: ");
}

WARD_TEST(crash_in_a_shortage_fails_the_case)
{
	check_fails("crash", "signal 9");
}

WARD_TEST(leak_in_a_shortage_fails_the_case_whoever_was_told)
{
	check_fails("leak", "the allocator has given out");
	check_fails("leak_told", "the allocator has given out");
}

WARD_TEST(check_in_a_callback_fails_that_actor)
{
	static char text[TEXT_MAX];
	unsigned sum[4];

	ward_assert_eq(run_sample("callback", text), 0);
	read_sum(text, sum);
	ward_assert_eq(sum[0], sum[1] + sum[2]);
}

WARD_TEST(check_in_a_log_function_fails_nobody)
{
	static char text[TEXT_MAX];
	unsigned sum[4];

	ward_assert_eq(run_sample("log", text), 0);
	read_sum(text, sum);
	ward_assert(sum[3] > 0);
}

WARD_TEST(sender_that_a_closed_mailbox_holds_is_not_asleep)
{
	check_is_looked_at("held");
}

WARD_TEST(failure_that_nobody_decides_fails_the_case)
{
	check_fails("undecided", "(failed) has failed, and its parent has not heard");
}

WARD_TEST(what_the_test_holds_up_it_lets_go_of_when_it_is_cut)
{
	static char text[TEXT_MAX];
	unsigned sum[4];

	check_fails("held_up", "the system does not end");
	ward_assert_eq(run_sample("let_go", text), 0);
	read_sum(text, sum);
	ward_assert(sum[2] > 0);
}

/* A driver of the test's own changes nothing: the rest is looked at. */
WARD_TEST(case_that_drives_its_simulation_is_looked_at)
{
	check_is_looked_at("driven");
}

WARD_TEST(simulation_runs_once_for_each_allocation_with_its_first_seed)
{
	check_is_looked_at("simulation");
	check_is_looked_at("simulation_invariant");
}

WARD_TEST(simulation_that_was_told_of_no_shortage_fails_the_case)
{
	check_fails("simulation_silent", "the shortage was not reported, and yet: ");
}

WARD_TEST(case_knows_that_it_runs_for_a_shortage)
{
	ward_assert(!ward_test_shortage());
	ward_assert(!ward_test_seed_fixed() || getenv("WARD_SEED") != NULL);
	static char text[TEXT_MAX];
	ward_assert_eq(run_sample("knows", text), 0);
}

WARD_TEST_MAIN
