/* SPDX-License-Identifier: MIT
 *
 * test_listening.c - sockets that listen at addresses of TCP, at abstract names, and at what cannot
 * be listened at.
 *
 * Method: real sockets on loopback, with the descriptors counted before and after. Where the
 * machine has no IPv6 the refusals are checked instead.
 */
#include <netinet/tcp.h>

#include "unit/net/sockets.h"

/* Listens at an address that is refused; returns what refused it. */
static struct wardi_net_refusal refused_at(const char *text, const struct wardi_listening *how)
{
	struct wardi_net_refusal refusal;
	char path[WARD_ADDRESS_TEXT];
	int before = count_fds();

	ward_assert_eq(listen_at(text, how, path, &refusal), -1);
	ward_assert_str(path, "");
	ward_assert_eq(count_fds(), before);
	return refusal;
}

static void check_without_v6(const char *text)
{
	struct wardi_net_refusal refusal = refused_at(text, NULL);

	ward_assert(refusal.error == EAFNOSUPPORT || refusal.error == EADDRNOTAVAIL);
}

WARD_TEST(ipv4_is_listened_at_and_reached)
{
	int before = count_fds(), fd = listens_at("tcp:127.0.0.1:0", NULL);
	char text[WARD_ADDRESS_TEXT];

	check_flags(fd);
	ward_assert_eq(int_option(fd, SOL_SOCKET, SO_REUSEADDR), 1);
	ward_assert_eq(int_option(fd, SOL_SOCKET, SO_REUSEPORT), 0);
	ward_assert(own_port(fd) > 0);
	check_reached(fd, own_address(fd, text));
	close(fd);
	ward_assert_eq(count_fds(), before);
}

WARD_TEST(ipv6_is_listened_at_alone)
{
	char text[WARD_ADDRESS_TEXT];
	int fd;

	if (!has_v6()) {
		check_without_v6("tcp:[::1]:0");
		return;
	}
	fd = listens_at("tcp:[::1]:0", NULL);
	check_flags(fd);
	check_reached(fd, own_address(fd, text));
	close(fd);
	fd = listens_at("tcp:[::]:0", NULL);
	ward_assert_eq(int_option(fd, IPPROTO_IPV6, IPV6_V6ONLY), 1);
	snprintf(text, sizeof text, "tcp:[::1]:%u", own_port(fd));
	check_reached(fd, text);
	snprintf(text, sizeof text, "tcp:127.0.0.1:%u", own_port(fd));
	ward_assert_eq(reach_text(text), -ECONNREFUSED);
	close(fd);
}

WARD_TEST(any_address_is_reached_by_both_families_at_one_port)
{
	int fd = listens_at("tcp:*:0", NULL);
	char text[WARD_ADDRESS_TEXT];

	check_flags(fd);
	snprintf(text, sizeof text, "tcp:127.0.0.1:%u", own_port(fd));
	check_reached(fd, text);
	if (has_v6()) {
		snprintf(text, sizeof text, "tcp:[::1]:%u", own_port(fd));
		check_reached(fd, text);
	} else {
		/* A machine may have sockets of IPv6, and no address. */
		ward_assert(strncmp(own_address(fd, text), "tcp:0.0.0.0:", 12) == 0 ||
			    strncmp(text, "tcp:[::]:", 9) == 0);
	}
	close(fd);
}

WARD_TEST(port_in_use_is_refused)
{
	int fd = listens_at("tcp:127.0.0.1:0", NULL);
	struct wardi_net_refusal refusal;
	char text[WARD_ADDRESS_TEXT];

	refusal = refused_at(own_address(fd, text), NULL);
	ward_assert_eq(refusal.error, EADDRINUSE);
	ward_assert_str(refusal.call, "bind");
	ward_assert_str(refusal.text,
			"Address already in use: another socket has it: take another one, "
			"or end that");
	/* With all addresses it is the same port, though IPv6 would have it free. */
	snprintf(text, sizeof text, "tcp:*:%u", own_port(fd));
	ward_assert_eq(refused_at(text, NULL).error, EADDRINUSE);
	ward_assert_eq(
		refused_at(own_address(fd, text), &(struct wardi_listening){.reuse_port = true})
			.error,
		EADDRINUSE);
	close(fd);
	fd = listens_at(text, NULL);
	close(fd);
}

