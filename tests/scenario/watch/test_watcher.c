/* SPDX-License-Identifier: MIT
 *
 * test_watcher.c - what becomes of a watcher: the pact, its restarts, its end (S66, S67, S69).
 *
 * Method: members of a family watch each other; the seed decides who dies first.
 */
#include "support/watching_family.h"

/* ---- S66: the pact ----------------------------------------------------------------------- */

static ward_result handle_nothing(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	const struct script_word *word = ward_msg_body(msg, &ward_type_script_word);
	return word != NULL && word->call != NULL ? word->call(self, word->arg) : WARD_UNHANDLED;
}

static const ward_behavior indifferent = {.name = "indifferent", .receive = handle_nothing};

WARD_TEST(unhandled_notice_breaks_the_pact, "S66")
{
	struct family f = FAMILY;
	family_start(&f);
	ward_ref ref = ward_kit_spawn(f.kit, &indifferent, .name = "indifferent");
	script_do(f.kit, ref, watch_arg, &f.b);
	ward_kit_run(f.kit);
	stop_and_run(&f, &f.b);
	const ward_event *event =
		ward_kit_event(f.kit, WARD_EVENT_FAILURE, "sim/user/indifferent", 0);
	char path[WARD_EVENT_PATH];
	ward_system_path(ward_kit_system(f.kit), f.b.ref, path, sizeof(path));
	ward_assert_str(event->failure_class, "ward_death_pact");
	ward_assert(strstr(event->text, path) != NULL ||
		    strstr(event->text, "sim/user/g/p/b") != NULL);
	ward_assert_eq(event->directive, WARD_STOP);
	ward_assert(!ward_kit_is_alive(f.kit, ref));
	script_finish(f.kit);
}

WARD_TEST(unhandled_custom_notice_is_just_unhandled, "S66", "S83")
{
	struct family f = FAMILY;
	family_start(&f);
	ward_ref ref = ward_kit_spawn(f.kit, &indifferent, .name = "indifferent");
	script_do(f.kit, ref, watch_arg_with, &f.b);
	ward_kit_run(f.kit);
	stop_and_run(&f, &f.b);
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_FAILURE, "*"), 0);
	const ward_event *event =
		ward_kit_event(f.kit, WARD_EVENT_UNHANDLED, "sim/user/indifferent", 0);
	ward_assert_str(event->message_type, "script_word");
	ward_assert(ward_ref_equal(event->sender, f.b.ref));
	ward_assert(ward_kit_is_alive(f.kit, ref));
	script_finish(f.kit);
}

/* ---- S67: restarts of the watcher -------------------------------------------------------- */

static ward_result stop_a_only(ward_self *self, const ward_failure *why, const ward_msg *msg)
{
	(void)why;
	(void)msg;
	ward_stop(self, ward_child(self, "a"));
	return WARD_DONE;
}

static ward_result watch_with_pill(ward_self *self, void *arg)
{
	ward_watch_with(self, ((struct script *)arg)->ref, ward_poison_pill);
	return WARD_DONE;
}

WARD_TEST(notice_that_is_a_pill_stops_the_watcher, "S60", "S50")
{
	struct family f = FAMILY;
	family_start(&f);
	do_and_run(&f, &f.a, watch_with_pill, &f.b);
	stop_and_run(&f, &f.b);
	assert_journal_of("a", "post_stop");
	ward_assert(!ward_kit_is_alive(f.kit, f.a.ref));
	script_finish(f.kit);
}

WARD_TEST(child_stopped_without_unwatch_is_told_to_the_new_instance, "S67")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.g.decides = WARD_RESTART;
		f.p.watches_children = true;
		f.p.keeps_children = true;
		f.p.pre_restart = stop_a_only;
		family_start(&f);
		script_break(f.kit, f.p.ref, &bad_luck);
		ward_kit_run(f.kit);
		assert_journal_of("p", "break;pre_restart;init;post_restart;pre_start;gone a");
		script_finish(f.kit);
	}
}

WARD_TEST(notice_of_an_old_child_never_names_its_successor, "S67", "S64")
{
	/* The default pre_restart stops and unwatches a; post_restart makes and watches another
	 * a. */
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.g.decides = WARD_RESTART;
		f.p.watches_children = true;
		family_start(&f);
		script_break(f.kit, f.p.ref, &bad_luck);
		ward_kit_run(f.kit);
		assert_journal_of("p", "break;pre_restart;post_stop;init;post_restart;pre_start");
		stop_and_run(&f, &f.a);
		ward_assert_part(journal_of("p"), "pre_start;gone a");
		script_finish(f.kit);
	}
}

/* ---- S69: the watcher dies first --------------------------------------------------------- */

WARD_TEST(dying_watcher_takes_its_watches_back, "S69")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		family_start(&f);
		uint64_t blocks = ward_kit_blocks(f.kit);
		for (int i = 0; i < 10; i++) {
			struct script w = {.name = "w"};
			script_spawn(f.kit, &w);
			do_and_run(&f, &w, watch_arg, &f.a);
			do_and_run(&f, &w, watch_arg_with, &f.b);
			stop_and_run(&f, &w);
			blocks = i == 0 ? ward_kit_blocks(f.kit) : blocks; /* with w's cell */
		}
		ward_assert_eq(ward_kit_blocks(f.kit), blocks);
		stop_and_run(&f, &f.a);
		stop_and_run(&f, &f.b);
		ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
		script_finish(f.kit);
	}
}

WARD_TEST(watch_begun_in_post_stop_ends_with_the_actor, "S69")
{
	for (int lives = 0; lives < 2; lives++) {
		WARD_TEST_SEEDS(ROUNDS)
		{
			struct family f = FAMILY;
			struct script w = {.name = "w"};
			f.a.post_stop = watch_arg;
			f.a.arg = &f.b;
			family_start(&f);
			stop_and_run(&f, &f.a);
			/* The next life of its cell begins with no watch of its own. */
			if (lives > 0) {
				script_spawn(f.kit, &w);
				do_and_run(&f, &w, watch_arg, &f.b);
			}
			stop_and_run(&f, &f.b);
			assert_journal_of("w", lives > 0 ? "init;pre_start;gone b" : "");
			ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
			script_finish(f.kit);
		}
	}
}

WARD_TEST(both_die_at_once_and_nothing_is_left, "S69", "S64")
{
	WARD_TEST_SEEDS(200)
	{
		struct family f = FAMILY;
		family_start(&f);
		script_do(f.kit, f.a.ref, watch_arg, &f.b);
		script_do(f.kit, f.b.ref, watch_arg_with, &f.a);
		script_do(f.kit, f.c.ref, watch_arg_with, &f.a);
		ward_system_stop(ward_kit_system(f.kit), f.b.ref);
		ward_system_tell(ward_kit_system(f.kit), f.a.ref, ward_poison_pill);
		ward_kit_run(f.kit);
		assert_journal_of("c", "lost");
		/* script_finish() misses what leaked, and finds a word that was dropped twice. */
		script_finish(f.kit);
	}
}

WARD_TEST_MAIN
