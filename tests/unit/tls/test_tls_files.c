/* SPDX-License-Identifier: MIT
 *
 * test_tls_files.c - certificates and keys are loaded, and loaded again.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "tls_pair.h"

static ward_tls_files of_client, of_server;
static const ward_tls_options client = {.files = &of_client, .name = "server.test"};
static const ward_tls_options server = {.files = &of_server};

static void begin(struct pair *pair)
{
	pair_begin(pair, SIZE_MAX, &client, &server);
	ward_assert_eq(pair->client.said, WARD_FILTERED_OPEN);
}

static void set(void)
{
	of_client = pair_files(NULL, "authority.pem");
	of_server = pair_files("server", NULL);
}

/* The files of the server become those of another name. */
static void copy_over(const char *name)
{
	char command[256];

	snprintf(command, sizeof command, "cd '%s' && cp %s.pem now.pem && cp %s.key now.key",
		 pair_folder, name, name);
	ward_assert_eq(system(command), 0);
}

static void end(void)
{
	pair_files_end(&of_client);
	pair_files_end(&of_server);
}

WARD_TEST(new_connections_take_what_was_loaded_again_and_open_ones_do_not, "S164")
{
	struct pair before, after;

	set();
	copy_over("server");
	pair_files_end(&of_server);
	of_server = pair_files("now", NULL);
	ward_assert_ok(ward_tls_load(&of_server));
	begin(&before);
	copy_over("second");
	ward_assert_ok(ward_tls_load(&of_server));
	begin(&after);
	ward_assert_str(side_look(&before.client).subject, "CN=server");
	ward_assert_str(side_look(&after.client).subject, "CN=second");
	side_write(&before.client, "still", 5, false);
	pair_run(&before);
	ward_assert_str(side_text(&before.server), "still");
	pair_end(&before);
	pair_end(&after);
	end();
}

WARD_TEST(a_connection_outlives_what_was_loaded, "S164")
{
	struct pair pair;

	set();
	begin(&pair);
	ward_tls_unload(&of_server);
	ward_tls_unload(&of_client);
	side_write(&pair.client, "still", 5, false);
	pair_run(&pair);
	ward_assert_str(side_text(&pair.server), "still");
	pair_end(&pair);
	end();
}

static void fails(const char *certificate, const char *key, const char *authorities, ward_err err,
		  const char *why)
{
	ward_tls_files files = {.certificate = certificate != NULL ? pair_file(certificate) : NULL,
				.key = key != NULL ? pair_file(key) : NULL,
				.authorities = authorities != NULL ? pair_file(authorities) : NULL};

	ward_assert_err(ward_tls_load(&files), err);
	ward_assert_part(ward_err_detail(), why);
	pair_files_end(&files);
}

WARD_TEST(files_that_cannot_be_used_are_refused_by_name, "S164")
{
	fails("none.pem", NULL, NULL, WARD_ENOENT, "/none.pem: No such file or directory");
	fails("server.pem", "none.key", NULL, WARD_ENOENT, "/none.key: No such file or directory");
	fails("server.pem", "server.key", "none.pem", WARD_ENOENT, "/none.pem: No such file");
	fails("server.key", "server.key", NULL, WARD_EINVAL, "/server.key: no certificate in PEM");
	fails("server.pem", NULL, NULL, WARD_EINVAL, "/server.pem: no key in PEM");
	fails("server.pem", "second.key", NULL, WARD_EINVAL, "/second.key: ");
	fails("server.pem", "second.key", NULL, WARD_EINVAL, "key values mismatch");
	fails("server.pem", "rsa.key", NULL, WARD_EINVAL, "/rsa.key: it is the key of another");
	fails("server.pem", "server.key", "server.key", WARD_EINVAL,
	      "/server.key: no certificates in PEM");
	fails(NULL, "server.key", NULL, WARD_EINVAL, "/server.key: a key without a certificate");
	ward_assert_err(ward_tls_load(NULL), WARD_EINVAL);
}

WARD_TEST(a_key_with_a_pass_phrase_is_refused_and_nobody_is_asked, "S164")
{
	int ends[2];

	ward_assert_eq(pipe(ends), 0);
	ward_assert_eq(write(ends[1], "secret\n", 7), 7);
	close(ends[1]);
	dup2(ends[0], STDIN_FILENO); /* where OpenSSL would ask, without a terminal */
	close(ends[0]);
	fails("server.pem", "locked.key", NULL, WARD_EINVAL, "/locked.key: no key in PEM");
}

WARD_TEST(what_was_loaded_stays_when_it_cannot_be_loaded_again, "S164")
{
	struct pair pair;

	set();
	copy_over("server");
	pair_files_end(&of_server);
	of_server = pair_files("now", NULL);
	ward_assert_ok(ward_tls_load(&of_server));
	ward_assert_eq(truncate(of_server.key, 10), 0);
	ward_assert_err(ward_tls_load(&of_server), WARD_EINVAL);
	begin(&pair);
	pair_end(&pair);
	end();
}

WARD_TEST(the_first_connection_loads_and_tells_why_it_cannot, "S164")
{
	ward_tls_files files = {.certificate = "/nowhere/server.pem"};
	ward_tls_options options = {.files = &files};
	char text[WARD_FILTERED_TEXT] = "";

	ward_assert(ward_tls_server.open(&options, text) == NULL);
	ward_assert_str(text, "/nowhere/server.pem: No such file or directory");
}

WARD_TEST(the_system_is_trusted_where_no_authorities_are_named, "S163")
{
	ward_tls_files own = pair_files("server", NULL);
	ward_tls_options of_own = {.files = &own};
	ward_tls_options of_system = {.name = "server.test"};
	char path[128];
	struct pair pair;

	pair_begin(&pair, SIZE_MAX, &of_system, &of_own);
	ward_assert_eq(pair.client.said, WARD_FILTERED_REFUSED);
	ward_assert_part(pair.client.text, "unable to get local issuer certificate");
	pair_end(&pair);
	snprintf(path, sizeof path, "%s/authority.pem", pair_folder);
	setenv("SSL_CERT_FILE", path, 1); /* what OpenSSL takes for the system's */
	ward_tls_files trusting = {0};
	of_system.files = &trusting;
	pair_begin(&pair, SIZE_MAX, &of_system, &of_own);
	ward_assert_eq(pair.client.said, WARD_FILTERED_OPEN);
	pair_end(&pair);
	pair_files_end(&trusting);
	pair_files_end(&own);
}

/* ---- threads ----------------------------------------------------------------------------- */

static atomic_bool over;

static void *load_again(void *arg)
{
	(void)arg;
	while (!atomic_load(&over))
		ward_assert_ok(ward_tls_load(&of_server));
	return NULL;
}

static void *connect_often(void *arg)
{
	struct pair pair;

	(void)arg;
	for (int i = 0; i < 30; i++) {
		begin(&pair);
		side_write(&pair.client, "x", 1, false);
		pair_run(&pair);
		ward_assert_eq(wardi_buffer_count(&pair.server.plain), 1);
		pair_end(&pair);
	}
	return NULL;
}

WARD_TEST(any_thread_loads_while_others_connect, "S164")
{
	pthread_t loader, peers[2];

	set();
	atomic_store(&over, false);
	pthread_create(&loader, NULL, load_again, NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&peers[i], NULL, connect_often, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(peers[i], NULL);
	atomic_store(&over, true);
	pthread_join(loader, NULL);
	end();
}

WARD_TEST_MAIN
