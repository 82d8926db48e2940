/* SPDX-License-Identifier: MIT
 *
 * test_kit_tree.c - the tree of a kit as text, in all states, and when a case hangs.
 *
 * Method: a family is brought into each state in small steps, and its tree is read.
 */
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>

#include "support/family_tree.h"
#include "support/samples.h"

WARD_SIGNAL(go);

static const char *tree_of(const ward_kit *kit)
{
	static char text[65536];
	int fd = memfd_create("tree", 0);
	ward_assert(fd >= 0);
	ward_kit_print_tree(kit, fd);
	ssize_t length = pread(fd, text, sizeof(text) - 1, 0);
	ward_assert(length > 0);
	text[length] = '\0';
	close(fd);
	return text;
}

WARD_TEST(tree_shows_parents_above_children)
{
	struct family f = FAMILY;
	family_start(&f);
	const char *tree = tree_of(f.kit);
	ward_assert_part(tree, "--- 8 actors at 0.000 s, 0 timers, 0 descriptors, seed ");
	ward_assert_part(tree, "\nsim/ running\n"
			       "  system running\n"
			       "  user running\n"
			       "    g running\n"
			       "      p running\n"
			       "        a running\n"
			       "        b running\n"
			       "        c running\n");
	script_finish(f.kit);
}

static ward_result shrug(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)msg;
	return WARD_UNHANDLED;
}

static ward_result count_down(ward_self *self, void *state)
{
	(void)state;
	ward_status_countdown(self, 2300, "starts again in {}");
	return WARD_DONE;
}

WARD_TEST(tree_has_what_an_actor_shows_of_itself)
{
	static const ward_behavior database = {
		.name = "database", .receive = shrug, .pre_start = count_down};
	ward_kit *kit = ward_kit_start(NULL);

	(void)ward_kit_spawn(kit, &database, .name = "database");
	ward_kit_run(kit);
	ward_kit_advance(kit, 300);
	ward_assert_part(tree_of(kit), "\n    database running: starts again in 2.0 s\n");
	ward_kit_finish(kit);
}

WARD_TEST(failed_waits_for_its_parent_and_those_below_for_what_is_decided)
{
	struct family f = FAMILY;
	family_start(&f);
	script_break(f.kit, f.p.ref, &ward_exception);
	ward_kit_run_until_state(f.kit, f.p.ref, WARD_STATE_FAILED);
	script_say(f.kit, f.a.ref, "mail");
	ward_assert_part(tree_of(f.kit),
			 "      p failed, suspended 1; last failure: ward_exception: "
			 "break; waits for its parent's decision\n");
	/* The orders for a, b and c are under way: each takes its turn. */
	ward_actor_info info;
	do
		ward_assert(ward_kit_info(f.kit, f.a.ref, &info));
	while (info.suspended == 0 && ward_kit_step(f.kit));
	if (ward_kit_state(f.kit, f.p.ref) == WARD_STATE_FAILED)
		ward_assert_part(tree_of(f.kit), "a running, suspended 1, unread mail; waits for "
						 "what is decided about sim/user/g/p\n");
	script_finish(f.kit);
}

WARD_TEST(failed_below_a_failed_one_waits_for_a_suspended_parent)
{
	struct family f = FAMILY;
	f.g.decides = WARD_LATER;
	f.leaves_mail = true;
	family_start(&f);
	script_break(f.kit, f.p.ref, &ward_exception);
	script_break(f.kit, f.a.ref, &ward_exception);
	ward_kit_run(f.kit);
	const char *tree = tree_of(f.kit);
	ward_assert_part(tree,
			 "p failed, suspended 1; last failure: ward_exception: break; waits for "
			 "its parent's decision\n");
	ward_assert_part(tree, "b running, suspended 1; waits for what is decided about "
			       "sim/user/g/p\n");
	if (ward_kit_state(f.kit, f.a.ref) == WARD_STATE_FAILED)
		ward_assert_part(tree, "waits for its parent, which is suspended itself\n");
	script_finish(f.kit);
}

/* Steps until the tree has this line. */
static void step_to_line(struct family *f, const char *line)
{
	while (strstr(tree_of(f->kit), line) == NULL) {
		if (!ward_kit_step(f->kit))
			ward_test_fail(__FILE__, __LINE__, "no tree has the line %s", line);
	}
}

