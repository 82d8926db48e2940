/* SPDX-License-Identifier: MIT
 *
 * refusal.h - why there is no socket: errno, the call, and the words for a failure.
 */
#ifndef WARDI_NET_REFUSAL_H
#define WARDI_NET_REFUSAL_H

#include <ward/types.h>

/* What refused, for a failure, whose text has the address in front. */
struct wardi_net_refusal {
	int error;        /* errno; 0: none */
	const char *call; /* a constant: "bind", ... */
	char text[160];   /* what happened: the words of errno, and what would be right. Never "" */
};

/* Notes a refusal. `format` is the text; with `error` the words of errno come first; NULL: these
 * only. Returns -1, for functions that return a descriptor. */
WARD_PRINTF(4, 5)
int wardi_refuse(struct wardi_net_refusal *ret_refusal, int error, const char *call,
		 const char *format, ...);

#endif
