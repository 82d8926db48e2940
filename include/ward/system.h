/* SPDX-License-Identifier: MIT
 *
 * ward/system.h - a system of actors: create it, use it from outside, inspect it, end it.
 *
 * A system is a tree of actors with its threads. At its top are the guardians: `/`; `/user`, the
 * parent of the program's top actors; and `/system`, the parent of services. A process may have
 * several systems. The library prints nothing, takes no signals, and never exits the process for a
 * mistake of its user, except in ward_run() (the main function of a small program) or where the
 * options or an actor (signal.h) ask for it. It installs signal handlers only for options.faults,
 * options.signals and signals that an actor watches. Its threads block all asynchronous signals.
 *
 * All functions here may be called on any thread, unless stated otherwise. Those that wait are
 * refused on a thread that runs an actor of the same system. In a child process after fork(), calls
 * return WARD_EFORKED, and those that return no error code have no effect. A process that was
 * forked in a callback must not use its ward_self, whose locks are in an unknown state. All
 * asynchronous signals are blocked in it, and in the program that it execs if it does not unblock
 * them first.
 *
 * No function of ward is a cancellation point: a thread outside that is cancelled (pthread_cancel)
 * in a call, even in one that waits, returns from the call first. This includes functions of the
 * program that run inside the call, such as the log or the drop function of a type. But the
 * functions of an allocator and the priority function of a mailbox must not contain cancellation
 * points, since any send may call them. A thread with asynchronous cancellation
 * (PTHREAD_CANCEL_ASYNCHRONOUS) must not be cancelled in a call. The system's own threads have
 * cancellation disabled, and callbacks must leave it disabled. A callback must not call
 * pthread_exit(): that ends the process, with a text for options.fatal.
 */
#ifndef WARD_SYSTEM_H
#define WARD_SYSTEM_H

#include <ward/actor.h>
#include <ward/dispatcher.h>
#include <ward/event.h>
#include <ward/shutdown.h>

WARD_BEGIN

/** The allocator of a system. Both functions are called on any thread that uses the system, also at
 *  the same time, and must not call ward. They may block; the thread waits then. A size is never 0;
 *  memory need not be zeroed. `free` gets the size that `alloc` was called with, and never NULL. */
typedef struct ward_allocator {
	void *(*alloc)(void *arg,
		       size_t size)WARD_NOEXCEPT; /* aligned for any type; NULL: out of memory */
	void (*free)(void *arg, void *block, size_t size) WARD_NOEXCEPT;
	void *arg;
} ward_allocator;

/** Special values of options.dead_letters_logged: no limit; log none. */
enum { WARD_DEAD_LETTERS_ALL = -1, WARD_DEAD_LETTERS_NONE = -2 };
/** What happens on a hardware fault in a callback: SIGSEGV, SIGBUS, SIGFPE, SIGILL. */
typedef enum ward_faults {
	WARD_FAULTS_OFF = 0,    /* no handler is installed: the process ends */
	WARD_FAULTS_CONTAIN = 1 /* a failure of class ward_hardware_fault, where possible */
} ward_faults;

/** How the signals that end a program are handled: SIGINT, SIGTERM and SIGHUP. */
typedef enum ward_signals {
	WARD_SIGNALS_DEFAULT = 0, /* as END in ward_run(), as OFF in ward_system_create() */
	WARD_SIGNALS_OFF = 1,     /* ward does not touch them */
	/**
	 * The system handles them. The first signal starts an ordered end, by
	 * ward_system_shutdown() with the name of the signal as the reason ("SIGTERM"); a second
	 * one kills the process. Signals within 100 milliseconds after the first are ignored:
	 * some programs, such as timeout(1), send it to the process and then to its group.
	 *
	 * They are blocked on the thread that creates the system, and a thread waits for them. The
	 * mask is restored when the same thread destroys the system. Other threads of the program
	 * need not block them: there a handler passes them to the waiting thread, as described in
	 * signal.h. A signal that is ignored, or has a handler of the program, is not touched; one
	 * that an actor of the system watches comes to that actor instead. Only one system of a
	 * process can handle the signals. Contract: S132.
	 */
	WARD_SIGNALS_END = 2
} ward_signals;

