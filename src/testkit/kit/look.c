/* SPDX-License-Identifier: MIT
 *
 * look.c - queries about the system of a kit: one actor, counters, the clock.
 */
#include "testkit/kit/look.h"

#include <string.h>

#include "testkit/kit/events.h"
#include "testkit/kit/far.h"
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

bool ward_kit_is_alive(const ward_kit *kit, ward_ref who)
{
	const ward_kit *other = kit->far != NULL ? wardi_kit_far.other(kit) : NULL;

	return ward_system_is_alive(kit->system, who) ||
	       (other != NULL && ward_system_is_alive(other->system, who));
}

void ward_kit_path(const ward_kit *kit, ward_ref who, char path[WARD_EVENT_PATH])
{
	if (kit->far == NULL || !wardi_kit_far.path(kit, who, path))
		ward_system_path(kit->system, who, path, WARD_EVENT_PATH);
}

ward_ref ward_kit_ref(const ward_kit *kit, ward_ref who)
{
	return kit->far != NULL ? wardi_kit_far.known(kit, who) : who;
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

/* The status of a stand-in is about the connection: that of its guest takes its place. */
static void show_status(ward_kit *kit, ward_ref who, ward_actor_info *info)
{
	ward_ref guest = wardi_kit_far.guest(&kit, who);
	ward_actor_info found;

	if (!ward_ref_equal(guest, who) && ward_system_actor(kit->system, guest, &found) == WARD_OK)
		memcpy(info->status, found.status, sizeof info->status);
}

bool ward_kit_info(ward_kit *kit, ward_ref who, ward_actor_info *ret_info)
{
	struct look look = {who, ret_info, false};

	ward_system_actors(kit->system, look_at, &look);
	if (kit->far == NULL || wardi_kit_far.other(kit) == NULL)
		return look.found;
	if (look.found)
		show_status(kit, who, ret_info);
	else
		ward_system_actors(wardi_kit_far.other(kit)->system, look_at, &look);
	if (look.found && kit->far != NULL)
		wardi_kit_far.info(kit, ret_info);
	return look.found;
}

static const char *const states[] = {
	[WARD_STATE_ANY] = "any",
	[WARD_STATE_GONE] = "gone",
	[WARD_STATE_STARTING] = "starting",
	[WARD_STATE_START_FAILED] = "start-failed",
	[WARD_STATE_RETRYING] = "retrying",
	[WARD_STATE_RUNNING] = "running",
	[WARD_STATE_FAILED] = "failed",
	[WARD_STATE_RESTARTING] = "restarting",
	[WARD_STATE_RESTART_FAILED] = "restart-failed",
	[WARD_STATE_STOPPING] = "stopping",
	[WARD_STATE_STOPPED] = "stopped",
	[WARD_STATE_FREE] = "free",
};
enum { STATES = sizeof states / sizeof states[0] };

const char *ward_kit_state_text(ward_actor_state state)
{
	return (unsigned)state < STATES ? states[state] : "?";
}

static ward_actor_state state_of(const char *text)
{
	for (unsigned i = 0; i < STATES; i++)
		if (strcmp(states[i], text) == 0)
			return (ward_actor_state)i;
	ward_test_fail(__FILE__, __LINE__,
		       "an actor is in state \"%s\", which the kit does not know", text);
}

ward_actor_state ward_kit_state(ward_kit *kit, ward_ref who)
{
	ward_actor_info info;

	return ward_kit_info(kit, who, &info) ? state_of(info.state) : WARD_STATE_GONE;
}

void ward_kit_check_state(ward_kit *kit, ward_ref who, ward_actor_state state, const char *file,
			  int line)
{
	ward_actor_state is = ward_kit_state(kit, who);
	char path[WARD_EVENT_PATH];

	if (is == state)
		return;
	if (is != WARD_STATE_GONE || !wardi_kit_events_path(kit, who, path))
		ward_system_path(kit->system, who, path, sizeof path);
	wardi_kit_fail_at(kit, (struct wardi_location){file, line}, "%s is \"%s\", not \"%s\"",
			  path, ward_kit_state_text(is), ward_kit_state_text(state));
}

ward_stats ward_kit_stats(ward_kit *kit)
{
	ward_stats stats;

	ward_system_stats(kit->system, &stats);
	if (kit->far != NULL && wardi_kit_far.other(kit) != NULL)
		wardi_kit_far.add_stats(kit, &stats);
	return stats;
}
