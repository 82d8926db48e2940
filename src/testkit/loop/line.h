/* SPDX-License-Identifier: MIT
 *
 * line.h - the actor that is one life of a connection at one end.
 */
#ifndef WARDI_TESTKIT_LOOP_LINE_H
#define WARDI_TESTKIT_LOOP_LINE_H

#include "testkit/loop/parts.h"

/* Which life of which end. */
struct wardi_line_args {
	struct wardi_end *end;
	uint64_t life;
};
WARD_MESSAGE(wardi_line_args);

/* From a line to its keeper: the association is open. */
struct wardi_line_open {
	uint64_t life;
};
WARD_MESSAGE(wardi_line_open);

/* A question to the keeper, whose answer is the bell. */
WARD_SIGNAL(wardi_line_wait);

extern const ward_behavior wardi_line;

#endif
