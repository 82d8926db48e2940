/* SPDX-License-Identifier: MIT
 *
 * ward/testkit/kit.h - a system for a test: simulated or on threads, watched until nothing is left.
 *
 *	ward_kit *kit = ward_kit_start(&(ward_kit_options){.seed = 7});
 *	ward_ref ada = ward_kit_spawn(kit, &greeter);
 *	ward_system_tell(ward_kit_system(kit), ada, hello, .name = "Ada");
 *	ward_kit_run(kit);
 *	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
 *	ward_kit_finish(kit);
 *
 * A simulated kit (the default) moves only inside its calls, so a test may look at any moment of a
 * story, and a timeout of an hour costs nothing. With real_threads the same calls wait in real
 * time. What does not hold fails the test through ward/testkit/check.h, in any test framework.
 *
 * All calls: the thread that started the kit, unless said otherwise. Several kits may live at once.
 */
#ifndef WARD_TESTKIT_KIT_H
#define WARD_TESTKIT_KIT_H

#include <ward/simulation.h>
#include <ward/testkit/check.h>

WARD_BEGIN

/** A system under test. Opaque. */
typedef struct ward_kit ward_kit;

/** How to start a kit. Zero is the default in every field. */
typedef struct ward_kit_options {
	uint64_t seed;     /* ward_test_seed() */
	bool real_threads; /* on threads, in real time; not simulated */
	/** Of the system; its name is "sim" by default. The kit sets, in its place: allocator, log,
	 *  log_arg, log_kinds, fatal, seed, separate_allocations, simulation. Dead letters are all
	 *  logged, unless dead_letters_logged says how many. */
	ward_options system;
	const ward_simulation *simulation; /* order and faults; drawn from the seed */
	uint32_t event_kinds;              /* kinds of events that the kit and log hear; all */
	/** The kit itself keeps none of them, only log hears them: for loads of millions. */
	bool keeps_no_events;
	/** Hears each event where it happens, besides the kit. */
	void (*log)(void *arg, const ward_event *event) WARD_NOEXCEPT;
	void *log_arg;
	uint64_t fail_allocation; /* the n-th, from 1, finds no memory; 0: none does */
	bool pooled;              /* blocks from slabs, as in a program; else each by itself */
	bool may_leave_mail;      /* unread mail at the end is fine, and who is left suspended */
	int64_t patience_ms;      /* of the system's time: the kit's own waits; 50 seconds */
	uintptr_t reserved[4];
} ward_kit_options;

/** Starts a system for a test; fails the test if that is refused. End it: ward_kit_finish(). */
#define ward_kit_start(...) ward_kit_start_at(__VA_ARGS__, __FILE__, __LINE__)
/** Behind the macro. */
WARD_API WARD_MUST_USE ward_kit *ward_kit_start_at(const ward_kit_options *options,
						   const char *file, int line);

/** The same for a start that may be refused: answers what ward_system_create() says, and checks
 *  that a refused one leaves nothing behind. */
#define ward_kit_try_start(...) ward_kit_try_start_at(__VA_ARGS__, __FILE__, __LINE__)
/** Behind the macro. */
WARD_API WARD_MUST_USE ward_err ward_kit_try_start_at(const ward_kit_options *options,
						      ward_kit **ret_kit, const char *file,
						      int line);

/**
 * Ends the system and fails the test unless nothing is left. Frees the kit, also when it fails the
 * test; only a system that does not end is left where it is.
 *
 * First it moves until nobody has anything to do: then there must be no unread mail. Then it
 * terminates, and there must be no live actor, no timer, no body that owns something and was not
 * dropped (on threads: unless `pooled`), no memory, no descriptor. With may_leave_mail it
 * terminates at once, also in full work.
 *
 * Nobody may be left failed, waiting for a decision, unless may_leave_mail, or a probe has expected
 * that failure. Dead letters and unhandled messages fail nothing by themselves: count them. Time
 * does not pass; timers that still run are dropped with their actors.
 *
 * Descriptors are those of the process: the last kit to finish fails the test if some are open
 * that were not when the first one started. Not those that are no doing of the program: the pipes
 * of a sanitizer to its symbolizer, its report, and the socket of syslog().
 */
#define ward_kit_finish(kit) ward_kit_finish_at((kit), __FILE__, __LINE__)
/** Behind the macro. */
WARD_API void ward_kit_finish_at(ward_kit *kit, const char *file, int line);

/** Returns the system, for all calls of ward/system.h. */
WARD_API ward_system *ward_kit_system(const ward_kit *kit);

/* ---- moving ------------------------------------------------------------------------------ */

/** Runs one turn of one actor. False: nobody has anything to do. Simulated only; on threads it
 *  fails the test. */
#define ward_kit_step(kit) ward_kit_step_at((kit), __FILE__, __LINE__)
/** Behind the macro. */
WARD_API bool ward_kit_step_at(ward_kit *kit, const char *file, int line);

