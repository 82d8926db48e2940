/* SPDX-License-Identifier: MIT
 *
 * test_mailbox_lanes.c - the two lanes of an actor and the order of its mail (S1-S4).
 *
 * Method: stories that need two events at once are tried with many seeds; ward_assert_seen makes
 * sure that some seed told them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/family_tree.h"

enum { ROUNDS = 40 };

static ward_result stop_self(ward_self *self, void *arg)
{
	(void)arg;
	ward_stop(self, ward_self_ref(self));
	journal_note("%s:asked to stop", script_of(self)->name);
	return WARD_DONE;
}

/* ---- S1 ---------------------------------------------------------------------------------- */

WARD_TEST(stop_overtakes_all_waiting_messages, "S1")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		family_start(&f);
		script_say(f.kit, f.a.ref, "one");
		script_say(f.kit, f.a.ref, "two");
		ward_system_stop(ward_kit_system(f.kit), f.a.ref);
		ward_kit_run(f.kit);
		assert_journal_of("a", "post_stop");
		ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_DEAD_LETTER, "*/a"), 2);
		script_finish(f.kit);
	}
}

WARD_TEST(system_messages_run_after_every_message_of_a_batch, "S1")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		family_start(&f);
		script_say(f.kit, f.a.ref, "one");
		script_do(f.kit, f.a.ref, stop_self, NULL);
		script_say(f.kit, f.a.ref, "two");
		ward_kit_run(f.kit);
		assert_journal_of("a", "one;asked to stop;post_stop");
		script_finish(f.kit);
	}
}

static ward_directive stop_self_and_resume(ward_self *self, ward_ref child,
					   const ward_failure *failure)
{
	(void)child;
	(void)failure;
	ward_stop(self, ward_self_ref(self));
	return WARD_RESUME;
}

WARD_TEST(system_lane_is_drained_again_until_it_is_empty, "S1")
{
	/* The stop is made by the handling of another system message, with mail waiting. */
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.p.decide = stop_self_and_resume;
		family_start(&f);
		script_break(f.kit, f.a.ref, &ward_exception);
		ward_kit_run_until_state(f.kit, f.a.ref, WARD_STATE_FAILED);
		script_say(f.kit, f.p.ref, "late");
		ward_kit_run(f.kit);
		assert_journal_of("p", "decide a;post_stop");
		script_finish(f.kit);
	}
}

/* ---- S2 ---------------------------------------------------------------------------------- */

static ward_result break_next_and_fail(ward_self *self, void *arg)
{
	struct script *const *next = arg;
	journal_note("%s:fails", script_of(self)->name);
	if (next[0] != NULL)
		script_tell_do(self, next[0]->ref, break_next_and_fail, (void *)(next + 1));
	return ward_failed(self, &ward_exception, "in a row");
}

WARD_TEST(system_messages_are_first_in_first_out, "S2")
{
	/* Each fails before the next one can: so do their reports arrive, whenever p looks. */
	size_t seen = 0;
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.p.decides = WARD_RESUME;
		family_start(&f);
		struct script *row[] = {&f.b, &f.c, NULL};
		script_do(f.kit, f.a.ref, break_next_and_fail, row);
		ward_kit_run(f.kit);
		assert_journal_of("p", "decide a;decide b;decide c");
		seen += noted_before("c:fails", "p:decide a");
		script_finish(f.kit);
	}
	ward_assert_seen(seen);
}

static ward_result watch_then_stop(ward_self *self, void *arg)
{
	const struct script *who = arg;
	ward_assert_ok(ward_try_watch(self, who->ref));
	ward_stop(self, who->ref);
	return WARD_DONE;
}

static ward_result stop_then_watch(ward_self *self, void *arg)
{
	const struct script *who = arg;
	ward_stop(self, who->ref);
	ward_assert_ok(ward_try_watch(self, who->ref));
	return WARD_DONE;
}

static ward_result note_terminated(ward_self *self, const ward_msg *msg)
{
	const struct ward_terminated *gone = ward_match(msg, ward_terminated);
	if (gone == NULL)
		return WARD_UNHANDLED;
	journal_note("%s:gone %s, %s", script_of(self)->name, script_name(gone->who),
		     gone->end != WARD_END_UNKNOWN ? "existed" : "never was");
	return WARD_DONE;
}

