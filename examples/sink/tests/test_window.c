/* SPDX-License-Identifier: MIT
 *
 * test_window.c - the bookkeeping of what is on its way.
 *
 * Goal: the acknowledged part grows without gaps, whatever order acknowledgements come in, and old
 * numbers count for nothing.
 */
#include "../window.h"

#include <ward/testkit.h>

static struct window window;

WARD_TEST(window_advances_over_settled_numbers_in_order)
{
	struct flight flight;
	uint64_t first = window_reserve(&window, 3);

	ward_assert(window_send(&window, first, 7, 3, 10));
	ward_assert(window_send(&window, first + 1, 7, 3, 20));
	ward_assert_eq(window.out, 2);
	ward_assert_eq(window.bytes, 6);
	ward_assert(window_settle(&window, first + 1));
	ward_assert(!window_advance(&window, &flight));
	ward_assert(window_settle(&window, first));
	ward_assert(window_advance(&window, &flight));
	ward_assert_eq(flight.end, 10);
	ward_assert_eq(flight.source, 7);
	ward_assert(window_advance(&window, &flight));
	ward_assert_eq(flight.end, 20);
	ward_assert(!window_advance(&window, &flight)); /* the third has not come */
	window_skip(&window, first + 2, 1);
	ward_assert(window_advance(&window, &flight));
	ward_assert_eq(flight.end, -1);
	ward_assert_eq(window.out, 0);
	ward_assert_eq(window.bytes, 0);
	ward_assert_eq(window_room(&window), WINDOW_MAX);
}

WARD_TEST(window_counts_nothing_twice)
{
	uint64_t first = window_reserve(&window, 1);

	ward_assert(!window_settle(&window, first)); /* not sent yet */
	ward_assert(window_send(&window, first, 1, 3, 5));
	ward_assert(!window_send(&window, first, 1, 3, 5));
	ward_assert(window_is_out(&window, first));
	ward_assert(window_settle(&window, first));
	ward_assert(!window_settle(&window, first));
	ward_assert(!window_is_out(&window, first));
	window_skip(&window, first, 1); /* changes nothing */
	ward_assert_eq(window.out, 0);
}

WARD_TEST(window_forgets_and_old_numbers_stay_old)
{
	struct flight flight;
	uint64_t old = window_reserve(&window, 10);

	ward_assert(window_send(&window, old, 1, 3, 5));
	window_forget(&window);
	ward_assert_eq(window_room(&window), WINDOW_MAX);
	ward_assert_eq(window.out, 0);
	ward_assert(!window_settle(&window, old));
	ward_assert(!window_send(&window, old + 1, 1, 3, 6));
	uint64_t next = window_reserve(&window, 1);
	ward_assert(next > old + 9);
	ward_assert(!window_advance(&window, &flight));
	window_skip(&window, old, 10);
	ward_assert(!window_advance(&window, &flight));
}

WARD_TEST(window_goes_round_and_round)
{
	struct flight flight;
	int64_t end = 0;

	for (int round = 0; round < 100; round++) {
		uint32_t count = window_room(&window);
		uint64_t first = window_reserve(&window, count);
		ward_assert_eq(window_room(&window), 0);
		for (uint32_t i = 0; i < count; i++)
			ward_assert(window_send(&window, first + i, 1, 3, (int64_t)(first + i)));
		/* Backwards, and a third of them in the next round. */
		for (uint32_t i = count; i-- > count / 3;)
			ward_assert(window_settle(&window, first + i));
		ward_assert(!window_advance(&window, &flight));
		for (uint32_t i = 0; i < count / 3; i++)
			ward_assert(window_settle(&window, first + i));
		while (window_advance(&window, &flight))
			ward_assert_eq(flight.end, end++);
	}
	ward_assert_eq(end, 100 * WINDOW_MAX);
}

WARD_TEST_MAIN
