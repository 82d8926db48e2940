/* SPDX-License-Identifier: MIT
 *
 * fd.h - descriptors that an actor watches: one-shot readiness as a message.
 */
#ifndef WARDI_FD_H
#define WARDI_FD_H

#include <ward/types.h>

struct ward_msg;
struct ward_self;
struct wardi_cell;
struct wardi_notice;
struct wardi_worker;

bool wardi_fd_due(struct ward_self *self, struct ward_msg *msg);

bool wardi_fd_ready(struct wardi_worker *worker, const struct wardi_notice *notice);

/* Publishes that this actor closed the descriptor before it was unwatched. */
void wardi_fd_stale(struct wardi_worker *worker, uint64_t owner, int fd);

void wardi_fds_unwatch_all(struct ward_self *self, struct wardi_cell *cell);

/* Returns how many watches of the system's actors have a notice to come, or one that its actor has
 * not handled. */
uint32_t wardi_fds_watched(const struct ward_system *system);

#endif
