/* SPDX-License-Identifier: MIT
 *
 * test_link_across.c - links with actors of another system: signals in both directions, and links
 * and unlinks that cross (S199).
 *
 * Method: what crosses is on its way for the latency of the loop. The exit signal that a link
 * brings, or does not, says on each side whether it is there.
 */
#include "gate.h"
#include "two_systems.h"

enum { LATENCY_MS = 20 };

static void start(struct two *two)
{
	two_start(two, &(ward_loop_options){.latency_ms = LATENCY_MS});
}

static void trap_both(struct two *two)
{
	let(two, &two->a, do_trap, NULL);
	let_and_settle(two, &two->b, do_trap, NULL);
}

/* Ends the one, and returns what the other has noted. */
static const char *end_one(struct two *two, struct script *one, const char *other)
{
	journal_clear();
	let_and_settle(two, one, do_end, NULL);
	return journal_of(other);
}

/* a and b are linked, or not, on both sides. */
static void check_linked(struct two *two, bool linked)
{
	ward_assert_str(end_one(two, &two->b, "a"), linked ? "exited b: normal" : "");
}

static void check_linked_at_b(struct two *two, bool linked)
{
	ward_assert_str(end_one(two, &two->a, "b"), linked ? "exited a: normal" : "");
}

/* ---- signals ------------------------------------------------------------------------------- */

WARD_TEST(link_ends_the_other_whoever_made_it_and_whoever_ends, "S199")
{
	for (int i = 0; i < 4; i++) {
		struct two two = {.loop = NULL};
		struct script *maker = i & 1 ? &two.a : &two.b, *ends = i & 2 ? &two.a : &two.b;

		start(&two);
		let_and_settle(&two, maker, do_link, maker == &two.a ? &two.b : &two.a);
		ward_system_stop(ward_kit_system(kit_of(&two, ends)), ends->ref);
		settle(&two);
		ward_assert(!is_alive(&two, &two.a) && !is_alive(&two, &two.b));
		two_finish(&two);
	}
}

WARD_TEST(trapped_signal_of_another_system_is_a_message_with_the_reason, "S199")
{
	struct two two = {.loop = NULL};

	start(&two);
	trap_both(&two);
	let_and_settle(&two, &two.a, do_link, &two.b);
	ward_system_stop(ward_kit_system(two.right), two.b.ref);
	settle(&two);
	assert_journal_of("a", "exited b: shutdown");
	ward_assert(is_alive(&two, &two.a));
	two_finish(&two);
}

WARD_TEST(normal_end_across_is_nothing_without_a_trap, "S199")
{
	struct two two = {.loop = NULL};

	start(&two);
	let_and_settle(&two, &two.a, do_link, &two.b);
	let_and_settle(&two, &two.b, do_end, NULL);
	ward_assert(is_alive(&two, &two.a));
	assert_journal_of("a", "");
	two_finish(&two);
}

static ward_result link_and_end(ward_self *self, void *arg)
{
	do_link(self, arg);
	return ward_stop_self(self);
}

WARD_TEST(end_right_after_the_link_is_a_signal, "S199")
{
	struct two two = {.loop = NULL};

	start(&two);
	trap_both(&two);
	let_and_settle(&two, &two.a, link_and_end, &two.b);
	assert_journal_of("b", "exited a: normal");
	two_finish(&two);
}

WARD_TEST(link_with_one_that_has_ended_is_noproc, "S199")
{
	struct two two = {.loop = NULL};

	start(&two);
	trap_both(&two);
	let_and_settle(&two, &two.b, do_end, NULL);
	let_and_settle(&two, &two.a, do_link, &two.b);
	assert_journal_of("a", "exited b: noproc");
	two_finish(&two);
}

/* ---- unlinking ----------------------------------------------------------------------------- */

static void unlink_made_one(bool a_makes, bool a_ends)
{
	for (int i = 0; i < 2; i++) {
		struct two two = {.loop = NULL};
		struct script *maker = a_makes ? &two.a : &two.b, *ends = a_ends ? &two.a : &two.b;

		start(&two);
		trap_both(&two);
		let_and_settle(&two, maker, do_link, maker == &two.a ? &two.b : &two.a);
		let_and_settle(&two, ends, do_unlink, ends == &two.a ? &two.b : &two.a);
		if (i == 0)
			check_linked(&two, false);
		else
			check_linked_at_b(&two, false);
		two_finish(&two);
	}
}

/* Short cases: with --shortages each is repeated for all its allocations. */
WARD_TEST(unlink_by_its_maker_ends_the_link_on_both_sides, "S199")
{
	unlink_made_one(true, true);
}

WARD_TEST(unlink_by_the_other_end_ends_the_link_on_both_sides, "S199")
{
	unlink_made_one(true, false);
}

