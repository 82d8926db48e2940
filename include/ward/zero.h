/* SPDX-License-Identifier: MIT
 *
 * ward/zero.h - supervision in the words of Akka 0.x: link, trap_exit, fault handler, life-cycle.
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
 * A linked actor that fails is an Exit for its supervisor, which no receive ever sees: it is
 * matched with the trap list. One that is trapped is handled by the fault handler, which restarts
 * what is permanent and stops what is temporary. One that is not is passed on: the supervisor
 * itself fails with it, and its own supervisor decides about it.
 *
 * These links have a direction, from an actor to the one supervisor that gets its failures and
 * decides about them; an end without a failure is reported to nobody. ward_link() of link.h is
 * another thing: that of Erlang, which joins two as equals, carries the end of each and may end the
 * other. What is trapped there is an end, what is trapped here a failure.
 *
 * ward never moves an actor to another parent. An actor that was spawned with its link is a child
 * of its supervisor. One that was spawned without is a child of an orphanage, an actor that the
 * program starts; there a link or unlink changes who gets its failures. For such an actor the
 * supervisor has a child that stands in for it: the fault handler, the limit and the hooks of a
 * restart mean that stand-in, and what becomes of it becomes of the actor. What nobody supervises
 * is dead when it has failed.
 *
 * zero_factory.h makes a whole tree of one table.
 *
 * All calls: only inside a callback of self, unless said otherwise.
 */
#ifndef WARD_ZERO_H
#define WARD_ZERO_H

#include <ward/actor.h>

WARD_BEGIN

/* ---- tables ------------------------------------------------------------------------------ */

/** What the fault handler does with a linked actor. Contract: S120. */
typedef enum ward_zero_life {
	WARD_ZERO_PERMANENT = 0, /* restarts it */
	WARD_ZERO_TEMPORARY = 1  /* stops it, so its post_stop runs; it is linked no more */
} ward_zero_life;

/** Sizes: of a trap list; of a text in a message, the 0 at its end included. */
enum { WARD_ZERO_TRAPS_MAX = 12, WARD_ZERO_TEXT = 256 };

/** A fault handler and a trap list. Constant; must outlive every actor that names it. */
typedef struct ward_zero_strategy {
	ward_strategy fault_handler;
	const ward_failure_class *trap_exit[WARD_ZERO_TRAPS_MAX]; /* and all below; none: NULL */
} ward_zero_strategy;

/** The `decide` of every fault handler of this profile; an actor without ward_zero_init() fails of
 *  it with ward_misuse. Cost: O(linked actors), and as ward_failure_is() for each class of the trap
 *  list. Contract: S119, S120. */
WARD_API ward_directive ward_zero_decide(ward_self *self, ward_ref child,
					 const ward_failure *failure) WARD_NOEXCEPT;

/** Supervises without a trap list: passes everything on. */
WARD_API extern const ward_zero_strategy ward_zero_untrapped;

#ifndef __cplusplus
/** WARD_ZERO_STRATEGY(WARD_ALL_FOR_ONE, 3, 1000, &my_exception): the initializer of a
 *  ward_zero_strategy. The numbers are those of ward_strategy: 0, 0 is no limit. When the limit
 *  stops an actor the supervisor gets a ward_restarts_exceeded. Contract: S121. */
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

/** A host and port that an actor is to be reached at. */
typedef struct ward_zero_address {
	const char *host; /* NULL: here only */
	uint16_t port;
} ward_zero_address;

/** An actor as a table says it. Constant. */
typedef struct ward_zero_component {
	ward_zero_life life;
	ward_props props; /* as those of ward_spawn(); borrowed, with all it points to */
	/** Kept, and refused at the start with WARD_ENOENT: there is no clustering yet. */
	ward_zero_address remote;
	/** In place of props: a supervisor below; see zero_factory.h. */
	const struct ward_zero_factory *nested;
	uintptr_t reserved[2]; /* zero */
} ward_zero_component;

