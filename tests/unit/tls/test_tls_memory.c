/* SPDX-License-Identifier: MIT
 *
 * test_tls_memory.c - OpenSSL has no memory, at each of its allocations once.
 *
 * A side may do without, or fail; it says what it came to, and leaves nothing.
 */
#include <limits.h>
#include <openssl/crypto.h>
#include <stdatomic.h>

#include "tls_pair.h"

static atomic_long left = LONG_MAX; /* allocations that are granted */
static atomic_long living;

static bool granted(void)
{
	return atomic_fetch_sub(&left, 1) > 0;
}

static void *give(size_t size, const char *file, int line)
{
	void *at = granted() ? malloc(size) : NULL;

	(void)file, (void)line;
	if (at != NULL)
		atomic_fetch_add(&living, 1);
	return at;
}

static void take(void *at, const char *file, int line)
{
	(void)file, (void)line;
	if (at != NULL)
		atomic_fetch_sub(&living, 1);
	free(at);
}

static void *resize(void *at, size_t size, const char *file, int line)
{
	if (at == NULL)
		return give(size, file, line);
	return granted() ? realloc(at, size) : NULL;
}

static ward_tls_files of_client, of_server;
static const ward_tls_options client = {.files = &of_client, .name = "server.test"};
static const ward_tls_options server = {.files = &of_server};

static bool begin(struct side *side, const ward_stream_filter *filter,
		  const ward_tls_options *options)
{
	*side = (struct side){.filter = filter};
	side->at = filter->open(options, side->text);
	if (side->at != NULL)
		side_came(side, NULL, 0);
	return side->at != NULL;
}

/* True: both did without what they were not given. */
static bool exchange(void)
{
	struct pair pair = {.piece = SIZE_MAX};
	bool whole = begin(&pair.server, &ward_tls_server, &server) &&
		     begin(&pair.client, &ward_tls_client, &client);

	if (whole)
		pair_run(&pair);
	whole = whole && pair.client.said == WARD_FILTERED_OPEN &&
		pair.server.said == WARD_FILTERED_OPEN;
	if (whole) {
		side_write(&pair.client, "hello", 5, true);
		pair_run(&pair);
		whole = strcmp(side_text(&pair.server), "hello") == 0 &&
			pair.server.said == WARD_FILTERED_END;
	}
	pair_end(&pair);
	return whole;
}

static void prepare(void)
{
	ward_assert_eq(CRYPTO_set_mem_functions(give, resize, take), 1);
	of_client = pair_files(NULL, "authority.pem");
	of_server = pair_files("server", NULL);
	ward_assert_ok(ward_tls_load(&of_client));
	ward_assert_ok(ward_tls_load(&of_server));
	ward_assert(exchange());
}

WARD_TEST(a_connection_with_each_allocation_failing_once_ends_in_order, "S165")
{
	long before, count = 0, failed = 0;
	bool whole = false;

	prepare();
	before = atomic_load(&living);
	while (!whole || atomic_load(&left) <= 0) {
		atomic_store(&left, count++);
		whole = exchange();
		failed += !whole;
		ward_assert_eq(atomic_load(&living), before);
	}
	atomic_store(&left, LONG_MAX);
	ward_assert(failed > 100);
	ward_assert(exchange());
	pair_files_end(&of_client);
	pair_files_end(&of_server);
}

WARD_TEST(a_load_with_each_allocation_failing_once_keeps_what_was_loaded, "S164")
{
	long count = 0, tried = 0;
	ward_err err = WARD_ENOMEM;

	prepare();
	while (err != WARD_OK || atomic_load(&left) <= 0) {
		atomic_store(&left, count);
		count += count < 200 ? 1 : 13; /* there are thousands */
		err = ward_tls_load(&of_server);
		ward_assert(err == WARD_OK || err == WARD_ENOMEM || err == WARD_EINVAL);
		if (++tried % 50 == 0) {
			atomic_store(&left, LONG_MAX);
			ward_assert(exchange());
			atomic_store(&left, 0);
		}
	}
	atomic_store(&left, LONG_MAX);
	ward_assert(exchange());
	pair_files_end(&of_client);
	pair_files_end(&of_server);
}

WARD_TEST_MAIN
