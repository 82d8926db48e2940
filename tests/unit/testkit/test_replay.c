/* SPDX-License-Identifier: MIT
 *
 * test_replay.c - what a program prints of its simulations, and how it answers to WARD_REPLAY.
 *
 * Method: with REPLAY_SAMPLES set this program registers simulations, with REPLAY_ALONE it runs one
 * without the runner; the cases run it again like that and read what it prints.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ward/testkit.h>
#include <ward/ward.h>

/* ---- samples ------------------------------------------------------------------------------ */

WARD_SIGNAL(poke);

static ward_result poked_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (ward_match(msg, poke) == NULL)
		return WARD_UNHANDLED;
	ward_tell(self, ward_self_ref(self), poke);
	return ward_failed(self, &ward_exception, "it was poked");
}

static const ward_behavior poked = {.name = "poked", .receive = poked_receive};

static void poke_once(ward_kit *kit)
{
	ward_ref ref = ward_kit_spawn(kit, &poked, .name = "poked");

	ward_system_tell(ward_kit_system(kit), ref, poke);
}

static void hold(ward_kit *kit, void *arg)
{
	(void)arg;
	ward_kit_run(kit);
	printf("a word of the body\n");
}

static void sample_holds(void)
{
	ward_simulate_check(&(ward_simulation_test){.name = "holds", .run = hold});
}

static void break_down(ward_kit *kit, void *arg)
{
	(void)arg;
	ward_kit_run(kit);
	ward_test_fail(__FILE__, __LINE__, "it broke");
}

enum { LINE_OF_BREAKS = __LINE__ + 4 }; /* of the call */

static void sample_breaks(void)
{
	ward_simulate_check(&(ward_simulation_test){.name = "breaks", .run = break_down});
}

/* It restarts for ever, and no time passes. */
static void loop(ward_kit *kit, void *arg)
{
	(void)arg;
	poke_once(kit);
	ward_kit_run(kit);
}

static void sample_loops(void)
{
	ward_simulate_check(&(ward_simulation_test){.name = "loops", .run = loop});
}

/* The relay is poked once, and pokes the other as often as it takes to fill the list. */
static ward_result relay_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (ward_match(msg, poke) == NULL)
		return WARD_UNHANDLED;
	ward_tell(self, ward_parent(self), poke);
	return WARD_DONE;
}

static const ward_behavior relay = {.name = "relay", .receive = relay_receive};

static void break_after(ward_kit *kit, void *arg)
{
	ward_ref ref = ward_kit_spawn(kit, &relay, .name = "relay");

	for (int i = 0; i < *(int *)arg; i++)
		ward_system_tell(ward_kit_system(kit), ref, poke);
	ward_kit_run(kit);
	ward_test_fail(__FILE__, __LINE__, "it broke");
}

static void sample_order(void)
{
	int once = 1;

	ward_simulate_check(
		&(ward_simulation_test){.name = "order", .run = break_after, .arg = &once});
}

static void sample_long_order(void)
{
	int often = 20;

	ward_simulate_check(
		&(ward_simulation_test){.name = "long_order", .run = break_after, .arg = &often});
}

/* More severe events than are kept, and then what fills the list. */
static ward_result moaning_receive(ward_self *self, void *state, const ward_msg *msg)
{
	int *left = state;

	if (ward_match(msg, poke) == NULL)
		return WARD_UNHANDLED;
	if (*left > 20)
		ward_note(self, WARD_LEVEL_SEVERE, "cause %d", *left);
	if (--*left > 0)
		ward_tell(self, ward_self_ref(self), poke);
	return WARD_DONE;
}

static ward_result moaning_init(ward_self *self, void *state, const void *args)
{
	(void)self;
	(void)args;
	*(int *)state = 27;
	return WARD_DONE;
}

static const ward_behavior moaning = {.name = "moaning",
				      .state_size = sizeof(int),
				      .init = moaning_init,
				      .receive = moaning_receive};

static bool never(void *arg)
{
	(void)arg;
	return false;
}

static void moan(ward_kit *kit, void *arg)
{
	ward_ref ref = ward_kit_spawn(kit, &moaning, .name = "moaning");

	(void)arg;
	ward_system_tell(ward_kit_system(kit), ref, poke);
	ward_simulation_eventually(kit, 10, never, NULL, "it is well");
}

static void sample_moans(void)
{
	ward_simulate_check(&(ward_simulation_test){.name = "moans", .run = moan});
}

static void sample_fails(void)
{
	ward_test_fail(__FILE__, __LINE__, "no simulation");
}

