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

#endif
