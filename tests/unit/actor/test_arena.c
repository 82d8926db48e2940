/* SPDX-License-Identifier: MIT
 *
 * test_arena.c - how the chunks of an arena grow, and what a reset keeps of them.
 *
 * Method: chunks that no actor has; the allocator counts what is taken.
 */
#include "actor/arena.h"

#include <string.h>

#include <ward/testkit.h>
#include <ward/ward.h>

enum { HEADER = 32, SMALLEST = 128, GREATEST = 64 * 1024 };

struct chunks {
	struct wardi_alloc alloc;
	struct wardi_chunk *newest;
};

static void start(struct chunks *chunks, bool separate)
{
	memset(chunks, 0, sizeof *chunks);
	wardi_alloc_init(&chunks->alloc, NULL, separate);
	chunks->alloc.separate = separate; /* also where a sanitizer would have it */
}

static uint64_t bytes_of(const struct chunks *chunks)
{
	return atomic_load_explicit(&chunks->alloc.bytes, memory_order_relaxed);
}

/* Says how many bytes were taken from the allocator for it. */
static uint64_t take(struct chunks *chunks, size_t size)
{
	uint64_t before = bytes_of(chunks);
	unsigned char *piece = wardi_chunk_alloc(&chunks->alloc, &chunks->newest, size);
	ward_assert(piece != NULL);
	ward_assert_eq((uintptr_t)piece % 16, 0);
	for (size_t i = 0; i < size; i++)
		ward_assert_eq(piece[i], 0);
	memset(piece, 0xff, size);
	return bytes_of(chunks) - before;
}

static void finish(struct chunks *chunks)
{
	wardi_chunk_free_all(&chunks->alloc, &chunks->newest);
	ward_assert(chunks->newest == NULL);
	ward_assert_eq(bytes_of(chunks), 0);
}

WARD_TEST(chunks_double_from_the_smallest_to_the_greatest)
{
	struct chunks chunks;
	start(&chunks, false);
	for (uint64_t size = SMALLEST; size <= GREATEST; size *= 2) {
		ward_assert_eq(take(&chunks, SMALLEST - HEADER), size);
		for (uint64_t left = size - SMALLEST; left > 0; left -= SMALLEST / 2)
			ward_assert_eq(take(&chunks, SMALLEST / 2), 0);
	}
	ward_assert_eq(take(&chunks, 1), GREATEST);
	finish(&chunks);
}

WARD_TEST(piece_fills_a_chunk_to_its_last_byte)
{
	struct chunks chunks;
	start(&chunks, false);
	ward_assert_eq(take(&chunks, 16), SMALLEST);
	ward_assert_eq(take(&chunks, SMALLEST - HEADER - 16), 0);
	ward_assert_eq(take(&chunks, 1), 2 * SMALLEST);
	/* Each piece is rounded up to 16 bytes: this one leaves no room. */
	ward_assert_eq(take(&chunks, 2 * SMALLEST - HEADER - 17 - 15), 0);
	ward_assert_eq(take(&chunks, 16), 0);
	ward_assert_eq(take(&chunks, 1), 4 * SMALLEST);
	finish(&chunks);
}

WARD_TEST(piece_that_the_next_chunk_is_too_small_for_gets_a_greater_one)
{
	struct chunks chunks;
	start(&chunks, false);
	ward_assert_eq(take(&chunks, SMALLEST - HEADER), SMALLEST);
	finish(&chunks);
	start(&chunks, false);
	ward_assert(take(&chunks, SMALLEST) > SMALLEST + HEADER); /* there is room for more */
	ward_assert_eq(take(&chunks, 64), 0);
	finish(&chunks);
}

WARD_TEST(large_piece_is_a_chunk_of_its_own)
{
	struct chunks chunks;
	start(&chunks, false);
	ward_assert(take(&chunks, GREATEST / 4) > GREATEST / 4 + HEADER);
	ward_assert_eq(take(&chunks, GREATEST / 4 + 16), GREATEST / 4 + 16 + HEADER);
	ward_assert_eq(take(&chunks, 10 * GREATEST), 10 * GREATEST + HEADER);
	finish(&chunks);
}

