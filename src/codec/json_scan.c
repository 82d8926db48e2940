/* SPDX-License-Identifier: MIT
 *
 * json_scan.c - the tokens of a JSON text (RFC 8259): strings, numbers, words; skips what nobody
 * wants.
 *
 * A string is checked once, as it is scanned: escapes, pairs of surrogates and UTF-8. What reads it
 * afterwards checks nothing.
 *
 * Threads: knows nothing but its arguments.
 */
#include "codec/json_scan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

/* ---- errors ------------------------------------------------------------------------------ */

enum { PLACE_MAX = 160, TEXT_MAX = 256 };

/* Writes "items[2].count"; the outermost first. */
static size_t write_place(const struct wardi_json_place *place, char *to, size_t max)
{
	size_t at;
	int count;

	if (place == NULL)
		return 0;
	at = write_place(place->around, to, max);
	if (at >= max)
		return at;
	if (place->key == NULL)
		count = snprintf(to + at, max - at, "[%zu]", place->index);
	else
		count = snprintf(to + at, max - at, "%s%.*s", at > 0 ? "." : "",
				 WARD_TEXT_FIT(place->key, 64));
	return count < 0 ? at : at + (size_t)count;
}

void wardi_json_place_text(const struct wardi_json_place *place, char *to, size_t max)
{
	to[0] = '\0';
	write_place(place, to, max);
}

ward_err wardi_json_wrong(const struct wardi_json_in *in, const struct wardi_json_place *place,
			  const char *text, ...)
{
	char key[PLACE_MAX], words[TEXT_MAX];
	va_list args;

	wardi_json_place_text(place, key, sizeof key);
	va_start(args, text);
	vsnprintf(words, sizeof words, text, args);
	va_end(args);
	return wardi_error(WARD_EINVAL, "JSON, byte %zu: %s%s%s", (size_t)(in->at - in->start), key,
			   key[0] != '\0' ? ": " : "", words);
}

/* ---- tokens ------------------------------------------------------------------------------ */

unsigned char wardi_json_next(struct wardi_json_in *in)
{
	while (in->at < in->end &&
	       (*in->at == ' ' || *in->at == '\t' || *in->at == '\n' || *in->at == '\r'))
		in->at++;
	return in->at < in->end ? *in->at : 0;
}

static bool is_digit(unsigned char c)
{
	return c >= '0' && c <= '9';
}

const char *wardi_json_kind(struct wardi_json_in *in)
{
	unsigned char c = wardi_json_next(in);

	switch (c) {
	case '{':
		return "an object";
	case '[':
		return "an array";
	case '"':
		return "a string";
	case 't':
	case 'f':
		return "true or false";
	case 'n':
		return "null";
	case 0:
		return in->at == in->end ? "missing, the text ends here" : "no value";
	default:
		return c == '-' || is_digit(c) ? "a number" : "no value";
	}
}

bool wardi_json_take(struct wardi_json_in *in, char token)
{
	if (wardi_json_next(in) != (unsigned char)token)
		return false;
	in->at++;
	return true;
}

bool wardi_json_take_word(struct wardi_json_in *in, const char *word)
{
	size_t length = strlen(word);

	if (wardi_json_next(in) != (unsigned char)word[0] || (size_t)(in->end - in->at) < length ||
	    memcmp(in->at, word, length) != 0)
		return false;
	in->at += length;
	return true;
}

ward_err wardi_json_more(struct wardi_json_in *in, const struct wardi_json_place *place, char end,
			 bool first, bool *ret_more)
{
	*ret_more = !wardi_json_take(in, end);
	if (!*ret_more || first || wardi_json_take(in, ','))
		return WARD_OK;
	return wardi_json_wrong(in, place, "here must be ',' or '%c'", end);
}

/* ---- strings ----------------------------------------------------------------------------- */

