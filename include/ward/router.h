/* SPDX-License-Identifier: MIT
 *
 * ward/router.h - routers: one ref in front of many actors.
 *
 *	workers = ward_spawn(self, &ward_pool,
 *			     .args = WARD_ARGS(ward_router, .routee = {.behavior = &worker},
 *					       .routees = 4));
 *
 * A router forwards each message to its routees, with the original sender: to one of them, to all,
 * or to one after the other, depending on its routing. A pool creates its routees and supervises
 * them. A group gets its members as refs, which it only watches, or as paths, which it resolves for
 * each message. Both are ordinary actors with the behaviours declared here.
 *
 * Messages to the router are meant for its routees, except a poison pill and a kill, which apply to
 * the router itself, and the messages below that manage it. ward_broadcast() reaches all routees of
 * any router, also with a pill. A message for which there is no routee becomes a dead letter.
 *
 * When a routee fails, its pool escalates to the pool's parent; a restart of the pool restarts the
 * existing routees. With a child_strategy in its props the pool decides itself. That strategy must
 * not return WARD_LATER: a pool never calls ward_decide(), so the routee would stay suspended.
 *
 * A router keeps its routees, and the changes that were made to them, over its restarts. A routee
 * that has ended leaves the router, and is not replaced. When the last one leaves, the router
 * stops, unless it has paths, or a resizer, which starts new ones when it next counts. A group that
 * starts empty goes on, for members that are added later.
 */
#ifndef WARD_ROUTER_H
#define WARD_ROUTER_H

#include <ward/actor.h>
#include <ward/message.h>

WARD_BEGIN

/** The largest number of routees that the arguments, a resizer or ward_adjust_pool can give a pool.
 *  There is a limit because a pool creates them all in one callback. */
enum { WARD_ROUTEES_MAX = 1048576 };

/** How a router selects the routee for a message. Where several routees get copies, a message whose
 *  type has a drop function and no clone is a dead letter (WARD_REASON_UNIQUE), unless there is
 *  only one routee. */
typedef enum ward_routing {
	WARD_ROUTE_ROUND_ROBIN = 0, /* one after the other, beginning with the first */
	WARD_ROUTE_RANDOM = 1,      /* at random, by ward_random() */
	/** The routee with the fewest waiting messages; among equals the next in turn. Routees
	 *  whose mailbox is not counted come last; a pool counts the mailboxes of its routees. */
	WARD_ROUTE_SMALLEST_MAILBOX = 2,
	WARD_ROUTE_BROADCAST = 3, /* a copy to each routee */
	/** A copy to each routee. The asker gets the first answer, with the answering routee as the
	 *  sender; other answers are dropped. */
	WARD_ROUTE_SCATTER_GATHER = 4,
	/** One after the other in random order, every interval_ms, until one has answered. */
	WARD_ROUTE_TAIL_CHOPPING = 5,
	/** By `hash`: equal hashes go to the same routee, or to the same path, as long as it
	 *  exists; also in another run of the program. */
	WARD_ROUTE_CONSISTENT_HASHING = 6
} ward_routing;

/**
 * When a pool grows and shrinks. Zero is the default in every field.
 *
 * Before every messages_per_resize-th message the pool counts its routees under pressure. If all
 * are, it grows by ramp_up_percent, rounded up. If fewer than back_off_below_percent are, it
 * shrinks by back_off_percent, rounded down. The number of routees stays between routees_min and
 * routees_max.
 */
typedef struct ward_resizer {
	uint32_t routees_min; /* default: 1; at most WARD_ROUTEES_MAX */
	/** Default: 10, or routees_min if that is more; at most WARD_ROUTEES_MAX. */
	uint32_t routees_max;
	/** Waiting messages that put a routee under pressure; default: 1. */
	int64_t pressure_min;
	int32_t ramp_up_percent;        /* default: 20; negative: never grows */
	int32_t back_off_below_percent; /* default: 30 */
	int32_t back_off_percent;       /* default: 10; negative: never shrinks */
	uint32_t messages_per_resize;   /* default: 10 */
	/** Decides in place of the percentages: returns by how many routees to grow, or, below 0,
	 *  to shrink. Runs in the pool, before it forwards a message. */
	int32_t (*decide)(ward_self *self, const ward_ref *routees, size_t count) WARD_NOEXCEPT;
	uintptr_t reserved[4]; /* zero */
} ward_resizer;