/** Moves until nobody has anything to do; the clock stands still. Fails the test after a million
 *  turns. On threads: waits until nobody has moved between two looks, or fails the test after
 *  patience_ms; what timers, descriptors and threads outside bring later is not waited for. */
#define ward_kit_run(kit) ward_kit_run_at((kit), __FILE__, __LINE__)
/** Behind the macro. */
WARD_API void ward_kit_run_at(ward_kit *kit, const char *file, int line);

/** Lets time pass, with all that happens meanwhile. Units: milliseconds. On threads it sleeps, and
 *  any thread may call it. */
#define ward_kit_advance(kit, ms) ward_kit_advance_at((kit), (ms), __FILE__, __LINE__)
/** Behind the macro. */
WARD_API void ward_kit_advance_at(ward_kit *kit, int64_t ms, const char *file, int line);

/** Moves until holds(arg), at most timeout_ms of the system's time; says whether it came to
 *  that. */
#define ward_kit_run_until(kit, timeout_ms, holds, arg)                                            \
	ward_kit_run_until_at((kit), (timeout_ms), (holds), (arg), __FILE__, __LINE__)
/** Behind the macro. */
WARD_API WARD_MUST_USE bool ward_kit_run_until_at(ward_kit *kit, int64_t timeout_ms,
						  bool (*holds)(void *arg), void *arg,
						  const char *file, int line);

/** The states of an actor, as the kit tells them. Each has the text that events and
 *  ward_actor_info.state have for it. */
typedef enum ward_actor_state {
	WARD_STATE_ANY = 0,          /* of a filter: whatever it is */
	WARD_STATE_GONE = 1,         /* its life is over */
	WARD_STATE_STARTING = 2,     /* init and pre_start are due */
	WARD_STATE_START_FAILED = 3, /* one of them failed: its parent has not decided yet */
	WARD_STATE_RETRYING = 4,   /* is to start again, and waits for children of the first try */
	WARD_STATE_RUNNING = 5,    /* also while it is suspended by a failure above it */
	WARD_STATE_FAILED = 6,     /* its parent has not decided yet */
	WARD_STATE_RESTARTING = 7, /* waits for children that stop */
	WARD_STATE_RESTART_FAILED = 8, /* its parent has not decided yet */
	WARD_STATE_STOPPING = 9,       /* waits for its children */
	WARD_STATE_STOPPED = 10,       /* its parent has yet to be notified */
	WARD_STATE_FREE = 11 /* of an event: there was no actor before, or is none after */
} ward_actor_state;

/** Returns "any", "gone", "starting", "start-failed", ...; "?" for what is none. Threads: any. */
WARD_API const char *ward_kit_state_text(ward_actor_state state);

/** Moves until the actor is in that state (WARD_STATE_FAILED, WARD_STATE_GONE, ...); fails the test
 *  if it is not within patience_ms. On threads a state that does not last may be missed. */
#define ward_kit_run_until_state(kit, who, state)                                                  \
	ward_kit_run_until_state_at((kit), (who), (state), __FILE__, __LINE__)
/** Behind the macro. */
WARD_API void ward_kit_run_until_state_at(ward_kit *kit, ward_ref who, ward_actor_state state,
					  const char *file, int line);

/** Returns the system's time, in nanoseconds: virtual when simulated. */
WARD_API int64_t ward_kit_now_ns(const ward_kit *kit);
/** The same in milliseconds, rounded down. */
#define ward_kit_now_ms(kit) (ward_kit_now_ns(kit) / 1000000)

/* ---- looking ----------------------------------------------------------------------------- */

/** Returns the state of an actor, as ward_system_actors() tells it; WARD_STATE_GONE if there is no
 *  such actor. */
WARD_API ward_actor_state ward_kit_state(ward_kit *kit, ward_ref who);

/** Checks that the actor is in that state now: ward_assert_state(kit, who, WARD_STATE_FAILED). */
#define ward_assert_state(kit, who, state)                                                         \
	ward_kit_check_state((kit), (who), (state), __FILE__, __LINE__)
/** Behind the macro. */
WARD_API void ward_kit_check_state(ward_kit *kit, ward_ref who, ward_actor_state state,
				   const char *file, int line);

/** Reads what is known of an actor. False: it is gone. */
WARD_API bool ward_kit_info(ward_kit *kit, ward_ref who, ward_actor_info *ret_info);

/** Reads the counters of the system. */
WARD_API ward_stats ward_kit_stats(ward_kit *kit);

/** Returns the number of events so far of these kinds about a path that matches the glob (as in a
 *  shell; "*" also matches slashes). Paths begin "NAME/user/", NAME being "sim" by default. A check
 *  of the number that fails names no events; that of a ward_filter lists them. */
#define ward_kit_count(kit, kinds, path_glob)                                                      \
	ward_kit_count_at((kit), (kinds), (path_glob), __FILE__, __LINE__)
