/* SPDX-License-Identifier: MIT
 *
 * ward/router.h - routers: one ref in front of many actors.
 *
 *	workers = ward_spawn(self, &ward_pool,
 *			     .args = WARD_ARGS(ward_router, .routee = {.behavior = &worker},
 *					       .routees = 4));
 *
 * A router passes each message that it gets on to its routees, with its first sender: to one of
 * them, to all, or to one after the other, as its routing says. A pool makes its routees and is
 * their supervisor; a group is told who its members are, and only watches them, or where they are
 * to be found at each message. Both are ordinary actors with ready behaviours.
 *
 * What is sent to the router is for its routees, except a poison pill and a kill, which mean the
 * router itself, and the messages below that manage it. To reach all routees of any router, pills
 * included, use ward_broadcast(). Messages without a routee are dead letters.
 *
 * When a routee fails, its pool asks the pool's own parent by escalating, and a restart of the pool
 * restarts all routees: it makes none anew. With a child_strategy in the pool's props the pool
 * decides itself; not by WARD_LATER, for it hands on all that could make it decide. So a pool of
 * one routee with a strategy of its own is a firewall: failures end there.
 *
 * A router keeps its routees, and what it was told about them, over its restarts. A routee that is
 * gone leaves the router; when none is left the router stops, unless it has a resizer or paths.
 */
#ifndef WARD_ROUTER_H
#define WARD_ROUTER_H

#include <ward/actor.h>
#include <ward/message.h>

WARD_BEGIN

/** The most routees that a pool has by its arguments, its resizer and ward_adjust_pool: it makes
 *  them in one callback. */
enum { WARD_ROUTEES_MAX = 1048576 };

/** Which routee gets a message. */
typedef enum ward_routing {
	WARD_ROUTE_ROUND_ROBIN = 0, /* one after the other, from the first */
	WARD_ROUTE_RANDOM = 1,      /* any, by ward_random() */
	/** The one with the fewest messages waiting; of several the next in turn. Those whose
	 *  mailbox is not counted come last; a pool counts those of its routees. */
	WARD_ROUTE_SMALLEST_MAILBOX = 2,
	WARD_ROUTE_BROADCAST = 3, /* a copy for each */
	/** A copy for each, and the first answer goes to who asked, in the name of the routee that
	 *  gave it. Other answers are dropped. */
	WARD_ROUTE_SCATTER_GATHER = 4,
	/** One after the other in random order, every interval_ms, until one has answered. */
	WARD_ROUTE_TAIL_CHOPPING = 5,
	/** By `hash`: equal hashes go to the same routee as long as it is there, or to the same
	 *  path, in any run. */
	WARD_ROUTE_CONSISTENT_HASHING = 6
} ward_routing;

/**
 * When a pool grows and shrinks. Zero is the default in every field.
 *
 * Before every messages_per_resize-th message the pool counts the routees under pressure. All of
 * them: it grows by ramp_up_percent, rounded up. Fewer than back_off_below_percent of them: it
 * shrinks by back_off_percent, rounded down. It never leaves its bounds.
 */
typedef struct ward_resizer {
	uint32_t routees_min;           /* 1; at most WARD_ROUTEES_MAX, as the next one */
	uint32_t routees_max;           /* 10, or routees_min if that is more */
	int64_t pressure_min;           /* messages that wait at a routee under pressure; 1 */
	int32_t ramp_up_percent;        /* 20; negative: never grows */
	int32_t back_off_below_percent; /* 30 */
	int32_t back_off_percent;       /* 10; negative: never shrinks */
	uint32_t messages_per_resize;   /* 10 */
	/** Decides in place of the percentages: how many more routees, or less than 0, how many
	 *  fewer. Runs as the pool, before it passes a message on. */
	int32_t (*decide)(ward_self *self, const ward_ref *routees, size_t count) WARD_NOEXCEPT;
	uintptr_t reserved[4]; /* zero */
} ward_resizer;

/** The arguments of ward_pool and ward_group. Zero is the default in every field but one: a pool
 *  must know its `routee`. All that it points to is copied at the spawn. */
struct ward_router {
	ward_routing routing;
	/* of a pool */
	ward_props routee; /* without a name */
	/** How many it starts with, at most WARD_ROUTEES_MAX; 1, or as the resizer says. */
	uint32_t routees;
	const ward_resizer *resizer; /* NULL: as many as it is told */
	/* of a group */
	const ward_ref *members;
	uint32_t members_count;
	/** Paths, as those of ward_select_send(), where routees are found anew for each message,
	 *  next to the members or instead of them. Relative ones begin at the group. Nobody is
	 *  watched: a message that finds nobody is a dead letter, and a group with paths does not
	 *  stop. A pattern is one routee, all that match get the message. A path must not select
	 *  the group itself: what is sent there would go round forever. Not for
	 *  WARD_ROUTE_SMALLEST_MAILBOX. */
	const char *const *paths;
	uint32_t paths_count;
	/* of a routing */
	uint64_t (*hash)(const ward_msg *msg)
		WARD_NOEXCEPT; /* consistent hashing; looks at the message only */
	int64_t timeout_ms;    /* scatter-gather and tail chopping, until the answer; 5 seconds */
	int64_t interval_ms;   /* tail chopping; 10 milliseconds */
	uintptr_t reserved[4]; /* zero */
	void *own;             /* the library's; NULL */
};
WARD_MESSAGE(ward_router);

