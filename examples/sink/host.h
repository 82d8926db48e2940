/* SPDX-License-Identifier: MIT
 *
 * host.h - what main() does for ward-sink, for a sink that is described in a file.
 */
#ifndef SINK_HOST_H
#define SINK_HOST_H

#include "job.h"
#include "messages.h"
#include "sources.h"

/* The arguments of the host: those of the command line. */
struct host_args {
	struct job *job; /* which it prepares, and that all others have, too */
	struct sources *sources;
	const char *db;
	const char *memory; /* NULL: the database's name with ".input" behind it */
	const char *const *inputs;
	size_t line_max;
	const char *poison;
	int64_t patience_ms;
};
WARD_MESSAGE(host_args);

/* A service: it starts before the ledger, and ends after it. */
extern const ward_behavior host_behavior;

/* In place of `signals`: an ordered shutdown of the system is what interrupts the ledger. */
extern const ward_behavior shutdown_behavior;

#endif