/** Options of a system. Zero selects the default in every field. Names and tables are copied; the
 *  objects that log_arg and fatal_arg point to must outlive the system. */
typedef struct ward_options {
	const char *name; /* letters, digits, '-' and '_'; default: "ward" */
	/** Threads for actors; default: the number of processors that the process may use. Short
	 *  for `threads` in a row of `dispatchers` for WARD_WORKERS. */
	uint32_t workers;
	/** Threads of WARD_BLOCKING, started as needed; default: 16. Short for a row likewise. */
	uint32_t blocking;
	uint32_t actors_max; /* alive at once, including the 3 guardians; default: 16 million */
	/** Supervises the actors at the top; default: ward_default_strategy. */
	const ward_strategy *user_strategy;
	/** Pools, and what the threads of WARD_WORKERS, WARD_BLOCKING and WARD_PINNED are like: at
	 *  most 64 rows, ended by a NULL name; default: none. See dispatcher.h. */
	const ward_dispatcher *dispatchers;
	/** Borrowed for the system's life; default: malloc() and free(). */
	const ward_allocator *allocator;
	/** Runs the system on the calling thread, in a chosen order; see simulation.h. Borrowed for
	 *  the system's life. */
	const ward_simulation *simulation;
	/** Gets the events. Called on the thread on which an event happens, possibly on several
	 *  threads at a time. Must not call ward, except the functions that write an event as text.
	 *  Default: none; in ward_run(): ward_log_stderr(). */
	void (*log)(void *arg, const ward_event *event) WARD_NOEXCEPT;
	void *log_arg;
	/** Mask of the kinds that `log` gets. Default: FAILURE, DEAD_LETTER, HOOK_FAILURE and NOTE;
	 *  WARD_EVENT_NONE: no kind. Caution: a message that its receiver does not handle is not
	 *  logged by default, also if its type is the wrong one. A mask replaces the default, so to
	 *  see them as well write WARD_EVENT_FAILURE | WARD_EVENT_DEAD_LETTER |
	 *  WARD_EVENT_HOOK_FAILURE | WARD_EVENT_NOTE | WARD_EVENT_UNHANDLED. */
	uint32_t log_kinds;
	/** Gets a last text before the process is ended for a broken invariant, a misused jump, or
	 *  because deadline_ms has passed. When it returns, abort() follows; after a deadline,
	 *  _exit(). Default: none; in ward_run(): writes a line on standard error. */
	void (*fatal)(void *arg, const char *text) WARD_NOEXCEPT;
	void *fatal_arg;
	uint64_t seed; /* for ward_random() and hashes; default: from the clock */
	/** Allocates each cell, message and record separately: for sanitizers. */
	bool separate_allocations;
	/** true: `log` gets dead letters and unhandled messages also after /user has begun to stop.
	 *  There are many then, and they mean little. Until /user stops, also in the phases of the
	 *  shutdown before that, `log` gets them in any case. Contract: S82. */
	bool dead_letters_at_shutdown;
	/** How many dead letters are logged before a pause, including unhandled messages if
	 *  log_kinds has them. The first one after the pause says how many were not logged.
	 *  Default: 10; or WARD_DEAD_LETTERS_ALL, WARD_DEAD_LETTERS_NONE. Subscribers get all of
	 *  them. Contract: S82, S83. */
	int32_t dead_letters_logged;
	/** Length of the pause; default: 5 minutes; WARD_FOREVER: it never ends. */
	int64_t dead_letters_pause_ms;
	/** Phases of the shutdown, ended by a NULL name; default: ward_default_phases. */
	const ward_phase *phases;
	/**
	 * Contains hardware faults: turns them into failures. Possible only in callbacks of actors,
	 * and there only in code of the program's executable and of the shared objects in
	 * `faults_in`. Elsewhere the previous handler decides; by default the process ends. After a
	 * fault no code of that incarnation runs again, no hook and no deferred call, and all that
	 * it owned is kept forever (ward_stats.quarantined_bytes).
	 *
	 * This is not a safety feature: docs/guide/23-hardware-faults.md explains its limits. It
	 * installs handlers for four signals in the process. It needs ward as a shared library, and
	 * is refused in a simulation.
	 */
	ward_faults faults;
	/** Contained faults; the next one ends the process; default: 10. */
	uint32_t faults_max;
	/** An address in each object, ended by NULL; default: the executable alone. */
	const void *const *faults_in;
	ward_signals signals; /* for SIGINT, SIGTERM, SIGHUP */
	/**
	 * How long the end of the system may take. In ward_run() the time starts with the end
	 * itself, whether a signal, ward_system_shutdown() or the stop of the actor begins it. In a
	 * system from ward_system_create() it starts only with a signal that WARD_SIGNALS_END
	 * handles. When the time is up, `fatal` gets a line that says what the end waits for, and
	 * the process ends by _exit(3). With phases it should be longer than their timeouts
	 * together, which nothing checks. 0: no limit.
	 */
	int64_t deadline_ms;
	/** true: the system has no threads for its actors, and the program runs them: see loop.h.
	 *  Not with `simulation`, `faults` or several `workers`. */
	bool driven;
	uintptr_t reserved[1]; /* zero */
} ward_options;

