/* SPDX-License-Identifier: MIT
 *
 * test_inherited.c - sockets that a process was started with: fd:N, and those of LISTEN_FDS.
 *
 * Method: for LISTEN_FDS a forked child arranges its descriptors and its environment as systemd
 * would, listens at some addresses, and writes down what it got; the case compares that.
 */
#include <sys/mman.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "net/address/systemd.h"
#include "unit/net/sockets.h"

enum { FIRST = 3, SOCKETS_MAX = 4, JOURNAL_MAX = 4000 };

static struct wardi_net_refusal refused_at(const char *text)
{
	struct wardi_net_refusal refusal;
	char path[WARD_ADDRESS_TEXT];
	int before = count_fds();

	ward_assert_eq(listen_at(text, NULL, path, &refusal), -1);
	ward_assert_str(path, "");
	ward_assert_eq(count_fds(), before);
	return refusal;
}

static int make_listener(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	ward_assert(fd >= 0);
	ward_assert_eq(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
	ward_assert_eq(listen(fd, 5), 0);
	return fd;
}

static const char *fd_text(int fd, char text[20])
{
	snprintf(text, 20, "fd:%d", fd);
	return text;
}

/* ---- fd:N ---- */

WARD_TEST(descriptor_that_listens_is_taken_as_it_is)
{
	int fd = make_listener(), before = count_fds();
	char text[20], at[WARD_ADDRESS_TEXT];

	ward_assert_eq(listens_at(fd_text(fd, text), NULL), fd);
	check_flags(fd);
	ward_assert_eq(count_fds(), before);
	check_reached(fd, own_address(fd, at));
	/* A number that is used again is another socket. */
	ward_assert_eq(listens_at(text, NULL), fd);
	close(fd);
}

WARD_TEST(descriptor_that_is_not_open_is_refused)
{
	struct wardi_net_refusal refusal;
	int fd = make_listener();
	char text[20];

	close(fd);
	refusal = refused_at(fd_text(fd, text));
	ward_assert_eq(refusal.error, EBADF);
	ward_assert_part(refusal.text, "the process was started without that descriptor");
}

WARD_TEST(what_does_not_listen_is_refused_and_left_alone)
{
	static const struct {
		int family, type;
		int error;
		const char *part;
	} rows[] = {
		{AF_INET, SOCK_STREAM, EINVAL, "the socket does not listen"},
		{AF_UNIX, SOCK_STREAM, EINVAL, "the socket does not listen"},
		{AF_INET, SOCK_DGRAM, EPROTOTYPE, "must be a stream socket"},
		{AF_UNIX, SOCK_SEQPACKET, EPROTOTYPE, "must be a stream socket"},
		{-1, 0, ENOTSOCK, "must be a socket that listens"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		int fd = rows[i].family < 0 ? memfd_create("no socket", 0)
					    : socket(rows[i].family, rows[i].type, 0);
		struct wardi_net_refusal refusal;
		char text[20];

		ward_assert(fd >= 0);
		refusal = refused_at(fd_text(fd, text));
		ward_assert_eq(refusal.error, rows[i].error);
		ward_assert_part(refusal.text, rows[i].part);
		ward_assert_eq(fcntl(fd, F_GETFD), 0);
		ward_assert_eq(fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
		close(fd);
	}
}

WARD_TEST(sequenced_packets_that_listen_are_no_stream)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	char text[20];

	ward_assert(fd >= 0);
	ward_assert_eq(bind(fd, (struct sockaddr *)&at, sizeof(sa_family_t)), 0);
	ward_assert_eq(listen(fd, 5), 0);
	ward_assert_eq(refused_at(fd_text(fd, text)).error, EPROTOTYPE);
	close(fd);
}

/* ---- LISTEN_FDS ---- */

/* What a process is started with: `pid` "own" is its own. NULL: not set. The tries are addresses,
 * or "back:N" for a descriptor that is given back. */
struct start {
	const char *pid, *fds, *names;
	int sockets;
	bool first_is_file;
	const char *tries[6];
};

static void set(const char *name, const char *value)
{
	if (value != NULL)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

static void arrange(const struct start *start)
{
	int made[SOCKETS_MAX];
	char pid[20];

	/* First out of the way of their places. */
	for (int i = 0; i < start->sockets; i++) {
		int fd = i == 0 && start->first_is_file ? memfd_create("file", 0) : make_listener();

		made[i] = fcntl(fd, F_DUPFD, 100);
		close(fd);
	}
	for (int i = 0; i < start->sockets; i++) {
		dup2(made[i], FIRST + i);
		close(made[i]);
	}
	snprintf(pid, sizeof pid, "%d", (int)getpid());
	set("LISTEN_PID", start->pid != NULL && strcmp(start->pid, "own") == 0 ? pid : start->pid);
	set("LISTEN_FDS", start->fds);
	set("LISTEN_FDNAMES", start->names);
}

/* In the child. Writes a line for each try, and which descriptors are close-on-exec at the end. */
static void try_all(const struct start *start, char *journal)
{
	size_t used = 0;

	arrange(start);
	for (int i = 0; i < 6 && start->tries[i] != NULL; i++) {
		struct wardi_net_refusal refusal;
		char path[WARD_ADDRESS_TEXT];
		int before = count_fds(), fd;

		if (strncmp(start->tries[i], "back:", 5) == 0) {
			wardi_systemd_give_back(atoi(start->tries[i] + 5));
			continue;
		}
		fd = listen_at(start->tries[i], NULL, path, &refusal);
		if (fd >= 0)
			used += (size_t)snprintf(journal + used, JOURNAL_MAX - used, "%d", fd);
		else
			used += (size_t)snprintf(journal + used, JOURNAL_MAX - used, "%s: %s",
						 refusal.call, refusal.text);
		if (fd >= 0 && !(fcntl(fd, F_GETFL) & O_NONBLOCK))
			used += (size_t)snprintf(journal + used, JOURNAL_MAX - used, " blocks");
		used += (size_t)snprintf(journal + used, JOURNAL_MAX - used, "%s\n",
					 count_fds() == before && path[0] == '\0' ? "" : " leaks");
	}
	used += (size_t)snprintf(journal + used, JOURNAL_MAX - used, "close-on-exec:");
	for (int i = 0; i < start->sockets; i++)
		if (fcntl(FIRST + i, F_GETFD) == FD_CLOEXEC)
			used += (size_t)snprintf(journal + used, JOURNAL_MAX - used, " %d",
						 FIRST + i);
}

static void check_start(const struct start *start, const char *wanted)
{
	char *journal =
		mmap(NULL, JOURNAL_MAX, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int before = count_fds(), status = -1;
	pid_t child;

	ward_assert(journal != MAP_FAILED);
	fflush(NULL);
	child = fork();
	if (child == 0) {
		try_all(start, journal);
		_exit(0);
	}
	ward_assert(child > 0);
	ward_assert_eq(waitpid(child, &status, 0), child);
	ward_assert_eq(status, 0);
	ward_assert_str(journal, wanted);
	munmap(journal, JOURNAL_MAX);
	ward_assert_eq(count_fds(), before);
}

WARD_TEST(sockets_are_taken_by_their_names_once)
{
	static const struct start start = {
		.pid = "own",
		.fds = "4",
		.names = "web:admin:web:webs",
		.sockets = 4,
		.tries = {"systemd:admin", "systemd:web", "systemd:web", "systemd:web",
			  "systemd:admin", "systemd:webs"},
	};
	check_start(&start,
		    "4\n3\n5\n"
		    "LISTEN_FDS: Device or resource busy: each socket can be taken once, and 2 of "
		    "that name is all there are\n"
		    "LISTEN_FDS: Device or resource busy: each socket can be taken once, and 1 of "
		    "that name is all there are\n"
		    "6\nclose-on-exec: 3 4 5 6");
}

WARD_TEST(socket_that_is_given_back_is_taken_again)
{
	static const struct start start = {
		.pid = "own",
		.fds = "2",
		.names = "web:admin",
		.sockets = 2,
		.tries = {"systemd:admin", "back:4", "systemd:admin", "back:2", "back:2000000",
			  "systemd:admin"},
	};
	check_start(&start,
		    "4\n4\n"
		    "LISTEN_FDS: Device or resource busy: each socket can be taken once, and 1 of "
		    "that name is all there are\nclose-on-exec: 3 4");
}

WARD_TEST(without_a_name_the_first_free_one_is_taken)
{
	static const struct start named = {
		.pid = "own",
		.fds = "3",
		.names = "a:b:c",
		.sockets = 3,
		.tries = {"systemd:", "systemd:b", "systemd:", "systemd:"},
	};
	static const struct start nameless = {
		.pid = "own",
		.fds = "2",
		.sockets = 2,
		.tries = {"systemd:", "systemd:", "systemd:a"},
	};
	check_start(&named,
		    "3\n4\n5\n"
		    "LISTEN_FDS: Device or resource busy: each socket can be taken once, and 3 of "
		    "that name is all there are\nclose-on-exec: 3 4 5");
	check_start(&nameless,
		    "3\n4\n"
		    "LISTEN_FDS: LISTEN_FDNAMES is not set: the process was not started by "
		    "systemd with a socket\nclose-on-exec: 3 4");
}

WARD_TEST(name_that_is_not_there_is_refused)
{
	static const struct start start = {
		.pid = "own",
		.fds = "2",
		.names = "web:admin",
		.sockets = 2,
		.tries = {"systemd:we", "systemd:dmin", "systemd:webadmin"},
	};
	check_start(&start, "LISTEN_FDS: LISTEN_FDNAMES is \"web:admin\", and has no such name\n"
			    "LISTEN_FDS: LISTEN_FDNAMES is \"web:admin\", and has no such name\n"
			    "LISTEN_FDS: LISTEN_FDNAMES is \"web:admin\", and has no such name\n"
			    "close-on-exec: 3 4");
}

WARD_TEST(fewer_names_than_sockets_leave_the_last_nameless)
{
	static const struct start start = {
		.pid = "own",
		.fds = "3",
		.names = "a:b",
		.sockets = 3,
		.tries = {"systemd:b", "systemd:", "systemd:"},
	};
	check_start(&start, "4\n3\n5\nclose-on-exec: 3 4 5");
}

WARD_TEST(sockets_of_another_process_are_not_taken)
{
	struct wardi_net_refusal refusal;
	char pid[20];

	snprintf(pid, sizeof pid, "%d", (int)getpid());
	setenv("LISTEN_PID", pid, 1);
	unsetenv("LISTEN_FDS");
	refusal = refused_at("systemd:");
	ward_assert_part(refusal.text, "LISTEN_FDS is not set");
	setenv("LISTEN_PID", "1", 1);
	refusal = refused_at("systemd:");
	unsetenv("LISTEN_PID");
	snprintf(pid, sizeof pid, "must be %d,", (int)getpid());
	ward_assert_part(refusal.text, "LISTEN_PID is 1, and ");
	ward_assert_part(refusal.text, pid);
	/* Nothing is done to descriptors that are for another one. */
	check_start(&(struct start){.pid = "x", .fds = "2", .sockets = 2, .tries = {"systemd:"}},
		    "LISTEN_FDS: LISTEN_PID is \"x\", and must be a process id\nclose-on-exec:");
	check_start(
		&(struct start){.fds = "2", .sockets = 2, .tries = {"systemd:"}},
		"LISTEN_FDS: LISTEN_PID is not set: the process was not started by systemd with a "
		"socket\nclose-on-exec:");
}

WARD_TEST(wrong_counts_are_refused)
{
	static const char *const counts[] = {
		"0", "-1", "+1", "1 ", "", "1025", "18446744073709551617"};

	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
		struct start start = {
			.pid = "own", .fds = counts[i], .sockets = 1, .tries = {"systemd:"}};
		char wanted[200];

		snprintf(wanted, sizeof wanted,
			 "LISTEN_FDS: LISTEN_FDS is \"%s\", and must be a number from 1 to 1024\n"
			 "close-on-exec:",
			 counts[i]);
		check_start(&start, wanted);
	}
}

WARD_TEST(what_is_no_listener_is_refused_each_time)
{
	static const struct start start = {
		.pid = "own",
		.fds = "2",
		.names = "log:web",
		.sockets = 2,
		.first_is_file = true,
		.tries = {"systemd:log", "systemd:log", "systemd:web"},
	};
	check_start(&start,
		    "getsockopt: Socket operation on non-socket: the descriptor must be a socket "
		    "that listens\n"
		    "getsockopt: Socket operation on non-socket: the descriptor must be a socket "
		    "that listens\n"
		    "4\nclose-on-exec: 3 4");
}

WARD_TEST_MAIN
