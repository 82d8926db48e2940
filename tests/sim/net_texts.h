/* SPDX-License-Identifier: MIT
 *
 * net_texts.h - the requests and answers of test_net.c, whose bytes follow from their numbers, and
 * the framings in which they go.
 */
#ifndef NET_TEXTS_H
#define NET_TEXTS_H

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <ward/net/framing.h>

enum { TEXT_MAX = 4096, FIXED_SIZE = 37, FRAMINGS = 7 };

struct framing_texts {
	const char *name;
	ward_framing framing;
	size_t fixed; /* the size of each text; 0: any */
	bool counted; /* a line, then as many bytes as it says */
	bool torn;    /* an end within a frame does not show */
};

static const struct framing_texts framings[FRAMINGS] = {
	{.name = "lines", .framing = WARD_LINES, .torn = true},
	{.name = "prefix of 2 bytes", .framing = WARD_PREFIX(2)},
	{.name = "prefix of 8 bytes", .framing = WARD_PREFIX(8)},
	{.name = "until \"--\"", .framing = WARD_UNTIL("--")},
	{.name = "until an empty line", .framing = WARD_UNTIL("\r\n\r\n")},
	{.name = "fixed", .framing = WARD_FIXED(FIXED_SIZE), .fixed = FIXED_SIZE},
	{.name = "counted", .framing = WARD_LINES, .counted = true, .torn = true},
};

struct text {
	char bytes[TEXT_MAX];
	size_t size;
	char head[48]; /* of COUNTED */
};

static inline uint64_t text_mix(uint64_t value)
{
	value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
	value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
	return value ^ (value >> 31);
}

/* Mostly short; in one of eight up to 1000 bytes. */
static inline size_t text_size(const struct framing_texts *framing, uint64_t dice)
{
	if (framing->fixed != 0)
		return framing->fixed;
	return 12 + (dice % 8 == 0 ? dice / 8 % 988 : dice / 8 % 50);
}

/* Makes the text with that number of a client. A part of the delimiter is in it, but not in front
 * of its end. */
static inline size_t text_make(const struct framing_texts *framing, uint64_t salt, char kind,
			       uint32_t client, uint32_t number, struct text *ret_text)
{
	uint64_t dice = text_mix(salt ^ ((uint64_t)client << 32) ^ ((uint64_t)number << 8) ^
				 (unsigned char)kind);
	int used = snprintf(ret_text->bytes, TEXT_MAX, "%c %u %u ", kind, client, number);
	size_t at = (size_t)used;

	ret_text->size = text_size(framing, dice);
	for (; at < ret_text->size; at++)
		ret_text->bytes[at] = at % 7 == 3 && at + 1 < ret_text->size
					      ? '-'
					      : (char)('a' + (dice >> at % 32) % 26);
	snprintf(ret_text->head, sizeof ret_text->head, "%c %u %u %zu", kind, client, number,
		 ret_text->size);
	return ret_text->size;
}

#endif
