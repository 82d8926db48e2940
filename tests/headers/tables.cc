/* SPDX-License-Identifier: MIT
 *
 * tables.cc - tables of messages as C11, C17 and C++17; the options of rows as C and C++20.
 */
#include <ward/codec.h>

struct deposit {
	uint64_t account;
	int64_t cents;
	char note[24];
};
WARD_MESSAGE_FIELDS(deposit, 1, WARD_FIELD(UINT, deposit, account), WARD_FIELD(INT, deposit, cents),
		    WARD_OPTIONAL_FIELD(TEXT, deposit, note));

struct letter {
	char *text;
};
WARD_MESSAGE_FIELDS_OWNED(letter, 1, WARD_FIELD(STRING, letter, text));

struct page {
	uint32_t number;
};
WARD_MESSAGE_FIELDS_UP_TO(page, 1, 4096, WARD_FIELD(UINT, page, number),
			  WARD_TAIL_FIELD(page, text));

#if !defined __cplusplus || __cplusplus > 201703L
static const ward_field_name colors[] = {{"red", 1}, {"blue", 2}, {NULL, 0}};
struct item {
	int8_t small;
	uint32_t mask;
};
WARD_FIELDS(item, WARD_FIELD(INT, item, small, .min = -5, .max = -1),
	    WARD_FIELD(MASK, item, mask, .names = colors));
struct order {
	uint64_t number;
	double part;
	uint16_t count;
	struct item items[4];
	struct item first;
	unsigned char raw[16];
};
WARD_MESSAGE_FIELDS_TUPLE(order, 2,
			  WARD_FIELD(UINT, order, number, .min = 1, .umax = UINT64_MAX - 1),
			  WARD_FIELD(FLOAT, order, part, .low = 0.25, .high = 0.75),
			  WARD_FIELD(LIST, order, items, .fields = ward_fields_item,
				     WARD_COUNTED_BY(order, count)),
			  WARD_FIELD(GROUP, order, first, .fields = ward_fields_item),
			  WARD_FIELD(BYTES, order, raw, .since = 2));
#endif