/**
 * Creates a system and starts its threads. The caller ends it with ward_system_destroy().
 *
 * Ownership  borrows options for the call (NULL: all defaults), but the allocator, the simulation
 *            and the strategy for the system's life. *ret_system is the caller's.
 * Cost       starts the workers one after the other, and waits until each runs; none in a
 *            simulation. Two descriptors; O(workers) memory for each worker, and 16 bytes for each
 *            4096 of options.actors_max. WARD_SIGNALS_END: one more thread. A row of
 *            options.dispatchers that describes threads: a thread that tries it and ends; with
 *            processors or scheduling also one thread that starts the others.
 * Errors     WARD_EINVAL; WARD_ENAME; WARD_EEXIST the name of a dispatcher is taken, or another
 *            system of the process handles the signals; WARD_ENOMEM; WARD_ESYS, also if threads
 *            cannot be as options.dispatchers describes them. Everything is undone then.
 */
WARD_API WARD_MUST_USE ward_err ward_system_create(const ward_options *options,
						   ward_system **ret_system);

/** Starts an actor at the top, under /user, and waits until /user has created it. Otherwise as
 *  ward_try_spawn(), but given arguments are taken always: after a refusal they are dropped. Cost:
 *  as ward_spawn(), a message there and back, and a look at each thread that waits. Errors: those
 *  of ward_try_spawn(); WARD_ETHREAD, WARD_EFORKED. Contract: S125. */
WARD_API WARD_MUST_USE ward_err ward_system_spawn(ward_system *system, const ward_props *props,
						  ward_ref *ret_ref);

/**
 * Starts a service: an actor under /system, which lives longer than all actors under /user. Waits
 * until /system has created it. Otherwise as ward_system_spawn().
 *
 * Services are for what the program's actors need until their end: loggers, subscribers to events.
 * They are supervised by the default strategy; a failure that is escalated takes the system down.
 * When /user is gone and the tasks of WARD_PHASE_SERVICES are done, the services stop one after the
 * other in reverse order of their start. So start a service before those that use it.
 *
 * Cost       as ward_system_spawn().
 * Errors     as ward_system_spawn().
 * Contract   S75, S77
 */
WARD_API WARD_MUST_USE ward_err ward_system_spawn_service(ward_system *system,
							  const ward_props *props,
							  ward_ref *ret_ref);

/** Asks an actor to stop after its current message; does not wait. Idempotent. Cost: as
 *  ward_stop(). Contract: S79. */
WARD_API void ward_system_stop(ward_system *system, ward_ref who);

