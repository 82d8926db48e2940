/* SPDX-License-Identifier: MIT
 *
 * test_broadcast.c - one message for all routees: by routing, and in an envelope, from inside and
 * from outside (S92).
 */
#include "router_and_workers.h"

static ward_probe *probe;

static void start(ward_routing routing, uint32_t count)
{
	rig_open(NULL);
	start_pool(.routing = routing, .routees = count);
	probe = ward_probe_start(rig.kit, "probe");
}

/* ---- by routing ---------------------------------------------------------------------------- */

WARD_TEST(broadcast_reaches_each_routee_in_the_name_of_the_sender)
{
	start(WARD_ROUTE_BROADCAST, 3);
	ward_probe_tell(probe, rig.router, job, .number = 1, .op = ANSWER);
	ward_probe_tell(probe, rig.router, job, .number = 2);
	ward_kit_run(rig.kit);
	for (int i = 1; i <= 3; i++)
		assert_got(i, "1 2");
	ward_assert(ward_ref_equal(rig.last_sender, ward_probe_ref(probe)));
	for (int i = 0; i < 3; i++)
		(void)ward_expect(probe, 0, result);
	rig_close();
}

WARD_TEST(broadcast_message_that_owns_things_is_cloned)
{
	start(WARD_ROUTE_BROADCAST, 3);
	parcels_alive = 1;
	ward_probe_tell(probe, rig.router, parcel, .number = 1, .full = true);
	ward_kit_run(rig.kit);
	for (int i = 1; i <= 3; i++)
		assert_got(i, "1");
	rig_close();
}

WARD_TEST(broadcast_that_cannot_be_copied_is_moved_to_one_or_dead)
{
	start(WARD_ROUTE_BROADCAST, 2);
	parcels_alive = 2;
	ward_probe_tell(probe, rig.router, single, .number = 1, .full = true);
	ward_kit_run(rig.kit);
	ward_assert_eq(handled(), 0);
	ward_assert_eq(dead_letters(WARD_REASON_UNIQUE), 1);
	ward_assert_eq(parcels_alive, 1);
	ward_kit_stop(rig.kit, rig.workers[1].ref);
	ward_kit_run(rig.kit);
	ward_probe_tell(probe, rig.router, single, .number = 2, .full = true);
	ward_kit_run(rig.kit);
	assert_got(2, "2");
	rig_close();
}

WARD_TEST(broadcast_reaches_all_or_none_when_a_copy_cannot_be_made)
{
	start(WARD_ROUTE_BROADCAST, 4);
	parcels_alive = 2;
	clones_refused_from = 3; /* of the three that are needed */
	ward_probe_tell(probe, rig.router, parcel, .number = 1, .full = true);
	ward_kit_run(rig.kit);
	ward_assert_eq(handled(), 0);
	ward_assert_eq(dead_letters(WARD_REASON_NO_MEMORY), 1);
	ward_assert_eq(parcels_alive, 1);
	clones_refused_from = 0;
	ward_probe_tell(probe, rig.router, parcel, .number = 2, .full = true);
	ward_kit_run(rig.kit);
	ward_assert_eq(handled(), 4);
	rig_close();
}

/* ---- in an envelope ------------------------------------------------------------------------ */

static void do_broadcast(ward_self *self, void *arg)
{
	(void)arg;
	ward_broadcast(self, rig.router, job, .number = 7, .op = ANSWER);
}

WARD_TEST(envelope_reaches_all_routees_of_any_router, "S92")
{
	static const ward_routing routings[] = {WARD_ROUTE_ROUND_ROBIN, WARD_ROUTE_RANDOM,
						WARD_ROUTE_SMALLEST_MAILBOX, WARD_ROUTE_BROADCAST,
						WARD_ROUTE_SCATTER_GATHER};

	for (size_t i = 0; i < sizeof routings / sizeof routings[0]; i++) {
		start(routings[i], 3);
		ward_probe_do(probe, do_broadcast, NULL);
		for (int n = 0; n < 3; n++)
			ward_assert_eq(ward_expect(probe, 0, result)->number, 7);
		ward_expect_none(probe, 0);
		ward_assert(ward_ref_equal(rig.last_sender, ward_probe_ref(probe)));
		for (int n = 1; n <= 3; n++)
			assert_got(n, "7");
		rig_close();
	}
}

WARD_TEST(envelope_comes_from_outside_too, "S92")
{
	start(WARD_ROUTE_ROUND_ROBIN, 2);
	parcels_alive = 1;
	ward_assert_ok(ward_system_broadcast(ward_kit_system(rig.kit), rig.router, parcel,
					     .number = 3, .full = true));
	ward_kit_run(rig.kit);
	assert_got(1, "3");
	assert_got(2, "3");
	ward_assert(ward_ref_is_nobody(rig.last_sender));
	rig_close();
}

WARD_TEST(pill_in_an_envelope_ends_the_routees_behind_their_mail, "S92", "S50")
{
	start(WARD_ROUTE_ROUND_ROBIN, 2);
	for (int number = 1; number <= 4; number++)
		ward_kit_tell(rig.kit, rig.router, job, .number = number);
	ward_assert_ok(
		ward_system_broadcast(ward_kit_system(rig.kit), rig.router, ward_poison_pill));
	ward_kit_run(rig.kit);
	assert_got(1, "1 3");
	assert_got(2, "2 4");
	ward_assert_state(rig.kit, rig.router, WARD_STATE_GONE);
	ward_assert_eq(ward_kit_count(rig.kit, WARD_EVENT_FAILURE, "*"), 0);
	rig_close();
}

