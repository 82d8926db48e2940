/* SPDX-License-Identifier: MIT
 *
 * ward/testkit/simulate.h - one test, thousands of runs, each with another order and other faults.
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
 * and ward_random(). The body must use no other source of randomness (addresses, real time,
 * threads, static data of an earlier run); some runs are made twice to check that.
 *
 * The first run that fails is repeated with fewer and fewer of its faults, until all that are left
 * are needed, and its replay line is printed:
 *
 *	replay: WARD_REPLAY='no_loss seed=42 order=pct faults=fail@17' ./test_bank no_loss
 *
 * WARD_TRACE=FILE writes the trace of a replayed run for Chrome's tracing page (chrome://tracing,
 * or Perfetto). The command ward-sim distributes many seeds over several processes. Runs are made
 * in forked processes, many in each; so is a replay, which a debugger must follow (gdb: set
 * follow-fork-mode child). A replay that no longer fails says so and passes; one that names no
 * simulation of the program fails. Output of a body is shown in replays only.
 *
 * With --shortages (ward/testkit/runner.h) a simulation has one run for each allocation, of its
 * first seed, in the process of its case. A violation ends the case then, as a failed check does.
 *
 * A run hangs if no turn ends for 10 seconds, or for half the limit of its case if that is less
 * (WARD_TEST_TIMEOUT_S, ward_test_allow_s()). It loops if it has 50,000 turns while the clock
 * stands still, or 80,000 events that its kit keeps. Both are violations.
 */
#ifndef WARD_TESTKIT_SIMULATE_H
#define WARD_TESTKIT_SIMULATE_H

#include <ward/testkit/kit.h>
#include <ward/testkit/runner.h>

WARD_BEGIN

/** How the order of turns is chosen. */
typedef enum ward_order {
	WARD_ORDER_MIXED = 0,  /* random for odd seeds, PCT for even ones */
	WARD_ORDER_RANDOM = 1, /* evenly among the ready actors */
	/** Each actor has a random priority, and the highest one runs; at a few random moments the
	 *  running actor gets the lowest. Finds bugs that need one actor to be very late. */
	WARD_ORDER_PCT = 2,
	/** All orders, for small programs: the seeds do not matter, and runs are made until all
	 *  choices were tried, or `runs_max` runs. */
	WARD_ORDER_EXHAUSTIVE = 3
} ward_order;

/** The largest number of faults of each kind in one run; the seed determines where they strike. */
typedef struct ward_fault_mix {
	/** A callback fails: init, pre_start, receive, post_stop, pre_restart, post_restart, or
	 *  decide of a strategy; before its work, and then it is not called, or after it. So count
	 *  events of the system, not calls of hooks. */
	uint32_t fail;
	uint32_t refuse;  /* a spawn is refused */
	uint32_t memory;  /* an allocation finds no memory */
	uint32_t stall;   /* an actor has no turn for a while */
	uint32_t jump;    /* the clock jumps */
	uint32_t delay;   /* a message arrives late, in order with others of its sender */
	uint32_t lose;    /* a message becomes a dead letter */
	int64_t delay_ms; /* the longest stall, jump and delay; default: 1 second */
	/** A fault strikes one of the first `horizon` occasions of its kind; default: 200. */
	uint32_t horizon;
	/** Glob for the paths of the actors that faults may strike; default: all but the guardians,
	 *  and but the ends of a loop (neighbours.h), "NAME/system/loop-...", which stand for a
	 *  wire: its faults are those below. With far_children what carries messages to the second
	 *  system is never struck, whatever the glob. For a message the receiver's path must match,
	 *  not the sender's. Calls of the test itself succeed, but its messages may be late or
	 *  lost. */
	const char *path;
	/* Between systems of a loop (neighbours.h). A fault strikes at the n-th frame that is
	 * sent, and lasts for up to delay_ms. */
	uint32_t reset;       /* a connection breaks, and both ends notice it */
	uint32_t cut;         /* nothing arrives in either direction, and nobody is notified */
	uint32_t cut_one_way; /* the same, in the direction of the frame only */
	uint32_t late;        /* the frames of one direction are late */
	uint32_t crash;       /* the sender's system stops without an end, and comes back */
} ward_fault_mix;

