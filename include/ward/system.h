/* SPDX-License-Identifier: MIT
 *
 * ward/system.h - a system of actors: create, reach from outside, shut down.
 *
 * A system is a tree with its threads. At its top are the guardians: `/`, `/user` above the actors
 * of the program, `/system` above the library's own. Many systems can live in one process; the
 * library installs no signal handler (but for options.faults) and never exits the process for a
 * mistake of the user; it prints nothing and takes no signal but in ward_run(), which is the main
 * of a small program, or where the options ask for it. Its threads block all asynchronous signals.
 *
 * All calls here: any thread, unless said otherwise; those that wait are refused on a thread that
 * runs an actor of the same system. In a fork()ed child every call answers WARD_EFORKED. A child
 * that was forked in a callback must not use its ward_self, whose locks are as they were; it has
 * all asynchronous signals blocked, and so has what it execs, unless it unblocks them.
 *
 * No call of ward is a cancellation point: a thread outside that is cancelled (pthread_cancel) in
 * one, also in one that waits, comes back from it first. So do the program's functions that run in
 * a call, such as the log, or a type's drop; but the hooks of an allocator, and the priorities of a
 * mailbox, must not have cancellation points, since a send may call them. Of type asynchronous
 * (PTHREAD_CANCEL_ASYNCHRONOUS) no thread may be cancelled in a call. The system's own threads have
 * cancellation disabled; a callback leaves it so, and does not call pthread_exit(): that ends the
 * process, with a text for options.fatal.
 */
#ifndef WARD_SYSTEM_H
#define WARD_SYSTEM_H

#include <ward/actor.h>
#include <ward/event.h>
#include <ward/shutdown.h>

WARD_BEGIN

/** Where the memory of a system comes from. Called from any of its threads. */
typedef struct ward_allocator {
	void *(*alloc)(void *arg,
		       size_t size)WARD_NOEXCEPT; /* aligned for any type; NULL: none left */
	void (*free)(void *arg, void *block, size_t size) WARD_NOEXCEPT;
	void *arg;
} ward_allocator;

/** A named pool of threads for actors that block. */
typedef struct ward_dispatcher {
	const char *name;
	uint32_t threads; /* at least 1 */
} ward_dispatcher;

/** For options.dead_letters_logged. */
enum { WARD_DEAD_LETTERS_ALL = -1, WARD_DEAD_LETTERS_NONE = -2 };
/** What becomes of a hardware fault in a callback: SIGSEGV, SIGBUS, SIGFPE, SIGILL. */
typedef enum ward_faults {
	WARD_FAULTS_OFF = 0,    /* no handler is installed: the process ends */
	WARD_FAULTS_CONTAIN = 1 /* a failure of class ward_hardware_fault, where that is possible */
} ward_faults;

/** Who sees to the signals that end a program: SIGINT, SIGTERM and SIGHUP. */
typedef enum ward_signals {
	WARD_SIGNALS_DEFAULT = 0, /* ward_run(): as END; ward_system_create(): as OFF */
	WARD_SIGNALS_OFF = 1,     /* they are left alone */
	/**
	 * The system: the first one begins its ordered end, by ward_system_shutdown() with its
	 * name as the reason ("SIGTERM"); at a second one the process dies of it.
	 *
	 * No handler is installed. They are blocked on the thread that creates the system, and a
	 * thread of the system waits for them; that mask is as before when the same thread destroys
	 * it. Threads of the program that are there already must block them, too: a thread that
	 * does not gets the signal, and the process ends. One that is ignored, or has a handler of
	 * the program's, is left alone. One system of a process can have them.
	 */
	WARD_SIGNALS_END = 2
} ward_signals;

