/* SPDX-License-Identifier: MIT
 *
 * ward/testkit/filter.h - checks that a block causes exactly the given number of events of a kind.
 *
 *	ward_expect_events(kit, 2, .kinds = WARD_EVENT_FAILURE, .path = "sim/user/bank")
 *	{
 *		ward_system_tell(system, bank, break_down);
 *		ward_system_tell(system, bank, break_down);
 *	}
 *
 * The block runs; then the kit moves until it has seen that many events, or the time is up; then
 * until no actor has anything to do. One event too few or too many fails the test, with a list of
 * those that were seen.
 */
#ifndef WARD_TESTKIT_FILTER_H
#define WARD_TESTKIT_FILTER_H

#include <ward/testkit/kit.h>

WARD_BEGIN

/** Selects events. Fields of zero select all. */
typedef struct ward_filter {
	uint32_t kinds;                          /* mask of WARD_EVENT_...; 0: all */
	const char *path;                        /* glob for the path; "*" also matches slashes */
	const char *text;                        /* glob for the line of ward_event_format() */
	ward_level level;                        /* at least this severe; 0: all */
	const ward_failure_class *failure_class; /* the failure has this class, or one below it */
	const char *class_name;                  /* the failure's class has this name */
	/** Of a change of state; a restart is from RESTARTING to RUNNING. */
	ward_actor_state old_state;
	ward_actor_state new_state;
	const char *message_type; /* of the message */
	ward_directive directive; /* of the decision; a restart that the limit denies is RESTART */
	ward_reason reason;       /* of the dead letter */
	/** How long to wait for the last event, by the clock of the kit; default: 3 seconds. What
	 *  an actor does that has something to do by then counts, too. */
	int64_t within_ms;
} ward_filter;

/** A running block. Its fields are private to the macro. */
typedef struct ward_filter_block {
	ward_kit *kit;
	ward_filter filter;
	size_t wanted;
	uint64_t begin; /* the number of the first event that counts */
	bool over;
	const char *file;
	int line;
} ward_filter_block;

/** Returns the number of the kit's events so far that the filter selects. */
WARD_API size_t ward_filter_count(const ward_kit *kit, const ward_filter *filter);

/** Begins a block; for the macro ward_expect_events(). */
WARD_API ward_filter_block ward_filter_begin(ward_kit *kit, size_t wanted, ward_filter filter,
					     const char *file, int line);

/** Ends a block: moves, counts, and fails the test if the number differs; for the macro
 *  ward_expect_events(). */
WARD_API void ward_filter_end(ward_filter_block *block);

WARD_END

/** Runs a block, and checks the number of events: `ward_expect_events(kit, 1, .old_state =
 *  WARD_STATE_RESTARTING, .new_state = WARD_STATE_RUNNING) { ... }` for exactly one restart. With 0
 *  no such event may come in the block; if within_ms is set, nor within that time. Do not leave the
 *  block by break or return: the events are not counted then. */
#define ward_expect_events(kit, wanted, ...)                                                       \
	for (ward_filter_block ward_block_ = ward_filter_begin(                                    \
		     (kit), (wanted), WARD_FILTER_(__VA_ARGS__), __FILE__, __LINE__);              \
	     !ward_block_.over; ward_filter_end(&ward_block_))
#ifdef __cplusplus
#define WARD_FILTER_(...)                                                                          \
	ward_filter                                                                                \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}
#else
#define WARD_FILTER_(...) ((ward_filter){__VA_ARGS__})
#endif
#endif
