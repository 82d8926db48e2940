/* SPDX-License-Identifier: MIT
 *
 * test_restart.c - the restart of an actor, step by step (S31-S36, S40, S43).
 *
 * Method: a family whose g restarts p. RESTARTED is what a scripted actor without children notes in
 * a default restart.
 */
#include "support/family_tree.h"

#define RESTARTED "pre_restart;post_stop;init;post_restart;pre_start"

enum { ROUNDS = 40 };

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};

static void break_and_run(struct family *f, const struct script *who)
{
	script_break(f->kit, who->ref, &bad_luck);
	ward_kit_run(f->kit);
}

/* ---- S31: what pre_restart sees ---------------------------------------------------------- */

static ward_result note_message(ward_self *self, const ward_failure *why, const ward_msg *msg)
{
	const char *name = script_of(self)->name;
	if (msg == NULL) {
		journal_note("%s:no message", name);
		return WARD_DONE;
	}
	const struct script_word *word = ward_msg_body(msg, &ward_type_script_word);
	ward_assert(word != NULL);
	ward_assert(ward_failure_is(why, &bad_luck));
	journal_note("%s:has %s of %s", name, word->text, script_name(ward_msg_sender(msg)));
	return WARD_DONE;
}

static ward_result tell_break(ward_self *self, void *arg)
{
	script_tell_break(self, ((struct script *)arg)->ref, &bad_luck);
	return WARD_DONE;
}

WARD_TEST(pre_restart_sees_the_failed_message_and_its_sender, "S31")
{
	struct family f = FAMILY;
	f.a.pre_restart = note_message;
	family_start(&f);
	script_do(f.kit, f.b.ref, tell_break, &f.a);
	ward_kit_run(f.kit);
	assert_journal_of("a", "break;pre_restart;has break of b;post_stop;init;post_restart;"
			       "pre_start");
	script_finish(f.kit);
}

/* Breaks the first time, is noted the second time. */
static ward_result once_bitten(ward_self *self, const ward_msg *msg)
{
	const struct script_word *word = ward_msg_body(msg, &ward_type_script_word);
	int *count = script_of(self)->arg;
	if (word == NULL || strcmp(word->text, "bite") != 0)
		return WARD_UNHANDLED;
	journal_note("%s:try %d for %s", script_of(self)->name, ++*count,
		     script_name(ward_msg_sender(msg)));
	return *count == 1 ? ward_failed(self, &bad_luck, "bitten") : WARD_DONE;
}

static ward_result send_again(ward_self *self, const ward_failure *why, const ward_msg *msg)
{
	(void)why;
	ward_assert(msg != NULL);
	ward_forward(self, ward_self_ref(self));
	return WARD_DONE;
}

static ward_result ask_a_twice(ward_self *self, void *arg)
{
	struct family *f = arg;
	script_tell(self, f->a.ref, "bite");
	script_tell(self, f->a.ref, "next");
	return WARD_DONE;
}

WARD_TEST(failed_message_can_be_sent_again_with_its_sender, "S31")
{
	struct family f = FAMILY;
	int count = 0;
	f.a.receive = once_bitten;
	f.a.pre_restart = send_again;
	f.a.arg = &count;
	family_start(&f);
	script_do(f.kit, f.b.ref, ask_a_twice, &f);
	ward_kit_run(f.kit);
	assert_journal_of("a", "try 1 for b;" RESTARTED ";next;try 2 for b");
	script_finish(f.kit);
}

WARD_TEST(sibling_and_child_restarted_along_have_no_message, "S31", "S43")
{
	struct family f = FAMILY;
	f.p.strategy = &script_all;
	f.b.pre_restart = note_message;
	struct script d = {.name = "d", .pre_restart = note_message};
	f.c.children[0] = &d;
	f.c.keeps_children = true;
	family_start(&f);
	break_and_run(&f, &f.a);
	assert_journal_of("b", "pre_restart;no message;post_stop;init;post_restart;pre_start");
	assert_journal_of("d", "pre_restart;no message;post_stop;init;post_restart;pre_start");
	script_finish(f.kit);
}

WARD_TEST(restart_after_an_escalation_has_no_message, "S31")
{
	struct family f = FAMILY;
	f.g.decides = WARD_RESTART;
	f.p.decides = WARD_ESCALATE;
	f.p.pre_restart = note_message;
	family_start(&f);
	break_and_run(&f, &f.a);
	ward_assert_part(journal_of("p"), "decide a;pre_restart;no message;post_stop");
	script_finish(f.kit);
}

