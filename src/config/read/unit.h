/* SPDX-License-Identifier: MIT
 *
 * unit.h - numbers with a unit: durations and sizes.
 */
#ifndef WARDI_CONFIG_UNIT_H
#define WARDI_CONFIG_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** "200 ms" to milliseconds; "64 KiB" to bytes. False: it is neither; *ret is WARDI_UNIT_PART if it
 *  is a number that is not whole in them, such as "0.5 ms". */
enum { WARDI_UNIT_PART = -1 };
bool wardi_config_duration(const char *text, int64_t *ret_ms);

bool wardi_config_size(const char *text, int64_t *ret_bytes);

/** The other way round, for people: "1 min", "200 ms"; "64 KiB". */
void wardi_config_duration_text(int64_t ms, char *text, size_t max);
void wardi_config_size_text(int64_t bytes, char *text, size_t max);

#endif
