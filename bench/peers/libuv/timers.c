/* SPDX-License-Identifier: MIT
 *
 * timers.c - the timers of libuv, which counts in milliseconds; and how soon a loop is there.
 */
#include <stdlib.h>
#include <uv.h>

#include "../../clock.h"
#include "libuv.h"

enum { FIRE_MS = 200, TICKERS = 1000, PERIOD_MS = 100, FAR_MS = 60 * 60 * 1000 };

static int64_t left;
static int64_t ticks;

static void count(uv_timer_t *timer)
{
	(void)timer;
	left--;
	ticks++;
}

static uv_timer_t *all_timers(int64_t n)
{
	uv_timer_t *timers = malloc((size_t)n * sizeof(*timers));

	peer_must(timers == NULL ? -1 : 0, "malloc");
	return timers;
}

static void arm(uv_timer_t *timer, uint64_t after_ms, uint64_t every_ms)
{
	uv_timer_init(uv_default_loop(), timer);
	peer_must(uv_timer_start(timer, count, after_ms, every_ms), "uv_timer_start");
}

/* The handles are the program's: they are set up here, as ward's are when they are armed. */
void libuv_timers(const struct peer_row *row, int64_t n)
{
	uv_timer_t *timers = all_timers(n);
	int64_t begin_ns = clock_span_ns();

	for (int64_t i = 0; i < n; i++)
		arm(&timers[i], FAR_MS + (uint64_t)i * 7919 % 1000003, 0);
	for (int64_t i = 0; i < n; i++)
		uv_timer_stop(&timers[i]);
	peer_report(row->name, (double)(clock_span_ns() - begin_ns) / (double)n, "ns");
}

void libuv_timers_fire(const struct peer_row *row, int64_t n)
{
	uv_timer_t *timers = all_timers(n);
	int64_t begin_ns = clock_cpu_ns();

	left = n;
	for (int64_t i = 0; i < n; i++)
		arm(&timers[i], 1 + (uint64_t)i * 7919 % FIRE_MS, 0);
	while (left > 0)
		uv_run(uv_default_loop(), UV_RUN_ONCE);
	peer_report(row->name, (double)(clock_cpu_ns() - begin_ns) / (double)n, "ns");
}

static void run_for(int64_t ms)
{
	int64_t end_ns = clock_now_ns() + ms * 1000000;

	while (clock_now_ns() < end_ns)
		uv_run(uv_default_loop(), UV_RUN_ONCE);
}

void libuv_ticks(const struct peer_row *row, int64_t ms)
{
	uv_timer_t *timers = all_timers(TICKERS);
	int64_t begin_ns, begin_cpu_ns;
	double span_ns;

	for (int i = 0; i < TICKERS; i++)
		arm(&timers[i], 1 + (uint64_t)i % PERIOD_MS, PERIOD_MS);
	run_for(2 * (int64_t)PERIOD_MS);
	ticks = 0;
	begin_ns = clock_now_ns();
	begin_cpu_ns = clock_cpu_ns();
	run_for(ms);
	span_ns = (double)(clock_now_ns() - begin_ns);
	peer_report(row->name, 100 * (double)(clock_cpu_ns() - begin_cpu_ns) / span_ns, "%");
	peer_report("ticks_rate", (double)ticks / span_ns * 1e9, "ticks/s");
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* 1, 2 and 3 ms in turn. It is early at times: the loop's clock is that of its last round. */
void libuv_late(const struct peer_row *row, int64_t n)
{
	int64_t *late_ns = calloc((size_t)n, sizeof(*late_ns));
	uv_timer_t timer;

	(void)row;
	peer_must(late_ns == NULL ? -1 : 0, "calloc");
	for (int64_t i = 0; i < n; i++) {
		int64_t ms = 1 + i % 3, begin_ns = clock_now_ns();

		arm(&timer, (uint64_t)ms, 0);
		uv_run(uv_default_loop(), UV_RUN_ONCE);
		late_ns[i] = clock_now_ns() - begin_ns - ms * 1000000;
		if (late_ns[i] < 0)
			late_ns[i] = 0;
	}
	qsort(late_ns, (size_t)n, sizeof(*late_ns), compare);
	peer_report("late_p50", (double)late_ns[(n - 1) / 2] / 1e3, "us");
	peer_report("late_p99", (double)late_ns[(n - 1) * 99 / 100] / 1e3, "us");
}

/* The heap of a loop is within the handles. */
void libuv_mem_timer(const struct peer_row *row, int64_t n)
{
	(void)n;
	peer_report(row->name, sizeof(uv_timer_t), "bytes");
}

static int64_t called_ns;

static void called(uv_timer_t *timer)
{
	(void)timer;
	called_ns = clock_now_ns();
}

/* From main to the first callback; then the making and closing of loops. */
void libuv_start(const struct peer_row *row, int64_t n)
{
	int64_t made_ns = 0, closed_ns = 0;
	uv_timer_t timer;
	uv_loop_t loop;

	uv_timer_init(uv_default_loop(), &timer);
	peer_must(uv_timer_start(&timer, called, 0, 0), "uv_timer_start");
	uv_run(uv_default_loop(), UV_RUN_DEFAULT);
	peer_report(row->name, (double)(called_ns - peer_main_ns) / 1e3, "us");
	for (int64_t i = 0; i < n; i++) {
		int64_t begin_ns = clock_now_ns();

		peer_must(uv_loop_init(&loop), "uv_loop_init");
		made_ns += clock_now_ns() - begin_ns;
		begin_ns = clock_now_ns();
		peer_must(uv_loop_close(&loop), "uv_loop_close");
		closed_ns += clock_now_ns() - begin_ns;
	}
	peer_report("start_create", (double)made_ns / (double)n / 1e3, "us");
	peer_report("start_destroy", (double)closed_ns / (double)n / 1e3, "us");
}
