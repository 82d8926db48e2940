/* SPDX-License-Identifier: MIT
 *
 * store_inside.h - what the files of the store share.
 */
#ifndef SINK_STORE_INSIDE_H
#define SINK_STORE_INSIDE_H

#include <sqlite3.h>

#include "store.h"

enum {
	STORE_APPLICATION = 0x57415244 /* "WARD", in the header of the database */
};

enum store_statement {
	PUT_LINE,
	PUT_QUARANTINE,
	DROP_SHORTER_LINE,
	DROP_SHORTER_QUARANTINE,
	NAME_SOURCE,
	STATEMENTS
};

struct store {
	sqlite3 *db;
	sqlite3_stmt *statements[STATEMENTS];
	bool in_transaction;
};

/* Turns a result of SQLite into ours, with its text. */
enum store_result store_judge(sqlite3 *db, int code, const char *doing, struct why *why);

/* The application id of a database; 0: it has none, or cannot be read. */
int store_application(sqlite3 *db);

/* The sum of a row, over all but the sum itself. */
uint64_t store_sum(const struct store_row *row);

/* How many fields a row of this table has. */
static inline int store_fields(enum store_table table)
{
	return table == STORE_LINES ? 6 : 2;
}

#endif
