/* SPDX-License-Identifier: MIT
 *
 * test_zero_link.c - linking and unlinking what was spawned without a link, in the Akka 0.x
 * profile, and what becomes of its Exit (S118-S122).
 *
 * Method: as linking_supervisors.h says; the probe decides about what chiefs pass on.
 */
#include <ward/extend.h>

#include "linking_supervisors.h"

/* ---- orphans ----------------------------------------------------------------------------- */

WARD_TEST(actor_without_a_supervisor_is_dead_when_it_fails, "S118", "S119")
{
	ward_ref a;

	begin_with_orphanage();
	a = start_orphan(&a_component);
	z_fail(a, &bad_luck);
	ward_assert_str(seen(), "a+ a-");
	ward_assert_eq(ward_kit_count(z.kit, WARD_EVENT_FAILURE, "*/orphans/a"), 1);
	a = start_orphan(&a_component); /* the name is free */
	ward_assert(z_lives(a));
	z_end();
}

WARD_TEST(orphan_that_is_refused_says_why, "S118")
{
	struct ward_zero_spawned spawned;
	const ward_zero_component turn_flags = PERMANENT("no way");

	begin_with_orphanage();
	ward_assert_ok(ward_system_ask(z_system(), at.orphanage, WARD_SECOND, &spawned,
				       ward_zero_spawn, .component = &turn_flags));
	ward_assert_err(spawned.err, WARD_ENAME);
	ward_assert_part(spawned.text, "no way");
	ward_assert_ok(ward_system_ask(z_system(), at.orphanage, WARD_SECOND, &spawned,
				       ward_zero_spawn, .component = NULL));
	ward_assert_err(spawned.err, WARD_EINVAL);
	z_end();
}

WARD_TEST(linked_orphan_is_restarted_by_its_supervisor_behind_its_back, "S118", "S119", "S122")
{
	ward_ref boss;

	begin_with_orphanage();
	boss = link_orphan("O", WARD_ZERO_PERMANENT);
	ward_kit_tell(z.kit, at.who, mishap, .why = &bad_luck);
	ward_kit_tell(z.kit, at.who, number, .value = 1);
	ward_assert_str(seen(), "a! aR a1"); /* and nothing of it for the chief */
	as_chief(boss, ask_link);
	ward_assert_ok(at.err);
	ward_assert(!ward_ref_equal(at.stand_in, at.who));
	z_end();
}

WARD_TEST(linked_orphan_that_is_temporary_is_stopped, "S120")
{
	ward_ref boss;

	begin_with_orphanage();
	boss = link_orphan("O", WARD_ZERO_TEMPORARY);
	ward_probe_watch(z.probe, boss);
	z_fail(at.who, &bad_luck);
	ward_assert_str(seen(), "a-");
	ward_expect_terminated(z.probe, 0, boss); /* its last one */
	z_end();
}

WARD_TEST(actor_has_one_supervisor_at_most, "S118")
{
	ward_ref boss, rival;

	begin_with_orphanage();
	boss = link_orphan("O", WARD_ZERO_PERMANENT);
	rival = start_chief("P");
	as_chief(rival, link_it);
	ward_assert_str(seen(), "P=refused");
	ward_assert_err(at.err, WARD_EEXIST);
	ward_assert(ward_ref_equal(at.other, at.who));
	as_chief(boss, link_it);
	ward_assert_err(at.err, WARD_EEXIST);
	ward_assert_str(seen(), "");
	as_chief(rival, unlink_it);
	ward_assert_err(at.err, WARD_ENOENT);
	z_fail(at.who, &bad_luck);
	ward_assert_str(seen(), "a! aR"); /* the first one's still */
	as_chief(boss, unlink_it);
	as_chief(rival, link_it);
	ward_assert_str(seen(), "P=linked");
	ward_kit_stop(z.kit, boss);
	ward_assert_str(seen(), "");
	ward_kit_stop(z.kit, rival);
	ward_assert_str(seen(), "a-");
	z_end();
}

