/* SPDX-License-Identifier: MIT
 *
 * test_find.c - what a function of the program finds is checked, and asked for no more than needed.
 */
#include "support/cutting.h"

/* What the next call returns, and what was asked. */
struct answer {
	bool found;
	ward_found at;
	const char *wrong;
	int calls;
	size_t bytes; /* that all calls were shown */
};

static bool find_answer(void *arg, const unsigned char *bytes, size_t count, ward_found *ret_found,
			const char **ret_wrong)
{
	struct answer *answer = arg;

	(void)bytes;
	ward_assert(ret_found->skip == 0 && ret_found->count == 0 && ret_found->after == 0);
	ward_assert(ret_found->need == 0 && *ret_wrong == NULL);
	answer->calls++;
	answer->bytes += count;
	*ret_found = answer->at;
	*ret_wrong = answer->wrong;
	return answer->found;
}

enum { MAX = 10, LIMIT = MAX + WARDI_FOUND_AROUND };

static const unsigned char room[LIMIT + 100];

/* One cut of `count` bytes. */
static enum wardi_cut ask(struct answer *answer, struct wardi_cutter *cutter, size_t count,
			  struct wardi_piece *ret_piece)
{
	const ward_framing framing = {
		.kind = WARD_FRAMING_FOUND, .find = find_answer, .arg = answer};

	return wardi_cut(&framing, cutter, MAX, room, count, false, ret_piece);
}

static void check_wrong(struct answer answer, size_t count, const char *text)
{
	struct wardi_cutter cutter = {0};
	struct wardi_piece piece;

	ward_assert_eq(ask(&answer, &cutter, count, &piece), WARDI_CUT_WRONG);
	ward_assert_str(piece.wrong, text);
	ward_assert(piece.used == 0 && piece.size == 0);
}

WARD_TEST(find_that_lies_is_wrong)
{
	static const ward_found beyond[] = {
		{.skip = 9},
		{.count = 9},
		{.after = 9},
		{.skip = 4, .count = 4, .after = 1},
		{.skip = SIZE_MAX, .count = 2},
		{.skip = 2, .count = SIZE_MAX},
		{.skip = 2, .count = 2, .after = SIZE_MAX - 3},
		{.skip = SIZE_MAX, .count = SIZE_MAX, .after = 10},
	};

	for (size_t i = 0; i < sizeof beyond / sizeof beyond[0]; i++)
		check_wrong((struct answer){.found = true, .at = beyond[i]}, 8,
			    "a find that reaches beyond the bytes");
	check_wrong((struct answer){.found = true}, 8, "a find that takes no bytes");
}

WARD_TEST(find_of_too_many_bytes_is_wrong)
{
	check_wrong((struct answer){.found = true, .at = {.skip = 1, .count = MAX + 1}}, 20,
		    "a frame of 11 bytes, 10 allowed");
	check_wrong((struct answer){.found = true, .at = {.skip = LIMIT, .count = 1}}, LIMIT + 1,
		    "a frame that takes more than 4106 bytes in all");
	check_wrong((struct answer){.at = {.need = LIMIT + 1}}, 1,
		    "a frame that takes more than 4106 bytes in all");
	check_wrong((struct answer){.at = {.need = SIZE_MAX}}, 1,
		    "a frame that takes more than 4106 bytes in all");
	check_wrong((struct answer){0}, LIMIT, "a frame that takes more than 4106 bytes in all");
}

WARD_TEST(find_that_refuses_has_its_text_on_one_line)
{
	char text[201] = {0}, cut[96] = {0};

	check_wrong((struct answer){.wrong = "no \"such\" frame"}, 3, "no \"such\" frame");
	check_wrong((struct answer){.wrong = "two\nlines"}, 3, "two\\nlines");
	memset(text, 'x', 200);
	memset(cut, 'x', sizeof cut - 1);
	check_wrong((struct answer){.wrong = text}, 3, cut);
}

WARD_TEST(find_to_the_limit_is_a_frame)
{
	struct answer answer = {.found = true, .at = {.skip = 96, .count = MAX, .after = 4000}};
	struct wardi_cutter cutter = {0};
	struct wardi_piece piece;

	ward_assert_eq(ask(&answer, &cutter, LIMIT, &piece), WARDI_CUT_FRAME);
	ward_assert(piece.at == 96 && piece.size == MAX && piece.used == LIMIT && piece.closed);
	answer.at = (ward_found){.skip = 2, .count = 0};
	ward_assert_eq(ask(&answer, &cutter, 2, &piece), WARDI_CUT_FRAME);
	ward_assert(piece.at == 2 && piece.size == 0 && piece.used == 2 && !piece.closed);
}

