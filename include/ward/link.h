/* SPDX-License-Identifier: MIT
 *
 * ward/link.h - links, exit signals and trapping them, as in Erlang.
 *
 *	ward_link(self, other);			from now on the two end together
 *	ward_trap_exit(self, true);		but I am notified instead
 *	const struct ward_exited *gone = ward_match(msg, ward_exited);
 *
 * A link joins two actors, whichever of them made it. When one of the two ends, the other one gets
 * an exit signal, with the reason. What becomes of it:
 *
 *	the other one traps exits	a message: ward_exited
 *	the reason is normal		nothing
 *	any other reason		the other one ends, too, with the same reason
 *
 * So a group of linked actors goes down as one, and an actor that traps is where that stops. An
 * actor that ends by a signal ends in order, as by ward_stop(): its children first, then post_stop.
 *
 *	how an actor ends			its reason
 *	ward_stop_self(), a pill		normal
 *	ward_stop() by another one; its		shutdown
 *	  parent stops or restarts without it;
 *	  the system ends
 *	it has failed, and is stopped		failure: class and text; of ward_kill: killed
 *	an exit signal				that of the signal
 *	ward_exit_self()			what it says
 *
 * A watch (watch.h) is one actor's wish to know, and never ends anybody; it tells no reason. And
 * supervision comes first: a parent decides about a failure before anybody ends. A restart is no
 * end: links outlive it, and nobody is notified.
 *
 * Whether exits are trapped belongs to the incarnation: the next one says so itself, in init or
 * pre_start, and until that runs the word of the last one holds. The children that a restart stops
 * are unlinked (by the default pre_restart), as they are unwatched. The guardians trap exits: an
 * actor at the top that is linked with its parent does not take the system along.
 */
#ifndef WARD_LINK_H
#define WARD_LINK_H

#include <ward/actor.h>

WARD_BEGIN

/** Kinds of reasons. The numbers are stable. */
typedef enum ward_exit_kind {
	WARD_EXIT_NORMAL = 0,   /* it was done */
	WARD_EXIT_SHUTDOWN = 1, /* it was told to; with a text, perhaps, why */
	WARD_EXIT_KILLED = 2,   /* by ward_kill, or by a signal of the next kind */
	WARD_EXIT_KILL = 3,     /* only of a signal: it cannot be trapped, and arrives as KILLED */
	WARD_EXIT_NOPROC = 4,   /* there was nobody to link with */
	WARD_EXIT_FAILURE = 5,  /* `name` is the failure class, `text` its text */
	WARD_EXIT_OTHER = 6     /* `name` is the program's own */
} ward_exit_kind;

/** Room in a reason, the 0 at the end included; the library cuts what is longer. */
enum { WARD_EXIT_NAME = 28, WARD_EXIT_TEXT = 64 };

/** Why an actor ends: a flat value. All zero is normal. Contract: S117. */
struct ward_exit_reason {
	uint32_t kind; /* a ward_exit_kind */
	/** Of a failure, and of OTHER; else "". It may read like a kind, "killed": compare kinds.
	 *  Those of OTHER that begin with "ward_" are ward's own. */
	char name[WARD_EXIT_NAME];
	char text[WARD_EXIT_TEXT]; /* "": there is none */
};
typedef struct ward_exit_reason ward_exit_reason;

/** Writes the reason for people: "shutdown: no work left", "bad_name: nobody to greet"; a line
 *  (ward_text_line()), cut at `max`. Returns the full length, as snprintf does. Threads: any. Cost:
 *  O(length of the text). */
WARD_API size_t ward_exit_format(const ward_exit_reason *reason, char *text, size_t max);

/** What an exit signal becomes where it is trapped; its sender is `who`. Left unhandled it is only
 *  reported. Contract: S117. */
struct ward_exited {
	ward_ref who; /* who is gone; or who called ward_exit(), and may well be alive */
	ward_exit_reason reason;
};
WARD_API extern const ward_type ward_type_ward_exited;

/**
 * Links the running actor with `who`, until one of the two ends or unlinks.
 *
 * If `who` is gone already there is an exit signal at once, with the reason noproc; so there is if
 * it is stopping, when it is gone. A repeated link is a no-op, whichever of the two made the first
 * one, until its exit signal was handled; so is a link with oneself.
 *
 * All memory that the two ends and the signal need is taken here, so it can be refused here and
 * nowhere later.
 *
 * Order      a ward_exited comes after everything that `who` sent before. A signal that is not
 *            trapped takes effect at once, before mail that waits.
 * Cost       O(1), and a lock that all links of the system share; however many links there are.
 * Errors     WARD_EINVAL nobody; WARD_EFOREIGN; WARD_ESTOPPING self is stopping; WARD_ENOMEM.
 * Contract   S117
 */
