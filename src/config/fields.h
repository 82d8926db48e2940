/* SPDX-License-Identifier: MIT
 *
 * fields.h - a group of the file into a struct, by a table of fields.
 */
#ifndef WARDI_CONFIG_FIELDS_H
#define WARDI_CONFIG_FIELDS_H

#include "config/reader.h"

/** For ward_config_field.type, of our own tables: the setting itself, for somebody else to read; a
 *  const config_setting_t *. */
enum { WARDI_CONFIG_RAW = 100 };

/** A ref that a group of arguments asks for. */
struct wardi_config_link {
	const config_setting_t *at;
	const char *name; /* as it is written */
	size_t offset;    /* of the ward_ref in the arguments */
	const struct wardi_config_node *target;
	struct wardi_config_link *next;
};

/** Who reads, and what is read for whom. */
struct wardi_config_reader {
	ward_config *config;
	struct wardi_config_link **links; /* where the next ref goes; NULL: there can be none */
	char *start;                      /* of the arguments */
};

/**
 * Reads a group, or tells what is wrong with it. `group` NULL: it is not there, so all that is
 * required is missing `below` the setting `at`.
 */
void wardi_config_read(struct wardi_config_reader *reader, const config_setting_t *group,
		       const config_setting_t *at, const char *below,
		       const ward_config_field *fields, void *out);

/** Says that a setting is a group; else tells that it is none. NULL is none, silently. */
bool wardi_config_is_group(ward_config *config, const config_setting_t *setting);

/* ---- value.c ----------------------------------------------------------------------------- */

/** Gives what a setting is, for people: "a string". */
const char *wardi_config_kind(const config_setting_t *setting);
/** Reads a whole number, of any form; false: it is none. */
bool wardi_config_integer(const config_setting_t *setting, int64_t *ret_value);
/** Reads one setting, of a type that is a value, into a field; or tells what is wrong. */
void wardi_config_value(ward_config *config, const config_setting_t *setting,
			const ward_config_field *field, void *out);
/** Adds the names of a table; tells that a word is none of them. */
void wardi_config_no_name(ward_config *config, const config_setting_t *at, const char *word,
			  const ward_config_name *names);

/* ---- unit.c ------------------------------------------------------------------------------ */

/** "200 ms" to milliseconds; "64 KiB" to bytes. False: it is neither. */
bool wardi_config_duration(const char *text, int64_t *ret_ms);
bool wardi_config_size(const char *text, int64_t *ret_bytes);
/** The other way round, for people: "1 min", "200 ms". */
void wardi_config_duration_text(int64_t ms, char *text, size_t max);

#endif
