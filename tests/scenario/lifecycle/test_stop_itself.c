/* SPDX-License-Identifier: MIT
 *
 * test_stop_itself.c - an actor that stops itself in receive, and what else it does, and others do,
 * before that callback is over (S45-S47, S49).
 *
 * Method: p watches its child a and notes how it ended. The parent's orders, which another thread
 * would send at that moment, are given by the callback itself.
 */
#include "support/family_tree.h"

enum { ROUNDS = 20 };

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};
static const ward_exit_reason upset = {.kind = WARD_EXIT_OTHER, .name = "upset"};
static ward_kit *kit_here;

static ward_result note_end(ward_self *self, const ward_msg *msg)
{
	const struct ward_terminated *gone = ward_match(msg, ward_terminated);

	if (gone == NULL)
		return WARD_UNHANDLED;
	journal_note("%s:%s %s", script_of(self)->name, script_name(gone->who),
		     ward_end_text(gone->end));
	return WARD_DONE;
}

/* Lets a make the call, and checks its notes and how p saw it end. */
static void check_end(script_call *call, void *arg, const char *notes, const char *end)
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;

		f.p.watches_children = true;
		f.p.receive = note_end;
		family_start(&f);
		kit_here = f.kit;
		script_do(f.kit, f.a.ref, call, arg);
		script_say(f.kit, f.a.ref, "too late");
		ward_kit_run(f.kit);
		ward_assert_str(journal_of("a"), notes);
		ward_assert_str(journal_of("p"), end);
		ward_assert_state(f.kit, f.a.ref, WARD_STATE_GONE);
		ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_DEAD_LETTER, "*/p/a"), 1);
		check_well(f.kit, &f.p);
		script_finish(f.kit);
	}
}

static ward_result stop(ward_self *self, void *arg)
{
	(void)arg;
	return ward_stop_self(self);
}

WARD_TEST(actor_that_stops_itself_reads_no_further_message, "S45", "S46")
{
	check_end(stop, NULL, "post_stop", "a normal");
}

static ward_result stop_twice(ward_self *self, void *arg)
{
	(void)stop(self, arg);
	return stop(self, arg);
}

WARD_TEST(two_stops_in_one_receive_are_one, "S45")
{
	check_end(stop_twice, NULL, "post_stop", "a normal");
}

/* ---- and fails --------------------------------------------------------------------------- */

static ward_result stop_and_fail(ward_self *self, void *arg)
{
	(void)arg;
	(void)ward_stop_self(self);
	return ward_failed(self, &bad_luck, "on the way out");
}

static ward_result fail_and_stop(ward_self *self, void *arg)
{
	ward_result result = ward_failed(self, &bad_luck, "on the way out");

	(void)arg;
	(void)ward_stop_self(self);
	return result;
}

static ward_result stop_and_jump(ward_self *self, void *arg)
{
	(void)arg;
	(void)ward_stop_self(self);
	ward_fail(self, &bad_luck, "by a jump");
}

WARD_TEST(actor_that_stops_itself_and_fails_ends_as_failed, "S47", "S45")
{
	check_end(stop_and_fail, NULL, "post_stop", "decide a;a failed");
	check_end(fail_and_stop, NULL, "post_stop", "decide a;a failed");
	check_end(stop_and_jump, NULL, "post_stop", "decide a;a failed");
}

/* ---- and is stopped, or ends by a signal ------------------------------------------------- */

static ward_result stop_and_be_stopped(ward_self *self, void *arg)
{
	(void)arg;
	(void)ward_stop_self(self);
	ward_system_stop(ward_kit_system(kit_here), ward_self_ref(self));
	return WARD_DONE;
}

static ward_result be_stopped_and_stop(ward_self *self, void *arg)
{
	(void)arg;
	ward_system_stop(ward_kit_system(kit_here), ward_self_ref(self));
	return ward_stop_self(self);
}

WARD_TEST(first_of_two_stops_says_how_it_ends, "S45")
{
	check_end(stop_and_be_stopped, NULL, "post_stop", "a normal");
	check_end(be_stopped_and_stop, NULL, "post_stop", "a stopped");
}

static ward_result stop_and_exit(ward_self *self, void *arg)
{
	(void)arg;
	(void)ward_stop_self(self);
	return ward_try_exit_self(self, &upset) == WARD_OK ? WARD_DONE : WARD_FAILED;
}

static ward_result exit_and_stop(ward_self *self, void *arg)
{
	(void)arg;
	if (ward_try_exit_self(self, &upset) != WARD_OK)
		return WARD_FAILED;
	return ward_stop_self(self);
}

WARD_TEST(first_of_a_stop_and_a_signal_says_how_it_ends, "S45")
{
	check_end(stop_and_exit, NULL, "post_stop", "a normal");
	check_end(exit_and_stop, NULL, "post_stop", "a exited");
}

