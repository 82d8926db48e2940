/* SPDX-License-Identifier: MIT
 *
 * ward/simulation.h - the same runtime on one thread: in a chosen order, on a clock that jumps.
 *
 * Tests use ward/testkit/simulate.h, which is built on this interface.
 *
 *	static const ward_simulation simulation = {0};		drawn from options.seed
 *
 *	err = ward_system_create(&(ward_options){.simulation = &simulation, .seed = 7}, &system);
 *	while (ward_simulation_step(system) || ward_simulation_advance(system, until_ns))
 *		;
 *
 * A system with options.simulation has no threads. It moves inside calls of the one thread that
 * created it: ward_simulation_step() runs one turn of one actor, which handles at most one message,
 * unless its dispatcher has a throughput; ward_simulation_advance() moves the clock to the next
 * timer; calls that wait (wait_for, ask, wait, destroy) step until the event that they wait for has
 * happened. Dispatchers of all kinds map to that thread.
 *
 * On another thread every call is refused with WARD_ETHREAD, and a tell becomes a dead letter
 * (WARD_REASON_THREAD). It is counted at once, and published by the simulation's own thread when it
 * moves next; of more than 32 such messages since the last move, the first 32 are published.
 * Inspection is allowed: ward_system_actors(), _waits() and _stats().
 *
 * For tests there is ward/testkit/simulate.h, which is built on this interface.
 *
 * The driver of a simulation may choose the order of the turns, inject faults where the contract
 * allows them, and is called at each step.
 */
#ifndef WARD_SIMULATION_H
#define WARD_SIMULATION_H

#include <ward/system.h>

WARD_BEGIN

/** A point in the runtime at which something is about to happen, or has happened. The order is
 *  stable. */
typedef enum ward_point {
	WARD_POINT_TURN = 0, /* an actor is about to have its turn */
	/* callbacks of an actor */
	WARD_POINT_INIT = 1,
	WARD_POINT_PRE_START = 2,
	WARD_POINT_RECEIVE = 3,
	WARD_POINT_POST_STOP = 4,
	WARD_POINT_PRE_RESTART = 5,
	WARD_POINT_POST_RESTART = 6,
	WARD_POINT_DECIDE = 7,
	/* calls of an actor or of the thread outside */
	WARD_POINT_SPAWN = 8,
	WARD_POINT_SEND = 9,
	WARD_POINTS = 10
} ward_point;

/** Returns "turn", "init", "pre_start", "receive", ...; never NULL. Threads: any. Cost: O(1). */
WARD_API const char *ward_point_text(ward_point point);

/** An occasion: a run has come to a point. Borrowed for the call. */
typedef struct ward_occasion {
	ward_point point;
	/** The actor whose turn or callback it is, or that spawns or sends; nobody: outside. */
	ward_ref who;
	ward_ref to; /* SEND: the receiver; DECIDE: the child; SPAWN, in done(): the new actor */
	const ward_type *type; /* RECEIVE, SEND: of the message; otherwise NULL */
	/** RECEIVE, SEND: the bytes of the message, body_size of them. NULL in done() of a SEND,
	 *  since the message belongs to the receiver by then, and of a RECEIVE that took the
	 *  message or passed it on. */
	const void *body;
	size_t body_size;
	uint32_t incarnation; /* of `who`; 0: outside, before the first one, or a SEND to a path */
	int64_t now_ns;
	/* in done() only */
	ward_result result; /* of a callback */
	/** A callback failed by its return, a jump or a fault; a SPAWN or SEND did not succeed. */
	bool failed;
} ward_occasion;

/** Kinds of faults. Each applies to its points only; elsewhere it is ignored. */
typedef enum ward_fault_kind {
	WARD_FAULT_NONE = 0,
	WARD_FAULT_FAIL_BEFORE = 1, /* callbacks: fails with ward_injected without being called */
	WARD_FAULT_FAIL_AFTER = 2,  /* callbacks: is called, then fails with ward_injected */
	WARD_FAULT_REFUSE = 3,      /* SPAWN: returns WARD_ELIMIT */
	WARD_FAULT_LOSE = 4,        /* SEND: becomes a dead letter, WARD_REASON_LOST */
	/** SEND: arrives delay_ns later, at the latest when its sender ends. Later messages of
	 *  this sender to this receiver wait behind it, so their order holds. */
	WARD_FAULT_DELAY = 5,
	WARD_FAULT_STALL = 6, /* TURN: the actor has no turn for delay_ns */
	WARD_FAULT_JUMP = 7,  /* TURN: the clock jumps ahead by delay_ns, timers are late */
	WARD_FAULT_KINDS = 8
} ward_fault_kind;