/* ---- S32: the default hooks -------------------------------------------------------------- */

WARD_TEST(default_restart_stops_the_old_instance_and_its_children_first, "S32", "S34")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.g.decides = WARD_RESTART;
		family_start(&f);
		ward_ref old = f.a.ref;
		script_say(f.kit, f.a.ref, "before");
		break_and_run(&f, &f.p);
		assert_journal_of("p", "break;" RESTARTED);
		ward_assert(noted_before("a:post_stop", "p:init"));
		ward_assert(noted_before("b:post_stop", "p:init"));
		ward_assert(noted_before("c:post_stop", "p:init"));
		ward_assert(!ward_kit_is_alive(f.kit, old));
		check_well(f.kit, &f.a);
		script_finish(f.kit);
	}
}

static ward_result plain_init(ward_self *self, void *state, const void *args)
{
	(void)self;
	(void)state;
	(void)args;
	journal_note("init");
	return WARD_DONE;
}

static ward_result plain_pre_start(ward_self *self, void *state)
{
	(void)self;
	(void)state;
	journal_note("pre_start");
	return WARD_DONE;
}

static ward_result plain_post_stop(ward_self *self, void *state)
{
	(void)self;
	(void)state;
	journal_note("post_stop");
	return WARD_DONE;
}

static ward_result plain_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	(void)msg;
	return ward_failed(self, &bad_luck, "always");
}

WARD_TEST(restart_without_hooks_of_its_own_is_post_stop_then_pre_start, "S32")
{
	static const ward_behavior plain = {.name = "plain",
					    .init = plain_init,
					    .pre_start = plain_pre_start,
					    .post_stop = plain_post_stop,
					    .receive = plain_receive};
	ward_kit *kit = script_start(NULL);
	ward_ref ref = ward_kit_spawn(kit, &plain);
	script_say(kit, ref, "fail");
	ward_kit_run(kit);
	assert_journal("init;pre_start;post_stop;init;pre_start");
	script_finish(kit);
}

static ward_result receive_gone(ward_self *self, const ward_msg *msg)
{
	const struct ward_terminated *gone = ward_match(msg, ward_terminated);
	if (gone == NULL)
		return WARD_UNHANDLED;
	journal_note("%s:lost %s in %u", script_of(self)->name, script_name(gone->who),
		     ward_incarnation(self));
	return WARD_DONE;
}

WARD_TEST(default_restart_unwatches_the_children_it_stops, "S32", "S67")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.g.decides = WARD_RESTART;
		f.p.watches_children = true;
		f.p.receive = receive_gone;
		family_start(&f);
		break_and_run(&f, &f.p);
		assert_journal_of("p", "break;" RESTARTED);
		script_finish(f.kit);
	}
}

WARD_TEST(pre_restart_that_does_nothing_keeps_the_children, "S32", "S43")
{
	struct family f = FAMILY;
	f.g.decides = WARD_RESTART;
	f.p.keeps_children = true;
	family_start(&f);
	ward_ref a = f.a.ref;
	break_and_run(&f, &f.p);
	assert_journal_of("p", "break;pre_restart;init;post_restart;pre_start");
	/* They are restarted, in the same lives. */
	assert_journal_of("a", RESTARTED);
	assert_journal_of("b", RESTARTED);
	ward_assert(ward_ref_equal(a, f.a.ref));
	ward_assert(ward_kit_is_alive(f.kit, a));
	script_finish(f.kit);
}

/* ---- S33: errors in pre_restart ---------------------------------------------------------- */

static ward_result stop_a_and_fail(ward_self *self, const ward_failure *why, const ward_msg *msg)
{
	(void)why;
	(void)msg;
	ward_stop(self, ward_child(self, "a"));
	ward_fail(self, &ward_check_failed, "before the rest was stopped");
}

