/* SPDX-License-Identifier: MIT
 *
 * select_far.h - paths of other nodes: ward://node/user/a.
 */
#ifndef WARDI_SELECT_FAR_H
#define WARDI_SELECT_FAR_H

#include "cell/self.h"

/* Whether the path names a node. NULL: no. */
bool wardi_path_is_far(const char *path);

/* Sends the message on its way to the node that the path names, with its sender. Takes it. self:
 * NULL for a thread outside. */
void wardi_select_leave(ward_system *system, struct ward_self *self, const char *path,
			struct ward_msg *msg);

/* Sends a selection's message on its way to an actor elsewhere, from which the elements go on: each
 * ended by a zero, the last one empty. Takes it. */
void wardi_select_cross(struct ward_self *self, ward_ref to, const char *elements, bool silent,
			struct ward_msg *msg);

#endif
