/* SPDX-License-Identifier: MIT
 *
 * press.h - a library with a thread of its own, which knows nothing of actors: a printing press.
 */
#ifndef PRESS_H
#define PRESS_H

#include <stdbool.h>

struct press;

/* What it tells, on its thread. */
struct press_user {
	void (*printed)(void *arg, int page);
	void (*jammed)(void *arg, int page); /* it prints no more */
	void *arg;
};

/* A press that jams at a page; 0: at none. NULL: there is no thread for it. */
struct press *press_open(const struct press_user *user, int jams_at);
/* Takes a page: one at a time. */
void press_print(struct press *press, int page);
/* Waits for its thread; gives the page that is left in it, or 0. */
int press_close(struct press *press);

#endif
