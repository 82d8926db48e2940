/* SPDX-License-Identifier: MIT
 *
 * test_router_load.c - what goes by the mail that waits: smallest mailbox, and the resizer.
 *
 * Method: routees in a pool of their own strategy are blocked by a failure that waits for a
 * decision (WARD_LATER), so that their mail stays where it is and can be counted.
 */
#include "router_and_workers.h"

static ward_directive later(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)self, (void)child, (void)failure;
	return WARD_LATER;
}
static const ward_strategy waits = {.decide = later};

static const ward_kit_options may_leave = {.may_leave_mail = true};

/* ---- smallest mailbox ---------------------------------------------------------------------- */

static void start_blocked(ward_routing routing, uint32_t count)
{
	rig_open(&may_leave);
	start_pool_with((struct ward_router){.routing = routing, .routees = count}, &waits);
	for (uint32_t i = 1; i <= count; i++)
		ward_system_tell(ward_kit_system(rig.kit), rig.workers[i].ref, job, .op = BREAK);
	ward_kit_run(rig.kit);
}

static void fill(int worker_, int count)
{
	for (int i = 0; i < count; i++)
		ward_system_tell(ward_kit_system(rig.kit), rig.workers[worker_].ref, job,
				 .number = 0);
	ward_kit_run(rig.kit);
}

static int64_t waiting(int worker_)
{
	ward_actor_info info;

	ward_assert(ward_kit_info(rig.kit, rig.workers[worker_].ref, &info));
	return info.mailbox;
}

WARD_TEST(message_goes_where_the_fewest_wait)
{
	start_blocked(WARD_ROUTE_SMALLEST_MAILBOX, 3);
	fill(1, 5);
	fill(2, 2);
	fill(3, 4);
	send_jobs(1, 1);
	ward_assert_eq(waiting(2), 3);
	send_jobs(1, 1);
	ward_assert_eq(waiting(2), 4);
	send_jobs(1, 2); /* two have 4 */
	ward_assert_eq(waiting(1), 5);
	ward_assert_eq(waiting(2), 5);
	ward_assert_eq(waiting(3), 5);
	rig_close();
}

WARD_TEST(idle_routees_take_turns)
{
	rig_open(NULL);
	start_pool(.routing = WARD_ROUTE_SMALLEST_MAILBOX, .routees = 3);
	for (int number = 1; number <= 6; number++)
		send_job(.number = number);
	assert_got(1, "1 4");
	assert_got(2, "2 5");
	assert_got(3, "3 6");
	rig_close();
}

WARD_TEST(routee_that_is_not_counted_comes_last)
{
	start_blocked(WARD_ROUTE_SMALLEST_MAILBOX, 1);
	fill(1, 3);
	ward_ref added = ward_kit_spawn(rig.kit, &worker);
	ward_kit_tell(rig.kit, rig.router, ward_add_routee, .routee = added);
	send_jobs(1, 3);
	ward_assert_eq(waiting(1), 6);
	assert_got(OTHERS + 1, "");
	ward_kit_tell(rig.kit, rig.router, ward_remove_routee, .routee = rig.workers[1].ref);
	send_jobs(4, 4);
	assert_got(OTHERS + 1, "4");
	rig_close();
}

/* ---- the resizer --------------------------------------------------------------------------- */

static void start_resizing(const ward_resizer *resizer, uint32_t count)
{
	rig_open(&may_leave);
	start_pool_with((struct ward_router){.routees = count, .resizer = resizer}, &waits);
}

static uint64_t size(void)
{
	if (rig.asker == NULL)
		rig.asker = ward_probe_start(rig.kit, "asker");
	ward_probe_tell(rig.asker, rig.router, ward_get_routees);
	return ward_expect(rig.asker, WARD_SECOND, ward_routees)->count;
}

/* All routees of the pool are blocked, with a message each. */
static void block_all(void)
{
	for (int i = 1; i <= OTHERS; i++) {
		if (ward_ref_is_nobody(rig.workers[i].ref))
			continue;
		ward_system_tell(ward_kit_system(rig.kit), rig.workers[i].ref, job, .op = BREAK);
		ward_system_tell(ward_kit_system(rig.kit), rig.workers[i].ref, job, .number = 0);
	}
	ward_kit_run(rig.kit);
}

WARD_TEST(size_at_the_start_is_within_the_bounds)
{
	static const struct {
		ward_resizer resizer;
		uint32_t routees;
		uint64_t starts_with;
	} rows[] = {
		{{0}, 0, 1},
		{{0}, 4, 4},
		{{0}, 20, 10},
		{{.routees_min = 3}, 0, 3},
		{{.routees_min = 3, .routees_max = 5}, 9, 5},
		{{.routees_min = 12}, 0, 12},
		{{.routees_min = 12}, 30, 12},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		start_resizing(&rows[i].resizer, rows[i].routees);
		ward_assert_eq(size(), rows[i].starts_with);
		rig_close();
	}
}

WARD_TEST(pool_under_pressure_grows_by_the_rate_rounded_up_to_its_maximum)
{
	static const ward_resizer resizer = {.routees_max = 10, .messages_per_resize = 1};
	static const uint64_t sizes[] = {6, 8, 10, 10}; /* 5 + 1, 6 + 2, 8 + 2 */

	start_resizing(&resizer, 5);
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		block_all();
		send_jobs(1, 1);
		ward_assert_eq(size(), sizes[i]);
	}
	rig_close();
}