WARD_TEST(link_to_what_is_no_orphan_is_refused, "S118")
{
	ward_ref boss;

	begin_with_orphanage();
	boss = start_chief("O");
	at.who = start_chief("P");
	as_chief(boss, link_it);
	ward_assert_err(at.err, WARD_ENOENT);
	at.who = start_orphan(&a_component);
	z_fail(at.who, &bad_luck);
	as_chief(boss, link_it); /* gone */
	ward_assert_err(at.err, WARD_ENOENT);
	at.who = ward_nobody();
	as_chief(boss, link_it);
	ward_assert_err(at.err, WARD_EINVAL);
	ward_assert_eq(times(seen(), "=refused"), 2);
	at.who = start_orphan(&a_component);
	ward_kit_stop(z.kit, at.orphanage);
	ward_kit_run(z.kit);
	as_chief(boss, link_it);
	ward_assert(at.err == WARD_ENOENT || at.err == WARD_EDEAD);
	ward_assert_eq(times(seen(), "=refused"), 1);
	z_end();
}

WARD_TEST(orphan_does_not_supervise_itself, "S118")
{
	const ward_zero_component component = {
		.props = {.behavior = &chief, .name = "O", .args = WARD_ARGS(name, "O")}};

	begin_with_orphanage();
	at.who = start_orphan(&component);
	as_chief(at.who, link_it);
	ward_assert_err(at.err, WARD_EINVAL);
	ward_kit_tell(z.kit, at.who, ward_kill);
	ward_kit_run(z.kit);
	ward_assert(!z_lives(at.who)); /* and does not wait for its own decision */
	z_end();
}

WARD_TEST(unlinked_orphan_is_dead_when_it_fails_and_outlives_its_supervisor, "S118")
{
	ward_ref boss;

	begin_with_orphanage();
	boss = link_orphan("O", WARD_ZERO_PERMANENT);
	as_chief(boss, unlink_it);
	ward_assert_ok(at.err);
	as_chief(boss, ask_link);
	ward_assert_err(at.err, WARD_ENOENT);
	ward_kit_stop(z.kit, boss);
	ward_kit_tell(z.kit, at.who, number, .value = 1);
	ward_assert_str(seen(), "a1");
	z_fail(at.who, &bad_luck);
	ward_assert_str(seen(), "a-");
	z_end();
}

WARD_TEST(exit_that_is_not_trapped_is_passed_on_and_the_supervisor_decides, "S119")
{
	ward_ref boss;

	begin_with_orphanage();
	boss = link_orphan("O", WARD_ZERO_PERMANENT);
	z_fail(at.who, &odd_luck);
	expect_passed_on(boss, &odd_luck);
	ward_assert_str(seen(), "");
	ward_probe_decide(z.probe, boss, WARD_RESUME);
	ward_kit_tell(z.kit, at.who, number, .value = 1);
	ward_assert_str(seen(), "a1");
	z_fail(at.who, &odd_luck);
	expect_passed_on(boss, &odd_luck);
	ward_probe_decide(z.probe, boss, WARD_RESTART); /* which stops all of its own (S28) */
	ward_assert_str(seen(), "a-");
	ward_assert(z_lives(boss));
	z_end();
}

WARD_TEST(linked_orphan_is_suspended_with_its_supervisor, "S118")
{
	ward_ref boss, orphan;

	begin_with_orphanage();
	boss = link_orphan("O", WARD_ZERO_PERMANENT);
	orphan = at.who;
	z_fail(start_linked(boss, &b_component), &odd_luck);
	(void)ward_expect_failure(z.probe, 0, boss, &odd_luck);
	seen();
	ward_kit_tell(z.kit, orphan, number, .value = 1);
	ward_assert_str(seen(), "");
	ward_probe_decide(z.probe, boss, WARD_RESUME);
	ward_assert_str(seen(), "a1");
	z_end();
}

static struct {
	ward_ref boss;
	int failures, bodies;
} above;

static ward_directive above_decide(ward_self *self, ward_ref child, const ward_failure *failure)
{
	const ward_type *type;
	size_t size;

	(void)self, (void)child;
	above.failures++;
	above.bodies += ward_failure_any_body(failure, &type, &size) != NULL;
	return WARD_STOP;
}

static ward_result above_start(ward_self *self, void *state)
{
	(void)state;
	above.boss = ward_spawn(self, &chief, .args = WARD_ARGS(name, "O"));
	return WARD_DONE;
}

static const ward_strategy above_strategy = {.decide = above_decide};
static const ward_behavior above_them = {
	.name = "above", .child_strategy = &above_strategy, .pre_start = above_start};

static ward_result bearer_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state, (void)msg;
	return ward_failed_body(self, &odd_luck, WARD_BODY(number, .value = 1), "it had it");
}

