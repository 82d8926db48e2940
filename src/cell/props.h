/* SPDX-License-Identifier: MIT
 *
 * props.h - arguments of a behaviour: whether they fit it, and copies of them.
 */
#ifndef WARDI_PROPS_H
#define WARDI_PROPS_H

#include "cell/self.h"

/* Of props with a behaviour. */
ward_err wardi_check_args(const ward_props *props);
/* Gives `to`, which holds the bytes of props->args, things of its own. */
ward_err wardi_clone_args(const ward_props *props, void *to);

#endif
