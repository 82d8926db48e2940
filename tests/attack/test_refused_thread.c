/* SPDX-License-Identifier: MIT
 *
 * test_refused_thread.c - for a while no thread can be started, when a pool needs one: what waits
 * for it is not forgotten.
 *
 * Method: the linker puts a function in place of pthread_create(). The actors of the pool keep
 * their threads until all of them have one.
 */
#include <errno.h>
#include <pthread.h>

#include <ward/testkit.h>

#include "support/whole_run.h"

enum { GRANTED = 2, REFUSED = 5 };

/* Of the system that runs: a pinned actor, and the first thread of the pool, get theirs. */
static _Atomic bool counting;
static _Atomic int asked;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *),
			  void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *),
			  void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *),
			  void *arg)
{
	int number = atomic_load(&counting) ? atomic_fetch_add(&asked, 1) : 0;

	if (number >= GRANTED && number < GRANTED + REFUSED)
		return EAGAIN;
	return __real_pthread_create(thread, attr, start, arg);
}

static void begin(void)
{
	atomic_store(&counting, true);
}

WARD_TEST(pool_without_the_thread_it_needs_says_so_once_and_starts_it_when_it_can)
{
	struct whole_run run = {.created = begin};

	if (whole_run(&run) != WHOLE_DONE)
		ward_test_fail(__FILE__, __LINE__, "%s %s", run.text, run.fatal);
	ward_assert(atomic_load(&asked) > GRANTED + REFUSED);
	ward_assert_eq(run.notes, 1);
	ward_assert_part(run.note[0], "dispatcher \"ward.blocking\" has no thread");
	ward_assert_part(run.note[0], "Resource temporarily unavailable");
}

WARD_TEST_MAIN