WARD_TEST(failure_of_a_linked_orphan_is_passed_on_without_its_body, "S119")
{
	static const ward_behavior bearer = {.name = "bearer", .receive = bearer_receive};
	const ward_zero_component component = {.props = {.behavior = &bearer}};

	begin_with_orphanage();
	memset(&above, 0, sizeof above);
	(void)ward_kit_spawn(z.kit, &above_them);
	ward_kit_run(z.kit);
	(void)start_orphan(&component);
	as_chief(above.boss, link_it);
	ward_assert_str(seen(), "O=linked");
	ward_kit_tell(z.kit, at.who, number, .value = 1);
	ward_kit_run(z.kit);
	ward_assert_eq(above.failures, 1);
	ward_assert_eq(above.bodies, 0);
	z_end();
}

WARD_TEST(all_for_one_restarts_linked_orphans_too, "S122", "S118")
{
	const char *log;
	ward_ref boss, b, orphan;

	begin_with_orphanage();
	boss = link_orphan("A", WARD_ZERO_PERMANENT);
	orphan = at.who;
	b = start_linked(boss, &b_component);
	seen();
	z_fail(b, &bad_luck);
	log = seen();
	ward_assert_eq(times(log, "b! bR") + times(log, "a! aR"), 2);
	z_fail(orphan, &bad_luck);
	log = seen();
	ward_assert_eq(times(log, "aR"), 1);
	ward_assert_eq(times(log, "bR"), 1);
	ward_kit_advance(z.kit, 1001);
	z_fail(b, &bad_luck);
	log = seen();
	ward_assert_eq(times(log, "aR"), 1);
	ward_assert_eq(times(log, "bR"), 1);
	ward_kit_tell(z.kit, orphan, ward_kill); /* one that means no restart is a failure */
	ward_kit_run(z.kit);
	(void)ward_expect_failure(z.probe, 0, boss, &ward_killed);
	ward_probe_decide(z.probe, boss, WARD_STOP);
	ward_kit_run(z.kit);
	ward_assert(!z_lives(orphan));
	seen();
	z_end();
}

WARD_TEST(limit_of_a_linked_orphan_names_its_stand_in, "S121")
{
	ward_ref boss, orphan;

	begin_with_orphanage();
	boss = link_orphan("O", WARD_ZERO_PERMANENT);
	orphan = at.who;
	as_chief(boss, ask_link);
	for (int i = 0; i < 2; i++)
		z_fail(orphan, &bad_luck);
	ward_assert_str(seen(), "a! aR a! aR");
	z_fail(orphan, &bad_luck);
	ward_assert_eq(times(z.log, "O=limit"), 1);
	ward_assert_eq(times(seen(), "a-"), 1);
	ward_assert(ward_ref_equal(at.other, at.stand_in));
	z_end();
}

/* The stop of the chief meets a failure that it knows, or not yet. */
WARD_TEST(orphan_that_failed_is_not_forgotten_when_its_supervisor_ends_or_lets_go, "S118", "S119")
{
	for (int unlinks = 0; unlinks < 2; unlinks++)
		for (int steps = 0; steps < (ward_test_shortage() ? 3 : 12); steps++) {
			ward_ref boss;

			begin_with_orphanage();
			boss = link_orphan("O", WARD_ZERO_PERMANENT);
			ward_kit_tell(z.kit, at.who, mishap, .why = &bad_luck);
			for (int i = 0; i < steps; i++)
				(void)ward_kit_step(z.kit);
			if (unlinks)
				ward_kit_tell(z.kit, boss, call, .fn = unlink_it);
			else
				ward_kit_stop(z.kit, boss);
			ward_kit_run(z.kit);
			if (!unlinks)
				ward_assert(!z_lives(at.who));
			else if (z_lives(at.who))
				ward_assert_state(z.kit, at.who, WARD_STATE_RUNNING);
			seen();
			z_end();
		}
}

/* It meets an unlink that is under way. */
WARD_TEST(orphan_that_fails_while_it_is_unlinked_is_dead_or_restarted, "S118", "S119")
{
	for (int steps = 0; steps < (ward_test_shortage() ? 3 : 240); steps++) {
		ward_ref boss;

		begin_with_orphanage_at((uint64_t)steps / 12 + 1);
		boss = link_orphan("O", WARD_ZERO_PERMANENT);
		ward_kit_tell(z.kit, boss, call, .fn = unlink_it);
		for (int i = 0; i < steps % 12; i++)
			(void)ward_kit_step(z.kit);
		ward_kit_tell(z.kit, at.who, mishap, .why = &bad_luck);
		ward_kit_run(z.kit);
		if (z_lives(at.who))
			ward_assert_state(z.kit, at.who, WARD_STATE_RUNNING);
		ward_assert(z_lives(boss));
		seen();
		z_end();
	}
}