WARD_TEST(error_in_pre_restart_leaves_the_children_that_were_not_stopped_yet, "S33")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.g.decides = WARD_RESTART;
		f.p.pre_restart = stop_a_and_fail;
		family_start(&f);
		ward_ref b = f.b.ref;
		break_and_run(&f, &f.p);
		/* a was stopped, and the new instance made another one. */
		assert_journal_of("a", "post_stop;init;pre_start");
		assert_journal_of("b", RESTARTED);
		assert_journal_of("c", RESTARTED);
		ward_assert(ward_kit_is_alive(f.kit, b));
		assert_journal_of("p", "break;pre_restart;init;post_restart;pre_start");
		ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_FAILURE, "*"), 1);
		const ward_event *event =
			ward_kit_event(f.kit, WARD_EVENT_HOOK_FAILURE, "*/g/p", 0);
		ward_assert_str(event->failure_class, "ward_check_failed");
		ward_assert_part(event->text, "pre_restart");
		ward_assert_part(event->text, "before the rest was stopped");
		check_well(f.kit, &f.p);
		script_finish(f.kit);
	}
}

/* ---- S34, S35: waiting, and the order of completion -------------------------------------- */

static ward_result stop_a_then_fail(ward_self *self, void *arg)
{
	(void)arg;
	ward_stop(self, ward_child(self, "a"));
	return ward_failed(self, &bad_luck, "after a stop");
}

WARD_TEST(restart_waits_also_for_children_stopped_before_the_failure, "S34")
{
	size_t seen = 0;
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		struct script d = {.name = "d"};
		f.g.decides = WARD_RESTART;
		f.p.keeps_children = true;
		f.a.children[0] = &d; /* so that a's end takes more than one turn */
		family_start(&f);
		script_do(f.kit, f.p.ref, stop_a_then_fail, NULL);
		ward_kit_run_until_state(f.kit, f.p.ref, WARD_STATE_FAILED);
		while (strstr(journal_text(), "p:init") == NULL) {
			seen += ward_kit_state(f.kit, f.p.ref) == WARD_STATE_RESTARTING;
			ward_assert(ward_kit_step(f.kit));
		}
		ward_assert(noted_before("d:post_stop", "p:init"));
		ward_assert(noted_before("a:post_stop", "p:init"));
		ward_kit_run(f.kit);
		assert_journal_of("b", RESTARTED);
		script_finish(f.kit);
	}
	ward_assert_seen(seen);
}

static void note_release(void *arg)
{
	journal_note("%s", (const char *)arg);
}

static ward_result own_things(ward_self *self, void *arg)
{
	(void)arg;
	ward_defer(self, note_release, "p:first");
	ward_defer(self, note_release, "p:second");
	return WARD_DONE;
}

WARD_TEST(old_incarnation_is_released_between_the_last_child_and_the_factory, "S35")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.g.decides = WARD_RESTART;
		family_start(&f);
		script_do(f.kit, f.p.ref, own_things, NULL);
		break_and_run(&f, &f.p);
		assert_journal_of("p", "break;pre_restart;post_stop;second;first;init;post_restart;"
				       "pre_start");
		ward_assert(noted_before("a:post_stop", "p:second"));
		ward_assert(noted_before("b:post_stop", "p:second"));
		ward_assert(noted_before("c:post_stop", "p:second"));
		script_finish(f.kit);
	}
}

WARD_TEST(resume_releases_nothing, "S35", "S22")
{
	struct family f = FAMILY;
	family_start(&f);
	script_do(f.kit, f.p.ref, own_things, NULL);
	break_and_run(&f, &f.p);
	assert_journal("p:break;g:decide p");
	ward_system_stop(ward_kit_system(f.kit), f.p.ref);
	ward_kit_run(f.kit);
	assert_journal_of("p", "break;post_stop;second;first");
	script_finish(f.kit);
}

WARD_TEST(restarted_actor_runs_no_mail_while_an_ancestor_is_suspended, "S35", "S8")
{
	size_t seen = 0;
	WARD_TEST_SEEDS(200)
	{
		struct family f = FAMILY;
		struct script top = {
			.name = "top", .strategy = &script_one, .decides = WARD_RESUME};
		f.g.decides = WARD_RESTART;
		top.children[0] = &f.g;
		f.g.children[0] = &f.p;
		f.kit = script_start(NULL);
		script_spawn(f.kit, &top);
		journal_clear();
		script_break(f.kit, f.p.ref, &bad_luck);
		while (strstr(journal_text(), "g:decide p") == NULL)
			ward_assert(ward_kit_step(f.kit));
		script_break(f.kit, f.g.ref, &bad_luck);
		ward_kit_run_until_state(f.kit, f.g.ref, WARD_STATE_FAILED);
		script_say(f.kit, f.p.ref, "late");
		while (strstr(journal_text(), "top:decide g") == NULL) {
			ward_actor_info p;
			ward_assert(ward_kit_info(f.kit, f.p.ref, &p));
			seen += p.incarnation == 2 && p.suspended == 1;
			ward_assert(strstr(journal_text(), "p:late") == NULL);
			ward_assert(ward_kit_step(f.kit));
		}
		ward_kit_run(f.kit);
		assert_journal_of("p", "break;" RESTARTED ";late");
		check_well(f.kit, &f.p);
		script_finish(f.kit);
	}
	ward_assert_seen(seen);
}