/* ---- the supervising actor --------------------------------------------------------------- */

/** The actors that are linked to one. The first member of its state; the fields are the library's.
 *  They go with the incarnation: a child that a pre_restart of one's own keeps is handled as one
 *  that is permanent afterwards. */
struct ward_zero_links {
	const void *owner; /* this very struct, once begun */
	const ward_zero_strategy *strategy;
	ward_scope scope;
	bool starting, deserted;
	struct wardi_zero_link *first;
	size_t count, sweep_at;
	ward_directive (*look_first)(ward_self *self, ward_ref child,
				     const ward_failure *failure) WARD_NOEXCEPT;
};

/**
 * Makes self a supervising actor: for init, before the first child. The fault handler becomes the
 * child strategy of self, as by ward_child_strategy_set(). Again later, in any callback, it changes
 * the trap list; scope and numbers stay those of the first time.
 *
 * Ownership  borrows strategy (NULL: ward_zero_untrapped) for the life of the actor.
 * Cost       as ward_strategy_check(), and ward_failure_class_check() for each class in the list.
 * Errors     WARD_EINVAL `links` is not at the beginning of the state; there is a trap list, but no
 *            fault handler; a class in it that ward_failure_class_check() refuses; numbers that
 *            contradict each other; and those of ward_child_strategy_set(), at the first time.
 * Contract   S119
 */
WARD_API WARD_MUST_USE ward_err ward_try_zero_init(ward_self *self, struct ward_zero_links *links,
						   const ward_zero_strategy *strategy);
/** The same, where a refusal is a failure: see ward_failed_err(). Cost: the same. */
static inline void ward_zero_init(ward_self *self, struct ward_zero_links *links,
				  const ward_zero_strategy *strategy)
{
	(void)ward_noted_(self, ward_try_zero_init(self, links, strategy));
}

/**
 * Spawns an actor of this kind, linked and permanent, in one step: no failure of it goes unheard.
 *
 * Errors     as ward_spawn(); WARD_EINVAL also before ward_zero_init(). Then there is no actor.
 * Cost       as ward_spawn(); a look at each actor linked before, now and then.
 * Contract   S118, S120
 */
WARD_API WARD_MUST_USE ward_err ward_try_zero_spawn_link(ward_self *self,
							 struct ward_zero_links *links,
							 const ward_behavior *behavior,
							 ward_ref *ret_who);
/** The same, where a refusal is a failure: see ward_failed_err(). Returns the actor, or nobody.
 *  Cost: the same. */
static inline ward_ref ward_zero_spawn_link(ward_self *self, struct ward_zero_links *links,
					    const ward_behavior *behavior)
{
	ward_ref who = {0, 0, 0};

	(void)ward_noted_(self, ward_try_zero_spawn_link(self, links, behavior, &who));
	return who;
}

/** The same of a component, with its name, arguments and life-cycle. Cost: as
 *  ward_try_zero_spawn_link(); for one that is nested also twice as ward_zero_check(). Errors: also
 *  WARD_ENOENT for one that is remote, and what ward_zero_check() says of one that is nested. */
WARD_API WARD_MUST_USE ward_err ward_try_zero_start_link(ward_self *self,
							 struct ward_zero_links *links,
							 const ward_zero_component *component,
							 ward_ref *ret_who);
/** The same, where a refusal is a failure: see ward_failed_err(). Returns the actor, or nobody.
 *  Cost: the same. */
static inline ward_ref ward_zero_start_link(ward_self *self, struct ward_zero_links *links,
					    const ward_zero_component *component)
{
	ward_ref who = {0, 0, 0};

	(void)ward_noted_(self, ward_try_zero_start_link(self, links, component, &who));
	return who;
}

