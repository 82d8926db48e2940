/* SPDX-License-Identifier: MIT
 *
 * test_zero_supervisor.c - the supervising actor of the Akka 0.x profile, and what it spawns with a
 * link (S118-S121).
 *
 * Method: as linking_supervisors.h says; the probe decides about what chiefs pass on.
 */
#include "linking_supervisors.h"

/* ---- spawned with a link ----------------------------------------------------------------- */

static void spawn_by_type(ward_self *self, struct ward_zero_links *links)
{
	at.who = ward_zero_spawn_link(self, links, at.component->props.behavior);
}

static ward_result fails_of_all(ward_self *self, void *state, const ward_msg *msg)
{
	const struct mishap *mishap = ward_match(msg, mishap);

	(void)state;
	return mishap != NULL ? ward_failed(self, mishap->why, "a had it") : WARD_UNHANDLED;
}

WARD_TEST(spawn_link_by_type_makes_a_permanent_actor, "S118", "S119", "S120")
{
	static const ward_behavior plain = {.name = "plain", .receive = fails_of_all};
	static const ward_zero_component component = {.props = {.behavior = &plain}};
	ward_actor_info info;
	ward_ref boss;

	z_begin();
	boss = start_chief("O");
	at.component = &component;
	as_chief(boss, spawn_by_type);
	z_fail(at.who, &bad_luck);
	ward_assert(ward_kit_info(z.kit, at.who, &info));
	ward_assert_eq(info.incarnation, 2);
	ward_assert_str(seen(), ""); /* the chief saw nothing */
	z_fail(at.who, &odd_luck);
	expect_passed_on(boss, &odd_luck);
	ward_probe_decide(z.probe, boss, WARD_STOP);
	z_end();
}

WARD_TEST(start_link_keeps_to_the_life_cycle_of_the_component, "S118", "S120")
{
	ward_ref boss, a, t;

	z_begin();
	boss = start_chief("O");
	a = start_linked(boss, &a_component);
	t = start_linked(boss, &t_component);
	ward_assert_str(seen(), "a+ t+");
	z_fail(t, &bad_luck);
	ward_assert_str(seen(), "t-");
	z_fail(a, &bad_luck);
	ward_assert_str(seen(), "a! aR");
	at.component = &(const ward_zero_component)COMPONENT_OF(worker, "r", .remote = {"h", 1});
	as_chief(boss, spawn_linked);
	ward_assert_err(at.err, WARD_ENOENT);
	z_end();
}

WARD_TEST(supervising_actor_hears_that_the_limit_was_reached, "S121")
{
	ward_ref boss, a;

	z_begin();
	boss = start_chief("O");
	a = start_linked(boss, &a_component);
	z_fail(a, &bad_luck);
	z_fail(a, &bad_luck);
	ward_assert_str(seen(), "a+ a! aR a! aR");
	z_fail(a, &bad_luck);
	ward_assert_eq(times(z.log, "O=limit"), 1);
	ward_assert_eq(times(seen(), "a-"), 1);
	ward_assert(ward_ref_equal(at.other, a));
	ward_assert(z_lives(boss));
	z_end();
}

WARD_TEST(supervising_actor_hears_also_of_a_limit_of_none, "S121")
{
	ward_ref boss, a;

	z_begin();
	boss = start_chief("N");
	a = start_linked(boss, &a_component);
	z_fail(a, &bad_luck);
	ward_assert_eq(times(z.log, "N=limit"), 1);
	ward_assert_eq(times(seen(), "a-"), 1);
	ward_assert(ward_ref_equal(at.other, a));
	z_end();
}

WARD_TEST(child_that_is_unlinked_is_dead_when_it_fails, "S118", "S119")
{
	ward_ref boss, a;

	z_begin();
	boss = start_chief("O");
	a = start_linked(boss, &a_component);
	as_chief(boss, unlink_it);
	ward_assert_ok(at.err);
	as_chief(boss, unlink_it);
	ward_assert_err(at.err, WARD_ENOENT);
	as_chief(boss, link_it); /* again */
	ward_assert_str(seen(), "a+ O=linked");
	z_fail(a, &bad_luck);
	ward_assert_str(seen(), "a! aR");
	as_chief(boss, unlink_it);
	z_fail(a, &odd_luck); /* of no concern for the chief's supervisor, either */
	ward_assert_str(seen(), "a-");
	ward_assert(z_lives(boss));
	z_end();
}

WARD_TEST(child_cannot_be_unlinked_where_all_are_restarted, "S118")
{
	ward_ref boss;

	z_begin();
	boss = start_chief("A");
	(void)start_linked(boss, &a_component);
	as_chief(boss, unlink_it);
	ward_assert_err(at.err, WARD_EINVAL);
	z_end();
}