WARD_TEST(small_pieces_fill_the_chunk_that_was_there_before_a_large_one)
{
	struct chunks chunks;
	start(&chunks, false);
	ward_assert_eq(take(&chunks, 16), SMALLEST);
	for (int left = SMALLEST - HEADER - 16; left > 0; left -= 16) {
		ward_assert_eq(take(&chunks, GREATEST / 2), GREATEST / 2 + HEADER);
		ward_assert_eq(take(&chunks, 16), 0);
	}
	ward_assert_eq(take(&chunks, 16), 2 * SMALLEST);
	finish(&chunks);
}

WARD_TEST(separate_pieces_are_chunks_of_their_own)
{
	struct chunks chunks;
	start(&chunks, true);
	for (size_t size = 16; size <= GREATEST; size *= 2)
		ward_assert_eq(take(&chunks, size), size + HEADER);
	wardi_chunk_reset(&chunks.alloc, &chunks.newest);
	ward_assert_eq(bytes_of(&chunks), 0);
	finish(&chunks);
}

static void *have_none(void *arg, size_t size)
{
	(void)arg;
	(void)size;
	return NULL;
}

static void free_none(void *arg, void *block, size_t size)
{
	(void)arg;
	(void)size;
	ward_assert(block == NULL);
}

WARD_TEST(chunk_that_finds_no_memory_leaves_nothing)
{
	static const ward_allocator none = {have_none, free_none, NULL};
	struct chunks chunks;
	memset(&chunks, 0, sizeof chunks);
	wardi_alloc_init(&chunks.alloc, &none, false);
	ward_assert(wardi_chunk_alloc(&chunks.alloc, &chunks.newest, 1) == NULL);
	ward_assert(wardi_chunk_alloc(&chunks.alloc, &chunks.newest, GREATEST) == NULL);
	ward_assert(chunks.newest == NULL);
	finish(&chunks);
}

WARD_TEST(size_that_nothing_has_is_refused)
{
	struct chunks chunks;
	start(&chunks, false);
	ward_assert(wardi_chunk_alloc(&chunks.alloc, &chunks.newest, SIZE_MAX) == NULL);
	ward_assert(wardi_chunk_alloc(&chunks.alloc, &chunks.newest, SIZE_MAX - 14) == NULL);
	ward_assert_eq(bytes_of(&chunks), 0);
	finish(&chunks);
}

WARD_TEST(reset_keeps_the_newest_chunk_and_empties_it)
{
	struct chunks chunks;
	start(&chunks, false);
	ward_assert_eq(take(&chunks, SMALLEST - HEADER), SMALLEST);
	ward_assert_eq(take(&chunks, SMALLEST), 2 * SMALLEST);
	wardi_chunk_reset(&chunks.alloc, &chunks.newest);
	ward_assert_eq(bytes_of(&chunks), 2 * SMALLEST);
	ward_assert_eq(take(&chunks, 2 * SMALLEST - HEADER), 0);
	finish(&chunks);
}

WARD_TEST(reset_keeps_no_chunk_above_the_greatest)
{
	struct chunks chunks;
	start(&chunks, false);
	ward_assert_eq(take(&chunks, GREATEST - HEADER), GREATEST);
	wardi_chunk_reset(&chunks.alloc, &chunks.newest);
	ward_assert_eq(bytes_of(&chunks), GREATEST);
	ward_assert_eq(take(&chunks, GREATEST), GREATEST + HEADER);
	wardi_chunk_reset(&chunks.alloc, &chunks.newest);
	ward_assert_eq(bytes_of(&chunks), GREATEST);
	finish(&chunks);
	start(&chunks, false);
	ward_assert_eq(take(&chunks, GREATEST), GREATEST + HEADER);
	wardi_chunk_reset(&chunks.alloc, &chunks.newest);
	ward_assert_eq(bytes_of(&chunks), 0);
	finish(&chunks);
}

WARD_TEST_MAIN
