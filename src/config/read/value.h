/* SPDX-License-Identifier: MIT
 *
 * value.h - one setting into one field: its type, its range, and what would be right.
 */
#ifndef WARDI_CONFIG_VALUE_H
#define WARDI_CONFIG_VALUE_H

#include <libconfig.h>

#include <ward/config.h>

/** Reads a whole number, of any form; false: it is none. */
bool wardi_config_integer(const config_setting_t *setting, int64_t *ret_value);

/** Returns what a setting is, for people: "a string". */
const char *wardi_config_kind(const config_setting_t *setting);

/** Adds the names of a table; tells that a word is none of them. */
void wardi_config_no_name(ward_config *config, const config_setting_t *at, const char *word,
			  const ward_config_name *names);

/** Reads one setting, of a type that is a value, into a field; or tells what is wrong. */
void wardi_config_value(ward_config *config, const config_setting_t *setting,
			const ward_config_field *field, void *out);

#endif
