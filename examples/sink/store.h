/* SPDX-License-Identifier: MIT
 *
 * store.h - the database: rows in, rows out, and whether what is there is sound.
 *
 * Two tables, `lines` and `quarantine`, keyed by source and offset, so that storing a row twice
 * leaves one. Each row carries a sum of itself; together with SQLite's own check of its trees,
 * that finds any byte that somebody changed under us.
 */
#ifndef SINK_STORE_H
#define SINK_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "why.h"

/* What a call answers; all but STORE_OK come with a text. */
enum store_result {
	STORE_OK,
	STORE_END,       /* store_walk_next: no more rows */
	STORE_LOCKED,    /* another process holds the lock: wait */
	STORE_DAMAGED,   /* it is not what was written: set it aside */
	STORE_DISPLACED, /* it is not where it was: wait until it is back */
	STORE_FULL,      /* there is no room: make some, or wait */
	STORE_FAILED     /* anything else */
};

enum store_table { STORE_LINES = 0, STORE_QUARANTINE = 1 };

struct store_field {
	const char *bytes;
	size_t length;
};

enum {
	ROW_FIELDS = 6,
	/* The fields of a row of `lines`. */
	LINES_FORMAT = 0,
	LINES_TIME = 1,
	LINES_SUBJECT = 2,
	LINES_ACTION = 3,
	LINES_DETAIL = 4,
	LINES_LINE = 5,
	/* The fields of a row of `quarantine`. */
	QUARANTINE_REASON = 0,
	QUARANTINE_LINE = 1
};

struct store_row {
	enum store_table table;
	uint32_t source;
	int64_t offset, span; /* as in struct input_line */
	bool ended;
	uint64_t digest; /* of the line as it was read */
	struct store_field fields[ROW_FIELDS];
};

/* A connection. One thread at a time. */
struct store;

/* Opens the database, makes it if need be. Returns *ret_store on STORE_OK; end it with
 * store_close(). */
enum store_result store_open(const char *path, struct store **ret_store, struct why *why);
/* The same for a look only: makes nothing, and does not mind if the lock is held elsewhere. */
enum store_result store_open_to_read(const char *path, struct store **ret_store, struct why *why);
/* NULL is fine. What is not committed is forgotten. */
void store_close(struct store *store);

/* Stores a row, unless it is there; a longer one replaces a shorter one, which then was a line that
 * had no end yet. Begins a transaction if none is open. */
enum store_result store_put(struct store *store, const struct store_row *row, struct why *why);
/* Makes what was put durable, and makes sure that it is where the path says. */
enum store_result store_commit(struct store *store, struct why *why);
void store_rollback(struct store *store);

/* Writes names beside the ids of sources, for those who read the database. */
enum store_result store_name_source(struct store *store, uint32_t id, const char *name,
				    struct why *why);

/* Lets the database grow by no page more; relax takes that back. */
enum store_result store_squeeze(struct store *store, struct why *why);
enum store_result store_relax(struct store *store, struct why *why);

/* ---- reading back (store_walk.c) --------------------------------------------------------- */

/* All rows of one source, or of all (0), by source and offset, through both tables. */
struct store_walk;
enum store_result store_walk_begin(struct store *store, uint32_t source,
				   struct store_walk **ret_walk, struct why *why);
/* The same for one source, from its end to its beginning. */
enum store_result store_walk_back(struct store *store, uint32_t source,
				  struct store_walk **ret_walk, struct why *why);
/* The fields are borrowed until the next call. STORE_DAMAGED: a row whose sum is not its own. */
enum store_result store_walk_next(struct store_walk *walk, struct store_row *ret_row,
				  struct why *why);
void store_walk_end(struct store_walk *walk);

/* How far a source is in the database without a gap. */
struct store_mark {
	uint32_t source;
	int64_t end;
	int64_t tail; /* where the last line begins if it has no end yet; else -1 */
};

/* Checks trees and rows, and tells the marks of all sources. */
enum store_result store_check(struct store *store,
			      void (*each)(void *arg, const struct store_mark *mark), void *arg,
			      struct why *why);

/* ---- the files (store_files.c) ----------------------------------------------------------- */

/* Moves a damaged database with its log aside, next to where it was, and keeps it there. Says in
 * `why` under which name, or why not. */
bool store_set_aside(const char *path, struct why *why);

/* Returns the name of the newest database that was set aside, or of the next older one after
 * `than`; NULL: there is none. The caller frees it. */
char *store_aside(const char *path, const char *than);

/* Returns true if the file is free for a new database: absent, empty, or a database of ours. */
bool store_is_ours(const char *path, struct why *why);

#endif
