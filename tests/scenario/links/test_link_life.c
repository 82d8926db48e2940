/* SPDX-License-Identifier: MIT
 *
 * test_link_life.c - what a restart, a spawn and an end do with links and with trapping (S117).
 *
 * Method: as test_link.c.
 */
#include <stdio.h>

#include "support/linked_family.h"

/* ---- restarts ---------------------------------------------------------------------------- */

static void break_and_run(struct family *f, const struct script *who)
{
	script_break(f->kit, who->ref, &bad_luck);
	ward_kit_run(f->kit);
}

WARD_TEST(links_outlive_restarts_of_both, "S117")
{
	struct family f = FAMILY;
	family_start(&f);
	do_and_run(&f, &f.a, link_arg, &f.b);
	break_and_run(&f, &f.b);
	break_and_run(&f, &f.a);
	break_and_run(&f, &f.b);
	check_well(f.kit, &f.a);
	check_well(f.kit, &f.b);
	journal_clear();
	stop_and_run(&f, &f.a);
	assert_journal("a:post_stop;b:post_stop");
	script_finish(f.kit);
}

WARD_TEST(trapping_goes_with_the_incarnation, "S117")
{
	for (int again = 0; again < 2; again++) {
		struct family f = FAMILY;
		f.a.receive = note_exit;
		f.a.pre_start = again ? trap : NULL;
		family_start(&f);
		do_and_run(&f, &f.a, trap, NULL);
		do_and_run(&f, &f.a, link_arg, &f.b);
		break_and_run(&f, &f.a);
		journal_clear();
		stop_and_run(&f, &f.b);
		assert_journal_of("a", again ? "exited b: shutdown" : "post_stop");
		script_finish(f.kit);
	}
}

/* a waits for its child d to end, and has no new incarnation yet: the word of the old one holds. */
WARD_TEST(trapping_holds_until_the_next_incarnation, "S117")
{
	size_t between = 0;
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		struct script d = {.name = "d"};
		f.a.children[0] = &d;
		family_start(&f);
		let_trap(&f, &f.a);
		do_and_run(&f, &f.a, link_arg, &f.b);
		script_break(f.kit, f.a.ref, &bad_luck);
		ward_kit_run_until_state(f.kit, f.a.ref, WARD_STATE_RESTARTING);
		ward_system_stop(ward_kit_system(f.kit), f.b.ref);
		ward_kit_run(f.kit);
		/* When the new one runs, which does not trap, it ends. */
		if (lives(&f, &f.a)) {
			ward_assert(noted_before("a:post_restart", "a:exited b: shutdown"));
			ward_assert(strstr(journal_text(), "a:exited b: shutdown") != NULL);
			between++;
		}
		script_finish(f.kit);
	}
	ward_assert_seen(between);
}

static ward_result link_children(ward_self *self, void *arg)
{
	struct family *f = arg;
	(void)link_arg(self, &f->a);
	return link_arg(self, &f->b);
}

WARD_TEST(restart_unlinks_the_children_that_it_stops, "S117")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.g.decides = WARD_RESTART;
		family_start(&f);
		do_and_run(&f, &f.p, link_children, &f);
		do_and_run(&f, &f.c, link_arg, &f.p);
		break_and_run(&f, &f.p);
		check_well(f.kit, &f.p); /* their shutdown was nothing to it */
		script_finish(f.kit);
	}
}

/* A start that fails again and again leaves nothing behind either. */
static ward_result link_child_and_fail(ward_self *self, void *arg)
{
	struct script *d = arg;
	ward_assert_ok(ward_try_spawn_link(self, script_props(d), &d->ref));
	script_name_add(d->ref, d->name);
	return script_of(self)->calls[SCRIPT_PRE_START] < 2
		       ? ward_failed(self, &bad_luck, "not yet")
		       : WARD_DONE;
}

WARD_TEST(failed_start_unlinks_the_children_that_it_made, "S117")
{
	struct family f = FAMILY;
	struct script d = {.name = "d"}, e = {.name = "e", .arg = &d};
	e.pre_start = link_child_and_fail;
	family_start(&f);
	f.p.children[3] = &e;
	f.g.decides = WARD_RESTART;
	break_and_run(&f, &f.p); /* which restarts e until it starts */
	ward_assert(lives(&f, &e));
	ward_assert(lives(&f, &d));
	script_finish(f.kit);
}

/* ---- spawning ---------------------------------------------------------------------------- */

static ward_result spawn_linked(ward_self *self, void *arg)
{
	struct script *child = arg;
	ward_assert_ok(ward_try_spawn_link(self, script_props(child), &child->ref));
	script_name_add(child->ref, child->name);
	return WARD_DONE;
}

WARD_TEST(spawned_with_a_link_is_linked_before_it_runs, "S117")
{
	static const struct {
		script_call *pre_start;
		bool fails;
		const char *reason;
	} ends[] = {
		{stop_itself, false, "normal"},
		{NULL, true, "ward_initialization: sim/user/g/p/a/d: trap 1"},
	};

	for (int i = 0; i < 2; i++) {
		WARD_TEST_SEEDS(ROUNDS)
		{
			struct family f = FAMILY;
			struct script d = {.name = "d", .pre_start = ends[i].pre_start};
			char wanted[96];
			f.a.strategy = &script_one;
			f.a.decides = WARD_STOP;
			if (ends[i].fails)
				d.traps[0] = (struct script_trap){SCRIPT_PRE_START, .first = 1};
			family_start(&f);
			let_trap(&f, &f.a);
			do_and_run(&f, &f.a, spawn_linked, &d);
			snprintf(wanted, sizeof wanted, "%sexited d: %s",
				 ends[i].fails ? "decide d;" : "", ends[i].reason);
			assert_journal_of("a", wanted);
			script_finish(f.kit);
		}
	}
}

