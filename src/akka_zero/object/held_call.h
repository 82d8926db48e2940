/* SPDX-License-Identifier: MIT
 *
 * held_call.h - method calls that an object answers later.
 */
#ifndef WARDI_HELD_CALL_H
#define WARDI_HELD_CALL_H

#include <ward/types.h>

struct wardi_object;

/* Ends all held calls with an error. */
void wardi_object_end_held(ward_self *self, struct wardi_object *me);

#endif
