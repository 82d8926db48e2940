/* SPDX-License-Identifier: MIT
 *
 * unix_path.h - sockets that listen at a path of the file system.
 */
#ifndef WARDI_NET_UNIX_PATH_H
#define WARDI_NET_UNIX_PATH_H

#include "net/address/listening.h"

/* Opens a socket that listens at the path. Returns -1: *ret_refusal; then the path is as before,
 * except that one at which nobody listened may be gone. */
int wardi_listen_at_path(const struct wardi_address *address, const struct wardi_listening *how,
			 struct wardi_net_refusal *ret_refusal);

#endif
