/* SPDX-License-Identifier: MIT
 *
 * children.c - the children of an actor: found by name and number.
 *
 * Threads: runs only on the parent's holder.
 */
#include "cell/children.h"

#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "cell/child_index.h"
#include "cell/path.h"
#include "cell/self.h"
#include "cell/supervision_table.h"

static bool has_name(const struct wardi_hash_link *link, const void *key)
{
	return strcmp(wardi_container_of(link, struct wardi_entry, link)->name, key) == 0;
}

struct wardi_entry *wardi_child_entry(const struct wardi_cell *parent, const char *name)
{
	struct wardi_hash_link *link;

	if (parent->rare->children == NULL)
		return NULL;
	link = wardi_hash_find(
		&parent->rare->children->names,
		wardi_hash_bytes(wardi_cell_system(parent)->seed, name, strlen(name)), has_name,
		name);
	return link == NULL ? NULL : wardi_container_of(link, struct wardi_entry, link);
}

/* The number tells which child it can be, its behaviour whether the name is right. */
static struct wardi_cell *generated_child(const struct wardi_cell *parent, const char *name,
					  uint64_t number)
{
	struct wardi_cell *child = wardi_child_index_find(parent, number);
	char generated[WARDI_NAME_GENERATED];

	if (child == NULL)
		return NULL;
	wardi_name_generate(child->behavior->name, number, generated);
	return strcmp(generated, name) == 0 ? child : NULL;
}

struct wardi_cell *wardi_child_named(const struct wardi_cell *parent, const char *name)
{
	uint64_t number = wardi_name_number(name);
	struct wardi_entry *entry;

	if (number != UINT64_MAX)
		return generated_child(parent, name, number);
	entry = wardi_child_entry(parent, name);
	return entry == NULL ? NULL : entry->cell;
}

ward_ref ward_child(const ward_self *self, const char *name)
{
	struct wardi_cell *child;

	if (!wardi_self_usable(self) || name == NULL)
		return ward_nobody();
	child = wardi_child_named(self->cell, name);
	return child == NULL ? ward_nobody() : wardi_cell_ref(child);
}

size_t ward_children(const ward_self *self, ward_ref *refs, size_t max)
{
	size_t at = 0;

	if (!wardi_self_usable(self) || !wardi_has_children(self->cell))
		return 0;
	wardi_for_each_child (child, self->cell) {
		if (at == max)
			break;
		refs[at++] = wardi_cell_ref(child);
	}
	return self->cell->rare->children->count;
}

size_t wardi_entry_size(const char *name)
{
	return sizeof(struct wardi_entry) + strlen(name) + 1;
}

void wardi_entry_free(struct wardi_source from, struct wardi_entry *entry)
{
	if (entry == NULL)
		return;
	wardi_supervision.budget_give(from, entry->budget);
	wardi_memory_put(from, entry, wardi_entry_size(entry->name));
}
