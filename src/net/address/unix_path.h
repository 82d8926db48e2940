/* SPDX-License-Identifier: MIT
 *
 * unix_path.h - sockets that listen, or receive datagrams, at a path of the file system.
 */
#ifndef WARDI_NET_UNIX_PATH_H
#define WARDI_NET_UNIX_PATH_H

#include <sys/types.h>

#include "net/address/listening.h"

/* Opens a socket of this type at the path: SOCK_STREAM, which listens, or SOCK_DGRAM. Returns -1:
 * *ret_refusal; then the path is as before, except that one that nobody used may be gone. */
int wardi_open_at_path(const struct wardi_address *address, int type,
		       const struct wardi_listening *how, struct wardi_net_refusal *ret_refusal);

/* A file, whatever its path is. All zero: none. */
struct wardi_file {
	dev_t device;
	ino_t number;
};
/* That at a path. */
struct wardi_file wardi_file_at(const char *path);
/* Removes the path if it still leads to this file, and not to that of another program, which has
 * put it there in the meantime. */
void wardi_path_remove(const char *path, struct wardi_file file);

#endif