static void unlink_and_break(ward_self *self, struct ward_zero_links *links)
{
	at.err = ward_zero_unlink(self, links, at.who);
	ward_tell(self, at.other, mishap, .why = &bad_luck);
}

WARD_TEST(orphan_that_was_unlinked_is_not_restarted_with_others, "S118")
{
	ward_ref boss, orphan, b;
	const char *log;

	for (uint64_t seed = 1; seed <= (ward_test_shortage() ? 1 : 20); seed++) {
		begin_with_orphanage_at(seed);
		boss = link_orphan("A", WARD_ZERO_PERMANENT);
		orphan = at.who;
		b = start_linked(boss, &b_component);
		seen();
		at.who = orphan;
		at.other = b;
		as_chief(boss, unlink_and_break);
		ward_assert_ok(at.err);
		log = seen();
		ward_assert_eq(times(log, "bR"), 1);
		ward_assert_eq(times(log, "a"), 0);
		z_end();
	}
}

static void link_and_unlink(ward_self *self, struct ward_zero_links *links)
{
	ward_err err = ward_try_zero_link(self, links, at.orphanage, at.who, WARD_ZERO_PERMANENT);

	if (err == WARD_OK)
		err = ward_zero_unlink(self, links, at.who);
	if (err != WARD_OK)
		note("X", ward_err_detail());
}

static void link_unlink_and_stop(ward_self *self, struct ward_zero_links *links)
{
	link_and_unlink(self, links);
	ward_stop_self(self);
}

/* The unlink comes to the orphanage before the link. */
WARD_TEST(orphan_that_is_unlinked_before_it_was_linked_lives_on, "S118")
{
	for (uint64_t seed = 1; seed <= (ward_test_shortage() ? 2 : 40); seed++) {
		ward_ref boss, rival;

		begin_with_orphanage_at(seed);
		boss = start_chief("O");
		rival = start_chief("P");
		at.who = start_orphan(&a_component);
		seen();
		ward_kit_tell(z.kit, rival, call, .fn = link_and_unlink);
		as_chief(boss, seed % 2 == 0 ? link_and_unlink : link_unlink_and_stop);
		ward_assert(z_lives(at.who));
		ward_assert_eq(times(seen(), "X"), 0);
		as_chief(rival, link_it); /* nobody has it */
		ward_assert_ok(at.err);
		ward_assert_str(seen(), "P=linked");
		z_fail(at.who, &bad_luck);
		ward_assert_str(seen(), "a! aR");
		z_end();
	}
}

/* A link that is under way meets the end of who wanted it. */
WARD_TEST(orphan_of_another_is_let_be_when_a_rival_for_it_ends, "S118")
{
	for (int steps = 0; steps < (ward_test_shortage() ? 3 : 12); steps++) {
		ward_ref rival;

		begin_with_orphanage();
		(void)link_orphan("O", WARD_ZERO_PERMANENT);
		rival = start_chief("P");
		ward_kit_tell(z.kit, rival, call, .fn = link_it);
		for (int i = 0; i < steps; i++)
			(void)ward_kit_step(z.kit);
		ward_kit_stop(z.kit, rival);
		ward_kit_run(z.kit);
		ward_assert(z_lives(at.who));
		z_fail(at.who, &bad_luck);
		ward_assert_part(seen(), "a! aR");
		z_end();
	}
}

/* Also before its stand-in knows that it is one. */
WARD_TEST(orphan_ends_with_a_supervisor_that_ends_while_it_links, "S118")
{
	int links = 0;

	for (int steps = 0; steps < (ward_test_shortage() ? 3 : 240); steps++) {
		ward_ref boss;

		begin_with_orphanage_at((uint64_t)steps / 12 + 1);
		boss = start_chief("O");
		(void)start_orphan(&a_component);
		at.err = WARD_ETYPE;
		ward_kit_tell(z.kit, boss, call, .fn = link_it);
		for (int i = 0; i < steps % 12; i++)
			(void)ward_kit_step(z.kit);
		ward_kit_stop(z.kit, boss);
		ward_kit_run(z.kit);
		links += at.err == WARD_OK;
		ward_assert(z_lives(at.who) == (at.err != WARD_OK));
		seen();
		z_end();
	}
	ward_assert(ward_test_shortage() || links > 100);
}

