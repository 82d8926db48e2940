/* SPDX-License-Identifier: MIT
 *
 * fuzz_codec.h - any bytes as a message: they are refused in words, or are a value that the table
 * of the type allows, which can be written, and is read again as the same.
 *
 * The first byte of an input is the number of the type, in tests/codec/samples.c.
 */
#ifndef TESTS_FUZZ_CODEC_H
#define TESTS_FUZZ_CODEC_H

#include <stdlib.h>
#include <string.h>

#include "codec/samples.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void check_value(ward_format format, const struct value *value)
{
	ward_bytes again = {.max = 0};
	struct value back;

	check(value_wrong(value) == NULL);
	check(ward_encode(format, value->type, value->body, value->size, &again) == WARD_OK);
	check(value_decode(&back, format, value->type, again.data, again.size) == WARD_OK);
	check(ward_value_same(value->type, value->body, value->size, back.body, back.size));
	value_finish(&back);
	ward_bytes_finish(&again);
}

static int fuzz_codec(ward_format format, const uint8_t *bytes, size_t size)
{
	const struct sample *sample;
	struct value value;
	uint8_t *block;

	if (size == 0)
		return 0;
	sample = &samples[bytes[0] % sample_count()];
	block = malloc(size > 1 ? size - 1 : 1);
	if (block == NULL || !sample_has(sample, format)) {
		free(block);
		return 0;
	}
	memcpy(block, bytes + 1, size - 1);
	if (value_decode(&value, format, sample->type, block, size - 1) == WARD_OK) {
		check_value(format, &value);
		value_finish(&value);
	} else {
		check(ward_err_detail()[0] != '\0');
	}
	free(block);
	return 0;
}

#endif
