/* SPDX-License-Identifier: MIT
 *
 * few_keys.c - a key table for owners that mostly have a few links.
 *
 *	word  0                      no link
 *	      address of a link      a chain, last inserted first
 *	      address + IS_TABLE     a table
 */
#include "base/few_keys.h"

enum { FEW = 4, IS_TABLE = 1 };

/* NULL: it is a chain. */
static struct wardi_key_table *table_of(const struct wardi_few_keys *keys)
{
	return (keys->word & IS_TABLE) == 0
		       ? NULL
		       : (struct wardi_key_table *)(uintptr_t)(keys->word - IS_TABLE);
}

static void push(uint64_t *chain, struct wardi_keyed *link)
{
	link->next = *chain;
	*chain = (uintptr_t)link;
}

static struct wardi_keyed *pop(uint64_t *chain)
{
	struct wardi_keyed *link = wardi_key_table_link(chain);

	if (link != NULL)
		*chain = link->next;
	return link;
}

static int count_of(uint64_t chain)
{
	const uint64_t *at = &chain;
	int count = 0;

	for (; wardi_key_table_link(at) != NULL; at = &wardi_key_table_link(at)->next)
		count++;
	return count;
}

/* Of one key the last inserted stays the first. NULL: no memory, and all stays as it is. */
static struct wardi_key_table *make_table(struct wardi_few_keys *keys, struct wardi_alloc *alloc,
					  uint64_t seed)
{
	struct wardi_key_table *table = wardi_alloc(alloc, sizeof *table);
	struct wardi_keyed *link;
	uint64_t turned = 0;

	if (table == NULL)
		return NULL;
	wardi_key_table_init(table, alloc, seed);
	while ((link = pop(&keys->word)) != NULL)
		push(&turned, link);
	while ((link = pop(&turned)) != NULL)
		wardi_key_table_insert(table, link);
	keys->word = (uintptr_t)table + IS_TABLE;
	return table;
}

void wardi_few_keys_insert(struct wardi_few_keys *keys, struct wardi_alloc *alloc, uint64_t seed,
			   struct wardi_keyed *link)
{
	struct wardi_key_table *table = table_of(keys);

	if (table == NULL && count_of(keys->word) >= FEW)
		table = make_table(keys, alloc, seed);
	if (table != NULL)
		wardi_key_table_insert(table, link);
	else
		push(&keys->word, link);
}

uint64_t *wardi_few_keys_chain(struct wardi_few_keys *keys, uint64_t key)
{
	struct wardi_key_table *table = table_of(keys);

	return table == NULL ? &keys->word : wardi_key_table_chain(table, key);
}

void wardi_few_keys_remove(struct wardi_few_keys *keys, uint64_t *at)
{
	struct wardi_key_table *table = table_of(keys);

	if (table != NULL)
		wardi_key_table_remove(table, at);
	else
		(void)pop(at);
}

struct wardi_keyed *wardi_few_keys_take(struct wardi_few_keys *keys, size_t *cursor)
{
	struct wardi_key_table *table = table_of(keys);

	return table != NULL ? wardi_key_table_take(table, cursor) : pop(&keys->word);
}

void wardi_few_keys_finish(struct wardi_few_keys *keys, struct wardi_alloc *alloc)
{
	struct wardi_key_table *table = table_of(keys);

	if (table == NULL)
		return;
	wardi_key_table_finish(table);
	wardi_free(alloc, table, sizeof *table);
	keys->word = 0;
}

uint64_t wardi_few_keys_number(const struct wardi_few_keys *keys)
{
	const struct wardi_key_table *table = table_of(keys);

	return table == NULL ? 0 : table->inserted;
}

bool wardi_few_keys_is_one(const struct wardi_few_keys *keys)
{
	const struct wardi_key_table *table = table_of(keys);

	return table == NULL ? count_of(keys->word) == 1 : table->count == 1;
}
