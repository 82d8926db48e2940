/* SPDX-License-Identifier: MIT
 *
 * kit.h - the runner of all tests: cases, checks, seeds.
 *
 *	WARD_TEST(restart_keeps_the_mailbox, "S44")
 *	{
 *		CHECK_EQ(kit_count(...), 3);
 *	}
 *
 * A case registers itself; the strings after its name are the clauses that it proves. main() is in
 * kit.c: it runs each case in a process of its own, under a time limit, and prints TAP. What a case
 * writes to stdout and stderr becomes diagnostics. A check that does not hold ends its case at
 * once, on whatever thread it runs; so does a crash, a sanitizer's finding, or a leak that it sees.
 *
 *	test_x --list            names and clauses
 *	test_x NAME...           only these cases
 *	test_x --here NAME...    without a fork, for a debugger; a failed check aborts
 *	KIT_SEED=7 test_x ...    seed 7 in place of the seeds that cases choose
 *	KIT_TIMEOUT_S=600 ...    a longer limit for each case than 60 seconds
 */
#ifndef KIT_H
#define KIT_H

#include <stdbool.h>
#include <stdint.h>

#include <ward/types.h>

struct kit_case {
	const char *name;
	const char *const *clauses; /* ended by NULL */
	void (*run)(void);
	struct kit_case *next;
};

void kit_register(struct kit_case *test);

/* The first of the arguments is the name; what follows, if anything, are clauses. */
#define WARD_TEST(...) KIT_CASE_(__VA_ARGS__, NULL, NULL)
#define KIT_CASE_(name_, ...)                                                                      \
	static void name_(void);                                                                   \
	static const char *const name_##_clauses_[] = {__VA_ARGS__};                               \
	__attribute__((constructor)) static void name_##_register_(void)                           \
	{                                                                                          \
		static struct kit_case test = {#name_, name_##_clauses_, name_, NULL};             \
		kit_register(&test);                                                               \
	}                                                                                          \
	static void name_(void)

/* ---- checks: each evaluates its arguments once, and works on any thread ------------------ */

#define CHECK(condition)                                                                           \
	((condition) ? (void)0 : kit_fail(__FILE__, __LINE__, "does not hold: %s", #condition))

/* Integers of any type, compared as 64 bits. */
#define CHECK_EQ(got, wanted)                                                                      \
	kit_check_eq(__FILE__, __LINE__, #got " == " #wanted, (intmax_t)(got), (intmax_t)(wanted))
#define CHECK_STR(got, wanted) kit_check_str(__FILE__, __LINE__, #got, (got), (wanted))
/* That `part` occurs in `text`. */
#define CHECK_PART(text, part) kit_check_part(__FILE__, __LINE__, #text, (text), (part))
/* The value of a ward_err, printed by name with its detail. */
#define CHECK_ERR(call, wanted) kit_check_err(__FILE__, __LINE__, #call, (call), (wanted))
#define CHECK_OK(call) CHECK_ERR(call, WARD_OK)

/* Ends the case as failed. */
__attribute__((noreturn, format(printf, 3, 4))) void kit_fail(const char *file, int line,
							      const char *text, ...);
void kit_check_eq(const char *file, int line, const char *what, intmax_t got, intmax_t wanted);
void kit_check_str(const char *file, int line, const char *what, const char *got,
		   const char *wanted);
void kit_check_part(const char *file, int line, const char *what, const char *text,
		    const char *part);
void kit_check_err(const char *file, int line, const char *what, ward_err got, ward_err wanted);

/* ---- seeds ------------------------------------------------------------------------------- */

/* KIT_SEEDS(100) { ... kit_seed() ... }: runs the block for the seeds 1..100, so that what depends
 * on an order shows; for the one of KIT_SEED when that is set. A failure names the seed. */
#define KIT_SEEDS(count_)                                                                          \
	for (uint64_t kit_round_ = 0; kit_seed_round(kit_round_, (count_)); kit_round_++)

/* The seed of this round; outside KIT_SEEDS that of KIT_SEED, or 1. */
uint64_t kit_seed(void);
/* Whether the one seed of KIT_SEED stands in for all. */
bool kit_seed_fixed(void);

/* For what only some seeds bring about: that at least one of them did. */
#define CHECK_SEEN(count) CHECK((count) > 0 || kit_seed_fixed())

bool kit_seed_round(uint64_t round, uint64_t count);

#endif