/**
 * The behaviour of a pool.
 *
 * Without a child_strategy in its props it escalates what its routees fail of: the log has a severe
 * event, "POOL/worker$1 failed: ..., escalated to POOL -> restart", and all routees are restarted.
 * To have each treated by itself: .child_strategy = &each_by_itself, a strategy of your own with
 * {.rules = {{&ward_exception, WARD_RESTART}}}.
 *
 * Errors     of its spawn, besides those of ward_spawn(): WARD_EINVAL for arguments that do not fit
 *            together, or more than WARD_ROUTEES_MAX routees; WARD_EUNIQUE if the routee's
 *            arguments own things and have no clone.
 * Contract   S91, S92
 */
WARD_API extern const ward_behavior ward_pool;
/** The behaviour of a group. Contract: S92. */
WARD_API extern const ward_behavior ward_group;

/* ---- messages that manage a router ------------------------------------------------------- */

/** Asks for the routees; the answer is ward_routees. */
struct ward_get_routees {
	unsigned char none_;
};
WARD_API extern const ward_type ward_type_ward_get_routees;

/** The routees of a router now; their refs follow, see ward_routees_refs(). */
struct ward_routees {
	uint64_t count;       /* of refs */
	uint64_t paths_count; /* of a group: the number of its paths, which do not follow */
};
WARD_API extern const ward_type ward_type_ward_routees;

/** Returns the refs that the message holds, in the order in which the router goes round. Cost:
 *  O(1). */
static inline const ward_ref *ward_routees_refs(const struct ward_routees *routees)
{
	return (const ward_ref *)(const void *)(routees + 1);
}

/**
 * Tells a thread outside which routees a router has now: writes up to `max` refs, in the order in
 * which the router goes round, and to *ret_count how many there are. Paths are not told.
 *
 * The refs are refs like any other: to be sent to, watched by an inbox, or looked at with
 * ward_system_actor(). A router whose mailbox is long answers when it gets to it.
 *
 * Threads    any outside the system's actors.
 * Units      timeout_ms milliseconds, more than 0.
 * Cost       an inbox, made and ended; a message there and back, with all refs: O(routees).
 * Errors     WARD_ETIMEDOUT, also for an actor that is no router; WARD_EDEAD it is gone; else as
 *            ward_inbox_create() and ward_inbox_watch(). Then nothing is written.
 * Contract   S92
 */
WARD_API WARD_MUST_USE ward_err ward_system_routees(ward_system *system, ward_ref router,
						    int64_t timeout_ms, ward_ref *refs, size_t max,
						    size_t *ret_count);

/** Adds an actor that is there already. It is watched, never supervised. One that is a routee
 *  already is not added twice; nobody, the router itself, or no memory: it is unhandled. */
struct ward_add_routee {
	ward_ref routee;
};
WARD_API extern const ward_type ward_type_ward_add_routee;

/** Removes a routee: no message goes there from now on. One that the pool made gets a poison pill
 *  100 ms later, behind what is still on the way to it. No routee: it is unhandled. */
struct ward_remove_routee {
	ward_ref routee;
};
WARD_API extern const ward_type ward_type_ward_remove_routee;

/** Makes a pool larger, or smaller from its end, by so many; bounds of a resizer do not apply. If
 *  routees cannot be made it is unhandled, with those that could; if they would be more than
 *  WARD_ROUTEES_MAX, with none. A group does not know it. */
struct ward_adjust_pool {
	int32_t change;
};
WARD_API extern const ward_type ward_type_ward_adjust_pool;

/* ---- to all routees ---------------------------------------------------------------------- */

/**
 * Sends a message that a router passes on to all its routees, whatever its routing. The plain form
 * of ward_broadcast().
 *
 * Each gets a copy, or none does: out of memory, and for a type with a drop and no clone if there
 * is more than one routee, the message is a dead letter. What goes along a path may become one on
 * its way, alone.
 *
 * Ownership  takes what the body owns, always.
 * Cost       a copy of the body here; O(routees) for the router, with a copy for each.
 * Errors     WARD_EINVAL, WARD_ESIZE, WARD_ENOMEM; then nothing was sent.
 * Contract   S92
 */
WARD_API WARD_MUST_USE ward_err ward_try_broadcast_send(ward_self *self, ward_ref router,
							const ward_type *type, const void *body,
							size_t size);
/** The same, where a refusal is a failure: see ward_failed_err(). Cost: the same. */
static inline void ward_broadcast_send(ward_self *self, ward_ref router, const ward_type *type,
				       const void *body, size_t size)
{
	(void)ward_noted_(self, ward_try_broadcast_send(self, router, type, body, size));
}

/** The same from a thread outside, as nobody. Cost: as ward_system_send(), but with two copies of
 *  the body, one of them in memory of malloc() for the time of the call; for the router as
 *  above. */
WARD_API WARD_MUST_USE ward_err ward_system_broadcast_send(ward_system *system, ward_ref router,
							   const ward_type *type, const void *body,
							   size_t size);

WARD_END

#ifndef __cplusplus
/** ward_broadcast(self, workers, flush, .up_to = 7). Cost: as ward_broadcast_send(). */
#define ward_broadcast(self, router, ...)                                                          \
	ward_broadcast_send((self), (router), WARD_BODY(__VA_ARGS__))
/** ward_system_broadcast(system, workers, ward_poison_pill). Cost: as
 *  ward_system_broadcast_send(). */
#define ward_system_broadcast(system, router, ...)                                                 \
	ward_system_broadcast_send((system), (router), WARD_BODY(__VA_ARGS__))
#endif
#endif
