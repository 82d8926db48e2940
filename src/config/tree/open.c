/* SPDX-License-Identifier: MIT
 *
 * open.c - opens a file: joins its text, has libconfig parse it, and reads the list `modules`.
 *
 * libconfig reports only the first syntax error, and not the word, so the report quotes the line.
 * Without memory libconfig ends the process, or uses memory that it did not get.
 *
 * Threads: as the config.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <ward/extend.h>
#include <ward/text.h>

#include "common/uncancelled.h"
#include "config/groups/log_group.h"
#include "config/read/blocks.h"
#include "config/read/errors.h"
#include "config/read/read_file.h"
#include "config/read/reader.h"
#include "config/read/scan.h"

enum { QUOTED_MAX = 60 };

/* ---- writing ----------------------------------------------------------------------------- */

/* Returns how long a line of the text is, without blanks around it. */
static int line_of(const char *text, int number, const char **ret_line)
{
	const char *end;

	for (int line = 1; line < number && text != NULL; line++) {
		text = strchr(text, '\n');
		text = text == NULL ? NULL : text + 1;
	}
	if (text == NULL)
		return 0;
	text += strspn(text, " \t");
	end = text + strcspn(text, "\r\n");
	while (end > text && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	*ret_line = text;
	return end - text > QUOTED_MAX ? ward_text_fit(text, QUOTED_MAX) : (int)(end - text);
}

/* A group or list still open at the end is reported where it begins. */
static bool is_open(ward_config *config, const struct wardi_config_text *text, uint32_t line)
{
	char closing = text->opened == '{' ? '}' : text->opened == '(' ? ')' : ']';

	if (text->opened == '\0' || line < text->last_line)
		return false;
	wardi_config_wrong_at(config, text->opened_at, "", "a '%c' without its '%c'", text->opened,
			      closing);
	return true;
}

static void badly_written(ward_config *config, const struct wardi_config_text *text)
{
	int number = config_error_line(&config->file);
	const char *why = config_error_text(&config->file), *line = "";
	int length = line_of(text->bytes, number, &line);

	if (is_open(config, text, (uint32_t)number))
		return;
	if (why == NULL)
		why = "syntax error";
	if (length > 0)
		wardi_config_wrong_at(config, (uint32_t)number, "", "%s at, or before: %.*s", why,
				      length, line);
	else
		wardi_config_wrong_at(config, (uint32_t)number, "", "%s", why);
}

static void parse(ward_config *config, const char *bytes, size_t size, bool includes)
{
	struct wardi_config_text text = {0};

	if (!wardi_config_join(config, bytes, size, includes, &text))
		return;
	if (config_read_string(&config->file, text.bytes) != CONFIG_TRUE)
		badly_written(config, &text);
	free(text.bytes);
}

/* ---- modules ----------------------------------------------------------------------------- */

/* Returns a name that has a folder from the folder of the file that names it. */
static const char *from_folder(ward_config *config, const char *name)
{
	const char *slash = strrchr(config->path, '/');
	size_t folder = slash == NULL ? 0 : (size_t)(slash - config->path) + 1;
	char *path;

	if (name[0] == '/' || strchr(name, '/') == NULL || folder == 0)
		return wardi_config_copy(config, name);
	path = wardi_config_make(config, folder + strlen(name) + 1);
	if (path == NULL)
		return NULL;
	memcpy(path, config->path, folder);
	memcpy(path + folder, name, strlen(name));
	return path;
}

/* Whether an entry before this one is the same. */
static bool is_twice(const config_setting_t *list, int index)
{
	const char *name = config_setting_get_string_elem(list, index);

	for (int i = 0; i < index; i++) {
		const char *other = config_setting_get_string_elem(list, i);

		if (other != NULL && strcmp(other, name) == 0)
			return true;
	}
	return false;
}

static void take_modules(ward_config *config)
{
	const config_setting_t *list = config_lookup(&config->file, "modules");
	int count = list == NULL ? 0 : config_setting_length(list);
	const char **names;
	uint32_t *at;

	if (list != NULL && !config_setting_is_array(list) && !config_setting_is_list(list)) {
		wardi_config_wrong(config, list, NULL,
				   "must be a list of names of shared objects: [\"./shop.so\"]");
		count = 0;
	}
	names = wardi_config_make(config, ((size_t)count + 1) * sizeof *names);
	at = wardi_config_make(config, ((size_t)count + 1) * sizeof *at);
	if (names == NULL || at == NULL)
		return;
	config->modules_named = names;
	config->modules_at = at;
	for (int i = 0; i < count; i++) {
		const char *name = config_setting_get_string_elem(list, i);

		if (name == NULL || name[0] == '\0')
			wardi_config_wrong(config, list, NULL,
					   "entry %d must be the name of a shared object", i + 1);
		else if (is_twice(list, i))
			wardi_config_wrong(config, config_setting_get_elem(list, (unsigned)i), NULL,
					   "\"%.*s\" is listed twice", WARD_TEXT_FIT(name, 200));
		else
			*names++ = from_folder(config, name);
		*at++ = config_setting_source_line(config_setting_get_elem(list, (unsigned)i));
	}
}

/* ---- opening ----------------------------------------------------------------------------- */

static ward_err create(const char *name, const ward_config_listener *listener,
		       ward_config **ret_config)
{
	ward_config *config = calloc(1, sizeof *config);

	if (config != NULL) {
		config->log.fd = -1;
		pthread_mutex_init(&config->log.mu, NULL);
		wardi_config_listen(config, listener);
		config->path = wardi_config_copy(config, name);
	}
	if (config == NULL || config->path == NULL) {
		free(config);
		return ward_refused(WARD_ENOMEM, "%.*s: not enough memory to read it",
				    WARD_TEXT_FIT(name, 300));
	}
	config_init(&config->file);
	*ret_config = config;
	return WARD_OK;
}

static ward_err open_text(const char *name, const char *text, size_t size, bool includes,
			  const ward_config_listener *listener, ward_config **ret_config)
{
	ward_config *config = NULL;
	ward_err err = create(name, listener, &config);

	if (err != WARD_OK)
		return err;
	if (size > WARD_CONFIG_FILE_MAX)
		wardi_config_wrong_at(config, 0, "", "is larger than the limit of %d bytes",
				      WARD_CONFIG_FILE_MAX);
	else
		parse(config, text, size, includes);
	if (config->errors == 0)
		take_modules(config);
	err = wardi_config_verdict(config);
	if (err != WARD_OK) {
		ward_config_close(config);
		return err;
	}
	*ret_config = config;
	return WARD_OK;
}

ward_err ward_config_open_text(const char *name, const char *text, size_t size,
			       const ward_config_listener *listener, ward_config **ret_config)
{
	WARDI_UNCANCELLED;

	if (name == NULL || (text == NULL && size > 0))
		return ward_refused(WARD_EINVAL, "ward_config_open_text: no name, or no text");
	return open_text(name, text, size, false, listener, ret_config);
}

ward_err ward_config_open(const char *path, const ward_config_listener *listener,
			  ward_config **ret_config)
{
	WARDI_UNCANCELLED;
	char *bytes;
	size_t size;
	ward_err err;

	if (path == NULL)
		return ward_refused(WARD_EINVAL, "ward_config_open: no path");
	err = wardi_config_read_file(path, WARD_CONFIG_FILE_MAX, &bytes, &size);
	if (err != WARD_OK)
		return err;
	err = open_text(path, bytes, size, true, listener, ret_config);
	free(bytes);
	return err;
}

const char *const *ward_config_module_names(const ward_config *config)
{
	return config->modules_named;
}

uint32_t ward_config_module_line(const ward_config *config, size_t index, const char **ret_file)
{
	uint32_t line;
	const char *file = wardi_config_where(config, config->modules_at[index], &line);

	if (ret_file != NULL)
		*ret_file = file;
	return line;
}

void ward_config_close(ward_config *config)
{
	WARDI_UNCANCELLED;

	if (config == NULL)
		return;
	wardi_config_log_close(&config->log);
	pthread_mutex_destroy(&config->log.mu);
	config_destroy(&config->file);
	wardi_config_free(config);
	free(config);
}
