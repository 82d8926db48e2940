/* SPDX-License-Identifier: MIT
 *
 * look.c - looking at the system of a kit: one actor, counters, the clock.
 */
#include "testkit/kit/look.h"

#include "testkit/kit/kit.h"

ward_system *ward_kit_system(const ward_kit *kit)
{
	return kit->system;
}

int64_t ward_kit_now_ns(const ward_kit *kit)
{
	return ward_simulation_now_ns(kit->system);
}

int64_t wardi_kit_deadline_ns(const ward_kit *kit, int64_t ms)
{
	int64_t now_ns = ward_kit_now_ns(kit);

	if (ms <= 0)
		return now_ns;
	return ms < (INT64_MAX - now_ns) / WARD_NS_PER_MS ? now_ns + ms * WARD_NS_PER_MS
							  : INT64_MAX;
}

struct look {
	ward_ref who;
	ward_actor_info *info;
	bool found;
};

static void look_at(void *arg, const ward_actor_info *info)
{
	struct look *look = arg;

	if (!ward_ref_equal(look->who, info->ref))
		return;
	*look->info = *info;
	look->found = true;
}

bool ward_kit_info(ward_kit *kit, ward_ref who, ward_actor_info *ret_info)
{
	struct look look = {who, ret_info, false};

	ward_system_actors(kit->system, look_at, &look);
	return look.found;
}

const char *ward_kit_state(ward_kit *kit, ward_ref who)
{
	ward_actor_info info;

	return ward_kit_info(kit, who, &info) ? info.state : "gone";
}

ward_stats ward_kit_stats(ward_kit *kit)
{
	ward_stats stats;

	ward_system_stats(kit->system, &stats);
	return stats;
}
