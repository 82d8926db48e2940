/* SPDX-License-Identifier: MIT
 *
 * props.h - arguments of a behaviour: whether they fit it, and copies of them.
 */
#ifndef WARDI_PROPS_H
#define WARDI_PROPS_H

#include <ward/actor.h>

#include "cell/self.h"

/* Of a behaviour without a receive: leaves all unhandled. */
ward_result wardi_receive_nothing(struct ward_self *self, void *state, const ward_msg *msg);

static inline ward_receive wardi_receive_of(const ward_behavior *behavior)
{
	return behavior->receive != NULL ? behavior->receive : wardi_receive_nothing;
}

/* Of props with a behaviour. */
ward_err wardi_check_args(const ward_props *props);
/* Returns `to`, which holds the bytes of props->args, things of its own. */
ward_err wardi_clone_args(const ward_props *props, void *to);
/* Copies the arguments of props that have some. Refused with a code and a detail. */
ward_err wardi_args_make(ward_system *system, const ward_props *props,
			 struct wardi_args **ret_args);
/* Drops and frees the arguments kept for a restart; NULL is fine. */
void wardi_args_free(struct wardi_source from, struct wardi_args *args);

#endif
