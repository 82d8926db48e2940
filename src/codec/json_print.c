/* SPDX-License-Identifier: MIT
 *
 * json_print.c - the values of JSON as text, and back: strings, base64, numbers with a point.
 *
 * Threads: knows nothing but its arguments, and the decimal point of the locale.
 */
#include "codec/json_print.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* ---- strings ----------------------------------------------------------------------------- */

bool wardi_json_is_utf8(const char *text, size_t length)
{
	uint32_t code;

	while (length > 0) {
		size_t count = wardi_text_decode(text, length, &code);

		if (count == 0)
			return false;
		text += count;
		length -= count;
	}
	return true;
}

/* Writes the escape of a character that cannot stand in a string; returns its length, 0: it
 * can. */
static size_t write_escape(unsigned char c, char to[8])
{
	static const char codes[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
	const char *code = c == 0 ? NULL : strchr(codes, c);

	if (code != NULL) {
		to[0] = '\\';
		to[1] = letters[code - codes];
		return 2;
	}
	return c < 0x20 || c == 0x7f ? (size_t)snprintf(to, 8, "\\u%04x", c) : 0;
}

ward_err wardi_json_add_string(ward_bytes *out, const char *text, size_t length)
{
	ward_err err = WARDI_JSON_ADD(out, "\"");
	size_t from = 0, escape;
	char word[8];

	for (size_t at = 0; err == WARD_OK && at < length; at++) {
		escape = write_escape((unsigned char)text[at], word);
		if (escape == 0)
			continue;
		err = ward_bytes_add(out, text + from, at - from);
		if (err == WARD_OK)
			err = ward_bytes_add(out, word, escape);
		from = at + 1;
	}
	if (err == WARD_OK)
		err = ward_bytes_add(out, text + from, length - from);
	return err == WARD_OK ? WARDI_JSON_ADD(out, "\"") : err;
}

/* ---- base64 ------------------------------------------------------------------------------ */

static const char letters64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

ward_err wardi_json_add_base64(ward_bytes *out, const unsigned char *bytes, size_t count)
{
	ward_err err = WARDI_JSON_ADD(out, "\"");

	for (size_t at = 0; err == WARD_OK && at < count; at += 3) {
		size_t left = count - at;
		uint32_t bits = (uint32_t)bytes[at] << 16;
		char word[4];

		bits |= left > 1 ? (uint32_t)bytes[at + 1] << 8 : 0;
		bits |= left > 2 ? bytes[at + 2] : 0;
		for (size_t i = 0; i < 4; i++)
			word[i] = i <= left ? letters64[bits >> (18 - 6 * i) & 63] : '=';
		err = ward_bytes_add(out, word, sizeof word);
	}
	return err == WARD_OK ? WARDI_JSON_ADD(out, "\"") : err;
}

/* Returns the value of a letter; 64: it is none. */
static uint32_t value64(uint32_t letter)
{
	const char *found;

	if (letter == 0 || letter > 0x7f)
		return 64;
	found = strchr(letters64, (int)letter);
	return found == NULL ? 64 : (uint32_t)(found - letters64);
}

/* Reads four letters; returns the bytes that they stand for, SIZE_MAX: they are wrong. Bits that no
 * byte has must be 0, so that bytes have one text only. */
static size_t read_four(const unsigned char **at, uint32_t *ret_bits)
{
	uint32_t bits = 0;
	size_t pads = 0;

	for (int i = 0; i < 4; i++) {
		uint32_t letter = wardi_json_char(at), value = value64(letter);

		if (letter == '=')
			pads++;
		else if (value == 64 || pads > 0)
			return SIZE_MAX;
		bits = bits << 6 | (value & 63);
	}
	*ret_bits = bits;
	if (pads > 2 || (pads == 1 && (bits & 0xff) != 0) || (pads == 2 && (bits & 0xffff) != 0))
		return SIZE_MAX;
	return 3 - pads;
}

size_t wardi_json_base64_size(const struct wardi_json_token *token)
{
	const unsigned char *at = token->at;
	size_t size = 0;

	if (token->length % 4 != 0)
		return SIZE_MAX;
	/* A character of several bytes is no letter, so four characters are there. */
	for (size_t left = token->length; left > 0; left -= 4) {
		uint32_t bits;
		size_t count = read_four(&at, &bits);

		if (count == SIZE_MAX || (count < 3 && left > 4))
			return SIZE_MAX;
		size += count;
	}
	return size;
}

void wardi_json_base64(const struct wardi_json_token *token, unsigned char *to)
{
	for (const unsigned char *at = token->at; at < token->end;) {
		uint32_t bits;
		size_t count = read_four(&at, &bits);

		for (size_t i = 0; i < count; i++)
			*to++ = (unsigned char)(bits >> (16 - 8 * i));
	}
}

/* ---- numbers ----------------------------------------------------------------------------- */

enum { NUMBER_MAX = 1100 }; /* digits of the longest double that is written out, and more */

/* The decimal point of the locale, which may be of several bytes. */
static size_t find_point(char point[16])
{
	char text[32];
	int length = snprintf(text, sizeof text, "%.1f", 0.5);
	size_t count = (size_t)length - 2;

	memcpy(point, text + 1, count < 16 ? count : 15);
	return count < 16 ? count : 15;
}

ward_err wardi_json_add_double(ward_bytes *out, double value)
{
	char text[48], point[16], *found;
	size_t length, count = find_point(point);

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	point[count] = '\0';
	found = strstr(text, point);
	length = strlen(text);
	if (found != NULL) {
		*found = '.';
		memmove(found + 1, found + count, length - (size_t)(found - text) - count + 1);
	} else if (strchr(text, 'e') == NULL) {
		/* Many readers make an integer of a number without a point, and have no -0. */
		memcpy(text + length, ".0", 3);
	}
	return ward_bytes_add(out, text, strlen(text));
}

bool wardi_json_double(const struct wardi_json_token *token, double *ret_value)
{
	char text[NUMBER_MAX + 32], point[16];
	size_t at = 0, count = find_point(point);

	if (token->length > NUMBER_MAX)
		return false;
	for (const unsigned char *from = token->at; from < token->end; from++) {
		if (*from != '.') {
			text[at++] = (char)*from;
			continue;
		}
		memcpy(text + at, point, count);
		at += count;
	}
	text[at] = '\0';
	*ret_value = strtod(text, NULL);
	return isfinite(*ret_value);
}

/* Above this a double cannot hold all whole numbers. */
#define EXACT_MAX ((UINT64_C(1) << 53) - 1)

ward_err wardi_json_add_uint(ward_bytes *out, uint64_t value)
{
	char text[32];
	const char *quote = value > EXACT_MAX ? "\"" : "";
	int length = snprintf(text, sizeof text, "%s%" PRIu64 "%s", quote, value, quote);

	return ward_bytes_add(out, text, (size_t)length);
}

ward_err wardi_json_add_int(ward_bytes *out, int64_t value)
{
	char text[32];
	uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	const char *quote = magnitude > EXACT_MAX ? "\"" : "";
	int length = snprintf(text, sizeof text, "%s%" PRId64 "%s", quote, value, quote);

	return ward_bytes_add(out, text, (size_t)length);
}

bool wardi_json_whole(const struct wardi_json_token *token, bool *ret_negative,
		      uint64_t *ret_magnitude)
{
	const unsigned char *at = token->at;
	uint64_t magnitude = 0;

	*ret_negative = at < token->end && *at == '-';
	at += *ret_negative;
	if (at == token->end)
		return false;
	for (; at < token->end; at++)
		if (*at < '0' || *at > '9' || __builtin_mul_overflow(magnitude, 10, &magnitude) ||
		    __builtin_add_overflow(magnitude, (uint64_t)(*at - '0'), &magnitude))
			return false;
	*ret_magnitude = magnitude;
	return true;
}
