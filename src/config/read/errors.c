/* SPDX-License-Identifier: MIT
 *
 * errors.c - errors in a file: file, line, key, and what would be right.
 *
 * All errors of a file are reported, up to a limit; the first becomes the detail of the call. Line
 * numbers are those of the joined text until the report translates them.
 *
 * Threads: as the config.
 */
#include "config/read/errors.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <ward/extend.h>
#include <ward/text.h>

#include "config/read/reader.h"

/* ---- where ------------------------------------------------------------------------------- */

const char *wardi_config_where(const ward_config *config, uint32_t line, uint32_t *ret_line)
{
	const struct wardi_config_place *place = NULL;

	for (uint32_t i = 0; i < config->places_count && config->places[i].from <= line; i++)
		place = &config->places[i];
	if (line == 0 || place == NULL) {
		*ret_line = 0;
		return config->path;
	}
	*ret_line = line - place->from + place->first;
	return place->file;
}

/* Puts a piece before the part already at the end of the text. Returns whether it fitted. */
static bool put_before(char *text, size_t *at, const char *piece)
{
	size_t length = strlen(piece);

	if (length > *at)
		return false;
	*at -= length;
	memcpy(text + *at, piece, length);
	return true;
}

/* A key that is too long loses its beginning. */
void wardi_config_key(const config_setting_t *at, const char *below, char *text, size_t max)
{
	size_t begin = max - 1;
	bool fits = true;

	text[begin] = '\0';
	if (below != NULL)
		fits = put_before(text, &begin, below);
	for (; fits && at != NULL && !config_setting_is_root(at); at = config_setting_parent(at)) {
		const char *name = config_setting_name(at);
		char number[16];

		if (begin < max - 1 && text[begin] != '[')
			fits = put_before(text, &begin, ".");
		if (name == NULL)
			snprintf(number, sizeof number, "[%d]", config_setting_index(at));
		fits = fits && put_before(text, &begin, name != NULL ? name : number);
	}
	memmove(text, text + begin, max - begin);
}

/* ---- telling ----------------------------------------------------------------------------- */

static void tell(ward_config *config, uint32_t line, const char *key, const char *text)
{
	char full[WARDI_CONFIG_TEXT + WARDI_CONFIG_KEY + 512];
	ward_config_error error = {.key = key, .text = text, .full = full};
	const char *between = key[0] != '\0' ? ": " : "";

	error.file = wardi_config_where(config, line, &error.line);
	if (error.line != 0)
		ward_text_format(full, sizeof full, "%.*s:%u: %s%s%s",
				 WARD_TEXT_FIT(error.file, 400), error.line, key, between, text);
	else
		ward_text_format(full, sizeof full, "%.*s: %s%s%s", WARD_TEXT_FIT(error.file, 400),
				 key, between, text);
	if (config->errors == 1)
		ward_text_line(config->first, sizeof config->first, full, WARD_TEXT_ALL);
	if (config->listener != NULL && config->listener->error != NULL)
		config->listener->error(config->listener->arg, &error);
}

static void tell_list(ward_config *config, uint32_t line, const char *key, const char *format,
		      va_list list)
{
	char text[WARDI_CONFIG_TEXT];

	if (config->no_memory)
		return; /* what is missing now may be there */
	if (config->errors < UINT32_MAX)
		config->errors++;
	if (config->errors > WARD_CONFIG_ERRORS_MAX)
		return;
	ward_text_vformat(text, sizeof text, format, list);
	tell(config, line, key, text);
	if (config->errors == WARD_CONFIG_ERRORS_MAX)
		tell(config, 0, "", "too many errors: there may be more");
}

void wardi_config_wrong_at(ward_config *config, uint32_t line, const char *key, const char *text,
			   ...)
{
	va_list list;

	va_start(list, text);
	tell_list(config, line, key, text, list);
	va_end(list);
}

/* The setting that a key below a group names; the group itself, if it is missing there. */
static const config_setting_t *below_of(const config_setting_t *at, const char *below)
{
	const config_setting_t *setting = NULL;

	if (at != NULL && below != NULL)
		setting = config_setting_get_member(at, below);
	return setting != NULL ? setting : at;
}

void wardi_config_wrong(ward_config *config, const config_setting_t *at, const char *below,
			const char *text, ...)
{
	const config_setting_t *setting = below_of(at, below);
	char key[WARDI_CONFIG_KEY];
	va_list list;

	wardi_config_key(at, below, key, sizeof key);
	va_start(list, text);
	tell_list(config, setting == NULL ? 0 : config_setting_source_line(setting), key, text,
		  list);
	va_end(list);
}

void wardi_config_listen(ward_config *config, const ward_config_listener *listener)
{
	config->listener = listener;
	config->errors = 0;
	config->no_memory = false;
	config->first[0] = '\0';
}

ward_err wardi_config_verdict(ward_config *config)
{
	config->listener = NULL;
	if (config->no_memory)
		return ward_refused(WARD_ENOMEM, "%s: not enough memory to read it", config->path);
	if (config->errors == 0)
		return WARD_OK;
	if (config->errors == 1)
		return ward_refused(WARD_EINVAL, "%s", config->first);
	return ward_refused(WARD_EINVAL, "%.*s (and %u more)", WARD_TEXT_FIT(config->first, 460),
			    config->errors - 1);
}
