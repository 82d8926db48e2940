/* SPDX-License-Identifier: MIT
 *
 * neighbours.h - three systems over a loop, their actors, and the books in which all is noted.
 */
#ifndef NEIGHBOURS_H
#define NEIGHBOURS_H

#include <ward/association.h>
#include <ward/codec.h>
#include <ward/guests.h>
#include <ward/testkit.h>
#include <ward/testkit/neighbours.h>
#include <ward/ward.h>

enum {
	NODES = 3,
	LIVES_MAX = 1500, /* of actors, in a run */
	PEERS = 3,        /* actors of a node at a time */
	LOST_AFTER_MS = 400,
	RETURNS_MAX = 8, /* incarnations of a node */
	FAMILIES = NODES * RETURNS_MAX,
	PLACES_MAX = 4096 /* of connections, in a run by bytes */
};

/* What one actor has open with another one. */
struct bond {
	uint64_t sent, received; /* numbers of messages */
	bool watched, linked;
	/* The other one has called ward_link(), which may be on its way or lost: one exit may come,
	 * of a connection with at least this number, 1 within a node; 0: none. */
	uint64_t may_end;
	bool unsure; /* `linked`, and the other one has unlinked: it may be over */
	uint32_t watched_at, linked_at; /* the place of the ref by which it did so */
};

/* By bytes: whose refs have this place, as one node knows them. */
struct place {
	uint32_t place;
	int node;
	uint32_t incarnation;
};

/* The life of an actor of the test, by its number. */
struct life {
	ward_ref ref; /* within its system; by value everywhere */
	int node;
	uint32_t incarnation; /* of the node */
	bool ended;
	uint32_t questions; /* that are open */
};

struct node {
	const char *name;
	ward_kit *kit;
	uint32_t incarnation;
	bool gone;
};

struct books {
	ward_kit *kit; /* of the first node, which does not crash */
	ward_loop *loop;
	struct node nodes[NODES];
	bool by_bytes;
	int places_count;
	struct place places[PLACES_MAX];
	bool quiet; /* nobody begins anything */
	int lives_count;
	struct life lives[LIVES_MAX];
	uint64_t told, watches, notices, links, exits, questions, answers, unanswered;
	char wrong[200]; /* "": nothing is */
};

extern struct books books;

/* Bonds are a table that is too large for the books. */
struct bond *bond(int from, int to);

/* Notes what is wrong; the first counts. */
__attribute__((format(printf, 1, 2))) void wrong(const char *format, ...);

/* Whether an actor of this life may do and notice things: its node has not crashed. */
bool is_of_a_node(int life);

/* Returns the ref by which a node knows the actor of this life; nobody: they are not connected. */
ward_ref ref_at(int node, int life);

/* Returns the number of the actor, whose ref this is on that node, or -1. */
int life_of(int node, ward_ref ref);

/* Notes whose refs have the places of that node's connections. */
void note_places(int node);

/* Returns the node whose system this is; -1: one that has crashed. */
int node_of_system(const ward_system *system);

/* The far child of a node's parent, for each incarnation of the node. */
struct far_family {
	int alive[NODES]; /* guests, by the node where they run */
	bool failed;      /* the guest has failed, and nobody has decided */
	uint64_t starts, jobs, failures, unreached;
	ward_ref parent;
	uint64_t jobs_before; /* when it was given the last one */
};
extern struct far_family far_families[FAMILIES];

/* What each node takes from the others. */
extern const ward_kind far_kinds[];

/* Starts the parent of a node, whose child lives on the next one. */
void populate_far(int node);

/* Sends each child a last job, and reports those that were not done. */
void last_jobs(void);
void check_last_jobs(void);

/* Starts what each node has: PEERS actors, replaced when they end. */
void populate(int node);

#endif