static int hex(unsigned char c)
{
	if (is_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads the four digits of an escape; -1: they are not there. */
static int32_t read_hex(const unsigned char *at, const unsigned char *end)
{
	int32_t code = 0;

	if (end - at < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		int digit = hex(at[i]);

		if (digit < 0)
			return -1;
		code = code * 16 + digit;
	}
	return code;
}

static bool is_high(int32_t code)
{
	return code >= 0xd800 && code < 0xdc00;
}

static bool is_low(int32_t code)
{
	return code >= 0xdc00 && code < 0xe000;
}

static size_t utf8_length(uint32_t code)
{
	return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

/* Checks the escape behind the backslash at in->at. Returns how many bytes it stands for; 0: it is
 * none. */
static size_t scan_escape(struct wardi_json_in *in, struct wardi_json_token *token)
{
	int32_t code, low;

	if (in->end - in->at < 2)
		return 0;
	if (in->at[1] != 'u') {
		if (in->at[1] == 0 || strchr("\"\\/bfnrt", in->at[1]) == NULL)
			return 0;
		in->at += 2;
		return 1;
	}
	code = read_hex(in->at + 2, in->end);
	if (code < 0 || is_low(code))
		return 0;
	if (!is_high(code)) {
		token->has_zero |= code == 0;
		in->at += 6;
		return utf8_length((uint32_t)code);
	}
	if (in->end - in->at < 12 || in->at[6] != '\\' || in->at[7] != 'u')
		return 0;
	low = read_hex(in->at + 8, in->end);
	if (low < 0 || !is_low(low))
		return 0;
	in->at += 12;
	return 4;
}

ward_err wardi_json_string(struct wardi_json_in *in, const struct wardi_json_place *place,
			   struct wardi_json_token *ret_token)
{
	if (!wardi_json_take(in, '"'))
		return wardi_json_wrong(in, place, "is %s, must be a string", wardi_json_kind(in));
	*ret_token = (struct wardi_json_token){.at = in->at};
	while (in->at < in->end && *in->at != '"') {
		uint32_t code;
		size_t length;

		if (*in->at < 0x20)
			return wardi_json_wrong(in, place,
						"a control character, must be an escape");
		if (*in->at == '\\') {
			length = scan_escape(in, ret_token);
			if (length == 0)
				return wardi_json_wrong(in, place,
							"the escape is not one of "
							"JSON, or half a pair");
		} else {
			length = wardi_text_decode((const char *)in->at, (size_t)(in->end - in->at),
						   &code);
			if (length == 0)
				return wardi_json_wrong(in, place, "the string is not UTF-8");
			in->at += length;
		}
		ret_token->length += length;
	}
	if (in->at == in->end)
		return wardi_json_wrong(in, place, "the string does not end");
	ret_token->end = in->at++;
	return WARD_OK;
}

static uint32_t escaped(const unsigned char **at)
{
	static const char letters[] = "bfnrt", codes[] = "\b\f\n\r\t";
	const unsigned char *from = *at + 1;
	const char *letter;
	uint32_t code, low;

	*at += 2;
	if (*from != 'u') {
		letter = strchr(letters, *from);
		return letter == NULL ? *from : (unsigned char)codes[letter - letters];
	}
	code = (uint32_t)read_hex(from + 1, from + 5);
	*at += 4;
	if (!is_high((int32_t)code))
		return code;
	low = (uint32_t)read_hex(from + 7, from + 11);
	*at += 6;
	return 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
}

uint32_t wardi_json_char(const unsigned char **at)
{
	uint32_t code = 0;

	if (**at == '\\')
		return escaped(at);
	/* It was checked: the bytes are there. */
	*at += wardi_text_decode((const char *)*at, 4, &code);
	return code;
}

static size_t write_utf8(uint32_t code, char *to)
{
	static const unsigned char firsts[] = {0, 0, 0xc0, 0xe0, 0xf0};
	size_t length = utf8_length(code);

	for (size_t i = length; i-- > 1; code >>= 6)
		to[i] = (char)(0x80 | (code & 0x3f));
	to[0] = (char)(firsts[length] | code);
	return length;
}

void wardi_json_unescape(const struct wardi_json_token *token, char *to)
{
	for (const unsigned char *at = token->at; at < token->end;)
		to += write_utf8(wardi_json_char(&at), to);
}

bool wardi_json_is(const struct wardi_json_token *token, const char *text)
{
	const unsigned char *at = token->at;
	char bytes[4];

	if (strlen(text) != token->length)
		return false;
	while (at < token->end) {
		size_t length = write_utf8(wardi_json_char(&at), bytes);

		if (memcmp(text, bytes, length) != 0)
			return false;
		text += length;
	}
	return true;
}

/* ---- numbers ----------------------------------------------------------------------------- */

static size_t take_digits(struct wardi_json_in *in)
{
	const unsigned char *from = in->at;

	while (in->at < in->end && is_digit(*in->at))
		in->at++;
	return (size_t)(in->at - from);
}

static bool at_one_of(const struct wardi_json_in *in, char a, char b)
{
	return in->at < in->end && (*in->at == (unsigned char)a || *in->at == (unsigned char)b);
}

/* Whether the digits that a number begins with are as JSON wants them: no 0 in front of others. */
static bool scan_whole(struct wardi_json_in *in)
{
	const unsigned char *from = in->at;
	size_t count = take_digits(in);

	return count == 1 || (count > 1 && *from != '0');
}

ward_err wardi_json_number(struct wardi_json_in *in, const struct wardi_json_place *place,
			   struct wardi_json_token *ret_token)
{
	bool right;

	(void)wardi_json_next(in);
	*ret_token = (struct wardi_json_token){.at = in->at, .is_whole = true};
	if (at_one_of(in, '-', '-'))
		in->at++;
	right = scan_whole(in);
	if (right && at_one_of(in, '.', '.')) {
		ret_token->is_whole = false;
		in->at++;
		right = take_digits(in) > 0;
	}
	if (right && at_one_of(in, 'e', 'E')) {
		ret_token->is_whole = false;
		in->at++;
		if (at_one_of(in, '+', '-'))
			in->at++;
		right = take_digits(in) > 0;
	}
	ret_token->end = in->at;
	ret_token->length = (size_t)(in->at - ret_token->at);
	return right ? WARD_OK : wardi_json_wrong(in, place, "here must be a digit of a number");
}

/* ---- what nobody wants ------------------------------------------------------------------- */

static ward_err skip_entry(struct wardi_json_in *in, const struct wardi_json_place *place, char end,
			   int depth)
{
	struct wardi_json_token token;
	ward_err err;

	if (end == '}') {
		err = wardi_json_string(in, place, &token);
		if (err != WARD_OK)
			return err;
		if (!wardi_json_take(in, ':'))
			return wardi_json_wrong(in, place, "here must be ':'");
	}
	return wardi_json_skip(in, place, depth);
}

static ward_err skip_many(struct wardi_json_in *in, const struct wardi_json_place *place, char end,
			  int depth)
{
	bool more;

	if (depth >= WARDI_JSON_DEPTH)
		return wardi_json_wrong(in, place,
					"more than %d objects and arrays within each "
					"other",
					WARDI_JSON_DEPTH);
	in->at++;
	for (bool first = true;; first = false) {
		ward_err err = wardi_json_more(in, place, end, first, &more);

		if (err != WARD_OK || !more)
			return err;
		err = skip_entry(in, place, end, depth + 1);
		if (err != WARD_OK)
			return err;
	}
}

ward_err wardi_json_skip(struct wardi_json_in *in, const struct wardi_json_place *place, int depth)
{
	struct wardi_json_token token;
	unsigned char c = wardi_json_next(in);

	if (c == '{')
		return skip_many(in, place, '}', depth);
	if (c == '[')
		return skip_many(in, place, ']', depth);
	if (c == '"')
		return wardi_json_string(in, place, &token);
	if (c == '-' || is_digit(c))
		return wardi_json_number(in, place, &token);
	if (wardi_json_take_word(in, "true") || wardi_json_take_word(in, "false") ||
	    wardi_json_take_word(in, "null"))
		return WARD_OK;
	return wardi_json_wrong(in, place, "is %s, must be a value of JSON", wardi_json_kind(in));
}
