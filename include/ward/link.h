/* SPDX-License-Identifier: MIT
 *
 * ward/link.h - links and exit signals, as in Erlang.
 *
 *	ward_link(self, other);			from now on the two end together
 *	ward_trap_exit(self, true);		but I am notified instead
 *	const struct ward_exited *gone = ward_match(msg, ward_exited);
 *
 * A link joins two actors, in both directions. When one of them ends, the other one gets an exit
 * signal with the reason. Its effect:
 *
 *	the other one traps exits	a message: ward_exited
 *	the reason is normal		none
 *	any other reason		the other one ends, too, with the same reason
 *
 * So a group of linked actors ends as a whole, up to actors that trap exits. An actor that ends by
 * a signal ends in order, as by ward_stop(): its children first, then post_stop.
 *
 *	how an actor ends			its reason
 *	ward_stop_self(), ward_poison_pill	normal
 *	ward_stop() by another actor; its	shutdown
 *	  parent stops or restarts without it;
 *	  the system ends
 *	it has failed, and is stopped		failure: class and text; after ward_kill: killed
 *	an exit signal				the reason of the signal
 *	ward_exit_self()			its argument
 *
 * A watch (watch.h) is one-sided: it never ends an actor, and reports no reason, only how the actor
 * ended (ward_end). The end by a ward_poison_pill is normal to a link, and WARD_END_STOPPED to a
 * watch. Supervision comes first: the parent decides about a failure before any actor ends. A
 * restart is not an end: links survive it, and nobody is notified.
 *
 * Trapping belongs to the incarnation: it is off at the start of each, which sets it again in init
 * or pre_start. An actor that has failed keeps its setting until its restart begins the new
 * incarnation. The default pre_restart unlinks the children that it stops, as it unwatches them.
 * The guardians trap exits: an actor at the top that is linked with its parent does not end the
 * system.
 */
#ifndef WARD_LINK_H
#define WARD_LINK_H

#include <ward/actor.h>

WARD_BEGIN

/** Kinds of exit reasons. The numbers are stable. */
typedef enum ward_exit_kind {
	WARD_EXIT_NORMAL = 0,   /* its work was done */
	WARD_EXIT_SHUTDOWN = 1, /* it was told to stop; the text may say why */
	WARD_EXIT_KILLED = 2,   /* by ward_kill, or by a signal of kind KILL */
	WARD_EXIT_KILL = 3,     /* only in a signal: it cannot be trapped, and arrives as KILLED */
	WARD_EXIT_NOPROC = 4,   /* there was no actor to link with */
	WARD_EXIT_FAILURE = 5,  /* `name` is the failure class, `text` the text of the failure */
	WARD_EXIT_OTHER = 6,    /* `name` is defined by the program */
	WARD_EXIT_UNREACHED = 7 /* the connection to its system or process was lost */
} ward_exit_kind;

/** Sizes of the texts in a reason, including the terminating 0; the library cuts longer ones. */
enum { WARD_EXIT_NAME = 28, WARD_EXIT_TEXT = 64 };

/** The reason why an actor ends: a flat value. All zero is normal. Contract: S117. */
struct ward_exit_reason {
	uint32_t kind; /* a ward_exit_kind */
	/** For FAILURE and OTHER, otherwise "". It may be the name of a kind, such as "killed", so
	 *  compare kinds. Names in OTHER that begin with "ward_" are reserved for ward. */
	char name[WARD_EXIT_NAME];
	char text[WARD_EXIT_TEXT]; /* may be empty */
};
typedef struct ward_exit_reason ward_exit_reason;

/** Writes the reason for people, such as "shutdown: no work left" or "bad_name: nobody to greet",
 *  as a line (ward_text_line()) cut to `max` bytes. Returns the full length, as snprintf() does.
 *  Threads: any. Cost: O(length of the text). */
WARD_API size_t ward_exit_format(const ward_exit_reason *reason, char *text, size_t max);

/** The message that an exit signal becomes if exits are trapped; its sender is `who`. If receive
 *  does not handle it, it is an unhandled message and not a failure, as a ward_terminated would be.
 *  Contract: S117. */
struct ward_exited {
	ward_ref who; /* the actor that ended; or the caller of ward_exit(), which may be alive */
	ward_exit_reason reason;
};
WARD_API extern const ward_type ward_type_ward_exited;

/**
 * Links the running actor with `who`, until one of the two ends or unlinks.
 *
 * If `who` has ended already, an exit signal with the reason NOPROC arrives at once; if it is
 * stopping, when it has ended. Repeating a link, from either side, has no effect until its exit
 * signal has been handled; neither has a link with self.
 *
 * The memory for both ends and for the signal is allocated here: this call can be refused, the
 * signal cannot.
 *
 * Order      a ward_exited arrives after all messages that `who` sent before. A signal that is not
 *            trapped takes effect at once, before messages that wait.
 * Cost       O(1), regardless of the number of links; a lock that all links of the system share.
 * Errors     WARD_EINVAL nobody; WARD_EFOREIGN; WARD_ESTOPPING self is stopping; WARD_ENOMEM. There
 *            is no link then.
 * Contract   S117
 */
