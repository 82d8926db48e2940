/* SPDX-License-Identifier: MIT
 *
 * children.h - the children of an actor: what it keeps of each, and by which name it finds one.
 */
#ifndef WARDI_CHILDREN_H
#define WARDI_CHILDREN_H

#include "cell/cell.h"

/* The parent's holder: what it keeps of the child that was given this name; NULL: there is none. */
/* Whether anybody may have been told that this child is gone. What finds one of these two closed is
 * told so at once, whether its GONE is under way or not. Relaxed: what made us ask comes after the
 * telling, so we see the same word closed; and only the parent, which takes GONE, has it opened
 * again. */
static inline bool wardi_child_has_closed(const struct wardi_cell *child)
{
	return atomic_load_explicit(&child->open_gen, memory_order_relaxed) == 0 ||
	       wardi_mailbox_is_closed(&child->mailbox);
}

struct wardi_entry *wardi_child_entry(const struct wardi_cell *parent, const char *name);
/* The bytes of an entry with this name. */
size_t wardi_entry_size(const char *name);
/* NULL is fine. */
void wardi_entry_free(struct wardi_source from, struct wardi_entry *entry);

/* The parent's holder: the child of that name, given or generated; NULL: there is none. */
struct wardi_cell *wardi_child_named(const struct wardi_cell *parent, const char *name);

#endif
