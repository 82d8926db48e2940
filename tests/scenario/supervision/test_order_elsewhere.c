/* SPDX-License-Identifier: MIT
 *
 * test_order_elsewhere.c - what a guest gets comes in the order in which it would come to a child
 * here.
 *
 * Method: family_tree.h, whose children are elsewhere (far_children): mail for one goes through its
 * stand-in, and what is ordered, or has ended, must not overtake it.
 */
#include <string.h>

#include "support/linked_family.h"

static void start(struct family *f)
{
	f->g.children[0] = &f->p;
	f->p.children[0] = &f->a;
	f->p.children[1] = &f->b;
	f->kit = script_start(&(ward_kit_options){.far_children = true});
	script_spawn(f->kit, &f->g);
	ward_kit_run(f->kit);
	journal_clear();
}

static ward_result tell_and_stop(ward_self *self, void *arg)
{
	script_tell(self, ((struct script *)arg)->ref, "first");
	script_tell(self, ((struct script *)arg)->ref, "second");
	ward_stop_self(self);
	return WARD_DONE;
}

static void b_tells_and_ends(struct family *f, const char *wanted)
{
	script_do(f->kit, f->b.ref, tell_and_stop, &f->a);
	ward_kit_run(f->kit);
	assert_journal_of("a", wanted);
	script_finish(f->kit);
}

WARD_TEST(notice_comes_to_a_guest_behind_what_was_sent_to_its_stand_in, "S60", "S192")
{
	WARD_TEST_SEEDS(2 * ROUNDS)
	{
		struct family f = FAMILY;
		start(&f);
		do_and_run(&f, &f.a, watch_arg, &f.b);
		b_tells_and_ends(&f, "first;second;gone b");
	}
}

WARD_TEST(exit_comes_to_a_guest_behind_what_was_sent_to_its_stand_in, "S117", "S192")
{
	WARD_TEST_SEEDS(2 * ROUNDS)
	{
		struct family f = FAMILY;
		start(&f);
		let_trap(&f, &f.a);
		do_and_run(&f, &f.a, link_arg, &f.b);
		b_tells_and_ends(&f, "first;second;exited b: normal");
	}
}

static ward_result unwatch_arg(ward_self *self, void *arg)
{
	ward_unwatch(self, ((struct script *)arg)->ref);
	return WARD_DONE;
}

/* What waits for the mail of the stand-in is forgotten with the watch. */
WARD_TEST(notice_that_waits_at_the_stand_in_ends_with_the_watch, "S63", "S192")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		start(&f);
		do_and_run(&f, &f.a, watch_arg, &f.b);
		script_do(f.kit, f.b.ref, tell_and_stop, &f.a);
		while (strstr(journal_text(), "b:post_stop") == NULL)
			ward_assert(ward_kit_step(f.kit));
		script_do(f.kit, f.a.ref, unwatch_arg, &f.b);
		script_say(f.kit, f.a.ref, "unwatched");
		ward_kit_run(f.kit);
		ward_assert(strstr(journal_of("a"), "unwatched;gone") == NULL);
		ward_assert_part(journal_of("a"), "first;second");
		script_finish(f.kit);
	}
}

WARD_TEST(mail_behind_a_decision_does_not_overtake_the_restart_of_a_sibling, "S24", "S191")
{
	WARD_TEST_SEEDS(2 * ROUNDS)
	{
		struct family f = FAMILY;
		f.p.strategy = &script_all;
		start(&f);
		script_break(f.kit, f.a.ref, &bad_luck);
		while (strstr(journal_text(), "p:decide a") == NULL)
			ward_assert(ward_kit_step(f.kit));
		script_say(f.kit, f.b.ref, "after");
		ward_kit_run(f.kit);
		assert_journal_of("b", "pre_restart;post_stop;init;post_restart;pre_start;after");
		script_finish(f.kit);
	}
}

static ward_result exit_own_ref(ward_self *self, void *arg)
{
	ward_assert_ok(ward_exit(self, ((struct script *)arg)->ref,
				 &(ward_exit_reason){.kind = WARD_EXIT_NORMAL}));
	return WARD_DONE;
}

WARD_TEST(signal_of_a_guest_to_its_stand_in_is_one_to_itself, "S117", "S192")
{
	struct family f = FAMILY;
	start(&f);
	do_and_run(&f, &f.a, exit_own_ref, &f.a);
	assert_journal_of("a", "post_stop");
	ward_assert(!lives(&f, &f.a));
	script_finish(f.kit);
}

WARD_TEST_MAIN
