/* SPDX-License-Identifier: MIT
 *
 * audit.c - holds the database against the input; see audit.h.
 *
 * Input and rows of a source come in the same order, so one pass over both is enough, in memory
 * that does not grow.
 */
#include "audit.h"

#include <errno.h>
#include <string.h>

#include "digest.h"
#include "lines.h"

/* The rows of one source, one ahead. */
struct rows {
	struct store_walk *walk;
	struct store_row row;
	enum store_result result; /* STORE_OK: `row` is one */
};

static void next_row(struct rows *rows, struct why *why)
{
	rows->result = store_walk_next(rows->walk, &rows->row, why);
}

/* Whether the row says what the line says. It may have been cut, then or now, at another length. */
static bool agrees(const struct store_row *row, const struct input_line *line)
{
	const struct store_field *text =
		&row->fields[row->table == STORE_LINES ? LINES_LINE : QUARANTINE_LINE];
	if (row->span != line->span || row->digest != line->digest)
		return false;
	if ((int64_t)text->length + row->ended == row->span)
		return digest_bytes(DIGEST_START, text->bytes, text->length) == line->digest;
	size_t common = text->length < line->length ? text->length : line->length;
	return common == 0 || memcmp(text->bytes, line->text, common) == 0;
}

static void count_row(struct audit *audit, enum store_table table)
{
	if (table == STORE_LINES)
		audit->stored++;
	else
		audit->quarantined++;
}

/* Meets one line of the input with its rows. */
static void meet(struct rows *rows, const struct input_line *line, struct audit *audit,
		 struct why *why)
{
	for (; rows->result == STORE_OK && rows->row.offset < line->offset; next_row(rows, why))
		audit->duplicated++;
	if (rows->result != STORE_OK || rows->row.offset > line->offset) {
		audit->lost++;
		return;
	}
	if (agrees(&rows->row, line))
		count_row(audit, rows->row.table);
	else
		audit->lost++;
	next_row(rows, why);
	for (; rows->result == STORE_OK && rows->row.offset == line->offset; next_row(rows, why))
		audit->duplicated++;
}

/* A source that can be read again. */
static enum store_result compare(struct source *source, struct lines *lines, struct rows *rows,
				 struct audit *audit, struct why *why)
{
	struct input_line line;
	enum lines_result result;
	int64_t read = 0;

	lines_turn(lines, source->fd, 0, source->acked, true);
	while ((result = lines_next(lines, &line)) == LINES_OK) {
		read++;
		source->cut |= line.cut;
		meet(rows, &line, audit, why);
	}
	if (lines->head < source->acked) {
		why_not(why, "%s: cannot be read again: %s", source->name,
			result == LINES_ERROR ? strerror(errno) : "it was cut");
		return STORE_FAILED;
	}
	for (; rows->result == STORE_OK && rows->row.offset < source->acked; next_row(rows, why))
		audit->duplicated++;
	audit->read += read;
	if (source->acked >= source->end)
		source->lines = read;
	return rows->result == STORE_END ? STORE_OK : rows->result;
}

/* A source that is gone: its rows must follow one another without gap or overlap. In each gap one
 * line is missing at least; how many exactly, only an earlier count can tell. */
static enum store_result count(struct source *source, struct rows *rows, struct audit *audit,
			       struct why *why)
{
	int64_t at = 0, found = 0, gaps = 0;
	for (; rows->result == STORE_OK && rows->row.offset < source->end; next_row(rows, why)) {
		if (rows->row.offset < at) {
			audit->duplicated++;
			continue;
		}
		gaps += rows->row.offset > at;
		count_row(audit, rows->row.table);
		found++;
		at = rows->row.offset + rows->row.span;
	}
	gaps += at < source->end;
	if (source->lines < found + gaps)
		source->lines = found + gaps;
	audit->read += source->lines;
	audit->lost += source->lines - found;
	return rows->result == STORE_END ? STORE_OK : rows->result;
}

/* Walks over the rows of the source, beside its input if `lines` is given. */
static enum store_result walk(struct store *store, struct source *source, struct lines *lines,
			      struct audit *audit, struct why *why)
{
	struct rows rows;
	enum store_result result = store_walk_begin(store, source->id, &rows.walk, why);
	if (result != STORE_OK)
		return result;
	next_row(&rows, why);
	result = lines ? compare(source, lines, &rows, audit, why)
		       : count(source, &rows, audit, why);
	store_walk_end(rows.walk);
	return result;
}

static enum store_result audit_source(struct store *store, struct source *source,
				      struct lines *lines, struct audit *audit, struct why *why)
{
	struct audit before = *audit;
	enum store_result result = STORE_FAILED;
	if (source->fd >= 0)
		result = walk(store, source, lines, audit, why);
	if (result == STORE_FAILED) { /* the input cannot be read, or no longer */
		*audit = before;
		result = walk(store, source, NULL, audit, why);
	}
	source->verified = source->acked >= source->limit && source->acked >= source->end &&
			   source->complete && audit->lost == before.lost &&
			   audit->duplicated == before.duplicated;
	return result;
}

/* What the ledger did not come to know is as much as is there now. */
static void note_mark(void *arg, const struct store_mark *mark)
{
	struct sources *sources = arg;
	for (size_t i = 0; i < sources->count; i++) {
		struct source *source = &sources->all[i];
		bool grew = mark->tail >= 0 && source->limit > mark->end;
		if (source->id != mark->source || source->acked != SOURCE_UNKNOWN)
			continue;
		source->acked = grew ? mark->tail : mark->end;
		if (source->end < source->acked)
			source->end = source->acked;
	}
}

static void note_no_mark(struct sources *sources)
{
	for (size_t i = 0; i < sources->count; i++)
		if (sources->all[i].acked == SOURCE_UNKNOWN)
			sources->all[i].acked = 0;
}

enum store_result audit_run(const char *path, struct sources *sources, size_t line_max,
			    struct audit *ret_audit, struct why *why)
{
	struct store *store;
	struct lines lines;

	memset(ret_audit, 0, sizeof(*ret_audit));
	if (!lines_init(&lines, line_max)) {
		why_not(why, "counting: out of memory");
		return STORE_FAILED;
	}
	enum store_result result = store_open_to_read(path, &store, why);
	if (result == STORE_OK) {
		result = store_check(store, note_mark, sources, why);
		note_no_mark(sources);
		for (size_t i = 0; i < sources->count && result == STORE_OK; i++)
			result = audit_source(store, &sources->all[i], &lines, ret_audit, why);
		store_close(store);
	}
	lines_finish(&lines);
	return result;
}
