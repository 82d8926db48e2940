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
 * A case registers itself; the strings after its name are the clauses that it proves. Each case
 * runs in a process of its own, under a time limit, and the result is printed as TAP. Output of a
 * case to stdout and stderr becomes diagnostics. A check that does not hold ends its case at once,
 * on whatever thread it runs; so does a crash, a sanitizer's finding, or a leak that it sees.
 *
 *	test_x --help            this list, and the environment of simulations
 *	test_x --list            names, and the clauses that they prove
 *	test_x NAME...           only these cases; a pattern as in a shell selects several
 *	test_x --clause S72      only those that prove S72; may stand before names, and repeatedly
 *	test_x --shortages NAME...   each case for every n, its n-th allocation finding no memory
 *	test_x --here NAME...    without a fork or a limit, for a debugger; a failed check aborts
 *	WARD_SEED=7 test_x ...   seed 7 in place of the seeds that cases choose
 *	WARD_TEST_TIMEOUT_S=600 test_x ...    another limit for each case than 60 seconds
 *
 * A case that reaches its limit is reported as "timed out after 60 s".
 *
 * With --shortages a case is run once to count the allocations of its simulated kits, then once for
 * each of them, which then finds no memory. A case is written for enough memory, so its checks may
 * fail then; in a callback a failed check fails the actor, in the body it ends the case early.
 * These must not happen: a crash, a hang or a leak; a failed check without a reported shortage
 * (ward_stats.shortages); an actor that is stuck at the end, by an undecided failure, a stop or
 * restart that does not end, or unread mail. A case of n allocations takes about n times as long,
 * so choose short cases.
 */
#ifndef WARD_TESTKIT_RUNNER_H
#define WARD_TESTKIT_RUNNER_H

#include <ward/testkit/check.h>

WARD_BEGIN

/** A case, as defined by WARD_TEST; for programs that define cases in a table. */
struct ward_test_case {
	const char *name;
	const char *const *clauses; /* the clauses that it proves; ended by NULL */
	void (*run)(void);
	struct ward_test_case *next; /* for the library */
};

/**
 * Adds a case after those that are registered already.
 *
 * Ownership  borrows the case until the end of the process.
 * Threads    before ward_test_main() only.
 */
WARD_API void ward_test_register(struct ward_test_case *test);

/** Defines a case. The first argument is its name, which may be that of a variable or function,
 *  too; the others, if any, are clauses. */
#define WARD_TEST(...) WARD_TEST_CASE_(__VA_ARGS__, NULL, NULL)
#define WARD_TEST_CASE_(name_, ...)                                                                \
	static void name_##_case_(void);                                                           \
	static const char *const name_##_clauses_[] = {__VA_ARGS__};                               \
	__attribute__((constructor)) static void name_##_register_(void)                           \
	{                                                                                          \
		static struct ward_test_case test = {#name_, name_##_clauses_, name_##_case_,      \
						     NULL};                                        \
		ward_test_register(&test);                                                         \
	}                                                                                          \
	static void name_##_case_(void)

/**
 * Runs the cases that the arguments select, and prints TAP. Returns the exit status of the program:
 * 0 all passed, 1 some failed, 2 nothing was run, since an argument or WARD_TEST_TIMEOUT_S is
 * wrong, or the simulation that WARD_REPLAY names was not. If it cannot start a case, it prints
 * "Bail out!" and calls exit(2).
 *
 * Threads    the main thread, before any other thread is started.
 */
WARD_API int ward_test_main(int argc, char **argv);

/** Defines the main() of a test program. Write it at the end of the file: it allows the semicolon
 *  after it, which ISO C does not, by switching off pedantic warnings from there on. */
#define WARD_TEST_MAIN                                                                             \
	int main(int argc, char **argv)                                                            \
	{                                                                                          \
		return ward_test_main(argc, argv);                                                 \
	}                                                                                          \
	_Pragma("GCC diagnostic ignored \"-Wpedantic\"")

/**
 * Sets the limit of the running case to `seconds` from now, in place of the rest of its limit. If
 * WARD_TEST_TIMEOUT_S is set, that applies instead.
 *
 * Threads    any.
 */
WARD_API void ward_test_allow_s(unsigned seconds);

/** Returns true if the case runs for --shortages, once for each allocation: a large load should be
 *  small then. Threads: any. */
WARD_API bool ward_test_shortage(void);

/* ---- seeds ------------------------------------------------------------------------------- */

/** Runs the block for the seeds 1..count, to find failures that depend on an order; only for the
 *  one of WARD_SEED if that is set. A failure names the seed: in the replay line of the runner, or
 *  in the text if there is no handler. */
#define WARD_TEST_SEEDS(count_)                                                                    \
	for (uint64_t ward_test_round_ = 0; ward_test_seed_round(ward_test_round_, (count_));      \
	     ward_test_round_++)

/** Returns the seed of this round; outside WARD_TEST_SEEDS that of WARD_SEED, or 1; inside a
 *  simulation that of the run. Threads: any. */
WARD_API uint64_t ward_test_seed(void);

/** Returns true if only one seed is used: that of WARD_SEED, or with --shortages the first one.
 *  Threads: any. */
WARD_API bool ward_test_seed_fixed(void);

/** Begins a round of WARD_TEST_SEEDS; returns false if there is none left. */
WARD_API bool ward_test_seed_round(uint64_t round, uint64_t count);

/** Checks that `count` is not 0: the number of seeds with which something happened that happens
 *  only with some. Passes if only one seed is used. */
#define ward_assert_seen(count) ward_assert((count) > 0 || ward_test_seed_fixed())

WARD_END
#endif
