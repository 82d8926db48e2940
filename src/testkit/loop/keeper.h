/* SPDX-License-Identifier: MIT
 *
 * keeper.h - the service that keeps one end of a connection.
 */
#ifndef WARDI_TESTKIT_LOOP_KEEPER_H
#define WARDI_TESTKIT_LOOP_KEEPER_H

#include "testkit/kit/kit.h"
#include "testkit/loop/parts.h"

/* Starts the keeper of an end whose node has a system. Outside callbacks and loop->mu. */
void wardi_keeper_start(struct wardi_end *end, struct wardi_location place);

#endif
