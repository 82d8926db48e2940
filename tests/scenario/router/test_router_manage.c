/* SPDX-License-Identifier: MIT
 *
 * test_router_manage.c - routees that are added, removed and made while a router runs (S92).
 */
#include "router_and_workers.h"

#define manage(...) (ward_kit_tell(rig.kit, rig.router, __VA_ARGS__), ward_kit_run(rig.kit))

static ward_ref spawn_worker(void)
{
	ward_ref ref = ward_kit_spawn(rig.kit, &worker);

	ward_kit_run(rig.kit);
	return ref;
}

static size_t unhandled(void)
{
	return ward_kit_count(rig.kit, WARD_EVENT_UNHANDLED, "*");
}

WARD_TEST(router_tells_its_routees_in_order, "S92")
{
	rig_open(NULL);
	start_pool(.routees = 3);
	ward_probe *probe = ward_probe_start(rig.kit, "probe");
	ward_assert_str(routees(probe), "1 2 3");
	ward_assert(ward_ref_equal(ward_probe_sender(probe), rig.router));
	rig_close();
}

/* ---- adding -------------------------------------------------------------------------------- */

WARD_TEST(added_routee_gets_messages_and_is_evicted_but_not_supervised, "S92")
{
	rig_open(NULL);
	start_pool(.routees = 1);
	ward_ref added = spawn_worker();
	manage(ward_add_routee, .routee = added);
	send_job(.number = 1);
	send_job(.number = 2, .op = BREAK);
	assert_got(1, "1");
	assert_got(OTHERS + 1, "2 R");
	ward_assert_eq(ward_kit_count(rig.kit, WARD_EVENT_FAILURE, "*/pool*"), 0);
	ward_kit_stop(rig.kit, added);
	ward_kit_run(rig.kit);
	send_jobs(3, 4);
	assert_got(1, "1 3 4");
	rig_close();
}

WARD_TEST(routee_is_not_added_twice, "S92")
{
	rig_open(NULL);
	start_pool(.routees = 2);
	ward_probe *probe = ward_probe_start(rig.kit, "probe");
	manage(ward_add_routee, .routee = rig.workers[1].ref);
	ward_assert_str(routees(probe), "1 2");
	ward_assert_eq(unhandled(), 0);
	rig_close();
}

WARD_TEST(nobody_and_the_router_itself_are_not_added, "S92")
{
	rig_open(NULL);
	start_pool(.routees = 1);
	ward_probe *probe = ward_probe_start(rig.kit, "probe");
	manage(ward_add_routee, .routee = ward_nobody());
	manage(ward_add_routee, .routee = rig.router);
	ward_assert_eq(unhandled(), 2);
	ward_assert_str(routees(probe), "1");
	rig_close();
}

WARD_TEST(routee_that_is_dead_when_it_is_added_is_evicted, "S92")
{
	rig_open(NULL);
	start_pool(.routees = 1);
	ward_ref dead = spawn_worker();
	ward_kit_stop(rig.kit, dead);
	ward_kit_run(rig.kit);
	ward_probe *probe = ward_probe_start(rig.kit, "probe");
	manage(ward_add_routee, .routee = dead);
	ward_assert_str(routees(probe), "1");
	rig_close();
}

/* ---- removing ------------------------------------------------------------------------------ */

WARD_TEST(removed_routee_gets_its_pill_after_100_ms, "S92")
{
	rig_open(NULL);
	start_pool(.routees = 2);
	manage(ward_remove_routee, .routee = rig.workers[1].ref);
	send_jobs(1, 2);
	assert_got(1, "");
	assert_got(2, "1 2");
	ward_kit_advance(rig.kit, 99);
	ward_system_tell(ward_kit_system(rig.kit), rig.workers[1].ref, job, .number = 3);
	ward_kit_run(rig.kit);
	assert_got(1, "3"); /* sent directly, meanwhile */
	ward_kit_advance(rig.kit, 1);
	ward_assert_state(rig.kit, rig.workers[1].ref, WARD_STATE_GONE);
	ward_assert_state(rig.kit, rig.router, WARD_STATE_RUNNING);
	rig_close();
}

