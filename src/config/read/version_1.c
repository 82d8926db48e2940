/* SPDX-License-Identifier: MIT
 *
 * version_1.c - modules that were compiled when rows of arguments were shorter.
 *
 * The rows of version 1 knew nothing of messages, and had doubles for ranges. The other tables of a
 * module are as they were.
 *
 * Threads: as the config.
 */
#include "config/read/version_1.h"

#include <math.h>

#include "config/read/blocks.h"

/* A row of version 1. */
struct row {
	const char *key;
	uint32_t kind;
	uint32_t offset, size;
	bool required;
	double min, max;
	const ward_config_name *names;
	const struct row *fields;
	uintptr_t reserved[2];
};

/* Rows beyond that are refused, as a group that contains itself. */
enum { NESTED_MAX = 9 };

/* The whole number not above a value; C's floor() is in another library. */
static double down(double value)
{
	double whole;

	return modf(value, &whole) < 0 ? whole - 1 : whole;
}

static double up(double value)
{
	return -down(-value);
}

static int64_t whole(double value)
{
	if (value >= 0x1p63)
		return INT64_MAX;
	return value <= -0x1p63 ? INT64_MIN : (int64_t)value;
}

static uint64_t whole_unsigned(double value)
{
	if (value >= 0x1p64)
		return UINT64_MAX;
	return value <= 0 ? 0 : (uint64_t)value;
}

static const ward_config_field *convert_rows(ward_config *config, const struct row *rows,
					     int depth);

static bool convert_row(ward_config *config, const struct row *row, int depth,
			ward_config_field *ret_row)
{
	*ret_row = (ward_config_field){
		.key = row->key,
		.kind = (ward_field_kind)row->kind,
		.offset = row->offset,
		.size = row->size,
		.required = row->required,
		.names = row->names,
	};
	if (row->kind == WARD_CONFIG_FLOAT) {
		ret_row->low = row->min;
		ret_row->high = row->max;
	} else if (row->kind == WARD_CONFIG_UINT || row->kind == WARD_CONFIG_SIZE) {
		ret_row->umin = whole_unsigned(up(row->min));
		ret_row->umax = whole_unsigned(down(row->max));
	} else {
		ret_row->min = whole(up(row->min));
		ret_row->max = whole(down(row->max));
	}
	if (row->fields == NULL || depth == NESTED_MAX)
		return true;
	ret_row->fields = convert_rows(config, row->fields, depth + 1);
	return ret_row->fields != NULL;
}

static const ward_config_field *convert_rows(ward_config *config, const struct row *rows, int depth)
{
	size_t count = 0;
	ward_config_field *made;

	while (rows[count].kind != WARD_CONFIG_END)
		count++;
	made = wardi_config_make(config, (count + 1) * sizeof *made);
	for (size_t i = 0; made != NULL && i < count; i++)
		if (!convert_row(config, &rows[i], depth, &made[i]))
			return NULL;
	return made;
}

static const ward_config_behavior *convert_behaviors(ward_config *config,
						     const ward_config_behavior *rows)
{
	size_t count = 0;
	ward_config_behavior *made;

	while (rows[count].name != NULL)
		count++;
	made = wardi_config_make(config, (count + 1) * sizeof *made);
	for (size_t i = 0; made != NULL && i < count; i++) {
		made[i] = rows[i];
		if (rows[i].fields == NULL)
			continue;
		made[i].fields =
			convert_rows(config, (const struct row *)(const void *)rows[i].fields, 0);
		if (made[i].fields == NULL)
			return NULL;
	}
	return made;
}

const ward_config_module *wardi_config_from_version_1(ward_config *config,
						      const ward_config_module *module)
{
	ward_config_module *made = wardi_config_make(config, sizeof *made);

	if (made == NULL)
		return NULL;
	*made = *module;
	if (module->behaviors != NULL) {
		made->behaviors = convert_behaviors(config, module->behaviors);
		if (made->behaviors == NULL)
			return NULL;
	}
	return made;
}
