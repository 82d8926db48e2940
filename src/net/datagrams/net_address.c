/* SPDX-License-Identifier: MIT
 *
 * net_address.c - addresses of datagrams as values: read, written, compared.
 *
 * Equal addresses have equal bytes: IPv4 has one form, and what the kernel does not compare (the
 * flow of IPv6) is zero.
 */
#include "net/datagrams/net_address.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>
#include <ward/extend.h>

WARD_STATIC_ASSERT(sizeof(struct sockaddr_un) <= sizeof(((ward_net_address *)NULL)->bytes),
		   "any address has room");

static ward_net_address value_of(const void *socket, size_t size)
{
	ward_net_address address = {.size = (uint32_t)size};

	memcpy(address.bytes, socket, size);
	return address;
}

static ward_net_address v4_of(const struct wardi_peer *peer)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(peer->port)};

	memcpy(&v4.sin_addr, peer->ip, sizeof v4.sin_addr);
	return value_of(&v4, sizeof v4);
}

static ward_net_address v6_of(const struct wardi_peer *peer)
{
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6,
				  .sin6_port = htons(peer->port),
				  .sin6_scope_id = peer->scope};

	memcpy(&v6.sin6_addr, peer->ip, sizeof v6.sin6_addr);
	return value_of(&v6, sizeof v6);
}

ward_net_address wardi_net_address_of(const struct sockaddr *socket, socklen_t size)
{
	struct wardi_peer peer = wardi_peer_of(socket, size);

	if (peer.family == AF_INET)
		return v4_of(&peer);
	if (peer.family == AF_INET6)
		return v6_of(&peer);
	if (peer.family == AF_UNIX && size <= sizeof(struct sockaddr_un))
		return value_of(socket, size);
	return (ward_net_address){0};
}

static bool is_of_datagrams(enum wardi_address_kind kind)
{
	return kind == WARDI_ADDRESS_UDP || kind == WARDI_ADDRESS_UDP_ANY ||
	       kind == WARDI_ADDRESS_UNIXGRAM;
}

ward_err wardi_datagram_address_read(struct wardi_address *ret_address, const char *text)
{
	ward_err err = wardi_address_read(ret_address, text, text != NULL ? strlen(text) : 0);
	char line[WARD_ADDRESS_TEXT];

	if (err != WARD_OK || is_of_datagrams(ret_address->kind))
		return err;
	ward_text_line(line, sizeof line, text, strlen(text));
	return ward_refused(
		WARD_EINVAL,
		"address \"%s\": datagrams have udp:IP:PORT, such as udp:127.0.0.1:8125 "
		"or udp:*:8125, or unixgram:PATH",
		line);
}

ward_err ward_net_address_read(const char *text, ward_net_address *ret_address)
{
	struct wardi_address address;
	ward_err err = wardi_datagram_address_read(&address, text);

	*ret_address = (ward_net_address){0};
	if (err != WARD_OK)
		return err;
	if (address.kind == WARDI_ADDRESS_UDP_ANY)
		return ward_refused(WARD_EINVAL,
				    "address \"%s\": that is to receive at: to send write the "
				    "address of one machine",
				    text);
	if (address.kind == WARDI_ADDRESS_UDP && address.port == 0)
		return ward_refused(WARD_EINVAL,
				    "address \"%s\": port 0 is to receive at: to send it is 1 to "
				    "65535",
				    text);
	*ret_address = wardi_net_address_of(&address.socket.any, address.size);
	return WARD_OK;
}

const char *ward_net_address_text(const ward_net_address *address, char ret_text[WARD_ADDRESS_TEXT])
{
	const struct sockaddr *socket = (const void *)address->bytes;
	char text[WARD_ADDRESS_TEXT];
	const char *rest;

	wardi_address_text(socket, address->size, text);
	rest = strchr(text, ':');
	if (rest == NULL)
		snprintf(ret_text, WARD_ADDRESS_TEXT, "%s", text);
	else
		snprintf(ret_text, WARD_ADDRESS_TEXT, "%s%.118s",
			 text[0] == 'u' ? "unixgram" : "udp", rest);
	return ret_text;
}

int ward_net_address_compare(const ward_net_address *a, const ward_net_address *b)
{
	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	return memcmp(a->bytes, b->bytes, sizeof a->bytes);
}
