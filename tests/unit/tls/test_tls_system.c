/* SPDX-License-Identifier: MIT
 *
 * test_tls_system.c - two first connections read the authorities of the system one after the other.
 *
 * Method: the call of OpenSSL that reads them and pthread_mutex_lock() are wrapped. The first
 * thread stays in that call until the second is in it, too, or waits for a lock.
 */
#include <openssl/ssl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include <ward/testkit.h>
#include <ward/tls.h>

int __real_SSL_CTX_set_default_verify_paths(SSL_CTX *context);
int __wrap_SSL_CTX_set_default_verify_paths(SSL_CTX *context);
int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);

static atomic_int calls, within, within_max;
static atomic_bool watched, waits;
static pthread_t second;

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
	if (!atomic_load(&watched))
		return __real_pthread_mutex_lock(mutex);
	if (pthread_mutex_trylock(mutex) == 0)
		return 0;
	atomic_store(&waits, true);
	return __real_pthread_mutex_lock(mutex);
}

static void *connect_first(void *arg)
{
	static ward_tls_files files;
	static const ward_tls_options of_system = {.files = &files, .name = "server.test"};
	char text[WARD_FILTERED_TEXT] = "";
	void *at = ward_tls_client.open(&of_system, text);

	(void)arg;
	ward_assert(at != NULL);
	ward_tls_client.close(at);
	return &files;
}

int __wrap_SSL_CTX_set_default_verify_paths(SSL_CTX *context)
{
	int now = atomic_fetch_add(&within, 1) + 1, result;

	if (now > atomic_load(&within_max))
		atomic_store(&within_max, now);
	if (atomic_fetch_add(&calls, 1) == 0) {
		atomic_store(&watched, true);
		pthread_create(&second, NULL, connect_first, NULL);
		while (!atomic_load(&waits) && atomic_load(&within_max) == 1)
			sched_yield();
	}
	result = __real_SSL_CTX_set_default_verify_paths(context);
	atomic_fetch_sub(&within, 1);
	return result;
}

WARD_TEST(two_first_connections_read_the_authorities_of_the_system_once)
{
	ward_tls_files *files = connect_first(NULL);

	pthread_join(second, NULL);
	ward_assert_eq(atomic_load(&within_max), 1);
	ward_assert_eq(atomic_load(&calls), 1);
	ward_tls_unload(files);
}

WARD_TEST_MAIN
