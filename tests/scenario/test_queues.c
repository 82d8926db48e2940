/* SPDX-License-Identifier: MIT
 *
 * test_queues.c - the two lanes of an actor and the order of its mail (S1-S4).
 *
 * Method: stories that need two events at once are tried with many seeds; ward_assert_seen makes
 * sure that some seed told them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "family.h"

enum { ROUNDS = 40 };

static ward_result stop_self(ward_self *self, void *arg)
{
	(void)arg;
	ward_stop(self, ward_self_ref(self));
	kit_note("%s:asked to stop", kit_script(self)->name);
	return WARD_DONE;
}

/* ---- S1 ---------------------------------------------------------------------------------- */

WARD_TEST(stop_overtakes_all_waiting_messages, "S1")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		family_start(&f);
		kit_say(&f.kit, f.a.ref, "one");
		kit_say(&f.kit, f.a.ref, "two");
		ward_system_stop(f.kit.system, f.a.ref);
		kit_run(&f.kit);
		CHECK_JOURNAL_OF("a", "post_stop");
		ward_assert_eq(kit_count(&f.kit, WARD_EVENT_DEAD_LETTER, "*/a"), 2);
		kit_finish(&f.kit);
	}
}

WARD_TEST(system_messages_run_after_every_message_of_a_batch, "S1")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		family_start(&f);
		kit_say(&f.kit, f.a.ref, "one");
		kit_do(&f.kit, f.a.ref, stop_self, NULL);
		kit_say(&f.kit, f.a.ref, "two");
		kit_run(&f.kit);
		CHECK_JOURNAL_OF("a", "one;asked to stop;post_stop");
		kit_finish(&f.kit);
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
		kit_break(&f.kit, f.a.ref, &ward_exception);
		kit_step_until(&f.kit, f.a.ref, "failed");
		kit_say(&f.kit, f.p.ref, "late");
		kit_run(&f.kit);
		CHECK_JOURNAL_OF("p", "decide a;post_stop");
		kit_finish(&f.kit);
	}
}

/* ---- S2 ---------------------------------------------------------------------------------- */

static ward_result break_next_and_fail(ward_self *self, void *arg)
{
	struct kit_script *const *next = arg;
	kit_note("%s:fails", kit_script(self)->name);
	if (next[0] != NULL)
		kit_tell_do(self, next[0]->ref, break_next_and_fail, (void *)(next + 1));
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
		struct kit_script *row[] = {&f.b, &f.c, NULL};
		kit_do(&f.kit, f.a.ref, break_next_and_fail, row);
		kit_run(&f.kit);
		CHECK_JOURNAL_OF("p", "decide a;decide b;decide c");
		seen += noted_before("c:fails", "p:decide a");
		kit_finish(&f.kit);
	}
	ward_assert_seen(seen);
}

static ward_result watch_then_stop(ward_self *self, void *arg)
{
	const struct kit_script *who = arg;
	ward_assert_ok(ward_watch(self, who->ref));
	ward_stop(self, who->ref);
	return WARD_DONE;
}

static ward_result stop_then_watch(ward_self *self, void *arg)
{
	const struct kit_script *who = arg;
	ward_stop(self, who->ref);
	ward_assert_ok(ward_watch(self, who->ref));
	return WARD_DONE;
}

static ward_result note_terminated(ward_self *self, const ward_msg *msg)
{
	const struct ward_terminated *gone = ward_match(msg, ward_terminated);
	if (gone == NULL)
		return WARD_UNHANDLED;
	kit_note("%s:gone %s, %s", kit_script(self)->name, kit_name(gone->who),
		 gone->existed ? "existed" : "never was");
	return WARD_DONE;
}

WARD_TEST(two_system_messages_of_one_sender_keep_their_order, "S2")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.b.receive = note_terminated;
		family_start(&f);
		kit_do(&f.kit, f.b.ref, watch_then_stop, &f.a);
		kit_run(&f.kit);
		CHECK_JOURNAL_OF("b", "gone a, existed");
		kit_finish(&f.kit);
	}
}

WARD_TEST(watch_behind_a_stop_is_answered_by_the_closed_actor, "S2", "S62")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		family_start(&f);
		kit_do(&f.kit, f.b.ref, stop_then_watch, &f.a);
		kit_run(&f.kit);
		CHECK_JOURNAL("a:post_stop;b:gone a");
		kit_finish(&f.kit);
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
		kit_break(&f.kit, f.a.ref, &ward_exception);
		kit_step_until(&f.kit, f.a.ref, "failed");
		kit_say(&f.kit, f.a.ref, "late");
		ward_system_stop(f.kit.system, f.a.ref);
		kit_run(&f.kit);
		ward_assert_part(kit_journal(), "a:post_stop");
		ward_assert(strstr(kit_journal(), "a:late") == NULL);
		ward_assert_str(kit_state(&f.kit, f.a.ref), "gone");
		seen += noted_before("a:post_stop", "p:decide a");
		kit_finish(&f.kit);
	}
	ward_assert_seen(seen);
}

/* ---- S3, S4 ------------------------------------------------------------------------------ */

static ward_result tell_parent_and_fail(ward_self *self, void *arg)
{
	(void)arg;
	kit_tell(self, ward_parent(self), "I am about to fail");
	return ward_failed(self, &ward_exception, "as announced");
}

WARD_TEST(failure_overtakes_the_message_sent_before_it, "S3", "S1")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		family_start(&f);
		kit_do(&f.kit, f.a.ref, tell_parent_and_fail, NULL);
		kit_run(&f.kit);
		CHECK_JOURNAL_OF("p", "decide a;I am about to fail");
		kit_finish(&f.kit);
	}
}

enum { STREAM = 350 }; /* some batches */

static ward_result stream(ward_self *self, void *arg)
{
	const struct kit_script *to = arg;
	char text[32];
	for (int i = 0; i < STREAM; i++) {
		snprintf(text, sizeof(text), "%s %d", kit_script(self)->name, i);
		kit_tell(self, to->ref, text);
	}
	return WARD_DONE;
}

/* Counts, in *arg, words that are the next of their sender. */
struct counts {
	int a, b, wrong;
};

static ward_result count_streams(ward_self *self, const ward_msg *msg)
{
	struct counts *counts = kit_script(self)->arg;
	const struct kit_word *word = ward_msg_body(msg, &kit_type_word);
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
		kit_do(&f.kit, f.a.ref, stream, &f.c);
		kit_do(&f.kit, f.b.ref, stream, &f.c);
		kit_do(&f.kit, f.a.ref, stop_self, NULL);
		kit_run(&f.kit);
		ward_assert_eq(counts.wrong, 0);
		ward_assert_eq(counts.a, STREAM);
		ward_assert_eq(counts.b, STREAM);
		kit_finish(&f.kit);
	}
}

static ward_result spawn_and_tell(ward_self *self, void *arg)
{
	struct kit_script *child = arg;
	ward_assert_ok(kit_spawn_child(self, child));
	kit_tell(self, child->ref, "first");
	kit_tell(self, child->ref, "second");
	return WARD_DONE;
}

WARD_TEST(creation_happens_before_what_the_creator_sends, "S4")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		struct kit_script d = {.name = "d"};
		family_start(&f);
		kit_do(&f.kit, f.p.ref, spawn_and_tell, &d);
		kit_run(&f.kit);
		CHECK_JOURNAL_OF("d", "init;pre_start;first;second");
		kit_finish(&f.kit);
	}
}

WARD_TEST_MAIN