static void spawn_plainly(ward_self *self, struct ward_zero_links *links)
{
	(void)links;
	at.err = ward_try_spawn(self, &a_component.props, &at.who);
}

WARD_TEST(supervising_actor_without_a_fault_handler_fails_itself, "S119")
{
	ward_ref boss;

	z_begin();
	boss = start_chief("x");
	as_chief(boss, spawn_plainly);
	ward_assert_ok(at.err);
	z_fail(at.who, &bad_luck);
	(void)ward_expect_failure(z.probe, 0, boss, &ward_misuse);
	ward_probe_decide(z.probe, boss, WARD_STOP);
	ward_kit_run(z.kit);
	ward_assert(!z_lives(at.who));
	z_end();
}

static void begin_wrongly(ward_self *self, struct ward_zero_links *links)
{
	static const ward_zero_strategy no_handler = {.trap_exit = {&bad_luck}};
	struct ward_zero_links elsewhere = {0};

	at.err = ward_try_zero_init(self, &elsewhere, &one);
	if (at.err == WARD_EINVAL)
		at.err = ward_try_zero_init(self, links, &no_handler);
}

static void trap_odd_luck(ward_self *self, struct ward_zero_links *links)
{
	static const ward_zero_strategy turn_flags =
		WARD_ZERO_STRATEGY(WARD_ONE_FOR_ONE, 0, 0, &odd_luck);

	at.err = ward_try_zero_init(self, links, &turn_flags);
}

WARD_TEST(trap_list_may_change_and_needs_a_fault_handler, "S119")
{
	ward_ref boss, a;

	z_begin();
	boss = start_chief("O");
	as_chief(boss, begin_wrongly);
	ward_assert_err(at.err, WARD_EINVAL);
	as_chief(boss, trap_odd_luck);
	ward_assert_ok(at.err);
	a = start_linked(boss, &a_component);
	z_fail(a, &odd_luck);
	ward_assert_str(seen(), "a+ a! aR");
	z_fail(a, &bad_luck);
	expect_passed_on(boss, &bad_luck);
	ward_probe_decide(z.probe, boss, WARD_STOP);
	z_end();
}

/* ---- plain verbs that are refused --------------------------------------------------------- */

static void begins_elsewhere(ward_self *self, struct ward_zero_links *links)
{
	struct ward_zero_links elsewhere = {0};

	(void)links;
	ward_zero_init(self, &elsewhere, &one);
}

static void spawns_nothing(ward_self *self, struct ward_zero_links *links)
{
	at.who = ward_zero_spawn_link(self, links, NULL);
}

static void starts_remotely(ward_self *self, struct ward_zero_links *links)
{
	at.who = ward_zero_start_link(
		self, links,
		&(const ward_zero_component)COMPONENT_OF(worker, "r", .remote = {"h", 1}));
}

static void links_itself(ward_self *self, struct ward_zero_links *links)
{
	ward_zero_link(self, links, at.orphanage, ward_self_ref(self), WARD_ZERO_PERMANENT);
}

static void starts_plainly(ward_self *self, struct ward_zero_links *links)
{
	at.who = ward_zero_start_link(self, links, at.component);
}

/* The chief fails of it, and goes on. */
static void refuses(ward_ref boss, chief_call *fn, const ward_failure_class *failure_class,
		    const char *part)
{
	const ward_probe_failure *failure;

	as_chief(boss, fn);
	failure = ward_expect_failure(z.probe, 0, boss, failure_class);
	ward_assert_part(failure->text, part);
	ward_assert(ward_ref_is_nobody(at.who));
	ward_probe_decide(z.probe, boss, WARD_RESUME);
	ward_kit_run(z.kit);
}

WARD_TEST(supervising_actor_fails_of_what_is_refused, "S118", "S119")
{
	ward_ref boss;

	begin_with_orphanage();
	boss = start_chief("O");
	refuses(boss, begins_elsewhere, &ward_misuse, "not the first member of the state");
	refuses(boss, spawns_nothing, &ward_misuse, "a component without a behavior");
	refuses(boss, starts_remotely, &ward_exception, "no clustering yet");
	refuses(boss, links_itself, &ward_misuse, "an actor cannot link to itself");
	ward_assert(z_lives(boss));
	z_end();
}

WARD_TEST(plain_verbs_return_the_actor_that_they_have_linked, "S118")
{
	ward_ref boss;

	z_begin();
	boss = start_chief("O");
	at.component = &a_component;
	as_chief(boss, starts_plainly);
	z_fail(at.who, &bad_luck);
	ward_assert_str(seen(), "a+ a! aR");
	z_end();
}

WARD_TEST_MAIN
