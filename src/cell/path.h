/* SPDX-License-Identifier: MIT
 *
 * path.h - names and paths.
 */
#ifndef WARDI_PATH_H
#define WARDI_PATH_H

#include <ward/types.h>

struct wardi_cell;

/* WARD_OK, or a code with a detail. */
ward_err wardi_name_check(const char *name);

/* Writes "$a", "$b", ... "$~", "$ab" for 0, 1, ... (S56); needs 16 bytes. */
void wardi_name_generate(uint64_t number, char *text);

/* The number that a name was generated from; UINT64_MAX: it was not. */
uint64_t wardi_name_number(const char *name);

/* The name of a life, cut to fit; max is 16 or more. No character of a name is longer than a byte.
 * By its holder; or under its path lock. */
void wardi_name_copy(const struct wardi_cell *cell, char *text, size_t max);

/* The last name of the path alone. */
void wardi_path_last(ward_system *system, ward_ref ref, char *text, size_t max);

/* Writes the end of the path into text[max], cut at the front. */
void wardi_path_tail(ward_system *system, ward_ref ref, char *text, size_t max);

#endif
