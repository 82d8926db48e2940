/* SPDX-License-Identifier: MIT
 *
 * status.h - a short text that an actor shows of itself.
 */
#ifndef WARDI_STATUS_H
#define WARDI_STATUS_H

#include "cell/self.h"

struct wardi_status;

/* Holder: the incarnation is over. */
void wardi_status_reset(struct ward_self *self);

/* Any thread: writes what that life shows now, "" if nothing, cut at `max`. */
void wardi_status_look(ward_system *system, uint64_t uid, char *text, size_t max);

#endif
