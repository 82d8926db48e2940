/* SPDX-License-Identifier: MIT
 *
 * seed.c - the seeds of a case: one round after the other, or the one that the environment names.
 */
#include "testkit/check/seed.h"

#include <errno.h>
#include <stdlib.h>

#include <ward/testkit/runner.h>

#include "testkit/check/case_result.h"

_Atomic uint64_t wardi_testkit_seed_of_run;

static const char *seed_given(void)
{
	const char *text = getenv("WARD_SEED");
	return text != NULL && *text != '\0' ? text : NULL;
}

/* 0: it is no seed. */
static uint64_t parse(const char *text)
{
	char *end;
	errno = 0;
	uint64_t seed = strtoull(text, &end, 0);
	return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0 ? seed : 0;
}

bool wardi_testkit_seed_is_sound(void)
{
	const char *text = seed_given();
	return text == NULL || parse(text) != 0;
}

/* Reads a number and advances *at past it. */
static bool read_number(const char **at, uint64_t *ret_number)
{
	if (**at < '0' || **at > '9')
		return false;
	char *end;
	errno = 0;
	*ret_number = strtoull(*at, &end, 10);
	*at = end;
	return errno == 0;
}

bool wardi_testkit_seeds_read(uint64_t *first, uint64_t *count)
{
	const char *at = getenv("WARD_SEEDS");

	if (at == NULL || *at == '\0')
		return true;
	*first = 1;
	if (!read_number(&at, count))
		return false;
	if (*at == ':') {
		at++;
		*first = *count;
		if (!read_number(&at, count))
			return false;
	}
	return *at == '\0' && *first != 0 && *count != 0 && *count <= UINT64_MAX - *first;
}

bool wardi_testkit_seeds_are_sound(void)
{
	uint64_t first, count;

	return wardi_testkit_seeds_read(&first, &count);
}

/* With shortages one order is enough: each of its allocations fails. */
bool ward_test_seed_fixed(void)
{
	return seed_given() != NULL || ward_test_shortage();
}

bool ward_test_seed_round(uint64_t round, uint64_t count)
{
	if (round >= (ward_test_seed_fixed() ? 1 : count))
		return false;
	if (!ward_test_seed_fixed())
		atomic_store_explicit(&wardi_testkit_run->seed, round + 1, memory_order_relaxed);
	return true;
}

uint64_t ward_test_seed(void)
{
	/* Relaxed: it means something by itself. */
	uint64_t of_run = atomic_load_explicit(&wardi_testkit_seed_of_run, memory_order_relaxed);
	if (of_run != 0)
		return of_run;
	atomic_store_explicit(&wardi_testkit_run->seed_used, true, memory_order_relaxed);
	uint64_t seed = atomic_load_explicit(&wardi_testkit_run->seed, memory_order_relaxed);
	/* For systems it means the clock: no seed at all. */
	if (seed == 0)
		ward_test_fail(__FILE__, __LINE__, "WARD_SEED=%s: not a seed, from 1 on",
			       seed_given());
	return seed;
}

void wardi_testkit_seed_reset(void)
{
	const char *given = seed_given();
	atomic_store_explicit(&wardi_testkit_run->seed, given != NULL ? parse(given) : 1,
			      memory_order_relaxed);
	atomic_store_explicit(&wardi_testkit_run->seed_used, false, memory_order_relaxed);
}

/* For seeds under another framework: nobody resets them there. */
__attribute__((constructor)) static void reset_first(void)
{
	wardi_testkit_seed_reset();
}
