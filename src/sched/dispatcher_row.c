/* SPDX-License-Identifier: MIT
 *
 * dispatcher_row.c - a row of options.dispatchers: checked, with its defaults filled in.
 *
 * Threads: knows nothing but its arguments.
 */
#include "sched/dispatcher_row.h"

#include <string.h>

#include "base/error.h"

#define RESERVED "ward."

enum { KEEP_ALIVE_MS = 60 * 1000 };

static const int64_t ns_per_ms = 1000 * 1000;

enum wardi_dispatcher_kind wardi_dispatcher_kind_of(const char *name)
{
	if (strcmp(name, WARD_WORKERS) == 0)
		return WARDI_DISPATCHER_DEFAULT;
	return strcmp(name, WARD_PINNED) == 0 ? WARDI_DISPATCHER_PINNED : WARDI_DISPATCHER_POOL;
}

static ward_err check_name(const char *name)
{
	if (name == NULL || name[0] == '\0' || strlen(name) > WARDI_DISPATCHER_NAME_MAX)
		return wardi_error(WARD_EINVAL, "the name of a dispatcher has 1 to %d bytes",
				   WARDI_DISPATCHER_NAME_MAX);
	if (strncmp(name, RESERVED, strlen(RESERVED)) == 0 && strcmp(name, WARD_WORKERS) != 0 &&
	    strcmp(name, WARD_BLOCKING) != 0 && strcmp(name, WARD_PINNED) != 0)
		return wardi_error(WARD_EEXIST,
				   "names in \"" RESERVED "\" are the library's: " WARD_WORKERS
				   ", " WARD_BLOCKING ", " WARD_PINNED);
	return WARD_OK;
}

static ward_err check_threads(const ward_dispatcher *row, enum wardi_dispatcher_kind kind)
{
	uint32_t max =
		kind == WARDI_DISPATCHER_DEFAULT ? WARDI_WORKERS_MAX : WARDI_POOL_THREADS_MAX;

	if (kind == WARDI_DISPATCHER_PINNED && row->threads != 0)
		return wardi_error(WARD_EINVAL,
				   "has %u threads, but each pinned actor has a thread of its own",
				   row->threads);
	if (kind == WARDI_DISPATCHER_POOL && strcmp(row->name, WARD_BLOCKING) != 0 &&
	    row->threads == 0)
		return wardi_error(WARD_EINVAL, "has no threads, must be from 1 to %u", max);
	if (row->threads > max)
		return wardi_error(WARD_EINVAL, "has %u threads, must be from 1 to %u",
				   row->threads, max);
	if (kind != WARDI_DISPATCHER_POOL && (row->threads_min != 0 || row->keep_alive_ms != 0))
		return wardi_error(WARD_EINVAL, "a minimum of threads and a keep-alive time are "
						"for pools, whose threads end when they are idle");
	if (row->threads_min > max || (row->threads != 0 && row->threads_min > row->threads))
		return wardi_error(WARD_EINVAL,
				   "the minimum of %u threads is above the maximum of %u",
				   row->threads_min, row->threads != 0 ? row->threads : max);
	return WARD_OK;
}

static ward_err check_times(const ward_dispatcher *row)
{
	if (row->keep_alive_ms < 0)
		return wardi_error(WARD_EINVAL,
				   "the keep-alive time is %lld ms: it cannot be below 0",
				   (long long)row->keep_alive_ms);
	if (row->throughput_deadline_ms < 0)
		return wardi_error(WARD_EINVAL,
				   "the throughput deadline is %lld ms: it cannot be below 0",
				   (long long)row->throughput_deadline_ms);
	return WARD_OK;
}

/* Returns milliseconds as nanoseconds, at most INT64_MAX. */
static int64_t to_ns(int64_t ms)
{
	return ms > INT64_MAX / ns_per_ms ? INT64_MAX : ms * ns_per_ms;
}

ward_err wardi_dispatcher_row_read(const ward_dispatcher *row,
				   struct wardi_dispatcher_settings *ret_settings)
{
	ward_err err = check_name(row->name);

	if (err == WARD_OK)
		err = check_threads(row, wardi_dispatcher_kind_of(row->name));
	if (err == WARD_OK)
		err = check_times(row);
	if (err == WARD_OK && !WARDI_ALL_ZERO(row->reserved))
		err = wardi_error(WARD_EINVAL, "a reserved word is not zero");
	if (err == WARD_OK)
		err = wardi_thread_settings_read(row, &ret_settings->thread);
	if (err != WARD_OK)
		return err;
	ret_settings->threads_max = row->threads;
	ret_settings->threads_min = row->threads_min != 0 ? row->threads_min : 1;
	ret_settings->keep_alive_ns =
		to_ns(row->keep_alive_ms != 0 ? row->keep_alive_ms : KEEP_ALIVE_MS);
	ret_settings->throughput = row->throughput;
	ret_settings->paced = false;
	ret_settings->deadline_ns = to_ns(row->throughput_deadline_ms);
	/* Centuries are no deadline, and a time could not hold their end. */
	if (ret_settings->deadline_ns > INT64_MAX / 2)
		ret_settings->deadline_ns = 0;
	return WARD_OK;
}

ward_err ward_dispatcher_check(const ward_dispatcher *dispatcher)
{
	struct wardi_dispatcher_settings settings;

	if (dispatcher == NULL)
		return wardi_error(WARD_EINVAL, "ward_dispatcher_check: no dispatcher");
	return wardi_dispatcher_row_read(dispatcher, &settings);
}