/** Returns "none", "fail before", ...; never NULL. Threads: any. Cost: O(1). */
WARD_API const char *ward_fault_kind_text(ward_fault_kind kind);

/** A fault. One that needs a time has no effect unless delay_ns is more than 0, and none if memory
 *  is out. All zero: no fault. */
typedef struct ward_fault {
	ward_fault_kind kind;
	int64_t delay_ns;
} ward_fault;

/** An exception: a simulation made a callback fail. Default: restart. */
WARD_API extern const ward_failure_class ward_injected;

/**
 * The driver of a simulation; options.simulation borrows it for the system's life. Each function
 * may be NULL. Without `choose`, turns are drawn evenly from options.seed; without `fault`, nothing
 * fails.
 *
 * Each function runs on the simulation's thread. It must not call ward, except
 * ward_simulation_count(), _ready() and _now_ns(), ward_system_path() and reading calls about
 * types; other calls are refused with WARD_ETHREAD.
 */
struct ward_simulation {
	/** Chooses the actor that has the next turn: returns an index below count, as for
	 *  ward_simulation_ready(). A larger one counts as count - 1. */
	size_t (*choose)(void *arg, ward_system *system, size_t count) WARD_NOEXCEPT;
	/** Returns the fault for an occasion; called at each. For a SEND it is called only if the
	 *  contract allows the message to be lost: not for ward_terminated and messages of watches,
	 *  ticks, readiness, events, poison pill, kill, ward_identify, nor for answers to a thread
	 *  that waits. A message to a path comes here when a receiver is found, once for each.
	 *  Guardians and calls of an inbox have no faults. A hook that the behaviour leaves to its
	 *  default is not an occasion, but the hooks that the default calls are. */
	ward_fault (*fault)(void *arg, ward_system *system,
			    const ward_occasion *occasion) WARD_NOEXCEPT;
	/** Called when a turn, a callback, a spawn or a send is over; also for those that `fault`
	 *  is not called for. A stalled turn does not count as a turn. */
	void (*done)(void *arg, ward_system *system, const ward_occasion *occasion) WARD_NOEXCEPT;
	void *arg;
	uintptr_t reserved[4]; /* zero */
};

/**
 * Runs one turn of an actor: its system messages (internal ones, such as a restart or a stop), and
 * one message of its mailbox, or as many as the throughput of its dispatcher says. If no actor is
 * ready, it looks at the watched descriptors first. Returns false if there is still none, or if the
 * system is not a simulation.
 *
 * Threads    the simulation's own, outside callbacks; elsewhere it does nothing, and returns false.
 * Cost       O(1), the turn, and the functions of the driver. If no actor is ready and descriptors
 *            are watched: a system call, and a message for each that is ready.
 */
WARD_API bool ward_simulation_step(ward_system *system);

/**
 * Moves the clock to the next event (a timer, the end of a stall or a delay), but not beyond
 * until_ns, and does what is due then: ticks and delayed messages are put into the mailboxes,
 * stalled actors become ready. No actor runs; ward_simulation_step() does that. Timers of different
 * actors fire in an order drawn from the seed. Returns false if there was no event until then; the
 * clock is at until_ns then, unless that is INT64_MAX or in the past.
 *
 * Threads    as ward_simulation_step().
 * Units      until_ns nanoseconds, as ward_simulation_now_ns().
 * Cost       O(log timers of the system) for each that is due, and its message; and the return of
 *            memory that has not been used for a while.
 */
WARD_API bool ward_simulation_advance(ward_system *system, int64_t until_ns);

/** Waits in real time until a watched descriptor is ready. Returns false if none is watched.
 *  Threads: as ward_simulation_step(). Cost: a system call, which waits without a limit; then a
 *  message for each that is ready. */
WARD_API bool ward_simulation_poll(ward_system *system);

/** Returns the number of actors that are ready for a turn; on another thread 0. Cost: O(1). */
WARD_API size_t ward_simulation_count(const ward_system *system);

/** Returns one of the actors that are ready, by index; their order depends only on the run. Nobody,
 *  if there is no such index, if that actor has ended and only its late mail is left, or on another
 *  thread. Cost: O(1). */
WARD_API ward_ref ward_simulation_ready(const ward_system *system, size_t index);

/**
 * Returns the actor whose callback is running on this thread, so that a check that fails there can
 * fail the actor; NULL: no callback is running. *ret_moving (NULL: not wanted) is set to whether
 * the system is moving at all: then a log or drop function may be running, in which nothing can be
 * failed.
 *
 * Threads    the simulation's own; on another thread it returns NULL, and not moving.
 * Cost       O(1).
 */
WARD_API ward_self *ward_simulation_self(ward_system *system, bool *ret_moving);

