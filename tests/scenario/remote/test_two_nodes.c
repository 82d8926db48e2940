/* SPDX-License-Identifier: MIT
 *
 * test_two_nodes.c - children on another node, by a loop: decisions across, a connection that is
 * cut (S190-S194).
 *
 * Method: g and p are on the node left, the children of p on right, or on left itself when right is
 * unreached; one clock, seeds.
 */
#include <string.h>

#include "two_nodes.h"

enum { ROUNDS = 20 };

/* Whether a guest of that name runs on the node right. */
static void look_for(void *arg, const ward_actor_info *info)
{
	*(size_t *)arg += strstr(info->path, "/guests/ward_guest_host") != NULL;
}

static size_t actors_of_guests(ward_kit *kit)
{
	size_t count = 0;
	ward_system_actors(ward_kit_system(kit), look_for, &count);
	return count;
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

WARD_TEST(decisions_cross_to_another_node, "S190", "S191", "S192")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		begin(&f);
		ward_assert_eq(actors_of_guests(nodes.right), 4);
		script_say(f.kit, f.a.ref, "1");
		script_break(f.kit, f.a.ref, &ward_exception);
		script_say(f.kit, f.a.ref, "2");
		ward_kit_advance(f.kit, 100);
		assert_journal_of("a",
				  "1;break;pre_restart;post_stop;init;post_restart;pre_start;2");
		f.p.decides = WARD_RESUME;
		script_break(f.kit, f.b.ref, &ward_exception);
		script_say(f.kit, f.b.ref, "on");
		ward_kit_advance(f.kit, 100);
		assert_journal_of("b", "break;on");
		journal_clear();
		ward_system_stop(ward_kit_system(f.kit), f.p.ref);
		ward_kit_advance(f.kit, 100);
		ward_assert(noted_before("a:post_stop", "p:post_stop"));
		ward_assert(noted_before("b:post_stop", "p:post_stop"));
		ward_assert_eq(actors_of_guests(nodes.right), 0);
		finish(&f);
	}
}

static ward_result speak(ward_self *self, void *arg)
{
	const struct script *to = arg;
	ward_ref x = ward_loop_ref(nodes.loop, "right", "left", to->ref);
	script_tell(self, x, "told");
	ward_assert_ok(ward_exit(self, x, &(ward_exit_reason){.kind = WARD_EXIT_SHUTDOWN}));
	return WARD_DONE;
}

static ward_result note_who(ward_self *self, const ward_msg *msg)
{
	(void)self;
	if (ward_match(msg, script_word) == NULL && ward_match(msg, ward_exited) == NULL)
		return WARD_UNHANDLED;
	journal_note("x:%s of %s", ward_msg_type(msg)->name, script_name(ward_msg_sender(msg)));
	return WARD_DONE;
}

static ward_result trap_exits(ward_self *self, void *arg)
{
	(void)arg;
	(void)ward_trap_exit(self, true);
	return WARD_DONE;
}

WARD_TEST(guest_speaks_in_the_name_of_its_stand_in, "S191")
{
	struct family f = FAMILY;
	struct script x = {.name = "x", .pre_start = trap_exits};
	begin(&f);
	script_spawn(f.kit, &x);
	x.receive = note_who;
	journal_clear();
	script_do(f.kit, f.a.ref, speak, &x);
	ward_kit_advance(f.kit, 100);
	assert_journal_of("x", "script_word of a;ward_exited of a");
	finish(&f);
}

static ward_result starve_and_fail(ward_self *self, void *arg)
{
	(void)arg;
	ward_kit_fail_all_allocations(nodes.right, true);
	return ward_failed(self, &ward_exception, "without memory");
}

WARD_TEST(guest_that_fails_where_nobody_has_memory_to_say_so_is_started_again, "S190")
{
	struct family f = FAMILY;
	begin(&f);
	script_do(f.kit, f.a.ref, starve_and_fail, NULL);
	ward_kit_advance(f.kit, 100);
	ward_kit_fail_all_allocations(nodes.right, false);
	ward_kit_advance(f.kit, 100);
	ward_assert_part(journal_of("a"), "post_stop;init;pre_start");
	script_say(f.kit, f.a.ref, "on");
	ward_kit_advance(f.kit, 100);
	ward_assert_part(journal_of("a"), ";on");
	finish(&f);
}

