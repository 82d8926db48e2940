/* SPDX-License-Identifier: MIT
 *
 * protocols.c - which protocol is spoken above TLS (ALPN, RFC 7301).
 */
#include "tls/protocols.h"

#include <string.h>

bool wardi_tls_protocols_read(const char *text, struct wardi_tls_protocols *ret_protocols)
{
	ret_protocols->size = 0;
	while (*(text += strspn(text, " ")) != '\0') {
		size_t size = strcspn(text, " ");

		if (ret_protocols->size + 1 + size > sizeof ret_protocols->names)
			return false;
		ret_protocols->names[ret_protocols->size] = (unsigned char)size;
		memcpy(ret_protocols->names + ret_protocols->size + 1, text, size);
		ret_protocols->size += 1 + (unsigned int)size;
		text += size;
	}
	return ret_protocols->size > 0;
}
