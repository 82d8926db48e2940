/* SPDX-License-Identifier: MIT
 *
 * ward/testkit/kit.h - a system for a test: simulated or on threads, with a check for leftovers.
 *
 *	ward_kit *kit = ward_kit_start(&(ward_kit_options){.seed = 7});
 *	ward_ref ada = ward_kit_spawn(kit, &greeter);
 *	ward_system_tell(ward_kit_system(kit), ada, hello, .name = "Ada");
 *	ward_kit_run(kit);
 *	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
 *	ward_kit_finish(kit);
 *
 * A simulated kit (the default) moves only inside its calls, so a test can inspect any moment, and
 * a timeout of an hour costs nothing. The calls for threads that wait, such as ward_system_ask()
 * and ward_otp_start(), work in a kit, too, and move it until they return. With real_threads the
 * same calls wait in real time. A check that does not hold fails the test through
 * ward/testkit/check.h, in any test framework.
 *
 * The ref of an actor that another actor has spawned comes from its path, by a call of selection.h:
 *
 *	ward_assert_ok(ward_system_resolve(ward_kit_system(kit), "/user/top/one", 100, &one));
 *
 * All functions must be called on the thread that started the kit, unless stated otherwise. Several
 * kits may exist at once.
 */
#ifndef WARD_TESTKIT_KIT_H
#define WARD_TESTKIT_KIT_H

#include <ward/simulation.h>
#include <ward/testkit/check.h>

WARD_BEGIN

/** A system under test. Opaque. */
typedef struct ward_kit ward_kit;

/** Options of a kit. Zero is the default in every field. */
typedef struct ward_kit_options {
	uint64_t seed;     /* default: ward_test_seed() */
	bool real_threads; /* true: on threads, in real time; false: simulated */
	/** Options of the system; its name is "sim" by default. The kit replaces: allocator, log,
	 *  log_arg, log_kinds, fatal, seed, separate_allocations, simulation. All dead letters are
	 *  logged, unless dead_letters_logged sets a number. */
	ward_options system;
	/** Order and faults; default: drawn from the seed. Not with real_threads. */
	const ward_simulation *simulation;
	/** Kinds of events that the kit and `log` get; default: all. */
	uint32_t event_kinds;
	/** true: the kit keeps no events, only `log` gets them: for millions of messages. A call
	 *  that counts or returns events fails the test then. false: more than 100,000 events fail
	 *  the test. */
	bool keeps_no_events;
	/** Gets each event where it happens, in addition to the kit. */
	void (*log)(void *arg, const ward_event *event) WARD_NOEXCEPT;
	void *log_arg;
	/** The number of the allocation that finds no memory, counted from 1; 0: none. */
	uint64_t fail_allocation;
	/** true: blocks come from slabs, as in a program; false: each block is allocated by
	 *  itself. */
	bool pooled;
	bool may_leave_mail; /* unread mail and suspended actors at the end are allowed */
	/** true: children that actors start live in a second system. The default
	 *  is what the environment says: WARD_FAR=1. With WARD_FAR=bytes only bytes go there: types
	 *  need tables (ward/codec.h), failure classes ward_kit_know_classes(). */
	bool far_children;
	bool near_children; /* true: they do not, whatever the environment says */
	/** Limit of the kit's own waits, in time of the system; default: 50 seconds. */
	int64_t patience_ms;
	uintptr_t reserved[4];
} ward_kit_options;

/** Starts a system for a test; fails the test if that is refused. The caller ends it with
 *  ward_kit_finish(). */
#define ward_kit_start(...) ward_kit_start_at(__VA_ARGS__, __FILE__, __LINE__)
/** The function behind ward_kit_start(). */
WARD_API WARD_MUST_USE ward_kit *ward_kit_start_at(const ward_kit_options *options,
						   const char *file, int line);

/** Starts a system like ward_kit_start() when the start may be refused: returns the error of
 *  ward_system_create(), and checks that a refused start leaves nothing behind. */
#define ward_kit_try_start(...) ward_kit_try_start_at(__VA_ARGS__, __FILE__, __LINE__)
/** The function behind ward_kit_try_start(). */
WARD_API WARD_MUST_USE ward_err ward_kit_try_start_at(const ward_kit_options *options,
						      ward_kit **ret_kit, const char *file,
						      int line);

