/* SPDX-License-Identifier: MIT
 *
 * main.c - libuv-peer: one benchmark on a loop of libuv, run once.
 */
#include <stdio.h>
#include <uv.h>

#include "libuv.h"

static const struct peer_row rows[] = {
	{"echo_1", libuv_echo, 500, 1, false, false},
	{"echo_100", libuv_echo, 500, 100, false, false},
	{"echo_1000", libuv_echo, 1500, 1000, false, false},
	{"echo_busy_1", libuv_echo, 500, 1, true, false},
	{"echo_busy_100", libuv_echo, 500, 100, true, false},
	{"echo_busy_1000", libuv_echo, 1500, 1000, true, false},
	{"lines_1", libuv_lines, 500, 1, false, false},
	{"lines_100", libuv_lines, 500, 100, false, false},
	{"lines_1000", libuv_lines, 1500, 1000, false, false},
	{"lines_9000", libuv_lines, 2000, 9000, false, false},
	{"mem_lines", libuv_lines, 9000, 0, false, false},
	{"timers", libuv_timers, 1000 * 1000, 0, false, false},
	{"timers_fire", libuv_timers_fire, 50 * 1000, 0, false, false},
	{"ticks", libuv_ticks, 2000, 0, false, false},
	{"late", libuv_late, 500, 0, false, false},
	{"mem_timer", libuv_mem_timer, 1000 * 1000, 0, false, false},
	{"start", libuv_start, 100, 0, false, false},
	{0},
};

int main(int argc, char **argv)
{
	char version[64];

	snprintf(version, sizeof(version), "libuv %s", uv_version_string());
	return peer_main(argc, argv, rows, version);
}