/** Returns the monotonic time of the system, in nanoseconds. Threads: any. Cost: O(1). */
WARD_API int64_t ward_simulation_now_ns(const ward_system *system);

/* ---- several systems on one thread and one clock ------------------------------------------ */

/** Returns the time of the next event of the system, as ward_simulation_advance() finds it;
 *  INT64_MAX: there is none, or another thread calls. Units: as ward_simulation_now_ns(). Cost:
 *  O(1); occasionally O(timers). */
WARD_API int64_t ward_simulation_next_ns(const ward_system *system);

/**
 * Lets other systems move while this one is moved: for a driver of several simulated systems, such
 * as ward/testkit/neighbours.h.
 *
 * `others` is called before each turn, with the time of this system, and before each move of the
 * clock, with the time to which it is about to move; also in calls that wait. It may step and
 * advance any system of the thread, this one included; that calls the functions of those systems,
 * so calls can nest. Returns true if it has moved something: then this call of
 * ward_simulation_step() or ward_simulation_advance() does nothing more, and returns true.
 *
 * The call returns false, and does nothing, if the system is not a simulation of this thread.
 *
 * Ownership  borrows arg until the next call, or the end of the system. NULL: no longer.
 * Threads    the simulation's own, outside callbacks.
 * Cost       O(1).
 */
WARD_API bool ward_simulation_others(ward_system *system,
				     bool (*others)(void *arg, int64_t until_ns) WARD_NOEXCEPT,
				     void *arg);

/* ---- other children in place of those that a program asks for ---------------------------- */

/** Functions for ward_simulation_spawns(). Each runs on the simulation's thread, and may call what
 *  those of a ward_simulation may call. */
typedef struct ward_spawns {
	/** Returns the props with which an actor starts a child: the given ones, or others, which
	 *  are borrowed until `spawned`. Called at each spawn by an actor, not for what is started
	 *  from outside. */
	const ward_props *(*replace)(void *arg, ward_system *system, ward_ref who,
				     const ward_props *props)WARD_NOEXCEPT;
	/** Called after it, with the child; nobody: there is none. */
	void (*spawned)(void *arg, ward_system *system, ward_ref child) WARD_NOEXCEPT;
	void *arg;
} ward_spawns;

/**
 * Has actors start other children than they ask for: for a testkit whose children live elsewhere.
 *
 * Arguments of replaced props that have .args_given are dropped when the child has started, since
 * the spawn takes them; `replace` has made a copy.
 *
 * The call returns false, and does nothing, if the system is not a simulation of this thread.
 *
 * Ownership  borrows what is in `spawns` until the next call, or the end of the system; both
 *            functions must be set. NULL: no longer.
 * Threads    the simulation's own, outside callbacks.
 * Cost       O(1).
 */
WARD_API bool ward_simulation_spawns(ward_system *system, const ward_spawns *spawns);

/* ---- for a testkit, in simulations and on threads ---------------------------------------- */

/** A function for ward_system_inside(). */
typedef struct ward_inside {
	/** Runs in the actor's turn, as a hook does: with its self and its state, without a current
	 *  message. A failure in it is a failure of the actor. */
	ward_result (*run)(ward_self *self, void *state, void *arg) WARD_NOEXCEPT;
	/** Called once. ran is true after run(), whatever its result; a failure has been sent to
	 *  the parent by then. ran is false if the actor ended before run(). It runs on any thread
	 *  of the system and must not call ward. */
	void (*over)(void *arg, bool ran) WARD_NOEXCEPT;
	void *arg;
} ward_inside;

/**
 * Runs a function inside an actor, in the order of its messages: those sent before are handled
 * first. A suspended actor runs it when it continues. A restart does not lose it. Simulated faults
 * do not apply to it.
 *
 * Ownership  copies `what`; its arg is borrowed until over() is called.
 * Threads    any outside the system's actors; in a simulation, its own.
 * Cost       as ward_system_send().
 * Errors     WARD_EINVAL a function is NULL; WARD_EDEAD, WARD_EFOREIGN, WARD_ENOMEM, WARD_ETHREAD.
 *            over() is not called then.
 */
WARD_API WARD_MUST_USE ward_err ward_system_inside(ward_system *system, ward_ref who,
						   const ward_inside *what);

/**
 * Sends like ward_system_send(), with a sender, which gets the answers. It may be nobody.
 *
 * Ownership  takes what the body owns, always; the bytes remain the caller's.
 * Threads    any outside the system's actors; in a simulation, its own.
 * Order      FIFO among all messages that this thread sends from outside, under any sender.
 * Cost       as ward_system_send().
 */
WARD_API void ward_system_send_from(ward_system *system, ward_ref sender, ward_ref to,
				    const ward_type *type, const void *body, size_t size);

WARD_END
#endif
