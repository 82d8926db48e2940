/* SPDX-License-Identifier: MIT
 *
 * names.c - looks names up.
 *
 * Without AI_ADDRCONFIG: it hides "localhost" on a machine that has no address but that. A family
 * that this machine has not is refused by connect() at once.
 */
#include "net/address/names.h"

#include <errno.h>
#include <netdb.h>
#include <string.h>

static bool refuse(struct wardi_net_refusal *ret_refusal, const char *host, int code)
{
	int error = errno;
	const char *advice = code == EAI_AGAIN    ? ": try again later, or use an IP address"
			     : code == EAI_MEMORY ? ""
						  : ": check the name, or use an IP address";

	if (code == EAI_SYSTEM)
		return wardi_refuse(ret_refusal, error, "getaddrinfo", "\"%.64s\"", host) == 0;
	wardi_refuse(ret_refusal, 0, "getaddrinfo", "\"%.64s\": %s%s", host, gai_strerror(code),
		     advice);
	ret_refusal->error = code == EAI_AGAIN ? EAGAIN : code == EAI_MEMORY ? ENOMEM : 0;
	return false;
}

/* False: it is not an address of TCP. */
static bool read_entry(const struct addrinfo *entry, uint16_t port,
		       struct wardi_socket_address *ret_address)
{
	*ret_address = (struct wardi_socket_address){.size = entry->ai_addrlen};
	if (entry->ai_family == AF_INET && entry->ai_addrlen == sizeof ret_address->socket.v4) {
		memcpy(&ret_address->socket.v4, entry->ai_addr, entry->ai_addrlen);
		ret_address->socket.v4.sin_port = htons(port);
		return true;
	}
	if (entry->ai_family == AF_INET6 && entry->ai_addrlen == sizeof ret_address->socket.v6) {
		memcpy(&ret_address->socket.v6, entry->ai_addr, entry->ai_addrlen);
		ret_address->socket.v6.sin6_port = htons(port);
		return true;
	}
	return false;
}

static void add_once(struct wardi_names *names, const struct wardi_socket_address *address)
{
	for (size_t i = 0; i < names->count; i++)
		if (names->list[i].size == address->size &&
		    memcmp(&names->list[i].socket, &address->socket, address->size) == 0)
			return;
	if (names->count < WARDI_NAMES_MAX)
		names->list[names->count++] = *address;
}

/* Those of the first family in front, then one of each in turn. */
static void alternate(const struct wardi_names *first, const struct wardi_names *second,
		      struct wardi_names *ret_names)
{
	ret_names->count = 0;
	for (size_t i = 0; i < WARDI_NAMES_MAX; i++) {
		if (i < first->count)
			add_once(ret_names, &first->list[i]);
		if (i < second->count)
			add_once(ret_names, &second->list[i]);
	}
}

static void sort(const struct addrinfo *entries, uint16_t port, struct wardi_names *ret_names)
{
	struct wardi_names first = {0}, second = {0};
	struct wardi_socket_address address;

	for (; entries != NULL; entries = entries->ai_next) {
		if (!read_entry(entries, port, &address))
			continue;
		if (first.count == 0 ||
		    first.list[0].socket.any.sa_family == address.socket.any.sa_family)
			add_once(&first, &address);
		else
			add_once(&second, &address);
	}
	alternate(&first, &second, ret_names);
}

bool wardi_names_find(const char *host, uint16_t port, struct wardi_names *ret_names,
		      struct wardi_net_refusal *ret_refusal)
{
	const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
	struct addrinfo *entries = NULL;
	int code = getaddrinfo(host, NULL, &hints, &entries);

	if (code != 0)
		return refuse(ret_refusal, host, code);
	sort(entries, port, ret_names);
	freeaddrinfo(entries);
	return ret_names->count > 0 || refuse(ret_refusal, host, EAI_NONAME);
}
