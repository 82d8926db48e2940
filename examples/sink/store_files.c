/* SPDX-License-Identifier: MIT
 *
 * store_files.c - the files of the database: setting them aside, and whose they are.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store_inside.h"

enum { ASIDE_MAX = 10000 };

static bool exists(const char *path)
{
	struct stat status;
	return lstat(path, &status) == 0;
}

/* Moves path + suffix to aside + suffix, if it is there. */
static bool move(const char *path, const char *aside, const char *suffix)
{
	char *from = NULL, *to = NULL;
	bool moved = asprintf(&from, "%s%s", path, suffix) >= 0 &&
		     asprintf(&to, "%s%s", aside, suffix) >= 0 &&
		     (rename(from, to) == 0 || errno == ENOENT);
	free(from);
	free(to);
	return moved;
}

static bool sync_folder_of(const char *path)
{
	char *copy = strdup(path);
	int fd = copy ? open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	bool synced = fd >= 0 && fsync(fd) == 0;
	if (fd >= 0)
		close(fd);
	free(copy);
	return synced;
}

static char *aside_name(const char *path, int number)
{
	char *name = NULL;
	return asprintf(&name, "%s.damaged-%d", path, number) < 0 ? NULL : name;
}

/* The first number that is not taken. */
static int free_number(const char *path)
{
	int number = 1;
	for (; number < ASIDE_MAX; number++) {
		char *name = aside_name(path, number);
		bool taken = name && exists(name);
		free(name);
		if (!taken)
			break;
	}
	return number;
}

bool store_set_aside(const char *path, struct why *why)
{
	char *aside = aside_name(path, free_number(path));
	if (!aside)
		return why_not(why, "setting it aside: out of memory");
	/* The log goes first: a main file without its log is an older database, a log without its
	 * main file would be taken for the next one's. */
	bool moved = move(path, aside, "-wal") && move(path, aside, "-shm") &&
		     move(path, aside, "") && sync_folder_of(path);
	if (moved)
		why_not(why, "it is kept as %s", aside);
	else
		why_not(why, "it cannot be moved to %s: %s", aside, strerror(errno));
	free(aside);
	return moved;
}

char *store_aside(const char *path, const char *than)
{
	int number = than ? atoi(strrchr(than, '-') + 1) : free_number(path);
	return number > 1 ? aside_name(path, number - 1) : NULL;
}

static bool is_ours(const char *path)
{
	sqlite3 *db = NULL;
	bool ours = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
		    store_application(db) == STORE_APPLICATION;
	sqlite3_close(db);
	return ours;
}

bool store_is_ours(const char *path, struct why *why)
{
	struct stat status;
	if (stat(path, &status) != 0)
		return errno == ENOENT ||
		       why_not(why, "%s: cannot be used as a database: %s", path, strerror(errno));
	if (!S_ISREG(status.st_mode))
		return why_not(why, "%s: is not a regular file; name one, or one to be made", path);
	if (status.st_size == 0 || is_ours(path))
		return true;
	return why_not(why, "%s: is there already and is not a database of ward-sink; name another",
		       path);
}
