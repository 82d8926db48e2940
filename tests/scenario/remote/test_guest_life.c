/* SPDX-License-Identifier: MIT
 *
 * test_guest_life.c - a guest is suspended, restarted and stopped with its stand-in, and ends it
 * when it ends (S191, S192).
 *
 * Method: family_tree.h, with the children of p elsewhere; seeds.
 */
#include <string.h>

#include <stdio.h>

#include "guest_family.h"

enum { ROUNDS = 40 };

static const ward_strategy all_for_one = {.scope = WARD_ALL_FOR_ONE, .decide = script_decide};

WARD_TEST(guest_is_restarted_with_its_siblings, "S191")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.p.strategy = &all_for_one;
		guest_family_start(&f, NULL);
		script_say(f.kit, f.b.ref, "1");
		ward_kit_run(f.kit);
		script_break(f.kit, f.a.ref, &ward_exception);
		ward_kit_run(f.kit);
		script_say(f.kit, f.b.ref, "2");
		ward_kit_run(f.kit);
		assert_journal_of("b", "1;pre_restart;post_stop;init;post_restart;pre_start;2");
		assert_journal_of("c", "pre_restart;post_stop;init;post_restart;pre_start");
		assert_journal_of("p", "decide a");
		check_well(f.kit, &f.a);
		check_well(f.kit, &f.b);
		check_well(f.kit, &f.c);
		script_finish(f.kit);
	}
}

/* It was restarted with its stand-in, and its failure was decided once. Two orders that come before
 * its turn are one restart, as those for any child: so it may have had less than its stand-in, but
 * a failure that a restart has answered before it was known here does not count again. */
static void check_restarts(ward_kit *kit, const struct script *who)
{
	char decided[32];
	const char *first;
	ward_actor_info info;
	snprintf(decided, sizeof decided, "p:decide %s", who->name);
	first = strstr(journal_text(), decided);
	ward_assert(first != NULL && strstr(first + 1, decided) == NULL);
	ward_assert(ward_kit_info(kit, who->ref, &info));
	ward_assert(who->calls[SCRIPT_POST_RESTART] > 0);
	ward_assert(who->calls[SCRIPT_POST_RESTART] < info.incarnation);
}

WARD_TEST(guests_that_fail_together_are_restarted_and_go_on, "S191")
{
	WARD_TEST_SEEDS(100)
	{
		struct family f = FAMILY;
		f.p.strategy = &all_for_one;
		guest_family_start(&f, NULL);
		script_break(f.kit, f.a.ref, &ward_exception);
		script_break(f.kit, f.b.ref, &ward_exception);
		script_break(f.kit, f.c.ref, &ward_exception);
		script_say(f.kit, f.a.ref, "on");
		script_say(f.kit, f.b.ref, "on");
		script_say(f.kit, f.c.ref, "on");
		ward_kit_run(f.kit);
		ward_assert_part(journal_of("a"), "on");
		ward_assert_part(journal_of("b"), "on");
		ward_assert_part(journal_of("c"), "on");
		check_restarts(f.kit, &f.a);
		check_restarts(f.kit, &f.b);
		check_restarts(f.kit, &f.c);
		check_well(f.kit, &f.a);
		check_well(f.kit, &f.b);
		check_well(f.kit, &f.c);
		script_finish(f.kit);
	}
}

WARD_TEST(guest_survives_its_parent_and_is_restarted_with_it, "S191")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.p.keeps_children = true;
		f.g.decides = WARD_RESTART;
		guest_family_start(&f, NULL);
		script_break(f.kit, f.p.ref, &ward_exception);
		script_say(f.kit, f.a.ref, "on");
		ward_kit_run(f.kit);
		ward_assert(noted_before("p:post_restart", "a:post_restart"));
		ward_assert_eq(f.a.calls[SCRIPT_POST_RESTART], 1);
		ward_assert_part(journal_of("a"), "on");
		check_well(f.kit, &f.a);
		script_finish(f.kit);
	}
}

struct answer {
	const struct script *child;
	ward_directive directive;
};

static ward_result answer(ward_self *self, void *arg)
{
	const struct answer *a = arg;
	ward_assert_ok(ward_decide(self, a->child->ref, a->directive));
	return WARD_DONE;
}

static ward_result start_and_ask(ward_self *self, void *arg)
{
	struct script *late = arg;
	ward_assert_ok(spawn_elsewhere(self, late, &(struct ward_remote){0}));
	ward_assert_ok(ward_try_ask(self, late->ref, 1, WARD_FOREVER, ward_identify));
	return WARD_DONE;
}

