/* SPDX-License-Identifier: MIT
 *
 * accept.c - from a readiness of a listening socket to a child with a connection.
 */
#include "net/listener/accept.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/listener/unstarted.h"
#include "net/sim/wire.h"
#include "net/stream/child.h"
#include "net/stream/wired.h"

enum { BATCH = 64, PAUSE_MS = 100 };

static void pause_it(ward_self *self, struct wardi_listener *me, const char *why)
{
	if (!me->paused) {
		me->pauses++;
		ward_note(self, WARD_LEVEL_WARNING,
			  "%s: accepts no more for now: %s, %u connections", me->addresses, why,
			  wardi_listener_connections(me));
	}
	me->paused = true;
}

/* Tries again when a child has ended; also after some time where others may make room: with a
 * connection that was given to them, a descriptor, or memory. One of the two is enough: it has no
 * memory now, perhaps. */
static void wait_for_room(ward_self *self, const struct wardi_listener *me, bool at_limit)
{
	ward_timer retry = {.key = (uint64_t)(uintptr_t)me, .after_ms = PAUSE_MS};
	size_t children = ward_children(self, NULL, 0);
	bool waits = children > 0 && ward_try_children_notify(self, (uint32_t)children) == WARD_OK;
	ward_err err;

	if (at_limit && waits && wardi_tally_read(&me->tally->away) == 0)
		return;
	err = ward_try_timer_start(self, &retry, &wardi_type_listener_retry, NULL, 0);
	if (!waits)
		(void)ward_noted_(self, err);
}

static void go_on(ward_self *self, struct wardi_listener *me,
		  const struct wardi_listening_socket *at)
{
	ward_err err = ward_try_fd_watch(self, at->fd, WARD_FD_READ);

	if (err == WARD_ENOMEM) {
		pause_it(self, me, ward_err_detail());
		wait_for_room(self, me, false);
		return;
	}
	if (me->paused)
		ward_note(self, WARD_LEVEL_INFO, "%s: accepts again", me->addresses);
	me->paused = false;
	(void)ward_noted_(self, err);
}

static bool at_limit(const struct wardi_listener *me)
{
	return me->args->connections_max != 0 &&
	       wardi_listener_connections(me) >= me->args->connections_max;
}

/* Whether the error is about one connection only: others may be waiting. */
static bool is_of_peer(int error)
{
	static const int errors[] = {EINTR,       ECONNABORTED, EPROTO,    ENETDOWN,
				     ENOPROTOOPT, EHOSTDOWN,    ENONET,    EHOSTUNREACH,
				     EOPNOTSUPP,  ENETUNREACH,  ETIMEDOUT, EPERM};

	for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
		if (error == errors[i])
			return true;
	return false;
}

/* Makes the child of the connection that was accepted last. */
static ward_err serve(ward_self *self, struct wardi_listener *me)
{
	ward_err err =
		wardi_child_spawn(self, &me->args->child, me->accepting, me->args->stream, NULL);

	if (err != WARD_OK)
		return err;
	me->accepting = NULL;
	me->accepted++;
	return WARD_OK;
}

static int take_simulated(struct wardi_listener *me, struct wardi_point *point)
{
	struct wardi_end *end;
	int error = wardi_point_accept(point, &end);

	if (error != 0)
		return error;
	me->accepting = wardi_wired_make(end);
	if (me->accepting != NULL)
		return 0;
	wardi_end_close(end, true);
	return ENOMEM;
}

static int take(struct wardi_listener *me, const struct wardi_listening_socket *at)
{
	struct sockaddr_storage from;
	struct sockaddr *address = (struct sockaddr *)&from;
	socklen_t size = sizeof from;
	struct wardi_peer peer;
	int one = 1, fd;

	if (at->point != NULL)
		return take_simulated(me, at->point);
	fd = accept4(at->fd, address, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd < 0)
		return is_of_peer(errno) ? 0 : errno;
	peer = wardi_peer_of(address, size);
	if (peer.family != AF_UNIX)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	me->accepting = wardi_stream_make(fd, &peer);
	if (me->accepting != NULL)
		return 0;
	close(fd);
	return ENOMEM;
}

/* Returns 0: there is a connection, or it has failed by itself; otherwise an errno. */
static int take_next(struct wardi_listener *me, const struct wardi_listening_socket *at)
{
	int error = take(me, at);

	if (error == 0 && me->accepting != NULL)
		wardi_tally_add(me->tally, me->accepting);
	return error;
}

/* False: no more for now. */
static bool accept_one(ward_self *self, struct wardi_listener *me,
		       const struct wardi_listening_socket *at)
{
	int error = 0;

	if (at_limit(me)) {
		pause_it(self, me, "the limit is reached");
		wait_for_room(self, me, true);
		return false;
	}
	if (me->accepting == NULL)
		error = take_next(me, at);
	if (error == EAGAIN) {
		go_on(self, me, at);
		return false;
	}
	if (error == 0 && (me->accepting == NULL || serve(self, me) == WARD_OK))
		return true;
	pause_it(self, me, error != 0 ? strerrordesc_np(error) : ward_err_detail());
	wait_for_room(self, me, false);
	return false;
}

void wardi_listener_accept(ward_self *self, struct wardi_listener *me,
			   const struct wardi_listening_socket *at)
{
	int count = 0;

	while (count < BATCH && accept_one(self, me, at))
		count++;
	if (count == BATCH)
		go_on(self, me, at); /* the others have their turns */
	wardi_listener_look_back(self, me);
}
