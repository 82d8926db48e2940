/* SPDX-License-Identifier: MIT
 *
 * shortage.c - which allocation of a case finds no memory, and whether it was reported.
 *
 * The counts are in memory shared with the runner; all accesses are relaxed, since each count
 * stands alone.
 */
#include "testkit/check/shortage.h"

#include <ward/testkit/runner.h>

#include "testkit/check/case_result.h"

enum { PUT_OFF_MAX = 1000 };

static bool looks_after; /* a check failed before this one */
static bool excuses_nothing;
static _Thread_local bool spares;

bool ward_test_shortage(void)
{
	return atomic_load_explicit(&wardi_testkit_run->shortage_at, memory_order_relaxed) != 0;
}

void wardi_shortage_look_after(void)
{
	looks_after = true;
}

bool wardi_shortage_looks_after(void)
{
	return looks_after;
}

bool wardi_shortage_spare(bool on)
{
	bool before = spares;

	spares = on;
	return before;
}

bool wardi_shortage_spares(void)
{
	return spares;
}

bool wardi_shortage_strikes(void)
{
	struct wardi_testkit_run *run = wardi_testkit_run;
	uint64_t at = atomic_load_explicit(&run->shortage_at, memory_order_relaxed);
	uint64_t number = atomic_fetch_add_explicit(&run->allocations, 1, memory_order_relaxed) + 1;

	if (at == 0 || number != at)
		return false;
	atomic_store_explicit(&run->shortage_struck, true, memory_order_relaxed);
	return true;
}

void wardi_shortage_told(uint64_t times)
{
	atomic_fetch_add_explicit(&wardi_testkit_run->shortage_told, times, memory_order_relaxed);
}

void wardi_shortage_excuses_nothing(void)
{
	excuses_nothing = true;
}

bool wardi_shortage_excuses(void)
{
	return atomic_load_explicit(&wardi_testkit_run->shortage_struck, memory_order_relaxed) &&
	       !excuses_nothing;
}

/* ---- failures that wait for a decision, by the parent's wish ----------------------------- */

static ward_ref put_off[PUT_OFF_MAX];
static size_t put_off_count;

void wardi_shortage_heard(const ward_event *event)
{
	if (event->kind == WARD_EVENT_FAILURE && event->directive == WARD_LATER &&
	    put_off_count < PUT_OFF_MAX)
		put_off[put_off_count++] = event->subject;
}

bool wardi_shortage_is_put_off(ward_ref who)
{
	for (size_t i = 0; i < put_off_count; i++)
		if (ward_ref_equal(put_off[i], who))
			return true;
	return false;
}
