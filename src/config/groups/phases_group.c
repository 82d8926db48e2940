/* SPDX-License-Identifier: MIT
 *
 * phases_group.c - the group `phases`: the order in which a system ends, in place of the usual one.
 *
 * Threads: as the config.
 */
#include "config/groups/phases_group.h"

#include <string.h>

#include <ward/shutdown.h>
#include <ward/text.h>

#include "config/read/blocks.h"
#include "config/read/errors.h"
#include "config/read/fields.h"
#include "config/read/suggest.h"

struct file_phase {
	const char *const *after;
	int64_t timeout_ms;
	bool abort_on_timeout;
};

#define AT(member) WARD_CONFIG_AT(struct file_phase, member)
static const ward_config_field fields[] = {
	{"after", WARD_CONFIG_STRINGS, AT(after)},
	{"timeout", WARD_CONFIG_DURATION, AT(timeout_ms), .min = 1},
	{"abort-on-timeout", WARD_CONFIG_BOOL, AT(abort_on_timeout)},
	{0},
};
#undef AT

static void check_name(ward_config *config, const config_setting_t *setting)
{
	const char *name = config_setting_name(setting);

	if (strlen(name) >= WARD_PHASE_NAME)
		wardi_config_wrong(config, setting, NULL,
				   "the name has %zu bytes; at most %d are allowed", strlen(name),
				   WARD_PHASE_NAME - 1);
	else if (strcmp(name, WARD_PHASE_SERVICES) == 0)
		wardi_config_wrong(config, setting, NULL,
				   "this name is reserved: the phase runs after the actors");
}

static void no_phase(ward_config *config, const config_setting_t *setting, const char *name)
{
	const config_setting_t *group = config_setting_parent(setting);
	struct wardi_config_words words = {0};
	char text[WARDI_CONFIG_TEXT];

	for (int i = 0; i < config_setting_length(group); i++)
		wardi_config_word(config, &words,
				  config_setting_name(config_setting_get_elem(group, (unsigned)i)));
	wardi_config_suggest(&words, name, "there are", text, sizeof text);
	wardi_config_wrong(config, setting, "after", "no phase \"%.*s\"; %s",
			   WARD_TEXT_FIT(name, 64), text);
}

/* libconfig splits a path at '.', '/' and ':', so a name may contain none of them. */
static bool is_phase(const config_setting_t *group, const char *name)
{
	for (int i = 0; i < config_setting_length(group); i++)
		if (strcmp(config_setting_name(config_setting_get_elem(group, (unsigned)i)),
			   name) == 0)
			return true;
	return false;
}

static void read_after(ward_config *config, const config_setting_t *setting,
		       const char *const *after, ward_phase *phase)
{
	const config_setting_t *group = config_setting_parent(setting);
	int count = 0;

	for (; after[count] != NULL; count++) {
		if (count == WARD_PHASE_AFTER) {
			wardi_config_wrong(config, setting, "after", "names more than %d phases",
					   WARD_PHASE_AFTER);
			return;
		}
		phase->after[count] = after[count];
		if (!is_phase(group, after[count]))
			no_phase(config, setting, after[count]);
	}
}

static void read_phase(ward_config *config, const config_setting_t *setting, ward_phase *phase)
{
	struct wardi_config_reader reader = {.config = config};
	struct file_phase file = {0};

	phase->name = config_setting_name(setting);
	check_name(config, setting);
	if (!wardi_config_is_group(config, setting))
		return;
	wardi_config_read(&reader, setting, NULL, NULL, fields, &file);
	phase->timeout_ms = file.timeout_ms;
	phase->abort_on_timeout = file.abort_on_timeout;
	if (file.after != NULL)
		read_after(config, setting, file.after, phase);
}

static bool is_done(const ward_phase *phases, const bool *done, const char *name)
{
	for (int i = 0; phases[i].name != NULL; i++)
		if (strcmp(phases[i].name, name) == 0)
			return done[i];
	return true;
}

static bool may_come(const ward_phase *phases, const bool *done, const ward_phase *phase)
{
	for (int i = 0; i < WARD_PHASE_AFTER && phase->after[i] != NULL; i++)
		if (!is_done(phases, done, phase->after[i]))
			return false;
	return true;
}

/* Removes the phases that no longer wait for another, until none is left or all left ones wait. */
static void check_circle(ward_config *config, const config_setting_t *group,
			 const ward_phase *phases)
{
	bool done[WARD_PHASES_MAX] = {false};
	bool moved = true;

	while (moved) {
		moved = false;
		for (int i = 0; phases[i].name != NULL; i++)
			if (!done[i] && may_come(phases, done, &phases[i]))
				moved = done[i] = true;
	}
	for (int i = 0; phases[i].name != NULL; i++)
		if (!done[i]) {
			wardi_config_wrong(config, config_setting_get_elem(group, (unsigned)i),
					   "after",
					   "comes after itself, or after a phase that does");
			return;
		}
}

void wardi_config_phases(ward_config *config, const config_setting_t *group)
{
	int count = wardi_config_is_group(config, group) ? config_setting_length(group) : 0;
	ward_phase *phases = wardi_config_make(config, ((size_t)count + 1) * sizeof *phases);

	if (count > WARD_PHASES_MAX) {
		wardi_config_wrong(config, group, NULL, "has %d phases, at most %d are allowed",
				   count, WARD_PHASES_MAX);
		return;
	}
	if (phases == NULL || count == 0)
		return;
	for (int i = 0; i < count; i++)
		read_phase(config, config_setting_get_elem(group, (unsigned)i), &phases[i]);
	check_circle(config, group, phases);
	config->options.phases = phases;
}