/**
 * Waits until an actor has ended. Its name is then free. Its place among options.actors_max is free
 * when its parent has been notified as well, which may be a moment later.
 *
 * Units      timeout_ms milliseconds; WARD_FOREVER: no limit; 0 or less: checks without waiting,
 *            also -1, which poll(2) takes for no limit.
 * Cost       as ward_watch(); at the end a look at each thread that waits.
 * Errors     WARD_ETIMEDOUT, WARD_ETHREAD, WARD_EINVAL (nobody), WARD_EFOREIGN, WARD_ENOMEM;
 *            WARD_EUNREACHED the connection to its system was lost.
 */
WARD_API WARD_MUST_USE ward_err ward_system_wait_for(ward_system *system, ward_ref who,
						     int64_t timeout_ms);

/**
 * Sends an actor a poison pill and waits until the actor has ended. All messages that it received
 * before are handled first.
 *
 * Returns at once if the actor has ended already. After WARD_ETIMEDOUT the actor still exists and
 * still has the pill. To use a message of your own in place of the pill, call ward_system_tell()
 * and ward_system_wait_for(). Inside an actor, use ward_ask_stop() (ask.h).
 *
 * Units      as ward_system_wait_for().
 * Cost       as ward_system_send() and ward_system_wait_for().
 * Errors     WARD_ETIMEDOUT, WARD_ETHREAD, WARD_EINVAL (nobody), WARD_EFOREIGN, WARD_ENOMEM;
 *            WARD_EUNREACHED the connection to its system was lost.
 * Contract   S51
 */
WARD_API WARD_MUST_USE ward_err ward_system_ask_stop(ward_system *system, ward_ref who,
						     int64_t timeout_ms);

/**
 * Sends a question and waits for the answer. The plain form of ward_system_ask().
 *
 * The asked actor answers with ward_reply() or ward_answer(), in any callback, or passes the
 * question on. A second answer is a dead letter.
 *
 * Ownership  takes what the body owns, always. On WARD_OK *ret_answer is a copy of the answer and
 *            owns what the answer owned; it must have room for the size of answer_type.
 * Units      timeout_ms milliseconds, more than 0; WARD_FOREVER: no limit.
 * Cost       as ward_system_send(), a watch, and the path of the asked actor; for the answer a
 *            message, and a look at each thread that waits.
 * Errors     WARD_ETIMEDOUT; WARD_EDEAD the question became a dead letter, there was no memory for
 *            its answer, or the asked actor ended without an answer; WARD_ETYPE the answer has
 *            another type, or answer_type has a size_max: the answer is dropped; WARD_EFULL;
 *            WARD_EFOREIGN; WARD_EUNREACHED the connection to its system was lost; WARD_ELOCAL;
 *            WARD_ETHREAD; WARD_ENOMEM; WARD_EINVAL; WARD_ESIZE.
 */
WARD_API WARD_MUST_USE ward_err ward_system_ask_send(ward_system *system, ward_ref to,
						     int64_t timeout_ms,
						     const ward_type *answer_type, void *ret_answer,
						     const ward_type *type, const void *body,
						     size_t size);

/** Waits until the system has ended; does not start its end: see ward_system_shutdown()
 *  (shutdown.h). Units: timeout_ms as in ward_system_wait_for(). Cost: O(1), and the wait. Errors:
 *  WARD_ETIMEDOUT, WARD_ETHREAD. */
WARD_API WARD_MUST_USE ward_err ward_system_wait(ward_system *system, int64_t timeout_ms);

/**
 * Registers fn, which is called once as fn(arg) when all actors have ended, before threads that
 * wait for the end are released. Functions are called in reverse order of registration, one at a
 * time, on one of the system's threads. fn must not wait for the system: ward_system_destroy()
 * returns WARD_ETHREAD there.
 *
 * Cost       O(1), takes a lock of the system; a small block of memory until fn was called.
 * Errors     WARD_ESTOPPING all actors have ended already; WARD_ENOMEM. fn is not called then.
 * Contract   S78
 */
WARD_API WARD_MUST_USE ward_err ward_system_on_terminate(ward_system *system,
							 void (*fn)(void *arg) WARD_NOEXCEPT,
							 void *arg);

