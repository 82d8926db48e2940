/* SPDX-License-Identifier: MIT
 *
 * supervisor.h - an actor of a file that has no behaviour: it starts its children and supervises.
 */
#ifndef WARDI_CONFIG_SUPERVISOR_H
#define WARDI_CONFIG_SUPERVISOR_H

#include <ward/types.h>

/** Asks a supervisor whether all its children run; once they do, it answers with the second
 * type. */
extern const ward_type wardi_config_ready, wardi_config_running;

/** The behaviour of an actor without one. */
extern const ward_behavior wardi_config_supervisor;

#endif
