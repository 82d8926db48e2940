/* SPDX-License-Identifier: MIT
 *
 * supervisor.h - an actor of a file that has no behaviour: it starts its children and supervises.
 */
#ifndef WARDI_CONFIG_SUPERVISOR_H
#define WARDI_CONFIG_SUPERVISOR_H

#include <ward/types.h>

/** Asks it whether all its children run; it answers when they do, with the second. */
extern const ward_type wardi_config_ready, wardi_config_running;

/** The behaviour of an actor without one. */
extern const ward_behavior wardi_config_supervisor;

#endif