/** Options of a system. Zero is the default in every field. Names are copied. */
typedef struct ward_options {
	const char *name;    /* "ward"; letters, digits, '-' and '_' */
	uint32_t workers;    /* threads for actors; as many as the process may use */
	uint32_t blocking;   /* threads of WARD_BLOCKING, made as needed; 16 */
	uint32_t actors_max; /* alive at once, the 3 guardians included; 16 million */
	const ward_strategy *user_strategy; /* for the actors at the top; the default strategy */
	const ward_dispatcher *dispatchers; /* pools, ended by a NULL name; none */
	const ward_allocator *allocator;    /* malloc and free; borrowed for the system's life */
	/** Runs the system on the calling thread, in an order that is chosen; see simulation.h.
	 *  Borrowed for the life of the system. */
	const ward_simulation *simulation;
	/** Hears events; called on the thread where they happen, several at a time. Must not call
	 *  ward, except the functions that write an event as text. None; of ward_run():
	 *  ward_log_stderr(). */
	void (*log)(void *arg, const ward_event *event) WARD_NOEXCEPT;
	void *log_arg;
	/** Mask; FAILURE, DEAD_LETTER, HOOK_FAILURE and NOTE. WARD_EVENT_NONE: no events. */
	uint32_t log_kinds;
	/** Hears the last words before the process is ended for a broken invariant or a misused
	 *  jump; when it returns, abort() follows, or _exit() where deadline_ms has passed. None;
	 *  of ward_run(): a line on standard error. */
	void (*fatal)(void *arg, const char *text) WARD_NOEXCEPT;
	void *fatal_arg;
	uint64_t seed;             /* for ward_random() and hashes; from the clock */
	bool separate_allocations; /* each cell, message and record by itself: for sanitizers */
	/** Whether `log` gets dead letters and unhandled messages from when /user stops on: there
	 *  are many then, and they mean little. While the phases before that run it gets them.
	 *  Contract: S82. */
	bool dead_letters_at_shutdown;
	/** The number of dead letters that are logged before a pause, unhandled messages included
	 *  if log_kinds has them; the first one after the pause says how many were not logged.
	 *  10; or WARD_DEAD_LETTERS_ALL, WARD_DEAD_LETTERS_NONE. Subscribers always get all.
	 *  Contract: S82, S83. */
	int32_t dead_letters_logged;
	int64_t dead_letters_pause_ms; /* 5 minutes; WARD_FOREVER: for good */
	const ward_phase *phases; /* of a shutdown, ended by a NULL name; ward_default_phases */
	/**
	 * Contains hardware faults. They become failures only in callbacks of actors, and only in
	 * code of the program's executable and of the shared objects in `faults_in`: an address in
	 * each, ended by NULL. Elsewhere the handler that was there before decides; by default the
	 * process ends. Of an incarnation that faulted nothing runs from then on, no hook and no
	 * deferred call, and all it owned stays as it is forever (ward_stats.quarantined_bytes).
	 *
	 * This is no safety: the guide says what it cannot promise. Installs handlers for four
	 * signals in the process. Needs ward as a shared library; refused in a simulation.
	 */
	ward_faults faults;
	uint32_t faults_max;          /* contained; at the next the process ends; 10 */
	const void *const *faults_in; /* none: the executable alone */
	ward_signals signals;
	/**
	 * How long the end may take: with ward_run() from its begin on, be it by a signal, by
	 * ward_system_shutdown() or since the actor stops; with ward_system_create() from a
	 * signal of WARD_SIGNALS_END on. When it is over, `fatal` gets a line with what the end
	 * waits for, and the process ends by _exit(3). 0: no limit.
	 */
	int64_t deadline_ms;
	uintptr_t reserved[1]; /* zero */
} ward_options;

/**
 * Creates a system and starts its threads.
 *
 * Ownership  borrows options for the call (NULL: all defaults), the allocator and the strategy for
 *            the system's life. Returns *ret_system; end it with ward_system_destroy().
 * Cost       starts the workers one after the other, and waits until each has begun; in a
 *            simulation none. Two descriptors; O(workers) memory for each worker, and 16 bytes for
 *            each 4096 of options.actors_max. WARD_SIGNALS_END: a thread more.
 * Errors     WARD_EINVAL, WARD_ENAME, WARD_EEXIST (the name of a dispatcher is taken, or another
 *            system of the process has its signals), WARD_ENOMEM,
 *            WARD_ESYS. Then nothing is left behind.
 */
WARD_API WARD_MUST_USE ward_err ward_system_create(const ward_options *options,
						   ward_system **ret_system);

/** Starts an actor at the top, under /user. As ward_spawn(); waits until /user has made it. Cost:
 *  as ward_spawn(), a message there and back, and a look at each thread that waits. */
WARD_API WARD_MUST_USE ward_err ward_system_spawn(ward_system *system, const ward_props *props,
						  ward_ref *ret_ref);

/**
 * Starts a service: an actor under /system, which lives longer than all that is under /user.
 *
 * For what the program's actors need until their end: loggers, sinks of events. Supervised by the
 * default strategy; a failure that escalates takes the system down. When /user is gone, and the
 * tasks of WARD_PHASE_SERVICES are done, the services stop one after the other, the one that was
 * started last first: so start first what the others write to.
 *
 * Otherwise as ward_system_spawn(); waits until /system has made it.
 *
 * Cost       as ward_system_spawn().
 * Contract   S75, S77
 */
