/* SPDX-License-Identifier: MIT
 *
 * fuzz_address.c - any bytes as an address: they are refused with a text that quotes them, or read,
 * and then what is written of them is read as the same. For libFuzzer, and for replay.c.
 */
#include <stdlib.h>
#include <string.h>

#include "net/address/address.h"
#include "net/datagrams/net_address.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static bool is_text(const char *text, size_t max, bool may_be_empty)
{
	size_t size = strnlen(text, max);

	return size < max && (may_be_empty || size > 0);
}

/* A socket has one text, and this text is an address of the same socket. */
static void check_written(const struct wardi_address *address)
{
	char text[WARD_ADDRESS_TEXT], once_more[WARD_ADDRESS_TEXT];
	struct wardi_address again;

	wardi_address_text(&address->socket.any, address->size, text);
	check(wardi_address_read(&again, text, strlen(text)) == WARD_OK);
	check(again.kind == address->kind && again.size == address->size);
	check(memcmp(&again.socket, &address->socket, address->size) == 0);
	wardi_address_text(&again.socket.any, again.size, once_more);
	check(strcmp(text, once_more) == 0);
}

/* The same of an address of datagrams, which can be written to unless its port is 0. */
static void check_datagrams(const struct wardi_address *address)
{
	ward_net_address value = wardi_net_address_of(&address->socket.any, address->size), again;
	char text[WARD_ADDRESS_TEXT];

	ward_net_address_text(&value, text);
	if (address->kind == WARDI_ADDRESS_UDP && address->port == 0) {
		check(ward_net_address_read(text, &again) == WARD_EINVAL);
		return;
	}
	check(ward_net_address_read(text, &again) == WARD_OK);
	check(ward_net_address_equal(&value, &again));
}

static void check_read(const struct wardi_address *address)
{
	switch (address->kind) {
	case WARDI_ADDRESS_TCP:
		check(address->size == (address->socket.any.sa_family == AF_INET6
						? sizeof address->socket.v6
						: sizeof address->socket.v4));
		check_written(address);
		break;
	case WARDI_ADDRESS_UNIX:
		check(address->size <= sizeof address->socket.un);
		check_written(address);
		break;
	case WARDI_ADDRESS_NAME:
		check(is_text(address->host, sizeof address->host, false) && address->port > 0);
		break;
	case WARDI_ADDRESS_SIM:
	case WARDI_ADDRESS_SYSTEMD:
		check(is_text(address->host, sizeof address->host,
			      address->kind == WARDI_ADDRESS_SYSTEMD));
		break;
	case WARDI_ADDRESS_FD:
		check(address->fd >= 0);
		break;
	case WARDI_ADDRESS_ANY:
	case WARDI_ADDRESS_UDP_ANY:
		break;
	case WARDI_ADDRESS_UDP:
	case WARDI_ADDRESS_UNIXGRAM:
		check_datagrams(address);
		break;
	default:
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct wardi_address address;
	const char *detail;
	ward_err err = wardi_address_read(&address, (const char *)bytes, size);

	if (err == WARD_OK) {
		check_read(&address);
		return 0;
	}
	detail = ward_err_detail();
	check(err == WARD_EINVAL && strncmp(detail, "address \"", 9) == 0);
	check(strstr(detail, "\": ") != NULL && strchr(detail, '\n') == NULL);
	return 0;
}
