/* SPDX-License-Identifier: MIT
 *
 * kit.h - what a kit is made of, for the other parts of the testkit.
 */
#ifndef WARDI_TESTKIT_KIT_H
#define WARDI_TESTKIT_KIT_H

#include <ward/testkit/kit.h>

#include "testkit/kit/allocator.h"
#include "testkit/kit/events.h"

struct wardi_kit_end;
struct wardi_kit_excuse;
struct wardi_far;

/* Where a call of the test stands. */
struct wardi_location {
	const char *file;
	int line;
};

struct ward_kit {
	/* frozen once it has started */
	ward_system *system;
	bool real_threads;
	bool may_leave_mail;
	struct wardi_far *far; /* its children live elsewhere: far.h; or NULL */
	int64_t patience_ms;
	uint64_t seed;
	struct wardi_location started;
	/* with a lock of their own, or atomic */
	struct wardi_kit_memory memory;
	struct wardi_kit_events events;
	/* the thread that started it */
	struct wardi_location place; /* of the test's current call */
	struct wardi_kit_end *ends;  /* last registered first */
	struct wardi_kit_excuse *excuses;
	char complaint[1024]; /* the first fault found at the end; "": none */
	const char *node;     /* its name in a loop that has not been finished; or NULL */
	bool told; /* a probe has already failed the test: no complaint about what is left */
	void (*on_cut)(void *arg); /* releases what the test holds up; or NULL */
	void *on_cut_arg;
	/* under the lock of living_kits.c */
	ward_kit *next_living;
	bool shown; /* the system may be looked at */
};

/* Whether it is the second system of another kit, which ends it: far.h. */
static inline bool wardi_kit_is_second(const ward_kit *kit)
{
	return kit->memory.leader != NULL;
}

/* Has ward_kit_finish() call fn(arg) after the tree has ended and before it looks for leaks. The
 * last function registered is called first. */
void wardi_kit_at_end(ward_kit *kit, void (*fn)(void *arg), void *arg);

/* Has the test fail with this text once the kit has been freed. The first complaint counts. */
__attribute__((format(printf, 2, 3))) void wardi_kit_complain(ward_kit *kit, const char *format,
							      ...);

/* Allows the actor to be suspended at the end: the test knows of its failure. */
void wardi_kit_excuse(ward_kit *kit, ward_ref who);

/* Notes the test's line, which failures name. Every call that may fail begins with it. */
static inline void wardi_kit_at(ward_kit *kit, const char *file, int line)
{
	kit->place = (struct wardi_location){file, line};
}

/* Each prints the tree and fails the test: at the call under way, or at that place. */
__attribute__((noreturn, format(printf, 2, 3))) void wardi_kit_fail(const ward_kit *kit,
								    const char *format, ...);
__attribute__((noreturn, format(printf, 3, 4))) void
wardi_kit_fail_at(const ward_kit *kit, struct wardi_location place, const char *format, ...);

/* ward_kit_spawn(), ward_kit_run() and ward_kit_run_until() on behalf of the call under way. */
ward_ref wardi_kit_spawn(ward_kit *kit, const ward_props *props);

#endif
