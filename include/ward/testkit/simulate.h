/* SPDX-License-Identifier: MIT
 *
 * ward/testkit/simulate.h - one test, thousands of runs: each seed another order, other faults.
 *
 *	WARD_SIMULATION(no_deposit_is_lost, .faults = {.fail = 3, .stall = 2})
 *	{
 *		ward_ref bank = ward_kit_spawn(kit, &bank_behavior);
 *		...
 *		ward_simulation_invariant(kit, books_balance, &books, "the books balance");
 *		ward_simulation_eventually_idle(kit, WARD_MINUTE);
 *		ward_assert_eq(books.deposits, 10);
 *	}
 *	WARD_TEST_MAIN
 *
 * Everything in a run follows from its seed: the order of turns, the faults and where they strike,
 * ward_random(). The body must use no other source of chance (addresses, real time, threads, what
 * the run before left in static data); now and then a run is made twice to see that.
 *
 * The first run that fails is repeated with fewer and fewer of its faults, until each one left is
 * needed, and its replay line is printed:
 *
 *	replay: WARD_REPLAY='no_deposit_is_lost seed=42 order=pct faults=fail@17' ./test_bank
 *
 * WARD_TRACE=FILE writes the trace of a replayed run for Chrome's tracing page (chrome://tracing,
 * or Perfetto). The command ward-sim spreads many seeds over several processes. Runs are made in
 * processes that are forked, many in each; so is a replay, which a debugger has to follow (gdb: set
 * follow-fork-mode child). A replay that no longer fails says so and passes, one that names no
 * simulation of the program fails it. What a body prints is shown in replays only.
 *
 * A run in which no turn ends for 10 seconds hangs; for half the limit of its case, where that is
 * less (WARD_TEST_TIMEOUT_S, ward_test_allow_s()). After 50,000 turns while the clock stands, or
 * 80,000 events that its kit keeps, a run is taken for a loop. Both are violations.
 */
#ifndef WARD_TESTKIT_SIMULATE_H
#define WARD_TESTKIT_SIMULATE_H

#include <ward/testkit/kit.h>
#include <ward/testkit/runner.h>

WARD_BEGIN

/** How the order of turns is chosen. */
typedef enum ward_order {
	WARD_ORDER_MIXED = 0,  /* random for odd seeds, PCT for even ones */
	WARD_ORDER_RANDOM = 1, /* evenly among those who are ready */
	/** Each actor has a random priority, the highest runs; at a few random moments the one that
	 *  runs becomes the lowest. Finds what needs one actor to be very late. */
	WARD_ORDER_PCT = 2,
	/** All orders, for small programs: the seeds stand still, and the runs go on until all
	 *  choices have been made, or as many as `runs_max`. */
	WARD_ORDER_EXHAUSTIVE = 3
} ward_order;

/** How many faults of each kind strike in one run, at most; where, is drawn from the seed. */
typedef struct ward_fault_mix {
	uint32_t
		fail; /* a callback fails: receive, a hook, the factory; before or after its work */
	uint32_t refuse;  /* a spawn is refused */
	uint32_t memory;  /* an allocation finds none */
	uint32_t stall;   /* an actor has no turn for a while */
	uint32_t jump;    /* the clock jumps */
	uint32_t delay;   /* a message arrives late, in order with the others of its sender */
	uint32_t lose;    /* a message becomes a dead letter */
	int64_t delay_ms; /* the longest stall, jump and delay; a second */
	uint32_t horizon; /* faults strike among so many occasions of their kind; 200 */
	/** Glob for the paths of actors that faults may strike; all but the guardians. Of a message
	 *  the receiver's path must match, not the sender's. What the test itself does succeeds,
	 *  but its messages may be late, or lost. */
	const char *path;
} ward_fault_mix;

/** A simulation. Zero is the default; only name and run must be set. */
typedef struct ward_simulation_test {
	const char *name; /* a word of up to 100 letters, without colon or quote */
	void (*run)(ward_kit *kit, void *arg);
	void *arg;
	uint64_t seeds; /* without ward-sim and WARD_SEEDS: seeds 1 to this; 100 */
	ward_order order;
	uint32_t change_points; /* PCT; 3 */
	uint64_t runs_max;      /* exhaustive; 100,000 */
	ward_fault_mix faults;
	ward_kit_options kit;
	uint32_t check_every; /* one in so many runs is made twice and compared; 64;
				 UINT32_MAX: none */
	uintptr_t reserved[4];
} ward_simulation_test;