WARD_TEST(cut_moves_the_guest_to_the_next_node_when_the_old_one_has_stopped, "S193", "S194")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		begin(&f);
		script_say(f.kit, f.a.ref, "1");
		ward_kit_advance(f.kit, 10);
		if (ward_test_seed() % 3 == 0)
			ward_loop_cut(nodes.loop, "left", "right");
		else if (ward_test_seed() % 3 == 1)
			ward_loop_cut_one_way(nodes.loop, "left", "right");
		else
			ward_loop_cut_one_way(nodes.loop, "right", "left");
		ward_kit_advance(f.kit, 10000);
		script_say(f.kit, f.a.ref, "2");
		ward_kit_advance(f.kit, 100);
		assert_journal_of("a", "1;post_stop;init;pre_start;2");
		ward_assert_eq(strlen(journal_of("p")), strlen("decide a;decide b"));
		ward_assert_eq(actors_of_guests(nodes.right), 0);
		ward_assert_eq(actors_of_guests(f.kit), 4);
		finish(&f);
	}
}

WARD_TEST(guest_stands_still_while_its_parent_on_another_node_is_suspended, "S192")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		ward_ref guest;
		f.p.keeps_children = true;
		f.g.decides = WARD_LATER;
		begin(&f);
		script_break(f.kit, f.p.ref, &ward_exception);
		ward_kit_advance(f.kit, 100);
		/* Mail that does not come through the stand-in waits, too. */
		guest = find_guest(nodes.right, "/a");
		script_say(nodes.right, guest, "at once");
		ward_kit_advance(f.kit, 100);
		assert_journal_of("a", "");
		struct answer a = {&f.p, WARD_RESUME};
		script_do(f.kit, f.g.ref, answer, &a);
		ward_kit_advance(f.kit, 100);
		assert_journal_of("a", "at once");
		finish(&f);
	}
}

WARD_TEST(node_that_crashes_loses_its_guests_and_what_waits_is_for_the_next, "S193")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.p.decides = ward_test_seed() % 2 == 0 ? WARD_RESUME : WARD_RESTART;
		begin(&f);
		ward_loop_kill(nodes.loop, "right");
		ward_kit_finish(nodes.right);
		nodes.right = NULL;
		journal_clear();
		ward_kit_advance(f.kit, 1500); /* lost, and the grace is not over */
		script_say(f.kit, f.a.ref, "waits");
		ward_kit_advance(f.kit, 500);
		assert_journal_of("a", "");
		ward_kit_advance(f.kit, 2000);
		assert_journal_of("a", "init;pre_start;waits");
		finish(&f);
	}
}

WARD_TEST(restart_for_the_parent_does_not_shorten_the_grace, "S193")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.p.keeps_children = true;
		f.g.decides = WARD_RESTART;
		begin(&f);
		ward_loop_cut(nodes.loop, "left", "right");
		ward_kit_advance(f.kit, 1500); /* lost, and the grace is not over */
		journal_clear();
		script_break(f.kit, f.p.ref, &ward_exception);
		script_say(f.kit, f.a.ref, "waits");
		ward_kit_advance(f.kit, 1000);
		ward_assert_part(journal_of("p"), "post_restart");
		ward_assert(strstr(journal_of("a"), "init") == NULL);
		ward_kit_advance(f.kit, 1500);
		ward_assert_part(journal_of("a"), "init;pre_start;waits");
		assert_journal_of("g", "decide p"); /* and it has not failed for that */
		finish(&f);
	}
}

WARD_TEST(grace_that_is_less_than_the_node_needs_is_refused, "S193")
{
	struct family f = FAMILY;
	ward_props props;
	begin(&f);
	static const char *const right[] = {"right", NULL};
	const ward_props guest = *script_props(&f.c);
	const struct ward_remote remote = {.nodes = right, .props = &guest, .grace_ms = 2000};
	props = ward_remote_props(&remote);
	props.name = "short";
	ward_ref child;
	ward_assert_ok(ward_system_spawn(ward_kit_system(f.kit), &props, &child));
	ward_kit_advance(f.kit, 5000);
	const ward_event *event = ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*/short", 0);
	ward_assert(event != NULL);
	ward_assert_part(event->text, ".grace_ms is 2000: less than 2250");
	finish(&f);
}

