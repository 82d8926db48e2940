/* SPDX-License-Identifier: MIT
 *
 * test_tls_pieces.c - both filters joined, with a wire that is cut anywhere.
 */
#include <openssl/err.h>

#include "tls_pair.h"

enum { MANY = 100 * 1000 };

static ward_tls_files of_client, of_server;
static const ward_tls_options client = {.files = &of_client, .name = "server.test"};
static const ward_tls_options server = {.files = &of_server};

static void begin(struct pair *pair, size_t piece)
{
	of_client = pair_files(NULL, "authority.pem");
	of_server = pair_files("server", NULL);
	pair_begin(pair, piece, &client, &server);
	ward_assert_str(pair->client.text, "");
	ward_assert_str(pair->server.text, "");
	ward_assert_eq(pair->client.said, WARD_FILTERED_OPEN);
	ward_assert_eq(pair->server.said, WARD_FILTERED_OPEN);
}

static void end(struct pair *pair)
{
	pair_end(pair);
	pair_files_end(&of_client);
	pair_files_end(&of_server);
}

static void exchange(size_t piece)
{
	unsigned char *many = malloc(MANY);
	struct pair pair;

	for (size_t i = 0; i < MANY; i++)
		many[i] = (unsigned char)(i * i >> 3);
	begin(&pair, piece);
	side_write(&pair.client, "hello", 5, false);
	side_write(&pair.server, many, MANY, false);
	pair_run(&pair);
	ward_assert_str(side_text(&pair.server), "hello");
	ward_assert_eq(wardi_buffer_count(&pair.client.plain), MANY);
	ward_assert(memcmp(wardi_buffer_bytes(&pair.client.plain), many, MANY) == 0);
	side_write(&pair.client, "last", 4, true);
	pair_run(&pair);
	ward_assert_str(side_text(&pair.server), "last");
	ward_assert_eq(pair.server.said, WARD_FILTERED_END);
	ward_assert_eq(pair.client.said, WARD_FILTERED_OPEN);
	free(many);
	end(&pair);
}

WARD_TEST(all_cuts_of_the_wire_give_the_same_bytes, "S160")
{
	exchange(SIZE_MAX);
	exchange(7);
	exchange(2);
	exchange(1);
}

WARD_TEST(random_cuts_of_the_wire_give_the_same_bytes, "S160")
{
	for (unsigned int seed = 1; seed <= 20; seed++) {
		srandom(seed);
		exchange(0);
	}
}

WARD_TEST(after_the_end_of_one_side_the_other_goes_on, "S161")
{
	struct pair pair;

	begin(&pair, SIZE_MAX);
	side_write(&pair.client, "", 0, true);
	pair_run(&pair);
	ward_assert_eq(pair.server.said, WARD_FILTERED_END);
	side_write(&pair.server, "answer", 6, false);
	pair_run(&pair);
	ward_assert_str(side_text(&pair.client), "answer");
	side_write(&pair.server, "", 0, true);
	pair_run(&pair);
	ward_assert_eq(pair.client.said, WARD_FILTERED_END);
	end(&pair);
}

WARD_TEST(nothing_of_a_record_that_was_changed_is_given, "S139")
{
	struct pair pair;

	begin(&pair, SIZE_MAX);
	side_write(&pair.client, "hello", 5, false);
	wardi_buffer_bytes(&pair.client.wire)[8] ^= 1;
	pair_run(&pair);
	ward_assert_eq(pair.server.said, WARD_FILTERED_WRONG);
	ward_assert_str(pair.server.text, "decryption failed or bad record mac");
	ward_assert_str(side_text(&pair.server), "");
	end(&pair);
}

WARD_TEST(a_peer_that_does_not_speak_tls_is_refused, "S163")
{
	struct pair pair;

	begin(&pair, SIZE_MAX);
	side_end(&pair.server);
	side_begin(&pair.server, &ward_tls_server, &server);
	side_came(&pair.server, "GET / HTTP/1.1\r\n\r\n", 18);
	ward_assert_eq(pair.server.said, WARD_FILTERED_REFUSED);
	ward_assert_str(pair.server.text, "http request");
	end(&pair);
}

WARD_TEST(errors_of_others_in_the_thread_are_not_taken_for_its_own, "S165")
{
	struct pair pair;

	begin(&pair, SIZE_MAX);
	ERR_raise(ERR_LIB_USER, 1);
	side_write(&pair.client, "hello", 5, false);
	pair_run(&pair);
	ward_assert_str(side_text(&pair.server), "hello");
	ward_assert_eq(pair.server.said, WARD_FILTERED_OPEN);
	end(&pair);
}

WARD_TEST_MAIN
