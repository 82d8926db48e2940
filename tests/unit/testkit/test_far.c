/* SPDX-License-Identifier: MIT
 *
 * test_far.c - kits whose children live elsewhere: what a test sees of them, and which cases have
 * them.
 *
 * Method: a parent below /user, whose child is told to stop, to count, or to answer; for the switch
 * this program runs samples of itself with WARD_FAR=1.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "support/samples.h"

#include <ward/ward.h>

enum { ROUNDS = 20, ALLOCATIONS_MAX = 200 };

WARD_SIGNAL(leave);
WARD_SIGNAL(hello);

static int hellos;
static ward_ref child_ref;

static ward_result child_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	hellos += ward_match(msg, hello) != NULL;
	return ward_match(msg, leave) ? ward_stop_self(self) : WARD_DONE;
}

static const ward_behavior child = {.name = "child", .receive = child_receive};

static ward_result nest_start(ward_self *self, void *state)
{
	(void)state;
	(void)ward_spawn(self, &child, .name = "below");
	return WARD_DONE;
}

static const ward_behavior nest = {
	.name = "nest", .pre_start = nest_start, .receive = child_receive};
static const ward_behavior *behavior_of_child = &child;

static ward_result parent_start(ward_self *self, void *state)
{
	(void)state;
	child_ref = ward_spawn(self, behavior_of_child, .name = "one");
	return WARD_DONE;
}

static ward_result parent_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	ward_forward(self, child_ref);
	return ward_match(msg, hello) || ward_match(msg, leave) ? WARD_DONE : WARD_UNHANDLED;
}

static const ward_behavior parent = {
	.name = "parent", .pre_start = parent_start, .receive = parent_receive};

static ward_kit *start(ward_kit_options options)
{
	ward_kit *kit;

	options.far_children = true;
	hellos = 0;
	kit = ward_kit_start(&options);
	(void)ward_kit_spawn(kit, &parent, .name = "top");
	ward_kit_run(kit);
	ward_kit_forget_events(kit);
	return kit;
}

/* ---- what is the program's --------------------------------------------------------------- */

WARD_TEST(letter_behind_the_end_of_a_far_child_has_its_path)
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		ward_kit *kit = start((ward_kit_options){.seed = ward_test_seed()});

		ward_kit_tell(kit, child_ref, leave);
		ward_kit_tell(kit, child_ref, hello);
		ward_kit_tell(kit, child_ref, hello);
		ward_kit_run(kit);
		ward_assert_eq(hellos, 0);
		ward_assert_eq(ward_kit_count(kit, WARD_EVENT_DEAD_LETTER, "sim/user/top/one"), 2);
		/* one that was sent to the dead */
		ward_kit_tell(kit, child_ref, hello);
		ward_kit_run(kit);
		ward_assert_eq(ward_kit_count(kit, WARD_EVENT_DEAD_LETTER, "sim/user/top/one"), 2);
		ward_assert_eq(ward_kit_count(kit, WARD_EVENT_DEAD_LETTER, "*"), 3);
		ward_kit_finish(kit);
	}
}

WARD_TEST(orders_of_the_mechanism_that_come_too_late_are_no_letters_of_the_program)
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		ward_kit *kit = start((ward_kit_options){.seed = ward_test_seed()});

		ward_kit_tell(kit, child_ref, leave);
		ward_kit_run(kit);
		ward_assert(!ward_kit_is_alive(kit, child_ref));
		ward_assert_eq(ward_kit_stats(kit).dead_letters, 0);
		ward_assert_eq(ward_kit_count(kit, WARD_EVENT_SUPPRESSED, "*"), 0);
		ward_kit_finish(kit);
	}
}

