/* SPDX-License-Identifier: MIT
 *
 * sim_input.c - input and verdicts of a simulated run; see sim_input.h.
 *
 * The lines are those of a dpkg.log and of a list of packages, see samples.h. The verdicts are
 * found by other means than the sink's: bytes between newlines, one line after the other.
 */
#include "sim_input.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <ward/testkit.h>

#include "../format.h"
#include "samples.h"

static const char poison[] = "(ward-sink: poison)";

/* ---- writing ----------------------------------------------------------------------------- */

/* A line with something wrong about it. */
static void write_bad(FILE *file, struct dice *dice, const char *line)
{
	switch (dice_roll(dice, 5)) {
	case 0: /* no such month */
		fprintf(file, "2025-13-24 14:36:25 status installed %s", line);
		break;
	case 1:
		fprintf(file, "%s %s", line, poison);
		break;
	case 2:
		fputs(line, file);
		fputc('\0', file);
		break;
	case 3: /* too long */
		for (int i = 0; i < 1 + SIM_LINE_MAX / 8; i++)
			fprintf(file, "%.8s%-8d", line, i);
		break;
	default: /* an empty one is a line, too */
		break;
	}
}

void sim_input_write(FILE *file, struct dice *dice, uint32_t lines, bool ended)
{
	for (uint32_t i = 0; i < lines; i++) {
		const char *line = samples[dice_roll(dice, SAMPLES)];
		if (dice_roll(dice, 8) == 0)
			write_bad(file, dice, line);
		else
			fputs(line, file);
		if (i + 1 < lines || ended)
			fputc('\n', file);
	}
	ward_assert_eq(fflush(file), 0);
}

/* ---- keeping ----------------------------------------------------------------------------- */

static void keep_one(struct sim_keep *keep, const struct source *source, bool as_looked)
{
	struct stat status;
	struct sim_kept *kept = (struct sim_kept *)sim_keep_find(keep, source->id);
	if (!kept) {
		ward_assert(keep->count < SIM_KEPT_MAX);
		kept = &keep->all[keep->count++];
		*kept = (struct sim_kept){.id = source->id};
	}
	ward_assert_eq(fstat(source->fd, &status), 0);
	free(kept->bytes);
	/* A restarted ledger may not know of everything that is stored. */
	int64_t looked = source->limit > source->acked ? source->limit : source->acked;
	kept->length = (size_t)(as_looked ? looked : status.st_size);
	kept->bytes = malloc(kept->length + 1);
	ward_assert(kept->bytes != NULL);
	ward_assert_eq(pread(source->fd, kept->bytes, kept->length, 0), kept->length);
}

void sim_keep_take(struct sim_keep *keep, const struct sources *sources, int looked_at)
{
	for (size_t i = 0; i < sources->count; i++)
		if (sources->all[i].fd >= 0)
			keep_one(keep, &sources->all[i], (int)i == looked_at);
}

void sim_keep_finish(struct sim_keep *keep)
{
	while (keep->count > 0)
		free(keep->all[--keep->count].bytes);
}

const struct sim_kept *sim_keep_find(const struct sim_keep *keep, uint32_t id)
{
	for (size_t i = 0; i < keep->count; i++)
		if (keep->all[i].id == id)
			return &keep->all[i];
	return NULL;
}

/* ---- verdicts ---------------------------------------------------------------------------- */

/* Why a line belongs into quarantine; "": it does not. */
static const char *reason_of(const char *line, size_t length, struct parsed *parsed)
{
	if (length > SIM_LINE_MAX)
		return "longer than --line-max; only its beginning is kept";
	if (memmem(line, length, poison, strlen(poison)))
		return "it killed its parser";
	if (memchr(line, '\0', length))
		return "a NUL byte";
	format_parse(line, length, parsed);
	return parsed->problem;
}

static void check_field(const struct store_field *field, const char *bytes, size_t length)
{
	ward_assert_eq(field->length, length);
	ward_assert(memcmp(field->bytes, bytes, length) == 0);
}

static void check_row(const struct store_row *row, const char *line, size_t length, bool ended)
{
	struct parsed parsed = {0};
	const char *reason = reason_of(line, length, &parsed);
	size_t kept = length > SIM_LINE_MAX ? SIM_LINE_MAX : length;
	ward_assert_eq(row->span, length + ended);
	ward_assert_eq(row->table, reason[0] ? STORE_QUARANTINE : STORE_LINES);
	if (reason[0]) {
		check_field(&row->fields[QUARANTINE_REASON], reason, strlen(reason));
		check_field(&row->fields[QUARANTINE_LINE], line, kept);
	} else {
		check_field(&row->fields[LINES_LINE], line, kept);
		check_field(&row->fields[LINES_TIME], parsed.time, strlen(parsed.time));
	}
}

void sim_keep_check(const struct sim_keep *keep, struct store *store, uint32_t id)
{
	const struct sim_kept *kept = sim_keep_find(keep, id);
	struct store_walk *walk;
	struct store_row row;
	struct why why;
	ward_assert(kept != NULL);
	ward_assert_eq(store_walk_begin(store, id, &walk, &why), STORE_OK);
	for (size_t at = 0; at < kept->length;) {
		const char *line = kept->bytes + at;
		const char *end = memchr(line, '\n', kept->length - at);
		size_t length = end ? (size_t)(end - line) : kept->length - at;
		if (store_walk_next(walk, &row, &why) != STORE_OK)
			ward_test_fail(__FILE__, __LINE__, "source %u: no row at %zu of %zu", id,
				       at, kept->length);
		ward_assert_eq(row.offset, at);
		check_row(&row, line, length, end != NULL);
		at += length + (end != NULL);
	}
	ward_assert_eq(store_walk_next(walk, &row, &why), STORE_END);
	store_walk_end(walk);
}