WARD_API WARD_MUST_USE ward_err ward_system_spawn_service(ward_system *system,
							  const ward_props *props,
							  ward_ref *ret_ref);

/** Asks an actor to stop after its current message. Idempotent. Cost: as ward_stop(). Contract:
 *  S79. */
WARD_API void ward_system_stop(ward_system *system, ward_ref who);

/**
 * Waits until the actor is gone for good. Its name is free then. Its place among
 * options.actors_max is free when its parent has been told as well, which may be a moment later.
 *
 * Units      timeout_ms milliseconds; WARD_FOREVER; 0 looks once.
 * Cost       as ward_watch(); at the end a look at each thread that waits.
 * Errors     WARD_ETIMEDOUT, WARD_ETHREAD, WARD_EINVAL (nobody), WARD_EFOREIGN, WARD_ENOMEM.
 */
WARD_API WARD_MUST_USE ward_err ward_system_wait_for(ward_system *system, ward_ref who,
						     int64_t timeout_ms);

/**
 * Sends a poison pill, and waits until the actor is gone: all that it got before is handled.
 *
 * At once if it is gone already. When the time is up it is still there, and still has the pill.
 * With a message of the program's in place of the pill: ward_system_tell(), then
 * ward_system_wait_for(). Actors have ward_ask_stop() (ask.h).
 *
 * Units      as ward_system_wait_for().
 * Cost       as ward_system_send() and ward_system_wait_for().
 * Errors     WARD_ETIMEDOUT, WARD_ETHREAD, WARD_EINVAL (nobody), WARD_EFOREIGN, WARD_ENOMEM.
 * Contract   S51
 */
WARD_API WARD_MUST_USE ward_err ward_system_ask_stop(ward_system *system, ward_ref who,
						     int64_t timeout_ms);

/**
 * Sends a question and waits for its one answer. The plain form of ward_system_ask().
 *
 * The asked actor answers with ward_reply() or ward_answer(), from any callback, or passes the
 * question on. A later second answer is a dead letter.
 *
 * Ownership  takes what the body owns, always. On WARD_OK copies the answer, with what it owns, to
 *            *ret_answer, which has room for answer_type's size.
 * Units      timeout_ms milliseconds, more than 0.
 * Cost       as ward_system_send(), a watch, and the path of the asked; the answer as any message,
 *            and a look at each thread that waits.
 * Errors     WARD_ETIMEDOUT, WARD_EDEAD (the question ended as a dead letter, its answer found no
 *            memory, or the asked actor came to its end; an answer that it sent before wins),
 *            WARD_ETYPE (another type came), WARD_EFULL, WARD_EFOREIGN, WARD_ETHREAD, WARD_ENOMEM,
 *            WARD_EINVAL, WARD_ESIZE.
 */
WARD_API WARD_MUST_USE ward_err ward_system_ask_send(ward_system *system, ward_ref to,
						     int64_t timeout_ms,
						     const ward_type *answer_type, void *ret_answer,
						     const ward_type *type, const void *body,
						     size_t size);

/** Waits for the end, from wherever it was begun: see ward_system_shutdown() (shutdown.h). Cost:
 *  O(1), and the wait. Errors: WARD_ETIMEDOUT, WARD_ETHREAD. */
WARD_API WARD_MUST_USE ward_err ward_system_wait(ward_system *system, int64_t timeout_ms);

/**
 * Calls fn(arg) once when the tree is down, before those who wait are released. Last registered,
 * first called, one at a time, on one of the system's threads.
 *
 * Cost       O(1), takes a lock of the system; a small block of memory until it was called.
 * Errors     WARD_ESTOPPING the tree is down already; WARD_ENOMEM.
 * Contract   S78
 */
WARD_API WARD_MUST_USE ward_err ward_system_on_terminate(ward_system *system,
							 void (*fn)(void *arg) WARD_NOEXCEPT,
							 void *arg);

/**
 * Shuts it down without a reason, waits up to deadline_ms, stops the threads and frees everything.
 *
 * NULL is fine. Past the deadline it answers WARD_ETIMEDOUT, leaves everything in place and the
 * detail names one of those who are left; ward_system_actors() names all. Call it again then. An
 * actor whose callback never returns can not be ended, nor can the memory it uses be freed: a
 * program that must end anyway says so, and calls _exit(), which waits for no thread.
 * No other call may run at the same time.
 *
 * Cost       O(cells ever alive at once), and of what is left in mailboxes; at the deadline as
 *            ward_system_actors().
 * Errors     WARD_ETIMEDOUT, WARD_ETHREAD, WARD_EFORKED.
 */
