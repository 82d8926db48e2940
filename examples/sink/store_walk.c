/* SPDX-License-Identifier: MIT
 *
 * store_walk.c - reading the database back, row by row, and judging it; see store.h.
 */
#include <stdlib.h>
#include <string.h>

#include "store_inside.h"

struct store_walk {
	sqlite3 *db;
	sqlite3_stmt *statement;
};

/* Both tables are in this order already, so SQLite merges them without sorting. */
#define WALK(where, order)                                                                         \
	"SELECT 0, source, offset, span, ended, digest, sum, format, time, subject, action,"       \
	" detail, line FROM lines " where " UNION ALL "                                            \
	"SELECT 1, source, offset, span, ended, digest, sum, reason, line, NULL, NULL, NULL, NULL" \
	" FROM quarantine " where " ORDER BY " order

static enum store_result begin(struct store *store, const char *sql, uint32_t source,
			       struct store_walk **ret_walk, struct why *why)
{
	struct store_walk *walk = calloc(1, sizeof(*walk));
	if (!walk) {
		why_not(why, "reading: out of memory");
		return STORE_FAILED;
	}
	walk->db = store->db;
	int code = sqlite3_prepare_v2(store->db, sql, -1, &walk->statement, NULL);
	if (code != SQLITE_OK) {
		free(walk);
		return store_judge(store->db, code, "reading", why);
	}
	if (source)
		sqlite3_bind_int64(walk->statement, 1, source);
	*ret_walk = walk;
	return STORE_OK;
}

enum store_result store_walk_begin(struct store *store, uint32_t source,
				   struct store_walk **ret_walk, struct why *why)
{
	return begin(store, source ? WALK("WHERE source=?1", "2, 3") : WALK("", "2, 3"), source,
		     ret_walk, why);
}

enum store_result store_walk_back(struct store *store, uint32_t source,
				  struct store_walk **ret_walk, struct why *why)
{
	return begin(store, WALK("WHERE source=?1", "2 DESC, 3 DESC"), source, ret_walk, why);
}

enum store_result store_walk_next(struct store_walk *walk, struct store_row *ret_row,
				  struct why *why)
{
	sqlite3_stmt *row = walk->statement;
	int code = sqlite3_step(row);
	if (code == SQLITE_DONE)
		return STORE_END;
	if (code != SQLITE_ROW)
		return store_judge(walk->db, code, "reading", why);
	*ret_row = (struct store_row){
		.table = sqlite3_column_int(row, 0) == 0 ? STORE_LINES : STORE_QUARANTINE,
		.source = (uint32_t)sqlite3_column_int64(row, 1),
		.offset = sqlite3_column_int64(row, 2),
		.span = sqlite3_column_int64(row, 3),
		.ended = sqlite3_column_int(row, 4) != 0,
		.digest = (uint64_t)sqlite3_column_int64(row, 5),
	};
	for (int i = 0; i < store_fields(ret_row->table); i++) {
		/* The blob first, then its size: in this order SQLite converts nothing between. */
		const void *bytes = sqlite3_column_blob(row, 7 + i);
		ret_row->fields[i] =
			(struct store_field){bytes, (size_t)sqlite3_column_bytes(row, 7 + i)};
	}
	if (store_sum(ret_row) != (uint64_t)sqlite3_column_int64(row, 6)) {
		why_not(why, "the row of source %u at %lld is not what was written",
			ret_row->source, (long long)ret_row->offset);
		return STORE_DAMAGED;
	}
	return STORE_OK;
}

void store_walk_end(struct store_walk *walk)
{
	if (!walk)
		return;
	sqlite3_finalize(walk->statement);
	free(walk);
}

/* ---- judging ----------------------------------------------------------------------------- */

static enum store_result check_trees(struct store *store, struct why *why)
{
	sqlite3_stmt *check;
	int code = sqlite3_prepare_v2(store->db, "PRAGMA integrity_check(1)", -1, &check, NULL);
	if (code != SQLITE_OK)
		return store_judge(store->db, code, "checking", why);
	enum store_result result = STORE_OK;
	code = sqlite3_step(check);
	const char *verdict = NULL;
	if (code == SQLITE_ROW)
		verdict = (const char *)sqlite3_column_text(check, 0);
	else
		result = store_judge(store->db, code, "checking", why);
	if (verdict && strcmp(verdict, "ok") != 0) {
		/* A heading may stand in a line of its own before the finding. */
		const char *newline = strchr(verdict, '\n');
		why_not(why, "checking: %s", newline ? newline + 1 : verdict);
		result = STORE_DAMAGED;
	}
	sqlite3_finalize(check);
	return result;
}

/* Lengthens the mark by the row if it goes on where the mark ends. */
static void stretch(struct store_mark *mark, const struct store_row *row)
{
	if (row->offset != mark->end)
		return;
	mark->end += row->span;
	mark->tail = row->ended ? -1 : row->offset;
}

static enum store_result check_rows(struct store *store,
				    void (*each)(void *arg, const struct store_mark *mark),
				    void *arg, struct why *why)
{
	struct store_walk *walk;
	struct store_row row;
	struct store_mark mark = {.source = 0};
	enum store_result result = store_walk_begin(store, 0, &walk, why);
	if (result != STORE_OK)
		return result;
	while ((result = store_walk_next(walk, &row, why)) == STORE_OK) {
		if (row.source != mark.source) {
			if (mark.source != 0)
				each(arg, &mark);
			mark = (struct store_mark){.source = row.source, .tail = -1};
		}
		stretch(&mark, &row);
	}
	if (result == STORE_END && mark.source != 0)
		each(arg, &mark);
	store_walk_end(walk);
	return result == STORE_END ? STORE_OK : result;
}

enum store_result store_check(struct store *store,
			      void (*each)(void *arg, const struct store_mark *mark), void *arg,
			      struct why *why)
{
	enum store_result result = check_trees(store, why);
	return result == STORE_OK ? check_rows(store, each, arg, why) : result;
}