/**
 * Ends a system, as ward_system_shutdown() without a reason does, waits for at most deadline_ms,
 * stops the threads and frees everything. NULL is allowed.
 *
 * If the time is up, it returns WARD_ETIMEDOUT and leaves everything in place; the error detail
 * names one of the actors that are left, ward_system_actors() finds all of them. Call it again
 * later. An actor whose callback never returns cannot be ended, nor can its memory be freed: a
 * program that must end nevertheless reports it and calls _exit(), which waits for no thread.
 *
 * Units      deadline_ms milliseconds, as timeout_ms of ward_system_wait_for().
 * Threads    no other call for this system may run at the same time.
 * Cost       O(most actors ever alive at once), and O(messages left in mailboxes); after a timeout
 *            as ward_system_actors().
 * Errors     WARD_ETIMEDOUT, WARD_ETHREAD, WARD_EFORKED.
 */
WARD_API WARD_MUST_USE ward_err ward_system_destroy(ward_system *system, int64_t deadline_ms);

/** The state of an actor at one moment. Texts are lines (ward/text.h), cut to fit. */
typedef struct ward_actor_info {
	ward_ref ref;
	ward_ref parent;
	/** "starting", "start-failed", "retrying" (the first start), "running", "failed",
	 *  "restarting", "restart-failed", "stopping" or "stopped". A constant. */
	const char *state;
	uint32_t suspended; /* number of suspensions that hold it back; 0: it handles messages */
	uint32_t incarnation;
	uint32_t restarts; /* completed restarts in its life */
	int64_t mailbox;   /* messages in a counted mailbox; -1: not counted */
	uint64_t dropped;  /* messages dropped by its full mailbox, in its life */
	ward_ref held_by;  /* the owner of the full mailbox that holds it back, or nobody */
	bool ready;        /* is running, or waits for a worker */
	bool has_mail;     /* unread messages wait; exact only if `ready` is false */
	bool closed;       /* it has closed its mailbox: ward_mailbox_close() */
	/** Time spent on the current message, by the worker's last look at the clock. */
	int64_t message_ms;
	char path[WARD_EVENT_PATH];
	char message[WARD_EVENT_NAME]; /* type of the current message; empty: none */
	/** "class: text" of its last failure; empty: none. */
	char last_failure[WARD_EVENT_NAME + WARD_EVENT_TEXT];
	/** unique; increases from parents to children and from older to younger siblings. */
	uint64_t born;
	char status[WARD_STATUS_TEXT]; /* set by ward_status_set(); empty: none */
} ward_actor_info;

/**
 * Calls `each` for every actor alive, including guardians, in no particular order; returns the
 * number of actors.
 *
 * The system does not stop for it: each row is correct by itself, but the rows are not of the same
 * moment. Nothing happened between two calls if no actor was ready in either, if
 * ward_stats.threads_busy was 0 between them, and if ward_stats.turns is the same before the first
 * and after the second. `each` must not call ward.
 *
 * Cost       O(most actors ever alive at once), and for each actor alive O(threads of the system)
 *            and O(depth), for the path. Never waits for an actor, so it works when one is stuck.
 */
WARD_API size_t ward_system_actors(ward_system *system,
				   void (*each)(void *arg, const ward_actor_info *info)
					   WARD_NOEXCEPT,
				   void *arg);

/**
 * Reads the state of one actor, as ward_system_actors() does of all.
 *
 * Threads    any.
 * Cost       O(threads of the system), and O(depth), for the path. Never waits for an actor.
 * Errors     WARD_EDEAD it has ended; WARD_EFOREIGN; WARD_EINVAL no system, ret_info is NULL, or
 *            nobody; WARD_EFORKED. *ret_info is unchanged then.
 */
WARD_API WARD_MUST_USE ward_err ward_system_actor(ward_system *system, ward_ref who,
						  ward_actor_info *ret_info);

