/* SPDX-License-Identifier: MIT
 *
 * objects.h - a manager of active objects, as the program uses it.
 */
#ifndef WARDI_OBJECTS_H
#define WARDI_OBJECTS_H

#include <ward/object.h>
#include <ward/types.h>

struct ward_objects;

extern const ward_type wardi_objects_args_type;

/* Another supervisor may have the objects from now on, if it was this one: its objects are gone. */
void wardi_objects_disown(struct ward_supervised *args);

/* Makes all objects unavailable to ward_objects_get(). */
void wardi_objects_hide(struct ward_objects *objects);

#endif
