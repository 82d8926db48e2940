/* SPDX-License-Identifier: MIT
 *
 * component.h - checks and copies the components of a manager.
 */
#ifndef WARDI_COMPONENT_H
#define WARDI_COMPONENT_H

#include <ward/object.h>
#include <ward/types.h>

struct wardi_component;

/* Checks a component and its class. */
ward_err wardi_component_check(const ward_component *component);

/* Makes a deep copy. */
ward_err wardi_component_copy(struct wardi_component *to, const ward_component *from);

void wardi_component_drop(struct wardi_component *component);

/* Returns the method to call around a restart, or NULL: there is none of that name. */
const ward_method *wardi_component_hook(const ward_component *component, const char *name);

#endif