WARD_TEST(stopping_and_restarting_wait_for_children)
{
	struct family f = FAMILY;
	f.g.decides = WARD_RESTART;
	family_start(&f);
	script_break(f.kit, f.p.ref, &ward_exception);
	step_to_line(&f,
		     "p restarting, suspended 1; last failure: ward_exception: break; waits for 3 "
		     "children: a, b, c\n");
	ward_kit_run(f.kit);
	ward_assert_part(tree_of(f.kit), "p running, incarnation 2; last failure");
	ward_system_stop(ward_kit_system(f.kit), f.p.ref);
	step_to_line(&f,
		     "p stopping, suspended 1, incarnation 2; last failure: ward_exception: break; "
		     "waits for 3 children: a, b, c\n");
	step_to_line(&f, "; waits for its parent to take note\n");
	script_finish(f.kit);
}

WARD_TEST(start_and_restart_that_failed_wait_for_a_decision)
{
	struct family f = FAMILY;
	f.p.decides = WARD_LATER;
	f.a.traps[0] = (struct script_trap){SCRIPT_PRE_START, .first = 1};
	f.leaves_mail = true;
	f.b.traps[0] = (struct script_trap){SCRIPT_POST_RESTART, .first = 1};
	family_start(&f);
	ward_assert_part(tree_of(f.kit), "a start-failed, suspended 1");
	ward_assert_part(tree_of(f.kit), "waits for its parent's decision\n");
	f.p.decides = WARD_RESTART;
	script_break(f.kit, f.b.ref, &ward_exception);
	ward_kit_run_until_state(f.kit, f.b.ref, WARD_STATE_RESTART_FAILED);
	ward_assert_part(tree_of(f.kit), "b restart-failed, suspended 1, incarnation 2; ");
	script_finish(f.kit);
}

WARD_TEST(bounded_mailbox_is_counted)
{
	struct script a = {.name = "a",
			   .mailbox = {.messages_max = 2, .overflow = WARD_OVERFLOW_DROP_NEWEST}};
	ward_kit *kit = script_start(NULL);
	script_spawn(kit, &a);
	for (int i = 0; i < 5; i++)
		script_say(kit, a.ref, "word");
	ward_assert_part(tree_of(kit), "a running, 2 messages unread, 3 dropped, ready\n");
	script_finish(kit);
}

/* ---- a hang ------------------------------------------------------------------------------ */

static sem_t never;

static ward_result hang_on(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)msg;
	while (sem_wait(&never) != 0)
		;
	return WARD_DONE;
}

static const ward_behavior hanging = {.name = "hanging", .receive = hang_on};

/* Beside a kit where all is well. */
static void hang(bool real_threads)
{
	sem_init(&never, 0, 0);
	ward_kit *well = ward_kit_start(NULL);
	ward_kit_spawn(well, &hanging, .name = "well");
	ward_kit *kit = ward_kit_start(&(ward_kit_options){.real_threads = real_threads});
	ward_ref ref = ward_kit_spawn(kit, &hanging, .name = "stuck");
	ward_system_tell(ward_kit_system(kit), ref, go);
	ward_assert_ok(ward_system_wait_for(ward_kit_system(kit), ref, WARD_FOREVER));
}

SAMPLE(hang_in_a_simulation)
{
	hang(false);
}

SAMPLE(hang_on_threads)
{
	hang(true);
}

WARD_TEST(case_that_hangs_shows_the_trees_of_all_kits)
{
	const char *samples[] = {"hang_in_a_simulation", "hang_on_threads"};
	for (int i = 0; i < 2; i++) {
		char text[16384];
		ward_assert(!sample_passes(samples[i], 1, text, sizeof(text)));
		ward_assert_part(text, "#     stuck running, handles go for ");
		ward_assert_part(text,
				 "# a thread outside waits for its end: sim/user/stuck, for ");
		ward_assert_part(text, "#     well starting, ready");
		ward_assert_part(text, "# timed out after 1 s\n");
	}
}

SAMPLE(state_is_another)
{
	ward_kit *kit = ward_kit_start(NULL);

	ward_assert_state(kit, ward_kit_spawn(kit, &hanging, .name = "well"), WARD_STATE_FAILED);
}

SAMPLE(event_does_not_come)
{
	ward_kit *kit = ward_kit_start(NULL);

	ward_kit_spawn(kit, &hanging, .name = "well");
	ward_expect_events(kit, 1, .kinds = WARD_EVENT_FAILURE)
	{
		ward_kit_run(kit);
	}
}

WARD_TEST(failed_checks_of_a_kit_show_its_tree)
{
	const char *samples[] = {"state_is_another", "event_does_not_come"};
	for (int i = 0; i < 2; i++) {
		char text[16384];
		ward_assert(!sample_passes(samples[i], 60, text, sizeof(text)));
		ward_assert_part(text, "#     well ");
	}
}

WARD_TEST_MAIN
