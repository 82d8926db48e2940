/* SPDX-License-Identifier: MIT
 *
 * inherited.h - a socket that the process was started with.
 */
#ifndef WARDI_NET_INHERITED_H
#define WARDI_NET_INHERITED_H

#include <stdbool.h>

#include "net/address/refusal.h"

/* Checks that the descriptor is a stream socket that listens, and makes it non-blocking and
 * close-on-exec. False: *ret_refusal; the descriptor is as before. */
bool wardi_inherited_check(int fd, struct wardi_net_refusal *ret_refusal);

#endif
