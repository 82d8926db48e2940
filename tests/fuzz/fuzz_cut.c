/* SPDX-License-Identifier: MIT
 *
 * fuzz_cut.c - any bytes, by any framing, are cut the same whatever their pieces, and never beyond
 * their end. For libFuzzer, and for replay.c.
 *
 * The first four bytes of an input are the kind, frame_max, the size or the function that finds,
 * and the seed of the pieces; of a delimiter its bytes follow.
 */
#include "support/cutting.h"

enum { HEAD = 4, LARGE = 240, DELIMITER_MAX = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static struct record whole, pieces;

/* Says what the bytes say, true or not. */
static bool find_anything(void *arg, const unsigned char *bytes, size_t count,
			  ward_found *ret_found, const char **ret_wrong)
{
	static const size_t far[] = {0, 1, SIZE_MAX, SIZE_MAX / 2, SIZE_MAX - 7};
	unsigned char first = bytes[0], last = bytes[count - 1];

	(void)arg;
	ret_found->skip = first < 128 ? first % 5 : far[first % 5];
	ret_found->count = last < 128 ? last % 7 : far[last % 5];
	ret_found->after = first < 192 ? count % 3 : far[count % 5];
	ret_found->need = last < 192 ? count + last % 9 : far[last % 5];
	*ret_wrong = first == last ? "bytes that are the same" : NULL;
	return (first + last) % 3 == 0;
}

static void set_find(ward_framing *framing, unsigned char which)
{
	framing->find = which % 3 == 0   ? find_netstring
			: which % 3 == 1 ? find_semicolon
					 : find_anything;
}

/* Returns the bytes of the input that describe the framing. */
static size_t read_framing(const uint8_t *bytes, size_t size, ward_framing *ret_framing,
			   size_t *ret_frame_max)
{
	*ret_framing = (ward_framing){.kind = (ward_framing_kind)(bytes[0] % 8)};
	*ret_frame_max = bytes[1] < LARGE ? bytes[1] : SIZE_MAX - bytes[1] % 16;
	ret_framing->size = bytes[2];
	if (ret_framing->kind == WARD_FRAMING_FOUND)
		set_find(ret_framing, bytes[2]);
	if (ret_framing->kind != WARD_FRAMING_UNTIL)
		return HEAD;
	ret_framing->delimiter = (const char *)bytes + HEAD;
	ret_framing->delimiter_size = bytes[2] % (DELIMITER_MAX + 1);
	if (ret_framing->delimiter_size > size - HEAD)
		ret_framing->delimiter_size = (uint32_t)(size - HEAD);
	return HEAD + ret_framing->delimiter_size;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char why[WARDI_FRAMING_WRONG];
	struct wardi_random random;
	ward_framing framing;
	size_t frame_max, from;

	if (size < HEAD || size > CUTTING_ROOM / 8)
		return 0;
	from = read_framing(bytes, size, &framing, &frame_max);
	if (wardi_framing_wrong(&framing, frame_max, why) != NULL)
		return 0;
	wardi_random_init(&random, bytes[3]);
	cut_whole(&framing, frame_max, bytes + from, size - from, &whole);
	cut_at_random(&framing, frame_max, bytes + from, size - from, &random, 1 + bytes[3] % 32,
		      &pieces);
	if (framing.find != find_anything)
		ward_assert_str(pieces.text, whole.text);
	return 0;
}