/**
 * Ends the system and fails the test if anything is left. Frees the kit, even if it fails the test;
 * only a system that does not end is not freed.
 *
 * First it moves until no actor has anything to do; then there must be no unread mail. Then it
 * terminates, and nothing may be left: no live actor, no timer, no memory, no descriptor, and no
 * body whose drop function has not run (on threads and with `pooled` that is not checked). With
 * may_leave_mail it terminates at once, even during work.
 *
 * No actor may be left failed, waiting for a decision, unless may_leave_mail is set or a probe has
 * expected that failure. Dead letters and unhandled messages do not fail the test: count them. Time
 * does not pass; running timers are dropped with their actors.
 *
 * A system that is a node of a loop (ward/testkit/neighbours.h) leaves that first, by
 * ward_loop_finish().
 *
 * Descriptors are those of the process: the last kit to finish fails the test if descriptors are
 * open that were not open when the first kit started. Those that the program did not open do not
 * count: the pipes of a sanitizer to its symbolizer, its report, and the socket of syslog().
 */
#define ward_kit_finish(kit) ward_kit_finish_at((kit), __FILE__, __LINE__)
/** The function behind ward_kit_finish(). */
WARD_API void ward_kit_finish_at(ward_kit *kit, const char *file, int line);

/** Returns the system of the kit, for the functions of ward/system.h. */
WARD_API ward_system *ward_kit_system(const ward_kit *kit);

/* ---- moving ------------------------------------------------------------------------------ */

/** Runs one turn of one actor. Returns false if no actor has anything to do. Simulated only; on
 *  threads it fails the test. */
#define ward_kit_step(kit) ward_kit_step_at((kit), __FILE__, __LINE__)
/** The function behind ward_kit_step(). */
WARD_API bool ward_kit_step_at(ward_kit *kit, const char *file, int line);

/** Moves until no actor has anything to do; the clock stands still. Fails the test after a million
 *  turns. On threads: waits until no actor is ready and no thread is busy, or fails the test after
 *  patience_ms; later work from timers, descriptors and threads outside is not waited for. */
#define ward_kit_run(kit) ward_kit_run_at((kit), __FILE__, __LINE__)
/** The function behind ward_kit_run(). */
WARD_API void ward_kit_run_at(ward_kit *kit, const char *file, int line);

/** Lets time pass, with everything that happens in it. Units: milliseconds; 0 or less: no time. On
 *  threads it sleeps, and any thread may call it. */
#define ward_kit_advance(kit, ms) ward_kit_advance_at((kit), (ms), __FILE__, __LINE__)
/** The function behind ward_kit_advance(). */
WARD_API void ward_kit_advance_at(ward_kit *kit, int64_t ms, const char *file, int line);

/** Moves until holds(arg) returns true, for at most timeout_ms of the system's time; returns
 *  whether it did. */
#define ward_kit_run_until(kit, timeout_ms, holds, arg)                                            \
	ward_kit_run_until_at((kit), (timeout_ms), (holds), (arg), __FILE__, __LINE__)
/** The function behind ward_kit_run_until(). */
WARD_API WARD_MUST_USE bool ward_kit_run_until_at(ward_kit *kit, int64_t timeout_ms,
						  bool (*holds)(void *arg), void *arg,
						  const char *file, int line);

/** States of an actor. Each has the text that events and ward_actor_info.state use. */
typedef enum ward_actor_state {
	WARD_STATE_ANY = 0,          /* in a filter: any state */
	WARD_STATE_GONE = 1,         /* its life is over */
	WARD_STATE_STARTING = 2,     /* before init and pre_start */
	WARD_STATE_START_FAILED = 3, /* init or pre_start failed; its parent has not decided yet */
	/** Will start again, and waits for the children of the first try. */
	WARD_STATE_RETRYING = 4,
	WARD_STATE_RUNNING = 5,        /* also while it is suspended by a failure above it */
	WARD_STATE_FAILED = 6,         /* its parent has not decided yet */
	WARD_STATE_RESTARTING = 7,     /* waits for its children to stop */
	WARD_STATE_RESTART_FAILED = 8, /* its parent has not decided yet */
	WARD_STATE_STOPPING = 9,       /* waits for its children to stop */
	WARD_STATE_STOPPED = 10,       /* its parent is to be notified */
	WARD_STATE_FREE = 11 /* in an event: there was no actor before, or is none after */
} ward_actor_state;

/** Returns "any", "gone", "starting", "start-failed", ...; "?" for an invalid value. Threads: any.
 */
WARD_API const char *ward_kit_state_text(ward_actor_state state);

/** Moves until the actor is in that state (WARD_STATE_FAILED, WARD_STATE_GONE, ...); fails the test
 *  if that takes longer than patience_ms. On threads a short state may be missed. */
#define ward_kit_run_until_state(kit, who, state)                                                  \
	ward_kit_run_until_state_at((kit), (who), (state), __FILE__, __LINE__)
