/* SPDX-License-Identifier: MIT
 *
 * props.h - arguments of a behaviour: whether they fit, and copies of them.
 */
#ifndef WARDI_PROPS_H
#define WARDI_PROPS_H

#include <ward/actor.h>

#include "cell/self.h"

/* The receive of a behaviour without one: leaves all unhandled. */
ward_result wardi_receive_nothing(struct ward_self *self, void *state, const ward_msg *msg);

static inline ward_receive wardi_receive_of(const ward_behavior *behavior)
{
	return behavior->receive != NULL ? behavior->receive : wardi_receive_nothing;
}

/* Checks the arguments of props that have a behaviour. */
ward_err wardi_check_args(const ward_props *props);
/* Clones props->args into `to`. */
ward_err wardi_clone_args(const ward_props *props, void *to);
/* Copies or moves the arguments of props that have some. An error has a code and a detail. */
ward_err wardi_args_make(struct wardi_source from, const ward_props *props,
			 struct wardi_args **ret_args);
/* Undoes a move; takes NULL. */
void wardi_args_hand_back(struct wardi_source from, struct wardi_args *args);
/* Drops and frees the arguments kept for a restart; takes NULL. */
void wardi_args_free(struct wardi_source from, struct wardi_args *args);

#endif
