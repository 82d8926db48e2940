/* SPDX-License-Identifier: MIT
 *
 * test_watch.c - death watch: exactly one notice, whichever way the race goes (S59-S65).
 *
 * Method: members of a family watch each other; the seed decides whether a watch or a death comes
 * first. A custom notice is a word, so that one lost or dropped twice is seen.
 */
#include <ward/codec.h>

#include "support/elsewhere.h"
#include "support/watching_family.h"

static ward_result unwatch_arg(ward_self *self, void *arg)
{
	ward_unwatch(self, ((struct script *)arg)->ref);
	return WARD_DONE;
}

/* ---- S59: asking ------------------------------------------------------------------------- */

static ward_result watch_self(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert_ok(ward_try_watch(self, ward_self_ref(self)));
	return WARD_DONE;
}

WARD_TEST(watch_of_oneself_is_nothing, "S59")
{
	struct family f = FAMILY;
	family_start(&f);
	uint64_t blocks = ward_kit_blocks(f.kit);
	do_and_run(&f, &f.a, watch_self, NULL);
	ward_assert_eq(ward_kit_blocks(f.kit), blocks);
	stop_and_run(&f, &f.a);
	assert_journal("a:post_stop");
	script_finish(f.kit);
}

WARD_TEST(repeated_watch_is_one_watch, "S59")
{
	struct family f = FAMILY;
	family_start(&f);
	for (int i = 0; i < 3; i++)
		do_and_run(&f, &f.a, watch_arg, &f.b);
	stop_and_run(&f, &f.b);
	assert_journal_of("a", "gone b");
	script_finish(f.kit);
}

struct plain_notice {
	int number;
};
WARD_MESSAGE_FIELDS(plain_notice, 1, WARD_FIELD(INT, plain_notice, number));

static ward_result watch_in_different_ways(ward_self *self, void *arg)
{
	struct family *f = arg;
	ward_watch_with(self, f->b.ref, plain_notice, .number = 1);
	ward_watch_with(self, f->b.ref, plain_notice, .number = 1);
	ward_assert_err(
		ward_try_watch_with_send(self, f->b.ref, WARD_BODY(plain_notice, .number = 2)),
		WARD_EEXIST);
	ward_assert_err(ward_try_watch(self, f->b.ref), WARD_EEXIST);
	ward_assert_part(ward_err_detail(), "unwatch");
	ward_assert_ok(ward_try_watch(self, f->c.ref));
	ward_assert_err(
		ward_try_watch_with_send(self, f->c.ref, WARD_BODY(plain_notice, .number = 1)),
		WARD_EEXIST);
	/* What a refused message owned is dropped: script_finish() would miss it. */
	ward_assert_err(watch_with_word(self, f->c.ref, "refused"), WARD_EEXIST);
	ward_unwatch(self, f->c.ref);
	ward_watch_with(self, f->c.ref, plain_notice, .number = 3);
	return WARD_DONE;
}

static ward_result note_number(ward_self *self, const ward_msg *msg)
{
	const struct plain_notice *notice = ward_match(msg, plain_notice);
	if (notice == NULL)
		return WARD_UNHANDLED;
	journal_note("%s:number %d of %s", script_of(self)->name, notice->number,
		     script_name(ward_msg_sender(msg)));
	return WARD_DONE;
}

WARD_TEST(watch_with_another_message_is_refused, "S59")
{
	struct family f = FAMILY;
	f.a.receive = note_number;
	family_start(&f);
	do_and_run(&f, &f.a, watch_in_different_ways, &f);
	stop_and_run(&f, &f.b);
	stop_and_run(&f, &f.c);
	assert_journal_of("a", "number 1 of b;number 3 of c");
	script_finish(f.kit);
}

static ward_result watch_wrong_refs(ward_self *self, void *arg)
{
	(void)arg;
	ward_ref foreign = ref_elsewhere(ward_self_ref(self));
	ward_assert_err(ward_try_watch(self, ward_nobody()), WARD_EINVAL);
	ward_assert_err(ward_try_watch(self, foreign), WARD_EFOREIGN);
	ward_assert_err(watch_with_word(self, ward_nobody(), "refused"), WARD_EINVAL);
	ward_assert_err(ward_try_watch_with_send(self, ward_parent(self), NULL, NULL, 0),
			WARD_EINVAL);
	ward_assert_err(
		ward_try_watch_with_send(self, ward_parent(self), &ward_type_plain_notice, "x", 1),
		WARD_ESIZE);
	ward_unwatch(self, ward_nobody());
	ward_unwatch(self, foreign);
	ward_unwatch(self, ward_parent(self));
	return WARD_DONE;
}

