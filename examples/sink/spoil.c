/* SPDX-License-Identifier: MIT
 *
 * spoil.c - damages a copy of a line; see spoil.h.
 */
#include "spoil.h"

#include <errno.h>
#include <string.h>

#include "format.h"
#include "lines.h"
#include "spool.h"

enum {
	SPOILED_MAX = 1000 /* bytes of a line that are copied */
};

/* Copies a line to `text`. Returns its length; 0 when there is no input yet. */
static size_t copy_line(const struct sources *sources, int spool_index, size_t nth, char *text)
{
	struct lines lines;
	struct input_line line;
	size_t length = 0;
	if (!lines_init(&lines, SPOILED_MAX))
		return 0;
	for (size_t i = 0; i < sources->count && length == 0; i++) {
		const struct source *source = &sources->all[i];
		if ((int)i == spool_index || source->fd < 0)
			continue;
		lines_turn(&lines, source->fd, 0, INT64_MAX, true);
		for (size_t n = 0; n <= nth && lines_next(&lines, &line) == LINES_OK; n++) {
			length = line.length < SPOILED_MAX ? line.length : SPOILED_MAX;
			memcpy(text, line.text, length);
		}
	}
	lines_finish(&lines);
	return length;
}

/* Makes the line impossible in its format; a text gets a NUL byte. Returns the new length. */
static size_t damage(char *text, size_t length)
{
	struct parsed parsed;
	format_parse(text, length, &parsed);
	char *bracket = memchr(text, '[', length);
	if (parsed.format == FORMAT_DPKG) {
		memcpy(text + strlen("2026-"), "13", 2);
	} else if (parsed.format == FORMAT_WEB && bracket) {
		memcpy(bracket + 1, "32", 2);
	} else if (length == 0) {
		text[length++] = '\0';
	} else {
		text[length / 2] = '\0';
	}
	return length;
}

bool spoil_line(const struct sources *sources, int spool_index, const char *poison, size_t nth,
		int64_t *ret_size, struct why *why)
{
	char text[2 * SPOILED_MAX];
	struct spool spool;
	size_t length = copy_line(sources, spool_index, nth, text);
	if (!poison) {
		length = damage(text, length);
	} else {
		size_t more = strnlen(poison, SPOILED_MAX - 2);
		text[length++] = ' ';
		memcpy(text + length, poison, more);
		length += more;
	}
	text[length++] = '\n';
	if (!spool_init(&spool, sources->all[spool_index].fd, text, sizeof(text)))
		return why_not(why, "the spool of chaos: %s", strerror(errno));
	spool.end = length;
	if (!spool_flush(&spool))
		return why_not(why, "the spool of chaos: %s", strerror(errno));
	*ret_size = spool.size;
	return true;
}