/** Room for the words of a replay line: the longest path of choices fits. */
enum { WARD_REPLAY_TEXT = 2048 };

/** What became of a simulation. */
typedef struct ward_simulation_result {
	uint64_t seeds; /* runs that were made */
	uint64_t steps; /* turns in them */
	uint64_t violations;
	bool exhausted; /* exhaustive: all orders were tried */
	uint64_t hash;  /* of all that happened in the first violation, or in the replay */
	char replay[WARD_REPLAY_TEXT]; /* of the first violation: the words for WARD_REPLAY */
	char text[512];                /* what did not hold */
} ward_simulation_result;

/**
 * Runs a simulation over its seeds, in processes of its own, and shrinks the first failure. For use
 * without the runner; WARD_SIMULATION does it in a case.
 *
 * Environment: WARD_SEEDS "COUNT" or "FIRST:COUNT", WARD_REPLAY, WARD_TRACE. Without a runner, a
 * process that has run all but the simulation that WARD_REPLAY names exits with status 2.
 */
WARD_API ward_simulation_result ward_simulate(const ward_simulation_test *test);

/** The same, prints `# sim NAME: N seeds, N steps, N violations`, and fails the test at a
 *  violation, with the replay line. */
WARD_API void ward_simulate_check(const ward_simulation_test *test);

/* ---- inside a run ------------------------------------------------------------------------ */

/** Calls holds(arg) after each turn of the body; false is a violation, which the report calls by
 *  `what`. It looks at data of the test, and must not call ward. */
WARD_API void ward_simulation_invariant(ward_kit *kit, bool (*holds)(void *arg) WARD_NOEXCEPT,
					void *arg, const char *what);

/** Who follows a run: told of each occasion before it happens, with the fault that strikes there,
 *  if any; and when it is over. NULL: not wanted. Must not call ward, as ward_simulation says. */
typedef struct ward_simulation_observer {
	void (*begins)(void *arg, const ward_occasion *occasion,
		       const ward_fault *fault) WARD_NOEXCEPT;
	void (*ends)(void *arg, const ward_occasion *occasion) WARD_NOEXCEPT;
	void *arg;
} ward_simulation_observer;

/** Has the run followed from here on, in place of who followed it before. Copies the observer. */
WARD_API void ward_simulation_observe(ward_kit *kit, const ward_simulation_observer *observer);

/** Moves until nobody has anything to do and no timer runs; a violation if it lasts longer than
 *  timeout_ms. For systems whose timers repeat, give ward_simulation_eventually() a condition. */
WARD_API void ward_simulation_eventually_idle(ward_kit *kit, int64_t timeout_ms);

/** Moves until holds(arg), within timeout_ms; else a violation, which the report calls by
 *  `what`. */
WARD_API void ward_simulation_eventually(ward_kit *kit, int64_t timeout_ms,
					 bool (*holds)(void *arg), void *arg, const char *what);

/** From here on no fault strikes: what has been broken is to heal. */
WARD_API void ward_simulation_faults_end(ward_kit *kit);

/** Returns the number of faults that have struck in this run. */
WARD_API uint32_t ward_simulation_faults(const ward_kit *kit);

/** Returns the hash of all that happened so far: equal in equal runs. It does not see the bodies of
 *  messages, but their types and sizes. */
WARD_API uint64_t ward_simulation_hash(const ward_kit *kit);

/** Mixes a value of the test's own into the hash, so that a difference in it is seen: the checksum
 *  of a state, what a message says. */
WARD_API void ward_simulation_note(ward_kit *kit, uint64_t value);

WARD_END

/** WARD_SIMULATION(name, .seeds = 1000, ...) { ... kit ... }: a case for the runner. The body has
 *  the run's `ward_kit *kit`, which is started before and finished after it; and `void *arg`. */
#define WARD_SIMULATION(...) WARD_SIMULATION_CASE_(__VA_ARGS__, .reserved = {0})
#define WARD_SIMULATION_CASE_(name_, ...)                                                          \
	static void name_##_run_(ward_kit *kit, void *arg);                                        \
	WARD_TEST(name_)                                                                           \
	{                                                                                          \
		const ward_simulation_test simulation_ = {                                         \
			.name = #name_, .run = name_##_run_, __VA_ARGS__};                         \
		ward_simulate_check(&simulation_);                                                 \
	}                                                                                          \
	static void name_##_run_(__attribute__((unused)) ward_kit *kit,                            \
				 __attribute__((unused)) void *arg)
#endif