WARD_TEST(mail_of_a_removed_routee_is_handled_before_the_pill, "S92")
{
	rig_open(NULL);
	start_pool(.routees = 1, .resizer = &(ward_resizer){.messages_per_resize = 1000});
	for (int number = 1; number <= 5; number++)
		ward_kit_tell(rig.kit, rig.router, job, .number = number);
	ward_kit_tell(rig.kit, rig.router, ward_remove_routee, .routee = rig.workers[1].ref);
	ward_kit_advance(rig.kit, 100);
	assert_got(1, "1 2 3 4 5");
	ward_assert_state(rig.kit, rig.workers[1].ref, WARD_STATE_GONE);
	rig_close();
}

WARD_TEST(router_waits_for_the_last_one_that_it_removed_before_it_stops, "S92")
{
	rig_open(NULL);
	start_pool(.routees = 1);
	for (int number = 1; number <= 3; number++)
		ward_kit_tell(rig.kit, rig.router, job, .number = number);
	manage(ward_remove_routee, .routee = rig.workers[1].ref);
	ward_assert_state(rig.kit, rig.router, WARD_STATE_RUNNING);
	send_job(.number = 4);
	ward_assert_eq(dead_letters(WARD_REASON_NO_ROUTEE), 1);
	ward_kit_advance(rig.kit, 100);
	assert_got(1, "1 2 3");
	ward_assert_state(rig.kit, rig.router, WARD_STATE_GONE);
	rig_close();
}

WARD_TEST(end_of_one_that_leaves_does_not_stop_the_other_that_leaves, "S92")
{
	rig_open(NULL);
	start_pool(.routees = 2);
	manage(ward_adjust_pool, .change = -2);
	ward_kit_stop(rig.kit, rig.workers[1].ref);
	ward_kit_run(rig.kit);
	ward_assert_state(rig.kit, rig.router, WARD_STATE_RUNNING);
	ward_assert_state(rig.kit, rig.workers[2].ref, WARD_STATE_RUNNING);
	ward_kit_advance(rig.kit, 100);
	ward_assert_state(rig.kit, rig.router, WARD_STATE_GONE);
	rig_close();
}

WARD_TEST(added_routee_that_is_removed_lives_on, "S92")
{
	rig_open(NULL);
	start_pool(.routees = 1);
	ward_ref added = spawn_worker();
	manage(ward_add_routee, .routee = added);
	manage(ward_remove_routee, .routee = added);
	ward_kit_advance(rig.kit, 1000);
	ward_assert_state(rig.kit, added, WARD_STATE_RUNNING);
	send_jobs(1, 2);
	assert_got(1, "1 2");
	ward_kit_stop(rig.kit, added); /* nobody watches it any more */
	ward_kit_run(rig.kit);
	ward_assert_eq(unhandled(), 0);
	rig_close();
}

WARD_TEST(removing_who_is_no_routee_is_unhandled, "S92")
{
	rig_open(NULL);
	start_pool(.routees = 2);
	manage(ward_remove_routee, .routee = rig.router);
	ward_assert_eq(unhandled(), 1);
	manage(ward_remove_routee, .routee = rig.workers[1].ref);
	manage(ward_remove_routee, .routee = rig.workers[1].ref); /* it leaves already */
	ward_assert_eq(unhandled(), 2);
	rig_close();
}

WARD_TEST(removed_routee_that_is_added_again_stays, "S92")
{
	rig_open(NULL);
	start_pool(.routees = 2);
	ward_probe *probe = ward_probe_start(rig.kit, "probe");
	manage(ward_remove_routee, .routee = rig.workers[1].ref);
	ward_kit_advance(rig.kit, 50);
	manage(ward_add_routee, .routee = rig.workers[1].ref);
	ward_kit_advance(rig.kit, 1000);
	ward_assert_str(routees(probe), "2 1");
	rig_close();
}

WARD_TEST(removed_routee_that_ends_first_is_forgotten, "S92")
{
	rig_open(NULL);
	start_pool(.routees = 2);
	ward_probe *probe = ward_probe_start(rig.kit, "probe");
	manage(ward_remove_routee, .routee = rig.workers[1].ref);
	ward_kit_stop(rig.kit, rig.workers[1].ref);
	ward_kit_run(rig.kit);
	ward_assert_eq(ward_kit_stats(rig.kit).timers, 0);
	ward_kit_advance(rig.kit, 1000);
	ward_assert_str(routees(probe), "2");
	rig_close();
}

