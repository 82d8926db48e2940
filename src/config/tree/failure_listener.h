/* SPDX-License-Identifier: MIT
 *
 * failure_listener.h - hears failures while a tree is started, so that the start can say why it was
 * none.
 */
#ifndef WARDI_CONFIG_FAILURE_LISTENER_H
#define WARDI_CONFIG_FAILURE_LISTENER_H

#include <ward/types.h>

extern const ward_type wardi_config_hear;

extern const ward_type wardi_config_what, wardi_config_heard;

/** A service that hears why an actor of the tree has failed while it started. */
extern const ward_behavior wardi_config_hearing;

#endif
