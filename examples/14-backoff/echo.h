/* SPDX-License-Identifier: MIT
 *
 * echo.h - an actor that says what it is told, and that can be brought down in three ways.
 */
#ifndef ECHO_H
#define ECHO_H

#include <ward/testkit.h>
#include <ward/ward.h>

/* To be said; the answer is the same. */
struct say {
	char text[32];
};
WARD_MESSAGE(say);

enum fall { STOP, FAIL, FAIL_BADLY };
struct fall_down {
	enum fall how;
};
WARD_MESSAGE(fall_down);

/* What its owner may get over, and what not. */
extern const ward_failure_class my_exception, other_exception;

/* Whenever it has said something it sends its parent a ward_backoff_reset, which a supervisor that
 * resets by itself leaves unhandled. */
extern const ward_behavior echo;

/* Prints the time of the system, then the text. */
__attribute__((format(printf, 2, 3))) void print_at(int64_t now_ns, const char *text, ...);

/* Sends it to the supervisor of an echo, and lets time pass. */
void bring_down(ward_kit *kit, ward_ref supervisor, enum fall how, int64_t wait_ms);
void talk(ward_kit *kit, ward_ref supervisor, const char *text);

#endif