static ward_result spawn_refused(ward_self *self, void *arg)
{
	struct family *f = arg;
	struct script *a = &f->a;
	ward_ref ref;
	ward_assert_err(ward_try_spawn_link(self, script_props(a), &ref), WARD_EEXIST);
	ward_assert_err(ward_try_spawn_link(self, NULL, &ref), WARD_EINVAL);
	return WARD_DONE;
}

WARD_TEST(refused_spawn_makes_no_link, "S117")
{
	struct family f = FAMILY;
	family_start(&f);
	do_and_run(&f, &f.p, spawn_refused, &f); /* the first one makes the table */
	uint64_t blocks = ward_kit_blocks(f.kit);
	do_and_run(&f, &f.p, spawn_refused, &f);
	ward_assert_eq(ward_kit_blocks(f.kit), blocks);
	script_finish(f.kit);
}

/* ---- the end ----------------------------------------------------------------------------- */

static ward_result link_at_the_end(ward_self *self, void *arg)
{
	struct family *f = arg;
	ward_assert_err(ward_try_link(self, f->c.ref), WARD_ESTOPPING);
	ward_unlink(self, f->b.ref);
	return WARD_DONE;
}

WARD_TEST(stopping_actor_may_unlink_but_not_link, "S117")
{
	struct family f = FAMILY;
	f.a.post_stop = link_at_the_end;
	f.a.arg = &f;
	family_start(&f);
	do_and_run(&f, &f.a, link_arg, &f.b);
	stop_and_run(&f, &f.a);
	assert_journal("a:post_stop");
	check_well(f.kit, &f.b);
	check_well(f.kit, &f.c);
	script_finish(f.kit);
}

static ward_result link_with_parent_and_exit(ward_self *self, void *arg)
{
	static const ward_exit_reason reason = {.kind = WARD_EXIT_OTHER, .name = "enough"};
	(void)arg;
	ward_assert_ok(ward_try_link(self, ward_parent(self)));
	ward_assert_ok(ward_try_exit_self(self, &reason));
	return WARD_DONE;
}

WARD_TEST(guardians_do_not_end_with_those_at_the_top, "S117", "S75")
{
	struct family f = FAMILY;
	struct script top = {.name = "top"};
	family_start(&f);
	script_spawn(f.kit, &top);
	do_and_run(&f, &top, link_with_parent_and_exit, NULL);
	ward_assert(!lives(&f, &top));
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_UNHANDLED, "*"), 0);
	check_well(f.kit, &f.g);
	script_finish(f.kit);
}

WARD_TEST(linked_in_a_circle_all_end, "S117")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		family_start(&f);
		do_and_run(&f, &f.a, link_arg, &f.b);
		do_and_run(&f, &f.b, link_arg, &f.c);
		do_and_run(&f, &f.c, link_arg, &f.a);
		ward_system_stop(ward_kit_system(f.kit), f.a.ref);
		ward_system_stop(ward_kit_system(f.kit), f.c.ref);
		ward_kit_run(f.kit);
		ward_assert(!lives(&f, &f.a) && !lives(&f, &f.b) && !lives(&f, &f.c));
		script_finish(f.kit);
	}
}

WARD_TEST(system_ends_with_links, "S117")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		family_start(&f);
		let_trap(&f, &f.g);
		do_and_run(&f, &f.g, link_arg, &f.p);
		do_and_run(&f, &f.p, link_children, &f);
		do_and_run(&f, &f.c, link_arg, &f.a);
		script_finish(f.kit);
	}
}

/* ---- what is told of it ------------------------------------------------------------------ */

WARD_TEST(links_and_ends_by_them_are_told_for_debugging, "S117", "S85")
{
	struct family f = FAMILY;
	family_start(&f);
	do_and_run(&f, &f.a, link_arg, &f.b);
	do_and_run(&f, &f.a, unlink_arg, &f.b);
	do_and_run(&f, &f.a, link_arg, &f.b);
	stop_and_run(&f, &f.b);
	static const char *const texts[] = {"now linked with sim/user/g/p/b",
					    "no longer linked with sim/user/g/p/b",
					    "now linked with sim/user/g/p/b"};
	for (size_t i = 0; i < 3; i++) {
		const ward_event *event =
			ward_kit_event(f.kit, WARD_EVENT_WATCH, "sim/user/g/p/a", i);
		ward_assert_str(event->text, texts[i]);
		ward_assert_eq(event->level, WARD_LEVEL_DEBUG);
	}
	const ward_event *end = ward_kit_event(f.kit, WARD_EVENT_NOTE, "sim/user/g/p/a", 0);
	ward_assert_str(end->text, "told to exit by sim/user/g/p/b: shutdown");
	ward_assert_eq(end->level, WARD_LEVEL_DEBUG);
	script_finish(f.kit);
}

WARD_TEST_MAIN
