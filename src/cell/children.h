/* SPDX-License-Identifier: MIT
 *
 * children.h - the children of an actor: what it keeps of each, and by which name it finds one.
 */
#ifndef WARDI_CHILDREN_H
#define WARDI_CHILDREN_H

#include "cell/cell.h"

/* The parent's holder: what it keeps of the child that was given this name; NULL: there is none. */
struct wardi_entry *wardi_child_entry(const struct wardi_cell *parent, const char *name);
/* The bytes of an entry with this name. */
size_t wardi_entry_size(const char *name);
/* NULL is fine. */
void wardi_entry_free(struct wardi_source from, struct wardi_entry *entry);

/* The parent's holder: the child of that name, given or generated; NULL: there is none. */
struct wardi_cell *wardi_child_named(const struct wardi_cell *parent, const char *name);

#endif
