/* SPDX-License-Identifier: MIT
 *
 * ward/testkit/filter.h - exactly the given number of events of a kind within a block.
 *
 *	ward_expect_events(kit, 2, .kinds = WARD_EVENT_FAILURE, .path = "sim/user/bank")
 *	{
 *		ward_system_tell(system, bank, break_down);
 *		ward_system_tell(system, bank, break_down);
 *	}
 *
 * The block runs; then the kit moves until it has seen that many, or the time is over; then until
 * nobody has anything to do. One too few or one too many fails the test, with what was seen.
 */
#ifndef WARD_TESTKIT_FILTER_H
#define WARD_TESTKIT_FILTER_H

#include <ward/testkit/kit.h>

WARD_BEGIN

/** Which events count. Zero fields let everything through. */
typedef struct ward_filter {
	uint32_t kinds;   /* mask of WARD_EVENT_...; all */
	const char *path; /* glob for the path; "*" also matches slashes */
	const char *text; /* glob for the line that ward_event_format() makes of it */
	ward_level level; /* at least this bad; all */
	const ward_failure_class *failure_class; /* the failure is of this class, or one below it */
	const char *class_name;                  /* the failure is of the class of this name */
	ward_actor_state old_state; /* of the change of state; a restart is RESTARTING to RUNNING */
	ward_actor_state new_state;
	const char *message_type; /* of the message */
	ward_directive directive; /* of the decision */
	ward_reason reason;       /* of the dead letter */
	int64_t within_ms;        /* how long to wait for the last; 3 seconds */
} ward_filter;

/** A block under way. The fields are the macro's. */
typedef struct ward_filter_block {
	ward_kit *kit;
	ward_filter filter;
	size_t wanted;
	uint64_t begin; /* the number of the first event that counts */
	bool over;
	const char *file;
	int line;
} ward_filter_block;

/** Returns how many of the kit's events so far pass. */
WARD_API size_t ward_filter_count(const ward_kit *kit, const ward_filter *filter);

/** Begins a block. For the macro. */
WARD_API ward_filter_block ward_filter_begin(ward_kit *kit, size_t wanted, ward_filter filter,
					     const char *file, int line);

/** Ends a block: moves, counts, fails the test if the number is another. For the macro. */
WARD_API void ward_filter_end(ward_filter_block *block);

WARD_END

/** ward_expect_events(kit, 1, .old_state = WARD_STATE_RESTARTING,
 *  .new_state = WARD_STATE_RUNNING) { ... }: exactly one restart. With 0 none may come, also not
 *  within within_ms where that is set. Do not leave the block by break or return: the events are
 *  not counted then. */
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
