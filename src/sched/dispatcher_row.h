/* SPDX-License-Identifier: MIT
 *
 * dispatcher_row.h - a row of options.dispatchers: checked, with its defaults filled in.
 */
#ifndef WARDI_DISPATCHER_ROW_H
#define WARDI_DISPATCHER_ROW_H

#include <stdint.h>

#include <ward/dispatcher.h>

#include "sched/thread_settings.h"

enum { WARDI_WORKERS_MAX = 1024, WARDI_POOL_THREADS_MAX = 4096, WARDI_DISPATCHER_NAME_MAX = 64 };

enum wardi_dispatcher_kind {
	WARDI_DISPATCHER_DEFAULT,
	WARDI_DISPATCHER_POOL,
	WARDI_DISPATCHER_PINNED
};

/* What a row says, in the scheduler's units. */
struct wardi_dispatcher_settings {
	uint32_t threads_max;  /* a row read without a number: 0 */
	uint32_t threads_min;  /* pools: that stay */
	int64_t keep_alive_ns; /* pools: INT64_MAX: they stay */
	uint32_t throughput;   /* 0: the default */
	int64_t deadline_ns;   /* of a turn; 0: none */
	bool paced;            /* the deadline is the library's own: about then is enough */
	struct wardi_thread_settings thread;
};

/* Returns the kind of dispatcher with this name. */
enum wardi_dispatcher_kind wardi_dispatcher_kind_of(const char *name);

/* Reads a row. Errors: those of ward_dispatcher_check(), with a text without the name. */
ward_err wardi_dispatcher_row_read(const ward_dispatcher *row,
				   struct wardi_dispatcher_settings *ret_settings);

#endif