/* ---- S36: children of the new instance --------------------------------------------------- */

static ward_result spawn_arg(ward_self *self, const ward_failure *why)
{
	(void)why;
	ward_assert_ok(script_spawn_child(self, script_of(self)->arg));
	return WARD_DONE;
}

WARD_TEST(children_of_the_new_instance_are_not_restarted, "S36")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		struct script d = {.name = "d"};
		f.g.decides = WARD_RESTART;
		f.p.keeps_children = true;
		f.p.post_restart = spawn_arg;
		f.p.arg = &d;
		family_start(&f);
		break_and_run(&f, &f.p);
		assert_journal_of("a", RESTARTED);
		assert_journal_of("d", "init;pre_start");
		check_well(f.kit, &d);
		script_finish(f.kit);
	}
}

/* ---- S40: an instance that adopts what outlives it --------------------------------------- */

struct holder {
	int *shared;
};

static int outside_object;

static ward_result adopt_object(ward_self *self, void *state, const void *args)
{
	(void)self;
	(void)args;
	struct holder *me = state;
	ward_assert(me->shared == NULL);
	me->shared = &outside_object;
	return WARD_DONE;
}

static ward_result count_object(ward_self *self, void *state, const ward_msg *msg)
{
	(void)msg;
	struct holder *me = state;
	return ++*me->shared % 2 == 0 ? ward_failed(self, &bad_luck, "even") : WARD_DONE;
}

WARD_TEST(factory_may_adopt_the_same_outside_object_again, "S40")
{
	static const ward_behavior holder = {.name = "holder",
					     .state_size = sizeof(struct holder),
					     .init = adopt_object,
					     .receive = count_object};
	ward_kit *kit = script_start(NULL);
	ward_ref ref = ward_kit_spawn(kit, &holder);
	for (int i = 0; i < 5; i++)
		script_say(kit, ref, "count");
	ward_kit_run(kit);
	ward_assert_eq(outside_object, 5);
	ward_actor_info info;
	ward_assert(ward_kit_info(kit, ref, &info));
	ward_assert_eq(info.incarnation, 3);
	script_finish(kit);
}

/* ---- S43: all the way down --------------------------------------------------------------- */

WARD_TEST(survivors_run_their_own_restart, "S43")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		struct script top = {
			.name = "top", .strategy = &script_one, .decides = WARD_RESTART};
		top.children[0] = &f.g;
		f.g.keeps_children = true;
		f.g.children[0] = &f.p;
		f.p.children[0] = &f.a;
		f.kit = script_start(NULL);
		script_spawn(f.kit, &top);
		ward_ref p = f.p.ref, a = f.a.ref;
		journal_clear();
		break_and_run(&f, &f.g);
		/* p survives g's restart; a does not survive p's. */
		assert_journal_of("p", RESTARTED);
		assert_journal_of("a", "post_stop;init;pre_start");
		ward_assert(ward_ref_equal(p, f.p.ref));
		ward_assert(!ward_ref_equal(a, f.a.ref));
		check_well(f.kit, &f.p);
		check_well(f.kit, &f.a);
		script_finish(f.kit);
	}
}

static ward_result default_twice(ward_self *self, const ward_failure *why, const ward_msg *msg)
{
	(void)why;
	(void)msg;
	ward_assert_eq(ward_default_pre_restart(self), WARD_DONE);
	return ward_default_pre_restart(self);
}

WARD_TEST(default_pre_restart_called_twice_runs_post_stop_once)
{
	struct family f = FAMILY;
	f.a.pre_restart = default_twice;
	family_start(&f);
	break_and_run(&f, &f.a);
	assert_journal_of("a", "break;" RESTARTED);
	script_finish(f.kit);
}

WARD_TEST_MAIN