WARD_TEST(guardian_of_the_services_and_they_are_the_programs)
{
	ward_kit *kit = start((ward_kit_options){0});
	ward_ref service;

	ward_assert_ok(ward_system_spawn_service(ward_kit_system(kit),
						 WARD_PROPS(&child, .name = "s"), &service));
	ward_kit_run(kit);
	ward_assert(ward_kit_count(kit, WARD_EVENT_LIFECYCLE, "sim/system/s") > 0);
	ward_system_shutdown(ward_kit_system(kit), NULL);
	ward_assert_ok(ward_system_wait(ward_kit_system(kit), WARD_SECOND));
	ward_assert(ward_kit_count(kit, WARD_EVENT_LIFECYCLE, "sim/system") > 0);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_LIFECYCLE, "*/guests*"), 0);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_LIFECYCLE, "*/loop-*"), 0);
	ward_kit_finish(kit);
}

WARD_TEST(limit_of_actors_is_that_of_the_program)
{
	/* three guardians, the parent, its child */
	ward_kit *kit = start((ward_kit_options){.system.actors_max = 5});
	ward_ref more;

	ward_assert(ward_kit_is_alive(kit, child_ref));
	ward_assert_err(ward_system_spawn(ward_kit_system(kit), WARD_PROPS(&child), &more),
			WARD_ELIMIT);
	ward_kit_finish(kit);
}

WARD_TEST(shortage_leaves_the_wire_to_a_far_child_whole)
{
	for (uint64_t nth = 1; nth < ALLOCATIONS_MAX; nth++) {
		ward_kit *kit = start((ward_kit_options){0});

		ward_kit_fail_allocation(kit, nth);
		ward_kit_tell(kit, child_ref, hello);
		ward_kit_run(kit);
		ward_kit_fail_allocation(kit, 0);
		ward_assert_eq(hellos + (int)ward_kit_count(kit, WARD_EVENT_DEAD_LETTER, "*"), 1);
		hellos = 0;
		ward_kit_tell(kit, child_ref, hello);
		ward_kit_run(kit);
		ward_assert_eq(hellos, 1);
		ward_kit_finish(kit);
	}
}

WARD_SIGNAL(break_down);

static ward_result fragile_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	return ward_match(msg, break_down) ? ward_failed(self, &ward_exception, "told to")
					   : WARD_DONE;
}

static const ward_behavior fragile = {.name = "fragile", .receive = fragile_receive};

/* The connection may break: then both ends know it, and the system ends. */
WARD_TEST(kit_ends_after_a_time_without_any_memory)
{
	behavior_of_child = &fragile;
	WARD_TEST_SEEDS(ROUNDS)
	{
		for (int steps = 0; steps < ROUNDS; steps++) {
			ward_kit *kit = start((ward_kit_options){.seed = ward_test_seed(),
								 .may_leave_mail = true});

			ward_kit_tell(kit, child_ref, break_down);
			for (int i = 0; i < steps; i++)
				ward_kit_step(kit);
			ward_kit_fail_all_allocations(kit, true);
			ward_kit_run(kit);
			ward_kit_fail_all_allocations(kit, false);
			ward_kit_run(kit);
			ward_kit_finish(kit);
		}
	}
}

WARD_TEST(far_child_that_waits_for_its_own_is_suspended_as_any)
{
	size_t seen = 0;
	behavior_of_child = &nest;
	WARD_TEST_SEEDS(ROUNDS)
	{
		ward_kit *kit = start((ward_kit_options){.seed = ward_test_seed()});
		ward_actor_info info;

		ward_kit_tell(kit, child_ref, leave);
		while (ward_kit_step(kit) && ward_kit_info(kit, child_ref, &info)) {
			if (strcmp(info.state, "stopping") != 0)
				continue;
			ward_assert_eq(info.suspended, 1);
			seen++;
		}
		ward_kit_run(kit);
		ward_assert(!ward_kit_is_alive(kit, child_ref));
		ward_kit_finish(kit);
	}
	ward_assert_seen(seen);
}

/* ---- faults of a simulation -------------------------------------------------------------- */

/* Of the runs, which are in other processes. */
static struct struck {
	unsigned faults, of_stand_ins;
} * struck;

static bool is_of_the_wire(const char *path)
{
	return strstr(path, "/system/loop-") != NULL || strstr(path, "/system/guests") != NULL;
}

