/* SPDX-License-Identifier: MIT
 *
 * test_router.c - who gets a message, and in whose name; the end of routees and of routers.
 */
#include "router_and_workers.h"

/* ---- one of them --------------------------------------------------------------------------- */

WARD_TEST(round_robin_goes_from_the_first_to_the_last_and_again)
{
	rig_open(NULL);
	start_pool(.routees = 3);
	send_jobs(1, 7);
	assert_got(1, "1 4 7");
	assert_got(2, "2 5");
	assert_got(3, "3 6");
	rig_close();
}

WARD_TEST(pool_without_a_number_has_one_routee)
{
	rig_open(NULL);
	start_pool(.routees = 0);
	send_jobs(1, 3);
	ward_assert_eq(rig.made, 1);
	assert_got(1, "1 2 3");
	rig_close();
}

WARD_TEST(random_reaches_all_about_as_often)
{
	size_t total = 0;

	rig_open(&(ward_kit_options){.seed = 11});
	start_pool(.routing = WARD_ROUTE_RANDOM, .routees = 4);
	send_jobs(0, 9); /* of one digit, so that a text tells how many there were */
	for (int round = 1; round < 40; round++)
		send_jobs(0, 9);
	for (int i = 1; i <= 4; i++) {
		size_t count = (strlen(rig.workers[i].got) + 1) / 2;

		ward_assert(count >= 70);
		ward_assert(count <= 130);
		total += count;
	}
	ward_assert_eq(total, 400);
	rig_close();
}

WARD_TEST(random_is_drawn_from_the_seed)
{
	char first[GOT_MAX];

	for (int run = 0; run < 2; run++) {
		rig_open(&(ward_kit_options){.seed = 5});
		start_pool(.routing = WARD_ROUTE_RANDOM, .routees = 4);
		send_jobs(1, 50);
		if (run == 0)
			strcpy(first, rig.workers[1].got);
		else
			assert_got(1, first);
		rig_close();
	}
}

WARD_TEST(message_keeps_its_sender_and_its_order_for_each_routee)
{
	rig_open(NULL);
	start_pool(.routees = 2);
	ward_probe *probe = ward_probe_start(rig.kit, "probe");
	for (int number = 1; number <= 6; number++)
		ward_probe_tell(probe, rig.router, job, .number = number, .op = ANSWER);
	ward_kit_run(rig.kit);
	assert_got(1, "1 3 5");
	assert_got(2, "2 4 6");
	for (int i = 0; i < 6; i++) {
		const struct result *result = ward_expect(probe, WARD_SECOND, result);

		ward_assert_eq(result->worker, 2 - result->number % 2);
		ward_assert_eq(worker_number(ward_probe_sender(probe)), result->worker);
	}
	rig_close();
}

WARD_TEST(message_that_cannot_be_copied_is_moved)
{
	rig_open(NULL);
	start_pool(.routees = 2);
	parcels_alive = 2;
	ward_kit_tell(rig.kit, rig.router, single, .number = 1, .full = true);
	ward_kit_tell(rig.kit, rig.router, single, .number = 2, .full = true);
	ward_kit_run(rig.kit);
	assert_got(1, "1");
	assert_got(2, "2");
	ward_assert_eq(parcels_alive, 0);
	rig_close();
}

/* ---- their end ----------------------------------------------------------------------------- */

