/* SPDX-License-Identifier: MIT
 *
 * ward/simulation.h - the same runtime on one thread: an order that is chosen, a clock that jumps.
 *
 *	static const ward_simulation simulation = {0};		drawn from options.seed
 *
 *	err = ward_system_create(&(ward_options){.simulation = &simulation, .seed = 7}, &system);
 *	while (ward_simulation_step(system) || ward_simulation_advance(system, until_ns))
 *		;
 *
 * A system with options.simulation has no threads. It moves inside the calls of the one thread that
 * created it: ward_simulation_step() runs one turn of one actor, which is at most one message;
 * ward_simulation_advance() lets the clock jump to the next timer; calls that wait (await, ask,
 * wait, destroy) step until what they wait for is there. Dispatchers of all kinds map to that
 * thread. On another thread every call is refused with WARD_ETHREAD, and a tell becomes a dead
 * letter (WARD_REASON_THREAD): counted at once, published by the simulation's own thread when it
 * moves next, up to 32 between two moves. Looking is fine: ward_system_actors(), _waits() and
 * _stats().
 *
 * Its driver may choose the order of the turns, put faults where the contract allows for them, and
 * be called at each step. This is the seam that ward/testkit/simulate.h stands on; most tests
 * want that.
 */
#ifndef WARD_SIMULATION_H
#define WARD_SIMULATION_H

#include <ward/system.h>

WARD_BEGIN

/** Where in the runtime something is about to happen, or has happened. The order is stable. */
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

/** A point that the run has come to. Borrowed for the call. */
typedef struct ward_occasion {
	ward_point point;
	ward_ref who; /* whose turn or callback; who spawns or sends; nobody: outside */
	ward_ref to;  /* SEND: the receiver; DECIDE: the child; SPAWN, done(): the new one */
	const ward_type *type; /* RECEIVE, SEND: of the message; else NULL */
	/** RECEIVE, SEND: its bytes, body_size of them. NULL in done() of a SEND, whose message is
	 *  somebody else's by then, and of a RECEIVE that took the message or passed it on. */
	const void *body;
	size_t body_size;
	uint32_t incarnation; /* of `who`; 0: outside, not yet begun, or a SEND to a path */
	int64_t now_ns;
	/* done() only */
	ward_result result; /* of a callback */
	bool failed; /* a callback by return, by jump, by a fault; SPAWN, SEND: came to nothing */
} ward_occasion;

/** What may be made to go wrong, each at its points only; elsewhere it is ignored. */
typedef enum ward_fault_kind {
	WARD_FAULT_NONE = 0,
	WARD_FAULT_FAIL_BEFORE = 1, /* callbacks: fails with ward_injected, without being called */
	WARD_FAULT_FAIL_AFTER = 2,  /* callbacks: called, then fails with ward_injected */
	WARD_FAULT_REFUSE = 3,      /* SPAWN: answers WARD_ELIMIT */
	WARD_FAULT_LOSE = 4,        /* SEND: ends as a dead letter, WARD_REASON_LOST */
	WARD_FAULT_DELAY = 5,       /* SEND: arrives delay_ns later, and what follows it, too */
	WARD_FAULT_STALL = 6,       /* TURN: the actor has no turn for delay_ns */
	WARD_FAULT_JUMP = 7,        /* TURN: the clock is delay_ns further, timers are late */
	WARD_FAULT_KINDS = 8
} ward_fault_kind;

/** Returns "none", "fail before", ...; never NULL. Threads: any. Cost: O(1). */
WARD_API const char *ward_fault_kind_text(ward_fault_kind kind);

/** A fault, with its time where it has one: if that is not above 0 there is no fault. Nor is there
 *  one when no memory can be had for it. Zero is no fault. */
typedef struct ward_fault {
	ward_fault_kind kind;
	int64_t delay_ns;
} ward_fault;

/** An exception: a callback that a simulation made to fail. */
WARD_API extern const ward_failure_class ward_injected;

/**
 * Who drives a simulation. All zero: turns are drawn evenly from options.seed, nothing fails.
 *
 * Each function runs on the simulation's thread and must not call ward, but for
 * ward_simulation_count(), _ready() and _now_ns(), ward_system_path() and reading calls about
 * types; other calls are refused with WARD_ETHREAD.
 */
