/* SPDX-License-Identifier: MIT
 *
 * scan.h - joins a file and its includes to one text, and refuses input that libconfig cannot
 * handle.
 */
#ifndef WARDI_CONFIG_SCAN_H
#define WARDI_CONFIG_SCAN_H

#include <ward/config.h>

struct wardi_config_text;

/** Joins a file and its includes to one text, and notes where its lines come from. False: an error
 * was reported. */
bool wardi_config_join(ward_config *config, const char *text, size_t size, bool includes,
		       struct wardi_config_text *ret_text);

#endif
