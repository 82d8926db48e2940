/* SPDX-License-Identifier: MIT
 *
 * test_datagrams.c - datagrams that come: whole, cut, empty, in batches, over IPv4 and IPv6.
 */
#include <sys/un.h>

#include "datagram_scene.h"

static const ward_datagram_options none;

WARD_TEST(a_datagram_comes_once_with_its_sender_and_is_answered, "S166")
{
	char text[WARD_ADDRESS_TEXT], wanted[WARD_ADDRESS_TEXT];
	struct sockaddr_in own;
	socklen_t size = sizeof own;
	int peer;

	scene_start("udp:127.0.0.1:0", &none, WARD_RESTART);
	peer = scene_peer("127.0.0.1");
	scene_send(peer, "a");
	scene_send(peer, "");
	scene_send(peer, "b c");
	scene_run();
	ward_assert_str(scene.got, "|a||b c");
	ward_assert_str(scene_answers(peer), "|1.1: a|1.2: |1.3: b c");
	ward_assert_eq(getsockname(peer, (struct sockaddr *)&own, &size), 0);
	snprintf(wanted, sizeof wanted, "udp:127.0.0.1:%u", ntohs(own.sin_port));
	ward_assert_str(ward_net_address_text(&scene.from, text), wanted);
	scene_send(peer, ""); /* where "a" was; behind it there is a 0, too */
	scene_run();
	ward_assert_str(scene_answers(peer), "|1.4: ");
	ward_assert_eq(scene.counts.received, 4);
	ward_assert_eq(scene.counts.sent, 4);
	ward_assert_eq(scene.counts.cut, 0);
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_NOTE, "*"), 0);
	close(peer);
	ward_kit_finish(scene.kit);
}

static bool has_v6(void)
{
	struct sockaddr_in6 at = {.sin6_family = AF_INET6, .sin6_addr = in6addr_loopback};
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool has = fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof at) == 0;

	if (fd >= 0)
		close(fd);
	return has;
}

WARD_TEST(ipv6_is_as_ipv4, "S166")
{
	int peer;

	if (!has_v6())
		return;
	scene_start("udp:[::1]:0", &none, WARD_RESTART);
	peer = scene_peer("[::1]");
	scene_send(peer, "a");
	scene_run();
	ward_assert_str(scene_answers(peer), "|1.1: a");
	close(peer);
	ward_kit_finish(scene.kit);
}

WARD_TEST(one_socket_at_all_addresses_answers_both_families, "S166")
{
	struct sockaddr_in own;
	socklen_t size = sizeof own;
	char text[WARD_ADDRESS_TEXT];
	ward_net_address read;
	int peer, other;

	scene_start("udp:*:0", &none, WARD_RESTART);
	peer = scene_peer("127.0.0.1");
	scene_send(peer, "a");
	scene_run();
	ward_assert_str(scene_answers(peer), "|1.1: a");
	ward_assert_eq(getsockname(peer, (struct sockaddr *)&own, &size), 0);
	snprintf(text, sizeof text, "udp:127.0.0.1:%u", ntohs(own.sin_port));
	ward_assert_ok(ward_net_address_read(text, &read));
	ward_assert(ward_net_address_equal(&read, &scene.from));
	if (has_v6()) {
		other = scene_peer("[::1]");
		scene_send(other, "b");
		scene_run();
		ward_assert_str(scene_answers(other), "|1.2: b");
		close(other);
	}
	close(peer);
	ward_kit_finish(scene.kit);
}

WARD_TEST(a_datagram_over_size_max_is_cut_and_counted, "S166")
{
	static const ward_datagram_options small = {.size_max = 4};
	int peer;

	scene_start("udp:127.0.0.1:0", &small, WARD_RESTART);
	peer = scene_peer("127.0.0.1");
	scene_send(peer, "abcd");
	scene_send(peer, "abcdefgh");
	scene_send(peer, "ij");
	scene_run();
	ward_assert_str(scene.got, "|abcd|abcd|ij");
	ward_assert_eq(scene.counts.cut, 1);
	ward_assert_eq(scene.counts.received, 3);
	close(peer);
	ward_kit_finish(scene.kit);
}

WARD_TEST(after_a_batch_others_have_their_turns, "S166")
{
	static const ward_datagram_options four = {.batch = 4};
	int peer;

	scene_start("udp:127.0.0.1:0", &four, WARD_RESTART);
	peer = scene_peer("127.0.0.1");
	for (char text[2] = "a"; text[0] < 'k'; text[0]++)
		scene_send(peer, text);
	scene_run();
	ward_assert_str(scene.got, "|a|b|c|d|e|f|g|h|i|j");
	ward_assert_eq(scene.messages, 3);
	close(peer);
	ward_kit_finish(scene.kit);
}

WARD_TEST(a_loop_that_is_left_early_goes_on, "S166")
{
	int peer;

	scene_start("udp:127.0.0.1:0", &none, WARD_RESTART);
	peer = scene_peer("127.0.0.1");
	scene_send(peer, "a");
	scene_send(peer, "leave");
	scene_send(peer, "b");
	scene_send(peer, "leave");
	scene_send(peer, "c");
	scene_run();
	scene_run();
	ward_assert_str(scene.got, "|a|leave|b|leave|c");
	close(peer);
	ward_kit_finish(scene.kit);
}

WARD_TEST(a_receive_that_forgets_the_result_is_told_and_goes_on, "S166")
{
	int peer;

	scene_start("udp:127.0.0.1:0", &none, WARD_RESTART);
	peer = scene_peer("127.0.0.1");
	scene.forgets = 2;
	for (int i = 0; i < 4; i++) {
		scene_send(peer, "a");
		scene_run();
	}
	ward_assert_str(scene.got, "|a|a|a|a");
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_NOTE, "*"), 1);
	ward_assert_str(scene_answers(peer), "|1.1: a|1.2: a|1.3: a|1.4: a");
	close(peer);
	ward_kit_finish(scene.kit);
}

WARD_TEST(datagrams_of_unix_sockets_are_as_those_of_udp, "S166")
{
	char address[64], text[WARD_ADDRESS_TEXT];
	struct sockaddr_un own = {.sun_family = AF_UNIX}, to = {.sun_family = AF_UNIX};
	socklen_t size;
	int peer = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	snprintf(address, sizeof address, "unixgram:@ward-test-datagrams-%d", getpid());
	scene_start(address, &none, WARD_RESTART);
	ward_assert_str(scene.own, address);
	snprintf(own.sun_path + 1, sizeof own.sun_path - 1, "ward-test-peer-%d", getpid());
	size = (socklen_t)(sizeof own.sun_family + 1 + strlen(own.sun_path + 1));
	ward_assert_eq(bind(peer, (struct sockaddr *)&own, size), 0);
	snprintf(to.sun_path + 1, sizeof to.sun_path - 1, "ward-test-datagrams-%d", getpid());
	size = (socklen_t)(sizeof to.sun_family + 1 + strlen(to.sun_path + 1));
	ward_assert_eq(connect(peer, (struct sockaddr *)&to, size), 0);
	scene_send(peer, "a");
	scene_run();
	ward_assert_str(scene_answers(peer), "|1.1: a");
	snprintf(address, sizeof address, "unixgram:@ward-test-peer-%d", getpid());
	ward_assert_str(ward_net_address_text(&scene.from, text), address);
	close(peer);
	ward_kit_finish(scene.kit);
}

WARD_TEST_MAIN
