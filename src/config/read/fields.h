/* SPDX-License-Identifier: MIT
 *
 * fields.h - reads a group of the file into a struct, by a table of fields.
 */
#ifndef WARDI_CONFIG_FIELDS_H
#define WARDI_CONFIG_FIELDS_H

#include <libconfig.h>

#include "config/read/reader.h"

struct wardi_config_node;

/** For ward_field.kind, in the library's own tables: the setting itself, unread; a const
 * config_setting_t *. */
enum { WARDI_CONFIG_RAW = 100 };

/** A ref that a group of arguments asks for. */
struct wardi_config_link {
	const config_setting_t *at;
	const char *name; /* as it is written */
	size_t offset;    /* of the ward_ref in the arguments */
	const struct wardi_config_node *target;
	struct wardi_config_link *next;
};

/** The state of a read: the config, and the struct that is filled in. */
struct wardi_config_reader {
	ward_config *config;
	struct wardi_config_link **links; /* where the next ref goes; NULL: there can be none */
	char *start;                      /* of the arguments */
};

/**
 * Reads a group, or reports its errors. `group` NULL: the group
 * is missing, so all its required keys are missing `below` the setting `at`.
 */
void wardi_config_read(struct wardi_config_reader *reader, const config_setting_t *group,
		       const config_setting_t *at, const char *below,
		       const ward_config_field *fields, void *out);

/** Returns whether a setting is a group; reports an error if it is not. NULL: false, no error. */
bool wardi_config_is_group(ward_config *config, const config_setting_t *setting);

#endif
