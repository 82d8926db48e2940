/* SPDX-License-Identifier: MIT
 *
 * test_budget.c - restarts in a window that slides: what it lets happen, and what it keeps (S74).
 *
 * Method: the log alone, with times made up, both bounds tried on either side; then against a naive
 * count over all times there ever were, from seeds.
 */
#include <ward/testkit.h>

#include "base/alloc.h"
#include "base/pool.h"
#include "base/random.h"
#include "cell/system.h"
#include "mail/message.h"
#include "supervise/budget.h"
#include "supervise/limit.h"

#define MS INT64_C(1000000)

enum { ROUNDS = 200, CHARGES = 300 };

/* Of a system only what a budget needs. */
static ward_system memory;

static struct wardi_budget *start(const ward_strategy *strategy, bool of_all)
{
	struct wardi_budget *budget;
	wardi_alloc_init(&memory.alloc, NULL, true);
	wardi_pool_init(&memory.pool, &memory.alloc);
	ward_assert(wardi_budget_take(wardi_outside_source(&memory), strategy, of_all, &budget));
	return budget;
}

static void finish(struct wardi_budget *budget)
{
	wardi_budget_give(wardi_outside_source(&memory), budget);
	wardi_pool_finish(&memory.pool);
}

static const ward_strategy two_in_ten = {
	.limit = WARD_LIMIT_SLIDING, .restarts_max = 2, .window_ms = 10};

WARD_TEST(window_includes_its_bound_to_the_nanosecond, "S74")
{
	struct wardi_budget *budget = start(&two_in_ten, false);
	ward_assert(wardi_budget_charge(budget, &two_in_ten, 100 * MS));
	ward_assert(wardi_budget_charge(budget, &two_in_ten, 105 * MS));
	ward_assert_eq(wardi_budget_count(budget, &two_in_ten, 110 * MS), 2);
	ward_assert_eq(wardi_budget_count(budget, &two_in_ten, 110 * MS + 1), 1);
	ward_assert(wardi_budget_charge(budget, &two_in_ten, 110 * MS + 1));
	ward_assert(!wardi_budget_charge(budget, &two_in_ten, 115 * MS));
	finish(budget);
}

WARD_TEST(window_slides, "S74")
{
	/* What test_limit.c shows to pass a window that does not: four within 2 ms. */
	struct wardi_budget *budget = start(&two_in_ten, false);
	ward_assert(wardi_budget_charge(budget, &two_in_ten, 1 * MS));
	ward_assert(wardi_budget_charge(budget, &two_in_ten, 11 * MS));
	ward_assert(wardi_budget_charge(budget, &two_in_ten, 11 * MS + 1));
	ward_assert(!wardi_budget_charge(budget, &two_in_ten, 12 * MS));
	finish(budget);
}

WARD_TEST(reset_forgets_all, "S74")
{
	struct wardi_budget *budget = start(&two_in_ten, false);
	for (int i = 0; i < 5; i++)
		ward_assert_eq(wardi_budget_charge(budget, &two_in_ten, MS), i < 2);
	ward_assert_eq(wardi_budget_count(budget, &two_in_ten, MS), 3);
	wardi_budget_reset(budget);
	ward_assert_eq(wardi_budget_count(budget, &two_in_ten, MS), 0);
	ward_assert(wardi_budget_charge(budget, &two_in_ten, MS));
	wardi_budget_reset(NULL);
	finish(budget);
}

WARD_TEST(bare_intensity_is_one_in_five_seconds, "S74")
{
	static const ward_strategy bare = {.limit = WARD_LIMIT_INTENSITY};
	struct wardi_budget *budget = start(&bare, true);
	ward_assert_eq(wardi_limit_max(&bare), 1);
	ward_assert_eq(wardi_limit_left(&bare, 0), 1);
	ward_assert_eq(wardi_limit_left(&bare, 2), 0);
	ward_assert(wardi_budget_charge(budget, &bare, 0));
	ward_assert(wardi_budget_charge(budget, &bare, 5000 * MS + 1));
	ward_assert(!wardi_budget_charge(budget, &bare, 10000 * MS + 1));
	finish(budget);
}

WARD_TEST(long_windows_do_not_overflow, "S73", "S74")
{
	static const ward_strategy for_ever = {
		.limit = WARD_LIMIT_SLIDING, .restarts_max = 1, .window_ms = WARD_FOREVER};
	struct wardi_budget *budget = start(&for_ever, false);
	ward_assert(wardi_budget_charge(budget, &for_ever, 0));
	ward_assert(!wardi_budget_charge(budget, &for_ever, INT64_MAX));
	finish(budget);
}

