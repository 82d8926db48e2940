/* SPDX-License-Identifier: MIT
 *
 * held_call.h - calls of an object's methods that are answered later.
 */
#ifndef WARDI_HELD_CALL_H
#define WARDI_HELD_CALL_H

#include <ward/types.h>

struct wardi_object;

/* Ends all calls that are held. */
void wardi_object_end_held(ward_self *self, struct wardi_object *me);

#endif
