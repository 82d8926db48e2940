/* SPDX-License-Identifier: MIT
 *
 * foreign_fds.h - descriptors that a sanitizer or the C library has opened by itself.
 */
#ifndef WARDI_TESTKIT_FOREIGN_FDS_H
#define WARDI_TESTKIT_FOREIGN_FDS_H

#include <stdbool.h>

/* Whether the program has not opened it, and cannot close it. */
bool wardi_fd_is_foreign(int number);

/* Whether its other end is held by a child of this process that tells a sanitizer the names of
 * functions. */
bool wardi_fd_is_symbolizers(int number);
/* Whether it is a socket that is connected to this path. */
bool wardi_fd_is_connected_to(int number, const char *path);

#endif
