/* SPDX-License-Identifier: MIT
 *
 * scan.c - joins a file and its includes to one text, and refuses input that libconfig cannot
 * handle.
 *
 *	            "                        # or //              the text, with
 *	STRING <---------> PLAIN <---------------------> REMARK   the text of each
 *	            "        ^    end of line                     @include in its place
 *	                     |  slash and star, star and slash
 *	                     +------------------> BLOCK
 *
 * So libconfig opens no file itself: it would end the process if it could not read one. It also
 * never sees input that it misreads or that makes it recurse without bound: zero bytes, a string or
 * a comment that never ends, a number that is too large, unlimited depth or number of keys.
 *
 * Threads: as the config.
 */
#include "config/read/scan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ward/text.h>

#include "config/read/blocks.h"
#include "config/read/errors.h"
#include "config/read/read_file.h"
#include "config/read/reader.h"

enum { LEVELS_MAX = 10, HEX_DIGITS_MAX = 8, HEX64_DIGITS_MAX = 16 };

enum state { PLAIN, STRING, REMARK, BLOCK };

struct joiner {
	ward_config *config;
	struct wardi_config_text text;
	uint32_t line; /* of the joined text */
	size_t size;   /* read so far */
	uint32_t includes, levels, places_room;
	bool may_include;
	uint32_t depth;
	char opened[WARD_CONFIG_DEPTH_MAX + 1]; /* by which character; of the file itself: 0 */
	uint32_t opened_at[WARD_CONFIG_DEPTH_MAX + 1]; /* the lines */
	uint32_t entries[WARD_CONFIG_DEPTH_MAX + 1];
};

/* One file. */
struct input {
	const char *file;
	const char *at, *end;
	uint32_t line;
	enum state state;
	uint32_t state_line; /* where it began; of the joined text */
	bool line_begins;    /* nothing but blanks so far */
};

static bool join(struct joiner *joiner, const char *file, const char *bytes, size_t size);

/* ---- the joined text --------------------------------------------------------------------- */

static bool put(struct joiner *joiner, char c)
{
	struct wardi_config_text *text = &joiner->text;

	if (text->length + 1 >= text->room) {
		size_t room = text->room == 0 ? 4096 : 2 * text->room;
		char *bytes = realloc(text->bytes, room);

		if (bytes == NULL) {
			joiner->config->no_memory = true;
			return false;
		}
		text->bytes = bytes;
		text->room = room;
	}
	text->bytes[text->length++] = c;
	text->bytes[text->length] = '\0';
	if (c == '\n')
		joiner->line++;
	return true;
}

/* Notes that the lines from here on are lines of this file. */
static bool mark(struct joiner *joiner, const char *file, uint32_t first)
{
	ward_config *config = joiner->config;

	if (config->places_count == joiner->places_room) {
		uint32_t room = joiner->places_room == 0 ? 8 : 2 * joiner->places_room;
		struct wardi_config_place *more = wardi_config_make(config, room * sizeof *more);

		if (more == NULL)
			return false;
		if (config->places_count > 0)
			memcpy(more, config->places, config->places_count * sizeof *more);
		config->places = more;
		joiner->places_room = room;
	}
	config->places[config->places_count++] =
		(struct wardi_config_place){joiner->line, first, file};
	return true;
}

#define WRONG(joiner, ...)                                                                         \
	(wardi_config_wrong_at((joiner)->config, (joiner)->line, "", __VA_ARGS__), false)

/* ---- numbers ----------------------------------------------------------------------------- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_of_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' ||
	       c == '-' || c == '*' || c == '.';
}

static char peek(const struct input *input, size_t ahead)
{
	return ahead < (size_t)(input->end - input->at) ? input->at[ahead] : '\0';
}

/* Whether a digit here would be the first of a number: "5" or "-5", but not that of "a-5". */
static bool number_begins(const struct wardi_config_text *text)
{
	size_t at = text->length;

	if (at > 0 && (text->bytes[at - 1] == '-' || text->bytes[at - 1] == '+'))
		at--;
	return at == 0 || !is_of_name(text->bytes[at - 1]);
}

/* libconfig truncates a number that does not fit. */
static bool check_hex(struct joiner *joiner, const struct input *input)
{
	size_t digits = 0;

	while (is_hex(peek(input, 2 + digits)))
		digits++;
	if (digits > HEX64_DIGITS_MAX ||
	    (digits > HEX_DIGITS_MAX && peek(input, 2 + digits) != 'L'))
		return WRONG(joiner, "a number that is too large: hexadecimal numbers have at most "
				     "8 digits, or 16 and an L");
	return true;
}

/* A number that needs 64 bits gets the suffix L; without it, libconfig would truncate the
 * number. */
