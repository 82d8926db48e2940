/* SPDX-License-Identifier: MIT
 *
 * test_connecting.c - sockets that connect: at once, later, never, and to themselves.
 *
 * Method: real listeners on loopback. connect() and setsockopt() are wrapped, to fail where a case
 * wants it.
 */
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/un.h>

#include "net/address/connecting.h"
#include "unit/net/sockets.h"

enum { WAIT_MS = 10000, QUEUE = 10 };

int __real_connect(int fd, const struct sockaddr *to, socklen_t size);
int __wrap_connect(int fd, const struct sockaddr *to, socklen_t size);
int __real_setsockopt(int fd, int level, int option, const void *value, socklen_t size);
int __wrap_setsockopt(int fd, int level, int option, const void *value, socklen_t size);

static int connect_error, setsockopt_error; /* 0: the real call */

int __wrap_connect(int fd, const struct sockaddr *to, socklen_t size)
{
	int result = __real_connect(fd, to, size);

	if (connect_error == 0)
		return result;
	errno = connect_error;
	return -1;
}

int __wrap_setsockopt(int fd, int level, int option, const void *value, socklen_t size)
{
	if (setsockopt_error == 0)
		return __real_setsockopt(fd, level, option, value, size);
	errno = setsockopt_error;
	return -1;
}

/* Begins to connect; it must not be refused at once. */
static int begins(const char *text, bool *ret_connected)
{
	struct wardi_address address = read_address(text);
	struct wardi_net_refusal refusal = {.text = ""};
	int fd = wardi_connect_begin(&address.socket.any, address.size, ret_connected, &refusal);

	ward_assert_str(refusal.text, "");
	ward_assert(fd >= 0);
	check_flags(fd);
	return fd;
}

/* Waits until it is decided; returns what wardi_connect_end() says. */
static bool ends(int fd, struct wardi_net_refusal *ret_refusal)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLOUT};

	ward_assert_eq(poll(&poll_fd, 1, WAIT_MS), 1);
	return wardi_connect_end(fd, ret_refusal);
}

/* Why there is no connection, at once or later. */
static struct wardi_net_refusal refused_at(const struct sockaddr *to, socklen_t size)
{
	struct wardi_net_refusal refusal;
	int before = count_fds(), fd;
	bool connected = true;

	fd = wardi_connect_begin(to, size, &connected, &refusal);
	ward_assert(!connected);
	if (fd >= 0) {
		ward_assert(!ends(fd, &refusal));
		close(fd);
	}
	ward_assert_eq(count_fds(), before);
	return refusal;
}

static struct wardi_net_refusal refused_at_text(const char *text)
{
	struct wardi_address address = read_address(text);

	return refused_at(&address.socket.any, address.size);
}

static void check_connects(const char *listens, const char *to, int family)
{
	struct wardi_net_refusal refusal = {.text = ""};
	char at[WARD_ADDRESS_TEXT], path[WARD_ADDRESS_TEXT];
	int before = count_fds(), listener, fd, peer;
	bool connected;

	listener = listen_at(listens, NULL, path, &refusal);
	ward_assert(listener >= 0);
	if (to == NULL)
		to = own_address(listener, at);
	fd = begins(to, &connected);
	ward_assert(ends(fd, &refusal));
	ward_assert_eq(int_option(fd, SOL_SOCKET, SO_DOMAIN), family);
	ward_assert(family != AF_UNIX || connected);
	if (family != AF_UNIX)
		ward_assert_eq(int_option(fd, IPPROTO_TCP, TCP_NODELAY) != 0, 1);
	peer = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	ward_assert(peer >= 0);
	ward_assert_eq(send(fd, "x", 1, 0), 1);
	ward_assert_eq(recv(peer, at, 1, 0), 1);
	close(peer);
	close(fd);
	close(listener);
	if (path[0] != '\0')
		unlink(path);
	ward_assert_eq(count_fds(), before);
}

WARD_TEST(each_family_is_connected_to)
{
	struct folder folder = make_folder();
	char abstract[60];

	check_connects("tcp:127.0.0.1:0", NULL, AF_INET);
	if (has_v6())
		check_connects("tcp:[::1]:0", NULL, AF_INET6);
	else
		ward_assert(refused_at_text("tcp:[::1]:9").error != 0);
	check_connects(folder.address, folder.address, AF_UNIX);
	snprintf(abstract, sizeof abstract, "unix:@ward-connect-%d", (int)getpid());
	check_connects(abstract, abstract, AF_UNIX);
	remove_folder(&folder);
}