WARD_TEST(group_forgets_a_removed_member_and_stops_without_any, "S92")
{
	rig_open(NULL);
	ward_ref member = spawn_worker();
	rig.router = ward_kit_spawn(
		rig.kit, &ward_group,
		.args = WARD_ARGS(ward_router, .members = &member, .members_count = 1));
	ward_kit_run(rig.kit);
	manage(ward_remove_routee, .routee = member);
	ward_assert_state(rig.kit, rig.router, WARD_STATE_GONE);
	ward_assert_state(rig.kit, member, WARD_STATE_RUNNING);
	rig_close();
}

/* ---- making ---------------------------------------------------------------------------------- */

WARD_TEST(pool_is_adjusted_up_and_down_from_its_end, "S92")
{
	rig_open(NULL);
	start_pool(.routees = 2);
	ward_probe *probe = ward_probe_start(rig.kit, "probe");
	manage(ward_adjust_pool, .change = 3);
	ward_assert_str(routees(probe), "1 2 3 4 5");
	manage(ward_adjust_pool, .change = -2);
	ward_assert_str(routees(probe), "1 2 3");
	ward_kit_advance(rig.kit, 99);
	ward_assert_eq(ward_kit_stats(rig.kit).actors, 3 + 1 + 1 + 5);
	ward_kit_advance(rig.kit, 1);
	ward_assert_eq(ward_kit_stats(rig.kit).actors, 3 + 1 + 1 + 3);
	manage(ward_adjust_pool, .change = 0);
	ward_assert_str(routees(probe), "1 2 3");
	ward_assert_eq(unhandled(), 0);
	rig_close();
}

WARD_TEST(pool_that_is_adjusted_to_nothing_stops, "S92")
{
	rig_open(NULL);
	start_pool(.routees = 2);
	manage(ward_adjust_pool, .change = INT32_MIN);
	ward_kit_advance(rig.kit, 100);
	ward_assert_state(rig.kit, rig.router, WARD_STATE_GONE);
	rig_close();
}

WARD_TEST(pool_that_cannot_grow_so_far_grows_as_far_as_it_can, "S92")
{
	rig_open(&(ward_kit_options){.system = {.actors_max = 8}});
	start_pool(.routees = 1);
	ward_probe *probe = ward_probe_start(rig.kit, "probe");
	manage(ward_adjust_pool, .change = 5);
	ward_assert_str(routees(probe), "1 2 3");
	ward_assert_eq(unhandled(), 1);
	ward_assert_eq(ward_kit_count(rig.kit, WARD_EVENT_FAILURE, "*"), 0);
	rig_close();
}

WARD_TEST(pool_is_not_adjusted_beyond_the_most_routees_that_one_may_have, "S92")
{
	rig_open(NULL);
	start_pool(.routees = 2);
	/* What is too many is told before one is made, so this takes no time. */
	manage(ward_adjust_pool, .change = INT32_MAX);
	manage(ward_adjust_pool, .change = WARD_ROUTEES_MAX - 1);
	ward_assert_eq(rig.made, 2);
	ward_assert_eq(ward_kit_count(rig.kit, WARD_EVENT_UNHANDLED, "*"), 2);
	rig_close();
}

WARD_TEST(group_cannot_be_adjusted, "S92")
{
	rig_open(NULL);
	ward_ref member = spawn_worker();
	rig.router = ward_kit_spawn(
		rig.kit, &ward_group,
		.args = WARD_ARGS(ward_router, .members = &member, .members_count = 1));
	ward_kit_run(rig.kit);
	manage(ward_adjust_pool, .change = 1);
	manage(ward_adjust_pool, .change = -1);
	ward_assert_eq(unhandled(), 2);
	send_jobs(1, 1);
	assert_got(OTHERS + 1, "1");
	rig_close();
}

WARD_TEST(changes_under_load_lose_nothing, "S92")
{
	rig_open(NULL);
	start_pool(.routees = 3);
	for (int number = 1; number <= 100; number++) {
		ward_kit_tell(rig.kit, rig.router, job, .number = number);
		if (number % 10 == 0)
			ward_kit_tell(rig.kit, rig.router, ward_adjust_pool,
				      .change = number % 20 == 0 ? -2 : 2);
	}
	ward_kit_advance(rig.kit, 1000);
	ward_assert_eq(handled(), 100);
	ward_assert_eq(ward_kit_count(rig.kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
	ward_assert_eq(ward_kit_stats(rig.kit).actors, 3 + 1 + 3);
	rig_close();
}

WARD_TEST_MAIN