/** Behind the macro. */
WARD_API size_t ward_kit_count_at(const ward_kit *kit, uint32_t kinds, const char *path_glob,
				  const char *file, int line);

/** Returns the n-th of them, from 0, borrowed until ward_kit_forget_events(); fails the test if
 *  there is none. */
#define ward_kit_event(kit, kinds, path_glob, number)                                              \
	ward_kit_event_at((kit), (kinds), (path_glob), (number), __FILE__, __LINE__)
/** Behind the macro. */
WARD_API const ward_event *ward_kit_event_at(const ward_kit *kit, uint32_t kinds,
					     const char *path_glob, size_t number, const char *file,
					     int line);

/** Forgets all events so far. */
WARD_API void ward_kit_forget_events(ward_kit *kit);

/** Writes the tree: states, suspensions, current messages, and who waits for whom. It is written to
 *  stderr, too, when a check of the kit fails, and when a case of the runner reaches its time
 *  limit. Threads: any, also while the kit is stuck. */
WARD_API void ward_kit_print_tree(const ward_kit *kit, int fd);

/* ---- acting ------------------------------------------------------------------------------ */

/** ward_kit_spawn(kit, &worker, .name = "one"): spawns at the top; fails the test if that is
 *  refused. */
#define ward_kit_spawn(kit, ...) ward_kit_spawn_props(kit, WARD_PROPS(__VA_ARGS__))
/** The same with props that are there already. */
#define ward_kit_spawn_props(kit, props) ward_kit_spawn_at((kit), (props), __FILE__, __LINE__)
/** Behind the macro. */
WARD_API ward_ref ward_kit_spawn_at(ward_kit *kit, const ward_props *props, const char *file,
				    int line);

/** Stops an actor: ward_system_stop(). */
#define ward_kit_stop(kit, who) ward_system_stop(ward_kit_system(kit), (who))

#ifndef __cplusplus
/** ward_kit_tell(kit, to, deposit, .cents = 5): as nobody; a probe tells as itself. */
#define ward_kit_tell(kit, to, ...) ward_system_tell(ward_kit_system(kit), (to), __VA_ARGS__)
/** ward_kit_tell_from(kit, ward_probe_ref(probe), to, deposit, .cents = 5): with this sender, to
 *  whom replies go. It need not be an actor of the test: the plain form is
 *  ward_system_send_from(). */
#define ward_kit_tell_from(kit, sender, to, ...)                                                   \
	ward_system_send_from(ward_kit_system(kit), (sender), (to), WARD_BODY(__VA_ARGS__))
#endif

/** A function that runs inside an actor. */
typedef ward_result ward_kit_inside_fn(ward_self *self, void *state, void *arg) WARD_NOEXCEPT;

/**
 * Runs fn(self, state, arg) inside an actor, and moves until that has happened, however it ended.
 *
 *	static ward_result lose_the_key(ward_self *self, void *state, void *arg);
 *	ward_kit_inside(kit, clerk, lose_the_key, NULL);
 *
 * It runs on the actor's turn, as a hook does: all of ward may be called, what it fails with is a
 * failure of the actor, and there is no current message. It has its place in the order of the mail;
 * an actor that is suspended, or held by a full mailbox, runs it when it goes on. No fault of a
 * simulation strikes it. Fails the test if the actor is gone, or does not come to it within
 * patience_ms: then the function does not run.
 */
#define ward_kit_inside(kit, who, ...)                                                             \
	ward_kit_inside_at((kit), (who), __VA_ARGS__, __FILE__, __LINE__)
/** Behind the macro. */
WARD_API void ward_kit_inside_at(ward_kit *kit, ward_ref who, ward_kit_inside_fn *fn, void *arg,
				 const char *file, int line);

/** From now on the n-th allocation finds no memory; 0: each finds some. */
WARD_API void ward_kit_fail_allocation(ward_kit *kit, uint64_t nth);

/** No allocation finds memory until this is taken back. */
WARD_API void ward_kit_fail_all_allocations(ward_kit *kit, bool fail);

/** Returns how many allocations there were, those that found no memory included. */
WARD_API uint64_t ward_kit_allocations(const ward_kit *kit);

/**
 * With --shortages: has fn(arg) called when a check of the case did not hold since memory was out,
 * before it is looked at whether anybody is stuck. There a test lets go of what it holds up by
 * intent, such as an answer that never comes. Another call takes the place of the one before.
 */
WARD_API void ward_kit_on_cut(ward_kit *kit, void (*fn)(void *arg), void *arg);

/** Returns how many bytes the kit's allocator has given out and not got back, whatever the counters
 *  of the system say. */
WARD_API uint64_t ward_kit_bytes(const ward_kit *kit);

/** Returns in how many blocks. */
WARD_API uint64_t ward_kit_blocks(const ward_kit *kit);

WARD_END
#endif
