/* SPDX-License-Identifier: MIT
 *
 * dispatchers_group.c - the group `system.dispatchers`: pools, and what the threads are like.
 *
 * A name in a file cannot contain a dot, so "ward.blocking" is the group `blocking` in the group
 * `ward`.
 *
 * Threads: as the config.
 */
#include "config/groups/dispatchers_group.h"

#include <string.h>

#include <ward/text.h>

#include "config/read/blocks.h"
#include "config/read/errors.h"
#include "config/read/fields.h"
#include "config/read/value.h"

/* As a system takes them. */
enum {
	ROWS_MAX = 64,
	NAME_MAX_BYTES = 64,
	THREADS_MAX = 4096,
	WORKERS_MAX = 1024,
	STACK_MIN = 64 * 1024,
};

static const ward_config_name classes[] = {
	{"other", WARD_SCHEDULING_OTHER}, {"batch", WARD_SCHEDULING_BATCH},
	{"idle", WARD_SCHEDULING_IDLE},   {"fifo", WARD_SCHEDULING_FIFO},
	{"rr", WARD_SCHEDULING_RR},       {NULL, 0}};

#define AT(member) WARD_CONFIG_AT(ward_dispatcher, member)
static const ward_config_field fields[] = {
	{"threads", WARD_CONFIG_UINT, AT(threads), .min = 1, .max = THREADS_MAX},
	{"threads-min", WARD_CONFIG_UINT, AT(threads_min), .min = 1, .max = THREADS_MAX},
	{"keep-alive", WARD_CONFIG_DURATION, AT(keep_alive_ms), .min = 1},
	{"throughput", WARD_CONFIG_UINT, AT(throughput), .min = 1, .max = UINT32_MAX},
	{"throughput-deadline", WARD_CONFIG_DURATION, AT(throughput_deadline_ms), .min = 1},
	{"cpus", WARD_CONFIG_STRING, AT(cpus), .min = 1},
	{"scheduling", WARD_CONFIG_ENUM, AT(scheduling), .names = classes},
	{"priority", WARD_CONFIG_INT, AT(priority), .min = 1, .max = 99},
	{"nice", WARD_CONFIG_INT, AT(nice), .min = -20, .max = 19},
	{"stack", WARD_CONFIG_SIZE, AT(stack_bytes), .min = STACK_MIN},
	{0},
};
#undef AT

/* Only a number may stand for a pool of its threads. */
static const ward_config_field threads_field = {.key = "threads",
						.kind = WARD_CONFIG_UINT,
						.size = sizeof(uint32_t),
						.min = 1,
						.max = THREADS_MAX};

/* The group `ward`: each member is for a dispatcher of the library. */
struct file_own {
	const config_setting_t *workers, *blocking, *pinned;
};

#define RAW ((ward_config_type)WARDI_CONFIG_RAW)
#define AT(member) WARD_CONFIG_AT(struct file_own, member)
static const ward_config_field own_fields[] = {
	{"workers", RAW, AT(workers)},
	{"blocking", RAW, AT(blocking)},
	{"pinned", RAW, AT(pinned)},
	{0},
};
#undef AT

/* The table that is filled in. */
struct rows {
	ward_config *config;
	ward_dispatcher *next;
	int count, room;
};

/* The fields of a row; the workers are fewer than the threads of a pool. */
static void read_fields(ward_config *config, const config_setting_t *setting, ward_dispatcher *row)
{
	struct wardi_config_reader reader = {.config = config};
	ward_config_field own[sizeof fields / sizeof fields[0]];

	memcpy(own, fields, sizeof fields);
	if (strcmp(row->name, WARD_WORKERS) == 0)
		own[0].max = WORKERS_MAX; /* of threads */
	wardi_config_read(&reader, setting, NULL, NULL, own, row);
}

/* Returns the key of the setting that makes a row wrong, or NULL if the row is wrong as a whole. Of
 * the settings without which the complaint would be another or none it is the one that refers to
 * others: the last in the table, as "priority" behind "scheduling". */
static const char *wrong_key(const config_setting_t *setting, const ward_dispatcher *row,
			     const char *complaint)
{
	const char *found = NULL;

	for (const ward_config_field *field = fields; field->key != NULL; field++) {
		ward_dispatcher without = *row;

		if (config_setting_get_member(setting, field->key) == NULL)
			continue;
		memset((char *)&without + field->offset, 0, field->size);
		if (ward_dispatcher_check(&without) == WARD_OK ||
		    strcmp(complaint, ward_err_detail()) != 0)
			found = field->key;
	}
	return found;
}

