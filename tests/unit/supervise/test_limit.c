/* SPDX-License-Identifier: MIT
 *
 * test_limit.c - the restart limit: what it lets happen, what it charges, what is left (S71-S73),
 * how it is told.
 *
 * Method: the function alone, with times made up; both bounds are tried on either side.
 */
#include <ward/testkit.h>

#include "supervise/limit.h"

#define MS INT64_C(1000000)

struct meter {
	uint32_t count;
	int64_t start_ns;
};

static bool charge(const ward_strategy *strategy, struct meter *meter, int64_t now_ns)
{
	return wardi_limit_charge(strategy, &meter->count, &meter->start_ns, now_ns);
}

WARD_TEST(none_denies_and_no_limit_allows_without_a_charge, "S71", "S72")
{
	static const ward_strategy none = {.restarts_max = WARD_RESTARTS_NONE};
	static const ward_strategy none_in_window = {.restarts_max = WARD_RESTARTS_NONE,
						     .window_ms = 10};
	static const ward_strategy unlimited = {0};
	struct meter meter = {0};
	for (int64_t i = 0; i < 1000; i++) {
		ward_assert(!charge(&none, &meter, i));
		ward_assert(!charge(&none_in_window, &meter, i * MS));
		ward_assert(charge(&unlimited, &meter, i));
	}
	ward_assert_eq(meter.count, 0);
	ward_assert_eq(wardi_limit_left(&none, 0), 0);
	ward_assert_eq(wardi_limit_left(&unlimited, 1000), -1);
}

WARD_TEST(limit_of_a_life_lets_n_happen_and_charges_the_denied, "S71", "S72", "S73")
{
	/* A window of 0 or less is none. */
	for (int64_t window_ms = -1; window_ms <= 0; window_ms++) {
		const ward_strategy three = {.restarts_max = 3, .window_ms = window_ms};
		struct meter meter = {0};
		for (uint32_t i = 1; i <= 6; i++) {
			ward_assert_eq(charge(&three, &meter, (int64_t)i * 1000000 * MS), i <= 3);
			ward_assert_eq(meter.count, i);
			ward_assert_eq(wardi_limit_left(&three, i), i < 3 ? 3 - i : 0);
		}
	}
}

static const ward_strategy two_in_ten = {.restarts_max = 2, .window_ms = 10};

WARD_TEST(window_includes_both_its_bounds, "S71", "S72")
{
	struct meter meter = {0};
	ward_assert(charge(&two_in_ten, &meter, 100 * MS));
	ward_assert_eq(meter.start_ns, 100 * MS);
	ward_assert(charge(&two_in_ten, &meter, 105 * MS));
	ward_assert(!charge(&two_in_ten, &meter, 110 * MS)); /* still inside: the end is included */
	ward_assert_eq(meter.count, 3);
	ward_assert(charge(&two_in_ten, &meter, 110 * MS + 1)); /* one nanosecond later */
	ward_assert_eq(meter.count, 1);
	ward_assert_eq(meter.start_ns, 110 * MS + 1);
}

WARD_TEST(window_does_not_slide, "S72")
{
	/* Two at the end of one window and two at the start of the next: four within 2 ms. */
	struct meter meter = {0};
	ward_assert(charge(&two_in_ten, &meter, 1 * MS));
	ward_assert(charge(&two_in_ten, &meter, 11 * MS));
	ward_assert(charge(&two_in_ten, &meter, 11 * MS + 1));
	ward_assert(charge(&two_in_ten, &meter, 12 * MS));
	ward_assert(!charge(&two_in_ten, &meter, 13 * MS));
}

WARD_TEST(restart_that_opens_a_window_is_its_first, "S72")
{
	static const ward_strategy one_in_ten = {.restarts_max = 1, .window_ms = 10};
	struct meter meter = {0};
	ward_assert(charge(&one_in_ten, &meter, 1 * MS));
	ward_assert(charge(&one_in_ten, &meter, 100 * MS));
	ward_assert(!charge(&one_in_ten, &meter, 101 * MS));
	/* The denied one did not open a window. */
	ward_assert_eq(meter.start_ns, 100 * MS);
}

WARD_TEST(window_may_open_at_time_zero, "S71")
{
	struct meter meter = {0};
	ward_assert(charge(&two_in_ten, &meter, 0));
	ward_assert(charge(&two_in_ten, &meter, 0));
	ward_assert(!charge(&two_in_ten, &meter, 5 * MS));
	ward_assert(meter.start_ns != 0);
}

WARD_TEST(long_windows_do_not_overflow, "S73")
{
	static const ward_strategy in_a_year = {.restarts_max = 1,
						.window_ms = INT64_C(365) * 24 * 3600 * 1000};
	static const ward_strategy for_ever = {.restarts_max = 1, .window_ms = WARD_FOREVER};
	const int64_t day = INT64_C(24) * 3600 * 1000 * MS;
	struct meter meter = {0};
	ward_assert(charge(&in_a_year, &meter, 1));
	ward_assert(!charge(&in_a_year, &meter, 30 * day));
	ward_assert(!charge(&in_a_year, &meter, 365 * day));
	ward_assert(charge(&in_a_year, &meter, 366 * day));
	meter = (struct meter){0};
	ward_assert(charge(&for_ever, &meter, 1));
	ward_assert(!charge(&for_ever, &meter, INT64_MAX));
}

WARD_TEST(count_does_not_wrap_around, "S72")
{
	static const ward_strategy most = {.restarts_max = INT32_MAX};
	struct meter meter = {.count = UINT32_MAX};
	ward_assert(!charge(&most, &meter, 1));
	ward_assert_eq(meter.count, UINT32_MAX);
	ward_assert_eq(wardi_limit_left(&most, UINT32_MAX), 0);
	ward_assert_eq(wardi_limit_left(&most, 0), INT32_MAX);
}

WARD_TEST(limit_is_told_with_its_window)
{
	static const struct {
		ward_strategy strategy;
		const char *text;
	} rows[] = {
		{{.limit = WARD_LIMIT_INTENSITY}, "1 restart in 5 s"},
		{{.restarts_max = 1, .window_ms = 30 * WARD_SECOND}, "1 restart in 30 s"},
		{{.restarts_max = 2, .window_ms = 1500}, "2 restarts in 1500 ms"},
		{{.restarts_max = 2, .window_ms = WARD_FOREVER}, "2 restarts"},
		{{.restarts_max = WARD_RESTARTS_NONE}, "0 restarts"},
		{{.restarts_max = INT32_MAX, .window_ms = INT64_MAX - 1},
		 "2147483647 restarts in 9223372036854775806 ms"},
	};
	char text[WARDI_LIMIT_TEXT];

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		wardi_limit_text(&rows[i].strategy, text);
		ward_assert_str(text, rows[i].text);
	}
}

WARD_TEST_MAIN
