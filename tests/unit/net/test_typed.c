/* SPDX-License-Identifier: MIT
 *
 * test_typed.c - frames with bodies: which lists can be used, what a frame may be, and that a body
 * is moved to where it can be read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ward/testkit.h>

#include "net/framing/typed.h"

struct small {
	char is;
};
WARD_MESSAGE_FLAT(small);
struct large {
	uint64_t numbers[4];
};
WARD_MESSAGE_FLAT(large);
WARD_SIGNAL(ping);
struct pointing {
	char *at;
};
WARD_MESSAGE(pointing);
static const ward_type varying = {
	.name = "varying", .size = 4, .size_max = 10, .flags = WARD_TYPE_FLAT};

static const ward_type *const types[] = {&ward_type_small, &ward_type_large, &ward_type_ping,
					 &varying, NULL};

WARD_TEST(a_list_has_flat_types_each_once)
{
	const ward_type *const wrong[] = {&ward_type_small, &ward_type_pointing, NULL};
	const ward_type *const twice[] = {&ward_type_small, &ward_type_ping, &ward_type_small,
					  NULL};
	const ward_type *const none[] = {NULL};

	ward_assert(wardi_types_wrong(NULL) == NULL);
	ward_assert(wardi_types_wrong(none) == NULL);
	ward_assert(wardi_types_wrong(types) == NULL);
	ward_assert_part(wardi_types_wrong(wrong), "not flat");
	ward_assert_part(wardi_types_wrong(twice), "twice");
}

WARD_TEST(a_list_has_255_types_at_most)
{
	static ward_type many[256];
	static char names[256][8];
	const ward_type *list[257] = {NULL};

	for (int i = 0; i < 256; i++) {
		snprintf(names[i], sizeof names[i], "t%d", i);
		many[i] = (ward_type){.name = names[i], .size = 1, .flags = WARD_TYPE_FLAT};
		list[i] = i < 255 ? &many[i] : NULL;
	}
	ward_assert(wardi_types_wrong(list) == NULL);
	ward_assert_eq(wardi_types_find(list, &many[254]), 254);
	ward_assert_eq(wardi_types_find(list, &many[255]), -1);
	list[255] = &many[255];
	ward_assert_part(wardi_types_wrong(list), "more than 255");
}

WARD_TEST(a_frame_has_an_index_of_the_list_and_a_body_of_that_size)
{
	static const struct {
		unsigned char index;
		size_t size;
		const ward_type *type;
		const char *part;
	} rows[] = {
		{0, 2, &ward_type_small, NULL},
		{0, 1, NULL, "0 bytes for a body of type small"},
		{0, 3, NULL, "2 bytes for a body of type small"},
		{1, 33, &ward_type_large, NULL},
		{2, 1, &ward_type_ping, NULL},
		{2, 2, NULL, "1 bytes for a body of type ping"},
		{3, 5, &varying, NULL},
		{3, 11, &varying, NULL},
		{3, 4, NULL, "3 bytes"},
		{3, 12, NULL, "11 bytes"},
		{4, 1, NULL, "type 4 of 4"},
		{255, 1, NULL, "type 255 of 4"},
		{0, 0, NULL, "without the index"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char wrong[96] = "";

		ward_assert(wardi_typed_read(types, rows[i].index, rows[i].size, wrong) ==
			    rows[i].type);
		if (rows[i].part != NULL)
			ward_assert_part(wrong, rows[i].part);
	}
}

WARD_TEST(a_body_is_moved_to_where_it_is_aligned)
{
	enum { SIZE = 40 };
	unsigned char *block = aligned_alloc(WARDI_TYPED_ALIGN, 128);

	for (size_t at = 0; at < 32; at++) {
		unsigned char *frame = block + at, *body;

		memset(block, 0xee, 128);
		for (size_t i = 0; i < SIZE; i++)
			frame[i] = (unsigned char)i;
		frame[0] = 77;
		body = wardi_typed_align(frame, SIZE);
		ward_assert_eq((uintptr_t)body % WARDI_TYPED_ALIGN, 0);
		ward_assert(body >= block && body <= frame + 1);
		ward_assert(body == wardi_typed_body(frame));
		for (size_t i = 1; i < SIZE; i++)
			ward_assert_eq(body[i - 1], i);
		ward_assert_eq(body == frame + 1 ? frame[0] : body[SIZE - 1], 77);
		ward_assert_eq(frame[SIZE], 0xee);
	}
	free(block);
}

WARD_TEST_MAIN
