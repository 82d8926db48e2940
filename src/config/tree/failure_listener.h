/* SPDX-License-Identifier: MIT
 *
 * failure_listener.h - listens for failures while a tree starts, so that a failed start can say
 * why.
 */
#ifndef WARDI_CONFIG_FAILURE_LISTENER_H
#define WARDI_CONFIG_FAILURE_LISTENER_H

#include <ward/types.h>

extern const ward_type wardi_config_hear;

extern const ward_type wardi_config_what, wardi_config_heard;

/** A service that records why an actor of the tree failed during the start. */
extern const ward_behavior wardi_config_hearing;

#endif
