/* SPDX-License-Identifier: MIT
 *
 * parts.h - what a loop is made of: nodes, pairs of nodes, and the two ends of each pair.
 *
 *	node -- end ==== pair ==== end -- node		keeper and line: actors of the node's system
 *
 * A connection has a life, a number that is higher for each later one of the loop. The end that is
 * named first in ward_loop_connect() asks for it:
 *
 *	first    HELLO life     -->	second closes what it has, and opens its line
 *	         opens its line <--	WELCOME life
 *	         TICK, ECHO, CONTROL <-->
 *	         BYE life       <-->	the sender has no line of that life
 *
 * Threads: all below is under loop->mu, except what is frozen, and the clock and the flags of a
 * simulation, which belong to its thread.
 */
#ifndef WARDI_TESTKIT_LOOP_PARTS_H
#define WARDI_TESTKIT_LOOP_PARTS_H

#include <pthread.h>

#include <ward/testkit/neighbours.h>

#include "testkit/check/chance.h"

/* The kinds of frames. */
enum wardi_frame_kind {
	WARDI_FRAME_HELLO,
	WARDI_FRAME_WELCOME,
	WARDI_FRAME_BYE,
	WARDI_FRAME_TICK,
	WARDI_FRAME_ECHO,
	WARDI_FRAME_BROKEN, /* from the network: the connection was reset */
	WARDI_FRAME_CONTROL /* for the line; all others are for the keeper */
};

/* What a keeper gets of a frame. */
struct wardi_loop_note {
	enum wardi_frame_kind kind;
	uint64_t life;
	uint64_t number; /* TICK, ECHO */
	uint64_t guests; /* HELLO, WELCOME: the sender's */
};
WARD_MESSAGE(wardi_loop_note);

/* A ref in a frame by bytes: the places of a system mean nothing to another one. */
enum wardi_side { WARDI_SIDE_NOBODY, WARDI_SIDE_SENDER, WARDI_SIDE_RECEIVER, WARDI_SIDE_THIRD };
struct wardi_far_ref {
	enum wardi_side side;
	ward_ref_kind kind;
	uint64_t number;
	char node[WARD_NODE_NAME]; /* THIRD */
};

struct wardi_frame {
	struct wardi_frame *next;
	struct wardi_loop_note note;
	int64_t due_ns; /* simulated: by the loop's clock */
	size_t bytes;   /* counted in the window */
	/* of a CONTROL */
	struct ward_outgoing out; /* body and path point into the frame */
	struct wardi_far_ref from, to, stand_in;
	bool encoded; /* the memory is not a body: nothing to drop */
	size_t encoded_size;
	unsigned char *memory; /* from malloc() */
};

struct wardi_queue {
	struct wardi_frame *first, **last;
	size_t bytes;
};

struct wardi_pair;

struct wardi_node {
	struct wardi_node *next;
	char name[WARD_NODE_NAME];
	ward_system *system; /* NULL: crashed */
	ward_loop *loop;
	bool main;
	ward_ref guests;
	/* simulated */
	int64_t base_ns; /* the loop's clock less the system's */
	bool crashing;
	int64_t back_ns; /* INT64_MAX: does not come back by itself */
};

struct wardi_end {
	ward_loop *loop;
	struct wardi_pair *pair;
	struct wardi_node *node;
	bool first;           /* it asks for the connection */
	ward_ref keeper;      /* gets what frames say; nobody: it does not run */
	ward_ref last_keeper; /* the actor, also while it fails or restarts */
	bool open;            /* there is a line with an association */
	uint32_t place;       /* of that association */
	uint64_t life;        /* of the latest one */
	uint64_t peer_guests;
	ward_ref question; /* of the line, which waits for the bell; nobody: it does not */
	bool full;         /* the line has closed its mailbox, since the window is full */
	bool rung;         /* simulated: the bell is to ring */
	/* what comes to this end */
	struct wardi_queue transit; /* simulated: on its way, by due_ns */
	struct wardi_queue inbox;   /* for the line */
	int64_t cut_until_ns;       /* nothing arrives until then */
	int64_t late_until_ns;
	int64_t last_due_ns;
	uint64_t lost_life; /* frames of lives up to this are lost */
	size_t unread; /* bytes for the line that were lost, and fill the window of this life */
};

struct wardi_pair {
	struct wardi_pair *next;
	struct wardi_end ends[2];
};

struct ward_loop {
	/* frozen */
	ward_loop_options options;
	bool spared; /* no shortage of a test strikes what its lines do, no fault its frames */
	/* under mu */
	pthread_mutex_t mu;
	pthread_cond_t changed; /* an end has been opened or closed */
	struct wardi_node *nodes;
	struct wardi_pair *pairs;
	uint64_t lives;
	ward_loop_stats stats;
	/* simulated */
	bool simulated;
	bool moving;
	bool (*urgent)(void *arg, ward_system *system); /* has turns before all others; or NULL */
	void *urgent_arg;
	int64_t now_ns;
	struct wardi_chance chance;
};

/* Whether bodies are written and read. */
static inline bool wardi_loop_writes(const ward_loop *loop)
{
	return loop->options.form != WARD_LOOP_BY_VALUE;
}

/* Whether the place of a node's refs is that of its system. */
static inline bool wardi_loop_same_refs(const ward_loop *loop)
{
	return loop->options.form != WARD_LOOP_BY_BYTES;
}

static inline void wardi_loop_lock(ward_loop *loop)
{
	pthread_mutex_lock(&loop->mu);
}

static inline void wardi_loop_unlock(ward_loop *loop)
{
	pthread_mutex_unlock(&loop->mu);
}

static inline struct wardi_end *wardi_loop_peer(struct wardi_end *end)
{
	return &end->pair->ends[end == &end->pair->ends[0]];
}

#endif