WARD_TEST(watch_of_nobody_or_a_foreign_actor_is_refused, "S59")
{
	struct family f = FAMILY;
	family_start(&f);
	do_and_run(&f, &f.a, watch_wrong_refs, NULL);
	check_well(f.kit, &f.a);
	script_finish(f.kit);
}

/* ---- S60, S61: the notice ---------------------------------------------------------------- */

static ward_result note_flags(ward_self *self, const ward_msg *msg)
{
	const struct ward_terminated *gone = ward_match(msg, ward_terminated);
	if (gone == NULL)
		return WARD_UNHANDLED;
	ward_assert(ward_ref_equal(ward_msg_sender(msg), gone->who));
	ward_assert(gone->end != WARD_END_UNREACHED);
	journal_note("%s:gone %s%s", script_of(self)->name, script_name(gone->who),
		     gone->end != WARD_END_UNKNOWN ? "" : ", never seen");
	return WARD_DONE;
}

static ward_result tell_and_stop(ward_self *self, void *arg)
{
	script_tell(self, ((struct script *)arg)->ref, "first");
	script_tell(self, ((struct script *)arg)->ref, "second");
	ward_stop(self, ward_self_ref(self));
	return WARD_DONE;
}

WARD_TEST(notice_comes_after_all_that_was_sent_before, "S60", "S61")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.a.receive = note_flags;
		family_start(&f);
		do_and_run(&f, &f.a, watch_arg, &f.b);
		script_say(f.kit, f.a.ref, "queued");
		script_do(f.kit, f.b.ref, tell_and_stop, &f.a);
		ward_kit_run(f.kit);
		assert_journal_of("a", "queued;first;second;gone b");
		script_finish(f.kit);
	}
}

WARD_TEST(custom_notice_comes_from_the_watched, "S60")
{
	struct family f = FAMILY;
	family_start(&f);
	do_and_run(&f, &f.a, watch_arg_with, &f.b);
	stop_and_run(&f, &f.b);
	assert_journal_of("a", "lost");
	script_finish(f.kit);
}

WARD_TEST(restarts_are_invisible, "S60")
{
	struct family f = FAMILY;
	family_start(&f);
	do_and_run(&f, &f.a, watch_arg, &f.b);
	for (int i = 0; i < 3; i++) {
		script_break(f.kit, f.b.ref, &bad_luck);
		ward_kit_run(f.kit);
	}
	assert_journal_of("a", "");
	stop_and_run(&f, &f.b);
	assert_journal_of("a", "gone b");
	script_finish(f.kit);
}

/* ---- S62: watching the dead -------------------------------------------------------------- */

WARD_TEST(watch_of_the_dead_is_answered_at_once, "S62", "S61")
{
	struct family f = FAMILY;
	f.a.receive = note_flags;
	family_start(&f);
	stop_and_run(&f, &f.b);
	do_and_run(&f, &f.a, watch_arg, &f.b);
	assert_journal_of("a", "gone b, never seen");
	do_and_run(&f, &f.a, watch_arg_with, &f.b);
	assert_journal_of("a", "gone b, never seen;lost");
	script_finish(f.kit);
}

WARD_TEST(watch_of_what_never_existed_is_answered_at_once, "S62", "S61")
{
	struct family f = FAMILY;
	struct script never = {.name = "never"};
	f.a.receive = note_flags;
	family_start(&f);
	never.ref = f.b.ref;
	never.ref.uid += 1000; /* a slot that nobody ever had */
	script_name_add(never.ref, "never");
	do_and_run(&f, &f.a, watch_arg, &never);
	assert_journal_of("a", "gone never, never seen");
	script_finish(f.kit);
}

WARD_TEST(race_of_watch_and_death_gives_one_notice, "S62", "S60")
{
	size_t before = 0, after = 0;
	WARD_TEST_SEEDS(200)
	{
		struct family f = FAMILY;
		f.a.receive = note_flags;
		family_start(&f);
		script_do(f.kit, f.a.ref, watch_arg, &f.b);
		ward_system_stop(ward_kit_system(f.kit), f.b.ref);
		ward_kit_run(f.kit);
		if (strcmp(journal_of("a"), "gone b") == 0)
			before++;
		else
			after++;
		if (after > 0 && strcmp(journal_of("a"), "gone b") != 0)
			assert_journal_of("a", "gone b, never seen");
		script_finish(f.kit);
	}
	ward_assert_seen(before);
	ward_assert_seen(after);
}