/** A simulation. Zero is the default; only `name` and `run` must be set. */
typedef struct ward_simulation_test {
	const char *name; /* a word of up to 100 characters, without a colon or a quote */
	void (*run)(ward_kit *kit, void *arg);
	void *arg;
	/** The seeds are 1 to this number, unless ward-sim or WARD_SEEDS says otherwise; default:
	 *  100. */
	uint64_t seeds;
	ward_order order;
	uint32_t change_points; /* for PCT; default: 3 */
	uint64_t runs_max;      /* for EXHAUSTIVE; default: 100,000 */
	ward_fault_mix faults;
	ward_kit_options kit;
	/** One in this many runs is made twice and compared; default: 64; UINT32_MAX: none. */
	uint32_t check_every;
	uintptr_t reserved[4];
} ward_simulation_test;

/** Size of a replay text; the longest list of choices fits. */
enum { WARD_REPLAY_TEXT = 2048 };

/** The result of a simulation. */
typedef struct ward_simulation_result {
	uint64_t seeds; /* runs that were made */
	uint64_t steps; /* turns in these runs */
	uint64_t violations;
	bool exhausted; /* EXHAUSTIVE: all orders were tried */
	uint64_t hash;  /* of everything that happened in the first violation, or in the replay */
	char replay[WARD_REPLAY_TEXT]; /* of the first violation: the text for WARD_REPLAY */
	char text[512];                /* the check that did not hold */
} ward_simulation_result;

/**
 * Runs a simulation over its seeds, in processes of its own, and reduces the first failure. For use
 * without the runner; WARD_SIMULATION does it in a case.
 *
 * Environment variables: WARD_SEEDS "COUNT" or "FIRST:COUNT", WARD_REPLAY, WARD_TRACE. Without a
 * runner, a process that has run all simulations but not the one that WARD_REPLAY names exits with
 * status 2.
 */
WARD_API ward_simulation_result ward_simulate(const ward_simulation_test *test);

/** Runs a simulation like ward_simulate(), prints `# sim NAME: N seeds, N steps, N violations`, and
 *  fails the test at a violation, with the replay line. */
#define ward_simulate_check(...) ward_simulate_check_at((__VA_ARGS__), __FILE__, __LINE__)
/** The function behind ward_simulate_check(). */
WARD_API void ward_simulate_check_at(const ward_simulation_test *test, const char *file, int line);

/* ---- inside a run ------------------------------------------------------------------------ */

/** Calls holds(arg) after each turn from here on; false is a violation, which the report names
 *  `what`. Each call adds an invariant, at most 32. The function reads data of the test, and must
 *  not call ward; `what` is borrowed until the run ends. */
WARD_API void ward_simulation_invariant(ward_kit *kit, bool (*holds)(void *arg) WARD_NOEXCEPT,
					void *arg, const char *what);

/** An observer of a run: called for each occasion before it happens, with the fault that strikes
 *  there, if any; and when it is over. NULL: not wanted. Like the functions of a ward_simulation,
 *  it must not call ward. */
typedef struct ward_simulation_observer {
	void (*begins)(void *arg, const ward_occasion *occasion,
		       const ward_fault *fault) WARD_NOEXCEPT;
	void (*ends)(void *arg, const ward_occasion *occasion) WARD_NOEXCEPT;
	void *arg;
} ward_simulation_observer;

/** Sets the observer of the run from here on; replaces the previous one. Copies the struct. */
WARD_API void ward_simulation_observe(ward_kit *kit, const ward_simulation_observer *observer);

/** Moves until no actor has anything to do and no timer runs; a violation if that takes longer than
 *  timeout_ms. If timers repeat, use ward_simulation_eventually() with a condition. */
WARD_API void ward_simulation_eventually_idle(ward_kit *kit, int64_t timeout_ms);

/** Moves until holds(arg) returns true, within timeout_ms; otherwise a violation, which the report
 *  names `what`. */
WARD_API void ward_simulation_eventually(ward_kit *kit, int64_t timeout_ms,
					 bool (*holds)(void *arg), void *arg, const char *what);

/** Ends the faults: from here on none strikes, so that the system can recover. */
WARD_API void ward_simulation_faults_end(ward_kit *kit);

/** Returns the number of faults that have struck in this run. */
WARD_API uint32_t ward_simulation_faults(const ward_kit *kit);

/** Returns the hash of everything that happened so far: equal in equal runs. It covers types and
 *  sizes of messages, not their bodies. */
WARD_API uint64_t ward_simulation_hash(const ward_kit *kit);

/** Adds a value of the test to the hash, so that a difference in it is noticed: a checksum of a
 *  state, or the contents of a message. */
WARD_API void ward_simulation_note(ward_kit *kit, uint64_t value);

WARD_END

/** Defines a simulation as a case for the runner: `WARD_SIMULATION(name, .seeds = 1000) { ... }`.
 *  The body has the run's `ward_kit *kit`, which is started before it and finished after it, and
 *  `void *arg`. */
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