static ward_result note_answer(ward_self *self, const ward_msg *msg)
{
	const struct ward_identity *identity = ward_match(msg, ward_identity);
	bool found = identity != NULL && identity->found;
	if (ward_ask_tag(self) != 1)
		return WARD_UNHANDLED;
	journal_note("x:%s", found ? "started" : "not started");
	return WARD_DONE;
}

static ward_result end_at_start(ward_self *self, void *arg)
{
	(void)arg;
	return ward_stop_self(self);
}

WARD_TEST(stand_in_of_one_that_ends_in_its_start_has_not_started, "S188")
{
	for (int ends = 0; ends < 2; ends++) {
		WARD_TEST_SEEDS(ROUNDS)
		{
			struct family f = FAMILY;
			struct script x = {.name = "x", .receive = note_answer};
			struct script late = {.name = "late",
					      .pre_start = ends ? end_at_start : NULL};
			guest_family_start(&f, NULL);
			script_spawn(f.kit, &x);
			journal_clear();
			script_do(f.kit, x.ref, start_and_ask, &late);
			ward_kit_run(f.kit);
			assert_journal_of("x", ends ? "not started" : "started");
			script_finish(f.kit);
		}
	}
}

/* The guest of that name. */
struct search {
	const char *end;
	ward_actor_info found;
};

static void look_at(void *arg, const ward_actor_info *info)
{
	struct search *search = arg;
	size_t length = strlen(info->path), end = strlen(search->end);
	if (length > end && strcmp(info->path + length - end, search->end) == 0 &&
	    strstr(info->path, "/guests/") != NULL)
		search->found = *info;
}

static uint32_t suspensions(ward_kit *kit, const char *end)
{
	struct search search = {.end = end};
	ward_system_actors(ward_kit_system(kit), look_at, &search);
	ward_assert(!ward_ref_is_nobody(search.found.ref));
	return search.found.suspended;
}

/* The stand-in fails likewise, and adds nothing. */
WARD_TEST(guest_that_waits_for_a_decision_is_suspended_once, "S192")
{
	static const ward_directive directives[] = {WARD_RESUME, WARD_RESTART};
	for (size_t i = 0; i < 2; i++) {
		struct family f = FAMILY;
		f.p.decides = WARD_LATER;
		guest_family_start(&f, NULL);
		script_break(f.kit, f.a.ref, &ward_exception);
		ward_kit_run(f.kit);
		ward_assert_eq(suspensions(f.kit, "/a"), 1);
		struct answer a = {&f.a, directives[i]};
		script_do(f.kit, f.p.ref, answer, &a);
		ward_kit_run(f.kit);
		ward_assert_eq(suspensions(f.kit, "/a"), 0);
		check_well(f.kit, &f.a);
		script_finish(f.kit);
	}
}

/* Tells itself what it counts, as long as it lives. */
static ward_result count_on(ward_self *self, void *arg)
{
	journal_note("a:count");
	script_tell_do(self, ward_self_ref(self), count_on, arg);
	return WARD_DONE;
}

static size_t counted(void)
{
	size_t count = 0;
	for (const char *at = journal_text(); (at = strstr(at, "a:count")) != NULL; at++)
		count++;
	return count;
}

WARD_TEST(guest_handles_nothing_while_the_parent_is_suspended, "S192")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.p.keeps_children = true;
		f.g.decides = WARD_LATER;
		f.leaves_mail = true;
		guest_family_start(&f, NULL);
		/* Without an end: only a suspension makes the kit idle. */
		script_do(f.kit, f.a.ref, count_on, NULL);
		script_break(f.kit, f.p.ref, &ward_exception);
		ward_kit_run(f.kit);
		size_t before = counted();
		script_say(f.kit, f.a.ref, "late");
		ward_kit_run(f.kit);
		ward_assert_eq(counted(), before);
		assert_journal_of("p", "break");
		struct answer a = {&f.p, WARD_RESUME};
		script_do(f.kit, f.g.ref, answer, &a);
		while (counted() < before + 3)
			ward_assert(ward_kit_step(f.kit));
		ward_system_stop(ward_kit_system(f.kit), f.g.ref);
		ward_kit_run(f.kit);
		script_finish(f.kit);
	}
}

/* ---- the end ----------------------------------------------------------------------------- */

WARD_TEST(guest_ends_before_its_stand_in_and_that_before_its_parent, "S192")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		struct script d = {.name = "d"};
		f.a.children[0] = &d;
		guest_family_start(&f, NULL);
		ward_system_stop(ward_kit_system(f.kit), f.p.ref);
		ward_kit_run(f.kit);
		ward_assert(noted_before("d:post_stop", "a:post_stop"));
		ward_assert(noted_before("a:post_stop", "p:post_stop"));
		ward_assert(noted_before("b:post_stop", "p:post_stop"));
		ward_assert(!ward_kit_is_alive(f.kit, f.a.ref));
		script_finish(f.kit);
	}
}

