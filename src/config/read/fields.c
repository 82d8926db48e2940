/* SPDX-License-Identifier: MIT
 *
 * fields.c - reads a group of the file into a struct, by a table of fields.
 *
 * First each key is looked up in the table, so that an unknown key is reported at its line; then
 * each required row is looked up in the group.
 *
 * Threads: as the config.
 */
#include "config/read/fields.h"

#include <stdio.h>
#include <string.h>

#include "config/read/blocks.h"
#include "config/read/errors.h"
#include "config/read/modules.h"
#include "config/read/suggest.h"
#include "config/read/value.h"

static void read_member(struct wardi_config_reader *reader, const config_setting_t *setting,
			const ward_config_field *field, char *out);

bool wardi_config_is_group(ward_config *config, const config_setting_t *setting)
{
	if (setting == NULL)
		return false;
	if (config_setting_is_group(setting))
		return true;
	wardi_config_wrong(config, setting, NULL, "is %s, must be a group: { key = value; }",
			   wardi_config_kind(setting));
	return false;
}

/* The row of children has no key of its own. */
static bool is_end(const ward_config_field *field)
{
	return field->kind == WARD_CONFIG_END;
}

static const ward_config_field *find_field(const ward_config_field *fields, const char *key)
{
	for (; !is_end(fields); fields++)
		if (fields->kind != WARD_CONFIG_CHILDREN && strcmp(fields->key, key) == 0)
			return fields;
	return NULL;
}

static void unknown(ward_config *config, const config_setting_t *setting,
		    const ward_config_field *fields)
{
	struct wardi_config_words words = {0};
	char text[WARDI_CONFIG_TEXT];

	for (; !is_end(fields); fields++)
		if (fields->kind != WARD_CONFIG_CHILDREN)
			wardi_config_word(config, &words, fields->key);
	wardi_config_suggest(&words, config_setting_name(setting), "allowed here", text,
			     sizeof text);
	wardi_config_wrong(config, setting, NULL, "unknown key; %s", text);
}

static const char *of_type(const ward_config_field *field)
{
	static const char *const texts[] = {
		[WARD_CONFIG_BOOL] = "true or false",
		[WARD_CONFIG_INT] = "a whole number",
		[WARD_CONFIG_UINT] = "a whole number",
		[WARD_CONFIG_FLOAT] = "a number",
		[WARD_CONFIG_STRING] = "a string",
		[WARD_CONFIG_TEXT] = "a string",
		[WARD_CONFIG_STRINGS] = "a list of strings",
		[WARD_CONFIG_DURATION] = "a duration, as \"200 ms\"",
		[WARD_CONFIG_SIZE] = "a size, as \"64 KiB\"",
		[WARD_CONFIG_ENUM] = "one of its names",
		[WARD_CONFIG_MASK] = "a list of its names",
		[WARD_CONFIG_REF] = "another actor of this file",
		[WARD_CONFIG_STRATEGY] = "the name of a strategy",
		[WARD_CONFIG_GROUP] = "a group",
		[WARD_CONFIG_BEHAVIOR] = "the name of a behavior",
	};

	return (size_t)field->kind < sizeof texts / sizeof texts[0] ? texts[field->kind]
								    : texts[WARD_CONFIG_GROUP];
}

/* ---- what needs more than the value ------------------------------------------------------ */

static void read_strategy(struct wardi_config_reader *reader, const config_setting_t *setting,
			  char *out)
{
	const char *name = config_setting_get_string(setting);
	const ward_strategy *strategy;

	if (name == NULL) {
		wardi_config_wrong(reader->config, setting, NULL,
				   "is %s, must be the name of a strategy",
				   wardi_config_kind(setting));
		return;
	}
	strategy = wardi_config_strategy(reader->config, name, setting);
	if (strategy != NULL)
		memcpy(out, &strategy, sizeof strategy);
}

static void read_behavior(struct wardi_config_reader *reader, const config_setting_t *setting,
			  char *out)
{
	const char *name = config_setting_get_string(setting);
	const ward_config_behavior *row;

	if (name == NULL) {
		wardi_config_wrong(reader->config, setting, NULL,
				   "is %s, must be the name of a behavior",
				   wardi_config_kind(setting));
		return;
	}
	row = wardi_config_behavior(reader->config, name, setting);
	if (row != NULL)
		memcpy(out, &row->behavior, sizeof row->behavior);
}

static void read_ref(struct wardi_config_reader *reader, const config_setting_t *setting, char *out)
{
	const char *name = config_setting_get_string(setting);
	struct wardi_config_link *link;

	if (name == NULL || name[0] == '\0') {
		wardi_config_wrong(reader->config, setting, NULL,
				   "must name another actor of this file: \"journal\", "
				   "\"/system/journal\"");
		return;
	}
	link = wardi_config_make(reader->config, sizeof *link);
	if (link == NULL)
		return;
	link->at = setting;
	link->name = name;
	link->offset = (size_t)(out - reader->start);
	link->next = *reader->links;
	*reader->links = link;
}

static void read_group(struct wardi_config_reader *reader, const config_setting_t *setting,
		       const ward_config_field *field, char *out)
{
	if (wardi_config_is_group(reader->config, setting))
		wardi_config_read(reader, setting, NULL, NULL, field->fields, out);
}

static void read_member(struct wardi_config_reader *reader, const config_setting_t *setting,
			const ward_config_field *field, char *out)
{
	switch ((int)field->kind) {
	case WARDI_CONFIG_RAW:
		memcpy(out, &setting, sizeof setting);
		break;
	case WARD_CONFIG_REF:
		read_ref(reader, setting, out);
		break;
	case WARD_CONFIG_STRATEGY:
		read_strategy(reader, setting, out);
		break;
	case WARD_CONFIG_BEHAVIOR:
		read_behavior(reader, setting, out);
		break;
	case WARD_CONFIG_GROUP:
		read_group(reader, setting, field, out);
		break;
	default:
		wardi_config_value(reader->config, setting, field, out);
	}
}

/* ---- the whole group --------------------------------------------------------------------- */

static void missing(struct wardi_config_reader *reader, const config_setting_t *group,
		    const config_setting_t *at, const char *below, const ward_config_field *field)
{
	char key[WARDI_CONFIG_KEY];

	if (group == NULL && below != NULL)
		snprintf(key, sizeof key, "%s.%s", below, field->key);
	else
		snprintf(key, sizeof key, "%s", field->key);
	wardi_config_wrong(reader->config, group != NULL ? group : at, key,
			   "is missing, must be %s", of_type(field));
}

void wardi_config_read(struct wardi_config_reader *reader, const config_setting_t *group,
		       const config_setting_t *at, const char *below,
		       const ward_config_field *fields, void *out)
{
	int count = group == NULL ? 0 : config_setting_length(group);

	for (int i = 0; i < count; i++) {
		const config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);
		const ward_config_field *field = find_field(fields, config_setting_name(setting));

		if (field == NULL)
			unknown(reader->config, setting, fields);
		else
			read_member(reader, setting, field, (char *)out + field->offset);
	}
	for (const ward_config_field *field = fields; !is_end(field); field++)
		if (field->required && field->kind != WARD_CONFIG_CHILDREN &&
		    (group == NULL || config_setting_get_member(group, field->key) == NULL))
			missing(reader, group, at, below, field);
}