WARD_TEST(terminated_routee_is_evicted, "S92")
{
	rig_open(NULL);
	start_pool(.routees = 3);
	ward_kit_stop(rig.kit, rig.workers[2].ref);
	ward_kit_run(rig.kit);
	ward_kit_forget_events(rig.kit);
	send_jobs(1, 4);
	assert_got(1, "1 3");
	assert_got(2, "");
	assert_got(3, "2 4");
	ward_assert_eq(ward_kit_count(rig.kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
	rig_close();
}

WARD_TEST(router_stops_when_its_last_routee_is_gone, "S92")
{
	rig_open(NULL);
	start_pool(.routees = 2);
	ward_kit_stop(rig.kit, rig.workers[1].ref);
	ward_kit_run(rig.kit);
	ward_assert_state(rig.kit, rig.router, WARD_STATE_RUNNING);
	ward_kit_stop(rig.kit, rig.workers[2].ref);
	ward_kit_run(rig.kit);
	ward_assert_state(rig.kit, rig.router, WARD_STATE_GONE);
	rig_close();
}

WARD_TEST(router_that_stops_takes_its_pool_with_it_and_its_mail_to_dead_letters)
{
	rig_open(NULL);
	start_pool(.routees = 2);
	for (int number = 1; number <= 4; number++)
		ward_kit_tell(rig.kit, rig.router, job, .number = number);
	ward_kit_stop(rig.kit, rig.router);
	ward_kit_run(rig.kit);
	ward_assert_state(rig.kit, rig.workers[1].ref, WARD_STATE_GONE);
	ward_assert_state(rig.kit, rig.workers[2].ref, WARD_STATE_GONE);
	ward_assert_eq(dead_letters(WARD_REASON_DEAD), 4);
	rig_close();
}

WARD_TEST(poison_pill_and_kill_are_for_the_router_itself, "S92", "S50")
{
	for (int kill = 0; kill < 2; kill++) {
		rig_open(NULL);
		start_pool(.routees = 2);
		if (kill)
			ward_kit_tell(rig.kit, rig.router, ward_kill);
		else
			ward_kit_tell(rig.kit, rig.router, ward_poison_pill);
		ward_kit_run(rig.kit);
		ward_assert_state(rig.kit, rig.router, WARD_STATE_GONE);
		ward_assert_eq(ward_kit_count(rig.kit, WARD_EVENT_FAILURE, "*/pool"), (size_t)kill);
		ward_assert_eq(ward_kit_count(rig.kit, WARD_EVENT_FAILURE, "*/pool/*"), 0);
		rig_close();
	}
}

/* ---- without any --------------------------------------------------------------------------- */

static const ward_resizer never_empty = {.routees_min = 1, .messages_per_resize = 1000};

WARD_TEST(message_without_a_routee_is_a_dead_letter_with_its_sender, "S81")
{
	rig_open(NULL);
	start_pool(.resizer = &never_empty);
	ward_kit_stop(rig.kit, rig.workers[1].ref);
	ward_kit_run(rig.kit);
	ward_assert_state(rig.kit, rig.router, WARD_STATE_RUNNING);
	ward_kit_forget_events(rig.kit);
	ward_probe *probe = ward_probe_start(rig.kit, "probe");
	ward_probe_tell(probe, rig.router, job, .number = 1);
	ward_kit_run(rig.kit);
	ward_assert_eq(ward_kit_count(rig.kit, WARD_EVENT_DEAD_LETTER, "*"), 1);
	const ward_event *event = ward_kit_event(rig.kit, WARD_EVENT_DEAD_LETTER, "*/pool", 0);
	ward_assert_eq(event->reason, WARD_REASON_NO_ROUTEE);
	ward_assert_str(event->message_type, "job");
	ward_assert(ward_ref_equal(event->sender, ward_probe_ref(probe)));
	rig_close();
}

WARD_TEST(thread_outside_that_asks_a_router_without_routees_is_told_at_once, "S81")
{
	struct result result;

	rig_open(NULL);
	start_pool(.resizer = &never_empty);
	ward_kit_stop(rig.kit, rig.workers[1].ref);
	ward_kit_run(rig.kit);
	ward_assert_err(ward_system_ask(ward_kit_system(rig.kit), rig.router, WARD_MINUTE, &result,
					job, .op = ANSWER),
			WARD_EDEAD);
	rig_close();
}

/* ---- groups -------------------------------------------------------------------------------- */

static ward_ref start_group(struct ward_router args, int members)
{
	ward_ref refs[WORKERS_MAX];

	for (int i = 0; i < members; i++)
		refs[i] = ward_kit_spawn(rig.kit, &worker);
	ward_kit_run(rig.kit);
	for (int i = 0; i < members; i++) { /* members are numbered as they are listed */
		rig.workers[OTHERS + 1 + i].ref = ward_nobody();
		rig.workers[i + 1].ref = refs[i];
	}
	args.members = refs;
	args.members_count = (uint32_t)members;
	rig.router = ward_kit_spawn(rig.kit, &ward_group, .name = "group",
				    .args = {WARD_COPY(ward_router, &args)});
	memset(refs, 0, sizeof refs); /* they were copied */
	ward_kit_run(rig.kit);
	return rig.router;
}

WARD_TEST(group_routes_to_its_members_in_order)
{
	rig_open(NULL);
	start_group((struct ward_router){.routing = WARD_ROUTE_ROUND_ROBIN}, 3);
	send_jobs(1, 4);
	assert_got(1, "1 4");
	assert_got(2, "2");
	assert_got(3, "3");
	rig_close();
}

WARD_TEST(group_watches_its_members_and_does_not_supervise_them, "S92")
{
	rig_open(NULL);
	start_group((struct ward_router){.routing = WARD_ROUTE_ROUND_ROBIN}, 2);
	send_job(.number = 1, .op = BREAK); /* /user restarts it */
	assert_got(1, "1 R");
	assert_got(2, "");
	ward_kit_stop(rig.kit, rig.workers[1].ref);
	ward_kit_run(rig.kit);
	send_jobs(2, 3);
	assert_got(2, "2 3");
	ward_kit_stop(rig.kit, rig.workers[2].ref);
	ward_kit_run(rig.kit);
	ward_assert_state(rig.kit, rig.router, WARD_STATE_GONE);
	rig_close();
}

WARD_TEST(group_that_stops_leaves_its_members_alone)
{
	rig_open(NULL);
	start_group((struct ward_router){.routing = WARD_ROUTE_ROUND_ROBIN}, 2);
	ward_kit_stop(rig.kit, rig.router);
	ward_kit_run(rig.kit);
	ward_assert_state(rig.kit, rig.workers[1].ref, WARD_STATE_RUNNING);
	ward_assert_state(rig.kit, rig.workers[2].ref, WARD_STATE_RUNNING);
	rig_close();
}

WARD_TEST(group_of_members_that_are_dead_already_stops, "S92")
{
	ward_ref refs[2];
	struct ward_router args = {.members = refs, .members_count = 2};

	rig_open(NULL);
	for (int i = 0; i < 2; i++) {
		refs[i] = ward_kit_spawn(rig.kit, &worker);
		ward_kit_stop(rig.kit, refs[i]);
	}
	ward_kit_run(rig.kit);
	rig.router = ward_kit_spawn(rig.kit, &ward_group, .args = {WARD_COPY(ward_router, &args)});
	ward_kit_run(rig.kit);
	ward_assert_state(rig.kit, rig.router, WARD_STATE_GONE);
	rig_close();
}

WARD_TEST(group_without_members_waits_for_some)
{
	rig_open(NULL);
	start_group((struct ward_router){.routing = WARD_ROUTE_ROUND_ROBIN}, 0);
	send_jobs(1, 1);
	ward_assert_eq(dead_letters(WARD_REASON_NO_ROUTEE), 1);
	ward_ref late = ward_kit_spawn(rig.kit, &worker);
	ward_kit_tell(rig.kit, rig.router, ward_add_routee, .routee = late);
	ward_kit_run(rig.kit);
	send_jobs(2, 3);
	assert_got(OTHERS + 1, "2 3");
	rig_close();
}

WARD_TEST(group_with_a_member_of_another_system_does_not_start)
{
	ward_kit *other = ward_kit_start(NULL);
	ward_ref stranger = ward_kit_spawn(other, &ward_group, .args = WARD_ARGS(ward_router, 0));

	rig_open(NULL);
	rig.router = ward_kit_spawn(
		rig.kit, &ward_group,
		.args = WARD_ARGS(ward_router, .members = &stranger, .members_count = 1));
	ward_kit_run(rig.kit);
	ward_assert_state(rig.kit, rig.router, WARD_STATE_GONE);
	ward_assert_part(ward_kit_event(rig.kit, WARD_EVENT_FAILURE, "*", 0)->text,
			 "a router cannot get its routees");
	rig_close();
	ward_kit_finish(other);
}

WARD_TEST_MAIN
