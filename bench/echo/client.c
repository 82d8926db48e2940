/* SPDX-License-Identifier: MIT
 *
 * client.c - echo-client: the client of all echo servers, in a process of its own.
 *
 *	echo-client NAME PORT CONNECTIONS MS PID WORKERS
 *
 * Each connection to PORT on loopback sends 64 bytes, a line, waits until all of them have come
 * back, and sends the next. Prints "begin" when all are warm, MS milliseconds later the figures:
 * NAME is the time divided by the messages, NAME_rate messages a second, NAME_p50, _p99 and _max
 * the time from a message to its echo, NAME_cpu the processor time that the process PID took for a
 * message.
 *
 * With an MS of 0 each connection sends one message and is idle then. NAME is the memory of the
 * process PID for a connection: what it has more with all of them than with a tenth.
 *
 * If the server has one worker, the client has the last processor for itself: else the kernel puts
 * the two on one now and then, for as long as they run, because each wakes the other up.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../clock.h"
#include "echo.h"

enum { WARM_MS = 200, EVENTS = 256, KEPT = 1 << 23, WAVE = 256 };

struct connection {
	int fd;
	int got; /* bytes of the echo */
	int64_t sent_ns;
};

struct client {
	int epoll;
	int64_t messages; /* since the begin */
	bool opening;     /* nothing is sent again */
	int64_t *ns;      /* of each of them, up to KEPT */
};

static void must(int done, const char *what)
{
	if (done >= 0)
		return;
	perror(what);
	exit(1);
}

static void say(struct connection *c)
{
	static const char bytes[ECHO_BYTES] = {[ECHO_BYTES - 1] = '\n'};

	c->got = 0;
	c->sent_ns = clock_now_ns();
	if (write(c->fd, bytes, sizeof(bytes)) != sizeof(bytes))
		must(-1, "echo-client: write");
}

static void open_one(struct client *me, struct connection *c, uint16_t port)
{
	const struct sockaddr_in to = {.sin_family = AF_INET,
				       .sin_port = htons(port),
				       .sin_addr = {htonl(INADDR_LOOPBACK)}};
	struct epoll_event event = {.events = EPOLLIN, .data = {.ptr = c}};
	const int on = 1;

	must(c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "echo-client: socket");
	must(connect(c->fd, (const struct sockaddr *)(const void *)&to, sizeof(to)),
	     "echo-client: connect");
	must(setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)), "echo-client: nodelay");
	must(epoll_ctl(me->epoll, EPOLL_CTL_ADD, c->fd, &event), "echo-client: epoll_ctl");
}

static void hear(struct client *me, struct connection *c)
{
	char bytes[ECHO_BYTES];
	ssize_t got = read(c->fd, bytes, sizeof(bytes) - (size_t)c->got);

	if (got <= 0)
		must(-1, "echo-client: the server has closed");
	c->got += (int)got;
	if (c->got < ECHO_BYTES)
		return;
	if (me->messages < KEPT)
		me->ns[me->messages] = clock_now_ns() - c->sent_ns;
	me->messages++;
	if (!me->opening)
		say(c);
}

static void go_on(struct client *me)
{
	struct epoll_event events[EVENTS];
	int ready = epoll_wait(me->epoll, events, EVENTS, 100);

	for (int i = 0; i < ready; i++)
		hear(me, events[i].data.ptr);
}

static void go_on_until(struct client *me, int64_t end_ns)
{
	while (clock_now_ns() < end_ns)
		go_on(me);
}

/* In waves, each when the one before was answered: so none is too long for the queue of a listening
 * socket, which would drop the rest for a second. */
