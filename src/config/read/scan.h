/* SPDX-License-Identifier: MIT
 *
 * scan.h - joins a file and what it includes to one text, and refuses what libconfig does not bear.
 */
#ifndef WARDI_CONFIG_SCAN_H
#define WARDI_CONFIG_SCAN_H

#include <ward/config.h>

struct wardi_config_text;

/** Joins a file and what it includes to one text without includes, and notes the places. False: an
 *  error was told. */
bool wardi_config_join(ward_config *config, const char *text, size_t size, bool includes,
		       struct wardi_config_text *ret_text);

#endif
