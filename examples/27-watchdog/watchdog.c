/* SPDX-License-Identifier: MIT
 *
 * watchdog.c - how to supervise a process: start it again when it fails, and leave nothing behind.
 *
 *	cd examples/27-watchdog && cc *.c $(pkg-config --cflags --libs ward) -o watchdog
 *	./watchdog sh -c 'echo up; exit 3'
 *
 * A process that fails is started again after 100, 200 and 400 ms; then the watchdog gives up, with
 * status 1. So this command prints "up" four times; the log on standard error has each failure.
 *
 * At SIGTERM the process gets a SIGTERM, too, and two seconds to end. Then it is killed, together
 * with all that it has started.
 */
#include <stdio.h>
#include <ward/backoff.h>
#include <ward/ward.h>

#include "process.h"

int main(int argc, char **argv)
{
	static const ward_phase phases[] = {{STOP_PROCESSES, .timeout_ms = 2 * WARD_SECOND}, {0}};
	int status = 1;
	const struct command command = {argv + 1, &status};
	const struct ward_backoff restart = {
		.child = {.behavior = &process, .args = {WARD_COPY(command, &command)}},
		.min_backoff_ms = 100,
		.max_backoff_ms = 10 * WARD_SECOND,
		.retries_max = 3,
	};

	if (argc < 2)
		return fputs("usage: watchdog COMMAND [ARGUMENT...]\n", stderr), 2;
	return ward_run(WARD_PROPS(&ward_backoff_on_failure, .name = "watchdog",
				   .args = {WARD_COPY(ward_backoff, &restart)}),
			&(ward_options){.phases = phases}) ||
	       status;
}