/**
 * Calls `line` for each line of a picture of the tree: children below their parent and indented,
 * siblings from the oldest to the youngest. For a log or a terminal: the texts of actors are
 * written as lines (ward_text_line()).
 *
 *	ward/ running
 *	  user running
 *	    lane running: closed for 3.2 s
 *	    shop running, suspended 1, incarnation 2, 1 restart, 3 of mail, handles sell for 12 ms
 *	      till failed; last failure: jammed: no paper
 *
 * As with ward_system_actors(), the rows are not of the same moment: an actor whose parent has
 * ended since is not indented, and an actor that has ended itself reads "?#uid gone". `line` must
 * not call ward; it borrows the text, which has no newline, for the call.
 *
 * Cost       O(n log n) time, and for each actor alive O(threads of the system); 44 bytes of the
 *            system's memory for each of the most actors ever alive at once; independent of the
 *            depth. Never waits for an actor.
 * Errors     WARD_ENOMEM; WARD_EINVAL no system or no function; WARD_EFORKED. `line` is not called
 *            then.
 */
WARD_API WARD_MUST_USE ward_err ward_system_tree(ward_system *system,
						 void (*line)(void *arg, const char *text)
							 WARD_NOEXCEPT,
						 void *arg);

/** Counters of a system, since its creation unless stated otherwise. */
typedef struct ward_stats {
	/** Alive now, including guardians; an actor counts until its parent is notified of its end.
	 */
	uint64_t actors;
	uint64_t spawned;
	uint64_t turns;    /* begun: in a turn a worker runs one actor, for one or more messages */
	uint64_t failures; /* reported to a parent */
	uint64_t restarts; /* completed */
	uint64_t dead_letters;
	uint64_t unhandled;
	uint64_t events_lost;   /* not delivered because memory ran out */
	uint64_t memory_bytes;  /* allocated now */
	uint64_t memory_blocks; /* allocated now */
	uint64_t timers;        /* running now */
	uint64_t fds;           /* watched or adopted now */
	/** Bodies of types with a drop function that the runtime owns now: made, and neither
	 *  dropped nor handed to the program; including arguments of actors and bodies of failures.
	 *  Counted only in a simulation or with options.separate_allocations, otherwise 0. */
	uint64_t payloads;
	uint64_t faults; /* hardware faults that were contained */
	/** Of ward_alloc(), left behind by actors with a hardware fault. */
	uint64_t quarantined_bytes;
	bool tainted; /* a fault was contained: memory may be damaged, a lock may be held forever */
	/** A guardian ended an actor at the top, or failed itself; or an actor at the top ended
	 *  itself for a reason other than normal or a plain shutdown: see ward_run(). */
	bool gave_up;
	/** How often memory ran out and it was reported: to a caller by a code or NULL, to a sender
	 *  by a dead letter, to a supervisor by a failure, possibly without its text. */
	uint64_t shortages;
	/** Threads of the system that run an actor now, or look for the next one after it; 0 in a
	 *  simulation. */
	uint64_t threads_busy;
	uintptr_t reserved[3];
} ward_stats;

/** Reads the counters; each is correct by itself. Cost: O(threads). */
WARD_API void ward_system_stats(ward_system *system, ward_stats *ret_stats);

/** A thread outside that waits for something. Texts are cut to fit. */
typedef struct ward_wait_info {
	/** The actor that it asked or waits for; /user if it waits for a new actor; / if it waits
	 *  for the end of the system. */
	ward_ref who;
	int64_t since_ns;           /* when the wait began, in the monotonic time of the system */
	int64_t waited_ms;          /* how long it has waited */
	char path[WARD_EVENT_PATH]; /* of `who` */
	/** What it waits for: "an answer to TYPE", "its end", "a message" (of an inbox), "an actor
	 *  to be made", or "the end of the system". */
	char what[WARD_EVENT_NAME + 16];
} ward_wait_info;

/**
 * Calls `each` for every thread outside that waits for something of this system, in the order in
 * which the waits began; returns the number of threads.
 *
 * As with ward_system_actors(), the system does not stop for it, and `each` must not call ward.
 *
 * Threads    any.
 * Cost       O(threads that wait), squared, and for each O(depth of `who`), for the path.
 */
