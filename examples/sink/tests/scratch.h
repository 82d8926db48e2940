/* SPDX-License-Identifier: MIT
 *
 * scratch.h - a folder of its own for each case, removed when its process ends.
 */
#ifndef SINK_SCRATCH_H
#define SINK_SCRATCH_H

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ward/testkit.h>

static char scratch_folder[64];

static int scratch_remove_one(const char *path, const struct stat *status, int kind,
			      struct FTW *walk)
{
	(void)status;
	(void)kind;
	(void)walk;
	return remove(path);
}

static void scratch_remove(void)
{
	nftw(scratch_folder, scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Returns the path of a name in the folder; good until the case ends. */
static const char *scratch_path(const char *name)
{
	static bool made;
	static char paths[8][128];
	static unsigned next;
	if (!made) {
		made = true;
		/* Not named by the process id: one that was killed leaves its folder, and the id
		 * comes again. */
		snprintf(scratch_folder, sizeof(scratch_folder), "%s/ward-sink-test-XXXXXX",
			 P_tmpdir);
		ward_assert(mkdtemp(scratch_folder) != NULL);
		atexit(scratch_remove);
	}
	char *path = paths[next++ % 8];
	snprintf(path, sizeof(paths[0]), "%s/%s", scratch_folder, name);
	return path;
}

__attribute__((unused)) static void scratch_write(const char *name, const char *text, int flags)
{
	int fd = open(scratch_path(name), O_WRONLY | O_CREAT | flags, 0666);
	ward_assert(fd >= 0);
	ward_assert_eq(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

#endif
