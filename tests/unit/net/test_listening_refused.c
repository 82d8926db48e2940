/* SPDX-License-Identifier: MIT
 *
 * test_listening_refused.c - each call into the operating system fails once while a socket is made:
 * the refusal names the call, and neither a descriptor nor a path is left.
 *
 * Method: the calls are wrapped and counted; the one of a number fails.
 */
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "unit/net/sockets.h"

enum { CALLS_MAX = 40 };

static struct {
	bool on;
	int calls, fails_at, error;
	const char *call; /* that failed */
} plan;

/* Whether this call is the one that fails. */
static bool fails(const char *call)
{
	if (!plan.on || ++plan.calls != plan.fails_at)
		return false;
	plan.call = call;
	errno = plan.error;
	return true;
}

#define WRAP(name, parameters, arguments)                                                          \
	int __real_##name parameters;                                                              \
	int __wrap_##name parameters;                                                              \
	int __wrap_##name parameters                                                               \
	{                                                                                          \
		return fails(#name) ? -1 : __real_##name arguments;                                \
	}

WRAP(bind, (int fd, const struct sockaddr *at, socklen_t size), (fd, at, size))
WRAP(connect, (int fd, const struct sockaddr *to, socklen_t size), (fd, to, size))
WRAP(fchmod, (int fd, mode_t mode), (fd, mode))
WRAP(fchmodat, (int at, const char *path, mode_t mode, int flags), (at, path, mode, flags))
WRAP(fcntl64, (int fd, int command, long value), (fd, command, value))
WRAP(flock, (int fd, int operation), (fd, operation))
WRAP(getsockopt, (int fd, int level, int option, void *value, socklen_t *size),
     (fd, level, option, value, size))
WRAP(listen, (int fd, int backlog), (fd, backlog))
WRAP(lstat64, (const char *path, struct stat64 *ret_is), (path, ret_is))
WRAP(open64, (const char *path, int flags, mode_t mode), (path, flags, mode))
WRAP(setsockopt, (int fd, int level, int option, const void *value, socklen_t size),
     (fd, level, option, value, size))
WRAP(socket, (int family, int type, int protocol), (family, type, protocol))
WRAP(unlink, (const char *path), (path))

/* Listens, with the call of this number failing. Returns whether one did. */
static bool try_at(const char *text, const struct wardi_listening *how, int number, int error)
{
	struct wardi_net_refusal refusal = {.text = ""};
	char path[WARD_ADDRESS_TEXT];
	int before = count_fds(), fd;
	struct stat is;

	plan.calls = 0;
	plan.fails_at = number;
	plan.error = error;
	plan.call = NULL;
	plan.on = true;
	fd = listen_at(text, how, path, &refusal);
	plan.on = false;
	if (fd >= 0) {
		/* It can do without that call: then it listens as it should. */
		ward_assert_eq(int_option(fd, SOL_SOCKET, SO_ACCEPTCONN), 1);
		check_flags(fd);
		if (path[0] != '\0') {
			ward_assert_eq(lstat(path, &is), 0);
			ward_assert_eq(is.st_mode & 07777, how->unix_mode);
			ward_assert_eq(unlink(path), 0);
		}
		if (strncmp(text, "fd:", 3) != 0)
			close(fd);
	} else {
		ward_assert(plan.call != NULL);
		ward_assert_str(path, "");
		ward_assert_eq(refusal.error, error);
		ward_assert_part(refusal.text, strerrordesc_np(error));
	}
	ward_assert_eq(count_fds(), before);
	return plan.call != NULL;
}

static void try_all(const char *text, const struct wardi_listening *how, int error, int calls_min)
{
	int number = 1;

	while (number < CALLS_MAX && try_at(text, how, number, error))
		number++;
	ward_assert(number > calls_min && number < CALLS_MAX);
}

static const struct wardi_listening all_wishes = {
	.unix_mode = 0666, .unix_replace = true, .reuse_port = true};

WARD_TEST(tcp_leaves_nothing_behind)
{
	try_all("tcp:127.0.0.1:0", &all_wishes, EMFILE, 5);
	try_all("tcp:*:0", &all_wishes, ENOBUFS, 6);
}

WARD_TEST(abstract_name_leaves_nothing_behind)
{
	char text[60];

	snprintf(text, sizeof text, "unix:@ward-refused-%d", (int)getpid());
	try_all(text, &all_wishes, EMFILE, 3);
}

WARD_TEST(fd_is_left_as_it_is)
{
	int fd = listens_at("tcp:127.0.0.1:0", NULL);
	char text[20];

	snprintf(text, sizeof text, "fd:%d", fd);
	try_all(text, &all_wishes, ENOBUFS, 6);
	close(fd);
}

WARD_TEST(path_leaves_nothing_behind)
{
	struct folder folder = make_folder();
	mode_t old = umask(022); /* so that it needs all calls */
	struct stat is;

	/* Without unix_replace, a path that is left refuses the next try. */
	try_all(folder.address, &(struct wardi_listening){.unix_mode = 0666}, EMFILE, 8);
	ward_assert(lstat(folder.path, &is) != 0);
	umask(old);
	remove_folder(&folder);
}

/* Over a path at which nobody listens, which is there again for each try. */
WARD_TEST(replaced_path_leaves_nothing_behind)
{
	struct folder folder = make_folder();
	struct wardi_address address = read_address(folder.address);
	int number = 1;
	bool failed = true;

	for (; failed && number < CALLS_MAX; number++) {
		int dead = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

		unlink(folder.path);
		ward_assert_eq(bind(dead, &address.socket.any, address.size), 0);
		close(dead);
		failed = try_at(folder.address, &all_wishes, number, EIO);
	}
	ward_assert(number > 11 && number < CALLS_MAX);
	remove_folder(&folder);
}

/* ---- words, where no machine of a test has the cause ---- */

static struct wardi_net_refusal refused(const char *text, int number, int error, const char *call)
{
	struct wardi_net_refusal refusal;
	char path[WARD_ADDRESS_TEXT];

	plan.calls = 0;
	plan.fails_at = number;
	plan.error = error;
	plan.on = true;
	ward_assert_eq(listen_at(text, NULL, path, &refusal), -1);
	plan.on = false;
	ward_assert_str(plan.call, call);
	ward_assert_str(refusal.call, call);
	return refusal;
}

WARD_TEST(no_permission_is_said_with_its_remedy)
{
	struct folder folder = make_folder();
	struct wardi_net_refusal refusal = refused("tcp:127.0.0.1:80", 3, EACCES, "bind");

	ward_assert_str(refusal.text,
			"Permission denied: to a port below 1024 CAP_NET_BIND_SERVICE is "
			"needed");
	refusal = refused(folder.address, 5, EACCES, "bind");
	ward_assert_str(refusal.text,
			"Permission denied: the folder of the path must allow to write");
	remove_folder(&folder);
}

WARD_TEST(another_listener_of_the_port_is_named_only_where_it_is_the_cause)
{
	struct wardi_net_refusal refusal = refused("tcp:127.0.0.1:0", 4, EADDRINUSE, "listen");

	ward_assert_str(refusal.text, "Address already in use: another socket listens there");
	refusal = refused("tcp:127.0.0.1:0", 4, ENOBUFS, "listen");
	ward_assert_str(refusal.text, "No buffer space available");
}

WARD_TEST(any_address_is_ipv4_alone_where_there_is_no_ipv6)
{
	static const struct {
		int number, error;
	} rows[] = {
		{1, EAFNOSUPPORT},  /* of socket() */
		{4, EADDRNOTAVAIL}, /* of bind() */
	};
	static const struct wardi_listening none;
	struct wardi_address address = read_address("tcp:*:0");

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct wardi_net_refusal refusal;
		char path[WARD_ADDRESS_TEXT], text[WARD_ADDRESS_TEXT];
		int before = count_fds(), fd;

		plan.calls = 0;
		plan.fails_at = rows[i].number;
		plan.error = rows[i].error;
		plan.on = true;
		fd = wardi_listen_at(&address, &none, path, sizeof path, &refusal);
		plan.on = false;
		ward_assert(fd >= 0);
		ward_assert_part(own_address(fd, text), "tcp:0.0.0.0:");
		snprintf(text, sizeof text, "tcp:127.0.0.1:%u", own_port(fd));
		check_reached(fd, text);
		close(fd);
		ward_assert_eq(count_fds(), before);
	}
}

WARD_TEST(listener_that_cannot_be_asked_keeps_its_path)
{
	struct folder folder = make_folder();
	struct wardi_address address = read_address(folder.address);
	int dead = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct wardi_net_refusal refusal;
	struct stat is;

	ward_assert_eq(bind(dead, &address.socket.any, address.size), 0);
	close(dead);
	/* open, flock, socket, fchmod, bind, lstat, socket, connect */
	refusal = refused(folder.address, 8, EACCES, "connect");
	ward_assert_part(refusal.text, "it cannot be found out whether somebody has it open");
	ward_assert_eq(lstat(folder.path, &is), 0);
	unlink(folder.path);
	remove_folder(&folder);
}

WARD_TEST_MAIN
