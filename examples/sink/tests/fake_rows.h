/* SPDX-License-Identifier: MIT
 *
 * fake_rows.h - the rows of a fake database, in order, with the meaning that store_put() has.
 */
#ifndef SINK_TESTS_FAKE_ROWS_H
#define SINK_TESTS_FAKE_ROWS_H

#include "../store.h"

/* A row with fields of its own. */
struct fake_row {
	struct store_row row;
	char *bytes; /* of all fields, one behind the other */
	bool harmed; /* its sum no longer matches */
};

/* Sorted by source and offset. All zero is none. */
struct fake_rows {
	struct fake_row *all;
	size_t count, room;
};

void fake_rows_finish(struct fake_rows *rows);
/* Appends a copy, in the order of the calls. */
void fake_rows_append(struct fake_rows *rows, const struct store_row *row);
/* Stores a row unless it is there; a longer one replaces a shorter one, in either table. */
void fake_rows_put(struct fake_rows *rows, const struct store_row *row);
/* Drops all rows from this index on. */
void fake_rows_cut(struct fake_rows *rows, size_t count);
/* Drops the one at this index. */
void fake_rows_drop(struct fake_rows *rows, size_t index);

#endif