static void open_all(struct client *me, struct connection *all, int64_t count, uint16_t port)
{
	me->opening = true;
	me->messages = 0;
	for (int64_t i = 0; i < count; i++) {
		open_one(me, &all[i], port);
		say(&all[i]);
		while ((i % WAVE == WAVE - 1 || i == count - 1) && me->messages <= i)
			go_on(me);
	}
	me->opening = false;
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void report(struct client *me, const char *name, int64_t span_ns, int64_t cpu_ns)
{
	int64_t kept = me->messages < KEPT ? me->messages : KEPT, last = kept - 1;
	double messages = (double)me->messages;

	if (kept == 0) {
		fprintf(stderr, "echo-client: no message came back\n");
		exit(1);
	}
	qsort(me->ns, (size_t)kept, sizeof(me->ns[0]), compare);
	printf("%s\t%.3f\tus\n", name, (double)span_ns / messages / 1e3);
	printf("%s_rate\t%.0f\tmsg/s\n", name, messages / (double)span_ns * 1e9);
	printf("%s_p50\t%.3f\tus\n", name, (double)me->ns[last / 2] / 1e3);
	printf("%s_p99\t%.3f\tus\n", name, (double)me->ns[last * 99 / 100] / 1e3);
	printf("%s_max\t%.3f\tus\n", name, (double)me->ns[last] / 1e3);
	printf("%s_cpu\t%.3f\tus\n", name, (double)cpu_ns / messages / 1e3);
}

static int64_t processor_ns(pid_t pid)
{
	struct timespec time;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0)
		must(-1, "echo-client: the server's processor time");
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Lets all threads of a process run on these processors only. */
static void keep_on(pid_t pid, const cpu_set_t *processors)
{
	const struct dirent *thread;
	char path[64];
	DIR *threads;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	threads = opendir(path);
	must(threads == NULL ? -1 : 0, "echo-client: the server's threads");
	while ((thread = readdir(threads)) != NULL)
		if (thread->d_name[0] != '.')
			must(sched_setaffinity(atoi(thread->d_name), sizeof(*processors),
					       processors),
			     "echo-client: sched_setaffinity");
	closedir(threads);
}

static void separate(pid_t server)
{
	cpu_set_t all, mine;
	int last = CPU_SETSIZE - 1;

	must(sched_getaffinity(0, sizeof(all), &all), "echo-client: sched_getaffinity");
	if (CPU_COUNT(&all) < 2)
		return;
	while (!CPU_ISSET(last, &all))
		last--;
	CPU_ZERO(&mine);
	CPU_SET(last, &mine);
	CPU_CLR(last, &all);
	keep_on(getpid(), &mine);
	keep_on(server, &all);
}

static void measure_time(struct client *me, const char *name, int64_t ms, pid_t server)
{
	int64_t begin_ns, cpu_ns;

	go_on_until(me, clock_now_ns() + WARM_MS * 1000000);
	printf("begin\n");
	fflush(stdout);
	me->messages = 0;
	cpu_ns = processor_ns(server);
	begin_ns = clock_now_ns();
	go_on_until(me, begin_ns + ms * 1000000);
	report(me, name, clock_now_ns() - begin_ns, processor_ns(server) - cpu_ns);
}

/* Once it has done what is left to do. */
static int64_t resident_bytes(struct client *me, pid_t server)
{
	long long size = 0, resident = 0;
	char path[64];
	FILE *file;

	go_on_until(me, clock_now_ns() + WARM_MS * 1000000);
	snprintf(path, sizeof(path), "/proc/%d/statm", server);
	file = fopen(path, "re");
	if (file == NULL || fscanf(file, "%lld %lld", &size, &resident) != 2)
		must(-1, "echo-client: the server's memory");
	fclose(file);
	return resident * sysconf(_SC_PAGESIZE);
}

static void measure_memory(struct client *me, const char *name, struct connection *all,
			   int64_t count, uint16_t port, pid_t server)
{
	int64_t first = count / 10 + 1, before;

	open_all(me, all, first, port);
	before = resident_bytes(me, server);
	open_all(me, all + first, count - first, port);
	printf("%s\t%.3f\tbytes\n", name,
	       (double)(resident_bytes(me, server) - before) / (double)(count - first));
}

int main(int argc, char **argv)
{
	struct client me = {.ns = calloc(KEPT, sizeof(int64_t))};
	struct connection *all;
	int64_t count, ms;
	uint16_t port;
	pid_t server;

	if (argc != 7 || me.ns == NULL) {
		fprintf(stderr, "usage: echo-client NAME PORT CONNECTIONS MS PID WORKERS\n");
		return 2;
	}
	port = (uint16_t)atoi(argv[2]);
	count = atoll(argv[3]);
	ms = atoll(argv[4]);
	server = atoi(argv[5]);
	if (atoi(argv[6]) == 1)
		separate(server);
	echo_allow_files(count);
	all = calloc((size_t)count, sizeof(*all));
	must(me.epoll = epoll_create1(EPOLL_CLOEXEC), "echo-client: epoll_create1");
	if (ms == 0) {
		measure_memory(&me, argv[1], all, count, port, server);
		return 0;
	}
	open_all(&me, all, count, port);
	for (int64_t i = 0; i < count; i++)
		say(&all[i]);
	measure_time(&me, argv[1], ms, server);
	return 0;
}
