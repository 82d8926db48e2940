/* SPDX-License-Identifier: MIT
 *
 * remote_args.h - the arguments of a stand-in, and what it keeps over its restarts.
 */
#ifndef WARDI_REMOTE_ARGS_H
#define WARDI_REMOTE_ARGS_H

#include <ward/guests.h>
#include <ward/remote.h>

enum wardi_remote_phase {
	WARDI_REMOTE_IDLE,     /* no guest, none is asked for */
	WARDI_REMOTE_STARTING, /* one was asked for */
	WARDI_REMOTE_RUNNING,
	WARDI_REMOTE_LOST /* it may still run: waits until it has stopped itself */
};

/* Belongs to the stand-in alone. The clone of its arguments makes it, so what is kept here outlives
 * its restarts, and needs no memory later. */
struct wardi_stand_in {
	size_t nodes_count;
	uint32_t next, tried; /* the node to ask next; how many of them since the last guest */
	uint32_t refused;     /* of the tried ones */
	enum wardi_remote_phase phase;
	uint64_t life;  /* drawn at the first start: its ref differs with each connection */
	uint64_t token; /* of the last start */
	ward_ref guests;
	/* With the guest, while it runs. `until`: the latest host that was told to make one. */
	struct ward_stand_in link;
	bool is_asked;    /* `guests` for a guest, without an answer so far */
	bool is_lost;     /* and to fail for it, when the wait is over */
	int64_t grace_ms; /* of the node that was asked last */
	int64_t until_ns; /* a lost guest may run until then; 0: there is none */
	char why[256];    /* why there is no guest */
};

extern const ward_type wardi_type_remote;

#endif
