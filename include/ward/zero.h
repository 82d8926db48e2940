/* SPDX-License-Identifier: MIT
 *
 * ward/zero.h - supervision in terms of Akka 0.x: link, trap_exit, fault handler, life-cycle.
 * Of the library ward-akka-zero.
 *
 *	static const ward_zero_strategy three =
 *		WARD_ZERO_STRATEGY(WARD_ONE_FOR_ONE, 3, 1000, &my_exception, &io_exception);
 *
 *	struct keeper { struct ward_zero_links links; ... };	first in the state
 *
 *	ward_zero_init(self, &me->links, &three);		in init
 *	who = ward_zero_spawn_link(self, &me->links, &worker);	later
 *
 * The failure of a linked actor is an Exit for its supervisor, which the runtime compares with the
 * trap list; no receive sees it. If it is trapped, the fault handler restarts a permanent actor and
 * stops a temporary one. If it is not trapped, it is passed on: the supervisor itself fails with
 * it, and its own supervisor decides.
 *
 * These links have a direction, from an actor to the one supervisor that gets its failures and
 * decides about them; an end without a failure is not reported. The links of link.h (ward_link())
 * are different: like those of Erlang, they join two equal actors, report the end of each, and may
 * end the other. There an end is trapped, here a failure.
 *
 * ward never moves an actor to another parent. An actor that is spawned with its link is a child of
 * its supervisor. An actor that is spawned without a link is a child of an orphanage, an actor that
 * the program starts; a link or unlink changes which supervisor gets its failures. For such an
 * orphan the supervisor has a child that represents it, its stand-in: the fault handler, the limit
 * and the hooks of a restart apply to the stand-in, which passes the outcome on to the orphan. An
 * actor without a supervisor is dead once it has failed.
 *
 * zero_factory.h makes a whole tree from one table.
 *
 * All functions may be called only inside a callback of self, unless stated otherwise.
 */
#ifndef WARD_ZERO_H
#define WARD_ZERO_H

#include <ward/actor.h>

WARD_BEGIN

/* ---- tables ------------------------------------------------------------------------------ */

/** What the fault handler does with a linked actor that failed. Contract: S120. */
typedef enum ward_zero_life {
	WARD_ZERO_PERMANENT = 0, /* restarts it */
	/** Stops and unlinks it; its post_stop runs. If no linked actor is left then, the
	 *  supervisor stops, too. */
	WARD_ZERO_TEMPORARY = 1
} ward_zero_life;

/** Largest trap list; size of a text in a message, including the terminating 0. */
enum { WARD_ZERO_TRAPS_MAX = 12, WARD_ZERO_TEXT = 256 };

/** A fault handler and a trap list. Constant; must outlive every actor that names it. */
typedef struct ward_zero_strategy {
	ward_strategy fault_handler;
	/** These classes and all below them; NULL ends the list, unless it is full. */
	const ward_failure_class *trap_exit[WARD_ZERO_TRAPS_MAX];
} ward_zero_strategy;

/** Decides for every fault handler of this library, as its `decide`. An actor without
 *  ward_zero_init() fails with ward_misuse in it. Cost: O(linked actors), and as ward_failure_is()
 *  for each class of the trap list. Contract: S119, S120. */
WARD_API ward_directive ward_zero_decide(ward_self *self, ward_ref child,
					 const ward_failure *failure) WARD_NOEXCEPT;

/** A strategy without a trap list: passes all failures on. */
WARD_API extern const ward_zero_strategy ward_zero_untrapped;

#ifndef __cplusplus
/** Expands to the initializer of a ward_zero_strategy: `WARD_ZERO_STRATEGY(WARD_ALL_FOR_ONE, 3,
 *  1000, &my_exception)`. The numbers are restarts_max and window_ms of ward_strategy; 0, 0: no
 *  limit. When the limit stops an actor, the supervisor gets a ward_restarts_exceeded. Contract:
 *  S121. */
#define WARD_ZERO_STRATEGY(scope_, restarts_max_, window_ms_, ...)                                 \
	{                                                                                          \
		.fault_handler = {.scope = (scope_),                                               \
				  .decide = ward_zero_decide,                                      \
				  .limit = (restarts_max_) != 0 ? WARD_LIMIT_NOTIFY                \
								: WARD_LIMIT_PER_CHILD,            \
				  .restarts_max = (restarts_max_),                                 \
				  .window_ms = (window_ms_)},                                      \
		.trap_exit = {__VA_ARGS__},                                                        \
	}
#endif

/** The host and port at which an actor is to be reachable. */
typedef struct ward_zero_address {
	const char *host; /* NULL: only in this process */
	uint16_t port;
} ward_zero_address;

