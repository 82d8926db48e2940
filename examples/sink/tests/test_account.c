/* SPDX-License-Identifier: MIT
 *
 * test_account.c - what is asked for, in which order, and what going back means.
 *
 * Goal: what is acknowledged only grows over lines that are stored, and all that is not is asked
 * for again. Method: the account alone; the test plays reader and writer.
 */
#include "../ledger.h"

#include <stdlib.h>

#include <ward/testkit.h>

static struct account account;
static struct place places[3];

/* Sources of these sizes; a negative one can still grow. */
static void begin(int64_t first, int64_t second, int64_t third)
{
	struct source all[3] = {{.id = 11, .limit = first, .complete = true},
				{.id = 12, .limit = second, .complete = true},
				{.id = 13, .limit = third, .complete = true}};
	if (third < 0) {
		all[2].limit = 0;
		all[2].complete = false;
	}
	struct sources sources = {.all = all, .count = 3};
	account_init(&account, places, &sources);
	account_open(&account);
	account_rewind(&account);
}

/* Plays the reader: lines of ten bytes from the request's offset on, up to its limit. */
static uint32_t read_lines(const struct request *request)
{
	uint32_t sent = 0;
	int64_t at = request->offset;
	for (; sent < request->count && at + 10 <= request->limit; at += 10)
		ward_assert(account_line(&account, request->number + sent++, request->source, 10,
					 at + 10));
	ward_assert(account_read(&account, request->number, sent, at, at + 10 > request->limit));
	return sent;
}

/* Reads and stores all there is. Returns how many lines that was. */
static uint32_t settle_all(void)
{
	struct request request;
	uint32_t lines = 0;
	while (account_ask(&account, NO_SOURCE, &request)) {
		uint32_t sent = read_lines(&request);
		for (uint32_t i = 0; i < sent; i++)
			ward_assert(account_stored(&account, request.number + i));
		lines += sent;
	}
	return lines;
}

WARD_TEST(a_line_that_does_not_come_is_noticed_at_the_answer_and_asked_for_again)
{
	struct request request, again;
	begin(30, 0, 0);
	ward_assert(account_ask(&account, NO_SOURCE, &request));
	ward_assert(account_line(&account, request.number, 0, 10, 10));
	ward_assert(account_line(&account, request.number + 2, 0, 10, 30));
	ward_assert(account_stored(&account, request.number));
	ward_assert(account_read(&account, request.number, 3, 30, true));
	ward_assert(!account_is_idle(&account));
	ward_assert(account_ask(&account, NO_SOURCE, &again));
	ward_assert_eq(again.offset, 10);
	ward_assert_eq(read_lines(&again), 2);
}

WARD_TEST(all_sources_are_read_to_their_ends)
{
	begin(1000, 0, 5000);
	ward_assert(!account_is_done(&account));
	ward_assert_eq(settle_all(), 600);
	ward_assert(account_is_done(&account));
	ward_assert_eq(places[0].acked, 1000);
	ward_assert_eq(places[2].acked, 5000);
}

WARD_TEST(marks_spare_what_the_database_holds)
{
	begin(1000, 1000, 1000);
	account_open(&account);
	account_mark(&account, 11, 1000, -1);
	account_mark(&account, 12, 400, -1);
	account_mark(&account, 99, 400, -1); /* of a source that is forgotten */
	account_rewind(&account);
	ward_assert_eq(settle_all(), 160);
	ward_assert(account_is_done(&account));
}

WARD_TEST(a_line_that_had_no_end_is_read_again_when_there_is_more)
{
	begin(1000, 1000, 0);
	account_mark(&account, 11, 1000, 990);
	account_mark(&account, 12, 500, 490);
	account_rewind(&account);
	ward_assert_eq(places[0].asked, 1000);
	ward_assert_eq(places[1].asked, 490);
}

