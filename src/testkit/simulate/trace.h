/* SPDX-License-Identifier: MIT
 *
 * trace.h - what happens in a run: as a hash, and as a record where one is wanted. Single-threaded.
 *
 * The hash is of each turn, callback, spawn and send, with its time, its actors, the name of its
 * message and the size of that; of each fault; of each event; and of what the test notes. Addresses
 * are not in it, nor is real time: runs that are equal have equal hashes.
 */
#ifndef WARDI_TESTKIT_TRACE_H
#define WARDI_TESTKIT_TRACE_H

#include <stdio.h>

#include <ward/testkit/simulate.h>

#include "testkit/kit/names.h"

/* What an entry is about. */
enum wardi_trace_what {
	WARDI_TRACE_POINT, /* it is over */
	WARDI_TRACE_FAULT, /* it is about to go wrong */
	WARDI_TRACE_EVENT,
	WARDI_TRACE_NOTE /* of the test */
};

struct wardi_trace_entry {
	int64_t now_ns;
	uint64_t who;
	uint64_t to;
	uint64_t hash;    /* of all that happened up to here */
	const char *name; /* of the message's type, or of the fault; NULL: none */
	char *line;       /* of an event; else NULL */
	uint64_t step;    /* the turn that it belongs to, from 1 */
	uint8_t what;     /* enum wardi_trace_what */
	uint8_t point;    /* ward_point */
	bool failed;
};

struct wardi_trace {
	uint64_t hash;
	uint64_t step;
	bool recording;
	struct wardi_names *names; /* of the run */
	struct wardi_trace_entry *entries;
	size_t count;
	size_t room;
	/* Hashes of names that came lately, by their address. */
	struct {
		const char *name;
		uint64_t hash;
	} lately[64];
};

void wardi_trace_init(struct wardi_trace *trace, struct wardi_names *names, bool recording);
void wardi_trace_finish(struct wardi_trace *trace);

/* The entry of what has only begun; it is not recorded. */
struct wardi_trace_entry wardi_trace_begun(struct wardi_trace *trace, ward_system *system,
					   const ward_occasion *occasion);
/* Each gives the entry if one was made, else NULL. Good until the next one is made. */
const struct wardi_trace_entry *wardi_trace_done(struct wardi_trace *trace, ward_system *system,
						 const ward_occasion *occasion);
const struct wardi_trace_entry *wardi_trace_fault(struct wardi_trace *trace, ward_system *system,
						  const ward_occasion *occasion, const char *name);
const struct wardi_trace_entry *wardi_trace_event(struct wardi_trace *trace, int64_t now_ns,
						  const ward_event *event);
void wardi_trace_note(struct wardi_trace *trace, int64_t now_ns, uint64_t value);

/* The number of the first entry in which the two differ; the shorter one's count if that is its
 * end. */
size_t wardi_trace_differ(const struct wardi_trace *a, const struct wardi_trace *b);
/* Writes entry `at` as text, "receive of sim/user/a: ping at 20 ms"; "the end" behind the last. */
void wardi_trace_text(const struct wardi_trace *trace, size_t at, char *text, size_t max);
void wardi_trace_entry_text(const struct wardi_trace_entry *entry, const struct wardi_names *names,
			    char *text, size_t max);

#endif