static void look_where(void *arg, const ward_occasion *occasion, const ward_fault *fault)
{
	char path[WARD_EVENT_PATH];

	if (fault->kind == WARD_FAULT_NONE)
		return;
	ward_system_path(arg, occasion->point == WARD_POINT_SEND ? occasion->to : occasion->who,
			 path, sizeof path);
	ward_assert(!is_of_the_wire(path));
	ward_assert(occasion->type == NULL || strncmp(occasion->type->name, "wardi_", 6) != 0);
	struck->faults++;
	struck->of_stand_ins += strcmp(path, "sim/user/top/one") == 0;
}

static void run_with_faults(ward_kit *kit, void *arg)
{
	ward_ref top = ward_kit_spawn(kit, &parent, .name = "top");

	(void)arg;
	ward_simulation_observe(kit, &(ward_simulation_observer){.begins = look_where,
								 .arg = ward_kit_system(kit)});
	for (int i = 0; i < 5; i++) {
		ward_kit_tell(kit, top, hello);
		ward_kit_advance(kit, WARD_SECOND);
	}
	ward_simulation_faults_end(kit);
	ward_kit_advance(kit, WARD_MINUTE);
	/* the wire is whole: a child of another parent gets what is sent to it */
	top = ward_kit_spawn(kit, &parent, .name = "second");
	ward_kit_run(kit);
	hellos = 0;
	ward_kit_tell(kit, top, hello);
	ward_kit_run(kit);
	ward_assert_eq(hellos, 1);
}