static ward_result give_later(ward_self *self, void *arg)
{
	struct answer *a = arg;
	(void)!ward_decide(self, a->child->ref, a->directive);
	return WARD_DONE;
}

WARD_TEST(decision_behind_a_lost_connection_does_not_keep_the_child, "S190", "S193")
{
	static const ward_directive directives[] = {WARD_RESUME, WARD_RESTART, WARD_STOP};
	WARD_TEST_SEEDS(60)
	{
		ward_directive directive = directives[ward_test_seed() % 3];
		struct family f = FAMILY;
		f.p.decides = WARD_LATER;
		begin(&f);
		script_break(f.kit, f.a.ref, &ward_exception);
		ward_kit_advance(f.kit, 100);
		assert_journal_of("p", "decide a");
		if (ward_test_seed() % 2 == 0)
			ward_loop_cut(nodes.loop, "left", "right");
		else
			ward_loop_reset(nodes.loop, "left", "right");
		ward_kit_advance(f.kit, (int64_t)(ward_test_seed() % 7) * 300);
		struct answer a = {&f.a, directive};
		f.p.decides = WARD_RESTART;
		script_do(f.kit, f.p.ref, give_later, &a);
		ward_kit_advance(f.kit, WARD_MINUTE);
		journal_clear();
		script_say(f.kit, f.a.ref, "well");
		ward_kit_advance(f.kit, 1000);
		assert_journal_of("a", directive == WARD_STOP ? "" : "well");
		ward_assert_eq(actors_of_guests(nodes.right) + actors_of_guests(f.kit),
			       directive == WARD_STOP ? 2 : 4);
		finish(&f);
	}
}

static ward_result spawn_patient(ward_self *self, void *arg)
{
	const struct ward_remote remote = {.nodes = nodes.names, .grace_ms = WARD_FOREVER};
	ward_assert_ok(spawn_elsewhere(self, arg, &remote));
	return WARD_DONE;
}

WARD_TEST(grace_may_be_for_ever, "S193")
{
	struct family f = FAMILY;
	begin(&f);
	script_do(f.kit, f.p.ref, spawn_patient, &f.c);
	ward_kit_advance(f.kit, 100);
	assert_journal_of("c", "init;pre_start");
	ward_loop_cut(nodes.loop, "left", "right");
	ward_kit_advance(f.kit, 10 * WARD_MINUTE);
	assert_journal_of("c", "init;pre_start;post_stop");
	ward_assert(ward_kit_is_alive(f.kit, f.c.ref));
	finish(&f);
}

/* ---- all together ------------------------------------------------------------------------ */

static int living[2];

static ward_result lives(ward_self *self, void *arg)
{
	int *count = arg;
	(void)self;
	journal_clear();
	ward_assert_eq(++*count, 1);
	return WARD_DONE;
}

static ward_result has_ended(ward_self *self, void *arg)
{
	int *count = arg;
	(void)self;
	ward_assert_eq(--*count, 0);
	return WARD_DONE;
}

/* At each moment of the start. */
WARD_TEST(stop_while_a_node_is_asked_waits_for_its_guest, "S192", "S194")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		memset(living, 0, sizeof living);
		f.a.init = f.b.init = lives;
		f.a.post_stop = f.b.post_stop = has_ended;
		f.a.arg = &living[0];
		f.b.arg = &living[1];
		begin_with(&f);
		ward_kit_run(f.kit);
		for (uint64_t i = 0; i < ward_test_seed() % 6; i++)
			ward_kit_advance(f.kit, 1);
		for (uint64_t i = 0; i < ward_test_seed() / 6; i++)
			(void)ward_kit_step(f.kit);
		ward_system_stop(ward_kit_system(f.kit), f.a.ref);
		while (ward_kit_is_alive(f.kit, f.a.ref))
			if (!ward_kit_step(f.kit))
				ward_kit_advance(f.kit, 1);
		ward_assert_eq(living[0], 0);
		ward_kit_advance(f.kit, WARD_SECOND);
		ward_assert_eq(living[0], 0);
		ward_assert_eq(actors_of_guests(nodes.right), 2);
		finish(&f);
	}
}