WARD_TEST(two_system_messages_of_one_sender_keep_their_order, "S2")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.b.receive = note_terminated;
		family_start(&f);
		script_do(f.kit, f.b.ref, watch_then_stop, &f.a);
		ward_kit_run(f.kit);
		assert_journal_of("b", "gone a, existed");
		script_finish(f.kit);
	}
}

WARD_TEST(watch_behind_a_stop_is_answered_by_the_closed_actor, "S2", "S62")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		family_start(&f);
		script_do(f.kit, f.b.ref, stop_then_watch, &f.a);
		ward_kit_run(f.kit);
		assert_journal("a:post_stop;b:gone a");
		script_finish(f.kit);
	}
}

WARD_TEST(stop_runs_while_the_actor_is_suspended, "S2", "S45")
{
	/* Had it to wait for p's decision, a would never end before it. */
	size_t seen = 0;
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		family_start(&f);
		script_break(f.kit, f.a.ref, &ward_exception);
		ward_kit_run_until_state(f.kit, f.a.ref, WARD_STATE_FAILED);
		script_say(f.kit, f.a.ref, "late");
		ward_system_stop(ward_kit_system(f.kit), f.a.ref);
		ward_kit_run(f.kit);
		ward_assert_part(journal_text(), "a:post_stop");
		ward_assert(strstr(journal_text(), "a:late") == NULL);
		ward_assert_state(f.kit, f.a.ref, WARD_STATE_GONE);
		seen += noted_before("a:post_stop", "p:decide a");
		script_finish(f.kit);
	}
	ward_assert_seen(seen);
}

/* ---- S3, S4 ------------------------------------------------------------------------------ */

static ward_result tell_parent_and_fail(ward_self *self, void *arg)
{
	(void)arg;
	script_tell(self, ward_parent(self), "I am about to fail");
	return ward_failed(self, &ward_exception, "as announced");
}

WARD_TEST(failure_overtakes_the_message_sent_before_it, "S3", "S1")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		family_start(&f);
		script_do(f.kit, f.a.ref, tell_parent_and_fail, NULL);
		ward_kit_run(f.kit);
		assert_journal_of("p", "decide a;I am about to fail");
		script_finish(f.kit);
	}
}

enum { STREAM = 350 }; /* some batches */

static ward_result stream(ward_self *self, void *arg)
{
	const struct script *to = arg;
	char text[32];
	for (int i = 0; i < STREAM; i++) {
		snprintf(text, sizeof(text), "%s %d", script_of(self)->name, i);
		script_tell(self, to->ref, text);
	}
	return WARD_DONE;
}

/* Counts, in *arg, words that are the next of their sender. */
struct counts {
	int a, b, wrong;
};

static ward_result count_streams(ward_self *self, const ward_msg *msg)
{
	struct counts *counts = script_of(self)->arg;
	const struct script_word *word = ward_msg_body(msg, &ward_type_script_word);
	int *next = word->text[0] == 'a' ? &counts->a : &counts->b;
	if (atoi(word->text + 2) == *next)
		++*next;
	else
		counts->wrong++;
	return WARD_DONE;
}

WARD_TEST(messages_of_one_sender_arrive_once_and_in_order, "S4")
{
	WARD_TEST_SEEDS(10)
	{
		struct counts counts = {0};
		struct family f = FAMILY;
		f.c.receive = count_streams;
		f.c.arg = &counts;
		family_start(&f);
		script_do(f.kit, f.a.ref, stream, &f.c);
		script_do(f.kit, f.b.ref, stream, &f.c);
		script_do(f.kit, f.a.ref, stop_self, NULL);
		ward_kit_run(f.kit);
		ward_assert_eq(counts.wrong, 0);
		ward_assert_eq(counts.a, STREAM);
		ward_assert_eq(counts.b, STREAM);
		script_finish(f.kit);
	}
}

static ward_result spawn_and_tell(ward_self *self, void *arg)
{
	struct script *child = arg;
	ward_assert_ok(script_spawn_child(self, child));
	script_tell(self, child->ref, "first");
	script_tell(self, child->ref, "second");
	return WARD_DONE;
}

WARD_TEST(creation_happens_before_what_the_creator_sends, "S4")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		struct script d = {.name = "d"};
		family_start(&f);
		script_do(f.kit, f.p.ref, spawn_and_tell, &d);
		ward_kit_run(f.kit);
		assert_journal_of("d", "init;pre_start;first;second");
		script_finish(f.kit);
	}
}

WARD_TEST_MAIN