static bool put_number(struct joiner *joiner, struct input *input)
{
	size_t zeros = 0, digits = 0;
	char text[24] = "", next;
	long long value;

	if (input->at[0] == '0' && (peek(input, 1) == 'x' || peek(input, 1) == 'X'))
		return check_hex(joiner, input) && put(joiner, *input->at++);
	while (peek(input, zeros) == '0')
		zeros++;
	for (; is_digit(peek(input, zeros + digits)); digits++)
		if (digits < sizeof text - 1)
			text[digits] = peek(input, zeros + digits);
	next = peek(input, zeros + digits);
	if (next == '.' || next == 'e' || next == 'E')
		return put(joiner, *input->at++);
	errno = 0;
	value = strtoll(text, NULL, 10);
	if (errno != 0)
		return WRONG(joiner, "a number that is too large: %.*s...",
			     WARD_TEXT_FIT(text, 24));
	for (size_t left = zeros + digits; left > 0; left--)
		if (!put(joiner, *input->at++))
			return false;
	return value <= INT32_MAX || next == 'L' || put(joiner, 'L');
}

/* ---- includes ---------------------------------------------------------------------------- */

/* Returns "folder/name" for a name that is not absolute. */
static const char *beside(ward_config *config, const char *file, const char *name)
{
	const char *slash = strrchr(file, '/');
	size_t folder = slash == NULL ? 0 : (size_t)(slash - file) + 1;
	char *path;

	if (name[0] == '/' || folder == 0)
		return wardi_config_copy(config, name);
	path = wardi_config_make(config, folder + strlen(name) + 1);
	if (path == NULL)
		return NULL;
	memcpy(path, file, folder);
	memcpy(path + folder, name, strlen(name));
	return path;
}

static bool include(struct joiner *joiner, const char *path)
{
	size_t left = WARD_CONFIG_FILE_MAX - joiner->size;
	size_t size;
	char *bytes;
	bool good;
	ward_err err;

	if (!joiner->may_include)
		return WRONG(joiner, "@include works only in a file");
	if (++joiner->includes > WARD_CONFIG_INCLUDES_MAX)
		return WRONG(joiner, "more than %d files are included", WARD_CONFIG_INCLUDES_MAX);
	if (joiner->levels > LEVELS_MAX)
		return WRONG(joiner,
			     "\"%.*s\" is included %d files deep: perhaps a file includes itself",
			     WARD_TEXT_FIT(path, 200), LEVELS_MAX);
	err = wardi_config_read_file(path, left, &bytes, &size);
	if (err == WARD_ENOMEM)
		joiner->config->no_memory = true;
	if (err != WARD_OK)
		return WRONG(joiner, "@include: %s", ward_err_detail());
	good = join(joiner, path, bytes, size);
	free(bytes);
	return good;
}

/* Reads the name between the quotes. The input stands behind the first one. */
static bool read_name(struct joiner *joiner, struct input *input, char *name, size_t max)
{
	size_t length = 0;

	for (; input->at < input->end && *input->at != '"'; input->at++) {
		if (*input->at == '\\' && (peek(input, 1) == '"' || peek(input, 1) == '\\'))
			input->at++;
		if (*input->at == '\n' || *input->at == '\0' || length + 1 == max)
			return WRONG(joiner, "@include needs the name of a file: "
					     "@include \"other.conf\"");
		name[length++] = *input->at;
	}
	name[length] = '\0';
	if (input->at == input->end || length == 0)
		return WRONG(joiner, "@include needs the name of a file: @include \"other.conf\"");
	input->at++;
	return true;
}

static bool is_include(const struct input *input)
{
	static const char word[] = "@include";

	return input->line_begins && (size_t)(input->end - input->at) > sizeof word - 1 &&
	       memcmp(input->at, word, sizeof word - 1) == 0 &&
	       (input->at[sizeof word - 1] == ' ' || input->at[sizeof word - 1] == '\t');
}

static bool at_sign(struct joiner *joiner, struct input *input)
{
	char name[1024];
	const char *path;

	if (!is_include(input))
		return WRONG(joiner, "'@' stands only for @include \"other.conf\", at the "
				     "beginning of a line");
	input->at += sizeof "@include" - 1;
	while (peek(input, 0) == ' ' || peek(input, 0) == '\t')
		input->at++;
	if (peek(input, 0) != '"')
		return WRONG(joiner, "@include needs the name of a file: @include \"other.conf\"");
	input->at++;
	if (!read_name(joiner, input, name, sizeof name))
		return false;
	path = beside(joiner->config, input->file, name);
	input->line_begins = false;
	return path != NULL && include(joiner, path) && mark(joiner, input->file, input->line);
}

/* ---- characters -------------------------------------------------------------------------- */