WARD_TEST(one_request_is_out_and_the_window_bounds_what_is_on_its_way)
{
	struct request request;
	uint32_t lines = 0;
	begin(1000000, 0, 0);
	ward_assert(account_ask(&account, NO_SOURCE, &request));
	ward_assert(!account_ask(&account, NO_SOURCE, &request));
	lines += read_lines(&account.request);
	while (account_ask(&account, NO_SOURCE, &request))
		lines += read_lines(&request);
	ward_assert_eq(lines, WINDOW_MAX);
	ward_assert(!account_is_idle(&account));
}

WARD_TEST(going_back_repeats_what_is_not_acknowledged_and_nothing_else)
{
	struct request first, second;
	begin(10000, 0, 0);
	ward_assert(account_ask(&account, NO_SOURCE, &first));
	read_lines(&first);
	ward_assert(account_stored(&account, first.number));
	ward_assert(
		account_stored(&account, first.number + 2)); /* behind a gap: counts for nothing */
	ward_assert(account_ask(&account, NO_SOURCE, &second));
	account_rewind(&account);
	/* What the old request still brings is nobody's business. */
	ward_assert(!account_line(&account, second.number, second.source, 10, 650));
	ward_assert(!account_read(&account, second.number, 64, 1280, false));
	ward_assert(!account_stored(&account, first.number + 1));
	ward_assert_eq(places[0].acked, 10);
	ward_assert_eq(places[0].asked, 10);
	ward_assert_eq(settle_all(), 999);
}

WARD_TEST(a_source_that_can_grow_is_idle_but_not_done)
{
	begin(0, 0, -1);
	ward_assert(account_is_idle(&account));
	ward_assert(!account_is_done(&account));
	account_grow(&account, 2, 25, false);
	ward_assert(!account_is_idle(&account));
	ward_assert_eq(settle_all(), 2);
	ward_assert(account_is_idle(&account));
	account_grow(&account, 2, 30, true);
	ward_assert_eq(settle_all(), 1);
	ward_assert(account_is_done(&account));
}

WARD_TEST(growth_during_a_request_is_not_missed)
{
	struct request request;
	begin(0, 0, -1);
	account_grow(&account, 2, 15, false);
	ward_assert(account_ask(&account, NO_SOURCE, &request));
	account_grow(&account, 2, 40, true);
	ward_assert_eq(read_lines(&request), 1); /* meets its own limit, and calls that the end */
	ward_assert(account_stored(&account, request.number));
	ward_assert_eq(settle_all(), 3);
	ward_assert_eq(places[2].limit, 40);
	ward_assert(account_is_done(&account));
}

WARD_TEST(a_file_that_was_cut_is_done_where_it_ends)
{
	struct request request;
	begin(1000, 0, 0);
	ward_assert(account_ask(&account, NO_SOURCE, &request));
	ward_assert(account_line(&account, request.number, 0, 10, 10));
	ward_assert(account_read(&account, request.number, 1, 10, true));
	ward_assert(account_stored(&account, request.number));
	ward_assert(account_is_done(&account));
	ward_assert_eq(places[0].limit, 10);
}

/* The reader reads a line without end from its beginning; each look costs its length. */
WARD_TEST(a_long_line_that_comes_in_pieces_is_read_a_few_times)
{
	enum { PIECE = 10000, WHOLE = 100 * 1000 * 1000 };
	struct request request;
	int64_t read = 0;
	begin(0, 0, -1);
	for (int64_t size = PIECE; size <= WHOLE; size += PIECE) {
		account_grow(&account, 2, size, size == WHOLE);
		if (!account_ask(&account, NO_SOURCE, &request))
			continue;
		read += request.limit - request.offset;
		ward_assert(account_read(&account, request.number, 0, 0, true));
	}
	ward_assert_eq(request.limit, WHOLE);
	ward_assert(read < INT64_C(4) * WHOLE);
}

WARD_TEST(the_first_choice_comes_first)
{
	struct request request;
	begin(1000, 1000, 1000);
	ward_assert(account_ask(&account, 1, &request));
	ward_assert_eq(request.source, 1);
	read_lines(&request);
	ward_assert(account_ask(&account, 1, &request));
	ward_assert_eq(request.source, 1);
	read_lines(&request);
	ward_assert(account_ask(&account, 1, &request));
	ward_assert_eq(request.source, 0);
}

WARD_TEST_MAIN