WARD_API WARD_MUST_USE ward_err ward_system_destroy(ward_system *system, int64_t deadline_ms);

/** What is known of an actor at a moment. Texts are lines (ward/text.h), cut to fit. */
typedef struct ward_actor_info {
	ward_ref ref;
	ward_ref parent;
	const char *state;  /* "starting", "running", "failed", "restarting", "stopping", ... */
	uint32_t suspended; /* how many suspensions hold it back */
	uint32_t incarnation;
	uint32_t restarts;  /* completed in its life */
	int64_t mailbox;    /* messages in a counted mailbox; -1: not counted */
	uint64_t dropped;   /* by a mailbox with a maximum, in its life */
	ward_ref held_by;   /* whose full mailbox holds it back, or nobody */
	bool ready;         /* has a turn, or waits for one */
	bool has_mail;      /* unread messages wait; a guess while it is ready, exact if not */
	int64_t message_ms; /* age of the current message, to the worker's last look at the clock */
	char path[WARD_EVENT_PATH];
	char message[WARD_EVENT_NAME]; /* type of the current message; "": idle */
	char last_failure[WARD_EVENT_NAME + WARD_EVENT_TEXT]; /* "class: text" of the last one */
	uint64_t born; /* a number that no other has: siblings in order, parents first */
	char status[WARD_STATUS_TEXT]; /* what it shows of itself, see ward_status_set(); or "" */
} ward_actor_info;

/**
 * Calls `each` for every actor alive, guardians included, in no order; returns how many there were.
 *
 * A moment's picture of moving things: each row is true by itself. `each` must not call ward.
 * Nothing moved between two pictures if nobody was ready in both, and ward_stats.turns is the same
 * before the first and after the second.
 *
 * Cost       O(cells ever alive at once), and for each that lives O(threads of the system) and its
 *            depth, for the path. Never waits for an actor: a stuck one is in it, too.
 */
WARD_API size_t ward_system_actors(ward_system *system,
				   void (*each)(void *arg, const ward_actor_info *info)
					   WARD_NOEXCEPT,
				   void *arg);

/**
 * Tells of one actor what ward_system_actors() tells of all; from any thread.
 *
 * Cost       O(threads of the system), and its depth, for the path. Never waits for an actor.
 * Errors     WARD_EDEAD it is gone; WARD_EFOREIGN; WARD_EINVAL no system, no place, or nobody;
 *            WARD_EFORKED. Then *ret_info is as it was.
 */
WARD_API WARD_MUST_USE ward_err ward_system_actor(ward_system *system, ward_ref who,
						  ward_actor_info *ret_info);

/**
 * Calls `line` with each line of a picture of the tree: parents first, children below them and
 * indented, siblings in the order of their birth. For a log, or a terminal: the texts of actors are
 * written as ward_text_line() does.
 *
 *	ward/ running
 *	  user running
 *	    lane running: closed for 3.2 s
 *	    shop running, suspended 1, incarnation 2, 1 restart, 3 of mail, handles sell for 12 ms
 *	      till failed; last failure: jammed: no paper
 *
 * A moment's picture of moving things, as with ward_system_actors(): an actor whose parent has
 * ended meanwhile stands at the margin, one that has ended itself reads "?#uid gone". `line` must
 * not call ward; the text, without a newline, is borrowed for the call.
 *
 * Cost       O(n log n) time, and for each that lives O(threads of the system); 44 bytes of the
 *            system's memory for each cell ever alive at once. The depth does not matter. Never
 *            waits for an actor.
 * Errors     WARD_ENOMEM, WARD_EINVAL no system or no function, WARD_EFORKED. Then no line.
 */
WARD_API WARD_MUST_USE ward_err ward_system_tree(ward_system *system,
						 void (*line)(void *arg, const char *text)
							 WARD_NOEXCEPT,
						 void *arg);