WARD_TEST(connection_that_is_not_answered_is_in_progress)
{
	int listener = listens_at("tcp:127.0.0.1:0", &(struct wardi_listening){.backlog = 1});
	int fds[QUEUE], before = count_fds(), waiting = 0;
	struct wardi_net_refusal refusal;
	char text[WARD_ADDRESS_TEXT];

	own_address(listener, text);
	for (int i = 0; i < QUEUE; i++) {
		struct pollfd poll_fd = {.events = POLLOUT};
		bool connected;

		poll_fd.fd = fds[i] = begins(text, &connected);
		if (connected || poll(&poll_fd, 1, 0) == 1)
			continue;
		/* The queue is full, and the kernel lets the peer try again. */
		waiting++;
		ward_assert(!wardi_connect_end(fds[i], &refusal));
		ward_assert_eq(refusal.error, ENOTCONN);
	}
	ward_assert_seen(waiting);
	for (int i = 0; i < QUEUE; i++)
		close(fds[i]);
	ward_assert_eq(count_fds(), before);
	close(listener);
}

WARD_TEST(nobody_there_is_refused)
{
	int listener = listens_at("tcp:127.0.0.1:0", NULL);
	struct wardi_net_refusal refusal;
	char text[WARD_ADDRESS_TEXT];

	own_address(listener, text);
	close(listener);
	refusal = refused_at_text(text);
	ward_assert_eq(refusal.error, ECONNREFUSED);
	ward_assert_str(refusal.call, "connect");
	ward_assert_str(refusal.text, "Connection refused: nobody listens there");
	refusal = refused_at_text("unix:@nobody-is-called-so");
	ward_assert_eq(refusal.error, ECONNREFUSED);
}

WARD_TEST(paths_are_refused_each_in_its_words)
{
	struct folder folder = make_folder();
	struct wardi_address address = read_address(folder.address);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), client;
	struct wardi_net_refusal refusal = refused_at_text(folder.address);

	ward_assert_eq(refusal.error, ENOENT);
	ward_assert_part(refusal.text, ": the path does not exist: nobody listens there");
	ward_assert_eq(bind(fd, &address.socket.any, address.size), 0);
	refusal = refused_at_text(folder.address);
	ward_assert_eq(refusal.error, EPROTOTYPE);
	ward_assert_part(refusal.text, ": it is a socket of another type");
	close(fd);
	unlink(folder.path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ward_assert_eq(bind(fd, &address.socket.any, address.size), 0);
	ward_assert_eq(refused_at_text(folder.address).error, ECONNREFUSED);
	ward_assert_eq(listen(fd, 0), 0);
	client = reach_text(folder.address);
	refusal = refused_at_text(folder.address);
	ward_assert_eq(refusal.error, EAGAIN);
	ward_assert_part(refusal.text, ": the queue of the listener is full: try again later");
	close(client);
	close(fd);
	unlink(folder.path);
	remove_folder(&folder);
}

WARD_TEST(what_is_no_peer_is_refused)
{
	struct sockaddr none = {.sa_family = AF_UNSPEC};
	struct wardi_net_refusal refusal = refused_at_text("tcp:127.0.0.1:0");

	ward_assert_eq(refusal.error, EADDRNOTAVAIL);
	ward_assert_part(refusal.text, ": port 0 is to listen at: to connect it is 1 to 65535");
	refusal = refused_at(&none, sizeof none);
	ward_assert_eq(refusal.error, EAFNOSUPPORT);
	refusal = refused_at(NULL, 0);
	ward_assert_eq(refusal.error, EAFNOSUPPORT);
}

WARD_TEST(interrupted_call_goes_on_connecting)
{
	int listener = listens_at("tcp:127.0.0.1:0", NULL), fd;
	struct wardi_net_refusal refusal;
	char text[WARD_ADDRESS_TEXT];
	bool connected = true;

	connect_error = EINTR;
	fd = begins(own_address(listener, text), &connected);
	connect_error = 0;
	ward_assert(!connected);
	ward_assert(ends(fd, &refusal));
	close(fd);
	close(listener);
}

WARD_TEST(refused_calls_leave_no_descriptor)
{
	static const int errors[] = {EACCES, ENETUNREACH, EAGAIN, EADDRNOTAVAIL};

	for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
		connect_error = errors[i];
		ward_assert_eq(refused_at_text("tcp:127.0.0.1:9").error, errors[i]);
		connect_error = 0;
	}
	setsockopt_error = ENOBUFS;
	ward_assert_str(refused_at_text("tcp:127.0.0.1:9").call, "setsockopt");
	setsockopt_error = 0;
}

WARD_TEST(socket_that_meets_itself_is_not_connected)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t size = sizeof at;
	struct wardi_net_refusal refusal;

	ward_assert_eq(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
	ward_assert_eq(getsockname(fd, (struct sockaddr *)&at, &size), 0);
	ward_assert_eq(connect(fd, (struct sockaddr *)&at, size), 0);
	ward_assert(!wardi_connect_end(fd, &refusal));
	ward_assert_eq(refusal.error, ECONNREFUSED);
	ward_assert_part(refusal.text, "the socket met itself");
	close(fd);
}

WARD_TEST(what_is_no_socket_is_not_connected)
{
	struct wardi_net_refusal refusal;

	ward_assert(!wardi_connect_end(-1, &refusal));
	ward_assert_eq(refusal.error, EBADF);
	ward_assert_str(refusal.call, "getsockopt");
}

WARD_TEST_MAIN
