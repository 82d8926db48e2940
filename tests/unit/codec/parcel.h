/* SPDX-License-Identifier: MIT
 *
 * parcel.h - a message with rows of all kinds, and some others.
 */
#ifndef PARCEL_H
#define PARCEL_H

#include <stdlib.h>
#include <string.h>

#include <ward/codec.h>
#include <ward/testkit.h>

enum speed { SPEED_SLOW = 3, SPEED_FAST = 7 };
static const ward_field_name speeds[] = {{"slow", SPEED_SLOW}, {"fast", SPEED_FAST}, {NULL, 0}};
static const ward_field_name marks[] = {
	{"fragile", 1}, {"heavy", 2}, {"both", 3}, {"top", INT32_MIN}, {NULL, 0}};

struct size {
	uint16_t width;
	int8_t turn;
};
WARD_FIELDS(size, WARD_FIELD(UINT, size, width, .max = 1000), WARD_FIELD(INT, size, turn));

struct piece {
	char *label;
	struct size size;
};
WARD_FIELDS(piece, WARD_FIELD(STRING, piece, label, .max = 40),
	    WARD_FIELD(GROUP, piece, size, .fields = ward_fields_size));

/* All kinds but a tail. */
struct parcel {
	bool paid;
	uint8_t zone;
	int64_t balance;
	uint64_t number;
	uint32_t bytes;
	double weight;
	double part;
	char *to;
	char note[24];
	int64_t wait_ms;
	enum speed speed;
	uint32_t marks;
	ward_ref sender;
	struct size size;
	unsigned char stamp[5];
	uint16_t code_count;
	unsigned char code[9];
	uint8_t pieces_count;
	struct piece pieces[3];
	int32_t late;
};
WARD_MESSAGE_FIELDS_OWNED(
	parcel, 2, WARD_FIELD(BOOL, parcel, paid), WARD_FIELD(UINT, parcel, zone, .min = 1),
	WARD_FIELD(INT, parcel, balance), WARD_FIELD(UINT, parcel, number),
	WARD_FIELD(SIZE, parcel, bytes), WARD_FIELD(FLOAT, parcel, weight),
	WARD_FIELD(FLOAT, parcel, part, .low = 0.25, .high = 0.75), WARD_FIELD(STRING, parcel, to),
	WARD_FIELD(TEXT, parcel, note), WARD_FIELD(DURATION, parcel, wait_ms),
	WARD_FIELD(ENUM, parcel, speed, .names = speeds),
	WARD_FIELD(MASK, parcel, marks, .names = marks), WARD_FIELD(REF, parcel, sender),
	WARD_FIELD(GROUP, parcel, size, .fields = ward_fields_size),
	WARD_FIELD(BYTES, parcel, stamp),
	WARD_FIELD(BYTES, parcel, code, .min = 1, WARD_COUNTED_BY(parcel, code_count)),
	WARD_FIELD(LIST, parcel, pieces, .fields = ward_fields_piece,
		   WARD_COUNTED_BY(parcel, pieces_count)),
	WARD_FIELD(INT, parcel, late, .min = 5, .max = 9, .since = 2));

struct page {
	uint32_t number;
};
WARD_MESSAGE_FIELDS_UP_TO(page, 1, 200, WARD_FIELD(UINT, page, number),
			  WARD_TAIL_FIELD(page, text, .max = 100));

WARD_SIGNAL(stop);

/* Without a table. */
struct plain {
	int number;
};
WARD_MESSAGE(plain);

#endif