/* ---- S63: unwatching --------------------------------------------------------------------- */

WARD_TEST(unwatched_is_unwatched_whenever_it_dies, "S63")
{
	WARD_TEST_SEEDS(200)
	{
		struct family f = FAMILY;
		family_start(&f);
		do_and_run(&f, &f.a, watch_arg, &f.b);
		script_do(f.kit, f.a.ref, watch_arg_with, &f.c);
		ward_system_stop(ward_kit_system(f.kit), f.b.ref);
		ward_system_stop(ward_kit_system(f.kit), f.c.ref);
		script_do(f.kit, f.a.ref, unwatch_arg, &f.b);
		script_do(f.kit, f.a.ref, unwatch_arg, &f.c);
		script_say(f.kit, f.a.ref, "unwatched");
		ward_kit_run(f.kit);
		/* A notice may come before, never after. */
		ward_assert(strstr(journal_text(), "a:unwatched;a:") == NULL);
		ward_assert_part(journal_of("a"), "unwatched");
		script_finish(f.kit);
	}
}

/* As an actor of another system may have the same number. */
static ward_result unwatch_its_like(ward_self *self, void *arg)
{
	ward_ref like = ref_elsewhere(((struct script *)arg)->ref);
	ward_unwatch(self, like);
	return WARD_DONE;
}

WARD_TEST(unwatch_of_an_actor_elsewhere_ends_no_watch_here, "S63")
{
	struct family f = FAMILY;
	family_start(&f);
	do_and_run(&f, &f.a, watch_arg, &f.b);
	do_and_run(&f, &f.a, unwatch_its_like, &f.b);
	stop_and_run(&f, &f.b);
	assert_journal_of("a", "gone b");
	script_finish(f.kit);
}

WARD_TEST(notice_that_waits_in_the_mailbox_is_not_delivered_after_unwatch, "S63")
{
	struct family f = FAMILY;
	family_start(&f);
	do_and_run(&f, &f.a, watch_arg, &f.b);
	do_and_run(&f, &f.a, watch_arg_with, &f.c);
	script_break(f.kit, f.a.ref, &bad_luck);
	ward_kit_run_until_state(f.kit, f.a.ref, WARD_STATE_FAILED);
	script_do(f.kit, f.a.ref, unwatch_arg, &f.b); /* read first, once it reads again */
	script_do(f.kit, f.a.ref, unwatch_arg, &f.c);
	ward_system_stop(ward_kit_system(f.kit), f.b.ref);
	ward_system_stop(ward_kit_system(f.kit), f.c.ref);
	ward_kit_run_until_state(f.kit, f.b.ref, WARD_STATE_GONE);
	ward_kit_run_until_state(f.kit, f.c.ref, WARD_STATE_GONE);
	ward_kit_run(f.kit);
	assert_journal_of("a", "break;pre_restart;post_stop;init;post_restart;pre_start");
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_DEAD_LETTER | WARD_EVENT_UNHANDLED, "*"),
		       0);
	script_finish(f.kit);
}

WARD_TEST(watch_after_unwatch_gives_one_notice_again, "S63", "S60")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		family_start(&f);
		script_do(f.kit, f.a.ref, watch_arg, &f.b);
		script_do(f.kit, f.a.ref, unwatch_arg, &f.b);
		ward_system_stop(ward_kit_system(f.kit), f.b.ref);
		script_do(f.kit, f.a.ref, watch_arg, &f.b);
		ward_kit_run(f.kit);
		assert_journal_of("a", "gone b");
		script_finish(f.kit);
	}
}