WARD_TEST(port_is_shared_on_request)
{
	const struct wardi_listening shared = {.reuse_port = true};
	int one = listens_at("tcp:127.0.0.1:0", &shared), two;
	char text[WARD_ADDRESS_TEXT];

	two = listens_at(own_address(one, text), &shared);
	ward_assert_eq(own_port(one), own_port(two));
	ward_assert_eq(refused_at(text, NULL).error, EADDRINUSE);
	close(one);
	check_reached(two, text);
	close(two);
}

WARD_TEST(port_is_free_again_while_old_connections_linger)
{
	int fd = listens_at("tcp:127.0.0.1:0", NULL), client, peer;
	char text[WARD_ADDRESS_TEXT], byte;

	client = reach_text(own_address(fd, text));
	peer = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
	ward_assert(peer >= 0);
	close(peer); /* the side that closes first keeps the port, in TIME_WAIT */
	ward_assert_eq(read(client, &byte, 1), 0);
	close(client);
	close(fd);
	fd = listens_at(text, NULL);
	close(fd);
}

WARD_TEST(address_of_another_machine_is_refused)
{
	struct wardi_net_refusal refusal = refused_at("tcp:192.0.2.1:0", NULL);

	ward_assert_eq(refusal.error, EADDRNOTAVAIL);
	ward_assert_str(refusal.call, "bind");
	ward_assert_part(refusal.text, ": no interface of this machine has that address");
}

WARD_TEST(backlog_is_the_largest_or_that_of_the_caller)
{
	const struct wardi_listening small = {.backlog = 3};
	char file[20] = "";
	FILE *most = fopen("/proc/sys/net/core/somaxconn", "r");
	struct tcp_info info;
	socklen_t size = sizeof info;
	int fd;

	ward_assert(most != NULL && fgets(file, sizeof file, most) != NULL);
	fclose(most);
	fd = listens_at("tcp:127.0.0.1:0", NULL);
	ward_assert_eq(getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size), 0);
	ward_assert_eq(info.tcpi_sacked, atoi(file)); /* of a listener: the room of its queue */
	close(fd);
	fd = listens_at("tcp:127.0.0.1:0", &small);
	ward_assert_eq(getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size), 0);
	ward_assert_eq(info.tcpi_sacked, 3);
	close(fd);
}

WARD_TEST(abstract_name_is_listened_at_once)
{
	char text[80], got[WARD_ADDRESS_TEXT];
	int fd;

	snprintf(text, sizeof text, "unix:@ward-test-%d", (int)getpid());
	fd = listens_at(text, NULL);
	check_flags(fd);
	ward_assert_str(own_address(fd, got), text);
	check_reached(fd, text);
	/* reuse_port and unix_replace have nothing to do with it. */
	ward_assert_eq(refused_at(text, &(struct wardi_listening){.reuse_port = true,
								  .unix_replace = true})
			       .error,
		       EADDRINUSE);
	close(fd);
	fd = listens_at(text, NULL);
	close(fd);
}

WARD_TEST(name_and_simulation_are_not_listened_at)
{
	struct wardi_net_refusal refusal = refused_at("tcp:localhost:7000", NULL);

	ward_assert_eq(refusal.error, 0);
	ward_assert_part(refusal.text, "as tcp:127.0.0.1:7000 or tcp:*:7000");
	refusal = refused_at("sim:a", NULL);
	ward_assert_eq(refusal.error, 0);
	ward_assert_part(refusal.text, "sim: is for systems that are simulated");
}

WARD_TEST_MAIN
