/* SPDX-License-Identifier: MIT
 *
 * test_address.c - addresses as text: what is read, what is refused and in which words, and that
 * what is written is read as the same.
 */
#include <arpa/inet.h>
#include <net/if.h>
#include <stddef.h>
#include <sys/un.h>

#include <ward/text.h>

#include "unit/net/sockets.h"

enum { PATH_MAX_BYTES = 107, ROUNDS = 2000 };

/* Reads a text that lies in a block of its own, so that a sanitizer sees what is read behind it. */
static ward_err read_bytes(struct wardi_address *address, const char *text, size_t size)
{
	char *block = malloc(size > 0 ? size : 1);
	ward_err err;

	ward_assert(block != NULL);
	memcpy(block, text, size);
	err = wardi_address_read(address, block, size);
	free(block);
	return err;
}

static void check_refused(const char *text, size_t size, const char *part)
{
	struct wardi_address address;

	ward_assert_err(read_bytes(&address, text, size), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), part);
}

static const char *socket_text(const struct wardi_address *address, char text[WARD_ADDRESS_TEXT])
{
	return wardi_address_text(&address->socket.any, address->size, text);
}

WARD_TEST(sockets_are_read_and_written_the_same)
{
	static const struct {
		const char *text, *written; /* NULL: the same */
		int family;
		uint16_t port;
	} rows[] = {
		{"tcp:127.0.0.1:7000", NULL, AF_INET, 7000},
		{"tcp:0.0.0.0:0", NULL, AF_INET, 0},
		{"tcp:255.255.255.255:65535", NULL, AF_INET, 65535},
		{"tcp:[::1]:7000", NULL, AF_INET6, 7000},
		{"tcp:[::]:0", NULL, AF_INET6, 0},
		{"tcp:[2001:DB8:0::7]:80", "tcp:[2001:db8::7]:80", AF_INET6, 80},
		{"tcp:[::ffff:10.0.0.7]:80", "tcp:10.0.0.7:80", AF_INET, 80},
		{"tcp:[1:2:3:4:5:6:7:8]:9", NULL, AF_INET6, 9},
		{"unix:/run/a.sock", NULL, AF_UNIX, 0},
		{"unix:/", NULL, AF_UNIX, 0},
		{"unix:/a b:c@d", NULL, AF_UNIX, 0},
		{"unix:@a", NULL, AF_UNIX, 0},
		{"unix:@@", NULL, AF_UNIX, 0},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct wardi_address address;
		char text[WARD_ADDRESS_TEXT];

		ward_assert_ok(read_bytes(&address, rows[i].text, strlen(rows[i].text)));
		ward_assert_eq(address.kind,
			       rows[i].family == AF_UNIX ? WARDI_ADDRESS_UNIX : WARDI_ADDRESS_TCP);
		ward_assert_eq(address.socket.any.sa_family, rows[i].family);
		ward_assert_eq(address.port, rows[i].port);
		ward_assert_eq(address.fd, -1);
		ward_assert_str(address.host, "");
		ward_assert_str(socket_text(&address, text),
				rows[i].written != NULL ? rows[i].written : rows[i].text);
	}
}

WARD_TEST(abstract_name_begins_with_a_byte_0)
{
	struct wardi_address address = read_address("unix:@ab"), path = read_address("unix:/ab");

	ward_assert_eq(memcmp(address.socket.un.sun_path, "\0ab", 4), 0);
	ward_assert_eq(address.size, offsetof(struct sockaddr_un, sun_path) + 3);
	ward_assert_eq(path.size, offsetof(struct sockaddr_un, sun_path) + 4);
}

WARD_TEST(what_is_no_socket_yet_is_read_as_its_kind)
{
	static const struct {
		const char *text;
		enum wardi_address_kind kind;
		const char *host;
		uint16_t port;
		int fd;
	} rows[] = {
		{"tcp:*:7000", WARDI_ADDRESS_ANY, "", 7000, -1},
		{"tcp:*:0", WARDI_ADDRESS_ANY, "", 0, -1},
		{"tcp:example.org:80", WARDI_ADDRESS_NAME, "example.org", 80, -1},
		{"tcp:example.org.:80", WARDI_ADDRESS_NAME, "example.org.", 80, -1},
		{"tcp:localhost:65535", WARDI_ADDRESS_NAME, "localhost", 65535, -1},
		{"tcp:3f2a9c:1", WARDI_ADDRESS_NAME, "3f2a9c", 1, -1},
		{"tcp:10.0.0.7.in_a-b:1", WARDI_ADDRESS_NAME, "10.0.0.7.in_a-b", 1, -1},
		{"fd:0", WARDI_ADDRESS_FD, "", 0, 0},
		{"fd:2147483647", WARDI_ADDRESS_FD, "", 0, 2147483647},
		{"systemd:", WARDI_ADDRESS_SYSTEMD, "", 0, -1},
		{"systemd:web.socket", WARDI_ADDRESS_SYSTEMD, "web.socket", 0, -1},
		{"sim:server:7000", WARDI_ADDRESS_SIM, "server:7000", 0, -1},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct wardi_address address;

		ward_assert_ok(read_bytes(&address, rows[i].text, strlen(rows[i].text)));
		ward_assert_eq(address.kind, rows[i].kind);
		ward_assert_str(address.host, rows[i].host);
		ward_assert_eq(address.port, rows[i].port);
		ward_assert_eq(address.fd, rows[i].fd);
		ward_assert_eq(address.size, 0);
	}
}