/** An actor in a table. Constant. */
typedef struct ward_zero_component {
	ward_zero_life life;
	ward_props props; /* as for ward_spawn(); borrowed, with everything that it points to */
	/** Reserved: a start with a host is refused with WARD_ENOENT, since there is no clustering
	 *  yet. */
	ward_zero_address remote;
	/** A nested supervisor, whose name is that of its table; see zero_factory.h. `props` must
	 *  have no behavior then, and its other fields are ignored. */
	const struct ward_zero_factory *nested;
	uintptr_t reserved[2]; /* zero */
} ward_zero_component;

/* ---- the supervising actor --------------------------------------------------------------- */

/** The actors that are linked to a supervisor. Must be the first member of its state; the fields
 *  are private to the library. The links belong to the incarnation: a child that your own
 *  pre_restart keeps is treated as permanent afterwards. */
struct ward_zero_links {
	const void *owner; /* this struct itself, once started */
	const ward_zero_strategy *strategy;
	ward_scope scope;
	bool starting, deserted;
	struct wardi_zero_link *first;
	size_t count, sweep_at;
	ward_directive (*look_first)(ward_self *self, ward_ref child,
				     const ward_failure *failure) WARD_NOEXCEPT;
};

/**
 * Makes self a supervisor of linked actors. For init, before the first child. The fault handler
 * becomes the child strategy of self, as by ward_child_strategy_set(). A later call, in any
 * callback, changes only the trap list; scope and numbers stay those of the first call.
 *
 * Ownership  borrows strategy (NULL: ward_zero_untrapped) for the life of the actor.
 * Cost       as ward_strategy_check(), and ward_failure_class_check() for each class in the list.
 * Errors     WARD_EINVAL `links` is not at the beginning of the state; there is a trap list, but no
 *            fault handler; ward_failure_class_check() refuses a class of the list; the numbers
 *            contradict each other; and, for the first call, those of ward_child_strategy_set().
 *            Nothing has changed then.
 * Contract   S119
 */
WARD_API WARD_MUST_USE ward_err ward_try_zero_init(ward_self *self, struct ward_zero_links *links,
						   const ward_zero_strategy *strategy);
/** Calls ward_try_zero_init(); a refusal makes self fail when the callback returns: see
 *  ward_failed_err(). Cost: the same. */
static inline void ward_zero_init(ward_self *self, struct ward_zero_links *links,
				  const ward_zero_strategy *strategy)
{
	(void)ward_noted_(self, ward_try_zero_init(self, links, strategy));
}

/**
 * Spawns an actor of this behaviour, linked and permanent, in one step, so that none of its
 * failures is missed. *ret_who (NULL: not wanted) is its ref.
 *
 * Cost       as ward_spawn(); occasionally a look at each actor linked before.
 * Errors     as ward_try_spawn(); WARD_EINVAL also before ward_zero_init(). There is no actor then.
 * Contract   S118, S120
 */
WARD_API WARD_MUST_USE ward_err ward_try_zero_spawn_link(ward_self *self,
							 struct ward_zero_links *links,
							 const ward_behavior *behavior,
							 ward_ref *ret_who);
/** Spawns a linked actor as ward_try_zero_spawn_link() does, and returns its ref. A refusal makes
 *  self fail when the callback returns, and the ref is nobody: see ward_failed_err(). Cost: the
 *  same. */
static inline ward_ref ward_zero_spawn_link(ward_self *self, struct ward_zero_links *links,
					    const ward_behavior *behavior)
{
	ward_ref who = {0, 0, 0};

	(void)ward_noted_(self, ward_try_zero_spawn_link(self, links, behavior, &who));
	return who;
}

/** Spawns a linked actor as ward_try_zero_spawn_link() does, from a component with its name,
 *  arguments and life-cycle. Cost: as ward_try_zero_spawn_link(); for a nested one also twice as
 *  ward_zero_check(). Errors: as ward_try_zero_spawn_link(); WARD_ENOENT it is remote; those of
 *  ward_zero_check() for a nested one. */
WARD_API WARD_MUST_USE ward_err ward_try_zero_start_link(ward_self *self,
							 struct ward_zero_links *links,
							 const ward_zero_component *component,
							 ward_ref *ret_who);
/** Spawns a linked actor as ward_try_zero_start_link() does, and returns its ref. A refusal makes
 *  self fail when the callback returns, and the ref is nobody: see ward_failed_err(). Cost: the
 *  same. */
