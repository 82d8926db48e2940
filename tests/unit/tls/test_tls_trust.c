/* SPDX-License-Identifier: MIT
 *
 * test_tls_trust.c - who is trusted, and what is said about the others.
 */
#include "tls_pair.h"

static ward_tls_files of_client, of_server;

static void begin(struct pair *pair, const char *server_is, ward_tls_options server,
		  const char *client_is, ward_tls_options client)
{
	static ward_tls_options options[2]; /* outlive the sides */

	of_server = pair_files(server_is, "authority.pem");
	of_client = pair_files(client_is, "authority.pem");
	options[0] = server;
	options[0].files = &of_server;
	options[1] = client;
	options[1].files = &of_client;
	pair_begin(pair, SIZE_MAX, &options[1], &options[0]);
}

static void end(struct pair *pair)
{
	pair_end(pair);
	pair_files_end(&of_client);
	pair_files_end(&of_server);
}

/* A client that expects server.test. */
static void refuses(const char *server_is, const char *why, const char *server_is_told)
{
	struct pair pair;

	begin(&pair, server_is, (ward_tls_options){0}, NULL,
	      (ward_tls_options){.name = "server.test"});
	ward_assert_eq(pair.client.said, WARD_FILTERED_REFUSED);
	ward_assert_str(pair.client.text, why);
	ward_assert_eq(pair.server.said, WARD_FILTERED_REFUSED);
	ward_assert_str(pair.server.text, server_is_told);
	end(&pair);
}

WARD_TEST(an_expired_certificate_is_refused, "S163")
{
	refuses("expired", "certificate verify failed: certificate has expired",
		"sslv3 alert certificate expired");
}

WARD_TEST(a_certificate_of_another_name_is_refused, "S163")
{
	refuses("wrong", "certificate verify failed: hostname mismatch",
		"sslv3 alert bad certificate");
}

WARD_TEST(a_certificate_by_no_authority_is_refused, "S163")
{
	refuses("self", "certificate verify failed: self-signed certificate",
		"tlsv1 alert unknown ca");
}

WARD_TEST(a_certificate_by_an_unknown_authority_is_refused, "S163")
{
	refuses("intruder", "certificate verify failed: unable to get local issuer certificate",
		"tlsv1 alert unknown ca");
}

WARD_TEST(an_address_is_verified_as_one, "S163")
{
	struct pair pair;

	begin(&pair, "server", (ward_tls_options){0}, NULL,
	      (ward_tls_options){.name = "127.0.0.1"});
	ward_assert_eq(pair.client.said, WARD_FILTERED_OPEN);
	ward_assert_str(side_look(&pair.server).name, "");
	end(&pair);
	begin(&pair, "server", (ward_tls_options){0}, NULL,
	      (ward_tls_options){.name = "127.0.0.2"});
	ward_assert_eq(pair.client.said, WARD_FILTERED_REFUSED);
	ward_assert_str(pair.client.text, "certificate verify failed: IP address mismatch");
	end(&pair);
}

WARD_TEST(a_client_that_verifies_nobody_connects_and_is_told_so, "S163")
{
	struct pair pair;

	begin(&pair, "self", (ward_tls_options){0}, NULL,
	      (ward_tls_options){.verify = WARD_TLS_NONE});
	ward_assert_eq(pair.client.said, WARD_FILTERED_OPEN);
	ward_assert_str(side_look(&pair.client).subject, "CN=self");
	ward_assert(!side_look(&pair.client).verified);
	end(&pair);
	begin(&pair, "wrong", (ward_tls_options){0}, NULL,
	      (ward_tls_options){.verify = WARD_TLS_NONE}); /* by a known authority */
	ward_assert(!side_look(&pair.client).verified);
	end(&pair);
}

WARD_TEST(a_look_shows_what_the_handshake_has_come_to, "S163")
{
	struct pair pair;
	struct ward_tls_info info;

	begin(&pair, "server", (ward_tls_options){.verify = WARD_TLS_REQUIRED}, "client",
	      (ward_tls_options){.name = "server.test"});
	info = side_look(&pair.server);
	ward_assert_str(info.version, "TLSv1.3");
	ward_assert_part(info.cipher, "TLS_");
	ward_assert_str(info.protocol, "");
	ward_assert_str(info.subject, "CN=client");
	ward_assert_str(info.name, "server.test");
	ward_assert(info.verified);
	info = side_look(&pair.client);
	ward_assert_str(info.subject, "CN=server");
	ward_assert(info.verified);
	end(&pair);
}

/* ---- certificates of clients ------------------------------------------------------------- */

static void knocks(ward_tls_verify verify, const char *client_is, ward_filtered said,
		   const char *text)
{
	struct pair pair;

	begin(&pair, "server", (ward_tls_options){.verify = verify}, client_is,
	      (ward_tls_options){.name = "server.test"});
	ward_assert_eq(pair.server.said, said);
	ward_assert_str(pair.server.text, text);
	ward_assert_eq(pair.client.said, said);
	end(&pair);
}

