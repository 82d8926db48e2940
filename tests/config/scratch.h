/* SPDX-License-Identifier: MIT
 *
 * scratch.h - a folder of its own for a case, in which it runs.
 */
#ifndef TESTS_CONFIG_SCRATCH_H
#define TESTS_CONFIG_SCRATCH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ward/testkit.h>

static char scratch_folder[64];

static void scratch_begin(void)
{
	strcpy(scratch_folder, "/tmp/ward-config-XXXXXX");
	ward_assert(mkdtemp(scratch_folder) != NULL);
	ward_assert_eq(chdir(scratch_folder), 0);
}

static void scratch_end(void)
{
	char command[128];

	ward_assert_eq(chdir("/"), 0);
	snprintf(command, sizeof command, "rm -r %s", scratch_folder);
	ward_assert_eq(system(command), 0);
}

#endif