/**
 * Links an orphan, or links again a child that was unlinked. The outcome is a ward_zero_linked.
 *
 * From the moment at which the orphanage handles the request, self supervises the orphan: its
 * failures are decided about by the fault handler, a stop of self stops it, and a restart with all,
 * too. A restart that does not answer a failure of its own waits for its mail, and is one for
 * ward_killed.
 *
 * Supervision must not run in a circle, of an orphan that supervises, itself or through others, who
 * supervises it: one that has failed holds up all below it, so nobody would decide. Only the
 * smallest circle, a link to oneself, is refused.
 *
 * Cost       O(linked actors). For an orphan as ward_spawn() for who stands in for it, which takes
 *            two watches and three messages; for a child one message.
 * Errors     WARD_EEXIST it is linked to self; WARD_EINVAL before ward_zero_init(), or nobody, or
 *            self; as ward_spawn(), and those of ward_try_send() to the orphanage, but WARD_EDEAD.
 *            Then no ward_zero_linked comes.
 * Contract   S118
 */
WARD_API WARD_MUST_USE ward_err ward_try_zero_link(ward_self *self, struct ward_zero_links *links,
						   ward_ref orphanage, ward_ref who,
						   ward_zero_life life);
/** The same, where a refusal is a failure: see ward_failed_err(). Cost: the same. */
static inline void ward_zero_link(ward_self *self, struct ward_zero_links *links,
				  ward_ref orphanage, ward_ref who, ward_zero_life life)
{
	(void)ward_noted_(self, ward_try_zero_link(self, links, orphanage, who, life));
}

/** What a ward_zero_link() came to. */
struct ward_zero_linked {
	ward_ref who;
	/** WARD_EEXIST it has a supervisor; WARD_ENOENT it is no orphan of that orphanage;
	 *  WARD_ENOMEM; WARD_EDEAD the orphanage is gone. Then it is not linked; the calls of self
	 *  may say otherwise for a moment, until its stand-in is gone. */
	ward_err err;
};
WARD_MESSAGE_FLAT(ward_zero_linked);

/**
 * Unlinks: when the actor fails next, it is dead. One that was an orphan is one again, and lives on
 * when self stops; one that was spawned with its link stays a child, and stops with self.
 *
 * A code, and no failure: that it is not linked is news, since an actor may end, and its link with
 * it, before self is notified.
 *
 * Errors     WARD_ENOENT it is not linked to self; WARD_EINVAL a child, and the scope is
 *            WARD_ALL_FOR_ONE, which means all children; those of ward_try_send() to the orphanage.
 * Cost       O(linked actors).
 * Contract   S118
 */
WARD_API WARD_MUST_USE ward_err ward_zero_unlink(ward_self *self, struct ward_zero_links *links,
						 ward_ref who);

/** Says whether an actor is linked to self, and writes who stands in for it among the children of
 *  self: for ward_restarts_exceeded.who. A child that was spawned with its link stands for itself.
 *  Cost: O(linked actors). */
WARD_API bool ward_zero_is_linked(ward_self *self, const struct ward_zero_links *links,
				  ward_ref who, ward_ref *ret_child);

/* ---- an orphanage ------------------------------------------------------------------------ */

/** The parent of actors that were spawned without a link; start one with ward_spawn() or
 *  ward_system_spawn(). It stops them when it stops. Contract: S118, S119. */
WARD_API extern const ward_behavior ward_zero_orphanage;

/** Asks an orphanage to spawn; answered by a ward_zero_spawned. The component is borrowed, with all
 *  it points to, until the answer. Its life-cycle comes with a link. Contract: S118. */
struct ward_zero_spawn {
	const ward_zero_component *component;
};
WARD_MESSAGE(ward_zero_spawn);

/** The answer. */
struct ward_zero_spawned {
	ward_ref who;
	ward_err err;              /* as ward_zero_start_link() */
	char text[WARD_ZERO_TEXT]; /* of a refusal */
};
WARD_MESSAGE_FLAT(ward_zero_spawned);
#ifndef __cplusplus
WARD_REPLY(ward_zero_spawn, ward_zero_spawned);
#endif

WARD_END
#endif
