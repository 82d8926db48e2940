/* SPDX-License-Identifier: MIT
 *
 * press.h - a printing press: a library with a thread of its own, which knows nothing of actors.
 */
#ifndef PRESS_H
#define PRESS_H

#include <stdbool.h>

struct press;

/* Functions that the press calls on its thread. */
struct press_user {
	void (*printed)(void *arg, int page);
	void (*jammed)(void *arg, int page); /* it prints no more */
	void *arg;
};

/* Returns a press that jams at a page; 0: at none. NULL: it could not start a thread. */
struct press *press_open(const struct press_user *user, int jams_at);
/* Prints a page: one at a time. */
void press_print(struct press *press, int page);
/* Waits for its thread. Returns the page that is left in the press, or 0. */
int press_close(struct press *press);

#endif
