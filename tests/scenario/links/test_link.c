/* SPDX-License-Identifier: MIT
 *
 * test_link.c - links: what becomes of one end when the other one ends (S117).
 *
 * Method: members of a family are linked; the seed decides whether a link or an end comes first.
 */
#include <stdio.h>

#include "support/elsewhere.h"
#include "support/linked_family.h"

/* ---- one for the other ------------------------------------------------------------------- */

WARD_TEST(link_ends_the_other_whoever_made_it, "S117")
{
	for (int i = 0; i < 2; i++) {
		struct family f = FAMILY;
		family_start(&f);
		do_and_run(&f, &f.a, link_arg, &f.b);
		stop_and_run(&f, i == 0 ? &f.a : &f.b);
		assert_journal(i == 0 ? "a:post_stop;b:post_stop" : "b:post_stop;a:post_stop");
		script_finish(f.kit);
	}
}

WARD_TEST(trapped_signal_is_a_message, "S117")
{
	for (int i = 0; i < 2; i++) {
		struct family f = FAMILY;
		struct script *other = i == 0 ? &f.a : &f.b;
		family_start(&f);
		let_trap(&f, &f.c);
		/* Either of the two links. */
		if (i == 0)
			do_and_run(&f, &f.c, link_arg, other);
		else
			do_and_run(&f, other, link_arg, &f.c);
		stop_and_run(&f, other);
		assert_journal_of("c", i == 0 ? "exited a: shutdown" : "exited b: shutdown");
		check_well(f.kit, &f.c);
		script_finish(f.kit);
	}
}

WARD_TEST(normal_end_of_the_other_is_nothing, "S117")
{
	struct family f = FAMILY;
	family_start(&f);
	do_and_run(&f, &f.a, link_arg, &f.b);
	do_and_run(&f, &f.b, stop_itself, NULL);
	assert_journal("b:post_stop");
	check_well(f.kit, &f.a);
	script_finish(f.kit);
}

WARD_TEST(chain_dies_with_the_reason_of_the_first, "S117")
{
	struct family f = FAMILY;
	f.p.decides = WARD_STOP;
	family_start(&f);
	let_trap(&f, &f.g);
	do_and_run(&f, &f.a, link_arg, &f.b);
	do_and_run(&f, &f.c, link_arg, &f.b);
	do_and_run(&f, &f.g, link_arg, &f.c);
	script_break(f.kit, f.a.ref, &bad_luck);
	ward_kit_run(f.kit);
	assert_journal("a:break;p:decide a;a:post_stop;b:post_stop;c:post_stop;"
		       "g:exited c: bad_luck: break");
	script_finish(f.kit);
}

/* ---- reasons ----------------------------------------------------------------------------- */

static ward_result stop_own_ref(ward_self *self, void *arg)
{
	(void)arg;
	ward_stop(self, ward_self_ref(self));
	return WARD_DONE;
}

static ward_result exit_cheese(ward_self *self, void *arg)
{
	static const ward_exit_reason reason = {
		.kind = WARD_EXIT_OTHER, .name = "out_of_cheese", .text = "all of it"};
	(void)arg;
	ward_assert_ok(ward_try_exit_self(self, &reason));
	return WARD_DONE;
}

static ward_result exit_shutdown(ward_self *self, void *arg)
{
	static const ward_exit_reason reason = {.kind = WARD_EXIT_SHUTDOWN, .text = "no work"};
	(void)arg;
	ward_assert_ok(ward_try_exit_self(self, &reason));
	return WARD_DONE;
}

static ward_result exit_kill(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert_ok(ward_try_exit_self(self, &(ward_exit_reason){.kind = WARD_EXIT_KILL}));
	return WARD_DONE;
}

/* Stops itself, and fails in the same callback. */
static ward_result stop_and_fail(ward_self *self, void *arg)
{
	(void)arg;
	ward_stop_self(self);
	return ward_failed(self, &bad_luck, "after all");
}

/* A link that comes after the word does not change it. */
static ward_result stop_and_link(ward_self *self, void *arg)
{
	ward_stop_self(self);
	ward_unlink(self, ((struct script *)arg)->ref);
	return link_arg(self, arg);
}

static ward_result stop_child(ward_self *self, void *arg)
{
	ward_stop(self, ((struct script *)arg)->ref);
	return WARD_DONE;
}

static ward_result send_pill(ward_self *self, void *arg)
{
	ward_tell(self, ((struct script *)arg)->ref, ward_poison_pill);
	return WARD_DONE;
}

static ward_result send_kill(ward_self *self, void *arg)
{
	ward_tell(self, ((struct script *)arg)->ref, ward_kill);
	return WARD_DONE;
}