WARD_TEST(guest_is_gone_when_its_name_is_free, "S192")
{
	/* The parent restarts, with new children of the same names. */
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.g.decides = WARD_RESTART;
		guest_family_start(&f, NULL);
		script_break(f.kit, f.p.ref, &ward_exception);
		ward_kit_run(f.kit);
		assert_journal_of("a", "post_stop;init;pre_start");
		check_well(f.kit, &f.a);
		script_finish(f.kit);
	}
}

static ward_result stop_yourself(ward_self *self, void *arg)
{
	(void)arg;
	return ward_stop_self(self);
}

static ward_result exit_yourself(ward_self *self, void *arg)
{
	ward_exit_reason reason = {.kind = WARD_EXIT_OTHER, .name = "enough", .text = "of it"};
	(void)arg;
	return ward_failed_err(self, ward_try_exit_self(self, &reason));
}

static ward_result note_end(ward_self *self, const ward_msg *msg)
{
	const struct ward_terminated *gone = ward_match(msg, ward_terminated);
	const struct ward_exited *exited = ward_match(msg, ward_exited);
	char text[80];
	(void)self;
	if (gone != NULL)
		journal_note("p:%s %s", script_name(gone->who), ward_end_text(gone->end));
	if (exited != NULL) {
		ward_exit_format(&exited->reason, text, sizeof text);
		journal_note("p:%s exits %s", script_name(exited->who), text);
	}
	return gone == NULL && exited == NULL ? WARD_UNHANDLED : WARD_DONE;
}

static ward_result watch_all(ward_self *self, void *arg)
{
	const struct family *f = arg;
	(void)ward_trap_exit(self, true);
	ward_watch(self, f->a.ref);
	ward_watch(self, f->b.ref);
	ward_link(self, f->b.ref);
	ward_watch(self, f->c.ref);
	return WARD_DONE;
}

WARD_TEST(stand_in_ends_as_its_guest_does, "S192")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.p.receive = note_end;
		guest_family_start(&f, NULL);
		script_do(f.kit, f.p.ref, watch_all, &f);
		ward_kit_run(f.kit);
		script_do(f.kit, f.a.ref, stop_yourself, NULL);
		ward_kit_run(f.kit);
		script_do(f.kit, f.b.ref, exit_yourself, NULL);
		ward_kit_run(f.kit);
		script_say(f.kit, f.c.ref, "before");
		ward_system_tell(ward_kit_system(f.kit), f.c.ref, ward_poison_pill);
		ward_kit_run(f.kit);
		ward_assert_part(journal_of("p"), "a normal");
		ward_assert_part(journal_of("p"), "b exited");
		ward_assert_part(journal_of("p"), "b exits enough: of it");
		ward_assert_part(journal_of("p"), "c stopped");
		assert_journal_of("c", "before;post_stop");
		script_finish(f.kit);
	}
}

WARD_TEST(stand_in_that_waits_for_the_end_of_its_guest_is_suspended_as_any_that_waits, "S192")
{
	size_t seen = 0;
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		ward_actor_info info;
		guest_family_start(&f, NULL);
		ward_system_stop(ward_kit_system(f.kit), f.a.ref);
		while (ward_kit_info(f.kit, f.a.ref, &info)) {
			if (strcmp(info.state, "stopping") == 0) {
				seen++;
				ward_assert_eq(info.suspended, 1);
			}
			if (!ward_kit_step(f.kit))
				break;
		}
		ward_kit_run(f.kit);
		assert_journal_of("a", "post_stop");
		script_finish(f.kit);
	}
	ward_assert_seen(seen);
}

static ward_result stop_and_fail(ward_self *self, void *arg)
{
	(void)arg;
	(void)ward_stop_self(self);
	return ward_failed(self, &ward_exception, "on the way out");
}

/* Its stand-in is restarted meanwhile, so the news of the end may find no question. */
WARD_TEST(guest_that_ends_while_its_failure_is_decided_leaves_no_dead_letter, "S191", "S81")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		guest_family_start(&f, NULL);
		script_do(f.kit, f.a.ref, stop_and_fail, NULL);
		ward_kit_run(f.kit);
		assert_journal_of("a", "post_stop");
		assert_journal_of("p", "decide a");
		ward_assert(!ward_kit_is_alive(f.kit, f.a.ref));
		ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
		script_finish(f.kit);
	}
}