WARD_TEST(kill_in_an_envelope_fails_the_routees, "S92", "S50")
{
	static const ward_strategy stops = {.otherwise = WARD_STOP};

	rig_open(NULL);
	start_pool_with((struct ward_router){.routees = 2}, &stops);
	ward_assert_ok(ward_system_broadcast(ward_kit_system(rig.kit), rig.router, ward_kill));
	ward_kit_run(rig.kit);
	ward_assert_eq(ward_kit_count(rig.kit, WARD_EVENT_FAILURE, "*/pool/*"), 2);
	ward_assert_eq(ward_kit_count(rig.kit, WARD_EVENT_FAILURE, "*/pool"), 0);
	ward_assert_state(rig.kit, rig.router, WARD_STATE_GONE);
	rig_close();
}

WARD_TEST(body_that_cannot_be_copied_leaves_the_envelope_for_a_single_routee, "S92")
{
	ward_system *system;

	start(WARD_ROUTE_RANDOM, 1);
	system = ward_kit_system(rig.kit);
	parcels_alive = 3;
	ward_assert_ok(
		ward_system_broadcast(system, rig.router, single, .number = 1, .full = true));
	ward_kit_run(rig.kit);
	assert_got(1, "1");
	ward_assert_eq(parcels_alive, 2);
	ward_kit_tell(rig.kit, rig.router, ward_adjust_pool, .change = 1);
	ward_assert_ok(
		ward_system_broadcast(system, rig.router, single, .number = 2, .full = true));
	ward_kit_run(rig.kit);
	ward_assert_eq(handled(), 1);
	ward_assert_eq(dead_letters(WARD_REASON_UNIQUE), 1);
	ward_assert_eq(parcels_alive, 1);
	ward_kit_stop(rig.kit, rig.router);
	ward_kit_run(rig.kit);
	ward_assert_ok(
		ward_system_broadcast(system, rig.router, single, .number = 3, .full = true));
	ward_kit_run(rig.kit);
	rig_close();
}

WARD_TEST(envelope_is_all_or_none_when_a_copy_cannot_be_made, "S92")
{
	start(WARD_ROUTE_ROUND_ROBIN, 3);
	parcels_alive = 1;
	clones_refused_from = 3;
	ward_assert_ok(ward_system_broadcast(ward_kit_system(rig.kit), rig.router, parcel,
					     .number = 1, .full = true));
	ward_kit_run(rig.kit);
	ward_assert_eq(handled(), 0);
	ward_assert_eq(dead_letters(WARD_REASON_NO_MEMORY), 1);
	rig_close();
}

static const ward_resizer never_empty = {.messages_per_resize = 1000};

WARD_TEST(envelope_without_routees_is_a_dead_letter, "S81", "S92")
{
	rig_open(NULL);
	start_pool(.resizer = &never_empty);
	ward_kit_stop(rig.kit, rig.workers[1].ref);
	ward_kit_run(rig.kit);
	parcels_alive = 1;
	ward_assert_ok(ward_system_broadcast(ward_kit_system(rig.kit), rig.router, parcel,
					     .number = 1, .full = true));
	ward_kit_run(rig.kit);
	ward_assert_eq(dead_letters(WARD_REASON_NO_ROUTEE), 1);
	rig_close();
}

/* ---- as an argument is wrong ----------------------------------------------------------------- */

static void do_wrong(ward_self *self, void *arg)
{
	static const ward_type nameless = {.size = 4};
	struct job body = {1, NOTE, 0};

	(void)arg;
	ward_assert_err(ward_try_broadcast_send(self, rig.router, NULL, &body, sizeof body),
			WARD_EINVAL);
	ward_assert_err(ward_try_broadcast_send(self, rig.router, &nameless, &body, 4),
			WARD_EINVAL);
	ward_assert_err(ward_try_broadcast_send(self, rig.router, &ward_type_job, &body, 1),
			WARD_ESIZE);
	ward_assert_part(ward_err_detail(), "1 bytes does not fit \"job\"");
	ward_assert_err(
		ward_try_broadcast_send(self, rig.router, &ward_type_job, &body, sizeof body + 1),
		WARD_ESIZE);
	ward_assert_ok(ward_try_broadcast_send(self, rig.router, &ward_type_job, NULL, 0));
	ward_assert_ok(ward_try_broadcast_send(self, ward_nobody(), &ward_type_job, NULL, 0));
}

WARD_TEST(broadcast_refuses_what_is_no_message)
{
	start(WARD_ROUTE_ROUND_ROBIN, 2);
	ward_probe_do(probe, do_wrong, NULL);
	ward_assert_err(
		ward_system_broadcast_send(ward_kit_system(rig.kit), rig.router, NULL, NULL, 0),
		WARD_EINVAL);
	ward_kit_run(rig.kit);
	assert_got(1, "0"); /* a body of zeroes */
	assert_got(2, "0");
	ward_assert_eq(dead_letters(WARD_REASON_NOBODY), 1);
	rig_close();
}

static void do_without_memory(ward_self *self, void *arg)
{
	(void)arg;
	ward_kit_fail_all_allocations(rig.kit, true);
	ward_err err = ward_try_broadcast_send(self, rig.router,
					       WARD_BODY(parcel, .number = 1, .full = true));
	ward_kit_fail_all_allocations(rig.kit, false);
	ward_assert_err(err, WARD_ENOMEM);
}

WARD_TEST(broadcast_without_memory_drops_what_it_took)
{
	start(WARD_ROUTE_ROUND_ROBIN, 2);
	parcels_alive = 1;
	ward_probe_do(probe, do_without_memory, NULL);
	ward_assert_eq(parcels_alive, 0);
	ward_assert_eq(handled(), 0);
	rig_close();
}

WARD_TEST_MAIN