WARD_TEST(reason_says_how_it_ended, "S117")
{
	static const struct {
		script_call *own, *parent; /* what it does, or its parent to it */
		const ward_failure_class *breaks;
		const char *reason;
	} rows[] = {
		{stop_itself, NULL, NULL, "normal"},
		{stop_own_ref, NULL, NULL, "normal"},
		{stop_and_link, NULL, NULL, "normal"},
		{stop_and_fail, NULL, NULL, "bad_luck: after all"},
		{exit_cheese, NULL, NULL, "out_of_cheese: all of it"},
		{exit_shutdown, NULL, NULL, "shutdown: no work"},
		{exit_kill, NULL, NULL, "killed"},
		{NULL, stop_child, NULL, "shutdown"},
		{NULL, send_pill, NULL, "normal"},
		{NULL, send_kill, NULL, "killed"},
		{NULL, NULL, &bad_luck, "bad_luck: break"},
		{NULL, NULL, NULL, "shutdown"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct family f = FAMILY;
		char wanted[64];
		f.p.decides = WARD_STOP;
		family_start(&f);
		let_trap(&f, &f.a);
		do_and_run(&f, &f.a, link_arg, &f.b);
		if (rows[i].own != NULL)
			script_do(f.kit, f.b.ref, rows[i].own, &f.a);
		else if (rows[i].parent != NULL)
			script_do(f.kit, f.p.ref, rows[i].parent, &f.b);
		else if (rows[i].breaks != NULL)
			script_break(f.kit, f.b.ref, rows[i].breaks);
		else
			ward_system_stop(ward_kit_system(f.kit), f.b.ref);
		ward_kit_run(f.kit);
		snprintf(wanted, sizeof wanted, "exited b: %s", rows[i].reason);
		assert_journal_of("a", wanted);
		script_finish(f.kit);
	}
}

static ward_result spawn_anew(ward_self *self, void *arg)
{
	ward_assert_ok(script_spawn_child(self, arg));
	return WARD_DONE;
}

/* A life in the cell of one that ended by itself is not one that does. */
WARD_TEST(reason_is_not_that_of_an_earlier_life, "S117")
{
	struct family f = FAMILY;
	family_start(&f);
	let_trap(&f, &f.a);
	do_and_run(&f, &f.b, stop_itself, NULL);
	do_and_run(&f, &f.p, spawn_anew, &f.b);
	do_and_run(&f, &f.a, link_arg, &f.b);
	stop_and_run(&f, &f.b);
	assert_journal_of("a", "exited b: shutdown");
	script_finish(f.kit);
}

static const ward_failure_class long_name = {.name = "a_name_of_a_class_that_is_much_too_long",
					     .parent = &ward_exception};
WARD_TEST_FAILURE_CLASSES(&long_name);

WARD_TEST(long_failure_is_cut, "S117")
{
	struct family f = FAMILY;
	f.p.decides = WARD_STOP;
	family_start(&f);
	let_trap(&f, &f.a);
	do_and_run(&f, &f.a, link_arg, &f.b);
	script_break(f.kit, f.b.ref, &long_name);
	ward_kit_run(f.kit);
	assert_journal_of("a", "exited b: a_name_of_a_class_that_is_m: break");
	script_finish(f.kit);
}

/* ---- one link for two -------------------------------------------------------------------- */

static ward_result link_again(ward_self *self, void *arg)
{
	for (int i = 0; i < 3; i++)
		(void)link_arg(self, arg);
	return WARD_DONE;
}

WARD_TEST(link_of_oneself_is_nothing, "S117")
{
	struct family f = FAMILY;
	family_start(&f);
	uint64_t blocks = ward_kit_blocks(f.kit);
	do_and_run(&f, &f.a, link_arg, &f.a);
	ward_assert_eq(ward_kit_blocks(f.kit), blocks);
	stop_and_run(&f, &f.a);
	assert_journal("a:post_stop");
	script_finish(f.kit);
}

WARD_TEST(repeated_link_is_one_link, "S117")
{
	struct family f = FAMILY;
	family_start(&f);
	let_trap(&f, &f.a);
	do_and_run(&f, &f.a, link_again, &f.b);
	do_and_run(&f, &f.b, link_again, &f.a);
	do_and_run(&f, &f.a, link_again, &f.b);
	stop_and_run(&f, &f.b);
	assert_journal_of("a", "exited b: shutdown");
	script_finish(f.kit);
}

WARD_TEST(links_made_by_both_at_once_are_one, "S117")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		family_start(&f);
		let_trap(&f, &f.a);
		script_do(f.kit, f.a.ref, link_arg, &f.b);
		script_do(f.kit, f.b.ref, link_arg, &f.a);
		ward_kit_run(f.kit);
		stop_and_run(&f, &f.b);
		assert_journal_of("a", "exited b: shutdown");
		script_finish(f.kit);
	}
}

