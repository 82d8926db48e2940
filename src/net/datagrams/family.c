/* SPDX-License-Identifier: MIT
 *
 * family.c - addresses as a socket takes them.
 */
#include "net/datagrams/family.h"

#include <string.h>

sa_family_t wardi_family_of(const ward_net_address *address)
{
	sa_family_t family = AF_UNSPEC;

	if (address->size >= sizeof family && address->size <= sizeof address->bytes)
		memcpy(&family, address->bytes, sizeof family);
	return family;
}

static void map_v4(const ward_net_address *address, ward_net_address *ret_address)
{
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
	struct sockaddr_in v4;

	memcpy(&v4, address->bytes, sizeof v4);
	v6.sin6_port = v4.sin_port;
	v6.sin6_addr.s6_addr[10] = v6.sin6_addr.s6_addr[11] = 0xff;
	memcpy(v6.sin6_addr.s6_addr + 12, &v4.sin_addr, sizeof v4.sin_addr);
	*ret_address = (ward_net_address){.size = sizeof v6};
	memcpy(ret_address->bytes, &v6, sizeof v6);
}

bool wardi_address_for(const ward_datagrams *socket, const ward_net_address *address,
		       ward_net_address *ret_address)
{
	sa_family_t family = wardi_family_of(address);

	if (family == AF_UNSPEC)
		return false;
	if (family == AF_INET && socket->dual) {
		map_v4(address, ret_address);
		return true;
	}
	*ret_address = *address;
	return family == wardi_family_of(&socket->own);
}
