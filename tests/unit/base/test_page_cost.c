/* SPDX-License-Identifier: MIT
 *
 * test_page_cost.c - huge pages are taken where they cost less, and never cost much more than small
 * ones, whatever the host does with free memory.
 *
 * Method: the host is a number for each kind of page; time counts up by what a piece costs, and by
 * the work that is done with it.
 */
#include <ward/testkit.h>

#include "base/page_cost.h"
#include "base/random.h"

#define US INT64_C(1000)
#define SMALL_NS (700 * US)
#define CHEAP_NS (95 * US)
#define DEAR_NS (4500 * US)
#define WORK_NS (500 * US)

struct host {
	struct wardi_page_cost cost;
	int64_t small_ns, huge_ns; /* of a piece at this moment */
	int64_t now_ns;
	/* so far */
	int64_t huge_pieces;
	int64_t lost_ns; /* by huge pages that were dearer than small ones */
	int64_t lost_most_ns;
};

static struct host host_of(int64_t small_ns, int64_t huge_ns)
{
	return (struct host){.small_ns = small_ns, .huge_ns = huge_ns, .now_ns = 1};
}

static bool take_piece(struct host *host)
{
	bool huge = wardi_page_cost_huge(&host->cost, host->now_ns);
	int64_t took_ns = huge ? host->huge_ns : host->small_ns;

	host->now_ns += took_ns;
	wardi_page_cost_note(&host->cost, huge, took_ns, host->now_ns);
	host->now_ns += WORK_NS;
	host->huge_pieces += huge;
	if (took_ns > host->small_ns) {
		host->lost_ns += took_ns - host->small_ns;
		if (took_ns - host->small_ns > host->lost_most_ns)
			host->lost_most_ns = took_ns - host->small_ns;
	}
	return huge;
}

static void take_pieces(struct host *host, int count)
{
	while (count-- > 0)
		take_piece(host);
}

static void expect_little_lost(const struct host *host)
{
	ward_assert(host->lost_ns <= host->now_ns / WARDI_PAGE_RETRY + host->lost_most_ns);
}

WARD_TEST(page_cost_unknown_takes_small_pages_first)
{
	struct host host = host_of(SMALL_NS, CHEAP_NS);

	ward_assert(!take_piece(&host));
	ward_assert(take_piece(&host));
}

WARD_TEST(page_cost_cheap_huge_pages_are_taken)
{
	struct host host = host_of(SMALL_NS, CHEAP_NS);

	take_pieces(&host, 10 * 1000);
	ward_assert_eq(host.huge_pieces, 10 * 1000 - 1);
}

WARD_TEST(page_cost_dear_huge_pages_are_tried_seldom)
{
	struct host host = host_of(SMALL_NS, DEAR_NS);

	take_pieces(&host, 10 * 1000);
	ward_assert(host.huge_pieces >= 10);
	expect_little_lost(&host);
}

WARD_TEST(page_cost_huge_pages_that_get_dear_are_left_at_once_and_found_when_cheap_again)
{
	struct host host = host_of(SMALL_NS, CHEAP_NS);

	take_pieces(&host, 100);
	host.huge_ns = DEAR_NS;
	ward_assert(take_piece(&host));
	for (int i = 0; i < 100; i++)
		ward_assert(!take_piece(&host));
	host.huge_ns = CHEAP_NS;
	take_pieces(&host, 1000);
	ward_assert(take_piece(&host));
	expect_little_lost(&host);
}

/* Small pages were cut from memory that is as dear; later from some that is not. */
WARD_TEST(page_cost_small_pages_that_get_cheap_are_found)
{
	struct host host = host_of(5500 * US, DEAR_NS);

	take_pieces(&host, 100);
	ward_assert(host.huge_pieces > 90);
	host.small_ns = SMALL_NS;
	host.lost_ns = 0;
	take_pieces(&host, 100);
	ward_assert(!take_piece(&host));
	take_pieces(&host, 10 * 1000);
	ward_assert(host.lost_ns < host.now_ns / 20);
}

WARD_TEST(page_cost_one_interruption_is_no_reason_to_try_huge_pages)
{
	struct host host = host_of(SMALL_NS, DEAR_NS);

	take_pieces(&host, 20);
	host.huge_pieces = 0;
	host.small_ns = 100 * DEAR_NS;
	ward_assert(!take_piece(&host));
	host.small_ns = SMALL_NS;
	host.now_ns -= 100 * DEAR_NS; /* the time for a try has not come by it */
	take_pieces(&host, 100);
	ward_assert_eq(host.huge_pieces, 0);
}

/* A huge page may cost anything at each time. */
WARD_TEST(page_cost_of_any_host_is_hardly_more_than_that_of_small_pages)
{
	for (uint64_t seed = 0; seed < 200; seed++) {
		struct host host = host_of(SMALL_NS, CHEAP_NS);
		struct wardi_random random;

		wardi_random_init(&random, ward_test_seed() + seed);
		for (int i = 0; i < 5000; i++) {
			if (wardi_random_below(&random, 1 + seed) == 0)
				host.huge_ns = (int64_t)wardi_random_below(&random, 12 * 1000) * US;
			take_piece(&host);
		}
		expect_little_lost(&host);
	}
}

WARD_TEST(page_cost_without_a_clock_takes_small_pages)
{
	struct host host = host_of(0, 0);

	take_pieces(&host, 10);
	ward_assert_eq(host.huge_pieces, 0);
}

WARD_TEST_MAIN