/** The function behind ward_kit_run_until_state(). */
WARD_API void ward_kit_run_until_state_at(ward_kit *kit, ward_ref who, ward_actor_state state,
					  const char *file, int line);

/** Returns the system's time in nanoseconds; virtual in a simulation. */
WARD_API int64_t ward_kit_now_ns(const ward_kit *kit);
/** Returns the system's time in milliseconds, rounded down. */
#define ward_kit_now_ms(kit) (ward_kit_now_ns(kit) / 1000000)

/* ---- inspecting -------------------------------------------------------------------------- */

/** Returns the state of an actor, as in ward_system_actors(); WARD_STATE_GONE if there is no such
 *  actor. */
WARD_API ward_actor_state ward_kit_state(ward_kit *kit, ward_ref who);

/** Checks that the actor is in that state now: `ward_assert_state(kit, who, WARD_STATE_FAILED)`. */
#define ward_assert_state(kit, who, state)                                                         \
	ward_kit_check_state((kit), (who), (state), __FILE__, __LINE__)
/** The function behind ward_assert_state(). */
WARD_API void ward_kit_check_state(ward_kit *kit, ward_ref who, ward_actor_state state,
				   const char *file, int line);

/** Returns whether an actor has not ended, as ward_system_is_alive() does. */
WARD_API bool ward_kit_is_alive(const ward_kit *kit, ward_ref who);

/** Writes the path by which the test knows an actor: with far_children that of its stand-in,
 *  otherwise the one of ward_system_path(). May be called in callbacks of actors. */
WARD_API void ward_kit_path(const ward_kit *kit, ward_ref who, char path[WARD_EVENT_PATH]);

/** Returns the ref by which the test knows an actor: with far_children that of its stand-in,
 *  otherwise `who`. May be called in callbacks of actors. */
WARD_API ward_ref ward_kit_ref(const ward_kit *kit, ward_ref who);

/**
 * Adds failure classes of the program to those that both systems know where children are far and
 * go by bytes; ended by NULL. For a test program WARD_TEST_FAILURE_CLASSES does it.
 *
 * Ownership  borrows the list and the classes until the process ends.
 * Threads    before the first kit.
 */
WARD_API void ward_kit_know_classes(const ward_failure_class *const *classes);

/** Names the failure classes of a test program: `WARD_TEST_FAILURE_CLASSES(&bad_luck, &meltdown);`.
 */
#define WARD_TEST_FAILURE_CLASSES(...) WARD_TEST_CLASSES_AT_(__LINE__, __VA_ARGS__)
#define WARD_TEST_CLASSES_AT_(line, ...) WARD_TEST_CLASSES_(line, __VA_ARGS__)
#define WARD_TEST_CLASSES_(line, ...)                                                              \
	__attribute__((constructor)) static void ward_test_classes_##line##_(void)                 \
	{                                                                                          \
		static const ward_failure_class *const classes[] = {__VA_ARGS__, NULL};            \
		ward_kit_know_classes(classes);                                                    \
	}                                                                                          \
	WARD_STATIC_ASSERT(1, "")

/** Reads the state of an actor with its details. Returns false if it has ended. With far_children
 *  the status of a stand-in is that of its guest. */
WARD_API bool ward_kit_info(ward_kit *kit, ward_ref who, ward_actor_info *ret_info);

/** Reads the counters of the system. With far_children `actors`, `timers`, `dead_letters` and
 *  `unhandled` are of both systems; a stand-in and its guest are one actor, and what stands for the
 *  connection is none. */
WARD_API ward_stats ward_kit_stats(ward_kit *kit);

/** Returns the number of events so far of these kinds about a path that matches the glob (as in a
 *  shell; "*" also matches slashes). Paths begin with "NAME/user/", where NAME is "sim" by default.
 *  A failed check of this number does not list the events; ward_expect_events() does. */
#define ward_kit_count(kit, kinds, path_glob)                                                      \
	ward_kit_count_at((kit), (kinds), (path_glob), __FILE__, __LINE__)
/** The function behind ward_kit_count(). */
WARD_API size_t ward_kit_count_at(const ward_kit *kit, uint32_t kinds, const char *path_glob,
				  const char *file, int line);

/** Returns the n-th of these events, from 0; fails the test if there is none. Borrowed until
 *  ward_kit_forget_events(). */
#define ward_kit_event(kit, kinds, path_glob, number)                                              \
	ward_kit_event_at((kit), (kinds), (path_glob), (number), __FILE__, __LINE__)