/* Whatever comes first, the orphan ends with the one, or belongs to the other and is well. */
WARD_TEST(orphan_of_one_that_ends_is_no_prey_for_a_rival, "S118", "S119")
{
	for (int steps = 0; steps < (ward_test_shortage() ? 3 : 400); steps++) {
		ward_ref boss, rival;

		begin_with_orphanage_at((uint64_t)steps / 20 + 1);
		boss = link_orphan("O", WARD_ZERO_PERMANENT);
		rival = start_chief("P");
		ward_kit_tell(z.kit, at.who, mishap, .why = &odd_luck);
		ward_kit_run(z.kit);
		expect_passed_on(boss, &odd_luck); /* it waits */
		ward_kit_stop(z.kit, boss);
		ward_kit_tell(z.kit, rival, call, .fn = link_it);
		for (int i = 0; i < steps % 20; i++)
			(void)ward_kit_step(z.kit);
		ward_kit_tell(z.kit, rival, call, .fn = link_it);
		ward_kit_run(z.kit);
		ward_assert(!z_lives(at.who));
		z.log[0] = '\0';
		z_end();
	}
}

static void begin_with_unread_mail(void)
{
	memset(&z, 0, sizeof z);
	memset(&at, 0, sizeof at);
	z.kit = ward_kit_start(&(ward_kit_options){.may_leave_mail = true});
	z.probe = ward_probe_start(z.kit, "probe");
	at.orphanage = ward_kit_spawn(z.kit, &ward_zero_orphanage, .name = "orphans");
}

/* For each allocation between its failure and the decision, which is to resume. */
WARD_TEST(orphan_that_failed_does_not_wait_for_what_found_no_memory, "S119")
{
	bool struck = true;
	uint64_t nth = 0;

	while (struck && ++nth < 100) {
		uint64_t before;
		ward_ref boss;

		begin_with_unread_mail();
		boss = link_orphan("O", WARD_ZERO_PERMANENT);
		before = ward_kit_allocations(z.kit);
		ward_kit_fail_allocation(z.kit, nth);
		ward_kit_tell(z.kit, at.who, mishap, .why = &odd_luck);
		ward_kit_run(z.kit);
		if (ward_kit_state(z.kit, boss) == WARD_STATE_FAILED)
			ward_probe_decide(z.probe, boss, WARD_RESUME);
		ward_kit_run(z.kit);
		ward_kit_fail_allocation(z.kit, 0);
		struck = ward_kit_allocations(z.kit) - before >= nth;
		if (z_lives(at.who))
			ward_assert_state(z.kit, at.who, WARD_STATE_RUNNING);
		seen();
		z_end();
	}
	ward_assert(nth > 4 && nth < 100);
}

WARD_TEST(orphanage_that_ends_takes_orphans_and_links_along, "S118")
{
	ward_ref boss;

	begin_with_orphanage();
	boss = link_orphan("O", WARD_ZERO_PERMANENT);
	as_chief(boss, ask_link);
	ward_kit_stop(z.kit, at.orphanage);
	ward_assert_str(seen(), "a-");
	ward_assert(!z_lives(at.stand_in));
	ward_assert(z_lives(boss));
	ward_assert_eq(ward_kit_count(z.kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
	z_end();
}

WARD_TEST(link_goes_with_the_actor, "S118")
{
	uint64_t bytes = 0;
	ward_ref boss;

	begin_with_orphanage();
	boss = link_orphan("O", WARD_ZERO_PERMANENT);
	as_chief(boss, ask_link);
	ward_kit_stop(z.kit, at.who);
	ward_kit_run(z.kit);
	ward_assert(!z_lives(at.stand_in));
	as_chief(boss, ask_link);
	ward_assert_err(at.err, WARD_ENOENT);
	ward_assert(z_lives(boss)); /* a plain end tells nobody anything */
	ward_assert_str(seen(), "a-");
	/* Nor does it leave anything. */
	for (int i = 0; i < (ward_test_shortage() ? 2 : 100); i++) {
		at.who = start_orphan(&a_component);
		as_chief(boss, link_it);
		ward_kit_stop(z.kit, at.who);
		ward_kit_run(z.kit);
		z.log[0] = '\0';
		if (i == 50)
			bytes = ward_kit_bytes(z.kit);
	}
	ward_assert(bytes == 0 || ward_kit_bytes(z.kit) < bytes + 50 * sizeof(ward_ref));
	z_end();
}

WARD_TEST_MAIN
