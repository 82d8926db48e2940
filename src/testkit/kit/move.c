/* SPDX-License-Identifier: MIT
 *
 * move.c - moves a simulated system, or waits for a system on threads.
 *
 * Only this file of the testkit sleeps: real threads cannot be stepped, and polling needs no
 * support from the tested program.
 */
#include "testkit/kit/move.h"

#include <inttypes.h>
#include <time.h>

#include "testkit/kit/far.h"
#include "testkit/kit/kit.h"
#include "testkit/kit/look.h"

enum {
	TURNS_MAX = 1000 * 1000, /* at one time of the clock; more count as an endless loop */
	REST_US = 200            /* between two looks at threads */
};

static void rest_ns(int64_t ns)
{
	nanosleep(&(struct timespec){ns / 1000000000, ns % 1000000000}, NULL);
}

/* ---- simulated --------------------------------------------------------------------------- */

/* Between two steps of a kit whose children live elsewhere what carries them has come to rest. */
static bool step(ward_kit *kit)
{
	bool any;

	if (kit->far == NULL)
		return ward_simulation_step(kit->system);
	any = wardi_kit_far.settle(kit);
	any = ward_simulation_step(kit->system) || any;
	return wardi_kit_far.settle(kit) || any;
}

/* Makes a turn without moving the clock. False: no actor is ready. */
static bool turn(ward_kit *kit, int *turns)
{
	if (!step(kit))
		return false;
	if (++*turns > TURNS_MAX)
		wardi_kit_fail(kit,
			       "somebody always has something to do, after %d turns while the "
			       "clock stands",
			       TURNS_MAX);
	return true;
}

static void run_simulated(ward_kit *kit)
{
	for (int turns = 0; turn(kit, &turns);)
		;
}

static void advance_simulated(ward_kit *kit, int64_t until_ns)
{
	do
		run_simulated(kit);
	while (ward_simulation_advance(kit->system, until_ns));
}

static bool run_simulated_until(ward_kit *kit, int64_t until_ns, bool (*holds)(void *arg),
				void *arg)
{
	for (int turns = 0; !holds(arg);) {
		if (turn(kit, &turns))
			continue;
		turns = 0;
		if (ward_simulation_advance(kit->system, until_ns))
			continue;
		/* Without a deadline, descriptors and threads outside may also wake actors. */
		if (until_ns != INT64_MAX || !ward_simulation_poll(kit->system))
			return holds(arg);
	}
	return true;
}

/* ---- on threads -------------------------------------------------------------------------- */

static bool wait_until(ward_kit *kit, int64_t until_ns, bool (*holds)(void *arg), void *arg)
{
	while (!holds(arg)) {
		if (ward_kit_now_ns(kit) >= until_ns)
			return holds(arg);
		rest_ns(REST_US * 1000);
	}
	return true;
}

static void count_ready(void *arg, const ward_actor_info *info)
{
	*(size_t *)arg += info->ready;
}

static bool is_anybody_ready(ward_kit *kit)
{
	size_t ready = 0;

	ward_system_actors(kit->system, count_ready, &ready);
	return ready > 0;
}

/* Whether nothing moved between two looks; ward_system_actors() says why this is enough. */
static bool is_quiet(void *arg)
{
	ward_kit *kit = arg;
	uint64_t turns = ward_kit_stats(kit).turns;

	return !is_anybody_ready(kit) && ward_kit_stats(kit).threads_busy == 0 &&
	       !is_anybody_ready(kit) && ward_kit_stats(kit).turns == turns;
}

static bool run_threads(ward_kit *kit)
{
	return wait_until(kit, wardi_kit_deadline_ns(kit, kit->patience_ms), is_quiet, kit);
}

/* ---- either ------------------------------------------------------------------------------ */

bool ward_kit_step_at(ward_kit *kit, const char *file, int line)
{
	if (kit->real_threads)
		ward_test_fail(file, line,
			       "ward_kit_step: threads cannot be stepped; use ward_kit_run(), or "
			       "a simulated kit");
	wardi_kit_at(kit, file, line);
	return step(kit);
}

bool wardi_kit_comes_to_rest(ward_kit *kit)
{
	if (kit->real_threads)
		return run_threads(kit);
	run_simulated(kit);
	return true;
}

void wardi_kit_fail_restless(const ward_kit *kit)
{
	wardi_kit_fail(kit, "somebody still has something to do, after %" PRId64 " ms",
		       kit->patience_ms);
}

void wardi_kit_run(ward_kit *kit)
{
	if (!wardi_kit_comes_to_rest(kit))
		wardi_kit_fail_restless(kit);
}

void ward_kit_run_at(ward_kit *kit, const char *file, int line)
{
	wardi_kit_at(kit, file, line);
	wardi_kit_run(kit);
}

static bool is_nobody_ready(void *arg)
{
	return !is_anybody_ready(arg);
}

void wardi_kit_settle(ward_kit *kit)
{
	wardi_kit_run(kit);
	/* In a simulation a stalled actor is still ready: its turn comes with time. */
	if (!kit->real_threads && !wardi_kit_run_until(kit, kit->patience_ms, is_nobody_ready, kit))
		wardi_kit_fail(kit, "somebody stalls longer than %" PRId64 " ms", kit->patience_ms);
}

void ward_kit_advance_at(ward_kit *kit, int64_t ms, const char *file, int line)
{
	int64_t until_ns = wardi_kit_deadline_ns(kit, ms);

	if (kit->real_threads) { /* on any thread: it writes nothing */
		rest_ns(until_ns - ward_kit_now_ns(kit));
		return;
	}
	wardi_kit_at(kit, file, line);
	advance_simulated(kit, until_ns);
}

bool wardi_kit_run_until(ward_kit *kit, int64_t timeout_ms, bool (*holds)(void *arg), void *arg)
{
	int64_t until_ns = wardi_kit_deadline_ns(kit, timeout_ms);

	return kit->real_threads ? wait_until(kit, until_ns, holds, arg)
				 : run_simulated_until(kit, until_ns, holds, arg);
}

bool ward_kit_run_until_at(ward_kit *kit, int64_t timeout_ms, bool (*holds)(void *arg), void *arg,
			   const char *file, int line)
{
	wardi_kit_at(kit, file, line);
	return wardi_kit_run_until(kit, timeout_ms, holds, arg);
}

struct wanted_state {
	ward_kit *kit;
	ward_ref who;
	ward_actor_state state;
};

static bool is_in_state(void *arg)
{
	const struct wanted_state *wanted = arg;

	return ward_kit_state(wanted->kit, wanted->who) == wanted->state;
}

void ward_kit_run_until_state_at(ward_kit *kit, ward_ref who, ward_actor_state state,
				 const char *file, int line)
{
	struct wanted_state wanted = {kit, who, state};
	char path[WARD_EVENT_PATH];

	wardi_kit_at(kit, file, line);
	if (wardi_kit_run_until(kit, kit->patience_ms, is_in_state, &wanted))
		return;
	ward_system_path(kit->system, who, path, sizeof path);
	wardi_kit_fail(kit, "%s is never \"%s\" within %" PRId64 " ms, it ends \"%s\"", path,
		       ward_kit_state_text(state), kit->patience_ms,
		       ward_kit_state_text(ward_kit_state(kit, who)));
}
