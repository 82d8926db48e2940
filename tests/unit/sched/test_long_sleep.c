/* SPDX-License-Identifier: MIT
 *
 * test_long_sleep.c - a worker that sleeps for long wakes up as exactly as one that sleeps briefly,
 * and without many wake-ups.
 *
 * Method: ppoll() is a model of the kernel's on a clock that is stepped: it ends as late as the
 * kernel may let it end, by a share of its time.
 */
#include <errno.h>
#include <poll.h>

#include "sched/poller.h"
#include "sched/state.h"
#include "unit/sched/bench.h"

#define US INT64_C(1000)
#define MS INT64_C(1000000)
#define SECOND INT64_C(1000000000)

static struct bench *bench;
static int sleeps;
static int64_t share; /* how late a sleep ends: its time divided by this */
static int roused_in; /* the sleep that something else ends, half-way; 0: none */

/* Instead of the C library's. */
int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
	int64_t now_ns = wardi_clock_now(&bench->clock), for_ns, late_ns;

	(void)mask;
	ward_assert_eq(count, 1);
	fds->revents = 0;
	if (timeout == NULL || ++sleeps == roused_in) {
		fds->revents = POLLIN;
		return 1;
	}
	for_ns = timeout->tv_sec * SECOND + timeout->tv_nsec;
	late_ns = for_ns / share;
	if (late_ns > 100 * MS)
		late_ns = 100 * MS;
	wardi_clock_step_to(&bench->clock, now_ns + for_ns + late_ns);
	return 0;
}

/* Returns how late it wakes up. */
static int64_t late_after(int64_t timeout_ns)
{
	int64_t due_ns = wardi_clock_now(&bench->clock) + timeout_ns;

	sleeps = 0;
	ward_assert(!wardi_poller_sleep(bench->sched, timeout_ns, true));
	return wardi_clock_now(&bench->clock) - due_ns;
}

static void start(int64_t late_share)
{
	bench = bench_create(1, NULL);
	wardi_clock_init(&bench->clock, true);
	wardi_clock_step_to(&bench->clock, MS);
	share = late_share;
	roused_in = 0;
}

static const int64_t times[] = {0,           1,           40 * US,       MS,
				5 * MS - 1,  5 * MS,      20 * MS,       SECOND,
				20 * SECOND, 59 * SECOND, 3600 * SECOND, 100 * 24 * 3600 * SECOND};

static void check_all(int64_t late_share, int64_t late_max_ns)
{
	start(late_share);
	for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
		int64_t late_ns = late_after(times[i]);

		ward_assert(late_ns >= 0); /* never early */
		ward_assert(late_ns <= late_max_ns);
		ward_assert(sleeps <= 4);
	}
	bench_finish(bench);
}

WARD_TEST(long_sleep_ends_as_exactly_as_a_short_one, "S87")
{
	check_all(1000, 5 * US);
}

WARD_TEST(long_sleep_of_a_nice_process_ends_as_exactly, "S87")
{
	check_all(200, 25 * US);
}

WARD_TEST(what_ends_a_part_of_a_long_sleep_ends_the_sleep)
{
	start(1000);
	for (roused_in = 1; roused_in <= 2; roused_in++) {
		int64_t due_ns = wardi_clock_now(&bench->clock) + 20 * SECOND;

		sleeps = 0;
		ward_assert(wardi_poller_sleep(bench->sched, 20 * SECOND, true));
		ward_assert_eq(sleeps, roused_in);
		ward_assert(wardi_clock_now(&bench->clock) < due_ns);
	}
	bench_finish(bench);
}

WARD_TEST(sleep_without_an_end_waits_for_what_ends_it)
{
	start(1000);
	ward_assert(wardi_poller_sleep(bench->sched, -1, true));
	ward_assert_eq(sleeps, 0);
	bench_finish(bench);
}

WARD_TEST_MAIN
