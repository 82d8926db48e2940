/* SPDX-License-Identifier: MIT
 *
 * text.c - short texts of bounded length, each of them one line.
 *
 * Texts come from the program, or from outside it: each character that could start a new line or
 * control a terminal is escaped. All texts that the library shows come through here.
 *
 * Threads: calls may run at the same time.
 */
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
	WORD_MAX = 16, /* of the replacement of a character, with its 0 */
	UTF8_MAX = 4
};

/* Returns how many bytes a character with this first byte has; 0: none begins so. */
static size_t bytes_of(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first < 0xc2 || first > 0xf4)
		return 0;
	return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

size_t wardi_text_decode(const char *text, size_t left, uint32_t *ret_code)
{
	static const uint32_t least[UTF8_MAX + 1] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char first = (unsigned char)text[0];
	size_t count = bytes_of(first);
	uint32_t code = count < 2 ? first : first & (0x7fu >> count);

	if (count > left)
		return 0;
	for (size_t i = 1; i < count; i++) {
		if (((unsigned char)text[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | ((unsigned char)text[i] & 0x3f);
	}
	if (code < least[count] || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff)
		return 0;
	*ret_code = code;
	return count;
}

bool wardi_text_is_visible(uint32_t code)
{
	if (code < 0x20 || (code >= 0x7f && code < 0xa0))
		return false;
	return !(code >= 0x2028 && code <= 0x202e) && !(code >= 0x2066 && code <= 0x2069);
}

/* Writes the replacement of the first character; returns its length, and the bytes replaced. */
static size_t write_word(const char *text, size_t left, char word[WORD_MAX], size_t *ret_count)
{
	static const char letters[] = "\n\t\r", names[] = "ntr";
	uint32_t code = 0;
	size_t count = wardi_text_decode(text, left, &code);
	const char *letter = count == 1 ? strchr(letters, text[0]) : NULL;

	*ret_count = count == 0 ? 1 : count;
	if (count > 0 && wardi_text_is_visible(code)) {
		memcpy(word, text, count);
		return count;
	}
	if (letter != NULL)
		return (size_t)snprintf(word, WORD_MAX, "\\%c", names[letter - letters]);
	if (count < 2)
		return (size_t)snprintf(word, WORD_MAX, "\\x%02x", (unsigned char)text[0]);
	return (size_t)snprintf(word, WORD_MAX, "\\u{%x}", code);
}

/* Whether one of eight bytes is a control character or not ASCII. */
static bool any_of_eight(const char *text)
{
	const uint64_t ones = UINT64_MAX / 0xff;
	uint64_t bytes, from_delete;

	memcpy(&bytes, text, sizeof bytes);
	from_delete = bytes ^ (ones * 0x7f);
	/* The highest bit of a byte: below 0x20, above 0x7f, or 0x7f itself. */
	return (((bytes - ones * 0x20) | bytes | ((from_delete - ones) & ~from_delete)) &
		(ones * 0x80)) != 0;
}

/* Returns the length of the leading plain ASCII, which is all of most texts. The text has at least
 * `length` bytes. */
static size_t count_plain(const char *text, size_t length)
{
	size_t count = 0;

	while (count + 8 <= length && !any_of_eight(text + count))
		count += 8;
	while (count < length && text[count] >= 0x20 && text[count] < 0x7f)
		count++;
	return count;
}

bool wardi_text_is_plain(const char *text, size_t length)
{
	return count_plain(text, length) == length;
}

size_t ward_text_line(char *to, size_t max, const char *text, size_t length)
{
	size_t full = 0, room = max > 0 ? max - 1 : 0, end = 0, count;

	length = strnlen(text, length);
	for (size_t at = 0; at < length; at += count) {
		char word[WORD_MAX];
		const char *piece = text + at;
		size_t wide = count = count_plain(piece, length - at);

		if (count == 0) {
			wide = write_word(piece, length - at, word, &count);
			piece = word;
			/* A replacement is not cut: the text ends before it. */
			room = end + wide > room ? end : room;
		}
		full += wide;
		wide = wide < room - end ? wide : room - end;
		if (wide > 0)
			memcpy(to + end, piece, wide);
		end += wide;
	}
	if (max > 0)
		to[end] = '\0';
	return full;
}

int ward_text_fit(const char *text, int max)
{
	int length = text == NULL || max <= 0 ? max : (int)strnlen(text, (size_t)max);

	if (text == NULL || length < max)
		return length;
	/* The last character begins in the last bytes, or is malformed. */
	for (int back = 1; back <= UTF8_MAX && back <= length; back++) {
		unsigned char byte = (unsigned char)text[length - back];

		if ((byte & 0xc0) != 0x80)
			return bytes_of(byte) > (size_t)back ? length - back : length;
	}
	return length;
}

void wardi_text_copy(char *to, size_t max, const char *text)
{
	ward_text_line(to, max, text, WARD_TEXT_ALL);
}

size_t ward_text_vformat(char *to, size_t max, const char *format, va_list args)
{
	char raw[WARD_TEXT_FORMAT_MAX + 1];
	int length = vsnprintf(raw, sizeof raw, format, args);

	if (length < 0)
		raw[length = 0] = '\0';
	if (length > WARD_TEXT_FORMAT_MAX)
		length = ward_text_fit(raw, WARD_TEXT_FORMAT_MAX);
	/* Nearly always the text is plain already. */
	if ((size_t)length < max && wardi_text_is_plain(raw, (size_t)length)) {
		memcpy(to, raw, (size_t)length + 1);
		return (size_t)length;
	}
	return ward_text_line(to, max, raw, (size_t)length);
}

size_t ward_text_format(char *to, size_t max, const char *format, ...)
{
	va_list args;
	size_t length;

	va_start(args, format);
	length = ward_text_vformat(to, max, format, args);
	va_end(args);
	return length;
}