WARD_TEST(unlink_ends_a_link_that_the_other_system_made, "S199")
{
	unlink_made_one(false, true);
}

WARD_TEST(unlink_by_its_maker_in_the_other_system_ends_the_link_on_both_sides, "S199")
{
	unlink_made_one(false, false);
}

/* a and b do something at the same time; then one of them ends. */
static void cross(script_call *of_a, script_call *of_b, bool linked_before, bool linked)
{
	for (int i = 0; i < 2; i++) {
		struct two two = {.loop = NULL};

		start(&two);
		trap_both(&two);
		if (linked_before)
			let_and_settle(&two, &two.a, do_link, &two.b);
		let(&two, &two.a, of_a, &two.b);
		let(&two, &two.b, of_b, &two.a);
		settle(&two);
		if (i == 0)
			check_linked(&two, linked);
		else
			check_linked_at_b(&two, linked);
		ward_assert_eq(ward_loop_read_stats(two.loop).closed, 0);
		two_finish(&two);
	}
}

static ward_result link_and_unlink(ward_self *self, void *arg)
{
	do_link(self, arg);
	return do_unlink(self, arg);
}

static ward_result unlink_and_link(ward_self *self, void *arg)
{
	do_unlink(self, arg);
	return do_link(self, arg);
}

WARD_TEST(links_that_cross_are_one, "S199")
{
	cross(do_link, do_link, false, true);
}

WARD_TEST(unlinks_that_cross_end_it, "S199")
{
	cross(do_unlink, do_unlink, true, false);
}

WARD_TEST(unlink_does_not_end_a_link_of_the_other_system_that_crosses_it, "S199")
{
	cross(link_and_unlink, do_link, false, true);
}

WARD_TEST(unlink_of_the_other_system_does_not_end_a_link_that_crosses_it, "S199")
{
	cross(do_link, link_and_unlink, false, true);
}

WARD_TEST(link_made_again_outlives_an_unlink_of_the_other_system_that_crosses_it, "S199")
{
	cross(unlink_and_link, do_unlink, true, true);
}

WARD_TEST(link_made_again_by_the_other_system_outlives_an_unlink_that_crosses_it, "S199")
{
	cross(do_unlink, unlink_and_link, true, true);
}

WARD_TEST(links_that_both_systems_make_again_are_one, "S199")
{
	cross(unlink_and_link, unlink_and_link, true, true);
}

WARD_TEST(links_that_both_systems_end_at_once_are_none, "S199")
{
	cross(link_and_unlink, link_and_unlink, false, false);
}

/* Links cross, and one side unlinks after it has got, or not got, the other's. */
WARD_TEST(unlink_after_links_that_crossed_ends_what_it_knew, "S199")
{
	for (int late = 0; late < 2; late++) {
		struct two two = {.loop = NULL};

		start(&two);
		trap_both(&two);
		let(&two, &two.a, do_link, &two.b);
		let(&two, &two.b, do_link, &two.a);
		ward_kit_run(two.left);
		ward_kit_advance(two.left, late ? LATENCY_MS : LATENCY_MS / 2);
		ward_kit_run(two.left);
		let_and_settle(&two, &two.a, do_unlink, &two.b);
		if (late)
			check_linked(&two, false);
		else
			check_linked(&two, true);
		two_finish(&two);
	}
}

WARD_TEST(unlink_that_crosses_the_end_leaves_no_signal, "S199")
{
	struct two two = {.loop = NULL};

	start(&two);
	trap_both(&two);
	let_and_settle(&two, &two.a, do_link, &two.b);
	journal_clear();
	let(&two, &two.b, do_end, NULL);
	ward_kit_run(two.left);
	let_and_settle(&two, &two.a, do_unlink, &two.b);
	assert_journal_of("a", "");
	ward_assert_eq(ward_loop_read_stats(two.loop).closed, 0);
	two_finish(&two);
}

WARD_TEST(ends_that_cross_are_no_fault, "S199")
{
	struct two two = {.loop = NULL};

	start(&two);
	let_and_settle(&two, &two.a, do_link, &two.b);
	let(&two, &two.a, do_end, NULL);
	let_and_settle(&two, &two.b, do_end, NULL);
	ward_assert_eq(ward_loop_read_stats(two.loop).closed, 0);
	two_finish(&two);
}

/* ---- the end of the association ------------------------------------------------------------ */

WARD_TEST(link_ends_as_unreached_with_the_association_on_both_sides, "S199")
{
	for (int crossed = 0; crossed < 2; crossed++) {
		struct two two = {.loop = NULL};

		start(&two);
		trap_both(&two);
		let(&two, &two.a, do_link, &two.b);
		if (crossed)
			let(&two, &two.b, do_link, &two.a);
		settle(&two);
		journal_clear();
		lose(&two);
		assert_journal_of("a", "exited b: noconnection");
		assert_journal_of("b", "exited a: noconnection");
		settle(&two);
		check_linked(&two, false);
		two_finish(&two);
	}
}