/** Counters of a system, all since its creation. */
typedef struct ward_stats {
	uint64_t actors; /* now, guardians included; counted until the parent knows of its end */
	uint64_t spawned;
	uint64_t turns;    /* that actors have begun */
	uint64_t failures; /* reported to a parent */
	uint64_t restarts; /* completed */
	uint64_t dead_letters;
	uint64_t unhandled;
	uint64_t events_lost;   /* found no memory */
	uint64_t memory_bytes;  /* taken from the allocator now */
	uint64_t memory_blocks; /* taken from the allocator now */
	uint64_t timers;        /* running now */
	uint64_t fds;           /* watched or adopted now */
	/** Bodies of types with a drop function that are the runtime's now: made, and neither
	 *  dropped nor handed to the program; arguments of actors and bodies of failures included.
	 *  Counted only in a simulation, or with options.separate_allocations; else 0. */
	uint64_t payloads;
	uint64_t faults;            /* hardware faults that were contained */
	uint64_t quarantined_bytes; /* of ward_alloc(), left behind by actors that faulted */
	bool tainted; /* one was contained: memory may be damaged, a lock held forever */
	/** A guardian ended an actor at the top, or failed itself; or an actor at the top ended
	 *  itself for a reason that is neither normal nor a plain shutdown: see ward_run(). */
	bool gave_up;
	/** Times that memory was out and somebody was told: a call by its code or NULL, a sender by
	 *  a dead letter, a supervisor by a failure, which may have lost its text. */
	uint64_t shortages;
	uintptr_t reserved[4];
} ward_stats;

/** Reads the counters; each is true by itself. Cost: O(threads). */
WARD_API void ward_system_stats(ward_system *system, ward_stats *ret_stats);

/** A thread outside that waits. Texts are cut to fit. */
typedef struct ward_wait_info {
	ward_ref who; /* asked, or awaited; /user for a new actor, / for the end of the system */
	int64_t since_ns;           /* monotonic time of the system */
	int64_t waited_ms;          /* until now */
	char path[WARD_EVENT_PATH]; /* of `who` */
	/** For what: "an answer to TYPE", "its end", "a message" (of an inbox), "an actor to be
	 *  made", or "the end of the system". */
	char what[WARD_EVENT_NAME + 16];
} ward_wait_info;

/**
 * Calls `each` for every thread outside that waits for something of this system, in the order in
 * which they began; returns how many there were.
 *
 * As with ward_system_actors(), a moment's picture, from any thread; `each` must not call ward.
 *
 * Cost       O(threads that wait), squared, and for each the depth of `who`, for the path.
 */
WARD_API size_t ward_system_waits(ward_system *system,
				  void (*each)(void *arg, const ward_wait_info *info) WARD_NOEXCEPT,
				  void *arg);

/** Writes the path of an actor, "name/user/a/b", cut at `max`; returns the full length. A stale ref
 *  reads "?#uid"; that of a thread, a task or a question, which only an answer is sent to, says so
 *  in words. Cost: O(depth). Contract: S57. */
WARD_API size_t ward_system_path(ward_system *system, ward_ref ref, char *text, size_t max);

/** Says whether this life of the actor still goes on: stale at once, unless it is false. Cost:
 *  O(1). */
WARD_API bool ward_system_is_alive(ward_system *system, ward_ref ref);

/**
 * The whole of a small program's main: a system with one actor at the top; ends in order when that
 * actor has stopped, or at a signal.
 *
 * What is not asked for otherwise is as a program wants it: events go to standard error by
 * ward_log_stderr() (options.log), and so do the last words (options.fatal); a start that is
 * refused is said there in a line, which says what to do, unless options.log_kinds is
 * WARD_EVENT_NONE: then nothing is printed. SIGINT, SIGTERM and SIGHUP end it in order, a second
 * one at once (options.signals; in a simulation they are left alone). An actor without a name has
 * that of its behaviour, '_' for each byte that no name has. NULL options are all of these.
 *
 * Returns 0: it stopped of itself, or was told to by a signal, and ended in order; 1: the guardian
 * gave up on it, or it ended itself by ward_exit_self() with a reason that is neither normal nor a
 * shutdown without a text, as a supervisor of otp.h that restarted too often does; 2: it could not
 * be started, and ward_err_detail() has what was said. 3 is the status of a process that ended
 * because options.deadline_ms had passed.
 *
 * Ownership  borrows both for the call.
 * Threads    one that is no actor's; its mask of signals is as before when it returns.
 * Cost       as ward_system_create(), ward_system_spawn() and ward_system_destroy(); waits without
 *            a limit.
 */
WARD_API WARD_MUST_USE int ward_run(const ward_props *props, const ward_options *options);

WARD_END

#ifndef __cplusplus
/** ward_main(&host) or ward_main(&host, .name = "host"): ward_run(WARD_PROPS(...), NULL), for the
 *  return of main. Cost: as ward_run(). */
#define ward_main(...) ward_run(WARD_PROPS(__VA_ARGS__), NULL)
/** ward_system_ask(system, bank, WARD_SECOND, &answer, get_balance, .account = 1): `answer` must be
 *  the struct that WARD_REPLY(get_balance, ...) promised. Cost: as ward_system_ask_send(). */
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