struct ward_simulation {
	/** Chooses who has the next turn: an index below count, for ward_simulation_ready(). A
	 *  larger one stands for the last. */
	size_t (*choose)(void *arg, ward_system *system, size_t count) WARD_NOEXCEPT;
	/** Asked at every occasion. SEND only for messages that may be lost by contract: not for
	 *  ward_terminated and messages of watches, ticks, readiness, events, poison pill, kill,
	 *  ward_identify, and not for answers to a thread that waits. What is sent to a path comes
	 *  here when a receiver is found, once for each.
	 *  The guardians have no faults, nor have calls of an inbox. A hook that the behaviour
	 *  leaves to its default is no occasion; what the default calls is. */
	ward_fault (*fault)(void *arg, ward_system *system,
			    const ward_occasion *occasion) WARD_NOEXCEPT;
	/** Told of each turn and each callback when it is over, and of each spawn and send; also of
	 *  those that are not asked about. A turn that was stalled is none. */
	void (*done)(void *arg, ward_system *system, const ward_occasion *occasion) WARD_NOEXCEPT;
	void *arg;
	uintptr_t reserved[4]; /* zero */
};

/**
 * Runs one turn of an actor: its system messages, and one message of its mailbox.
 *
 * Threads    the simulation's own, outside callbacks; elsewhere nothing happens.
 * Cost       O(1), that turn, and the functions of the simulation; where nobody is ready and
 *            descriptors are watched, a system call and a message for each that is ready.
 * Errors     false: nobody has anything to do (watched descriptors were looked at), or it is not
 *            a simulation.
 */
WARD_API bool ward_simulation_step(ward_system *system);

/**
 * Moves the clock to what comes next (a timer, the end of a stall or a delay), no further than
 * until_ns, and lets that happen: all that is due then; timers of different actors in an order
 * drawn from the seed. False: there was none until then; the clock is at until_ns, unless
 * that is INT64_MAX.
 *
 * Cost       O(log timers of the system) for each that is due, and its message; and the return of
 *            memory that was not needed meanwhile.
 */
WARD_API bool ward_simulation_advance(ward_system *system, int64_t until_ns);

/** Waits, really, until a watched descriptor is ready. False: none is watched. Cost: a system call,
 *  which waits without a limit; then a message for each that is ready. */
WARD_API bool ward_simulation_poll(ward_system *system);

/** Returns how many actors are ready for a turn. Cost: O(1). */
WARD_API size_t ward_simulation_count(const ward_system *system);

/** Returns one of those who are ready, by index; the order depends on the run alone. Cost: O(1). */
WARD_API ward_ref ward_simulation_ready(const ward_system *system, size_t index);

/**
 * Returns the actor whose callback is under way on this thread, for a check that does not hold
 * there to fail it; NULL: none is. *ret_moving (NULL: not wanted) tells whether the system is being
 * moved at all: a function of the log or a drop may run, from which nothing can be failed.
 *
 * Threads    the simulation's own; elsewhere NULL, and not moving.
 * Cost       O(1).
 */
WARD_API ward_self *ward_simulation_self(ward_system *system, bool *ret_moving);

/** Returns the monotonic time of the system, in nanoseconds. Threads: any. Cost: O(1). */
WARD_API int64_t ward_simulation_now_ns(const ward_system *system);

/* ---- for a testkit, simulated and on threads --------------------------------------------- */

/** What ward_system_inside() runs. */
typedef struct ward_inside {
	/** Runs on the actor's turn, as a hook does: with its self, on its state, without a current
	 *  message. What it fails with is a failure of the actor. */
	ward_result (*run)(ward_self *self, void *state, void *arg) WARD_NOEXCEPT;
	/** Is called once, when run() has returned or was left by a jump and a failure has been
	 *  reported; or, with false, when it does not run, since the actor is gone. It runs on any
	 *  thread of the system and must not call ward. */
	void (*over)(void *arg, bool ran) WARD_NOEXCEPT;
	void *arg;
} ward_inside;

/**
 * Runs a function as an actor, in the order of its mail: what was sent before is handled first. An
 * actor that is suspended runs it when it goes on. A restart does not lose it. No fault strikes it.
 *
 * Ownership  copies `what`; its arg is borrowed until over() is called.
 * Threads    any outside the system's actors; of a simulation, its own.
 * Cost       as ward_system_send().
 * Errors     WARD_EINVAL no function; WARD_EDEAD, WARD_EFOREIGN, WARD_ENOMEM, WARD_ETHREAD. Then
 *            over() is not called.
 */
WARD_API WARD_MUST_USE ward_err ward_system_inside(ward_system *system, ward_ref who,
						   const ward_inside *what);

/**
 * Sends like ward_system_send(), in the name of `sender`: answers go there. Nobody is fine.
 *
 * Ownership  takes what the body owns, always; the bytes stay the caller's.
 * Threads    any outside the system's actors; of a simulation, its own.
 * Order      FIFO among what this thread sends from outside, whatever the sender is called.
 * Cost       as ward_system_send().
 */
WARD_API void ward_system_send_from(ward_system *system, ward_ref sender, ward_ref to,
				    const ward_type *type, const void *body, size_t size);

WARD_END
#endif
