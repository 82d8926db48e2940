/* SPDX-License-Identifier: MIT
 *
 * sources.h - the memory of what came in: which inputs there are, and how far each was accepted.
 *
 * It is a folder beside the database and outlives it. A file is remembered by name, inode and
 * offset, and by a sum of its first bytes, since inodes are used again. Standard input cannot be
 * read twice, so each run copies it to a spool in the folder first. A row of the database names
 * its source by id and its place there by offset: that is what makes storing idempotent.
 */
#ifndef SINK_SOURCES_H
#define SINK_SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "why.h"

enum {
	SOURCE_UNKNOWN = -1, /* for `acked`: the ledger has not heard of it */
	SOURCE_PRINT = 1024  /* bytes that the sum of the first bytes is made of, at most */
};

enum source_kind {
	SOURCE_FILE = 0, /* of somebody else; `name` is its absolute path */
	SOURCE_SPOOL = 1 /* ours; `name` is inside the folder */
};

struct source {
	/* Remembered. */
	uint32_t id; /* from 1 on, never used again */
	enum source_kind kind;
	uint64_t inode;
	uint32_t print_length;
	uint64_t print;
	int64_t end;   /* how far it was ever accepted */
	int64_t lines; /* up to there */
	bool verified; /* a fresh connection found them all */
	char *name;
	/* Of this run. */
	int fd;        /* -1: it is there no more, or another file has its name */
	int64_t limit; /* read up to here; a spool grows */
	int64_t acked; /* what the database holds, as the ledger knows; at most `end`, or unknown */
	bool complete; /* nothing will come behind the limit */
	bool cut;      /* of a line that is too long the database holds the beginning only */
};

struct sources {
	int folder;
	int lock;
	struct source *all;
	size_t count;
};

/* Opens the folder, makes it if need be, and reads what is remembered. False: says why. */
bool sources_open(struct sources *sources, const char *folder, struct why *why);
void sources_close(struct sources *sources);

/* Takes up a file; one that is remembered is recognised under a new name, too. False: says why,
 * and all else is as before. */
bool sources_add_file(struct sources *sources, const char *path, struct why *why);

/* Makes an empty spool. Returns its index, or -1 and says why. */
int sources_add_spool(struct sources *sources, struct why *why);

/* Opens what is remembered and was not added in this run. */
void sources_reopen(struct sources *sources);

/* Writes the memory to disk, all or nothing. False: says why. */
bool sources_save(const struct sources *sources, struct why *why);

/* Removes a spool if its lines are all in the database, whole, and verified. */
void sources_release(struct sources *sources, struct source *source);

#endif
