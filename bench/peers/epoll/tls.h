/* SPDX-License-Identifier: MIT
 *
 * tls.h - the row of the loop over epoll that needs OpenSSL.
 */
#ifndef EPOLL_TLS_H
#define EPOLL_TLS_H

#include <stdint.h>

struct peer_row;

void epoll_tls(const struct peer_row *row, int64_t n);

#endif
