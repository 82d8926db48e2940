/* SPDX-License-Identifier: MIT
 *
 * children.c - which of the children that actors start live elsewhere, and the first one of a case.
 *
 * A second system has turns, actors and counters of its own. So a case gets one only if it needs
 * it: a case without a child elsewhere runs as without the switch.
 *
 * Threads: the simulation's own.
 */
#include "testkit/far/children.h"

#include <string.h>
#include <unistd.h>

#include <ward/simulation.h>
#include <ward/testkit/check.h>

#include "testkit/check/case_result.h"
#include "testkit/far/shown.h"

/* A copy is needed for each start, so arguments that have none stay here. */
static bool is_copyable(const ward_props *props)
{
	const ward_type *type = props->args.type;

	return type == NULL || type->drop == NULL || type->clone != NULL;
}

/* What a pattern starts for itself: a program has no props of it, so it is never elsewhere. */
static bool is_own_of_pattern(const ward_behavior *behavior)
{
	static const char *const own[] = {"ward_request", "ward_zero_stand_in"};

	for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
		if (strcmp(behavior->name, own[i]) == 0)
			return true;
	return false;
}

enum wardi_far_child wardi_far_child(ward_system *system, ward_ref parent, const ward_props *props)
{
	char path[WARD_EVENT_PATH];
	const char *below;

	if (props == NULL || props->behavior == NULL || props->behavior->name == NULL ||
	    is_own_of_pattern(props->behavior))
		return WARDI_FAR_HERE;
	ward_system_path(system, parent, path, sizeof path);
	below = wardi_far_below_host(path);
	if (below != NULL && *below == '\0')
		return WARDI_FAR_GUEST;
	if ((below == NULL && wardi_far_is_service(path)) || !is_copyable(props))
		return WARDI_FAR_HERE;
	return WARDI_FAR_ELSEWHERE;
}

/* ---- the first one ----------------------------------------------------------------------- */

static const ward_props *begin_again(void *arg, ward_system *system, ward_ref who,
				     const ward_props *props)
{
	(void)arg;
	if (wardi_far_child(system, who, props) != WARDI_FAR_ELSEWHERE)
		return props;
	atomic_store_explicit(&wardi_testkit_run->needs_second_systems, true, memory_order_relaxed);
	_exit(0);
}

static void spawned(void *arg, ward_system *system, ward_ref child)
{
	(void)arg, (void)system, (void)child;
}

void wardi_far_await_child(ward_system *system)
{
	ward_assert(ward_simulation_spawns(
		system, &(ward_spawns){.replace = begin_again, .spawned = spawned}));
}