static const char port[] = "the port is a number of 0 to 65535";
static const char ipv4[] = "an IPv4 address has four numbers of 0 to 255";
static const char number[] = "behind fd: is the number of a descriptor, as in fd:3";
static const struct {
	const char *text, *part;
} wrong_texts[] = {
	{"7000", "an address begins with its scheme: tcp:, unix:, fd: or systemd:"},
	{"http://a:80", "begins with its scheme"},
	{"TCP:127.0.0.1:80", "begins with its scheme"},
	{" tcp:127.0.0.1:80", "begins with its scheme"},
	{"tcp", "begins with its scheme"},
	{"tcp:", "there is no port: write tcp:HOST:PORT"},
	{"tcp:127.0.0.1", "there is no port: write tcp:HOST:PORT"},
	{"tcp::80", "there is no host: write tcp:HOST:PORT"},
	{"tcp:127.0.0.1:", port},
	{"tcp:127.0.0.1:65536", port},
	{"tcp:127.0.0.1:18446744073709551696", port},
	{"tcp:127.0.0.1:+80", port},
	{"tcp:127.0.0.1:-0", port},
	{"tcp:127.0.0.1: 80", port},
	{"tcp:127.0.0.1:80 ", port},
	{"tcp:127.0.0.1:080", port},
	{"tcp:127.0.0.1:0x50", port},
	{"tcp:127.0.0.1:http", port},
	{"tcp:*:x", port},
	{"tcp:127.1:80", ipv4},
	{"tcp:2130706433:80", ipv4},
	{"tcp:0x7f.1:80", ipv4},
	{"tcp:127.0.0.0X1f:80", ipv4},
	{"tcp:127.0.0.1.:80", ipv4},
	{"tcp:256.0.0.1:80", ipv4},
	{"tcp:127.0.0.01:80", ipv4},
	{"tcp:1.2.3.4.5:80", ipv4},
	{"tcp:::1:80", "an IPv6 address is in brackets, as in tcp:[::1]:7000"},
	{"tcp:[::1:80", "there is no ']'"},
	{"tcp:[", "there is no ']'"},
	{"tcp:[::1]", "behind ']' is a colon and the port"},
	{"tcp:[::1]80", "behind ']' is a colon and the port"},
	{"tcp:[::1]:", port},
	{"tcp:[]:80", "there is no host"},
	{"tcp:[127.0.0.1]:80", "in brackets is an IPv6 address"},
	{"tcp:[::1::]:80", "in brackets is an IPv6 address"},
	{"tcp:[*]:80", "in brackets is an IPv6 address"},
	{"tcp:[::1%1]:80", "only an address of a link (fe80::/10) has an interface"},
	{"tcp:[fe80::1]:80", "needs its interface, as in tcp:[fe80::1%eth0]:7000"},
	{"tcp:[fe80::1%]:80", "the name of an interface, or its number"},
	{"tcp:[fe80::1%01]:80", "the name of an interface, or its number"},
	{"tcp:[fe80::1%4294967296]:80", "the name of an interface, or its number"},
	{"tcp:[fe80::1%0]:80", "interfaces are numbered from 1"},
	{"tcp:[fe80::1%longer-than-names]:80", "the name of an interface"},
	{"tcp:[fe80::1%no-such-if]:80", "the interface behind '%': No such device"},
	{"tcp:example.org:0", "a name is to connect to, and for that the port is 1 to 65535"},
	{"tcp:example..org:80", "no empty part"},
	{"tcp:.:80", "no empty part"},
	{"tcp:.org:80", "no empty part"},
	{"tcp:exa mple:80", "letters, digits, '-', '_' and dots only"},
	{"tcp:a/b:80", "letters, digits, '-', '_' and dots only"},
	{"tcp:user@host:80", "letters, digits, '-', '_' and dots only"},
	{"tcp:b\xc3\xbc"
	 "cher.de:80",
	 "written as xn--"},
	{"unix:", "a path begins with '/', as in unix:/run/a.sock"},
	{"unix:run/a", "a path begins with '/', as in unix:/run/a.sock"},
	{"unix:@", "behind '@' is a name"},
	{"fd:", number},
	{"fd:-1", number},
	{"fd:+3", number},
	{"fd:03", number},
	{"fd:3 ", number},
	{"fd:2147483648", number},
	{"systemd:a:b", "byte 2 of the name"},
	{"systemd:a b", "byte 2 of the name"},
	{"sim:", "behind sim: is a name"},
	{"sim:a\x7f", "byte 2 of the name"},
	{"sim:\xff", "byte 1 of the name"},
};

