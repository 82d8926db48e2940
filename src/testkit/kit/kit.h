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
	int64_t patience_ms;
	uint64_t seed;
	struct wardi_location started;
	/* own lock, or atomic */
	struct wardi_kit_memory memory;
	struct wardi_kit_events events;
	/* the thread that started it */
	struct wardi_location place; /* of the test's call that is under way */
	struct wardi_kit_end *ends;  /* last registered first */
	struct wardi_kit_excuse *excuses;
	char complaint[1024];      /* what was not right at the end; "": nothing */
	bool told;                 /* a probe has failed the test: not all is as it should be */
	void (*on_cut)(void *arg); /* lets go of what the test holds up; or NULL */
	void *on_cut_arg;
	/* under the lock of living_kits.c */
	ward_kit *next_living;
	bool shown; /* the system may be looked at */
};

/* Has fn(arg) called by ward_kit_finish(), when the tree is down and before it is checked that
 * nothing is left: what stands on a kit goes with it. Last registered, first called. */
void wardi_kit_at_end(ward_kit *kit, void (*fn)(void *arg), void *arg);

/* For the end of a kit: the test is to fail with this, when nothing of the kit is left. The first
 * complaint counts. */
__attribute__((format(printf, 2, 3))) void wardi_kit_complain(ward_kit *kit, const char *format,
							      ...);

/* The test knows that this one has failed: it may be left so at the end. */
void wardi_kit_excuse(ward_kit *kit, ward_ref who);

/* Each call that may fail begins with this: failures of the kit name the line of the test. */
static inline void wardi_kit_at(ward_kit *kit, const char *file, int line)
{
	kit->place = (struct wardi_location){file, line};
}

/* Fails the test, after it has shown the tree. */
__attribute__((noreturn, format(printf, 2, 3))) void wardi_kit_fail(const ward_kit *kit,
								    const char *format, ...);

/* ward_kit_spawn(), ward_kit_run() and ward_kit_run_until() on behalf of the call under way. */
ward_ref wardi_kit_spawn(ward_kit *kit, const ward_props *props);

#endif
