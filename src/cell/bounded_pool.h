/* SPDX-License-Identifier: MIT
 *
 * bounded_pool.h - where mailboxes with a policy come from.
 */
#ifndef WARDI_BOUNDED_POOL_H
#define WARDI_BOUNDED_POOL_H

#include "cell/system.h"

struct wardi_bounded;

void wardi_bounded_pool_init(ward_system *system);
/* All must be back. */
void wardi_bounded_pool_finish(ward_system *system);
/* What a mailbox with a policy has beside its lane; NULL: no memory. Given back when its owner is
 * gone. */
struct wardi_bounded *wardi_bounded_pool_take(ward_system *system);
void wardi_bounded_pool_give(ward_system *system, struct wardi_bounded *bounded);

#endif
