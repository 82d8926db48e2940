/* SPDX-License-Identifier: MIT
 *
 * lines.h - an echo server by lines, for the time of one client.
 */
#ifndef BENCH_LINES_H
#define BENCH_LINES_H

#include <ward/net.h>

#include "../echo/echo.h"

/* Serves with these options while the client of `run` is there; sets run->port. */
void lines_echo(struct echo_run *run, const ward_stream_options *options);

#endif
