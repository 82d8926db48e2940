/* SPDX-License-Identifier: MIT
 *
 * echo.h - an actor that repeats what it gets, and that can be ended in three ways.
 */
#ifndef ECHO_H
#define ECHO_H

#include <ward/testkit.h>
#include <ward/ward.h>

/* The echo prints it. */
struct say {
	char text[32];
};
WARD_MESSAGE(say);

enum fall { STOP, FAIL, FAIL_BADLY };
struct fall_down {
	enum fall how;
};
WARD_MESSAGE(fall_down);

/* The strategy of auto_reset.c restarts for the first, and escalates the second. */
extern const ward_failure_class my_exception, other_exception;

/* After each text it sends its parent a ward_backoff_reset. A supervisor that resets by itself
 * leaves that unhandled. */
extern const ward_behavior echo;

/* Prints the time, then the text. */
__attribute__((format(printf, 2, 3))) void print_at(int64_t now_ns, const char *text, ...);

/* Send a message to the supervisor of an echo; the first then lets time pass. */
void bring_down(ward_kit *kit, ward_ref supervisor, enum fall how, int64_t wait_ms);
void talk(ward_kit *kit, ward_ref supervisor, const char *text);

#endif
