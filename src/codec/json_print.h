/* SPDX-License-Identifier: MIT
 *
 * json_print.h - the values of JSON as text, and back: strings, base64, numbers with a point.
 */
#ifndef WARDI_JSON_PRINT_H
#define WARDI_JSON_PRINT_H

#include <ward/codec.h>

#include "codec/json_scan.h"

/** Appends a constant. */
#define WARDI_JSON_ADD(out, text) ward_bytes_add((out), (text), sizeof(text) - 1)

/** Appends a string in quotes; the text must be UTF-8. */
WARD_MUST_USE ward_err wardi_json_add_string(ward_bytes *out, const char *text, size_t length);

/** Appends bytes in quotes, as base64. */
WARD_MUST_USE ward_err wardi_json_add_base64(ward_bytes *out, const unsigned char *bytes,
					     size_t count);

/** Appends a number that is finite, with as many digits as bring back all its bits. */
WARD_MUST_USE ward_err wardi_json_add_double(ward_bytes *out, double value);

/** Appends a whole number: as a string where others would read it as a double and lose digits. */
WARD_MUST_USE ward_err wardi_json_add_int(ward_bytes *out, int64_t value);
WARD_MUST_USE ward_err wardi_json_add_uint(ward_bytes *out, uint64_t value);

/** Returns whether all of the text is UTF-8. */
bool wardi_json_is_utf8(const char *text, size_t length);

/** Returns the number of bytes that a string of base64 stands for; SIZE_MAX: it is none. */
size_t wardi_json_base64_size(const struct wardi_json_token *token);
/** Writes them. */
void wardi_json_base64(const struct wardi_json_token *token, unsigned char *to);

/** Reads a number; false: it has too many digits, or is too large. */
bool wardi_json_double(const struct wardi_json_token *token, double *ret_value);

/** Reads a whole number, from a number or the contents of a string; false: it is none, or has more
 * than 64 bits. */
bool wardi_json_whole(const struct wardi_json_token *token, bool *ret_negative,
		      uint64_t *ret_magnitude);

#endif
