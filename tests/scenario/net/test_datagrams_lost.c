/* SPDX-License-Identifier: MIT
 *
 * test_datagrams_lost.c - datagrams that nobody takes: the kernel has no room, the receiver is not
 * there. They are counted, and the actor goes on.
 */
#include <sys/un.h>

#include "datagram_scene.h"

static const ward_datagram_options none;

WARD_TEST(a_burst_beyond_the_buffer_is_missed_and_counted, "S167")
{
	static const ward_datagram_options small = {.receive_buffer = 4096};
	const uint64_t many = 500;
	int peer;

	scene_start("udp:127.0.0.1:0", &small, WARD_RESTART);
	scene.quiet = true;
	peer = scene_peer("127.0.0.1");
	for (uint64_t i = 0; i < many; i++)
		scene_send(peer, "0123456789");
	scene_run();
	ward_assert(scene.counts.missed > 0);
	ward_assert(scene.counts.received > 0);
	ward_assert_eq(scene.counts.received + scene.counts.missed, many);
	ward_assert_eq(scene.received, scene.counts.received);
	scene_send(peer, "last");
	scene_run();
	ward_assert_part(scene.got, "|last");
	ward_assert_eq(scene_failures(), 0);
	close(peer);
	ward_kit_finish(scene.kit);
}

/* A port of this machine that nobody has; the text is valid until the next call. */
static const char *free_port(int *ret_fd)
{
	static char text[WARD_ADDRESS_TEXT];
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof at;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	ward_assert_eq(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
	ward_assert_eq(getsockname(fd, (struct sockaddr *)&at, &size), 0);
	snprintf(text, sizeof text, "udp:127.0.0.1:%u", ntohs(at.sin_port));
	*ret_fd = fd;
	return text;
}

WARD_TEST(a_port_that_nobody_has_is_counted_and_the_socket_goes_on, "S167")
{
	ward_datagram_options options = {0};
	struct sockaddr_in at;
	socklen_t size = sizeof at;
	int peer;

	options.peer = free_port(&peer);
	ward_assert_eq(getsockname(peer, (struct sockaddr *)&at, &size), 0);
	close(peer);
	scene_start("udp:127.0.0.1:0", &options, WARD_RESTART);
	for (int i = 0; i < 3; i++)
		scene_writes(NULL, 3, 4);
	ward_assert_eq(scene.counts.sent, 9);
	ward_assert(scene.counts.refused >= 3);
	ward_assert_eq(scene.counts.error, ECONNREFUSED);
	ward_assert_eq(scene_failures(), 0);
	/* Somebody has the port now. */
	peer = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	ward_assert_eq(bind(peer, (struct sockaddr *)&at, sizeof at), 0);
	scene_writes(NULL, 2, 4);
	ward_assert_eq(recv(peer, &at, sizeof at, 0), 4);
	ward_assert_eq(recv(peer, &at, sizeof at, 0), 4);
	ward_assert_eq(scene.counts.sent, 11);
	ward_assert_eq(scene_failures(), 0);
	close(peer);
	ward_kit_finish(scene.kit);
}

WARD_TEST(a_peer_in_the_options_is_the_only_one, "S166", "S167")
{
	ward_datagram_options options = {0};
	ward_net_address own;
	int peer, other;

	options.peer = free_port(&peer);
	scene_start("udp:127.0.0.1:0", &options, WARD_RESTART);
	other = scene_peer("127.0.0.1");
	scene_send(other, "from another one");
	own = scene_address("127.0.0.1");
	ward_assert_eq(connect(peer, (const void *)own.bytes, own.size), 0);
	scene_send(peer, "a");
	scene_run();
	ward_assert_str(scene.got, "|a");
	ward_assert_str(scene_answers(peer), "|1.1: a");
	close(peer);
	close(other);
	ward_kit_finish(scene.kit);
}

/* A UNIX socket that does not read; its address. */
static int silent_peer(ward_net_address *ret_address)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	char text[64];
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	snprintf(at.sun_path + 1, sizeof at.sun_path - 1, "ward-test-silent-%d", getpid());
	snprintf(text, sizeof text, "unixgram:@ward-test-silent-%d", getpid());
	ward_assert_eq(bind(fd, (struct sockaddr *)&at,
			    (socklen_t)(sizeof at.sun_family + strlen(text) - strlen("unixgram:"))),
		       0);
	ward_assert_ok(ward_net_address_read(text, ret_address));
	return fd;
}