/* The first notice is in the mailbox when the second watch begins: one notice, too. */
WARD_TEST(watch_after_unwatch_with_a_notice_in_the_mailbox_gives_one_notice, "S63", "S60")
{
	struct family f = FAMILY;
	family_start(&f);
	do_and_run(&f, &f.a, watch_arg, &f.b);
	do_and_run(&f, &f.a, watch_arg_with, &f.c);
	script_break(f.kit, f.a.ref, &bad_luck);
	ward_kit_run_until_state(f.kit, f.a.ref, WARD_STATE_FAILED);
	script_do(f.kit, f.a.ref, unwatch_arg, &f.b); /* read first, once it reads again */
	script_do(f.kit, f.a.ref, watch_arg, &f.b);
	script_do(f.kit, f.a.ref, unwatch_arg, &f.c);
	script_do(f.kit, f.a.ref, watch_arg, &f.c);
	ward_system_stop(ward_kit_system(f.kit), f.b.ref);
	ward_kit_run_until_state(f.kit, f.b.ref, WARD_STATE_GONE);
	ward_system_stop(ward_kit_system(f.kit), f.c.ref);
	ward_kit_run(f.kit);
	assert_journal_of("a",
			  "break;pre_restart;post_stop;init;post_restart;pre_start;gone b;gone c");
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_DEAD_LETTER | WARD_EVENT_UNHANDLED, "*"),
		       0);
	script_finish(f.kit);
}

static ward_result forge(ward_self *self, void *arg)
{
	struct family *f = arg;
	ward_tell(self, f->a.ref, ward_terminated, .who = f->b.ref, .end = WARD_END_NORMAL);
	return WARD_DONE;
}

static ward_result forward_gone(ward_self *self, const ward_msg *msg)
{
	if (ward_match(msg, ward_terminated) == NULL)
		return WARD_UNHANDLED;
	journal_note("%s:forwards", script_of(self)->name);
	ward_forward(self, *(ward_ref *)script_of(self)->arg);
	return WARD_DONE;
}

WARD_TEST(forged_and_forwarded_notices_are_dropped_in_silence, "S63")
{
	struct family f = FAMILY;
	f.c.receive = forward_gone;
	f.c.arg = &f.a.ref;
	family_start(&f);
	do_and_run(&f, &f.a, watch_arg, &f.b); /* also while it watches b, */
	do_and_run(&f, &f.a, watch_arg, &f.c); /* and who forges */
	do_and_run(&f, &f.c, forge, &f);
	do_and_run(&f, &f.a, unwatch_arg, &f.c);
	do_and_run(&f, &f.c, watch_arg, &f.b);
	do_and_run(&f, &f.a, unwatch_arg, &f.b);
	stop_and_run(&f, &f.b);
	assert_journal_of("c", "forwards");
	assert_journal_of("a", "");
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_DEAD_LETTER | WARD_EVENT_UNHANDLED, "*"),
		       0);
	ward_assert_eq(ward_kit_stats(f.kit).unhandled, 0);
	check_well(f.kit, &f.a);
	script_finish(f.kit);
}

/* ---- S64, S65: parents ------------------------------------------------------------------- */

static ward_result respawn(ward_self *self, const ward_msg *msg)
{
	const struct ward_terminated *gone = ward_match(msg, ward_terminated);
	if (gone == NULL)
		return WARD_UNHANDLED;
	struct script *child = script_of(self)->arg;
	ward_assert(ward_ref_is_nobody(ward_child(self, child->name)));
	ward_assert_eq(ward_children(self, NULL, 0), 2);
	ward_assert_ok(script_spawn_child(self, child));
	journal_note("%s:made %s again", script_of(self)->name, child->name);
	return WARD_DONE;
}

WARD_TEST(name_is_free_when_the_parent_hears_of_the_end, "S65", "S54")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.p.watches_children = true;
		f.p.receive = respawn;
		f.p.arg = &f.a;
		family_start(&f);
		stop_and_run(&f, &f.a);
		assert_journal_of("p", "made a again");
		assert_journal_of("a", "post_stop;init;pre_start");
		script_finish(f.kit);
	}
}

static ward_result count_children(ward_self *self, void *arg)
{
	(void)arg;
	journal_note("%s:%zu children", script_of(self)->name, ward_children(self, NULL, 0));
	return WARD_DONE;
}

WARD_TEST(parent_that_does_not_watch_loses_the_child_in_silence, "S64", "S65")
{
	struct family f = FAMILY;
	family_start(&f);
	stop_and_run(&f, &f.a);
	do_and_run(&f, &f.p, count_children, NULL);
	assert_journal_of("p", "2 children");
	/* The same after an unwatch. */
	do_and_run(&f, &f.p, watch_arg, &f.b);
	do_and_run(&f, &f.p, unwatch_arg, &f.b);
	stop_and_run(&f, &f.b);
	do_and_run(&f, &f.p, count_children, NULL);
	assert_journal_of("p", "2 children;1 children");
	script_finish(f.kit);
}

WARD_TEST_MAIN