/** The function behind ward_kit_event(). */
WARD_API const ward_event *ward_kit_event_at(const ward_kit *kit, uint32_t kinds,
					     const char *path_glob, size_t number, const char *file,
					     int line);

/** Forgets all events so far. */
WARD_API void ward_kit_forget_events(ward_kit *kit);

/** Writes the tree to a descriptor: states, suspensions, current messages, and which actor or
 *  thread waits for which. It is also written to stderr when a check of the kit fails, and when a
 *  case of the runner reaches its time limit. Threads: any, also while the kit is stuck. */
WARD_API void ward_kit_print_tree(const ward_kit *kit, int fd);

/* ---- acting ------------------------------------------------------------------------------ */

/** Starts an actor at the top, and returns its ref; fails the test if that is refused:
 *  `ward_kit_spawn(kit, &worker, .name = "one")`. */
#define ward_kit_spawn(kit, ...) ward_kit_spawn_props(kit, WARD_PROPS(__VA_ARGS__))
/** Starts an actor like ward_kit_spawn(), with a pointer to props. */
#define ward_kit_spawn_props(kit, props) ward_kit_spawn_at((kit), (props), __FILE__, __LINE__)
/** The function behind ward_kit_spawn_props(). */
WARD_API ward_ref ward_kit_spawn_at(ward_kit *kit, const ward_props *props, const char *file,
				    int line);

/** Stops an actor, as ward_system_stop() does. */
#define ward_kit_stop(kit, who) ward_system_stop(ward_kit_system(kit), (who))

#ifndef __cplusplus
/** Sends without a sender: `ward_kit_tell(kit, to, deposit, .cents = 5)`. To send as a probe, use
 *  ward_probe_tell(). */
#define ward_kit_tell(kit, to, ...) ward_system_tell(ward_kit_system(kit), (to), __VA_ARGS__)
/** Sends with a sender, which gets the replies: `ward_kit_tell_from(kit, ward_probe_ref(probe), to,
 *  deposit, .cents = 5)`. It need not be an actor of the test. The plain form is
 *  ward_system_send_from(). */
#define ward_kit_tell_from(kit, sender, to, ...)                                                   \
	ward_system_send_from(ward_kit_system(kit), (sender), (to), WARD_BODY(__VA_ARGS__))
#endif

/** A function that runs inside an actor. */
typedef ward_result ward_kit_inside_fn(ward_self *self, void *state, void *arg) WARD_NOEXCEPT;

/**
 * Runs fn(self, state, arg) inside an actor, and moves until it has run, whatever its result.
 *
 *	static ward_result lose_the_key(ward_self *self, void *state, void *arg);
 *	ward_kit_inside(kit, clerk, lose_the_key, NULL);
 *
 * It runs in the actor's turn, as a hook does: it may call all of ward, a failure in it is a
 * failure of the actor, and there is no current message. It runs after the messages that were sent
 * before; an actor that is suspended, or held by a full mailbox, runs it when it continues.
 * Simulated faults do not apply to it. If the actor has ended, or does not run it within
 * patience_ms, the test fails and the function does not run.
 */
#define ward_kit_inside(kit, who, ...)                                                             \
	ward_kit_inside_at((kit), (who), __VA_ARGS__, __FILE__, __LINE__)
/** The function behind ward_kit_inside(). */
WARD_API void ward_kit_inside_at(ward_kit *kit, ward_ref who, ward_kit_inside_fn *fn, void *arg,
				 const char *file, int line);

/** Makes the n-th allocation from now on find no memory; 0: none. */
WARD_API void ward_kit_fail_allocation(ward_kit *kit, uint64_t nth);

/** Makes all allocations find no memory, until it is called with false. */
WARD_API void ward_kit_fail_all_allocations(ward_kit *kit, bool fail);

/** Returns the number of allocations so far, including those that found no memory. */
WARD_API uint64_t ward_kit_allocations(const ward_kit *kit);

/**
 * With --shortages: sets a function that is called when a check of the case has failed because
 * memory ran out, before the kit looks for stuck actors. In it a test releases what it holds up on
 * purpose, such as an answer that is never sent. Each call replaces the previous function.
 */
WARD_API void ward_kit_on_cut(ward_kit *kit, void (*fn)(void *arg), void *arg);

/** Returns the number of bytes that are allocated from the kit's allocator now, counted by the
 *  allocator, not by the system. */
WARD_API uint64_t ward_kit_bytes(const ward_kit *kit);

/** Returns the number of blocks that are allocated from the kit's allocator now. */
WARD_API uint64_t ward_kit_blocks(const ward_kit *kit);

WARD_END
#endif
