/* SPDX-License-Identifier: MIT
 *
 * drive.h - moves the simulated systems of a loop together.
 */
#ifndef WARDI_TESTKIT_LOOP_DRIVE_H
#define WARDI_TESTKIT_LOOP_DRIVE_H

#include "testkit/loop/parts.h"

/* From now on the system of a node moves with the others. */
void wardi_drive_join(struct wardi_node *node);
/* No longer: it has crashed, or the loop ends. */
void wardi_drive_leave(struct wardi_node *node);

/* Sets a function that says whether a system has an actor whose turn comes before those of all
 * others; the driver of that system chooses it. NULL: none has. */
void wardi_drive_first(ward_loop *loop, bool (*urgent)(void *arg, ward_system *system), void *arg);
/* From now on shortages and faults of a test do not strike what carries messages: they are those of
 * the actors, and no time passes in which a connection that is lost would come back. */
void wardi_drive_spare(ward_loop *loop);
/* Whether there is such an actor, or something that is due and was not delivered. */
bool wardi_drive_is_urgent(ward_loop *loop);

#endif
