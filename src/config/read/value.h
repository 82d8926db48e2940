/* SPDX-License-Identifier: MIT
 *
 * value.h - reads one setting into one field; checks type and range, and reports what would be
 * right.
 */
#ifndef WARDI_CONFIG_VALUE_H
#define WARDI_CONFIG_VALUE_H

#include <libconfig.h>

#include <ward/config.h>

/** Reads a whole number of any form; false: the setting is not a whole number. */
bool wardi_config_integer(const config_setting_t *setting, int64_t *ret_value);

/** Returns the type of a setting as text: "a string". */
const char *wardi_config_kind(const config_setting_t *setting);

/** Adds the names of a table; tells that a word is none of them. */
void wardi_config_no_name(ward_config *config, const config_setting_t *at, const char *word,
			  const ward_config_name *names);

/** Reads one setting, of a type that is a value, into a field; or reports the error. */
void wardi_config_value(ward_config *config, const config_setting_t *setting,
			const ward_config_field *field, void *out);

#endif
