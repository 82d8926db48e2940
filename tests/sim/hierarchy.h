/* SPDX-License-Identifier: MIT
 *
 * hierarchy.h - a tree of actors in which everything fails at random, and what must hold in it.
 *
 * The gardener at the top never fails. Below it each node has some children, whom it makes again
 * when they are gone; it fails in receive, in its factory and in every hook, by return and by jump;
 * its decider answers at random, or fails. Pings from outside, and from node to node, make them do
 * that; each ping has a number and must have a fate.
 *
 * In a simulation a model of the contract (model.h) follows each step. On threads the actors check
 * what an instance can know by itself.
 */
#ifndef HIERARCHY_H
#define HIERARCHY_H

#include <pthread.h>
#include <stdatomic.h>

#include <ward/testkit/simulate.h>

#include "sim/model.h"

enum { HIERARCHY_REFS_MAX = 64 * 1024, HIERARCHY_FATES_MAX = 8 * 1024 * 1024 };

struct hierarchy {
	/* frozen */
	struct model *model; /* NULL: on threads */
	bool small;          /* a handful of actors, not hundreds */
	/* written by the gardener, before there is anybody else */
	uint32_t depth; /* levels below the gardener, at most */
	uint32_t width; /* children of a node, at most */
	uint32_t odds;  /* one hook in so many fails */
	ward_ref gardener;
	/* in a simulation */
	uint64_t dice;          /* of the acts from outside; drawn by the gardener */
	ward_point fails_after; /* this callback, which is under way; else WARD_POINTS */
	/* any thread */
	_Atomic bool calm; /* nothing fails any more */
	_Atomic uint64_t pings, handled, dead, instances;
	/* on threads: by number of a ping, whether it had its fate */
	_Atomic uint8_t fates[HIERARCHY_FATES_MAX];
	pthread_mutex_t mu;
	/* under mu */
	size_t refs_count; /* handed out so far; the last ones are here, in a ring */
	ward_ref refs[HIERARCHY_REFS_MAX];
};

/* What a ping makes its receiver do. */
enum wish {
	WISH_NOTHING,
	WISH_FAIL,    /* with a class drawn at random */
	WISH_STOP,    /* itself */
	WISH_PRUNE,   /* stop a child */
	WISH_FILL,    /* make the children that are missing */
	WISH_RELAY,   /* ping somebody else */
	WISH_WATCH,   /* watch somebody, alive or not */
	WISH_UNWATCH, /* no more */
	WISH_PACT,    /* leave the next ward_terminated unhandled */
	WISH_DECIDE,  /* about the failures that were put off */
	WISHES
};

struct ping {
	uint64_t number;
	uint32_t wish;
	uint32_t hops; /* how often it may be relayed */
};
WARD_MESSAGE_FLAT(ping);
/* For ward_system_ask(): whether somebody answers at all. */
struct hail {
	uint64_t value;
};
WARD_MESSAGE(hail);
WARD_REPLY(hail, hail);

/* Depth, width and odds are drawn by the gardener, from the seed of the system. It is calm. */
struct hierarchy *hierarchy_create(void);
void hierarchy_destroy(struct hierarchy *hierarchy);
/* Props of the gardener. Borrows the hierarchy, for the life of the system. */
ward_props hierarchy_props(struct hierarchy *hierarchy);
/* Whether the gardener is there. Threads: any. */
bool hierarchy_is_planted(struct hierarchy *hierarchy);
/* One act from outside, drawn with these dice: a ping, a stop, a kill, a pill. */
void hierarchy_act(struct hierarchy *hierarchy, ward_system *system, uint64_t dice);
/* A generator: the next number. */
uint64_t hierarchy_draw(uint64_t *dice);
/* Notes a ref that was handed out. Threads: any, as the next two. */
void hierarchy_remember(struct hierarchy *hierarchy, ward_ref ref);
/* One of those: mostly one who is alive, but not always. */
ward_ref hierarchy_anybody(struct hierarchy *hierarchy, ward_system *system, uint64_t dice);
/* One ping, one fate: `handled` or `dead`. */
void hierarchy_fate(struct hierarchy *hierarchy, uint64_t number, _Atomic uint64_t *of_these);
/* For ward_simulation_observe(): feeds the model. */
ward_simulation_observer hierarchy_observer(struct hierarchy *hierarchy);
/* A ping from outside. */
void hierarchy_ping(struct hierarchy *hierarchy, ward_system *system, ward_ref to, enum wish wish);
/* Options.log: tells the model, and counts dead pings. */
void hierarchy_log(void *arg, const ward_event *event);

#endif
