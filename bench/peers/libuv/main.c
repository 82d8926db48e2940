/* SPDX-License-Identifier: MIT
 *
 * main.c - libuv-peer: one benchmark on a loop of libuv, run once.
 */
#include <stdio.h>
#include <uv.h>

#include "libuv.h"

static const struct peer_row rows[] = {
	{"echo_1", libuv_echo, 500, 1},
	{"echo_100", libuv_echo, 500, 100},
	{"echo_1000", libuv_echo, 1500, 1000},
	{"timers", libuv_timers, 1000 * 1000, 0},
	{"timers_fire", libuv_timers_fire, 50 * 1000, 0},
	{"ticks", libuv_ticks, 2000, 0},
	{"late", libuv_late, 500, 0},
	{"mem_timer", libuv_mem_timer, 1000 * 1000, 0},
	{"start", libuv_start, 100, 0},
	{0},
};

int main(int argc, char **argv)
{
	char version[64];

	snprintf(version, sizeof(version), "libuv %s", uv_version_string());
	return peer_main(argc, argv, rows, version);
}
