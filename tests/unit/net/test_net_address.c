/* SPDX-License-Identifier: MIT
 *
 * test_net_address.c - addresses of datagrams as values: read, written, compared, mapped.
 */
#include <sys/un.h>

#include "net/datagrams/net_address.h"
#include "unit/net/sockets.h"

static ward_net_address value_of(const char *text)
{
	ward_net_address address;

	ward_assert_ok(ward_net_address_read(text, &address));
	return address;
}

WARD_TEST(what_is_written_is_what_was_read)
{
	static const char *const rows[][2] = {
		{"udp:127.0.0.1:8125", NULL},
		{"udp:255.255.255.255:65535", NULL},
		{"udp:[::1]:53", NULL},
		{"udp:[2001:DB8:0::7]:80", "udp:[2001:db8::7]:80"},
		{"udp:[::ffff:10.0.0.7]:80", "udp:10.0.0.7:80"},
		{"unixgram:/run/a.sock", NULL},
		{"unixgram:@a:b", NULL},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char text[WARD_ADDRESS_TEXT];
		ward_net_address address = value_of(rows[i][0]);

		ward_assert_str(ward_net_address_text(&address, text),
				rows[i][1] != NULL ? rows[i][1] : rows[i][0]);
	}
}

WARD_TEST(the_longest_path_has_room)
{
	char address[128] = "unixgram:/", text[WARD_ADDRESS_TEXT];
	ward_net_address value;

	memset(address + 10, 'x', 106);
	value = value_of(address);
	ward_assert_str(ward_net_address_text(&value, text), address);
}

WARD_TEST(nobody_is_all_zero)
{
	const ward_net_address nobody = {0};
	char text[WARD_ADDRESS_TEXT];
	ward_net_address of_none = wardi_net_address_of(NULL, 0);
	struct sockaddr unnamed = {.sa_family = AF_UNSPEC};
	ward_net_address of_other = wardi_net_address_of(&unnamed, sizeof unnamed);

	ward_assert_str(ward_net_address_text(&nobody, text), "nobody");
	ward_assert(ward_net_address_equal(&nobody, &of_none));
	ward_assert(ward_net_address_equal(&nobody, &of_other));
}

WARD_TEST(an_address_that_nothing_can_be_sent_to_is_refused)
{
	static const struct {
		const char *text, *part;
	} rows[] = {
		{"udp:*:8125", "that is to receive at"},
		{"udp:127.0.0.1:0", "port 0 is to receive at"},
		{"udp:localhost:80", "names are not looked up for datagrams: write udp:IP:PORT"},
		{"udp:127.0.0.1", "there is no port: write udp:IP:PORT"},
		{"udp:::1:80", "as in udp:[::1]:7000"},
		{"udp:127.1:80", "as in udp:127.0.0.1:7000"},
		{"udp:[x]:80", "as in udp:[::1]:7000"},
		{"unixgram:a", "as in unixgram:/run/a.sock"},
		{"tcp:127.0.0.1:80", "datagrams have udp:IP:PORT"},
		{"unix:@a", "datagrams have udp:IP:PORT"},
		{"", "there is none"},
		{NULL, "there is none"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		ward_net_address address = {.size = 9};

		ward_assert_err(ward_net_address_read(rows[i].text, &address), WARD_EINVAL);
		ward_assert_part(ward_err_detail(), rows[i].part);
		ward_assert_eq(address.size, 0);
	}
}

WARD_TEST(addresses_have_an_order)
{
	static const char *const texts[] = {"udp:127.0.0.1:1", "udp:127.0.0.1:2", "udp:127.0.0.2:1",
					    "udp:[::1]:1",     "udp:[::2]:1",     "unixgram:@a",
					    "unixgram:@b",     "unixgram:@aa"};
	enum { COUNT = sizeof texts / sizeof texts[0] };

	for (int i = 0; i < COUNT; i++)
		for (int j = 0; j < COUNT; j++) {
			ward_net_address a = value_of(texts[i]), b = value_of(texts[j]);
			int order = ward_net_address_compare(&a, &b);

			ward_assert_eq(order == 0, i == j);
			ward_assert_eq(order > 0, ward_net_address_compare(&b, &a) < 0);
			ward_assert_eq(ward_net_address_equal(&a, &b), i == j);
		}
}

WARD_TEST(mapped_and_flowing_addresses_are_one_with_the_plain_one)
{
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(7)};
	ward_net_address plain = value_of("udp:10.0.0.7:7"), other;

	memcpy(v6.sin6_addr.s6_addr, "\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\0\0\7", 16);
	other = wardi_net_address_of((struct sockaddr *)&v6, sizeof v6);
	ward_assert(ward_net_address_equal(&plain, &other));
	plain = value_of("udp:[::1]:7");
	v6.sin6_addr = in6addr_loopback;
	v6.sin6_flowinfo = 5;
	other = wardi_net_address_of((struct sockaddr *)&v6, sizeof v6);
	ward_assert(ward_net_address_equal(&plain, &other));
}

WARD_TEST_MAIN
