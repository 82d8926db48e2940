/* SPDX-License-Identifier: MIT
 *
 * test_tls_renegotiation.c - a peer that asks for a second handshake, which only TLS 1.2 has.
 */
#include "tls/connection.h"
#include "tls_pair.h"

static ward_tls_files of_client, of_server;
static const ward_tls_options client = {.files = &of_client, .name = "server.test"};
static const ward_tls_options server = {.files = &of_server};

static SSL *ssl_of(const struct side *side)
{
	return ((struct wardi_tls_connection *)side->at)->ssl;
}

static void begin_1_2(struct pair *pair)
{
	of_client = pair_files(NULL, "authority.pem");
	of_server = pair_files("server", NULL);
	*pair = (struct pair){.piece = SIZE_MAX};
	side_begin(&pair->server, &ward_tls_server, &server);
	pair->client.filter = &ward_tls_client;
	pair->client.at = ward_tls_client.open(&client, pair->client.text);
	ward_assert(pair->client.at != NULL);
	ward_assert_eq(SSL_set_max_proto_version(ssl_of(&pair->client), TLS1_2_VERSION), 1);
	side_came(&pair->client, NULL, 0);
	pair_run(pair);
	ward_assert_eq(pair->client.said, WARD_FILTERED_OPEN);
	ward_assert_eq(pair->server.said, WARD_FILTERED_OPEN);
	ward_assert_str(side_look(&pair->client).version, "TLSv1.2");
}

/* This side is one that wants what ward never does: it begins a handshake with what it writes. */
static void ask_again(struct side *side)
{
	SSL_clear_options(ssl_of(side), SSL_OP_NO_RENEGOTIATION);
	ward_assert_eq(SSL_renegotiate(ssl_of(side)), 1);
	side_write(side, "more", 4, false);
}

/* The peer is told no, which ends it, and what it wrote before is there. */
static void is_refused(struct pair *pair, struct side *asks, struct side *refuses)
{
	side_write(asks, "before", 6, false);
	ask_again(asks);
	pair_run(pair);
	ward_assert(strncmp(side_text(refuses), "before", 6) == 0);
	ward_assert_eq(SSL_total_renegotiations(ssl_of(refuses)), 0);
	ward_assert_eq(asks->said, WARD_FILTERED_WRONG);
	ward_assert_str(asks->text, "no renegotiation");
	pair_end(pair);
	pair_files_end(&of_client);
	pair_files_end(&of_server);
}

WARD_TEST(a_server_that_asks_for_a_second_handshake_is_refused)
{
	struct pair pair;

	begin_1_2(&pair);
	is_refused(&pair, &pair.server, &pair.client);
}

WARD_TEST(a_client_that_asks_for_a_second_handshake_is_refused)
{
	struct pair pair;

	begin_1_2(&pair);
	is_refused(&pair, &pair.client, &pair.server);
}

WARD_TEST_MAIN
