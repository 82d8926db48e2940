/* SPDX-License-Identifier: MIT
 *
 * few_keys.h - a key table for owners that mostly have a few links: one word, and no memory before
 * there are more than four. For one thread at a time.
 *
 * The order in which links are found and taken is that of a key table.
 */
#ifndef WARDI_FEW_KEYS_H
#define WARDI_FEW_KEYS_H

#include <stdbool.h>

#include "base/key_table.h"

/* All zero: empty. A chain of links; or a key table, until wardi_few_keys_finish(). */
struct wardi_few_keys {
	uint64_t word;
};

/* Never fails: without memory chains get longer. */
void wardi_few_keys_insert(struct wardi_few_keys *keys, struct wardi_alloc *alloc, uint64_t seed,
			   struct wardi_keyed *link);
/* As those of a key table (key_table.h), with places of wardi_key_table_link(). */
uint64_t *wardi_few_keys_chain(struct wardi_few_keys *keys, uint64_t key);
void wardi_few_keys_remove(struct wardi_few_keys *keys, uint64_t *at);
struct wardi_keyed *wardi_few_keys_take(struct wardi_few_keys *keys, size_t *cursor);
/* Frees the table, if there is one; there must be no link. */
void wardi_few_keys_finish(struct wardi_few_keys *keys, struct wardi_alloc *alloc);

/* Returns a key for a link that needs none, so that such links are not all in one chain. */
uint64_t wardi_few_keys_number(const struct wardi_few_keys *keys);
/* Whether there is exactly one link. */
bool wardi_few_keys_is_one(const struct wardi_few_keys *keys);

#endif