WARD_API WARD_MUST_USE ward_err ward_try_link(ward_self *self, ward_ref who);
/** The same, where a refusal is a failure: see ward_failed_err(). Cost: the same. */
static inline void ward_link(ward_self *self, ward_ref who)
{
	(void)ward_noted_(self, ward_try_link(self, who));
}

/**
 * Spawns as ward_spawn() does, and links with the child before it runs: however soon it ends, the
 * reason is told. Refused as either of the two is; then there is no child.
 *
 * Cost       as ward_spawn() and ward_link().
 * Contract   S117
 */
WARD_API WARD_MUST_USE ward_err ward_try_spawn_link(ward_self *self, const ward_props *props,
						    ward_ref *ret_child);
/** The same, where a refusal is a failure: see ward_failed_err(). Returns the child, or nobody. The
 *  plain form of ward_spawn_link(). Cost: the same. */
static inline ward_ref ward_spawn_link_props(ward_self *self, const ward_props *props)
{
	ward_ref child = {0, 0, 0};

	(void)ward_noted_(self, ward_try_spawn_link(self, props, &child));
	return child;
}

/**
 * Ends the link with `who`, for both. No exit signal of it arrives after this, and no ward_exited,
 * not even one that waits in the mailbox or in the stash already.
 *
 * Where there is no link nothing happens. What comes by ward_exit() is not of a link.
 *
 * Cost       O(1), the lock of ward_link(), and a look at each stashed message.
 * Contract   S117
 */
WARD_API void ward_unlink(ward_self *self, ward_ref who);

/** Says whether exit signals come as messages from now on; returns what it was. False at the start
 *  of each incarnation. Cost: O(1). Contract: S117. */
WARD_API bool ward_trap_exit(ward_self *self, bool on);

/**
 * Sends `who` an exit signal, linked or not: it ends with that reason, as the table above says. The
 * links of self are not concerned.
 *
 *	ward_exit(self, worker, &(ward_exit_reason){.kind = WARD_EXIT_KILL})
 *
 * KILL ends the actor that gets it, trapping or not, with the reason killed; still in order. Sent
 * to oneself, normal ends as all others do. To who is gone already it is a no-op.
 *
 * Order      behind what self has sent to `who` before, as for ward_exited in ward_link().
 * Cost       O(1), and memory for the signal. Where `who` ends by it O(its links and watchers), to
 *            note the reason, with the lock of ward_link() for each link; then as by ward_stop().
 * Errors     WARD_EINVAL nobody, or a reason that is none: an unknown kind, a failure or OTHER
 *            without a name, a text without an end; WARD_EFOREIGN; WARD_ENOMEM.
 * Contract   S117
 */
WARD_API WARD_MUST_USE ward_err ward_exit(ward_self *self, ward_ref who,
					  const ward_exit_reason *reason);

/**
 * Stops the running actor after its current message, as ward_stop_self() does, and says why to who
 * is linked; trapped or not. KILL is said as killed.
 *
 * An actor at the top that ends so has given up, unless the reason is normal or a shutdown without
 * a text: see ward_run() and ward_stats.gave_up.
 *
 * Cost       as ward_exit().
 * Errors     as ward_exit(), and then it does not stop. Without memory there is ward_stop_self().
 * Contract   S117
 */
WARD_API WARD_MUST_USE ward_err ward_try_exit_self(ward_self *self, const ward_exit_reason *reason);
/** The same, where a refusal is a failure: see ward_failed_err(). Returns WARD_DONE, for `return
 *  ward_exit_self(self, &why)`. Cost: the same. */
static inline ward_result ward_exit_self(ward_self *self, const ward_exit_reason *reason)
{
	(void)ward_noted_(self, ward_try_exit_self(self, reason));
	return WARD_DONE;
}

WARD_END

#ifndef __cplusplus
/** ward_spawn_link(self, &worker, .name = "one"): as ward_spawn(), and linked with self from the
 *  start. Cost: as ward_try_spawn_link(). */
#define ward_spawn_link(self, ...) ward_spawn_link_props((self), WARD_PROPS(__VA_ARGS__))
#endif
#endif
