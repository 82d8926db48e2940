/* SPDX-License-Identifier: MIT
 *
 * saboteur.c - holds a lock, or overwrites bytes, from a process of its own; see saboteur.h.
 */
#include "saboteur.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "dice.h"

enum {
	PAGE = 4096,
	WAL_HEADER = 32,
	FRAME_HEADER = 24,
	WOUND = 64, /* bytes overwritten at the head of a page, where its structure is */
	ONE_IN = 4, /* of the pages of the main file is hit, and one at least */
	BUSY_MS = 5000
};

static int hold_lock(const char *path, int64_t ms)
{
	sqlite3 *db;
	struct timespec time = {ms / 1000, ms % 1000 * 1000000};
	int code = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL);
	if (code == SQLITE_OK) {
		sqlite3_busy_timeout(db, BUSY_MS);
		code = sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
	}
	if (code == SQLITE_OK) {
		printf("holds the lock for %" PRId64 " ms\n", ms);
		fflush(stdout);
		nanosleep(&time, NULL);
	} else {
		printf("could not take the lock: %s\n", sqlite3_errmsg(db));
	}
	sqlite3_close(db);
	return code == SQLITE_OK ? 0 : 1;
}

static bool wound(int fd, off_t at, struct dice *dice)
{
	unsigned char bytes[WOUND];
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)dice_roll(dice, 256);
	return pwrite(fd, bytes, sizeof(bytes), at) == (ssize_t)sizeof(bytes);
}

/* Hits blocks of `size` bytes that begin at `first`, one in so many; in each, the bytes behind its
 * header. */
static int overwrite(const char *path, off_t first, off_t size, off_t header, uint64_t one_in,
		     struct dice *dice)
{
	struct stat status;
	int hit = 0;
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) != 0) {
		printf("could not open %s: %s\n", path, strerror(errno));
		return 1;
	}
	off_t blocks = status.st_size > first ? (status.st_size - first) / size : 0;
	off_t always = blocks > 0 ? (off_t)dice_roll(dice, (uint64_t)blocks) : 0;
	for (off_t i = 0; i < blocks; i++)
		if (i == always || dice_roll(dice, one_in) == 0)
			hit += wound(fd, first + i * size + header, dice);
	close(fd);
	printf("overwrote bytes in %d of %jd pages of %s\n", hit, (intmax_t)blocks, path);
	return 0;
}

/* What is in the main file only comes there by a checkpoint, so one is made first. */
static int damage_main(const char *path, struct dice *dice)
{
	sqlite3 *db;
	if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
	    sqlite3_exec(db, "SELECT count(*) FROM lines", NULL, NULL, NULL) == SQLITE_OK)
		sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
	sqlite3_close(db);
	return overwrite(path, 0, PAGE, 0, ONE_IN, dice);
}

/* All frames: which of them are the newest of their page, only the shared memory tells. */
static int damage_log(const char *path, struct dice *dice)
{
	char log[4096];
	snprintf(log, sizeof(log), "%s-wal", path);
	return overwrite(log, WAL_HEADER, FRAME_HEADER + PAGE, FRAME_HEADER, 1, dice);
}

int saboteur_main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "ward-sink: " SABOTEUR_OPTION " is for ward-sink itself\n");
		return 2;
	}
	const char *what = argv[0], *path = argv[1];
	uint64_t number = strtoull(argv[2], NULL, 10);
	struct dice dice = {number};
	if (strcmp(what, "lock") == 0)
		return hold_lock(path, (int64_t)number);
	if (strcmp(what, "main") == 0)
		return damage_main(path, &dice);
	if (strcmp(what, "wal") == 0)
		return damage_log(path, &dice);
	return 2;
}