static ward_result link_wrong_refs(ward_self *self, void *arg)
{
	(void)arg;
	ward_ref foreign = ref_elsewhere(ward_self_ref(self));
	ward_assert_err(ward_try_link(self, ward_nobody()), WARD_EINVAL);
	ward_assert_err(ward_try_link(self, foreign), WARD_EFOREIGN);
	ward_unlink(self, ward_nobody());
	ward_unlink(self, foreign);
	ward_unlink(self, ward_self_ref(self));
	ward_unlink(self, ward_parent(self));
	return WARD_DONE;
}

WARD_TEST(link_of_nobody_or_a_foreign_actor_is_refused, "S117")
{
	struct family f = FAMILY;
	family_start(&f);
	do_and_run(&f, &f.a, link_wrong_refs, NULL);
	do_and_run(&f, &f.a, link_arg, &f.b);
	do_and_run(&f, &f.a, link_wrong_refs, NULL);
	check_well(f.kit, &f.a);
	script_finish(f.kit);
}

/* ---- with the dead ----------------------------------------------------------------------- */

WARD_TEST(link_with_the_dead_gives_noproc, "S117")
{
	struct family f = FAMILY;
	family_start(&f);
	let_trap(&f, &f.a);
	stop_and_run(&f, &f.b);
	do_and_run(&f, &f.a, link_arg, &f.b);
	assert_journal_of("a", "exited b: noproc");
	journal_clear();
	do_and_run(&f, &f.c, link_arg, &f.b); /* which does not trap */
	assert_journal("c:post_stop");
	script_finish(f.kit);
}

WARD_TEST(race_of_link_and_death_gives_one_signal, "S117")
{
	size_t before = 0, after = 0;
	WARD_TEST_SEEDS(400)
	{
		struct family f = FAMILY;
		family_start(&f);
		let_trap(&f, &f.a);
		script_do(f.kit, f.a.ref, link_arg, &f.b);
		/* The link is under way: one turn here, more of them to another node. */
		for (uint64_t i = ward_test_seed() % 8; i > 0; i--)
			(void)ward_kit_step(f.kit);
		ward_system_stop(ward_kit_system(f.kit), f.b.ref);
		ward_kit_run(f.kit);
		if (strcmp(journal_of("a"), "exited b: shutdown") == 0) {
			before++;
		} else {
			assert_journal_of("a", "exited b: noproc");
			after++;
		}
		script_finish(f.kit);
	}
	ward_assert_seen(before);
	ward_assert_seen(after);
}

/* Of one that is stopping no reason is told, but that it is gone; and only when it is. */
WARD_TEST(link_with_one_that_is_stopping_gives_noproc_when_it_is_gone, "S117")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		struct script d = {.name = "d"};
		f.b.children[0] = &d;
		family_start(&f);
		let_trap(&f, &f.a);
		ward_system_stop(ward_kit_system(f.kit), f.b.ref);
		ward_kit_run_until_state(f.kit, f.b.ref, WARD_STATE_STOPPING);
		script_do(f.kit, f.a.ref, link_arg, &f.b);
		ward_kit_run(f.kit);
		assert_journal("d:post_stop;b:post_stop;a:exited b: noproc");
		script_finish(f.kit);
	}
}

/* ---- order ------------------------------------------------------------------------------- */

static ward_result tell_and_stop(ward_self *self, void *arg)
{
	script_tell(self, ((struct script *)arg)->ref, "first");
	script_tell(self, ((struct script *)arg)->ref, "second");
	ward_stop_self(self);
	return WARD_DONE;
}

WARD_TEST(exited_comes_after_all_that_was_sent_before, "S117")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		family_start(&f);
		let_trap(&f, &f.a);
		do_and_run(&f, &f.a, link_arg, &f.b);
		script_say(f.kit, f.a.ref, "queued");
		script_do(f.kit, f.b.ref, tell_and_stop, &f.a);
		ward_kit_run(f.kit);
		assert_journal_of("a", "queued;first;second;exited b: normal");
		script_finish(f.kit);
	}
}

WARD_TEST(watched_and_linked_is_told_as_both, "S117")
{
	struct family f = FAMILY;
	family_start(&f);
	let_trap(&f, &f.a);
	do_and_run(&f, &f.a, watch_arg, &f.b);
	do_and_run(&f, &f.a, link_arg, &f.b);
	do_and_run(&f, &f.c, watch_arg, &f.b);
	stop_and_run(&f, &f.b);
	assert_journal_of("a", "gone b;exited b: shutdown");
	assert_journal_of("c", "gone b");
	script_finish(f.kit);
}

WARD_TEST_MAIN