WARD_TEST(budget_is_kept_only_where_the_policy_needs_one, "S74")
{
	static const struct {
		ward_strategy strategy;
		bool of_child, of_all;
	} rows[] = {
		{{.limit = WARD_LIMIT_PER_CHILD}, false, false},
		{{.limit = WARD_LIMIT_PER_CHILD, .restarts_max = WARD_RESTARTS_NONE}, false, false},
		{{.limit = WARD_LIMIT_PER_CHILD, .restarts_max = 3, .window_ms = 10}, true, false},
		{{.limit = WARD_LIMIT_SLIDING, .restarts_max = 3, .window_ms = 10}, true, false},
		{{.limit = WARD_LIMIT_INTENSITY, .restarts_max = 3, .window_ms = 10}, false, true},
		{{.limit = WARD_LIMIT_NOTIFY, .restarts_max = 3, .window_ms = 10}, true, false},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct wardi_budget *budget = start(&rows[i].strategy, false);
		ward_assert_eq(budget != NULL, rows[i].of_child);
		finish(budget);
		budget = start(&rows[i].strategy, true);
		ward_assert_eq(budget != NULL, rows[i].of_all);
		finish(budget);
	}
}

WARD_TEST(window_that_does_not_slide_is_counted_in_the_budget, "S71")
{
	static const ward_strategy fixed = {.restarts_max = 2, .window_ms = 10};
	struct wardi_budget *budget = start(&fixed, false);
	ward_assert_eq(wardi_budget_count(budget, &fixed, 1 * MS), 0);
	ward_assert(wardi_budget_charge(budget, &fixed, 1 * MS));
	ward_assert(wardi_budget_charge(budget, &fixed, 11 * MS));
	ward_assert_eq(wardi_budget_count(budget, &fixed, 11 * MS), 2);
	ward_assert(!wardi_budget_charge(budget, &fixed, 11 * MS));
	ward_assert(wardi_budget_charge(budget, &fixed, 11 * MS + 1)); /* a new one */
	ward_assert_eq(wardi_budget_count(budget, &fixed, 11 * MS + 1), 1);
	finish(budget);
}

WARD_TEST(without_a_budget_all_is_allowed_or_nothing, "S70")
{
	static const ward_strategy any = {0}, none = {.restarts_max = WARD_RESTARTS_NONE};
	for (int i = 0; i < 3; i++) {
		ward_assert(wardi_budget_charge(NULL, &any, i * MS));
		ward_assert(!wardi_budget_charge(NULL, &none, i * MS));
		ward_assert_eq(wardi_budget_count(NULL, &any, i * MS), 0);
	}
}

WARD_TEST(notice_is_given_once, "S121")
{
	static const ward_strategy notify = {.limit = WARD_LIMIT_NOTIFY, .restarts_max = 1};
	struct wardi_budget *budget = start(&notify, false);
	struct ward_msg *notice = wardi_budget_notice(budget);
	ward_assert(notice != NULL);
	ward_assert(wardi_budget_notice(budget) == NULL);
	wardi_msg_destroy(wardi_outside_source(&memory), notice);
	finish(budget);
}

WARD_TEST(agrees_with_a_naive_count, "S74")
{
	size_t granted = 0, denied = 0;
	for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
		struct wardi_random random;
		wardi_random_init(&random, seed);
		ward_strategy strategy = {
			.limit = WARD_LIMIT_SLIDING,
			.restarts_max = 1 + (int32_t)wardi_random_below(&random, 12),
			.window_ms = 1 + (int64_t)wardi_random_below(&random, 20)};
		int64_t all[CHARGES], now = (int64_t)wardi_random_below(&random, 3);
		struct wardi_budget *budget = start(&strategy, false);
		for (int i = 0; i < CHARGES; i++) {
			int32_t naive = 0;
			/* Whole milliseconds often, so that the bound itself is met. */
			now += (int64_t)wardi_random_below(&random, 5) * MS +
			       (int64_t)(wardi_random_below(&random, 4) == 0);
			all[i] = now;
			for (int k = 0; k <= i; k++)
				naive += all[k] >= now - strategy.window_ms * MS;
			bool allowed = wardi_budget_charge(budget, &strategy, now);
			ward_assert_eq(allowed, naive <= strategy.restarts_max);
			int32_t most = strategy.restarts_max + 1;
			ward_assert_eq(wardi_budget_count(budget, &strategy, now),
				       naive < most ? naive : most);
			granted += allowed;
			denied += !allowed;
		}
		finish(budget);
	}
	ward_assert_seen(granted);
	ward_assert_seen(denied);
}

WARD_TEST_MAIN
