/* SPDX-License-Identifier: MIT
 *
 * select_far.h - paths of other nodes: ward://node/user/a.
 */
#ifndef WARDI_SELECT_FAR_H
#define WARDI_SELECT_FAR_H

#include "cell/self.h"

struct wardi_selection;

/* Whether the path names a node. NULL: no. */
bool wardi_path_is_far(const char *path);

/* Sends the message on its way to the node that the path names, with its sender. Takes it. self:
 * NULL for a thread outside. */
void wardi_select_leave(ward_system *system, struct ward_self *self, const char *path,
			struct ward_msg *msg);

/* Where self's cell joins two trees, and the path goes on in the other one: sends it there, takes
 * it, and returns true. */
bool wardi_select_joins(struct ward_self *self, struct wardi_selection *it);

#endif