static void check_wire_is_spared(const ward_fault_mix *faults)
{
	const ward_simulation_test test = {
		.name = "spared",
		.run = run_with_faults,
		.faults = *faults,
		.kit = {.far_children = true, .may_leave_mail = true},
	};
	ward_simulation_result result;

	behavior_of_child = &child;
	struck = mmap(NULL, sizeof *struck, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	ward_assert(struck != MAP_FAILED);
	result = ward_simulate(&test);
	ward_assert_str(result.text, "");
	ward_assert_seen(struck->faults);
	ward_assert_seen(struck->of_stand_ins);
	munmap(struck, sizeof *struck);
}

WARD_TEST(faults_of_actors_spare_the_wire_to_far_children)
{
	check_wire_is_spared(&(ward_fault_mix){.fail = 5,
					       .refuse = 2,
					       .memory = 5,
					       .stall = 5,
					       .jump = 5,
					       .delay = 5,
					       .lose = 5,
					       .horizon = 40});
	/* whatever the path */
	check_wire_is_spared(&(ward_fault_mix){
		.fail = 5, .stall = 5, .delay = 5, .lose = 5, .horizon = 40, .path = "*"});
}

WARD_TEST(faults_of_connections_spare_the_wire_to_far_children)
{
	check_wire_is_spared(&(ward_fault_mix){.fail = 5,
					       .stall = 5,
					       .reset = 3,
					       .cut = 3,
					       .cut_one_way = 3,
					       .late = 3,
					       .crash = 3,
					       .horizon = 40});
}

/* ---- which cases have a second system ---------------------------------------------------- */

SAMPLE(sample_without_a_child)
{
	ward_kit *kit = ward_kit_start(NULL);

	(void)ward_kit_spawn(kit, &child);
	ward_kit_run(kit);
	ward_assert_eq(ward_system_actors(ward_kit_system(kit), NULL, NULL), 3 + 1);
	ward_kit_finish(kit);
}

SAMPLE(sample_with_a_child)
{
	ward_kit *kit = ward_kit_start(NULL);

	printf("it begins\n");
	(void)ward_kit_spawn(kit, &parent);
	ward_kit_run(kit);
	/* the loop and its line, the guests */
	ward_assert_eq(ward_system_actors(ward_kit_system(kit), NULL, NULL), 3 + 2 + 3);
	ward_kit_finish(kit);
}

struct secret {
	int number;
};
WARD_MESSAGE(secret);

static const ward_behavior keeper = {
	.name = "keeper", .args = &ward_type_secret, .receive = child_receive};

static ward_result hirer_start(ward_self *self, void *state)
{
	(void)state;
	child_ref =
		ward_spawn(self, &keeper, .name = "one", .args = WARD_ARGS(secret, .number = 5));
	return WARD_DONE;
}

static const ward_behavior hirer = {.name = "hirer", .pre_start = hirer_start};

SAMPLE(sample_whose_arguments_have_no_table)
{
	ward_kit *kit = ward_kit_start(NULL);
	const ward_event *event;

	(void)ward_kit_spawn(kit, &hirer, .name = "top");
	ward_kit_advance(kit, WARD_MINUTE);
	event = ward_kit_event(kit, WARD_EVENT_FAILURE, "sim/user/top/one", 0);
	ward_assert_str(event->failure_class, "ward_initialization");
	ward_assert_part(event->text, "message \"secret\"");
	ward_assert_part(event->text, "no table");
	ward_kit_finish(kit);
}

static bool sample_passes_by(const char *sample, const char *far, char text[16384])
{
	bool passes;

	setenv("WARD_FAR", far, 1);
	passes = sample_passes(sample, 60, text, 16384);
	unsetenv("WARD_FAR");
	return passes;
}

static bool sample_passes_far(const char *sample, char text[16384])
{
	return sample_passes_by(sample, "1", text);
}

WARD_TEST(arguments_without_a_table_refuse_the_start_by_bytes)
{
	char text[16384];

	if (!sample_passes_by("sample_whose_arguments_have_no_table", "bytes", text))
		ward_test_fail(__FILE__, __LINE__, "%s", text);
}

WARD_TEST(case_without_a_far_child_runs_as_without_the_switch)
{
	char text[16384];

	ward_assert(sample_passes_far("sample_without_a_child", text));
	ward_assert(strstr(text, "elsewhere") == NULL);
}

WARD_TEST(case_with_a_far_child_begins_again_with_a_second_system)
{
	char text[16384];
	const char *begins;

	ward_assert(sample_passes_far("sample_with_a_child", text));
	ward_assert_part(text, "# far: this case has a child elsewhere\n");
	begins = strstr(text, "it begins"); /* once: what the first run wrote is left out */
	ward_assert(begins != NULL && strstr(begins + 1, "it begins") == NULL);
}

/* ---- shortages --------------------------------------------------------------------------- */

SAMPLE(sample_whose_child_postpones)
{
	ward_kit *kit = ward_kit_start(NULL);
	ward_ref top;

	behavior_of_child = &fragile;
	top = ward_kit_spawn(kit, &parent, .name = "top");
	ward_kit_tell(kit, top, hello);
	ward_kit_run(kit);
	ward_kit_tell(kit, child_ref, break_down);
	ward_kit_tell(kit, top, hello);
	ward_kit_run(kit);
	ward_assert_state(kit, child_ref, WARD_STATE_RUNNING);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_FAILURE, "sim/user/top/one"), 1);
	ward_kit_tell(kit, child_ref, leave);
	ward_kit_run(kit);
	ward_kit_finish(kit);
}

SAMPLE(sample_of_a_kit_alone)
{
	ward_kit_finish(ward_kit_start(&(ward_kit_options){.far_children = true}));
}

static void check_each_shortage(const char *sample)
{
	char text[16384], arguments[256];

	snprintf(arguments, sizeof arguments, "--shortages %s", sample);
	if (!sample_passes_far(arguments, text))
		ward_test_fail(__FILE__, __LINE__, "%s", text);
	ward_assert(strstr(text, "# 0 shortages") == NULL);
	ward_assert(strstr(text, " 0 cut short") == NULL);
}

WARD_TEST(case_with_a_far_child_runs_once_for_each_allocation)
{
	check_each_shortage("sample_of_a_kit_alone");
	check_each_shortage("sample_with_a_child");
	check_each_shortage("sample_whose_child_postpones");
}

WARD_TEST_MAIN