WARD_API WARD_MUST_USE ward_err ward_try_link(ward_self *self, ward_ref who);
/** Calls ward_try_link(); a refusal makes self fail when the callback returns: see
 *  ward_failed_err(). Cost: the same. */
static inline void ward_link(ward_self *self, ward_ref who)
{
	(void)ward_noted_(self, ward_try_link(self, who));
}

/**
 * Starts a child as ward_try_spawn() does, and links with it before it runs: however soon it ends,
 * its reason is reported.
 *
 * Cost       as ward_spawn() and ward_link().
 * Errors     those of ward_try_spawn() and ward_try_link(). There is no child then.
 * Contract   S117
 */
WARD_API WARD_MUST_USE ward_err ward_try_spawn_link(ward_self *self, const ward_props *props,
						    ward_ref *ret_child);
/** Starts a linked child as ward_try_spawn_link() does, and returns its ref. A refusal makes self
 *  fail when the callback returns, and the ref is nobody: see ward_failed_err(). The plain form of
 *  ward_spawn_link(). Given arguments are taken always, as by ward_spawn(). Cost: the same. */
static inline ward_ref ward_spawn_link_props(ward_self *self, const ward_props *props)
{
	ward_ref child = {0, 0, 0};

	if (!ward_noted_(self, ward_try_spawn_link(self, props, &child)))
		ward_given_drop_(props);
	return child;
}

/**
 * Ends the link with `who`, in both directions. No exit signal of the link arrives after this call,
 * and no ward_exited, not even one that is already in the mailbox or in the stash.
 *
 * If there is no link, nothing happens. Signals of ward_exit() do not belong to a link and still
 * arrive.
 *
 * Cost       O(1), the lock of ward_link(), and a look at each stashed message.
 * Contract   S117
 */
WARD_API void ward_unlink(ward_self *self, ward_ref who);

/** Sets whether exit signals arrive as messages from now on; returns the previous setting. It is
 *  false at the start of each incarnation. Cost: O(1). Contract: S117. */
WARD_API bool ward_trap_exit(ward_self *self, bool on);

/**
 * Sends an exit signal to `who`, linked or not. Its effect is that of the table at the top. The
 * links of self do not change.
 *
 *	err = ward_exit(self, worker, &(ward_exit_reason){.kind = WARD_EXIT_KILL});
 *
 * KILL ends the receiver even if it traps exits, with the reason KILLED, but in order. Sent to
 * self, NORMAL is treated like any other reason: it ends the actor, or is trapped. If `who` has
 * ended already, nothing happens.
 *
 * Order      after all that self has sent to `who` before, as for ward_exited in ward_link().
 * Cost       O(1), and memory for the signal. If it ends `who`: O(its links and watchers), to note
 *            the reason, with the lock of ward_link() for each link; then as ward_stop().
 * Errors     WARD_EINVAL nobody, or an invalid reason: an unknown kind, FAILURE or OTHER without a
 *            name, a text without a terminating 0; WARD_EFOREIGN; WARD_EUNREACHED the
 *            connection to its system was lost; WARD_ENOMEM. Nothing is sent then.
 * Contract   S117
 */
WARD_API WARD_MUST_USE ward_err ward_exit(ward_self *self, ward_ref who,
					  const ward_exit_reason *reason);

/**
 * Stops the running actor after its current message, as ward_stop_self() does, and sends the reason
 * to the actors that are linked with it, whether it traps exits or not. KILL is sent as KILLED.
 *
 * An actor at the top that ends this way has given up, unless the reason is normal or a shutdown
 * without a text: see ward_run() and ward_stats.gave_up.
 *
 * Cost       as ward_exit().
 * Errors     as ward_exit(); the actor does not stop then. After WARD_ENOMEM, ward_stop_self()
 *            still works.
 * Contract   S117
 */
WARD_API WARD_MUST_USE ward_err ward_try_exit_self(ward_self *self, const ward_exit_reason *reason);
/** Stops self with a reason like ward_try_exit_self(); a refusal makes self fail when the callback
 *  returns: see ward_failed_err(). Returns WARD_DONE, for `return ward_exit_self(self, &why)`.
 *  Cost: the same. */
static inline ward_result ward_exit_self(ward_self *self, const ward_exit_reason *reason)
{
	(void)ward_noted_(self, ward_try_exit_self(self, reason));
	return WARD_DONE;
}

WARD_END

/* ---- the macros (C only) ----------------------------------------------------------------- */

#ifndef __cplusplus
/** Starts a child that is linked with self from the start: `ward_spawn_link(self, &worker, .name =
 *  "one")`. Cost: as ward_try_spawn_link(). */
#define ward_spawn_link(self, ...) ward_spawn_link_props((self), WARD_PROPS(__VA_ARGS__))
#endif
#endif