static const char *const no_clauses[] = {NULL};
static struct ward_test_case samples[] = {
	{"holds", no_clauses, sample_holds, NULL},
	{"breaks", no_clauses, sample_breaks, NULL},
	{"loops", no_clauses, sample_loops, NULL},
	{"order", no_clauses, sample_order, NULL},
	{"long_order", no_clauses, sample_long_order, NULL},
	{"moans", no_clauses, sample_moans, NULL},
	{"fails", no_clauses, sample_fails, NULL},
};

__attribute__((constructor)) static void register_samples(void)
{
	if (getenv("REPLAY_SAMPLES") == NULL)
		return;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		ward_test_register(&samples[i]);
}

/* ---- running them ------------------------------------------------------------------------- */

static char text[32768];

/* Runs this program in that environment with these arguments; gives its exit status. */
static int run(const char *environment, const char *arguments)
{
	char self[1024], command[2048];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	ward_assert(length > 0);
	self[length] = '\0';
	snprintf(command, sizeof(command), "%s '%s' %s 2>&1", environment, self, arguments);
	FILE *output = popen(command, "r");
	ward_assert(output != NULL);
	text[fread(text, 1, sizeof(text) - 1, output)] = '\0';
	int status = pclose(output);
	ward_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void check_no_part(const char *part)
{
	if (strstr(text, part) != NULL)
		ward_test_fail(__FILE__, __LINE__, "\"%s\" is in:\n%s", part, text);
}

static void check_once(const char *part)
{
	const char *at = strstr(text, part);

	ward_assert_part(text, part);
	ward_assert_str(strstr(at + 1, part) == NULL ? "once" : text, "once");
}

WARD_TEST(replay_that_no_simulation_is_meant_by_fails)
{
	ward_assert_eq(run("REPLAY_SAMPLES=1 WARD_REPLAY='nosuch seed=1'", "holds"), 2);
	ward_assert_part(text, "no simulation is called nosuch; --list names them\n");
	ward_assert_eq(run("REPLAY_SAMPLES=1 WARD_REPLAY='nosuch seed=1'", "fails"), 2);
	ward_assert_part(text, "not ok 1 - fails\n");
	ward_assert_part(text, "no simulation is called nosuch; --list names them\n");
	ward_assert_eq(run("REPLAY_SAMPLES=1 WARD_REPLAY='seed=1'", "holds"), 2);
	ward_assert_part(text, "no simulation is called seed=1;");
	ward_assert_eq(run("REPLAY_SAMPLES=1 WARD_REPLAY='nosuch'", "--list"), 0);
	ward_assert_eq(run("REPLAY_SAMPLES=1 WARD_REPLAY='holds seed=1'", "holds"), 0);
	ward_assert_eq(run("REPLAY_SAMPLES=1 WARD_REPLAY='holds seed=1'", "--here holds"), 0);
	check_no_part("no simulation is called");
}

WARD_TEST(so_it_does_without_a_runner)
{
	ward_assert_eq(run("REPLAY_ALONE=1 WARD_REPLAY='nosuch seed=1'", ""), 2);
	ward_assert_part(text, "no simulation is called nosuch\n");
	ward_assert_eq(run("REPLAY_ALONE=1 WARD_REPLAY='second seed=1'", ""), 0);
	ward_assert_eq(run("REPLAY_ALONE=1 WARD_REPLAY='first seed=1'", ""), 0);
	ward_assert_eq(run("REPLAY_ALONE=1 WARD_REPLAY=", ""), 0);
}

WARD_TEST(words_that_are_no_replay_fail)
{
	ward_assert_eq(run("REPLAY_SAMPLES=1 WARD_REPLAY='holds seed=x'", "holds"), 1);
	ward_assert_part(text, "/test_replay.c:");
	ward_assert_part(text, "not a seed, from 1 on");
	ward_assert_eq(
		run("REPLAY_SAMPLES=1 WARD_REPLAY='holds seed=99999999999999999999'", "holds"), 1);
	ward_assert_part(text, "not a seed, from 1 on");
	ward_assert_eq(run("REPLAY_SAMPLES=1 WARD_REPLAY='holds what'", "holds"), 1);
	ward_assert_part(text, "not one of seed=, order=, faults=");
}

WARD_TEST(replay_that_passes_says_so_and_what_did_not_strike)
{
	ward_assert_eq(run("REPLAY_SAMPLES=1 WARD_REPLAY='holds seed=3 faults=fail@4000'", "holds"),
		       0);
	ward_assert_part(text, "\n# holds no longer fails with seed 3\n");
	ward_assert_part(text, "\n# fault fail@4000 did not strike: the run has ");
	/* Of the two runs one. */
	check_once("a word of the body");
}

WARD_TEST(simulation_has_one_replay_line)
{
	ward_assert_eq(run("REPLAY_SAMPLES=1", "breaks"), 1);
	check_once("replay: ");
	ward_assert_part(text, "# replay: WARD_REPLAY='breaks seed=1 ");
	ward_assert_part(text, " breaks\n# sim breaks: ");
	/* One hash alone, and no plural. */
	ward_assert_part(text, "\n# sim breaks: 1 seed, ");
	ward_assert_part(text, ", 1 violation\n");
	check_no_part("no longer fails");
	/* The case behind it has its own again. */
	ward_assert_eq(run("REPLAY_SAMPLES=1", "breaks fails"), 1);
	ward_assert_part(text, " --here fails\nnot ok 2 - fails\n");
}

WARD_TEST(violation_is_a_failure_at_the_line_of_the_check)
{
	char place[64];

	snprintf(place, sizeof place, "test_replay.c:%d: breaks: ", LINE_OF_BREAKS);
	ward_assert_eq(run("REPLAY_SAMPLES=1", "breaks"), 1);
	ward_assert_part(text, place);
}

WARD_TEST(loop_without_end_is_told_as_one)
{
	ward_assert_eq(run("REPLAY_SAMPLES=1", "loops"), 1);
	ward_assert_part(text, " turns while the clock stands at 0 ms; the last ones were of ");
	ward_assert_part(text, "sim/user/poked (");
	check_no_part("no room for");
}

WARD_TEST(list_of_what_came_last_has_causes_before_effects)
{
	ward_assert_eq(run("REPLAY_SAMPLES=1", "order"), 1);
	const char *cause = strstr(text, "receive of sim/user/relay: poke at ");
	const char *effect = strstr(text, "send of sim/user/relay: poke to sim/user at ");
	ward_assert(cause != NULL && effect != NULL && cause < effect);
	check_once("receive of sim/user/relay: poke at ");
	/* That it failed is known at its end. */
	ward_assert_eq(run("REPLAY_SAMPLES=1 WARD_REPLAY='order order=random faults=fail-after@1'",
			   "order"),
		       1);
	ward_assert_part(text, "of sim/user/relay: poke, failed at ");
	cause = strstr(text, "poke, failed at ");
	effect = strstr(text, "send of sim/user/relay: poke to sim/user at ");
	ward_assert(cause != NULL && effect != NULL && cause < effect);
}

WARD_TEST(fault_before_the_list_is_told_in_front_of_it)
{
	ward_assert_eq(run("REPLAY_SAMPLES=1 WARD_REPLAY='long_order order=random faults=lose@1'",
			   "long_order"),
		       1);
	ward_assert_part(text, "fault lose@1: send from outside: poke to sim/user/relay, step ");
	ward_assert_part(text, " fault, lose: send from outside to sim/user/relay at 0.000 ms\n"
			       "#     ... (WARD_TRACE=FILE has all ");
	ward_assert_eq(
		run("REPLAY_SAMPLES=1 WARD_REPLAY='order order=random faults=lose@1'", "order"), 1);
	ward_assert_part(text, " fault, lose: send from outside to sim/user/relay at 0.000 ms\n");
	check_no_part("#     ...");
}

WARD_TEST(last_severe_events_are_told_in_front_of_it)
{
	ward_assert_eq(run("REPLAY_SAMPLES=1", "moans"), 1);
	check_no_part("cause 27");
	check_once("cause 26");
	const char *first = strstr(text, "cause 26"), *last = strstr(text, "cause 21");
	const char *gap = strstr(text, "#     ... (WARD_TRACE=FILE has all ");
	ward_assert(last != NULL && gap != NULL && first < last && last < gap);
	/* Once: the tree, as of any check that fails. */
	check_once("moaning running");
}

/* Two simulations, one after the other. */
static int run_alone(void)
{
	const ward_simulation_test first = {.name = "first", .run = hold, .seeds = 2};
	const ward_simulation_test second = {.name = "second", .run = hold, .seeds = 2};

	return ward_simulate(&first).violations + ward_simulate(&second).violations > 0;
}

int main(int argc, char **argv)
{
	return getenv("REPLAY_ALONE") != NULL ? run_alone() : ward_test_main(argc, argv);
}
