/* SPDX-License-Identifier: MIT
 *
 * json_scan.h - the tokens of a JSON text: strings, numbers, words; skips what nobody wants.
 */
#ifndef WARDI_JSON_SCAN_H
#define WARDI_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ward/types.h>

enum { WARDI_JSON_DEPTH = 64 }; /* objects and arrays within each other */

/** Where a value is: a key, or the index in a list, and what is around it. */
struct wardi_json_place {
	const char *key; /* NULL: an entry of a list */
	size_t index;
	const struct wardi_json_place *around;
};

/** A text that is read. It need not end with 0. */
struct wardi_json_in {
	const unsigned char *start, *at, *end;
};

/** A string or a number as it is written, without quotes. A string is well-formed: each escape
 * and each character was checked. */
struct wardi_json_token {
	const unsigned char *at, *end;
	size_t length; /* of a string: in bytes, without escapes */
	bool has_zero; /* of a string: \u0000 */
	bool is_whole; /* of a number: no point, no exponent */
};

/** Writes "items[2].count". */
void wardi_json_place_text(const struct wardi_json_place *place, char *to, size_t max);

/** Notes the text with byte and key, and returns WARD_EINVAL. */
WARD_PRINTF(3, 4)
ward_err wardi_json_wrong(const struct wardi_json_in *in, const struct wardi_json_place *place,
			  const char *text, ...);

/** Returns the first character of the next token, behind the spaces; 0: the text ends. */
unsigned char wardi_json_next(struct wardi_json_in *in);

/** Returns what the next token is, for an error: "a string". */
const char *wardi_json_kind(struct wardi_json_in *in);

/** Takes this character, or this word, if it is the next token. */
bool wardi_json_take(struct wardi_json_in *in, char token);
bool wardi_json_take_word(struct wardi_json_in *in, const char *word);

/** Read the next token, which begins like one. */
WARD_MUST_USE ward_err wardi_json_string(struct wardi_json_in *in,
					 const struct wardi_json_place *place,
					 struct wardi_json_token *ret_token);
WARD_MUST_USE ward_err wardi_json_number(struct wardi_json_in *in,
					 const struct wardi_json_place *place,
					 struct wardi_json_token *ret_token);

/** Reads the separator in front of an entry of an object or array that ends with `end`; the first
 * has none. *ret_more false: this was the end, and is taken. */
WARD_MUST_USE ward_err wardi_json_more(struct wardi_json_in *in,
				       const struct wardi_json_place *place, char end, bool first,
				       bool *ret_more);

/** Skips a value; `depth` is how many objects and arrays are around it. */
WARD_MUST_USE ward_err wardi_json_skip(struct wardi_json_in *in,
				       const struct wardi_json_place *place, int depth);

/** Returns the next character of a string, and moves *at behind it. */
uint32_t wardi_json_char(const unsigned char **at);

/** Writes the string without escapes: token->length bytes. */
void wardi_json_unescape(const struct wardi_json_token *token, char *to);

/** Returns whether the string is this text. */
bool wardi_json_is(const struct wardi_json_token *token, const char *text);

#endif