WARD_TEST(restart_while_a_node_is_asked_leaves_one_guest, "S190", "S193")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		memset(living, 0, sizeof living);
		f.a.init = f.b.init = lives;
		f.a.post_stop = f.b.post_stop = has_ended;
		f.a.arg = &living[0];
		f.b.arg = &living[1];
		f.p.keeps_children = true;
		f.g.decides = WARD_RESTART;
		begin_with(&f);
		ward_kit_run(f.kit);
		/* The question takes 1 ms, as its answer does. */
		ward_kit_advance(f.kit, (int64_t)(ward_test_seed() % 2));
		script_break(f.kit, f.p.ref, &ward_exception);
		ward_kit_advance(f.kit, 100);
		ward_assert_eq(actors_of_guests(nodes.right), 4);
		ward_assert_eq(actors_of_guests(f.kit), 0);
		finish(&f);
	}
}

/* Its parent waits for a decision when the connection is lost, so it has not seen that. */
WARD_TEST(restart_behind_a_cut_waits_for_the_guest_that_was_asked_for, "S193")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		f.p.keeps_children = true;
		f.g.decides = WARD_LATER;
		begin_with(&f);
		ward_kit_run(f.kit);
		script_break(f.kit, f.p.ref, &ward_exception);
		ward_kit_run(f.kit);
		ward_loop_cut_one_way(nodes.loop, "right", "left");
		ward_kit_advance(f.kit, 1500);
		ward_assert(!ward_loop_is_open(nodes.loop, "left", "right"));
		struct answer a = {&f.p, WARD_RESTART};
		script_do(f.kit, f.g.ref, answer, &a);
		ward_kit_advance(f.kit, 2000); /* the guest might still run */
		ward_assert_eq(actors_of_guests(f.kit), 0);
		ward_kit_advance(f.kit, 500);
		ward_assert_eq(actors_of_guests(nodes.right), 0);
		ward_assert_eq(actors_of_guests(f.kit), 4);
		finish(&f);
	}
}

static void strike(struct family *f, uint64_t draw)
{
	struct script *child = (draw >> 8) % 2 == 0 ? &f->a : &f->b;
	switch (draw % 8) {
	case 0:
		ward_loop_cut(nodes.loop, "left", "right");
		break;
	case 1:
		ward_loop_cut_one_way(nodes.loop, "left", "right");
		break;
	case 2:
		ward_loop_cut_one_way(nodes.loop, "right", "left");
		break;
	case 3:
		ward_loop_reset(nodes.loop, "left", "right");
		break;
	case 4:
		script_break(f->kit, f->p.ref, &ward_exception);
		break;
	case 5:
		ward_loop_heal(nodes.loop, "left", "right");
		break;
	default:
		script_break(f->kit, child->ref, &ward_exception);
		break;
	}
	ward_kit_advance(f->kit, (int64_t)((draw >> 16) % 1500));
}

WARD_TEST(storm_of_cuts_and_failures_leaves_each_stand_in_one_guest, "S192", "S193", "S194")
{
	WARD_TEST_SEEDS(100)
	{
		static const ward_strategy all = {.scope = WARD_ALL_FOR_ONE,
						  .decide = script_decide};
		struct family f = FAMILY;
		memset(living, 0, sizeof living);
		f.a.init = f.b.init = lives;
		f.a.post_stop = f.b.post_stop = has_ended;
		f.a.arg = &living[0];
		f.b.arg = &living[1];
		f.p.strategy = ward_test_seed() % 2 == 0 ? &script_one : &all;
		f.p.keeps_children = ward_test_seed() % 3 == 0;
		f.g.decides = ward_test_seed() % 5 == 0 ? WARD_RESUME : WARD_RESTART;
		begin_with(&f);
		ward_kit_advance(f.kit, 100);
		uint64_t draw = ward_test_seed() * UINT64_C(0x9e3779b97f4a7c15);
		for (int i = 0; i < 30; i++) {
			draw = draw * UINT64_C(6364136223846793005) + 1442695040888963407U;
			strike(&f, draw >> 32);
		}
		ward_loop_heal(nodes.loop, "left", "right");
		ward_kit_advance(f.kit, WARD_MINUTE);
		ward_assert_eq(actors_of_guests(nodes.right) + actors_of_guests(f.kit), 4);
		journal_clear();
		script_say(f.kit, f.a.ref, "well");
		script_say(f.kit, f.b.ref, "well");
		ward_kit_advance(f.kit, WARD_SECOND);
		assert_journal_of("a", "well");
		assert_journal_of("b", "well");
		finish(&f);
	}
}

WARD_TEST_MAIN
