/* SPDX-License-Identifier: MIT
 *
 * ward/testkit/runner.h - a runner of tests: cases, seeds, a main().
 *
 *	WARD_TEST(restart_keeps_the_mailbox, "S44")
 *	{
 *		ward_assert_eq(handled(...), 3);
 *	}
 *
 *	WARD_TEST_MAIN
 *
 * A case registers itself; the strings after its name say what it proves. Each runs in a process of
 * its own, under a time limit, and the outcome is printed as TAP. What a case writes to stdout and
 * stderr becomes diagnostics. A check that does not hold ends its case at once, on whatever thread
 * it runs; so does a crash, a sanitizer's finding, or a leak that it sees.
 *
 *	test_x --help            what follows here, and the environment of simulations
 *	test_x --list            names, and what they prove
 *	test_x NAME...           only these cases; a pattern as in a shell chooses several
 *	test_x --clause S72      only those that prove S72; may stand before names, and repeatedly
 *	test_x --shortages NAME...   each case for every n, its n-th allocation finding no memory
 *	test_x --here NAME...    without a fork or a limit, for a debugger; a failed check aborts
 *	WARD_SEED=7 test_x ...   seed 7 in place of the seeds that cases choose
 *	WARD_TEST_TIMEOUT_S=600 test_x ...    another limit for each case than 60 seconds
 *
 * A case that reaches its limit has "timed out after 60 s".
 *
 * With --shortages a case is run once to count the allocations of its simulated kits, then once for
 * each of them, which then finds no memory. A case expects what happens while there is memory, so a
 * check may fail; in a callback it fails the actor, in the body it cuts the case short. What must
 * not happen is a crash, a hang or a leak, a check that fails although no code reported the
 * shortage (ward_stats.shortages), and an actor that is stuck in what is left: a failure undecided,
 * a stop or a restart that never ends, mail that nobody reads.
 */
#ifndef WARD_TESTKIT_RUNNER_H
#define WARD_TESTKIT_RUNNER_H

#include <ward/testkit/check.h>

WARD_BEGIN

/** A case, as WARD_TEST makes it; for programs that make theirs from a table. */
struct ward_test_case {
	const char *name;
	const char *const *clauses; /* what it proves; ended by NULL */
	void (*run)(void);
	struct ward_test_case *next; /* the library's */
};

/**
 * Adds a case behind those that are there.
 *
 * Ownership  borrows the case to the end of the process.
 * Threads    before ward_test_main() only.
 */
WARD_API void ward_test_register(struct ward_test_case *test);

/** Defines a case. The first argument is its name; what follows, if anything, are clauses. */
#define WARD_TEST(...) WARD_TEST_CASE_(__VA_ARGS__, NULL, NULL)
#define WARD_TEST_CASE_(name_, ...)                                                                \
	static void name_(void);                                                                   \
	static const char *const name_##_clauses_[] = {__VA_ARGS__};                               \
	__attribute__((constructor)) static void name_##_register_(void)                           \
	{                                                                                          \
		static struct ward_test_case test = {#name_, name_##_clauses_, name_, NULL};       \
		ward_test_register(&test);                                                         \
	}                                                                                          \
	static void name_(void)

/**
 * Runs the cases that the arguments choose, and prints TAP. Returns the exit status of the program:
 * 0 all passed, 1 some failed, 2 nothing was run, or not the simulation that WARD_REPLAY names.
 *
 * Threads    the first one, while it is the only one.
 */
WARD_API int ward_test_main(int argc, char **argv);

/** Defines the main() of a test program. It stands at the end: a semicolon behind it, which ISO C
 *  has no place for, gets no warning, and neither does anything pedantic after it. */
#define WARD_TEST_MAIN                                                                             \
	int main(int argc, char **argv)                                                            \
	{                                                                                          \
		return ward_test_main(argc, argv);                                                 \
	}                                                                                          \
	_Pragma("GCC diagnostic ignored \"-Wpedantic\"")

/**
 * Sets the limit of the running case to `seconds` from now, in place of what is left of it. Where
 * WARD_TEST_TIMEOUT_S is set, that holds.
 *
 * Threads    any.
 */
WARD_API void ward_test_allow_s(unsigned seconds);

/** Says whether the case runs for --shortages, once for each allocation: a large load may well be a
 *  small one then. Threads: any. */
WARD_API bool ward_test_shortage(void);

/* ---- seeds ------------------------------------------------------------------------------- */

/** Runs the block for the seeds 1..count, so that what depends on an order shows; for the one of
 *  WARD_SEED where that is set. A failure names the seed: in the replay line of the runner, or
 *  where no handler takes the failure. */
#define WARD_TEST_SEEDS(count_)                                                                    \
	for (uint64_t ward_test_round_ = 0; ward_test_seed_round(ward_test_round_, (count_));      \
	     ward_test_round_++)

/** Returns the seed of this round; outside WARD_TEST_SEEDS that of WARD_SEED, or 1; inside a
 *  simulation that of the run. Threads: any. */
WARD_API uint64_t ward_test_seed(void);

/** Says whether one seed stands in for all: that of WARD_SEED, or with --shortages the first.
 *  Threads: any. */
WARD_API bool ward_test_seed_fixed(void);

/** Begins a round of WARD_TEST_SEEDS; false: there is none left. */
WARD_API bool ward_test_seed_round(uint64_t round, uint64_t count);

/** Checks, of what only some seeds bring about, that at least one of them did. */
#define ward_assert_seen(count) ward_assert((count) > 0 || ward_test_seed_fixed())

WARD_END
#endif
