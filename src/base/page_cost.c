/* SPDX-License-Identifier: MIT
 *
 * page_cost.c - which pages cost less to touch at this moment, huge or small ones.
 *
 * Small pages come first, since huge ones can only be judged against them. A huge page is taken as
 * the last one was. Of small pages a mean counts: a part of them stands for all, so that one
 * interruption of the thread would count for many. Small pages are not tried again
 * while huge ones cost a fraction: mostly they do, and a try would lose.
 *
 * Threads: see the header. Relaxed, all: a time orders nothing.
 */
#include "base/page_cost.h"

enum { MEAN_OF = 8, FRACTION = 4 };

static int64_t get(const _Atomic int64_t *field)
{
	return atomic_load_explicit(field, memory_order_relaxed);
}

static void set(_Atomic int64_t *field, int64_t value)
{
	atomic_store_explicit(field, value, memory_order_relaxed);
}

bool wardi_page_cost_huge(const struct wardi_page_cost *cost, int64_t now_ns)
{
	const int64_t huge_ns = get(&cost->huge_ns), small_ns = get(&cost->small_ns);
	const bool retry = now_ns >= get(&cost->retry_at_ns);

	if (small_ns == 0)
		return false;
	if (huge_ns <= small_ns)
		return !retry || FRACTION * huge_ns <= small_ns;
	return retry;
}

/* The dearer kind waits before the next try. */
static void put_off(struct wardi_page_cost *cost, int64_t loss_ns, int64_t now_ns)
{
	if (loss_ns > 0)
		set(&cost->retry_at_ns, now_ns + WARDI_PAGE_RETRY * loss_ns);
}

/* Up slowly: one that took long may have been interrupted. Down at once: no touch is too fast. */
static int64_t mean(int64_t before_ns, int64_t took_ns)
{
	if (took_ns < before_ns || before_ns == 0)
		return took_ns;
	if (took_ns > 2 * before_ns)
		took_ns = 2 * before_ns;
	return before_ns + (took_ns - before_ns) / MEAN_OF;
}

static void note_huge(struct wardi_page_cost *cost, int64_t took_ns, int64_t now_ns)
{
	set(&cost->huge_ns, took_ns);
	put_off(cost, took_ns - get(&cost->small_ns), now_ns);
}

static void note_small(struct wardi_page_cost *cost, int64_t took_ns, int64_t now_ns)
{
	const int64_t huge_ns = get(&cost->huge_ns);
	const int64_t small_ns = mean(get(&cost->small_ns), took_ns);

	set(&cost->small_ns, small_ns);
	if (huge_ns != 0 && huge_ns <= small_ns) /* it was a try, and huge ones stay */
		put_off(cost, took_ns - huge_ns, now_ns);
}

void wardi_page_cost_note(struct wardi_page_cost *cost, bool huge, int64_t took_ns, int64_t now_ns)
{
	if (took_ns <= 0) /* the clock cannot be read */
		return;
	if (huge)
		note_huge(cost, took_ns, now_ns);
	else
		note_small(cost, took_ns, now_ns);
}
