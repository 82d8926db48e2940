/* SPDX-License-Identifier: MIT
 *
 * component.h - components of a manager: whether one is as it should be, and its copy.
 */
#ifndef WARDI_COMPONENT_H
#define WARDI_COMPONENT_H

#include <ward/object.h>
#include <ward/types.h>

struct wardi_component;

/* Whether the component is as it should be. */
ward_err wardi_component_check(const ward_component *component);

/* With things of its own. */
ward_err wardi_component_copy(struct wardi_component *to, const ward_component *from);

void wardi_component_drop(struct wardi_component *component);

/* The method that is to be called around a restart; NULL: none by that name. */
const ward_method *wardi_component_hook(const ward_component *component, const char *name);

#endif