WARD_TEST(lost_connection_ends_who_is_linked_across_and_does_not_trap, "S199")
{
	struct two two = {.loop = NULL};

	start(&two);
	let_and_settle(&two, &two.a, do_link, &two.b);
	lose(&two);
	ward_assert(!is_alive(&two, &two.a) && !is_alive(&two, &two.b));
	two_finish(&two);
}

WARD_TEST(link_through_a_closed_association_is_unreached_at_once, "S199")
{
	struct two two = {.loop = NULL};

	start(&two);
	trap_both(&two);
	lose(&two);
	let(&two, &two.a, do_link, &two.b);
	ward_kit_run(two.left);
	assert_journal_of("a", "exited b: noconnection");
	two_finish(&two);
}

/* ---- what a transport does, step by step --------------------------------------------------- */

struct control {
	struct gate *gate;
	ward_control kind;
	uint64_t number;
};

/* The association's own actor links, and within the same callback its peer ends another link: the
 * own one has no number yet. */
static ward_result link_while_it_ends(ward_self *self, struct gate *gate, ward_control how)
{
	ward_ref self_ref = ward_self_ref(self), peer = gate_peer(gate);

	(void)ward_trap_exit(self, true);
	ward_link(self, peer);
	const struct ward_outgoing linked = {
		.kind = WARD_CONTROL_LINK, .from = peer, .to = self_ref, .number = 9};
	const struct ward_outgoing unlinked = {
		.kind = how, .from = peer, .to = self_ref, .number = 9};
	gate->applied = ward_incoming(self, &linked);
	if (gate->applied == WARD_OK)
		gate->applied = ward_incoming(self, &unlinked);
	return gate->applied == WARD_OK ? WARD_DONE : ward_failed_err(self, gate->applied);
}

static ward_result link_while_it_unlinks(ward_self *self, void *arg)
{
	return link_while_it_ends(self, arg, WARD_CONTROL_UNLINK);
}

static ward_result link_while_it_exits(ward_self *self, void *arg)
{
	return link_while_it_ends(self, arg, WARD_CONTROL_LINK_EXIT);
}

WARD_TEST(unlink_does_not_end_a_link_that_has_not_left_yet, "S199")
{
	struct gate gate = {.place = 0};
	ward_kit *kit = script_start(&(ward_kit_options){.may_leave_mail = true});

	gate_spawn(kit, &gate, "x");
	journal_clear();
	script_do(kit, gate.script.ref, link_while_it_unlinks, &gate);
	ward_kit_run(kit);
	ward_assert_ok(gate.applied);
	assert_journal("gate:link 1");
	script_finish(kit);
}

WARD_TEST(link_that_has_not_left_when_its_other_end_is_gone_does_not_leave, "S199")
{
	struct gate gate = {.place = 0};
	ward_kit *kit = script_start(&(ward_kit_options){.may_leave_mail = true});

	gate_spawn(kit, &gate, "x");
	journal_clear();
	script_do(kit, gate.script.ref, link_while_it_exits, &gate);
	ward_kit_run(kit);
	ward_assert_ok(gate.applied);
	assert_journal("");
	script_finish(kit);
}

static ward_result link_peer(ward_self *self, void *arg)
{
	ward_link(self, gate_peer(arg));
	return WARD_DONE;
}

static ward_result link_and_unlink_peer(ward_self *self, void *arg)
{
	ward_link(self, gate_peer(arg));
	ward_unlink(self, gate_peer(arg));
	return WARD_DONE;
}

WARD_TEST(each_link_has_a_number_and_an_unlink_names_those_it_knew, "S199")
{
	struct gate gate = {.place = 0};
	struct script actor = {.name = "actor"};
	ward_kit *kit = script_start(&(ward_kit_options){.may_leave_mail = true});

	gate_spawn(kit, &gate, "x");
	script_spawn(kit, &actor);
	journal_clear();
	script_do(kit, actor.ref, link_peer, &gate);
	ward_kit_run(kit);
	ward_assert_ok(gate_apply(kit, &gate,
				  (struct ward_outgoing){.kind = WARD_CONTROL_LINK,
							 .from = gate_peer(&gate),
							 .to = actor.ref,
							 .number = 5}));
	ward_system_stop(ward_kit_system(kit), actor.ref);
	ward_kit_run(kit);
	assert_journal("gate:link 1;actor:post_stop;gate:link exit");
	journal_clear();
	script_spawn(kit, &actor);
	journal_clear();
	script_do(kit, actor.ref, link_and_unlink_peer, &gate);
	ward_kit_run(kit);
	assert_journal(""); /* the peer knows nothing of it */
	script_finish(kit);
}

WARD_TEST_MAIN
