/* SPDX-License-Identifier: MIT
 *
 * system_group.c - the group `system`: the options of the system as a whole.
 *
 * Threads: as the config.
 */
#include "config/groups/system_group.h"

#include <string.h>

#include <ward/text.h>

#include "config/groups/dispatchers_group.h"
#include "config/groups/log_group.h"
#include "config/groups/mailbox_group.h"
#include "config/groups/phases_group.h"
#include "config/read/blocks.h"
#include "config/read/errors.h"
#include "config/read/fields.h"
#include "config/read/value.h"

typedef const config_setting_t *raw;

/* As a system takes them. */
enum { NAME_MAX_BYTES = 63, ACTORS_MAX = 1 << 24 };

struct file_system {
	const char *name;
	uint32_t workers, blocking, actors_max, faults_max;
	uint64_t seed;
	bool separate_allocations;
	ward_faults faults;
	int64_t start_timeout_ms;
	const ward_strategy *guardian_strategy;
	raw dispatchers, mailbox, log, dead_letters, phases;
};

static const ward_config_name faults[] = {
	{"off", WARD_FAULTS_OFF}, {"contain", WARD_FAULTS_CONTAIN}, {NULL, 0}};

#define RAW ((ward_config_type)WARDI_CONFIG_RAW)
#define AT(member) WARD_CONFIG_AT(struct file_system, member)
static const ward_config_field fields[] = {
	{"name", WARD_CONFIG_STRING, AT(name), .min = 1, .max = NAME_MAX_BYTES},
	{"workers", WARD_CONFIG_UINT, AT(workers), .min = 1, .max = 1024},
	{"blocking", WARD_CONFIG_UINT, AT(blocking), .min = 1, .max = 4096},
	{"actors-max", WARD_CONFIG_UINT, AT(actors_max), .min = 4, .max = ACTORS_MAX},
	{"seed", WARD_CONFIG_UINT, AT(seed), .min = 1},
	{"separate-allocations", WARD_CONFIG_BOOL, AT(separate_allocations)},
	{"faults", WARD_CONFIG_ENUM, AT(faults), .names = faults},
	{"faults-max", WARD_CONFIG_UINT, AT(faults_max), .min = 1, .max = UINT32_MAX},
	{"start-timeout", WARD_CONFIG_DURATION, AT(start_timeout_ms), .min = 1},
	{"guardian-supervisor-strategy", WARD_CONFIG_STRATEGY, AT(guardian_strategy)},
	{"dispatchers", RAW, AT(dispatchers)},
	{"mailbox", RAW, AT(mailbox)},
	{"log", RAW, AT(log)},
	{"dead-letters", RAW, AT(dead_letters)},
	{"phases", RAW, AT(phases)},
	{0},
};
#undef AT

/* ---- dead letters ------------------------------------------------------------------------ */

struct file_dead_letters {
	raw logged;
	int64_t pause_ms;
	bool at_shutdown;
};

#define AT(member) WARD_CONFIG_AT(struct file_dead_letters, member)
static const ward_config_field dead_letter_fields[] = {
	{"logged", RAW, AT(logged)},
	{"pause", WARD_CONFIG_DURATION, AT(pause_ms), .min = 1},
	{"at-shutdown", WARD_CONFIG_BOOL, AT(at_shutdown)},
	{0},
};
#undef AT

/* 0 means none in a file, but the default in the options. */
static void read_logged(ward_config *config, const config_setting_t *setting)
{
	const char *word = config_setting_get_string(setting);
	int64_t number;

	if (word != NULL && strcmp(word, "all") == 0)
		config->options.dead_letters_logged = WARD_DEAD_LETTERS_ALL;
	else if (word != NULL && strcmp(word, "none") == 0)
		config->options.dead_letters_logged = WARD_DEAD_LETTERS_NONE;
	else if (wardi_config_integer(setting, &number) && number >= 0 && number <= INT32_MAX)
		config->options.dead_letters_logged =
			number == 0 ? WARD_DEAD_LETTERS_NONE : (int32_t)number;
	else
		wardi_config_wrong(config, setting, NULL,
				   "must be a number of at least 0, \"all\" or \"none\"");
}

static void read_dead_letters(ward_config *config, const config_setting_t *group)
{
	struct wardi_config_reader reader = {.config = config};
	struct file_dead_letters file = {0};

	if (!wardi_config_is_group(config, group))
		return;
	wardi_config_read(&reader, group, NULL, NULL, dead_letter_fields, &file);
	config->options.dead_letters_pause_ms = file.pause_ms;
	config->options.dead_letters_at_shutdown = file.at_shutdown;
	if (file.logged != NULL)
		read_logged(config, file.logged);
}

/* ---- the whole --------------------------------------------------------------------------- */

/* Faults are contained in the shared objects of the modules: the struct of a module lies in the
 * object that it describes. */
static void set_faults_in(ward_config *config)
{
	size_t count = 0;
	const void **objects;

	while (config->modules[count] != NULL)
		count++;
	objects = wardi_config_make(config, (count + 1) * sizeof *objects);
	for (size_t i = 0; objects != NULL && i < count; i++)
		objects[i] = config->modules[i];
	config->options.faults_in = objects;
}

static void check(ward_config *config, const config_setting_t *group,
		  const struct file_system *file)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789-_";

	if (file->name != NULL && (file->name[0] == '-' || file->name[0] == '_' ||
				   file->name[strspn(file->name, letters)] != '\0'))
		wardi_config_wrong(config, group, "name",
				   "\"%.*s\" must start with a letter or a digit and have only "
				   "letters, digits, '-' and '_'",
				   WARD_TEXT_FIT(file->name, 64));
	if (file->faults_max != 0 && file->faults != WARD_FAULTS_CONTAIN)
		wardi_config_wrong(config, group, "faults-max",
				   "has no effect without faults = \"contain\"");
}

void wardi_config_system(ward_config *config, const config_setting_t *group)
{
	struct wardi_config_reader reader = {.config = config};
	struct file_system file = {.start_timeout_ms = 10 * WARD_SECOND};
	ward_options *options = &config->options;

	if (wardi_config_is_group(config, group)) {
		wardi_config_read(&reader, group, NULL, NULL, fields, &file);
		check(config, group, &file);
	}
	options->name = file.name;
	options->workers = file.workers;
	options->blocking = file.blocking;
	options->actors_max = file.actors_max;
	options->seed = file.seed;
	options->separate_allocations = file.separate_allocations;
	options->faults = file.faults;
	options->faults_max = file.faults_max;
	options->user_strategy = file.guardian_strategy;
	config->start_timeout_ms = file.start_timeout_ms;
	if (file.faults == WARD_FAULTS_CONTAIN)
		set_faults_in(config);
	if (file.dispatchers != NULL)
		wardi_config_dispatchers(config, file.dispatchers, file.workers, file.blocking);
	wardi_config_log(config, file.log);
	options->log_kinds = config->log.kinds;
	if (file.dead_letters != NULL)
		read_dead_letters(config, file.dead_letters);
	if (file.mailbox != NULL)
		wardi_config_mailbox(config, file.mailbox, &config->mailbox,
				     &config->mailbox_priority);
	if (file.phases != NULL)
		wardi_config_phases(config, file.phases);
}
