/* SPDX-License-Identifier: MIT
 *
 * child_index.h - a child by its generated name, among many.
 */
#ifndef WARDI_CHILD_INDEX_H
#define WARDI_CHILD_INDEX_H

#include "cell/cell.h"

/* The parent's holder: the child whose name was generated from this number; NULL: there is none.
 * Logarithmic in the number of children, and linear in those that have come since the last call. */
struct wardi_cell *wardi_child_index_find(const struct wardi_cell *parent, uint64_t number);
/* Frees what the calls have made. */
void wardi_child_index_finish(struct wardi_children *children, struct wardi_alloc *alloc);

#endif