static bool open_group(struct joiner *joiner, char c)
{
	if (joiner->depth == WARD_CONFIG_DEPTH_MAX)
		return WRONG(joiner, "groups and lists are nested more than %d deep",
			     WARD_CONFIG_DEPTH_MAX);
	joiner->depth++;
	joiner->opened[joiner->depth] = c;
	joiner->opened_at[joiner->depth] = joiner->line;
	joiner->entries[joiner->depth] = 0;
	return true;
}

static bool count_entry(struct joiner *joiner, char c)
{
	char opened = joiner->opened[joiner->depth];
	bool of_list = opened == '(' || opened == '[';

	if (of_list != (c == ','))
		return true;
	if (++joiner->entries[joiner->depth] > WARD_CONFIG_KEYS_MAX)
		return WRONG(joiner, "more than %d entries in one group or list",
			     WARD_CONFIG_KEYS_MAX);
	return true;
}

static void enter(struct joiner *joiner, struct input *input, enum state state)
{
	input->state = state;
	input->state_line = joiner->line;
}

static bool plain(struct joiner *joiner, struct input *input)
{
	char c = *input->at;

	if (c == '@')
		return at_sign(joiner, input);
	if (is_digit(c) && number_begins(&joiner->text))
		return put_number(joiner, input);
	if ((c == '{' || c == '(' || c == '[') && !open_group(joiner, c))
		return false;
	if ((c == '}' || c == ')' || c == ']') && joiner->depth > 0)
		joiner->depth--;
	if ((c == '=' || c == ':' || c == ',') && !count_entry(joiner, c))
		return false;
	if (c == '"')
		enter(joiner, input, STRING);
	else if (c == '#' || (c == '/' && peek(input, 1) == '/'))
		enter(joiner, input, REMARK);
	else if (c == '/' && peek(input, 1) == '*') {
		enter(joiner, input, BLOCK);
		input->at++; /* so that it is not taken for its end, too */
		if (!put(joiner, c))
			return false;
	}
	return put(joiner, *input->at++);
}

static bool string(struct joiner *joiner, struct input *input)
{
	if (*input->at == '\\' && (peek(input, 1) == '"' || peek(input, 1) == '\\')) {
		if (!put(joiner, *input->at++))
			return false;
	} else if (*input->at == '"') {
		input->state = PLAIN;
	}
	return put(joiner, *input->at++);
}

static bool block(struct joiner *joiner, struct input *input)
{
	if (*input->at == '*' && peek(input, 1) == '/') {
		input->state = PLAIN;
		if (!put(joiner, *input->at++))
			return false;
	}
	return put(joiner, *input->at++);
}

static bool step(struct joiner *joiner, struct input *input)
{
	char c = *input->at;
	bool good;

	if (c == '\0')
		return WRONG(joiner, "a zero byte: this is not a text file");
	if (input->state == REMARK && c == '\n')
		input->state = PLAIN;
	switch (input->state) {
	case STRING:
		good = string(joiner, input);
		break;
	case BLOCK:
		good = block(joiner, input);
		break;
	case PLAIN:
		good = plain(joiner, input);
		break;
	default:
		good = put(joiner, *input->at++);
	}
	if (c == '\n')
		input->line++;
	input->line_begins = c == '\n' || (input->line_begins && (c == ' ' || c == '\t'));
	return good;
}

static bool join(struct joiner *joiner, const char *file, const char *bytes, size_t size)
{
	struct input input = {
		.file = file, .at = bytes, .end = bytes + size, .line = 1, .line_begins = true};

	joiner->size += size;
	joiner->levels++;
	if (!mark(joiner, file, 1))
		return false;
	if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
		return WRONG(joiner, "a byte order mark: save the file as UTF-8 without one");
	while (input.at < input.end)
		if (!step(joiner, &input))
			return false;
	if (input.state == STRING || input.state == BLOCK) {
		joiner->line = input.state_line;
		return WRONG(joiner, "%s that does not end",
			     input.state == STRING ? "a string" : "a comment");
	}
	joiner->levels--;
	/* libconfig does not recognise a comment without an end of line. */
	return put(joiner, '\n');
}

bool wardi_config_join(ward_config *config, const char *text, size_t size, bool includes,
		       struct wardi_config_text *ret_text)
{
	struct joiner joiner = {.config = config, .line = 1, .may_include = includes};

	if (!join(&joiner, config->path, text, size)) {
		free(joiner.text.bytes);
		return false;
	}
	*ret_text = joiner.text;
	ret_text->last_line = joiner.line;
	ret_text->opened = joiner.opened[joiner.depth];
	ret_text->opened_at = joiner.opened_at[joiner.depth];
	return true;
}
