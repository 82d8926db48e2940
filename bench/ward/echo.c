/* SPDX-License-Identifier: MIT
 *
 * echo.c - an echo server: an actor for each connection, its client in a process of its own.
 */
#include "../echo/echo.h"

#include <arpa/inet.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"
#include "busy.h"

static const struct way {
	int connections;
	bool busy;
} ways[] = {{1, false}, {100, false}, {1000, false}, {1, true}, {100, true}, {1000, true}};

/* ---- the server ---- */

struct connection {
	int fd;
};

static ward_result connection_start(ward_self *self, void *state)
{
	const struct ward_fd *args = ward_args(self);
	struct connection *me = state;

	me->fd = ward_adopt_fd_copy(self, args->fd);
	ward_fd_watch(self, me->fd, WARD_FD_READ);
	return WARD_DONE;
}

static ward_result connection_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct connection *me = state;
	char bytes[ECHO_BYTES];
	ssize_t got;

	if (!ward_match(msg, ward_fd_ready))
		return WARD_UNHANDLED;
	got = read(me->fd, bytes, sizeof(bytes));
	if (got <= 0 || write(me->fd, bytes, (size_t)got) != got)
		return ward_stop_self(self);
	ward_fd_watch(self, me->fd, WARD_FD_READ);
	return WARD_DONE;
}

static const ward_behavior connection = {
	.name = "connection",
	.state_size = sizeof(struct connection),
	.args = &ward_type_ward_fd,
	.pre_start = connection_start,
	.receive = connection_receive,
};

static ward_result listener_start(ward_self *self, void *state)
{
	const struct ward_fd *args = ward_args(self);

	(void)state;
	ward_fd_watch(self, args->fd, WARD_FD_READ);
	return WARD_DONE;
}

static ward_result listener_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct ward_fd *args = ward_args(self);
	int fd;

	(void)state;
	if (!ward_match(msg, ward_fd_ready))
		return WARD_UNHANDLED;
	while ((fd = echo_accept(args->fd)) >= 0) {
		ward_spawn(self, &connection, .args = WARD_ARGS(ward_fd, fd));
		close(fd);
	}
	ward_fd_watch(self, args->fd, WARD_FD_READ);
	return WARD_DONE;
}

static const ward_behavior listener = {
	.name = "listener",
	.args = &ward_type_ward_fd,
	.pre_start = listener_start,
	.receive = listener_receive,
};

/* Starts a server; returns its port. */
static uint16_t serve(ward_system *system, ward_ref *ret_listener)
{
	uint16_t port;
	int fd = echo_listen(&port);

	bench_must(ward_system_spawn(system, WARD_PROPS(&listener, .args = WARD_ARGS(ward_fd, fd)),
				     ret_listener));
	close(fd);
	return port;
}

static ward_system *create(const struct bench_load *load)
{
	ward_system *system;

	bench_must(ward_system_create(&(ward_options){.name = "bench", .workers = load->workers},
				      &system));
	return system;
}

/* ---- echo_1, echo_100, echo_1000, idle and beside busy pairs ---- */

/* The busy pairs during the measured span. */
struct beside {
	int64_t begin_ns;
	int64_t before;
	double rate;
};

static void beside_begin(void *arg)
{
	*(struct beside *)arg =
		(struct beside){.begin_ns = bench_now_ns(), .before = busy_messages()};
}

static void beside_end(void *arg)
{
	struct beside *me = arg;

	me->rate = (double)(busy_messages() - me->before) /
		   (double)(bench_now_ns() - me->begin_ns) * 1e9;
}

static void report(const struct bench_load *load, const char *what, double value, const char *unit)
{
	char name[64];

	snprintf(name, sizeof(name), "%s_%s", load->bench->name, what);
	bench_report(name, value, unit);
}

/* The same server right before the pairs begin; returns the time of a message. A client takes a
 * processor for itself: the next one has to find it free. */