WARD_TEST(what_the_kernel_has_no_room_for_is_dropped_and_counted, "S167")
{
	enum { MANY = 3000 };
	char address[64];
	ward_net_address to;
	int peer = silent_peer(&to);

	snprintf(address, sizeof address, "unixgram:@ward-test-datagrams-%d", getpid());
	scene_start(address, &none, WARD_RESTART);
	scene_writes(&to, MANY, 4);
	ward_assert(scene.counts.sent > 0);
	ward_assert(scene.counts.dropped > 0);
	ward_assert_eq(scene.counts.sent + scene.counts.dropped, MANY);
	ward_assert_eq(scene.counts.error, EAGAIN);
	while (recv(peer, address, sizeof address, 0) >= 0)
		;
	scene_writes(&to, 1, 4);
	ward_assert_eq(scene.counts.sent + scene.counts.dropped, MANY + 1);
	ward_assert_eq(recv(peer, address, sizeof address, 0), 4);
	close(peer);
	scene_writes(&to, 1, 4);
	ward_assert_eq(scene.counts.refused, 1);
	ward_assert_eq(scene.counts.error, ECONNREFUSED);
	ward_assert_eq(scene_failures(), 0);
	ward_kit_finish(scene.kit);
}

/* What a write that cannot be says of itself, and that the actor failed. */
static void check_misuse(const ward_net_address *to, size_t size, const char *part)
{
	const ward_event *event;
	char text[640];

	scene_start("udp:127.0.0.1:0", &none, WARD_RESTART);
	scene_writes(to, 1, size);
	event = ward_kit_event(scene.kit, WARD_EVENT_FAILURE, "*", 0);
	ward_assert(event != NULL);
	ward_event_format(event, text, sizeof text);
	ward_assert_part(text, "ward_misuse");
	ward_assert_part(text, part);
	ward_kit_finish(scene.kit);
}

WARD_TEST(a_write_that_cannot_be_is_misuse, "S167")
{
	ward_net_address nobody = {0}, v6, un, v4;

	ward_assert_ok(ward_net_address_read("udp:[::1]:9", &v6));
	ward_assert_ok(ward_net_address_read("udp:127.0.0.1:9", &v4));
	ward_assert_ok(ward_net_address_read("unixgram:@x", &un));
	check_misuse(NULL, 1, "no receiver, and no .peer in the options");
	check_misuse(&nobody, 1, "cannot send to nobody");
	check_misuse(&v6, 1, "cannot send to udp:[::1]:9: that is nobody, or of another family");
	check_misuse(&un, 1, "cannot send to unixgram:@x");
	check_misuse(&v4, 65508, "65508 bytes: a datagram has at most 65507");
}

WARD_TEST(an_answer_to_a_socket_without_a_name_is_counted, "S167")
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int peer = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	char address[64], text[WARD_ADDRESS_TEXT];
	size_t size;

	snprintf(address, sizeof address, "unixgram:@ward-test-nameless-%d", getpid());
	scene_start(address, &none, WARD_RESTART);
	size = (size_t)snprintf(to.sun_path + 1, sizeof to.sun_path - 1, "ward-test-nameless-%d",
				getpid());
	ward_assert_eq(
		connect(peer, (struct sockaddr *)&to, (socklen_t)(sizeof to.sun_family + 1 + size)),
		0);
	scene_send(peer, "a");
	scene_send(peer, "b");
	scene_run();
	ward_assert_str(scene.got, "|a|b");
	ward_assert_str(ward_net_address_text(&scene.from, text), "nobody");
	ward_assert_eq(scene_failures(), 0);
	ward_assert_eq(scene.counts.refused, 2);
	ward_assert_eq(scene.counts.error, EDESTADDRREQ);
	close(peer);
	ward_kit_finish(scene.kit);
}

WARD_TEST_MAIN
