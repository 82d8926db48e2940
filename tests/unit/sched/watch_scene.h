/* SPDX-License-Identifier: MIT
 *
 * watch_scene.h - the table of watched descriptors, an epoll set of its own, and a count of calls.
 */
#ifndef WATCH_SCENE_H
#define WATCH_SCENE_H

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ward/fd.h>
#include <ward/testkit.h>

#include "base/error.h"
#include "sched/watches.h"

static int calls;
static void (*during_call)(void); /* as another thread, when the kernel has done it */

/* Instead of the C library's. */
int epoll_ctl(int epoll_fd, int op, int fd, struct epoll_event *event)
{
	int rc = (int)syscall(SYS_epoll_ctl, epoll_fd, op, fd, event);
	int error = errno;

	calls++;
	if (rc == 0 && during_call != NULL)
		during_call();
	errno = error;
	return rc;
}

enum { EVENTS_MAX = 8, OWNERS = 3 };

struct scene {
	struct wardi_alloc alloc;
	struct wardi_watches watches;
	struct wardi_watch_list lists[OWNERS];
	int ends[2], other_ends[2], wake_ends[2];
	struct epoll_event events[EVENTS_MAX];
	int count;
	struct wardi_notice notice;
};

static inline void start(struct scene *scene)
{
	memset(scene, 0, sizeof *scene);
	wardi_alloc_init(&scene->alloc, NULL, false);
	wardi_watches_init(&scene->watches, epoll_create1(EPOLL_CLOEXEC));
	ward_assert_eq(pipe2(scene->ends, O_CLOEXEC | O_NONBLOCK), 0);
	ward_assert_eq(pipe2(scene->other_ends, O_CLOEXEC | O_NONBLOCK), 0);
	ward_assert_eq(pipe2(scene->wake_ends, O_CLOEXEC | O_NONBLOCK), 0);
	calls = 0;
}

static inline void close_both(int ends[2])
{
	close(ends[0]);
	close(ends[1]);
}

static inline void finish(struct scene *scene)
{
	close_both(scene->ends);
	close_both(scene->other_ends);
	close_both(scene->wake_ends);
	close(scene->watches.epoll_fd);
	wardi_watches_finish(&scene->watches, &scene->alloc);
	ward_assert_eq(scene->alloc.blocks, 0);
}

/* Its token is the owner. */
static inline struct wardi_watch_request request_of(struct scene *scene, int fd, uint64_t owner)
{
	return (struct wardi_watch_request){.fd = fd,
					    .events = WARD_FD_READ,
					    .owner = owner,
					    .list = &scene->lists[owner],
					    .token = &scene->lists[owner],
					    .standing = true};
}

static inline ward_err arm(struct scene *scene, int fd, uint64_t owner, bool standing)
{
	struct wardi_watch_request request = request_of(scene, fd, owner);
	void *replaced;

	request.standing = standing;
	return wardi_watch_arm(&scene->watches, &scene->alloc, &request, &replaced);
}

static inline bool rearm(struct scene *scene, int fd, uint64_t owner)
{
	struct wardi_watch_request request = request_of(scene, fd, owner);

	return wardi_watch_rearm(&scene->watches, &request);
}

static inline void say(int ends[2])
{
	ward_assert_eq(write(ends[1], "x", 1), 1);
}

static inline void hear(int ends[2])
{
	char byte;

	ward_assert_eq(read(ends[0], &byte, 1), 1);
}

/* The first half of a look. */
static inline void ask_kernel(struct scene *scene)
{
	atomic_fetch_add_explicit(&scene->watches.looks, 1, memory_order_seq_cst);
	scene->count = epoll_wait(scene->watches.epoll_fd, scene->events, EVENTS_MAX, 0);
	ward_assert(scene->count >= 0);
}

/* The second half, of the one event that the first has got. */
static inline enum wardi_found make_of_it(struct scene *scene)
{
	ward_assert_eq(scene->count, 1);
	return wardi_watch_found(&scene->watches, scene->events[0].data.u64,
				 scene->events[0].events, &scene->notice);
}

static inline enum wardi_found look(struct scene *scene)
{
	ask_kernel(scene);
	return make_of_it(scene);
}

static inline bool handle(struct scene *scene)
{
	return wardi_watch_handled(&scene->watches, scene->notice.fd, scene->notice.id,
				   scene->notice.owner);
}

static inline bool silence(struct scene *scene)
{
	return wardi_watch_silence(&scene->watches, scene->notice.fd, scene->notice.id, true);
}

#endif
