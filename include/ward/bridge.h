/* SPDX-License-Identifier: MIT
 *
 * ward/bridge.h - a foreign subsystem as an actor: a thread pool, a library with a loop of its own.
 *
 *	static const ward_subsystem pool = {
 *		.name = "pool", .state_size = sizeof(struct pool),
 *		.init = pool_start,			starts its threads
 *		.terminate = pool_stop,			stops them, and joins them
 *		.receive = pool_submit,			what actors want of it
 *	};
 *	ward_spawn(self, &ward_bridge_behavior, .args = WARD_ARGS(ward_bridged, .subsystem = &pool),
 *		   .dispatcher = WARD_BLOCKING);
 *
 * So a supervisor has it for a child like any other: it starts and stops in order with its
 * siblings, and when it dies the supervisor decides. Whoever in it notices its death says so, on
 * any thread:
 *
 *	ward_bridge_died(bridge, &disk_gone, "write: %s", strerror(errno));
 *
 * and the bridge fails with that. A subsystem that is done, or ends for another reason, says
 * ward_bridge_ended(): the bridge ends with that reason, which those who are linked with it hear.
 * The idea is that of OTP's supervisor_bridge.
 *
 *	         init            dead, or told to stop
 *	started -----> running ------------------------> terminate: once
 *	   ^                                                |
 *	   +------------------ a restart -------------------+---> gone
 *
 * The handle that init gets stands for one incarnation. What the old one is still told after a
 * restart, or while it stops, concerns nobody.
 */
#ifndef WARD_BRIDGE_H
#define WARD_BRIDGE_H

#include <ward/link.h>

WARD_BEGIN

/** What a subsystem reports its death to: a handle to one incarnation of a bridge. Opaque. */
typedef struct ward_bridge ward_bridge;

/**
 * How to run a subsystem. Constant; must outlive the bridges. `name` and `init` must be set.
 *
 * `state` is state_size zeroed bytes, aligned for any type, new in each incarnation. All three run
 * as the actor, and may do what callbacks of actors do; but they leave its behaviour, ward_state()
 * and the trapping of exits to the bridge. Those that wait (for a thread to end) need props with
 * the dispatcher WARD_BLOCKING or WARD_PINNED.
 */
typedef struct ward_subsystem {
	const char *name;
	size_t state_size;
	const ward_type *args; /* the type of ward_bridged.args, which it needs then; NULL: none */
	/**
	 * Starts it. When it fails, what it has started it has also stopped: there is no terminate.
	 *
	 * Ownership  borrows bridge until terminate has returned; ward_bridge_ref() for longer.
	 */
	ward_result (*init)(ward_self *self, void *state, const void *args,
			    ward_bridge *bridge) WARD_NOEXCEPT;
	/**
	 * Stops it, and frees what it has: once after each init that did not fail, also when the
	 * subsystem is `dead`. An error in it is only reported. NULL: nothing is to be done.
	 *
	 * The reason is what ended the subsystem, if the bridge has heard of that; the failure at
	 * which the bridge is restarted; an exit signal that it got; else shutdown.
	 */
	ward_result (*terminate)(ward_self *self, void *state, const ward_exit_reason *reason,
				 bool dead) WARD_NOEXCEPT;
	/** Handles what is sent to the bridge. What it got when the subsystem was dead comes again
	 *  after a restart. NULL: all of it is unhandled. */
	ward_receive receive;
	uintptr_t reserved[4]; /* zero */
} ward_subsystem;

/** The arguments of a bridge. */
struct ward_bridged {
	const ward_subsystem *subsystem; /* borrowed as long as the bridge lives */
	ward_body args;                  /* WARD_ARGS(T, ...), for init; copied at the spawn */
	uintptr_t reserved[2];           /* zero */
};
WARD_MESSAGE(ward_bridged);

/**
 * A bridge: give it props with a ward_bridged. It traps exits, and ends with the reason of every
 * signal but normal, so that terminate is told. It needs a descriptor.
 *
 * Errors     of the spawn: WARD_EINVAL no subsystem, or no name or init in it, or arguments that it
 *            does not take, or none where it takes some; WARD_ESIZE; WARD_EUNIQUE the arguments
 *            own things, and their type has no clone; WARD_ENOMEM. Its init fails with
 *            ward_os_failure without a descriptor.
 * Contract   S117
 */
WARD_API extern const ward_behavior ward_bridge_behavior;

/**
 * Says that the subsystem is dead by a failure: the bridge fails with this class and text, and its
 * parent decides. A restart terminates what is left and starts anew; a resume makes it fail again
 * at its next message.
 *
 * The text is printf's and is cut at 255 bytes. What comes first counts, of this and of
 * ward_bridge_ended(); also when it comes from within init, which then goes on to its end. It
 * allocates nothing, so it is never refused for want of memory.
 *
 * Threads    any: of ward, of the subsystem, also one that terminate waits for. Takes a lock that
 *            nobody holds for long, and never waits for the actor.
 * Order      before mail that waits: that comes again after a restart.
 * Cost       O(length of the text), and a system call.
 * Errors     need not be checked: WARD_EEXIST the death was reported already; WARD_EDEAD
 *            terminate has begun, the bridge has restarted since, or is gone; WARD_EINVAL no
 *            bridge or no class. Nothing happens then. WARD_ESYS the operating system refuses to
 *            wake the bridge: it handles the death with its next message.
 * Contract   S117
 */
WARD_API WARD_PRINTF(3, 4) ward_err
	ward_bridge_died(ward_bridge *bridge, const ward_failure_class *failure_class,
			 const char *text, ...);

/**
 * Says that the subsystem has ended by itself, and why; NULL: normal. The bridge ends with that
 * reason, in order, and nobody is asked.
 *
 * Otherwise as ward_bridge_died(). Cost: O(1), and a system call. Errors: also WARD_EINVAL for a
 * reason that ward_exit_self() would not take.
 */
WARD_API ward_err ward_bridge_ended(ward_bridge *bridge, const ward_exit_reason *reason);

/** Shares the handle: it may be used until as many ward_bridge_unref(), whatever became of the
 *  bridge, and of its system. Returns `bridge`. Threads: any. Cost: O(1), no lock. */
WARD_API ward_bridge *ward_bridge_ref(ward_bridge *bridge);
/** Releases a share. NULL is fine. Threads: any. Cost: O(1), no lock; the last one frees it. */
WARD_API void ward_bridge_unref(ward_bridge *bridge);

WARD_END
#endif