WARD_TEST(pool_resizes_before_each_tenth_message_by_default)
{
	static const ward_resizer resizer = {0};

	start_resizing(&resizer, 1);
	block_all();
	send_jobs(1, 9);
	ward_assert_eq(size(), 1);
	send_jobs(10, 10);
	ward_assert_eq(size(), 2);
	block_all();
	send_jobs(11, 19);
	ward_assert_eq(size(), 2);
	send_jobs(20, 20);
	ward_assert_eq(size(), 3);
	/* The one that was made got the message that made it, or the next. */
	rig_close();
}

WARD_TEST(pool_without_pressure_shrinks_by_the_rate_rounded_down_to_its_minimum)
{
	static const ward_resizer resizer = {
		.routees_min = 7, .routees_max = 30, .messages_per_resize = 1};
	static const uint64_t sizes[] = {27, 25, 23, 21, 19, 18, 17, 16,
					 15, 14, 13, 12, 11, 10, 9,  9}; /* a tenth of 9 is none */

	start_resizing(&resizer, 30);
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		send_jobs(1, 1);
		ward_assert_eq(size(), sizes[i]);
	}
	ward_kit_advance(rig.kit, 100);
	ward_assert_eq(ward_kit_stats(rig.kit).actors, 3 + 1 + 9 + 1);
	rig_close();
}

WARD_TEST(pool_shrinks_to_its_minimum_and_no_further)
{
	static const ward_resizer resizer = {
		.routees_min = 3, .back_off_percent = 90, .messages_per_resize = 1};

	start_resizing(&resizer, 10);
	send_jobs(1, 1);
	ward_assert_eq(size(), 3);
	rig_close();
}

WARD_TEST(pool_between_the_thresholds_stays)
{
	static const ward_resizer resizer = {.messages_per_resize = 1};

	/* 3 of 10 under pressure are not below 30 percent; 2 are. */
	for (int blocked = 2; blocked <= 9; blocked++) {
		start_resizing(&resizer, 10);
		for (int i = 1; i <= blocked; i++) {
			ward_system_tell(ward_kit_system(rig.kit), rig.workers[i].ref, job,
					 .op = BREAK);
			ward_system_tell(ward_kit_system(rig.kit), rig.workers[i].ref, job,
					 .number = 0);
		}
		ward_kit_run(rig.kit);
		send_jobs(1, 1);
		ward_assert_eq(size(), blocked == 2 ? 9 : 10);
		rig_close();
	}
}

WARD_TEST(pressure_counts_from_the_threshold)
{
	static const ward_resizer resizer = {.pressure_min = 3, .messages_per_resize = 1};

	start_resizing(&resizer, 2);
	block_all();
	send_jobs(1, 1); /* 1 each: no pressure, and a tenth of 2 is none */
	ward_assert_eq(size(), 2);
	block_all(); /* 2 or 3 more */
	send_jobs(1, 1);
	ward_assert_eq(size(), 3);
	rig_close();
}

WARD_TEST(negative_rates_neither_grow_nor_shrink)
{
	static const ward_resizer resizer = {
		.ramp_up_percent = -1, .back_off_percent = -1, .messages_per_resize = 1};

	start_resizing(&resizer, 10);
	send_jobs(1, 1);
	ward_assert_eq(size(), 10);
	block_all();
	send_jobs(1, 1);
	ward_assert_eq(size(), 10);
	rig_close();
}

WARD_TEST(pool_with_a_resizer_that_is_empty_grows_to_its_minimum_again, "S92")
{
	static const ward_resizer resizer = {.routees_min = 2, .messages_per_resize = 2};

	start_resizing(&resizer, 0);
	ward_kit_stop(rig.kit, rig.workers[1].ref);
	ward_kit_stop(rig.kit, rig.workers[2].ref);
	ward_kit_run(rig.kit);
	send_jobs(1, 1);
	ward_assert_eq(dead_letters(WARD_REASON_NO_ROUTEE), 1);
	send_jobs(2, 3);
	ward_assert_eq(size(), 2);
	assert_got(3, "2");
	assert_got(4, "3");
	rig_close();
}

/* ---- a function of one's own ----------------------------------------------------------------- */

static int32_t own_change;
static size_t own_saw;

static int32_t own_decide(ward_self *self, const ward_ref *routees_, size_t count)
{
	ward_assert(ward_ref_equal(ward_self_ref(self), rig.router));
	ward_assert(ward_ref_equal(routees_[0], rig.workers[1].ref));
	own_saw = count;
	return own_change;
}

WARD_TEST(function_of_ones_own_decides_within_the_bounds)
{
	static const ward_resizer resizer = {
		.routees_min = 2, .routees_max = 6, .messages_per_resize = 1, .decide = own_decide};

	start_resizing(&resizer, 3);
	own_change = 2;
	send_jobs(1, 1);
	ward_assert_eq(own_saw, 3);
	ward_assert_eq(size(), 5);
	own_change = INT32_MAX;
	send_jobs(1, 1);
	ward_assert_eq(size(), 6);
	own_change = 0;
	send_jobs(1, 1);
	ward_assert_eq(size(), 6);
	own_change = INT32_MIN;
	send_jobs(1, 1);
	ward_assert_eq(size(), 2);
	rig_close();
}

WARD_TEST(pool_that_cannot_grow_now_goes_on)
{
	static const ward_resizer resizer = {.messages_per_resize = 1, .decide = own_decide};

	rig_open(&(ward_kit_options){.may_leave_mail = true, .system = {.actors_max = 6}});
	start_pool(.resizer = &resizer);
	own_change = 5;
	send_jobs(1, 2);
	ward_assert_eq(rig.made, 2);
	ward_assert_eq(handled(), 2);
	ward_assert_eq(ward_kit_count(rig.kit, WARD_EVENT_FAILURE | WARD_EVENT_UNHANDLED, "*"), 0);
	rig_close();
}

WARD_TEST_MAIN
