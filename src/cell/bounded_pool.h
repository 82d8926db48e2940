/* SPDX-License-Identifier: MIT
 *
 * bounded_pool.h - where mailboxes with a policy come from.
 */
#ifndef WARDI_BOUNDED_POOL_H
#define WARDI_BOUNDED_POOL_H

#include "cell/system.h"

struct wardi_box;

void wardi_boxes_init(ward_system *system);
/* All must be back. */
void wardi_boxes_finish(ward_system *system);
/* A box for a mailbox with a policy; NULL: no memory. Given back when its owner is gone. */
struct wardi_box *wardi_box_take(ward_system *system);
void wardi_box_give(ward_system *system, struct wardi_box *box);

#endif
