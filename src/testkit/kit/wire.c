/* SPDX-License-Identifier: MIT
 *
 * wire.c - actors that stand for a wire between systems: by their paths.
 *
 * Threads: any.
 */
#include "testkit/kit/wire.h"

#include <stddef.h>
#include <string.h>

const char *wardi_path_behind(const char *path, const char *begin)
{
	const char *at = strchr(path, '/');

	return at != NULL && strncmp(at, begin, strlen(begin)) == 0 ? at + strlen(begin) : NULL;
}

bool wardi_path_is_wire(const char *path)
{
	return wardi_path_behind(path, "/system/loop-") != NULL;
}
