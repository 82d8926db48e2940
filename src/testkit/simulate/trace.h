/* SPDX-License-Identifier: MIT
 *
 * trace.h - the trace of a run: a hash and, on request, a record. Single-threaded.
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

/* The kind of an entry. */
enum wardi_trace_what {
	WARDI_TRACE_POINT, /* the point is over */
	WARDI_TRACE_FAULT, /* the point is about to fail */
	WARDI_TRACE_EVENT,
	WARDI_TRACE_NOTE /* a note of the test */
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
	struct wardi_names *names; /* the actors of the run */
	struct wardi_trace_entry *entries;
	size_t count;
	size_t room;
	/* Hashes of recent names, by address. */
	struct {
		const char *name;
		uint64_t hash;
	} lately[64];
};

void wardi_trace_init(struct wardi_trace *trace, struct wardi_names *names, bool recording);
void wardi_trace_finish(struct wardi_trace *trace);

/* Returns the entry of a point that has begun, without recording it. */
struct wardi_trace_entry wardi_trace_begun(struct wardi_trace *trace, ward_system *system,
					   const ward_occasion *occasion);
/* Each returns the new entry, valid until the next one is made, or NULL if none was made. */
const struct wardi_trace_entry *wardi_trace_done(struct wardi_trace *trace, ward_system *system,
						 const ward_occasion *occasion);
const struct wardi_trace_entry *wardi_trace_fault(struct wardi_trace *trace, ward_system *system,
						  const ward_occasion *occasion, const char *name);
const struct wardi_trace_entry *wardi_trace_event(struct wardi_trace *trace, int64_t now_ns,
						  const ward_event *event);
void wardi_trace_note(struct wardi_trace *trace, int64_t now_ns, uint64_t value);

/* Returns the number of the first entry that differs; the count of the shorter trace if it is a
 * prefix. */
size_t wardi_trace_differ(const struct wardi_trace *a, const struct wardi_trace *b);
/* Writes entry `at` as text, "receive of sim/user/a: ping at 20 ms"; "the end" after the last. */
void wardi_trace_text(const struct wardi_trace *trace, size_t at, char *text, size_t max);
void wardi_trace_entry_text(const struct wardi_trace_entry *entry, const struct wardi_names *names,
			    char *text, size_t max);

#endif
