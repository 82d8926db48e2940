/* SPDX-License-Identifier: MIT
 *
 * child_index.c - a child by its generated name, among many.
 *
 *	list of children   $a  x  $b  $c  y  $d  $e      in order of creation: numbers go up
 *	index              $a     $b  $c               | what came later is added by the next call
 *
 * Such look-ups are rare, so the spawn and the end of a child cost nothing here. The first look-up
 * makes an index: number and uid of each child without a given name, in order. Later ones add the
 * children that have come since, and search by bisection. A child that is gone stays in the index,
 * where its uid shows that; when the index is full such entries are removed before it grows.
 *
 * Without memory for the index, and with few children, the list is searched.
 *
 * Threads: the holder of the parent.
 */
#include "cell/child_index.h"

#include <string.h>

#include "cell/self.h"
#include "cell/shown_life.h"
#include "cell/table.h"
#include "cell/visit.h"
#include "mail/ref.h"

enum { FEW = 16 };

struct wardi_child_index {
	uint64_t youngest; /* birth of the last child added */
	size_t count, max;
	struct row {
		uint64_t number;
		uint64_t uid;
	} rows[];
};

static size_t size_of(size_t max)
{
	return sizeof(struct wardi_child_index) + max * sizeof(struct row);
}

void wardi_child_index_finish(struct wardi_children *children, struct wardi_alloc *alloc)
{
	struct wardi_child_index *index = children->generated_index;

	if (index != NULL)
		wardi_free(alloc, index, size_of(index->max));
	children->generated_index = NULL;
}

static struct wardi_cell *walk(const struct wardi_cell *parent, uint64_t number)
{
	wardi_for_each_child (child, parent)
		if (wardi_cell_name(child) == NULL && wardi_cell_number(child) == number)
			return child;
	return NULL;
}

/* Returns the child, or NULL: its life is over. The uid belonged to a child of this parent: while
 * it lives its parent is the same, and only the parent's holder frees its uid. */
static struct wardi_cell *living(const struct wardi_cell *parent, uint64_t uid)
{
	uint32_t visit = wardi_visit(wardi_cell_system(parent), NULL);
	struct wardi_cell *cell = wardi_table_cell(wardi_cell_system(parent), wardi_uid_slot(uid));
	/* Another life in this cell may have another parent, which may be writing here now. */
	struct wardi_shown_life life;
	bool lives = wardi_life_look(cell, &life) && life.uid == uid;

	wardi_visited(wardi_cell_system(parent), NULL, visit);
	return lives ? cell : NULL;
}

/* ---- the index --------------------------------------------------------------------------- */

static void throw_out(const struct wardi_cell *parent, struct wardi_child_index *index)
{
	size_t kept = 0;

	for (size_t i = 0; i < index->count; i++)
		if (living(parent, index->rows[i].uid) != NULL)
			index->rows[kept++] = index->rows[i];
	index->count = kept;
}

/* Returns an index with room for `more` children. NULL: no memory. */
static struct wardi_child_index *with_room(const struct wardi_cell *parent, size_t more)
{
	struct wardi_children *children = parent->rare->children;
	struct wardi_alloc *alloc = &wardi_cell_system(parent)->alloc;
	struct wardi_child_index *index = children->generated_index, *larger;
	size_t max;

	if (index != NULL && index->max - index->count >= more)
		return index;
	if (index != NULL)
		throw_out(parent, index);
	/* Half of it free, so that it is not rebuilt again soon. */
	max = 2 * ((index == NULL ? 0 : index->count) + more);
	if (index != NULL && index->max >= max)
		return index;
	larger = wardi_alloc(alloc, size_of(max));
	if (larger == NULL)
		return NULL;
	if (index == NULL)
		*larger = (struct wardi_child_index){0};
	else
		memcpy(larger, index, size_of(index->count));
	larger->max = max;
	wardi_child_index_finish(children, alloc);
	children->generated_index = larger;
	return larger;
}

/* Adds the children that have come since the last call. NULL: no memory. */
static struct wardi_child_index *catch_up(const struct wardi_cell *parent)
{
	struct wardi_children *children = parent->rare->children;
	struct wardi_child_index *index = children->generated_index;
	uint64_t youngest = index == NULL ? 0 : index->youngest;
	struct wardi_list *first = &children->list;
	size_t more = 0;

	for (struct wardi_list *at = children->list.prev; at != &children->list; at = at->prev) {
		if (wardi_container_of(at, struct wardi_cell, sibling)->born <= youngest)
			break;
		first = at;
		more++;
	}
	index = with_room(parent, more);
	for (struct wardi_list *at = first; index != NULL && at != &children->list; at = at->next) {
		const struct wardi_cell *child = wardi_container_of(at, struct wardi_cell, sibling);

		index->youngest = child->born;
		if (wardi_cell_name(child) == NULL)
			index->rows[index->count++] =
				(struct row){wardi_cell_number(child), child->uid};
	}
	return index;
}

struct wardi_cell *wardi_child_index_find(const struct wardi_cell *parent, uint64_t number)
{
	struct wardi_child_index *index = NULL;
	size_t from = 0, to;

	if (!wardi_has_children(parent))
		return NULL;
	if (parent->rare->children->count > FEW)
		index = catch_up(parent);
	if (index == NULL)
		return walk(parent, number);
	to = index->count;
	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (index->rows[middle].number < number)
			from = middle + 1;
		else
			to = middle;
	}
	if (from == index->count || index->rows[from].number != number)
		return NULL;
	return living(parent, index->rows[from].uid);
}
