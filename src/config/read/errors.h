/* SPDX-License-Identifier: MIT
 *
 * errors.h - errors in a file: file, line, key, and what would be right.
 */
#ifndef WARDI_CONFIG_ERRORS_H
#define WARDI_CONFIG_ERRORS_H

#include <libconfig.h>

#include <ward/config.h>
#include <ward/types.h>

/** Writes "actors.till.args" for a setting. */
void wardi_config_key(const config_setting_t *at, const char *below, char *text, size_t max);

/** Begins a call that may report errors. */
void wardi_config_listen(ward_config *config, const ward_config_listener *listener);

/** Ends the call: returns its result, with the first error as the detail. */
ward_err wardi_config_verdict(ward_config *config);

/** Returns file and line of a line of the joined text. */
const char *wardi_config_where(const ward_config *config, uint32_t line, uint32_t *ret_line);

/** Reports that a setting is wrong, or the key `below` it (may be NULL). */
WARD_PRINTF(4, 5)
void wardi_config_wrong(ward_config *config, const config_setting_t *at, const char *below,
			const char *text, ...);

/** Reports an error at a line of the joined text; 0: in the file as a whole. */
WARD_PRINTF(4, 5)
void wardi_config_wrong_at(ward_config *config, uint32_t line, const char *key, const char *text,
			   ...);

#endif
