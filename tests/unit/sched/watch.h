/* SPDX-License-Identifier: MIT
 *
 * watch.h - watches a descriptor as an actor does, for the tests of this folder.
 */
#ifndef WATCH_H
#define WATCH_H

#include <ward/fd.h>

#include "sched/poller.h"

struct watch_options {
	struct wardi_watch_list *list; /* all zero at first */
	bool standing;
	bool again; /* without a call */
};

/* The owner is the key; its notice has the key as its token, too. */
static inline ward_err watch_as(struct wardi_sched *sched, int fd, uint32_t events, uint64_t key,
				struct watch_options options)
{
	struct wardi_watch_request request = {.fd = fd,
					      .events = events,
					      .owner = key,
					      .list = options.list,
					      .token = (void *)(uintptr_t)key,
					      .standing = options.standing};
	void *replaced;

	if (options.again)
		return wardi_poller_rearm(sched, &request) ? WARD_OK : WARD_ENOENT;
	return wardi_poller_watch(sched, &request, &replaced);
}

#endif