WARD_TEST(find_is_asked_again_only_with_what_it_needs)
{
	struct answer answer = {.at = {.need = 7}};
	struct wardi_cutter cutter = {0};
	struct wardi_piece piece;

	for (size_t count = 0; count < 7; count++)
		ward_assert_eq(ask(&answer, &cutter, count, &piece), WARDI_CUT_MORE);
	ward_assert_eq(answer.calls, 1);
	ward_assert_eq(cutter.need, 7);
	/* what it needs is there already: so it does not know */
	ward_assert_eq(ask(&answer, &cutter, 7, &piece), WARDI_CUT_MORE);
	ward_assert_eq(answer.calls, 2);
	ward_assert_eq(cutter.need, 0);
	for (int i = 0; i < 3; i++)
		ward_assert_eq(ask(&answer, &cutter, 7, &piece), WARDI_CUT_MORE);
	ward_assert_eq(answer.calls, 2);
	answer.at.need = 0;
	ward_assert_eq(ask(&answer, &cutter, 8, &piece), WARDI_CUT_MORE);
	ward_assert_eq(answer.calls, 3);
	answer.found = true;
	answer.at.count = 2;
	ward_assert_eq(ask(&answer, &cutter, 9, &piece), WARDI_CUT_FRAME);
	ward_assert_eq(ask(&answer, &cutter, 7, &piece), WARDI_CUT_FRAME);
	ward_assert_eq(answer.calls, 5);
}

/* `count` of a letter, then ';'. */
static void try_long(char letter, size_t count, const char *wanted)
{
	static const ward_framing framing = {.kind = WARD_FRAMING_FOUND, .find = find_semicolon};
	static const size_t piece_max[] = {1, 3, 1000, 9000};
	static unsigned char bytes[LIMIT + 10];
	static struct record record;
	struct wardi_random random;

	wardi_random_init(&random, 1);
	memset(bytes, letter, count);
	bytes[count] = ';';
	cut_whole(&framing, MAX, bytes, count + 1, &record);
	ward_assert_str(record.text, wanted);
	for (int i = 0; i < 4; i++) {
		cut_at_random(&framing, MAX, bytes, count + 1, &random, piece_max[i], &record);
		ward_assert_str(record.text, wanted);
	}
}

WARD_TEST(find_at_the_limits_is_the_same_in_all_pieces)
{
	try_long('a', MAX, "<aaaaaaaaaa>end");
	try_long('a', MAX + 1, "wrong: a frame of 11 bytes, 10 allowed");
	try_long('a', LIMIT - 1, "wrong: a frame of 4105 bytes, 10 allowed");
	try_long('a', LIMIT, "wrong: a frame that takes more than 4106 bytes in all");
	try_long('.', LIMIT - 1, "<>end");
	try_long('.', LIMIT, "wrong: a frame that takes more than 4106 bytes in all");
}

/* The first call says what is needed in all. */
static bool find_large(void *arg, const unsigned char *bytes, size_t count, ward_found *ret_found,
		       const char **ret_wrong)
{
	struct answer *answer = arg;

	answer->calls++;
	answer->bytes += count;
	return find_netstring(NULL, bytes, count, ret_found, ret_wrong);
}

WARD_TEST(find_that_knows_its_need_costs_no_more_byte_by_byte)
{
	enum { SIZE = 50000 };
	static unsigned char bytes[SIZE + 7];
	struct answer answer = {0};
	const ward_framing framing = {
		.kind = WARD_FRAMING_FOUND, .find = find_large, .arg = &answer};
	struct wardi_cutter cutter = {0};
	struct wardi_piece piece;

	memcpy(bytes, "50000:", 6);
	bytes[SIZE + 6] = ',';
	for (size_t count = 1; count < sizeof bytes; count++)
		ward_assert_eq(wardi_cut(&framing, &cutter, SIZE, bytes, count, false, &piece),
			       WARDI_CUT_MORE);
	ward_assert_eq(wardi_cut(&framing, &cutter, SIZE, bytes, sizeof bytes, false, &piece),
		       WARDI_CUT_FRAME);
	ward_assert_eq(piece.size, SIZE);
	/* 1 to 6 bytes, and all: of a pointer to what it is shown no more can be read */
	ward_assert_eq(answer.calls, 7);
	ward_assert_eq(answer.bytes, 21 + sizeof bytes);
}

WARD_TEST_MAIN