WARD_TEST(guest_that_is_killed_fails_as_any_child, "S192")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		guest_family_start(&f, NULL);
		script_say(f.kit, f.a.ref, "before");
		ward_system_tell(ward_kit_system(f.kit), f.a.ref, ward_kill);
		script_say(f.kit, f.a.ref, "behind");
		ward_kit_run(f.kit);
		assert_journal_of("a", "before;pre_restart;post_stop;init;post_restart;pre_start;"
				       "behind");
		check_well(f.kit, &f.a);
		script_finish(f.kit);
	}
}

/* ---- mail -------------------------------------------------------------------------------- */

static ward_result say_to_parent(ward_self *self, void *arg)
{
	(void)arg;
	script_tell(self, ward_parent(self), "from below");
	return WARD_DONE;
}

static ward_result note_sender(ward_self *self, const ward_msg *msg)
{
	(void)self;
	if (ward_msg_type(msg) == &ward_type_script_word &&
	    !ward_ref_is_nobody(ward_msg_sender(msg)))
		journal_note("p:of %s", script_name(ward_msg_sender(msg)));
	return WARD_UNHANDLED;
}

WARD_TEST(what_a_guest_tells_its_parent_comes_from_its_stand_in, "S191")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.p.receive = note_sender;
		guest_family_start(&f, NULL);
		script_do(f.kit, f.a.ref, say_to_parent, NULL);
		ward_kit_run(f.kit);
		assert_journal_of("p", "of a;from below");
		script_finish(f.kit);
	}
}

static ward_result starve(ward_self *self, void *arg)
{
	(void)self;
	ward_kit_fail_all_allocations(((struct family *)arg)->kit, true);
	return WARD_DONE;
}

static ward_result start_elsewhere(ward_self *self, void *arg)
{
	ward_assert_ok(spawn_elsewhere(self, arg, &(struct ward_remote){0}));
	return WARD_DONE;
}

WARD_TEST(guest_that_has_no_memory_to_say_that_it_has_started_is_asked_again, "S188")
{
	struct family f = FAMILY;
	struct script x = {.name = "x"}, late = {.name = "late", .pre_start = starve, .arg = &f};
	ward_ref found;
	guest_family_start(&f, NULL);
	script_spawn(f.kit, &x);
	script_do(f.kit, x.ref, start_elsewhere, &late);
	ward_kit_run(f.kit);
	ward_kit_fail_all_allocations(f.kit, false);
	ward_kit_advance(f.kit, 10 * WARD_SECOND);
	ward_assert_ok(
		ward_system_resolve(ward_kit_system(f.kit), "/user/x/late", WARD_SECOND, &found));
	ward_assert(ward_ref_equal(found, late.ref));
	script_finish(f.kit);
}

WARD_TEST(identify_of_nobody_to_a_stand_in_is_harmless, "S188")
{
	struct family f = FAMILY;
	guest_family_start(&f, NULL);
	ward_system_tell(ward_kit_system(f.kit), f.a.ref, ward_identify, .tag = 1);
	ward_kit_run(f.kit);
	ward_assert_eq(ward_kit_stats(f.kit).dead_letters, 0);
	script_finish(f.kit);
}

WARD_TEST(storm_of_failures_leaves_no_guest_suspended, "S190", "S191")
{
	WARD_TEST_SEEDS(100)
	{
		struct family f = FAMILY;
		struct script *everybody[] = {&f.p, &f.a, &f.b, &f.c};
		f.p.strategy = ward_test_seed() % 2 == 0 ? &script_one : &all_for_one;
		f.p.keeps_children = ward_test_seed() % 3 == 0;
		f.p.decides = ward_test_seed() % 5 == 0 ? WARD_RESUME : WARD_RESTART;
		f.g.decides = ward_test_seed() % 7 == 0 ? WARD_RESTART : WARD_RESUME;
		f.b.traps[0] = (struct script_trap){SCRIPT_POST_RESTART, .first = 2};
		guest_family_start(&f, NULL);
		uint64_t draw = ward_test_seed() * UINT64_C(0x9e3779b97f4a7c15);
		for (int i = 0; i < 40; i++) {
			draw = draw * UINT64_C(6364136223846793005) + 1442695040888963407U;
			script_break(f.kit, everybody[(draw >> 33) % 4]->ref, &ward_exception);
			if ((draw >> 60) != 0)
				ward_kit_step(f.kit);
		}
		ward_kit_run(f.kit);
		journal_clear();
		script_say(f.kit, f.a.ref, "well");
		script_say(f.kit, f.b.ref, "well");
		script_say(f.kit, f.c.ref, "well");
		ward_kit_run(f.kit);
		assert_journal_of("a", "well");
		assert_journal_of("b", "well");
		assert_journal_of("c", "well");
		script_finish(f.kit);
	}
}

WARD_TEST_MAIN
