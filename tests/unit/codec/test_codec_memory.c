/* SPDX-License-Identifier: MIT
 *
 * test_codec_memory.c - no memory: each allocation of a reader, a writer, a generator finds none
 * once.
 *
 * Method: the linker puts the functions below in place of those of the C library, for what is
 * linked into this program. What is left over is found by the sanitizers.
 */
#include "parcel.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);

static size_t left; /* until one finds none; 0: all find some */

static bool fails(void)
{
	return left > 0 && --left == 0;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size)
{
	return fails() ? NULL : __real_realloc(block, size);
}

/* Runs it once for each n-th allocation, until there are no more; returns how many there were. */
static size_t for_each(ward_err (*what)(void *arg), void *arg)
{
	for (size_t count = 1;; count++) {
		ward_err err;

		left = count;
		err = what(arg);
		if (left > 0) {
			left = 0;
			ward_assert_ok(err);
			return count - 1;
		}
		ward_assert_err(err, WARD_ENOMEM);
	}
}

static bool is_zero(const void *body, size_t size)
{
	const char *at = body;

	for (size_t i = 0; i < size; i++)
		if (at[i] != 0)
			return false;
	return true;
}

/* The fullest value: three labels and a text. */
static ward_err draw(void *arg)
{
	struct parcel parcel;
	ward_err err = ward_value_random(&ward_type_parcel, 2, &parcel, sizeof parcel, NULL);

	(void)arg;
	if (err == WARD_OK)
		ward_type_parcel.drop(&parcel);
	else
		ward_assert(is_zero(&parcel, sizeof parcel));
	return err;
}

WARD_TEST(random_values_without_memory_own_nothing, "S183")
{
	ward_assert_eq(for_each(draw, NULL), 4);
}

static ward_err encode(void *arg)
{
	ward_bytes out = {.data = NULL};
	ward_err err =
		ward_encode(WARD_FORMAT_JSON, &ward_type_parcel, arg, sizeof(struct parcel), &out);

	if (err != WARD_OK)
		ward_assert_eq(out.size, 0);
	ward_bytes_finish(&out);
	return err;
}

static ward_err decode(void *arg)
{
	const ward_bytes *in = arg;
	struct parcel parcel;
	ward_err err = ward_decode(WARD_FORMAT_JSON, &ward_type_parcel, in->data, in->size, &parcel,
				   sizeof parcel, NULL);

	if (err == WARD_OK)
		ward_type_parcel.drop(&parcel);
	else
		ward_assert(is_zero(&parcel, sizeof parcel));
	return err;
}

static ward_err schema(void *arg)
{
	ward_bytes out = {.data = NULL};
	ward_err err = ward_codec_schema(arg, &out);

	if (err != WARD_OK)
		ward_assert_eq(out.size, 0);
	ward_bytes_finish(&out);
	return err;
}

WARD_TEST(json_without_memory_is_undone, "S181", "S182")
{
	struct parcel parcel;
	ward_bytes out = {.data = NULL};
	ward_type type = ward_type_parcel;

	ward_assert_ok(ward_value_random(&ward_type_parcel, 2, &parcel, sizeof parcel, NULL));
	ward_assert(for_each(encode, &parcel) > 2);
	ward_assert_ok(
		ward_encode(WARD_FORMAT_JSON, &ward_type_parcel, &parcel, sizeof parcel, &out));
	ward_assert_eq(for_each(decode, &out), 4);
	ward_assert(for_each(schema, &type) > 2);
	ward_type_parcel.drop(&parcel);
	ward_bytes_finish(&out);
}

static bool is_full(const void *body, size_t size, void *arg)
{
	const struct parcel *parcel = body;

	(void)size, (void)arg;
	return parcel->pieces_count == 3 && parcel->to != NULL;
}

/* The body stays one with which the test fails. */
static ward_err shrink(void *arg)
{
	struct parcel parcel;
	size_t size = sizeof parcel, count = left;
	ward_err err;

	(void)arg;
	left = 0;
	ward_assert_ok(ward_value_random(&ward_type_parcel, 2, &parcel, sizeof parcel, NULL));
	left = count;
	err = ward_value_shrink(&ward_type_parcel, &parcel, &size, is_full, NULL);
	ward_assert(is_full(&parcel, size, NULL));
	ward_type_parcel.drop(&parcel);
	return err;
}

WARD_TEST(shrinking_without_memory_keeps_a_failing_value, "S183")
{
	ward_assert(for_each(shrink, NULL) > 0);
}

WARD_TEST_MAIN
