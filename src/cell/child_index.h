/* SPDX-License-Identifier: MIT
 *
 * child_index.h - a child by its generated name, among many.
 */
#ifndef WARDI_CHILD_INDEX_H
#define WARDI_CHILD_INDEX_H

#include "cell/cell.h"

/* The parent's holder: returns the child whose name was generated from this number, or NULL.
 * Logarithmic in the number of children, and linear in those spawned since the last call. */
struct wardi_cell *wardi_child_index_find(const struct wardi_cell *parent, uint64_t number);
/* Frees the index. */
void wardi_child_index_finish(struct wardi_children *children, struct wardi_alloc *alloc);

#endif