/* ---- with children, watches and links ---------------------------------------------------- */

static ward_result stop_and_spawn(ward_self *self, void *arg)
{
	(void)ward_stop_self(self);
	return script_spawn_child(self, arg) == WARD_OK ? WARD_DONE : WARD_FAILED;
}

WARD_TEST(child_made_after_the_stop_ends_first, "S45", "S46")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		struct script d = {.name = "d"};

		family_start(&f);
		script_do(f.kit, f.a.ref, stop_and_spawn, &d);
		ward_kit_run(f.kit);
		assert_journal_of("a", "post_stop");
		ward_assert(noted_before("d:post_stop", "a:post_stop"));
		ward_assert_state(f.kit, d.ref, WARD_STATE_GONE);
		script_finish(f.kit);
	}
}

static ward_result stop_watch_and_link(ward_self *self, void *arg)
{
	const struct family *f = arg;

	(void)ward_stop_self(self);
	if (ward_try_watch(self, f->c.ref) != WARD_OK || ward_try_link(self, f->b.ref) != WARD_OK)
		return WARD_FAILED;
	ward_stop(self, f->c.ref);
	return WARD_DONE;
}

WARD_TEST(watch_and_link_made_after_the_stop_end_with_the_actor, "S45", "S64", "S117")
{
	/* b traps signals, and so gets the end by its link. */
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;

		f.p.watches_children = true;
		f.p.receive = note_end;
		family_start(&f);
		script_do(f.kit, f.a.ref, stop_watch_and_link, &f);
		ward_kit_run(f.kit);
		assert_journal_of("a", "post_stop");
		ward_assert(strstr(journal_of("p"), "a normal") != NULL);
		ward_assert(strstr(journal_of("p"), "c stopped") != NULL);
		ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
		check_well(f.kit, &f.b);
		script_finish(f.kit);
	}
}

/* ---- with mail that waits ---------------------------------------------------------------- */

static ward_result stash_until_told(ward_self *self, const ward_msg *msg)
{
	const struct script_word *word = ward_match(msg, script_word);

	if (word == NULL || word->call != NULL)
		return WARD_UNHANDLED;
	return ward_try_stash(self) == WARD_OK ? WARD_DONE : WARD_FAILED;
}

static ward_result unstash_and_stop(ward_self *self, void *arg)
{
	(void)arg;
	(void)ward_unstash_all(self);
	return ward_stop_self(self);
}

WARD_TEST(stash_of_an_actor_that_stops_itself_becomes_dead_letters, "S86", "S45")
{
	script_call *const calls[] = {stop, unstash_and_stop};

	for (size_t i = 0; i < 2; i++) {
		WARD_TEST_SEEDS(ROUNDS)
		{
			struct family f = FAMILY;

			f.a.receive = stash_until_told;
			f.a.stash_max = 10;
			family_start(&f);
			for (int words = 0; words < 3; words++)
				script_say(f.kit, f.a.ref, "aside");
			ward_kit_run(f.kit);
			script_do(f.kit, f.a.ref, calls[i], NULL);
			ward_kit_run(f.kit);
			assert_journal_of("a", "post_stop");
			ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_DEAD_LETTER, "*/p/a"), 3);
			script_finish(f.kit);
		}
	}
}

WARD_TEST(bounded_mailbox_of_an_actor_that_stops_itself_is_emptied, "S49", "S45")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;

		f.a.mailbox = (ward_mailbox){.messages_max = 8};
		family_start(&f);
		script_do(f.kit, f.a.ref, stop, NULL);
		for (int words = 0; words < 3; words++)
			script_say(f.kit, f.a.ref, "too late");
		ward_kit_run(f.kit);
		assert_journal_of("a", "post_stop");
		ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_DEAD_LETTER, "*/p/a"), 3);
		script_finish(f.kit);
	}
}

/* ---- on threads -------------------------------------------------------------------------- */

WARD_TEST(actor_that_stops_itself_on_a_thread_of_any_kind_ends, "S45")
{
	const char *const dispatchers[] = {NULL, WARD_PINNED, WARD_BLOCKING};

	for (size_t i = 0; i < 3; i++) {
		struct script a = {.name = "a"};
		ward_kit *kit = script_start(&(ward_kit_options){.real_threads = true});
		ward_props props = *script_props(&a);

		props.dispatcher = dispatchers[i];
		a.ref = ward_kit_spawn_props(kit, &props);
		script_do(kit, a.ref, stop, NULL);
		ward_kit_run(kit);
		ward_assert(!ward_kit_is_alive(kit, a.ref));
		script_finish(kit);
	}
}

WARD_TEST_MAIN
