/* SPDX-License-Identifier: MIT
 *
 * children.h - the children of an actor: the parent's record of each, and look-up by name.
 */
#ifndef WARDI_CHILDREN_H
#define WARDI_CHILDREN_H

#include "cell/cell.h"

/* The parent's holder: returns the entry of the child with this given name, or NULL. */
/* Whether another actor may know already that this child is gone: a sender that finds one of the
 * two words closed is notified at once, whether GONE is on its way or not. Relaxed: our caller acts
 * after such a notification, so we see the same word closed; and only the parent, which takes GONE,
 * reopens it. */
static inline bool wardi_child_has_closed(const struct wardi_cell *child)
{
	return atomic_load_explicit(&child->open_gen, memory_order_relaxed) == 0 ||
	       wardi_mailbox_is_closed(&child->mailbox);
}

struct wardi_entry *wardi_child_entry(const struct wardi_cell *parent, const char *name);
/* Returns the bytes of an entry with this name. */
size_t wardi_entry_size(const char *name);
/* Takes NULL. */
void wardi_entry_free(struct wardi_source from, struct wardi_entry *entry);

/* The parent's holder: returns the child of that name, given or generated, or NULL. */
struct wardi_cell *wardi_child_named(const struct wardi_cell *parent, const char *name);

#endif
