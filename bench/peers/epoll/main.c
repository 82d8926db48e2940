/* SPDX-License-Identifier: MIT
 *
 * main.c - epoll-peer: an echo server as a plain loop over epoll, level-triggered, on one thread.
 */
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "../../echo/echo.h"
#include "../peer.h"
#include "tls.h"

enum { EVENTS = 256 };

static void await(int epoll, int fd)
{
	struct epoll_event event = {.events = EPOLLIN, .data = {.fd = fd}};

	peer_must(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
}

static void accept_all(int epoll, int listening)
{
	int fd;

	while ((fd = echo_accept(listening)) >= 0)
		await(epoll, fd);
}

static void answer(int fd)
{
	char bytes[ECHO_BYTES];
	ssize_t got = read(fd, bytes, sizeof(bytes));

	if (got <= 0 || write(fd, bytes, (size_t)got) != got)
		close(fd);
}

static void serve(const struct peer_row *row, int64_t ms)
{
	int epoll = epoll_create1(EPOLL_CLOEXEC), listening;
	struct epoll_event events[EVENTS];
	uint16_t port;

	peer_must(epoll, "epoll_create1");
	listening = echo_listen(&port);
	await(epoll, listening);
	peer_echo_client(row, port, ms);
	for (;;) {
		int ready = epoll_wait(epoll, events, EVENTS, -1);

		for (int i = 0; i < ready; i++)
			if (events[i].data.fd == listening)
				accept_all(epoll, listening);
			else
				answer(events[i].data.fd);
	}
}

static const struct peer_row rows[] = {
	{"echo_1", serve, 500, 1, false, false},
	{"echo_100", serve, 500, 100, false, false},
	{"echo_1000", serve, 1500, 1000, false, false},
	{"echo_busy_1", serve, 500, 1, true, false},
	{"echo_busy_100", serve, 500, 100, true, false},
	{"echo_busy_1000", serve, 1500, 1000, true, false},
#ifdef BENCH_TLS
	{"mem_tls", epoll_tls, 1000, 0, false, true},
#endif
	{0},
};

int main(int argc, char **argv)
{
	return peer_main(argc, argv, rows, "epoll, level-triggered, 1 thread");
}
