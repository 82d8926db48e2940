/* SPDX-License-Identifier: MIT
 *
 * libuv.h - the benchmarks on libuv.
 */
#ifndef PEER_LIBUV_H
#define PEER_LIBUV_H

#include "../peer.h"

/* echo.c: as many connections as the variant says. */
void libuv_echo(const struct peer_row *row, int64_t ms);

/* lines.c: the same by lines, or the memory of n idle connections. */
void libuv_lines(const struct peer_row *row, int64_t n);

/* timers.c */
void libuv_timers(const struct peer_row *row, int64_t n);
void libuv_timers_fire(const struct peer_row *row, int64_t n);
void libuv_ticks(const struct peer_row *row, int64_t ms);
void libuv_late(const struct peer_row *row, int64_t n);
void libuv_mem_timer(const struct peer_row *row, int64_t n);
void libuv_start(const struct peer_row *row, int64_t n);

#endif