static inline ward_ref ward_zero_start_link(ward_self *self, struct ward_zero_links *links,
					    const ward_zero_component *component)
{
	ward_ref who = {0, 0, 0};

	(void)ward_noted_(self, ward_try_zero_start_link(self, links, component, &who));
	return who;
}

/**
 * Links an orphan, or links a child again that was unlinked. The result is a ward_zero_linked, a
 * message to self.
 *
 * From the moment at which the orphanage handles the request, self supervises the orphan: the fault
 * handler decides about its failures, and it is stopped and restarted with self and its siblings,
 * and suspended with self. A restart that does not follow a failure of its own has the class and
 * the text of the one that it follows, as that of a child has.
 *
 * Links must not form a circle, in which an orphan supervises its own supervisor, directly or
 * through others: an actor that has failed suspends all below it, so nobody would decide. Only the
 * smallest circle, a link to self, is refused.
 *
 * Cost       O(linked actors). For an orphan as ward_spawn() for its stand-in, which takes two
 *            watches, a question and five messages; for a child one message.
 * Errors     WARD_EEXIST it is linked to self; WARD_EINVAL before ward_zero_init(), nobody, or
 *            self; as ward_try_spawn(), and those of ward_try_send() to the orphanage, except
 *            WARD_EDEAD. No ward_zero_linked arrives then.
 * Contract   S118
 */
WARD_API WARD_MUST_USE ward_err ward_try_zero_link(ward_self *self, struct ward_zero_links *links,
						   ward_ref orphanage, ward_ref who,
						   ward_zero_life life);
/** Calls ward_try_zero_link(); a refusal makes self fail when the callback returns: see
 *  ward_failed_err(). Cost: the same. */
static inline void ward_zero_link(ward_self *self, struct ward_zero_links *links,
				  ward_ref orphanage, ward_ref who, ward_zero_life life)
{
	(void)ward_noted_(self, ward_try_zero_link(self, links, orphanage, who, life));
}

/** The result of a ward_zero_link(). */
struct ward_zero_linked {
	ward_ref who;
	/** WARD_EEXIST it has a supervisor; WARD_ENOENT it is not an orphan of that orphanage;
	 *  WARD_ENOMEM; WARD_EDEAD the orphanage has ended. It is not linked then; calls of self
	 *  may say otherwise for a moment, until its stand-in is gone. */
	ward_err err;
};
WARD_API extern const ward_type ward_type_ward_zero_linked;

/**
 * Unlinks an actor: after its next failure it is dead. An orphan is an orphan again, and goes on
 * when self stops; an actor that was spawned with its link stays a child, and stops with self.
 *
 * The error is a code and never a failure, since an actor may end, and its link with it, before
 * self is notified.
 *
 * Cost       O(linked actors).
 * Errors     WARD_ENOENT it is not linked to self; WARD_EINVAL it is a child and the scope is
 *            WARD_ALL_FOR_ONE, which applies to all children; those of ward_try_send() to the
 *            orphanage.
 * Contract   S118
 */
WARD_API WARD_MUST_USE ward_err ward_zero_unlink(ward_self *self, struct ward_zero_links *links,
						 ward_ref who);

/** Returns true if an actor is linked to self, and then in *ret_child (NULL: not wanted) its
 *  stand-in among the children of self, to compare with ward_restarts_exceeded.who. A child that
 *  was spawned with its link is its own stand-in. Cost: O(linked actors). */
WARD_API bool ward_zero_is_linked(ward_self *self, const struct ward_zero_links *links,
				  ward_ref who, ward_ref *ret_child);

/* ---- an orphanage ------------------------------------------------------------------------ */

/** The behaviour of an orphanage: the parent of actors that are spawned without a link. Start it
 *  with ward_spawn() or ward_system_spawn(). When it stops, it stops them. Contract: S118, S119. */
WARD_API extern const ward_behavior ward_zero_orphanage;

/** Asks an orphanage to spawn an actor; the answer is a ward_zero_spawned. The component, and
 *  everything that it points to, is borrowed until the answer. Its `life` is not used: that of
 *  ward_zero_link() applies. Contract: S118. */
struct ward_zero_spawn {
	const ward_zero_component *component;
};
WARD_MESSAGE(ward_zero_spawn);

/** The answer to a ward_zero_spawn. */
struct ward_zero_spawned {
	ward_ref who;
	ward_err err;              /* as ward_try_zero_start_link() */
	char text[WARD_ZERO_TEXT]; /* of a refusal */
};
WARD_MESSAGE_FLAT(ward_zero_spawned);
#ifndef __cplusplus
WARD_REPLY(ward_zero_spawn, ward_zero_spawned);
#endif

WARD_END
#endif