WARD_TEST(wrong_text_is_refused_with_what_is_right)
{
	for (size_t i = 0; i < sizeof wrong_texts / sizeof wrong_texts[0]; i++) {
		char quoted[100] = "address \"";

		check_refused(wrong_texts[i].text, strlen(wrong_texts[i].text),
			      wrong_texts[i].part);
		ward_text_line(quoted + 9, sizeof quoted - 9, wrong_texts[i].text, WARD_TEXT_ALL);
		ward_assert_part(ward_err_detail(), strcat(quoted, "\": "));
	}
}

WARD_TEST(no_text_and_a_byte_0_are_refused)
{
	struct wardi_address address;

	ward_assert_err(wardi_address_read(&address, NULL, 5), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "there is none: write tcp:HOST:PORT");
	check_refused("", 0, "there is none: write tcp:HOST:PORT");
	check_refused("unix:/a\0b", 9, "address \"unix:/a\": it goes on behind a byte 0");
	check_refused("tcp:127.0.0.1:80\0", 17, "it goes on behind a byte 0");
}

WARD_TEST(text_ends_where_its_size_says)
{
	struct wardi_address address;

	ward_assert_ok(read_bytes(&address, "tcp:127.0.0.1:7000", 16));
	ward_assert_eq(address.port, 70);
	ward_assert_ok(read_bytes(&address, "unix:/run", 7));
	ward_assert_str(address.socket.un.sun_path, "/r");
}

WARD_TEST(lengths_have_limits_that_the_refusal_tells)
{
	char text[400], name[300], part[80];
	struct wardi_address address;

	memset(name, 'a', sizeof name);
	for (int size = PATH_MAX_BYTES; size <= PATH_MAX_BYTES + 1; size++) {
		static const char *const forms[] = {"unix:/", "unix:@"};

		for (int i = 0; i < 2; i++) {
			int length =
				snprintf(text, sizeof text, "%s%.*s", forms[i], size - 1, name);
			char again[WARD_ADDRESS_TEXT];

			if (size > PATH_MAX_BYTES) {
				snprintf(part, sizeof part, "at most 107 bytes, this one has %d",
					 size);
				check_refused(text, (size_t)length, part);
				continue;
			}
			ward_assert_ok(read_bytes(&address, text, (size_t)length));
			ward_assert_str(socket_text(&address, again), text);
		}
	}
	snprintf(text, sizeof text, "tcp:%.63s.org:80", name);
	ward_assert_ok(read_bytes(&address, text, strlen(text)));
	snprintf(text, sizeof text, "tcp:%.64s.org:80", name);
	check_refused(text, strlen(text), "at most 63 bytes");
	for (int i = 63; i < 254; i += 64)
		name[i] = '.';
	snprintf(text, sizeof text, "tcp:%.253s:80", name);
	ward_assert_ok(read_bytes(&address, text, strlen(text)));
	snprintf(text, sizeof text, "tcp:%.254s:80", name);
	check_refused(text, strlen(text), "at most 253 bytes, this one has 254");
	snprintf(text, sizeof text, "sim:%.255s", name);
	ward_assert_ok(read_bytes(&address, text, strlen(text)));
	snprintf(text, sizeof text, "sim:%.256s", name);
	check_refused(text, strlen(text), "at most 255 bytes, this one has 256");
}

WARD_TEST(long_text_is_quoted_cut_and_its_reason_stays)
{
	char text[5000] = "unix:/";

	memset(text + 6, '\n', sizeof text - 6);
	check_refused(text, sizeof text,
		      "\\n...\": a path has at most 107 bytes, this one has 4995");
}

WARD_TEST(scope_is_a_name_or_a_number)
{
	struct if_nameindex *interfaces = if_nameindex();
	struct wardi_address address;
	char text[80], wanted[80], got[WARD_ADDRESS_TEXT];

	ward_assert(interfaces != NULL && interfaces[0].if_index != 0);
	snprintf(wanted, sizeof wanted, "tcp:[fe80::1%%%s]:80", interfaces[0].if_name);
	ward_assert_ok(read_bytes(&address, wanted, strlen(wanted)));
	ward_assert_eq(address.socket.v6.sin6_scope_id, interfaces[0].if_index);
	ward_assert_str(socket_text(&address, got), wanted);
	snprintf(text, sizeof text, "tcp:[fe80::1%%%u]:80", interfaces[0].if_index);
	ward_assert_ok(read_bytes(&address, text, strlen(text)));
	ward_assert_str(socket_text(&address, got), wanted);
	if_freenameindex(interfaces);
	/* A number of which there is no interface stays one. */
	snprintf(text, sizeof text, "tcp:[fe80::1%%4294967295]:80");
	ward_assert_ok(read_bytes(&address, text, strlen(text)));
	ward_assert_str(socket_text(&address, got), text);
}

