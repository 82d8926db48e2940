/* SPDX-License-Identifier: MIT
 *
 * test_restart_kept.c - what an actor keeps over a restart, and what it begins again (S44).
 *
 * Method: a family, and single actors with a state or arguments of their own. RESTARTED is what a
 * scripted actor without children notes in a default restart.
 */
#include "support/family_tree.h"

#define RESTARTED "pre_restart;post_stop;init;post_restart;pre_start"

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};

static void break_and_run(struct family *f, const struct script *who)
{
	script_break(f->kit, who->ref, &bad_luck);
	ward_kit_run(f->kit);
}

/* ---- kept ---------------------------------------------------------------------------------- */

WARD_TEST(mailbox_is_kept_in_order, "S44")
{
	struct family f = FAMILY;
	family_start(&f);
	script_say(f.kit, f.a.ref, "one");
	script_break(f.kit, f.a.ref, &bad_luck);
	script_say(f.kit, f.a.ref, "two");
	ward_kit_run_until_state(f.kit, f.a.ref, WARD_STATE_FAILED);
	script_say(f.kit, f.a.ref, "three");
	ward_kit_run(f.kit);
	assert_journal_of("a", "one;break;" RESTARTED ";two;three");
	script_finish(f.kit);
}

static ward_result watch_arg(ward_self *self, void *arg)
{
	ward_assert_ok(ward_try_watch(self, ((struct script *)arg)->ref));
	return WARD_DONE;
}

WARD_TEST(watches_are_kept_in_both_directions, "S44", "S67")
{
	struct family f = FAMILY;
	family_start(&f);
	script_do(f.kit, f.a.ref, watch_arg, &f.b); /* a watches b, and c watches a */
	script_do(f.kit, f.c.ref, watch_arg, &f.a);
	ward_kit_run(f.kit);
	break_and_run(&f, &f.a);
	ward_system_stop(ward_kit_system(f.kit), f.b.ref);
	ward_kit_run(f.kit);
	assert_journal_of("a", "break;" RESTARTED ";gone b");
	ward_system_stop(ward_kit_system(f.kit), f.a.ref);
	ward_kit_run(f.kit);
	assert_journal_of("c", "gone a");
	script_finish(f.kit);
}

WARD_TEST(terminated_that_waits_already_is_kept, "S44", "S67")
{
	struct family f = FAMILY;
	family_start(&f);
	script_do(f.kit, f.a.ref, watch_arg, &f.b);
	ward_kit_run(f.kit);
	script_break(f.kit, f.a.ref, &bad_luck);
	ward_kit_run_until_state(f.kit, f.a.ref, WARD_STATE_FAILED);
	ward_system_stop(ward_kit_system(f.kit), f.b.ref);
	ward_kit_run_until_state(f.kit, f.b.ref, WARD_STATE_GONE);
	ward_kit_run(f.kit);
	assert_journal_of("a", "break;" RESTARTED ";gone b");
	script_finish(f.kit);
}

static const ward_strategy one_restart = {.otherwise = WARD_RESTART, .restarts_max = 1};

WARD_TEST(surviving_children_keep_what_they_were_charged, "S44", "S70")
{
	struct family f = FAMILY;
	f.g.decides = WARD_RESTART;
	f.p.strategy = &one_restart;
	f.p.keeps_children = true;
	family_start(&f);
	break_and_run(&f, &f.a);
	break_and_run(&f, &f.p);
	ward_assert_state(f.kit, f.a.ref, WARD_STATE_RUNNING);
	break_and_run(&f, &f.a);
	ward_assert_state(f.kit, f.a.ref, WARD_STATE_GONE);
	script_finish(f.kit);
}

struct stateful {
	int count;
};

static ward_result stateful_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)msg;
	struct stateful *me = state;
	ward_assert(ward_state(self) == state);
	journal_note("%d in %u", ++me->count, ward_incarnation(self));
	return me->count == 2 ? ward_failed(self, &bad_luck, "two") : WARD_DONE;
}

WARD_TEST(state_begins_at_zero_in_each_incarnation, "S44")
{
	static const ward_behavior stateful = {.name = "stateful",
					       .state_size = sizeof(struct stateful),
					       .receive = stateful_receive};
	ward_kit *kit = script_start(NULL);
	ward_ref ref = ward_kit_spawn(kit, &stateful);
	for (int i = 0; i < 5; i++)
		script_say(kit, ref, "count");
	ward_kit_run(kit);
	assert_journal("1 in 1;2 in 1;1 in 2;2 in 2;1 in 3");
	script_finish(kit);
}

static ward_result tell_break(ward_self *self, void *arg)
{
	script_tell_break(self, ((struct script *)arg)->ref, &bad_luck);
	return WARD_DONE;
}

static ward_result note_cause(ward_self *self, const ward_failure *why)
{
	(void)self;
	ward_assert(ward_failure_is(why, &bad_luck));
	journal_note("cause");
	return WARD_DONE;
}

WARD_TEST(post_restart_has_the_cause, "S44", "S35")
{
	struct family f = FAMILY;
	f.a.post_restart = note_cause;
	family_start(&f);
	script_do(f.kit, f.b.ref, tell_break, &f.a);
	ward_kit_run(f.kit);
	ward_assert_part(journal_text(), "a:post_restart;cause;a:pre_start");
	script_finish(f.kit);
}

static ward_result plain_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	(void)msg;
	return ward_failed(self, &bad_luck, "always");
}

struct label {
	char text[8];
};
WARD_MESSAGE(label);

static ward_result label_init(ward_self *self, void *state, const void *args)
{
	(void)state;
	const struct label *label = args;
	ward_assert(ward_args(self) == args);
	journal_note("made with %s", label->text);
	return WARD_DONE;
}

WARD_TEST(arguments_are_copied_and_kept, "S44")
{
	static const ward_behavior labelled = {.name = "labelled",
					       .args = &ward_type_label,
					       .init = label_init,
					       .receive = plain_receive};
	struct label label = {"old"};
	ward_kit *kit = script_start(NULL);
	ward_ref ref = ward_kit_spawn(kit, &labelled, .args = {WARD_COPY(label, &label)});
	strcpy(label.text, "new");
	script_say(kit, ref, "fail");
	ward_kit_run(kit);
	assert_journal("made with old;made with old");
	script_finish(kit);
}

WARD_TEST_MAIN