static void check_row(ward_config *config, const config_setting_t *setting,
		      const ward_dispatcher *row)
{
	char complaint[WARDI_CONFIG_TEXT];

	if (ward_dispatcher_check(row) == WARD_OK)
		return;
	ward_text_format(complaint, sizeof complaint, "%s", ward_err_detail());
	wardi_config_wrong(config, setting, wrong_key(setting, row, complaint), "%s", complaint);
}

/* Reads a group as the next row. `also`: the threads by a key elsewhere, and its name; 0: none. */
static void read_row(struct rows *rows, const config_setting_t *setting, const char *name,
		     const char *key, uint32_t also)
{
	uint32_t errors = rows->config->errors;
	ward_dispatcher *row = rows->next;

	if (!wardi_config_is_group(rows->config, setting) || rows->count++ >= rows->room)
		return;
	row->name = name;
	read_fields(rows->config, setting, row);
	if (rows->config->errors == errors)
		check_row(rows->config, setting, row);
	if (also != 0 && row->threads != 0)
		wardi_config_wrong(rows->config, setting, "threads",
				   "is also given by system.%s: remove one of them", key);
	rows->next++;
}

static void read_own(struct rows *rows, const config_setting_t *group, uint32_t workers,
		     uint32_t blocking)
{
	struct wardi_config_reader reader = {.config = rows->config};
	struct file_own own = {0};

	if (!wardi_config_is_group(rows->config, group))
		return;
	wardi_config_read(&reader, group, NULL, NULL, own_fields, &own);
	if (own.workers != NULL)
		read_row(rows, own.workers, WARD_WORKERS, "workers", workers);
	if (own.blocking != NULL)
		read_row(rows, own.blocking, WARD_BLOCKING, "blocking", blocking);
	if (own.pinned != NULL)
		read_row(rows, own.pinned, WARD_PINNED, NULL, 0);
}

/* A pool of this name would be a pool beside the dispatcher that was meant. */
static bool is_own_key(const char *name)
{
	for (const ward_config_field *field = own_fields; field->key != NULL; field++)
		if (strcmp(name, field->key) == 0)
			return true;
	return false;
}

static void check_name(ward_config *config, const config_setting_t *setting)
{
	const char *name = config_setting_name(setting);

	if (is_own_key(name))
		wardi_config_wrong(config, setting, NULL,
				   "no pool can have this name; did you mean \"ward.%s\"? "
				   "ward: { %s: { ... }; };",
				   name, name);
	if (strchr(name, '*') != NULL)
		wardi_config_wrong(config, setting, NULL,
				   "a name has letters, digits, '-' and '_' only");
	if (strlen(name) > NAME_MAX_BYTES)
		wardi_config_wrong(config, setting, NULL,
				   "the name has %zu bytes, at most %d are allowed", strlen(name),
				   NAME_MAX_BYTES);
}

static void read_pool(struct rows *rows, const config_setting_t *setting)
{
	const char *name = config_setting_name(setting);
	int64_t threads;

	check_name(rows->config, setting);
	if (config_setting_is_group(setting)) {
		read_row(rows, setting, name, NULL, 0);
	} else if (!wardi_config_integer(setting, &threads)) {
		wardi_config_wrong(rows->config, setting, NULL,
				   "is %s, must be a whole number, or a group: { key = value; }",
				   wardi_config_kind(setting));
	} else if (rows->count++ < rows->room) {
		rows->next->name = name;
		wardi_config_value(rows->config, setting, &threads_field, &rows->next->threads);
		rows->next++;
	}
}

void wardi_config_dispatchers(ward_config *config, const config_setting_t *group, uint32_t workers,
			      uint32_t blocking)
{
	int count = wardi_config_is_group(config, group) ? config_setting_length(group) : 0;
	ward_dispatcher *all = wardi_config_make(config, (ROWS_MAX + 1) * sizeof *all);
	struct rows rows = {.config = config, .next = all, .room = ROWS_MAX};

	for (int i = 0; all != NULL && i < count; i++) {
		const config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);

		if (strcmp(config_setting_name(setting), "ward") == 0)
			read_own(&rows, setting, workers, blocking);
		else
			read_pool(&rows, setting);
	}
	if (rows.count > ROWS_MAX)
		wardi_config_wrong(config, group, NULL,
				   "has %d dispatchers, at most %d are allowed", rows.count,
				   ROWS_MAX);
	config->options.dispatchers = all;
}