static double idle_us(const struct bench_load *load, struct echo_run run)
{
	cpu_set_t all;
	char name[64];

	snprintf(name, sizeof(name), "%s_idle", load->bench->name);
	run.name = name;
	bench_must(sched_getaffinity(0, sizeof(all), &all) == 0 ? WARD_OK : WARD_ESYS);
	echo_client(&run);
	bench_must(sched_setaffinity(0, sizeof(all), &all) == 0 ? WARD_OK : WARD_ESYS);
	return run.us;
}

static int run_echo(const struct bench_load *load)
{
	const struct way *way = &ways[load->bench->variant];
	ward_system *system = create(load);
	struct beside beside;
	struct echo_run run = {.name = load->bench->name,
			       .connections = way->connections,
			       .ms = load->n,
			       .workers = load->workers};
	double alone = 0, idle = 0, lost;
	ward_ref server;

	run.port = serve(system, &server);
	if (way->busy) {
		idle = idle_us(load, run);
		run.begin = beside_begin;
		run.end = beside_end;
		run.arg = &beside;
		busy_start(system);
		busy_rest(load->n / 10 + 1);
		alone = busy_rate(load->n / 2 + 1);
	}
	echo_client(&run);
	if (way->busy) {
		lost = 1 - beside.rate / alone;
		report(load, "times", run.us / idle, "x");
		report(load, "lost", 100 * lost, "%");
		/* of all workers, for a message */
		report(load, "cost", lost * load->workers * run.us, "us");
	}
	bench_must(ward_system_destroy(system, 10 * WARD_SECOND));
	return 0;
}

/* ---- echo_quiet: what open connections without traffic cost busy pairs ---- */

enum { QUIET = 100 };

static int connect_to(uint16_t port)
{
	const struct sockaddr_in to = {.sin_family = AF_INET,
				       .sin_port = htons(port),
				       .sin_addr = {htonl(INADDR_LOOPBACK)}};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || connect(fd, (const struct sockaddr *)(const void *)&to, sizeof(to)) != 0) {
		perror("ward-bench: connect");
		exit(1);
	}
	return fd;
}

/* Before the connections, with them, and without them again. */
static int run_quiet(const struct bench_load *load)
{
	ward_system *system = create(load);
	double before, with, after;
	ward_ref server;
	uint16_t port;
	int fds[QUIET];

	busy_start(system);
	busy_rest(load->n / 10 + 1);
	before = busy_rate(load->n);
	port = serve(system, &server);
	for (int i = 0; i < QUIET; i++)
		fds[i] = connect_to(port);
	busy_rest(load->n / 10 + 1);
	with = busy_rate(load->n);
	ward_system_stop(system, server);
	for (int i = 0; i < QUIET; i++)
		close(fds[i]);
	busy_rest(load->n / 10 + 1);
	after = busy_rate(load->n);
	bench_report("echo_quiet", 100 * (1 - 2 * with / (before + after)), "%");
	bench_must(ward_system_destroy(system, 10 * WARD_SECOND));
	return 0;
}

/* With 1000 connections a message takes 5 ms or more. */
enum { SPAN_MS = 500, SPAN_1000_MS = 1500 };

const struct bench echo_benches[] = {
	{"echo_1", NULL, run_echo, SPAN_MS, 0, "an echo server with 1 connection, for N ms"},
	{"echo_100", NULL, run_echo, SPAN_MS, 1, "with 100 connections"},
	{"echo_1000", NULL, run_echo, SPAN_1000_MS, 2, "with 1000 connections"},
	{"echo_busy_1", NULL, run_echo, SPAN_MS, 3, "1 connection, beside four busy pairs"},
	{"echo_busy_100", NULL, run_echo, SPAN_MS, 4, "100 connections, beside four busy pairs"},
	{"echo_busy_1000", NULL, run_echo, SPAN_1000_MS, 5, "1000 connections, beside busy pairs"},
	{"echo_quiet", NULL, run_quiet, SPAN_MS, 0,
	 "four busy pairs beside 100 connections without traffic, for N ms"},
	{0},
};
