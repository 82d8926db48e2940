/* SPDX-License-Identifier: MIT
 *
 * test_memory.c - each value of each type, written and read while the n-th allocation finds no
 * memory, for each n: WARD_ENOMEM, and nothing is left behind.
 *
 * Method: the linker puts the functions below in place of those of the C library.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ward/testkit.h>

#include "samples.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);
char *__wrap_strdup(const char *text);

enum { SEEDS = 40 };

static size_t left; /* until one finds none; 0: all find some */
static long blocks; /* that live */

static bool fails(void)
{
	return left > 0 && --left == 0;
}

static void *counted(void *block)
{
	blocks += block != NULL;
	return block;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *block, size_t size)
{
	void *moved = fails() ? NULL : __real_realloc(block, size);

	blocks += block == NULL && moved != NULL;
	return moved;
}

void __wrap_free(void *block)
{
	blocks -= block != NULL;
	__real_free(block);
}

char *__wrap_strdup(const char *text)
{
	char *copy = __wrap_malloc(strlen(text) + 1);

	return copy != NULL ? strcpy(copy, text) : NULL;
}

/* With a prefix in the buffer, that must stay. Returns how many allocations there are. */
static size_t write_all(ward_format format, const struct value *value, ward_bytes *out)
{
	for (size_t count = 1;; count++) {
		ward_err err;
		size_t unused;

		ward_bytes_finish(out);
		ward_assert_ok(ward_bytes_add(out, "abc", 3));
		left = count;
		err = ward_encode(format, value->type, value->body, value->size, out);
		unused = left;
		left = 0;
		ward_assert(memcmp(out->data, "abc", 3) == 0);
		if (unused > 0) {
			ward_assert_ok(err);
			return count - 1;
		}
		ward_assert_err(err, WARD_ENOMEM);
		ward_assert_eq(out->size, 3);
		ward_assert(ward_err_detail()[0] != '\0');
	}
}

static bool all_zeros(const unsigned char *body, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (body[i] != 0)
			return false;
	}
	return true;
}

static size_t read_all(ward_format format, const ward_type *type, const ward_bytes *out)
{
	size_t room = ward_decode_room(type, out->size - 3);
	unsigned char *body = malloc(room + 1);

	ward_assert(body != NULL);
	for (size_t count = 1;; count++) {
		long before = blocks;
		size_t unused;
		ward_err err;

		memset(body, 0xcd, room);
		left = count;
		err = ward_decode(format, type, out->data + 3, out->size - 3, body, room, NULL);
		unused = left;
		left = 0;
		if (unused > 0) {
			ward_assert_ok(err);
			if (type->drop != NULL)
				type->drop(body);
			ward_assert_eq(blocks, before);
			free(body);
			return count - 1;
		}
		ward_assert_err(err, WARD_ENOMEM);
		ward_assert_eq(blocks, before);
		ward_assert(all_zeros(body, room));
		ward_assert(ward_err_detail()[0] != '\0');
	}
}

static void each(ward_format format)
{
	size_t written = 0, was_read = 0;
	ward_bytes out = {.max = 0};
	long before = blocks;

	for (const struct sample *sample = samples; sample->type != NULL; sample++) {
		for (uint64_t seed = 1; seed <= SEEDS && sample_has(sample, format); seed++) {
			struct value value = value_random(sample->type, seed);

			written += write_all(format, &value, &out);
			was_read += read_all(format, sample->type, &out);
			value_finish(&value);
		}
	}
	ward_bytes_finish(&out);
	printf("%s: %zu allocations of writers, %zu of readers\n", format_name(format), written,
	       was_read);
	ward_assert_eq(blocks, before);
	ward_assert(written > 50 && was_read > 300);
}

WARD_TEST(term_nth_allocation_fails_is_refused)
{
	each(WARD_FORMAT_TERM);
}

WARD_TEST(json_nth_allocation_fails_is_refused)
{
	each(WARD_FORMAT_JSON);
}

WARD_TEST(wire_nth_allocation_fails_is_refused)
{
	each(WARD_FORMAT_WIRE);
}

/* A clone copies strings one by one. */
WARD_TEST(clone_nth_allocation_fails_frees_the_copies)
{
	size_t clones = 0;

	for (const struct sample *sample = samples; sample->type != NULL; sample++) {
		for (uint64_t seed = 1; seed <= SEEDS && sample->type->clone != NULL; seed++) {
			struct value value = value_random(sample->type, seed), copy = value;
			ward_err err = WARD_ENOMEM;

			copy.body = malloc(value.size);
			ward_assert(copy.body != NULL);
			for (size_t count = 1; err != WARD_OK; count++, clones++) {
				long before = blocks;

				memcpy(copy.body, value.body, value.size);
				left = count;
				err = sample->type->clone(copy.body, value.body);
				left = 0;
				ward_assert(err == WARD_OK ||
					    (err == WARD_ENOMEM && blocks == before));
			}
			ward_assert(ward_value_same(value.type, value.body, value.size, copy.body,
						    copy.size));
			value_finish(&copy);
			value_finish(&value);
		}
	}
	ward_assert(clones > 100);
}

WARD_TEST_MAIN;
