/* SPDX-License-Identifier: MIT
 *
 * dispatchers.h - looks at the threads of a dispatcher, for the tests of this folder.
 */
#ifndef TESTS_SCENARIO_DISPATCHERS_H
#define TESTS_SCENARIO_DISPATCHERS_H

#include <string.h>

#include <ward/testkit.h>
#include <ward/ward.h>

struct dispatcher_look {
	const char *name;
	ward_dispatcher_info info;
	size_t found;
};

static inline void dispatcher_note(void *arg, const ward_dispatcher_info *info)
{
	struct dispatcher_look *look = arg;

	if (strcmp(info->name, look->name) != 0)
		return;
	look->info = *info;
	look->found++;
}

static inline ward_dispatcher_info dispatcher_info(ward_kit *kit, const char *name)
{
	struct dispatcher_look look = {.name = name};

	ward_system_dispatchers(ward_kit_system(kit), dispatcher_note, &look);
	ward_assert_eq(look.found, 1);
	return look.info;
}

#endif
