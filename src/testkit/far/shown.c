/* SPDX-License-Identifier: MIT
 *
 * shown.c - how a test sees the actors of two systems: their paths, and the state of a child.
 *
 * Threads: any.
 */
#include "testkit/far/shown.h"

#include <stddef.h>
#include <string.h>

#include "testkit/kit/wire.h"

static const char guests[] = "/system/guests";

const char *wardi_far_below_host(const char *path)
{
	const char *at = wardi_path_behind(path, guests);

	return at == NULL || *at != '/' ? NULL : at + 1 + strcspn(at + 1, "/");
}

bool wardi_far_is_service(const char *path)
{
	const char *at = wardi_path_behind(path, "/system");

	return at != NULL && (*at == '\0' || *at == '/');
}

bool wardi_far_is_mechanism(const char *path)
{
	const char *at = wardi_path_behind(path, guests), *below = wardi_far_below_host(path);

	return wardi_path_is_wire(path) || (at != NULL && *at == '\0') ||
	       (below != NULL && *below == '\0');
}

static bool begins(const char *text, const char *begin)
{
	return strncmp(text, begin, strlen(begin)) == 0;
}

bool wardi_far_is_order(const char *type)
{
	return begins(type, "wardi_guest_") || begins(type, "wardi_remote_") ||
	       strcmp(type, "ward_represented") == 0;
}

static bool is_one_of(const char *state, const char *const *states, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(state, states[i]) == 0)
			return true;
	return false;
}

/* A guest starts, restarts and stops while its stand-in runs. Once both have failed it says how. */
const char *wardi_far_state(const char *stand_in, const char *guest)
{
	static const char *const own[] = {"starting", "retrying", "restarting", "stopping"};
	static const char *const failed[] = {"start-failed", "restart-failed"};

	if (strcmp(stand_in, "running") == 0 && is_one_of(guest, own, 4))
		return guest;
	if (strcmp(stand_in, "failed") == 0 && is_one_of(guest, failed, 2))
		return guest;
	return stand_in;
}