WARD_TEST(a_client_without_a_required_certificate_is_refused, "S163")
{
	knocks(WARD_TLS_REQUIRED, NULL, WARD_FILTERED_REFUSED, "peer did not return a certificate");
}

WARD_TEST(a_client_with_a_wrong_certificate_is_refused, "S163")
{
	knocks(WARD_TLS_REQUIRED, "intruder", WARD_FILTERED_REFUSED,
	       "certificate verify failed: unable to get local issuer certificate");
	knocks(WARD_TLS_WANTED, "intruder", WARD_FILTERED_REFUSED,
	       "certificate verify failed: unable to get local issuer certificate");
}

WARD_TEST(a_wanted_certificate_need_not_be_there, "S163")
{
	knocks(WARD_TLS_WANTED, NULL, WARD_FILTERED_OPEN, "");
	knocks(WARD_TLS_WANTED, "client", WARD_FILTERED_OPEN, "");
	knocks(WARD_TLS_NONE, "intruder", WARD_FILTERED_OPEN, "");
}

/* ---- protocols and versions -------------------------------------------------------------- */

WARD_TEST(the_first_protocol_of_the_server_that_the_client_has_is_agreed_on, "S163")
{
	struct pair pair;

	begin(&pair, "server", (ward_tls_options){.protocols = "h3 h2 http/1.1"}, NULL,
	      (ward_tls_options){.name = "server.test", .protocols = "http/1.1  h2 "});
	ward_assert_str(side_look(&pair.server).protocol, "h2");
	ward_assert_str(side_look(&pair.client).protocol, "h2");
	end(&pair);
}

WARD_TEST(a_client_with_other_protocols_is_refused, "S163")
{
	struct pair pair;

	begin(&pair, "server", (ward_tls_options){.protocols = "h2"}, NULL,
	      (ward_tls_options){.name = "server.test", .protocols = "http/1.1"});
	ward_assert_eq(pair.server.said, WARD_FILTERED_REFUSED);
	ward_assert_str(pair.server.text, "no application protocol");
	ward_assert_str(pair.client.text, "tlsv1 alert no application protocol");
	end(&pair);
}

WARD_TEST(a_side_that_does_not_speak_of_protocols_is_served, "S163")
{
	struct pair pair;

	begin(&pair, "server", (ward_tls_options){.protocols = "h2"}, NULL,
	      (ward_tls_options){.name = "server.test"});
	ward_assert_eq(pair.client.said, WARD_FILTERED_OPEN);
	end(&pair);
	begin(&pair, "server", (ward_tls_options){.least = WARD_TLS_1_3}, NULL,
	      (ward_tls_options){.name = "server.test", .protocols = "h2"});
	ward_assert_eq(pair.client.said, WARD_FILTERED_OPEN);
	ward_assert_str(side_look(&pair.client).protocol, "");
	end(&pair);
}

/* ---- options ----------------------------------------------------------------------------- */

static void is_wrong(const ward_stream_filter *filter, const ward_tls_options *options,
		     const char *why)
{
	char text[WARD_FILTERED_TEXT] = "";

	ward_assert(filter->open(options, text) == NULL);
	ward_assert_part(text, why);
}

/* OpenSSL takes an empty name for none. */
WARD_TEST(a_name_that_nobody_can_have_is_refused, "S163")
{
	char name[257];

	memset(name, 'a', 256);
	name[256] = '\0';
	for (ward_tls_verify verify = WARD_TLS_USUAL; verify <= WARD_TLS_NONE; verify++) {
		is_wrong(&ward_tls_client, &(ward_tls_options){.name = "", .verify = verify},
			 "a `name` that has not 1 to 255 bytes");
		is_wrong(&ward_tls_client, &(ward_tls_options){.name = name, .verify = verify},
			 "a `name` that has not 1 to 255 bytes");
	}
}

WARD_TEST(options_that_contradict_each_other_are_refused, "S163")
{
	ward_tls_files nothing = {0}, own = pair_files("server", NULL);

	is_wrong(&ward_tls_server, NULL, "no filter_options");
	is_wrong(&ward_tls_server, &(ward_tls_options){0}, "without a certificate");
	is_wrong(&ward_tls_server, &(ward_tls_options){.files = &nothing}, "without a certificate");
	is_wrong(&ward_tls_server, &(ward_tls_options){.files = &own, .verify = WARD_TLS_REQUIRED},
		 "needs their authorities");
	is_wrong(&ward_tls_server, &(ward_tls_options){.files = &own, .protocols = " "},
		 "`protocols`");
	is_wrong(&ward_tls_server, &(ward_tls_options){.files = &own, .least = 7}, "`least`");
	is_wrong(&ward_tls_client, &(ward_tls_options){0}, "needs the name");
	is_wrong(&ward_tls_client, &(ward_tls_options){.name = "a", .reserved = {0, 0, 0, 1}},
		 "a reserved word is not zero");
	is_wrong(&ward_tls_client, &(ward_tls_options){.verify = WARD_TLS_WANTED, .name = "a"},
		 "WARD_TLS_WANTED");
	pair_files_end(&own);
}

WARD_TEST_MAIN
