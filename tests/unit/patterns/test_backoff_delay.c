/* SPDX-License-Identifier: MIT
 *
 * test_backoff_delay.c - the delay before a start: doubled, capped, and the random part (S93).
 */
#include <math.h>

#include <ward/testkit.h>
#include <ward/types.h>

#include "base/random.h"
#include "common/backoff_delay.h"

#define MINUTES(n) ((n)*WARD_MINUTE)
#define DAYS(n) ((n)*24 * 60 * WARD_MINUTE)

WARD_TEST(delay_doubles_up_to_the_maximum, "S93")
{
	static const struct {
		uint32_t restarts;
		int64_t min_ms, max_ms, delay_ms;
	} table[] = {
		{0, MINUTES(5), MINUTES(7), MINUTES(5)},
		{2, 5 * WARD_SECOND, 7 * WARD_SECOND, 7 * WARD_SECOND},
		{2, 5 * WARD_SECOND, DAYS(7), 20 * WARD_SECOND},
		{29, MINUTES(5), MINUTES(10), MINUTES(10)},
		{29, MINUTES(10), MINUTES(10), MINUTES(10)},
		{INT32_MAX, MINUTES(10), MINUTES(10), MINUTES(10)},
		{UINT32_MAX, 1, 1, 1},
		{62, 1, INT64_MAX, INT64_C(1) << 62},
		{63, 1, INT64_MAX, INT64_MAX},
		{61, 3, INT64_MAX, INT64_C(3) << 61},
		{62, 3, INT64_MAX, INT64_MAX},
		{1, INT64_MAX, INT64_MAX, INT64_MAX},
		{3, 100, 800, 800},
		{3, 100, 799, 799},
	};

	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		uint32_t restarts = table[i].restarts;
		int64_t min_ms = table[i].min_ms, max_ms = table[i].max_ms;

		ward_assert_eq(wardi_backoff_delay_ms(restarts, min_ms, max_ms, 0, UINT64_MAX),
			       table[i].delay_ms);
		ward_assert_eq(wardi_backoff_delay_ms(restarts, min_ms, max_ms, 1, 0),
			       table[i].delay_ms);
	}
}

WARD_TEST(delay_has_its_random_part_after_the_cap, "S93")
{
	const uint64_t half = UINT64_C(1) << 63;

	ward_assert_eq(wardi_backoff_delay_ms(0, 3000, 30000, 0.2, half), 3300);
	ward_assert_eq(wardi_backoff_delay_ms(9, 3000, 30000, 0.2, half), 33000);
	ward_assert_eq(wardi_backoff_delay_ms(9, 3000, 30000, 1, half), 45000);
	/* the end of the range is never reached */
	ward_assert_eq(wardi_backoff_delay_ms(9, 3000, 30000, 0.2, UINT64_MAX), 35999);
	ward_assert_eq(wardi_backoff_delay_ms(9, 3000, 30000, 1, UINT64_MAX), 59999);
	ward_assert_eq(wardi_backoff_delay_ms(0, 1, 1, 1, UINT64_MAX), 1);
}

WARD_TEST(delay_that_is_too_large_is_the_maximum, "S93")
{
	const uint64_t half = UINT64_C(1) << 63;
	const int64_t max_ms = INT64_MAX - 1, large_ms = INT64_MAX / 2;

	ward_assert_eq(wardi_backoff_delay_ms(0, max_ms, max_ms, 1, half), max_ms);
	ward_assert_eq(wardi_backoff_delay_ms(5, 1000, INT64_MAX, 1, UINT64_MAX), 63999);
	ward_assert_eq(wardi_backoff_delay_ms(70, 1000, INT64_MAX, 1, UINT64_MAX), INT64_MAX);
	ward_assert_eq(
		wardi_backoff_delay_ms(0, large_ms + 100000, large_ms + 100001, 1, UINT64_MAX),
		large_ms + 100001);
}

WARD_TEST(delay_of_what_is_negative_or_no_number_is_that_of_0, "S93")
{
	const double none = (double)NAN, huge = (double)INFINITY;

	ward_assert_eq(wardi_backoff_delay_ms(3, -5, 10, 0, 0), 0);
	ward_assert_eq(wardi_backoff_delay_ms(3, INT64_MIN, INT64_MIN, 1, UINT64_MAX), 0);
	ward_assert_eq(wardi_backoff_delay_ms(0, 5, -10, 1, UINT64_MAX), 0);
	ward_assert_eq(wardi_backoff_delay_ms(0, 5, 10, none, UINT64_MAX), 5);
	ward_assert_eq(wardi_backoff_delay_ms(0, 5, 10, -1e30, UINT64_MAX), 5);
	ward_assert_eq(wardi_backoff_delay_ms(0, 5, 10, huge, UINT64_MAX), 10);
	ward_assert_eq(wardi_backoff_delay_ms(0, 5, 10, huge, 0), 10);
}

enum { SAMPLES = 100000, BINS = 20 };

WARD_TEST(delays_are_spread_evenly, "S93")
{
	struct wardi_random random;
	int bins[BINS] = {0};
	double chi = 0;

	wardi_random_init(&random, 1);
	for (int i = 0; i < SAMPLES; i++) {
		int64_t delay_ms =
			wardi_backoff_delay_ms(4, 3000, 30000, 0.2, wardi_random_u64(&random)) -
			30000;

		ward_assert(delay_ms >= 0 && delay_ms < 6000);
		bins[delay_ms * BINS / 6000]++;
	}
	for (int i = 0; i < BINS; i++) {
		double off = bins[i] - (double)SAMPLES / BINS;

		chi += off * off / ((double)SAMPLES / BINS);
	}
	/* 19 degrees of freedom: one generator in a thousand that is good comes above that */
	ward_assert(chi < 43.8);
}

WARD_TEST_MAIN