/** The arguments of ward_pool and ward_group. Zero is the default in every field, except that a
 *  pool needs a `routee`. The spawn copies everything that it points to. */
struct ward_router {
	ward_routing routing;
	/* for a pool */
	ward_props routee; /* what to start; its name must be NULL */
	/** Routees at the start, at most WARD_ROUTEES_MAX; default: 1. A resizer's minimum and
	 *  maximum apply. */
	uint32_t routees;
	/** NULL: the number changes only by ward_adjust_pool and the like. */
	const ward_resizer *resizer;
	/* for a group */
	const ward_ref *members;
	uint32_t members_count;
	/** Paths, as in ward_select_send(), at which routees are looked up for each message, in
	 *  addition to the members or instead of them. Relative paths begin at the group. These
	 *  routees are not watched: a message that finds nobody is a dead letter, and a group with
	 *  paths does not stop. A pattern counts as one routee; all actors that match get the
	 *  message. A path must not select the group itself: a message to it would circulate
	 *  forever. Not for WARD_ROUTE_SMALLEST_MAILBOX. */
	const char *const *paths;
	uint32_t paths_count;
	/* for a routing */
	uint64_t (*hash)(const ward_msg *msg)
		WARD_NOEXCEPT; /* consistent hashing, which needs it: may read only the message */
	/** Scatter-gather and tail chopping: until the first answer; default: 5 seconds. At the
	 *  timeout the sender gets a ward_ask_failed with WARD_ETIMEDOUT, even if its message was
	 *  not a question; if the router stops or restarts before, one with WARD_EDEAD. */
	int64_t timeout_ms;
	int64_t interval_ms;   /* tail chopping; default: 10 milliseconds */
	uintptr_t reserved[4]; /* zero */
	void *own;             /* for the library; NULL */
};
WARD_MESSAGE(ward_router);

/**
 * The behaviour of a pool. Its arguments are a ward_router.
 *
 * Without a child_strategy in its props it escalates the failures of its routees: the log has a
 * severe event, "POOL/worker$1 failed: ... [escalated to POOL] -> restart", and all routees are
 * restarted. To decide about each routee separately, set .child_strategy to a strategy of your own
 * with {.rules = {{&ward_exception, WARD_RESTART}}}.
 *
 * Errors     of its spawn: those of ward_try_spawn(); WARD_EINVAL the arguments are invalid, or
 *            contradict each other; WARD_EUNIQUE the routee's arguments have a drop function and no
 *            clone. If a routee cannot be spawned, the pool fails in its start.
 * Contract   S91, S92
 */
WARD_API extern const ward_behavior ward_pool;
/** The behaviour of a group. Its arguments are a ward_router. Errors: of its spawn: those of
 *  ward_try_spawn(); WARD_EINVAL the arguments are invalid, or have fields of a pool. If a member
 *  is nobody, the group fails in its start. Contract: S92. */
WARD_API extern const ward_behavior ward_group;

/* ---- messages that manage a router ------------------------------------------------------- */

/** Asks a router for its routees; the answer is a ward_routees. */
struct ward_get_routees {
	unsigned char none_;
};
WARD_API extern const ward_type ward_type_ward_get_routees;

/** The routees of a router at the moment; their refs follow, see ward_routees_refs(). */
struct ward_routees {
	uint64_t count;       /* number of refs */
	uint64_t paths_count; /* of a group: number of its paths, which do not follow */
};
WARD_API extern const ward_type ward_type_ward_routees;

/** Returns the refs in the message, in the order of round-robin. Cost: O(1). */
static inline const ward_ref *ward_routees_refs(const struct ward_routees *routees)
{
	return (const ward_ref *)(const void *)(routees + 1);
}

/**
 * Writes at most `max` refs of the routees of a router, in the order of round-robin, and to
 * *ret_count their total number. Paths of a group are not included. With max 0, refs may be NULL.
 *
 * The refs are ordinary refs: send to them, watch them with an inbox, or inspect them with
 * ward_system_actor(). The router answers when the request has reached the front of its mailbox.
 *
 * Threads    any outside the system's actors.
 * Units      timeout_ms milliseconds, more than 0.
 * Cost       an inbox, created and destroyed; a message there and back, with all refs: O(routees).
 * Errors     WARD_ETIMEDOUT, also if the actor is not a router; WARD_EDEAD it has ended; others as
 *            ward_inbox_create() and ward_inbox_watch(). Nothing is written then.
 * Contract   S92
 */
