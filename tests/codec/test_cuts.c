/* SPDX-License-Identifier: MIT
 *
 * test_cuts.c - each encoding cut short at each byte, and with one byte too many, in a block
 * exactly as large: it is refused, and nothing is left behind.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ward/testkit.h>

#include "samples.h"

enum { SEEDS = 24 };

static void refused(ward_format format, const ward_type *type, const unsigned char *bytes,
		    size_t count)
{
	unsigned char *block = malloc(count > 0 ? count : 1);
	struct value value;
	ward_err err;

	ward_assert(block != NULL);
	memcpy(block, bytes, count);
	err = value_decode(&value, format, type, block, count);
	if (err != WARD_EINVAL)
		printf("%s of %s: %zu bytes\n", format_name(format), type->name, count);
	ward_assert_err(err, WARD_EINVAL);
	ward_assert(ward_err_detail()[0] != '\0');
	free(block);
}

static void cut(ward_format format, const struct value *value)
{
	ward_bytes out = {.max = 0};

	ward_assert_ok(ward_encode(format, value->type, value->body, value->size, &out));
	/* A long one is cut at all places of its ends, and at some between them. */
	for (size_t count = 0;
	     count<out.size; count += count> 300 && count + 300 < out.size ? 7 : 1)
		refused(format, value->type, out.data, count);
	ward_assert_ok(ward_bytes_add(&out, "}", 1));
	refused(format, value->type, out.data, out.size);
	ward_bytes_finish(&out);
}

static void cuts(ward_format format)
{
	for (const struct sample *sample = samples; sample->type != NULL; sample++) {
		for (uint64_t seed = 1; seed <= SEEDS && sample_has(sample, format); seed++) {
			struct value value = value_random(sample->type, seed);

			cut(format, &value);
			value_finish(&value);
		}
	}
}

WARD_TEST(term_cut_short_is_refused)
{
	cuts(WARD_FORMAT_TERM);
}

WARD_TEST(json_cut_short_is_refused)
{
	cuts(WARD_FORMAT_JSON);
}

WARD_TEST(wire_cut_short_is_refused)
{
	cuts(WARD_FORMAT_WIRE);
}

WARD_TEST_MAIN;