WARD_TEST(any_ip_is_written_and_read_the_same)
{
	uint64_t seed = 7;
	size_t v6s = 0;

	for (int i = 0; i < ROUNDS; i++) {
		unsigned char bytes[sizeof(struct in6_addr)];
		struct wardi_address address, again;
		char text[WARD_ADDRESS_TEXT];

		for (size_t k = 0; k < sizeof bytes; k++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			bytes[k] = (seed >> 60) < 8 ? 0 : (unsigned char)(seed >> 40);
		}
		memset(&address, 0, sizeof address);
		if (i % 2 == 0) {
			address.size = sizeof address.socket.v4;
			address.socket.v4.sin_family = AF_INET;
			address.socket.v4.sin_port = (uint16_t)(seed >> 20);
			memcpy(&address.socket.v4.sin_addr, bytes, 4);
		} else {
			address.size = sizeof address.socket.v6;
			address.socket.v6.sin6_family = AF_INET6;
			address.socket.v6.sin6_port = (uint16_t)(seed >> 20);
			memcpy(&address.socket.v6.sin6_addr, bytes, sizeof bytes);
			if (IN6_IS_ADDR_LINKLOCAL(&address.socket.v6.sin6_addr))
				address.socket.v6.sin6_scope_id = 1;
			v6s += !IN6_IS_ADDR_V4MAPPED(&address.socket.v6.sin6_addr);
		}
		again = read_address(socket_text(&address, text));
		if (again.socket.any.sa_family == address.socket.any.sa_family)
			ward_assert_eq(memcmp(&again.socket, &address.socket, address.size), 0);
		else
			ward_assert(IN6_IS_ADDR_V4MAPPED(&address.socket.v6.sin6_addr));
	}
	ward_assert(v6s > ROUNDS / 4);
}

WARD_TEST(peers_are_written_in_each_family)
{
	struct sockaddr_in6 mapped = {.sin6_family = AF_INET6, .sin6_port = htons(51234)};
	struct sockaddr_in v4 = {.sin_family = AF_INET};
	struct sockaddr_un un = {.sun_family = AF_UNIX, .sun_path = "/run/a"};
	struct sockaddr other = {.sa_family = AF_APPLETALK};
	struct wardi_peer peer;
	char text[WARD_ADDRESS_TEXT];

	ward_assert_eq(inet_pton(AF_INET6, "::ffff:10.0.0.7", &mapped.sin6_addr), 1);
	peer = wardi_peer_of((struct sockaddr *)&mapped, sizeof mapped);
	ward_assert_eq(peer.family, AF_INET);
	ward_assert_str(wardi_peer_text(&peer, text), "tcp:10.0.0.7:51234");
	peer = wardi_peer_of((struct sockaddr *)&un, sizeof un);
	ward_assert_str(wardi_peer_text(&peer, text), "unix:");
	peer = wardi_peer_of(NULL, 0);
	ward_assert_str(wardi_peer_text(&peer, text), "nobody");
	peer = wardi_peer_of((struct sockaddr *)&mapped, 0);
	ward_assert_str(wardi_peer_text(&peer, text), "nobody");
	/* Too short to have the address. */
	peer = wardi_peer_of((struct sockaddr *)&mapped, 8);
	ward_assert_str(wardi_peer_text(&peer, text), "nobody");
	peer = wardi_peer_of((struct sockaddr *)&v4, 8);
	ward_assert_str(wardi_peer_text(&peer, text), "nobody");
	peer = wardi_peer_of(&other, sizeof other);
	ward_assert_str(wardi_peer_text(&peer, text), "family 5");
}

WARD_TEST(unix_sockets_of_others_are_written_whole)
{
	const size_t before = offsetof(struct sockaddr_un, sun_path);
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	char text[WARD_ADDRESS_TEXT];

	ward_assert_str(wardi_address_text((struct sockaddr *)&un, before, text), "unix:");
	memcpy(un.sun_path, "\0a\0b", 4);
	ward_assert_str(wardi_address_text((struct sockaddr *)&un, before + 4, text), "unix:@a@b");
	/* Linux allows a path that fills its room, without a 0. */
	memset(un.sun_path, 'x', sizeof un.sun_path);
	ward_assert_eq(strlen(wardi_address_text((struct sockaddr *)&un, sizeof un, text)),
		       5 + sizeof un.sun_path);
}

WARD_TEST_MAIN
