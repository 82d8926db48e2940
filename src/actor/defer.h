/* SPDX-License-Identifier: MIT
 *
 * defer.h - calls to be made when an incarnation ends. Holder only.
 */
#ifndef WARDI_DEFER_H
#define WARDI_DEFER_H

#include "actor/arena.h"

/* Runs all deferred calls, last first. A jump out of one ends the process: the rest could not be
 * cleaned up. */
void wardi_defers_run(struct ward_self *self, struct wardi_arena *arena);

/* Whether the incarnation owns the descriptor. */
bool wardi_fd_is_adopted(const struct ward_self *self, int fd);
/* The incarnation owns the descriptor from now on. False: no memory. */
bool wardi_fd_adopt(struct ward_self *self, int fd);
/* It no longer owns or watches the descriptor. False: it did not own it. */
bool wardi_fd_disown(struct ward_self *self, int fd);

#endif
