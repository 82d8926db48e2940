/* SPDX-License-Identifier: MIT
 *
 * cutting.h - cuts bytes that come in pieces as a stream does, and writes down the outcome.
 *
 * The bytes of each cut are in a block of their own, so that a sanitizer sees what is read behind
 * them. For tests of wardi_cut(), and for a fuzz target.
 */
#ifndef SUPPORT_CUTTING_H
#define SUPPORT_CUTTING_H

#include <stdlib.h>
#include <string.h>

#include <ward/testkit.h>

#include "base/random.h"
#include "net/framing/cut.h"

enum { CUTTING_ROOM = 1 << 17 };

/* The outcome: "<ab><>cut off". Of RAW and COUNTED without brackets, since there it is
 * the bytes that do not depend on the pieces. */
struct record {
	char text[CUTTING_ROOM];
	size_t length;
	bool brackets;
};

static inline void record_byte(struct record *record, unsigned char byte)
{
	static const char digits[] = "0123456789abcdef";

	ward_assert(record->length + 5 < sizeof record->text);
	if (byte >= ' ' && byte < 0x7f && byte != '<' && byte != '>' && byte != '\\') {
		record->text[record->length++] = (char)byte;
		return;
	}
	record->text[record->length++] = '\\';
	record->text[record->length++] = digits[byte >> 4];
	record->text[record->length++] = digits[byte & 15];
}

static inline void record_text(struct record *record, const char *text)
{
	size_t length = strlen(text);

	ward_assert(record->length + length < sizeof record->text);
	memcpy(record->text + record->length, text, length + 1);
	record->length += length;
}

static inline void record_frame(struct record *record, const unsigned char *bytes, size_t size)
{
	if (record->brackets)
		record_text(record, "<");
	for (size_t i = 0; i < size; i++)
		record_byte(record, bytes[i]);
	record_text(record, record->brackets ? ">" : "");
}

struct cutting {
	const ward_framing *framing;
	size_t frame_max;
	const unsigned char *bytes;
	size_t taken; /* by frames */
	struct wardi_cutter cutter;
	struct record *record;
	bool done;
};

static inline void cutting_begin(struct cutting *cutting, const ward_framing *framing,
				 size_t frame_max, const unsigned char *bytes,
				 struct record *record)
{
	*cutting = (struct cutting){framing, frame_max, bytes, 0, {0}, record, false};
	record->length = 0;
	record->text[0] = '\0';
	record->brackets =
		framing->kind != WARD_FRAMING_RAW && framing->kind != WARD_FRAMING_COUNTED;
}

static inline void check_piece(const struct cutting *cutting, const struct wardi_piece *piece,
			       enum wardi_cut cut, size_t count, bool ended)
{
	bool behind = piece->at + piece->size == count;

	ward_assert((cut == WARDI_CUT_WRONG) == (piece->wrong[0] != '\0'));
	if (cut != WARDI_CUT_FRAME) {
		ward_assert(piece->at == 0 && piece->size == 0 && piece->used == 0);
		ward_assert(!piece->closed);
		ward_assert(cut != WARDI_CUT_MORE || cutting->cutter.need == 0 ||
			    cutting->cutter.need > count);
		return;
	}
	ward_assert(piece->used > 0 && piece->used <= count);
	ward_assert(piece->size <= cutting->frame_max);
	ward_assert(piece->at <= piece->used && piece->size <= piece->used - piece->at);
	ward_assert(!piece->closed || piece->at + piece->size < piece->used ||
		    (behind && ended && cutting->framing->kind == WARD_FRAMING_LINES));
	ward_assert(cutting->cutter.scanned == 0 && cutting->cutter.need == 0);
}