WARD_API size_t ward_system_waits(ward_system *system,
				  void (*each)(void *arg, const ward_wait_info *info) WARD_NOEXCEPT,
				  void *arg);

/** Writes the path of an actor, such as "name/user/a/b", cut to `max` bytes; returns the full
 *  length. The text ends with a 0, which counts in `max`; text may be NULL if max is 0. For a ref
 *  whose actor has ended it writes "?#uid"; for the ref of a thread, a task or a question, to which
 *  only answers are sent, a description. Cost: O(depth). Contract: S57. */
WARD_API size_t ward_system_path(ward_system *system, ward_ref ref, char *text, size_t max);

/** Returns true if this life of the actor goes on. The answer true may be out of date when the call
 *  returns; false never is. Cost: O(1). */
WARD_API bool ward_system_is_alive(ward_system *system, ward_ref ref);

/**
 * Runs a small program: creates a system with one actor at the top, waits until that actor has
 * stopped or a signal arrives, and ends the system in order.
 *
 * The defaults are those that a program wants. Events and the last text before an abort go to
 * standard error (options.log: ward_log_stderr(), options.fatal). If the start is refused, a line
 * on standard error says what to do, unless options.log_kinds is WARD_EVENT_NONE: then nothing is
 * printed. SIGINT, SIGTERM and SIGHUP end the system in order, a second one ends the process at
 * once (options.signals; in a simulation they are not touched). An actor without a name gets the
 * name of its behaviour, with forbidden bytes replaced by '_'. NULL options are all defaults.
 *
 * Returns the exit status of the program. 0: the actor stopped by itself or by a signal, and the
 * system ended in order, even if a phase of the shutdown ran into its timeout, which is an event.
 * 1: the guardian gave up on the actor, or the actor ended itself by ward_exit_self() with a reason
 * that is neither normal nor a shutdown without a text (a supervisor of otp.h does so when its
 * children were restarted too often). 2: the actor could not be started; ward_err_detail() has the
 * reason. If options.deadline_ms passes, the process ends with status 3.
 *
 * Ownership  borrows both for the call. Given arguments are taken always.
 * Threads    any that runs no actor; its signal mask is restored before the return.
 * Cost       as ward_system_create(), ward_system_spawn() and ward_system_destroy(); waits without
 *            a limit.
 */
WARD_API WARD_MUST_USE int ward_run(const ward_props *props, const ward_options *options);

WARD_END

/* ---- the macros (C only) ----------------------------------------------------------------- */

#ifndef __cplusplus
/** Runs a small program with default options: `return ward_main(&host)` or `return
 *  ward_main(&host, .name = "host")` in main. See ward_run(). Cost: as ward_run(). */
#define ward_main(...) ward_run(WARD_PROPS(__VA_ARGS__), NULL)
/** Sends a question and waits for the answer: `ward_system_ask(system, bank, WARD_SECOND, &answer,
 *  get_balance, .account = 1)`. `answer` has the type that WARD_REPLY(get_balance, ...) declares.
 *  See ward_system_ask_send(). Cost: as ward_system_ask_send(). */
#define ward_system_ask(system, to, timeout_ms, ret_answer, ...)                                   \
	WARD_ASK_WAIT_(system, timeout_ms, to, ret_answer, WARD_HEAD_(__VA_ARGS__, 0),             \
		       WARD_BODY(__VA_ARGS__))
#define WARD_HEAD_(T, ...) T
#define WARD_ASK_WAIT_(system, timeout_ms, to, ret_answer, Q, ...)                                 \
	WARD_ASK_WAIT_2_(system, timeout_ms, to, ret_answer, Q, __VA_ARGS__)
#define WARD_ASK_WAIT_2_(system, timeout_ms, to, ret_answer, Q, ...)                               \
	ward_system_ask_send((system), (to), (timeout_ms), ward_reply_type_##Q(),                  \
			     1 ? (ret_answer) : (ward_reply_to_##Q *)0, __VA_ARGS__)
#endif
#endif
