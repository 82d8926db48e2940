/* SPDX-License-Identifier: MIT
 *
 * ward/bridge.h - a foreign subsystem as an actor: a thread pool, or a library with its own loop.
 *
 *	static const ward_subsystem pool = {
 *		.name = "pool", .state_size = sizeof(struct pool),
 *		.init = pool_start,			starts its threads
 *		.terminate = pool_stop,			stops them, and joins them
 *		.receive = pool_submit,			handles requests of actors
 *	};
 *	ward_spawn(self, &ward_bridge_behavior, .args = WARD_ARGS(ward_bridged, .subsystem = &pool),
 *		   .dispatcher = WARD_BLOCKING);
 *
 * A supervisor has the subsystem as a child like any other: it starts and stops in order with its
 * siblings, and when it dies the supervisor decides. Any thread that notices its death reports it:
 *
 *	ward_bridge_died(bridge, &disk_gone, "write: %s", strerror(errno));
 *
 * The bridge then fails with that class and text. A subsystem that is done, or ends for another
 * reason, calls ward_bridge_ended(): the bridge ends with that reason, which actors that are linked
 * with it get. The idea is that of OTP's supervisor_bridge.
 *
 *	         init            dead, or told to stop
 *	started -----> running ------------------------> terminate: once
 *	   ^                                                |
 *	   +------------------ a restart -------------------+---> gone
 *
 * The handle that init gets stands for one incarnation. Reports through an old handle, after a
 * restart or during a stop, are ignored.
 */
#ifndef WARD_BRIDGE_H
#define WARD_BRIDGE_H

#include <ward/link.h>

WARD_BEGIN

/** The handle of a subsystem to one incarnation of its bridge, for reporting its end. Opaque. */
typedef struct ward_bridge ward_bridge;

/**
 * The callbacks of a subsystem. Constant; must outlive the bridges. `name` and `init` must be set.
 *
 * `state` is state_size zeroed bytes, aligned for any type, new in each incarnation. All three
 * callbacks run in the actor, and may do what callbacks of actors may do, except changing its
 * behaviour, ward_state() and the trapping of exits, which belong to the bridge. If they block (to
 * join a thread, for example), the bridge needs the dispatcher WARD_BLOCKING or WARD_PINNED.
 */
typedef struct ward_subsystem {
	const char *name;
	size_t state_size;
	/** The type of ward_bridged.args, which is then required; NULL: none. */
	const ward_type *args;
	/**
	 * Starts the subsystem. If it fails, it must have stopped what it started: terminate is not
	 * called.
	 *
	 * Ownership  borrows bridge until terminate has returned, or this call has failed;
	 *            ward_bridge_ref() for longer.
	 */
	ward_result (*init)(ward_self *self, void *state, const void *args,
			    ward_bridge *bridge) WARD_NOEXCEPT;
	/**
	 * Stops the subsystem and frees its resources: once after each init that succeeded, also if
	 * the subsystem is `dead`. An error in it is only reported. NULL: nothing to do.
	 *
	 * `reason` is what ended the subsystem, if it was reported; otherwise the failure for which
	 * the bridge is restarted, the exit signal that it got, or shutdown.
	 */
	ward_result (*terminate)(ward_self *self, void *state, const ward_exit_reason *reason,
				 bool dead) WARD_NOEXCEPT;
	/** Handles messages to the bridge. Messages that arrive after the subsystem has died come
	 *  again after a restart. NULL: all are unhandled. */
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
 * The behaviour of a bridge. Its arguments are a ward_bridged. It traps exits, and ends with the
 * reason of every exit signal except normal, so that terminate is called. It needs a descriptor.
 *
 * Errors     of the spawn: WARD_EINVAL there is no subsystem, it has no name or init, or its
 *            arguments are missing or not expected; WARD_ESIZE; WARD_EUNIQUE the arguments have a
 *            drop function and no clone; WARD_ENOMEM. Without a descriptor, its init fails with
 *            ward_os_failure.
 * Contract   S117
 */
WARD_API extern const ward_behavior ward_bridge_behavior;

/**
 * Reports that the subsystem has died by a failure: the bridge fails with this class and text, and
 * its parent decides. A restart terminates the rest of the subsystem and starts it again; after a
 * resume the bridge fails again at its next message.
 *
 * The text is formatted as by printf and cut to 255 bytes. The first report counts, among those of
 * this function and of ward_bridge_ended(); also if it is made during init, which runs to its end.
 * The call allocates nothing, so it is never refused because memory ran out.
 *
 * Threads    any: of ward or of the subsystem, even one that terminate waits for. The call
 *            takes a lock that is never held for long; it never waits for the actor.
 * Order      before messages that wait; those come again after a restart.
 * Cost       O(length of the text), and a system call.
 * Errors     need not be checked. WARD_EEXIST the end was reported already; WARD_EDEAD terminate
 *            has begun, the bridge has restarted since, or has ended; WARD_EINVAL no bridge or no
 *            class: nothing happens then. WARD_ESYS the bridge could not be woken: it handles the
 *            report with its next message.
 * Contract   S117
 */
WARD_API WARD_PRINTF(3, 4) ward_err
	ward_bridge_died(ward_bridge *bridge, const ward_failure_class *failure_class,
			 const char *text, ...);

/**
 * Reports that the subsystem has ended by itself, and why; NULL: normal. The bridge ends with that
 * reason, in order; the parent decides nothing.
 *
 * Threads    as ward_bridge_died().
 * Order      as ward_bridge_died().
 * Cost       O(1), and a system call.
 * Errors     as ward_bridge_died(); WARD_EINVAL also for a reason that ward_exit_self() refuses.
 */
WARD_API ward_err ward_bridge_ended(ward_bridge *bridge, const ward_exit_reason *reason);

/** Shares the handle, and returns it. Each call needs one ward_bridge_unref(); until then the
 *  handle may be used, even when the bridge and its system have ended. Threads: any. Cost: O(1), no
 *  lock. */
WARD_API ward_bridge *ward_bridge_ref(ward_bridge *bridge);
/** Releases a share of the handle. NULL is allowed. Threads: any. Cost: O(1), no lock; the last
 *  call frees it. */
WARD_API void ward_bridge_unref(ward_bridge *bridge);

WARD_END
#endif
