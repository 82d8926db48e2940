/* SPDX-License-Identifier: MIT
 *
 * bounded_pool.h - the source of bounded mailboxes.
 */
#ifndef WARDI_BOUNDED_POOL_H
#define WARDI_BOUNDED_POOL_H

#include "cell/system.h"

struct wardi_bounded;

void wardi_bounded_pool_init(ward_system *system);
/* Frees all; they must be back. */
void wardi_bounded_pool_finish(ward_system *system);
/* Returns the part of a bounded mailbox apart from its lane; NULL: no memory. Returned to the pool
 * when its owner is gone. */
struct wardi_bounded *wardi_bounded_pool_take(ward_system *system);
void wardi_bounded_pool_give(ward_system *system, struct wardi_bounded *bounded);

#endif
