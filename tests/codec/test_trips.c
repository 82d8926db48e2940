/* SPDX-License-Identifier: MIT
 *
 * test_trips.c - random values, written and read again in each format: WARD_CODEC_VALUES of each.
 *
 * A value that comes back is spelled out by the tests' own walk of the table, so neither
 * ward_value_same() nor an error that writing and reading have in common decides alone: what is
 * written is read by others, too (test_beam.c, test_libei.c).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ward/testkit.h>

#include "spell.h"

/* Written twice, before and after the trip: the same bytes. */
static bool comes_back(ward_format format, const struct value *value, ward_bytes *out)
{
	static struct spelling is;
	struct value back = {NULL, NULL, 0};
	size_t size;
	bool same;

	out->size = 0;
	ward_assert_ok(ward_encode(format, value->type, value->body, value->size, out));
	size = out->size;
	ward_assert_ok(value_decode(&back, format, value->type, out->data, size));
	spell_value(&is, &back, SPELL_RECORDS);
	same = spell_same(&is, value, SPELL_RECORDS, value->type->name) &&
	       value_wrong(&back) == NULL &&
	       ward_value_same(value->type, value->body, value->size, back.body, back.size);
	ward_assert_ok(ward_encode(format, value->type, back.body, back.size, out));
	same = same && out->size == 2 * size && memcmp(out->data, out->data + size, size) == 0;
	value_finish(&back);
	return same;
}

static void trips(ward_format format)
{
	unsigned long count = how_many("WARD_CODEC_VALUES", 2000), differ = 0;
	ward_bytes out = {.max = 0};

	for (unsigned long i = 0; i < count; i++) {
		const struct sample *sample = &samples[i % sample_count()];
		struct value value;

		if (!sample_has(sample, format))
			sample = &samples[0];
		value = value_random(sample->type, i / sample_count() + 1);
		if (!comes_back(format, &value, &out))
			differ++;
		value_finish(&value);
	}
	ward_bytes_finish(&out);
	printf("%s: %lu values, %lu differ\n", format_name(format), count, differ);
	ward_assert_eq(differ, 0);
}

WARD_TEST(term_random_value_comes_back)
{
	ward_test_allow_s(300);
	trips(WARD_FORMAT_TERM);
}

WARD_TEST(json_random_value_comes_back)
{
	ward_test_allow_s(300);
	trips(WARD_FORMAT_JSON);
}

WARD_TEST(wire_random_value_comes_back)
{
	ward_test_allow_s(300);
	trips(WARD_FORMAT_WIRE);
}

WARD_TEST(memory_random_value_of_a_flat_type_comes_back)
{
	ward_bytes out = {.max = 0};

	for (const struct sample *sample = samples; sample->type != NULL; sample++) {
		for (uint64_t seed = 1; sample->flat && seed <= 100; seed++) {
			struct value value = value_random(sample->type, seed);

			ward_assert(comes_back(WARD_FORMAT_MEMORY, &value, &out));
			value_finish(&value);
		}
	}
	ward_bytes_finish(&out);
}

WARD_TEST(values_random_are_allowed_by_their_tables)
{
	for (const struct sample *sample = samples; sample->type != NULL; sample++) {
		for (uint64_t seed = 1; seed <= 1000; seed++) {
			struct value value = value_random(sample->type, seed);
			const char *wrong = value_wrong(&value);

			ward_assert_str(wrong != NULL ? wrong : "none", "none");
			value_finish(&value);
		}
	}
}

WARD_TEST(tables_of_the_samples_are_valid)
{
	for (const struct sample *sample = samples; sample->type != NULL; sample++)
		ward_assert_ok(ward_codec_check(sample->type));
}

WARD_TEST_MAIN;