WARD_API WARD_MUST_USE ward_err ward_system_routees(ward_system *system, ward_ref router,
						    int64_t timeout_ms, ward_ref *refs, size_t max,
						    size_t *ret_count);

/** Adds an existing actor as a routee: `ward_tell(self, router, ward_add_routee, .routee = who)`.
 *  The router watches it, but does not supervise it. If it is a routee already, nothing happens. If
 *  it is nobody or the router itself, or if memory runs out, the message is unhandled. */
struct ward_add_routee {
	ward_ref routee;
};
WARD_API extern const ward_type ward_type_ward_add_routee;

/** Removes a routee: it gets no further messages from the router. If the pool created it, it gets a
 *  poison pill 100 ms later, so that messages that other actors send it just now arrive first.
 *  If it is not a routee, the message is unhandled. */
struct ward_remove_routee {
	ward_ref routee;
};
WARD_API extern const ward_type ward_type_ward_remove_routee;

/** Grows a pool by `change` routees, or, below 0, shrinks it from its end; the bounds of a resizer
 *  do not apply. If some routees cannot be created, the pool keeps the others and the message is
 *  unhandled. If there would be more than WARD_ROUTEES_MAX, none is created and the message is
 *  unhandled. A group does not handle it. */
struct ward_adjust_pool {
	int32_t change;
};
WARD_API extern const ward_type ward_type_ward_adjust_pool;

/* ---- to all routees ---------------------------------------------------------------------- */

/**
 * Sends a message that a router forwards to all its routees, regardless of its routing. The plain
 * form of ward_broadcast().
 *
 * Either each routee gets a copy or none does: the message is a dead letter if memory runs out, and
 * if its type has a drop function and no clone while there is more than one routee. On a path of a
 * group, a single copy may still become a dead letter. An actor that is not a router leaves the
 * message unhandled.
 *
 * Ownership  takes what the body owns, always.
 * Cost       a copy of the body here; for the router O(routees), with a copy for each.
 * Errors     WARD_EINVAL, WARD_ESIZE, WARD_ENOMEM; nothing is sent then.
 * Contract   S92
 */
WARD_API WARD_MUST_USE ward_err ward_try_broadcast_send(ward_self *self, ward_ref router,
							const ward_type *type, const void *body,
							size_t size);
/** Calls ward_try_broadcast_send(); a refusal makes self fail when the callback returns: see
 *  ward_failed_err(). Cost: the same. */
static inline void ward_broadcast_send(ward_self *self, ward_ref router, const ward_type *type,
				       const void *body, size_t size)
{
	(void)ward_noted_(self, ward_try_broadcast_send(self, router, type, body, size));
}

/** Broadcasts like ward_try_broadcast_send(), without a sender. Threads: any outside the system's
 *  actors. Cost: as ward_system_send(), but with two copies of the body, one of them in memory of
 *  malloc() during the call; for the router as ward_try_broadcast_send(). */
WARD_API WARD_MUST_USE ward_err ward_system_broadcast_send(ward_system *system, ward_ref router,
							   const ward_type *type, const void *body,
							   size_t size);

WARD_END

/* ---- the macros (C only) ----------------------------------------------------------------- */

#ifndef __cplusplus
/** Sends a message to all routees: `ward_broadcast(self, workers, flush, .up_to = 7)`. Cost: as
 *  ward_broadcast_send(). */
#define ward_broadcast(self, router, ...)                                                          \
	ward_broadcast_send((self), (router), WARD_BODY(__VA_ARGS__))
/** Sends a message to all routees, from a thread outside: `ward_system_broadcast(system, workers,
 *  ward_poison_pill)`. Cost: as ward_system_broadcast_send(). */
#define ward_system_broadcast(system, router, ...)                                                 \
	ward_system_broadcast_send((system), (router), WARD_BODY(__VA_ARGS__))
#endif
#endif