static inline enum wardi_cut cut_once(struct cutting *cutting, size_t there, bool ended)
{
	size_t count = there - cutting->taken;
	unsigned char *copy = malloc(count > 0 ? count : 1);
	struct wardi_piece piece;
	enum wardi_cut cut;

	ward_assert(copy != NULL);
	memcpy(copy, cutting->bytes + cutting->taken, count);
	cut = wardi_cut(cutting->framing, &cutting->cutter, cutting->frame_max, copy, count, ended,
			&piece);
	check_piece(cutting, &piece, cut, count, ended);
	ward_assert(memcmp(copy, cutting->bytes + cutting->taken, count) == 0);
	if (cut == WARDI_CUT_FRAME) {
		record_frame(cutting->record, copy + piece.at, piece.size);
		cutting->taken += piece.used;
	}
	if (cut == WARDI_CUT_WRONG) {
		record_text(cutting->record, "wrong: ");
		record_text(cutting->record, piece.wrong);
	}
	free(copy);
	return cut;
}

/* All that can be cut of the bytes that are there. */
static inline void cutting_arrive(struct cutting *cutting, size_t there, bool ended)
{
	enum wardi_cut cut = WARDI_CUT_FRAME;
	bool off;

	if (cutting->done)
		return;
	while (cut == WARDI_CUT_FRAME)
		cut = cut_once(cutting, there, ended);
	cutting->done = cut != WARDI_CUT_MORE || ended;
	if (cut == WARDI_CUT_OVER)
		record_text(cutting->record, "over");
	if (cut == WARDI_CUT_MORE && ended) {
		off = wardi_cut_off(cutting->framing, &cutting->cutter, there - cutting->taken);
		record_text(cutting->record, off ? "cut off" : "end");
	}
}

/* In one piece. */
static inline void cut_whole(const ward_framing *framing, size_t frame_max, const void *bytes,
			     size_t count, struct record *record)
{
	struct cutting cutting;

	cutting_begin(&cutting, framing, frame_max, bytes, record);
	cutting_arrive(&cutting, count, true);
}

/* In pieces of 1 to `max` bytes. */
static inline void cut_at_random(const ward_framing *framing, size_t frame_max, const void *bytes,
				 size_t count, struct wardi_random *random, size_t max,
				 struct record *record)
{
	struct cutting cutting;
	size_t there = 0;

	cutting_begin(&cutting, framing, frame_max, bytes, record);
	while (there < count) {
		size_t next = 1 + wardi_random_below(random, max);

		there += next < count - there ? next : count - there;
		cutting_arrive(&cutting, there, there == count && next % 2 == 0);
	}
	cutting_arrive(&cutting, count, true);
}

/* ---- functions that find ----------------------------------------------------------------- */

/* "3:abc," - and says what it needs. */
static inline bool find_netstring(void *arg, const unsigned char *bytes, size_t count,
				  ward_found *ret_found, const char **ret_wrong)
{
	size_t length = 0, at = 0;

	(void)arg;
	while (at < count && bytes[at] >= '0' && bytes[at] <= '9' && at < 6)
		length = length * 10 + (size_t)(bytes[at++] - '0');
	if (at == count)
		return false;
	if (at == 0 || bytes[at] != ':') {
		*ret_wrong = "a netstring without a length";
		return false;
	}
	ret_found->need = at + 1 + length + 1;
	if (count < ret_found->need)
		return false;
	if (bytes[ret_found->need - 1] != ',') {
		*ret_wrong = "a netstring without an end";
		return false;
	}
	*ret_found = (ward_found){.skip = at + 1, .count = length, .after = 1};
	return true;
}

/* Up to ';', without the dots in front, which may be many; says nothing of what it needs. */
static inline bool find_semicolon(void *arg, const unsigned char *bytes, size_t count,
				  ward_found *ret_found, const char **ret_wrong)
{
	const unsigned char *end = memchr(bytes, ';', count);

	(void)arg, (void)ret_wrong;
	if (end == NULL)
		return false;
	while (bytes[ret_found->skip] == '.')
		ret_found->skip++;
	ret_found->count = (size_t)(end - bytes) - ret_found->skip;
	ret_found->after = 1;
	return true;
}

#endif
