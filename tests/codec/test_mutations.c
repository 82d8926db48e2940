/* SPDX-License-Identifier: MIT
 *
 * test_mutations.c - valid encodings, mutated, in blocks exactly as large: WARD_CODEC_MUTATIONS
 * of them. Each is refused, or is a value that the table allows, which can be written and read
 * again.
 *
 * Under ASan and UBSan it finds what reads or writes too far; what is left behind it finds itself
 * there, too. `make codec` runs it so.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ward/testkit.h>

#include "samples.h"

#if defined(__SANITIZE_ADDRESS__)
#define HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ASAN 1
#endif
#endif
#ifdef HAS_ASAN
int __lsan_do_recoverable_leak_check(void);
#else
static int __lsan_do_recoverable_leak_check(void)
{
	return 0;
}
#endif

enum { POOL = 16, ROOM = 65536, MOST = 8 };

/* What is mutated: POOL encodings of each type in each format. */
struct seed {
	const ward_type *type;
	ward_format format;
	ward_bytes bytes;
};

static struct {
	struct seed *seeds;
	size_t count;
	uint64_t state;
	unsigned char bytes[ROOM];
	size_t size;
	unsigned long refused, accepted, faults;
} mutant;

static uint64_t draw(void)
{
	uint64_t z = mutant.state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static size_t below(size_t bound)
{
	return (size_t)(draw() % bound);
}

static void fault(const struct seed *seed, const char *what, const char *which)
{
	if (mutant.faults++ < 10) {
		printf("%s of %s: %s: %s\n", format_name(seed->format), seed->type->name, what,
		       which);
		for (size_t i = 0; i < mutant.size && i < 400; i++)
			printf("%02x", mutant.bytes[i]);
		printf("\n");
	}
}

/* ---- mutations ---------------------------------------------------------------------------- */

static void insert(size_t at, const unsigned char *bytes, size_t size)
{
	if (mutant.size + size > ROOM)
		return;
	memmove(mutant.bytes + at + size, mutant.bytes + at, mutant.size - at);
	memmove(mutant.bytes + at, bytes, size);
	mutant.size += size;
}

static void cut_out(size_t at, size_t size)
{
	memmove(mutant.bytes + at, mutant.bytes + at + size, mutant.size - at - size);
	mutant.size -= size;
}

/* A length in one, two or four bytes, or a number of some: small, large, or a bit more or less. */
static void put_length(size_t at)
{
	static const uint32_t lengths[] = {
		0, 1, 2, 127, 128, 255, 256, 65535, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
	size_t width = (size_t)1 << below(3);
	uint32_t value = 0;

	if (mutant.size - at < width)
		return;
	for (size_t i = 0; i < width; i++)
		value = value << 8 | mutant.bytes[at + i];
	value = below(2) ? lengths[below(sizeof lengths / sizeof lengths[0])]
			 : value + (uint32_t)below(9) - 4;
	for (size_t i = width; i-- > 0; value >>= 8)
		mutant.bytes[at + i] = (unsigned char)value;
}

/* A part of another encoding of the format takes the place of what is here. */
static void splice(const struct seed *seed, size_t at)
{
	const struct seed *other = &mutant.seeds[below(mutant.count)];
	size_t from, size;

	if (other->format != seed->format || other->bytes.size == 0)
		return;
	from = below(other->bytes.size);
	size = 1 + below(other->bytes.size - from);
	cut_out(at, below(mutant.size - at) + (below(2) ? 0 : 1));
	insert(at, other->bytes.data + from, size);
}

/* What means something in one of the formats. */
static const unsigned char telling[] = {0,   1,   2,    97,  98,  104, 106, 107, 108, 109, 110, 111,
					116, 118, 119,  131, 127, 128, 255, '"', '{', '}', '[', ']',
					':', ',', '\\', '-', '.', 'e', '0', '9', 'n', '=', '#'};

static void mutate(const struct seed *seed)
{
	size_t at;

	if (mutant.size == 0) {
		mutant.bytes[mutant.size++] = (unsigned char)draw();
		return;
	}
	at = below(mutant.size);
	switch (below(10)) {
	case 0:
	case 1:
		mutant.bytes[at] ^= (unsigned char)(1 << below(8));
		break;
	case 2:
		mutant.bytes[at] = telling[below(sizeof telling)];
		break;
	case 3:
		mutant.bytes[at] = (unsigned char)draw();
		break;
	case 4:
		mutant.size = at;
		break;
	case 5:
		insert(at, &telling[below(sizeof telling)], 1);
		break;
	case 6:
		cut_out(at, 1 + below(below(4) ? 1 : mutant.size - at));
		break;
	case 7:
		insert(at, mutant.bytes + at, 1 + below(mutant.size - at));
		break;
	case 8:
		put_length(at);
		break;
	default:
		splice(seed, at);
	}
}

/* ---- what becomes of one ------------------------------------------------------------------ */

/* It can be written, and read again as the same. */
static void check_value(const struct seed *seed, const struct value *value)
{
	ward_bytes again = {.max = 0};
	struct value back;

	if (value_wrong(value) != NULL)
		fault(seed, "a value that the table forbids", value_wrong(value));
	else if (ward_encode(seed->format, value->type, value->body, value->size, &again) !=
		 WARD_OK)
		fault(seed, "it cannot be written", ward_err_detail());
	else if (value_decode(&back, seed->format, value->type, again.data, again.size) != WARD_OK)
		fault(seed, "it cannot be read again", ward_err_detail());
	else {
		if (!ward_value_same(value->type, value->body, value->size, back.body, back.size))
			fault(seed, "it is read as another", "");
		value_finish(&back);
	}
	ward_bytes_finish(&again);
}

static void try_one(const struct seed *seed)
{
	unsigned char *block = malloc(mutant.size > 0 ? mutant.size : 1);
	struct value value;

	ward_assert(block != NULL);
	memcpy(block, mutant.bytes, mutant.size);
	if (value_decode(&value, seed->format, seed->type, block, mutant.size) == WARD_OK) {
		mutant.accepted++;
		check_value(seed, &value);
		value_finish(&value);
	} else {
		mutant.refused++;
		if (ward_err_detail()[0] == '\0')
			fault(seed, "it is refused without a word", "");
	}
	free(block);
}

static void make_seeds(void)
{
	mutant.seeds = calloc(FORMATS * POOL * sample_count(), sizeof mutant.seeds[0]);
	ward_assert(mutant.seeds != NULL);
	for (size_t i = 0; i < FORMATS * POOL * sample_count(); i++) {
		const struct sample *sample = &samples[i / FORMATS % sample_count()];
		struct seed *seed = &mutant.seeds[mutant.count];
		struct value value;

		seed->type = sample->type;
		seed->format = formats[i % FORMATS];
		if (!sample_has(sample, seed->format))
			continue;
		value = value_random(seed->type, i + 1);
		ward_assert_ok(ward_encode(seed->format, value.type, value.body, value.size,
					   &seed->bytes));
		value_finish(&value);
		mutant.count++;
	}
}

WARD_TEST(mutations_are_refused_or_values_that_the_table_allows)
{
	unsigned long count = how_many("WARD_CODEC_MUTATIONS", 20000);

	ward_test_allow_s(3600);
	mutant.state = ward_test_seed();
	make_seeds();
	for (unsigned long i = 0; i < count; i++) {
		const struct seed *seed = &mutant.seeds[i % mutant.count];

		mutant.size = seed->bytes.size;
		ward_assert(mutant.size <= ROOM);
		memcpy(mutant.bytes, seed->bytes.data, mutant.size);
		for (size_t n = below(4) ? 1 : 1 + below(MOST); n > 0; n--)
			mutate(seed);
		try_one(seed);
	}
	for (size_t i = 0; i < mutant.count; i++)
		ward_bytes_finish(&mutant.seeds[i].bytes);
	free(mutant.seeds);
	if (__lsan_do_recoverable_leak_check() != 0)
		mutant.faults++;
	printf("%lu mutations, %lu faults; %lu refused, %lu accepted\n", count, mutant.faults,
	       mutant.refused, mutant.accepted);
	ward_assert_eq(mutant.faults, 0);
	ward_assert(mutant.refused > count / 10 && mutant.accepted > count / 100);
}

WARD_TEST_MAIN;
