/* SPDX-License-Identifier: MIT
 *
 * fake_rows.c - a sorted array of rows; see fake_rows.h.
 */
#include "fake_rows.h"

#include <stdlib.h>
#include <string.h>
#include <ward/testkit.h>

static struct fake_row copy_of(const struct store_row *row)
{
	size_t length = 0;
	for (int i = 0; i < ROW_FIELDS; i++)
		length += row->fields[i].length;
	struct fake_row copy = {.row = *row, .bytes = malloc(length + 1)};
	ward_assert(copy.bytes != NULL);
	char *at = copy.bytes;
	for (int i = 0; i < ROW_FIELDS; i++) {
		if (row->fields[i].length > 0)
			memcpy(at, row->fields[i].bytes, row->fields[i].length);
		copy.row.fields[i].bytes = at;
		at += row->fields[i].length;
	}
	return copy;
}

static void insert(struct fake_rows *rows, size_t index, const struct store_row *row)
{
	if (rows->count == rows->room) {
		rows->room = rows->room ? 2 * rows->room : 64;
		rows->all = realloc(rows->all, rows->room * sizeof(*rows->all));
		ward_assert(rows->all != NULL);
	}
	memmove(rows->all + index + 1, rows->all + index,
		(rows->count - index) * sizeof(*rows->all));
	rows->all[index] = copy_of(row);
	rows->count++;
}

void fake_rows_cut(struct fake_rows *rows, size_t count)
{
	while (rows->count > count)
		free(rows->all[--rows->count].bytes);
}

void fake_rows_drop(struct fake_rows *rows, size_t index)
{
	free(rows->all[index].bytes);
	rows->count--;
	memmove(rows->all + index, rows->all + index + 1,
		(rows->count - index) * sizeof(*rows->all));
}

void fake_rows_finish(struct fake_rows *rows)
{
	fake_rows_cut(rows, 0);
	free(rows->all);
	*rows = (struct fake_rows){0};
}

void fake_rows_append(struct fake_rows *rows, const struct store_row *row)
{
	insert(rows, rows->count, row);
}

static bool is_before(const struct store_row *a, const struct store_row *b)
{
	return a->source != b->source ? a->source < b->source : a->offset < b->offset;
}

void fake_rows_put(struct fake_rows *rows, const struct store_row *row)
{
	size_t at = 0;
	while (at < rows->count && is_before(&rows->all[at].row, row))
		at++;
	/* A place is in one of the tables only; there, a longer one wins. */
	if (at < rows->count && !is_before(row, &rows->all[at].row)) {
		if (rows->all[at].row.span >= row->span)
			return;
		fake_rows_drop(rows, at);
	}
	insert(rows, at, row);
}
