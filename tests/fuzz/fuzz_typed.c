/* SPDX-License-Identifier: MIT
 *
 * fuzz_typed.c - any bytes as a frame with a body: they are refused in words, or are a body of the
 * type of the list that they name, which is aligned and has all their bytes. For libFuzzer, and for
 * replay.c.
 *
 * The first byte of an input is the place of the frame in its block.
 */
#include <stdlib.h>
#include <string.h>

#include "net/framing/typed.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

struct small {
	uint16_t is;
};
WARD_MESSAGE_FLAT(small);
struct large {
	uint64_t numbers[4];
};
WARD_MESSAGE_FLAT(large);
WARD_SIGNAL(ping);
static const ward_type varying = {
	.name = "a type with a name that is longer than what a refusal has room for, by some words",
	.size = 3,
	.size_max = 300,
	.flags = WARD_TYPE_FLAT};

static const ward_type *const types[] = {&ward_type_small, &ward_type_large, &ward_type_ping,
					 &varying, NULL};

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void check_body(unsigned char *frame, const uint8_t *was, size_t size)
{
	unsigned char *body = wardi_typed_align(frame, size);

	check((uintptr_t)body % WARDI_TYPED_ALIGN == 0 && body == wardi_typed_body(frame));
	check(body <= frame + 1 && frame + 1 - body < WARDI_TYPED_ALIGN);
	check(memcmp(body, was + 1, size - 1) == 0);
	check((body == frame + 1 ? frame[0] : body[size - 1]) == was[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char wrong[96];
	unsigned char *block, *frame;
	const ward_type *type;
	size_t at;

	if (size == 0)
		return 0;
	at = bytes[0] % 64;
	bytes++;
	size--;
	block = malloc(at + size + 1);
	if (block == NULL)
		return 0;
	frame = block + at;
	memcpy(frame, bytes, size);
	memset(wrong, 'x', sizeof wrong);
	type = wardi_typed_read(types, size > 0 ? frame[0] : 0, size, wrong);
	if (type == NULL) {
		check(strnlen(wrong, sizeof wrong) > 0 && memchr(wrong, 0, sizeof wrong) != NULL);
	} else {
		check(wardi_types_find(types, type) == frame[0]);
		check(wardi_typed_fits(type, size - 1));
		check_body(frame, bytes, size);
	}
	free(block);
	return 0;
}
