/* SPDX-License-Identifier: MIT
 *
 * watch_list.h - the places of one owner in the table of watched descriptors: a head of one word,
 * so that it fits the rare record of an actor.
 *
 * Threads: all under the mutex of the table, except where noted.
 */
#ifndef WARDI_WATCH_LIST_H
#define WARDI_WATCH_LIST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* All zero: in no list. */
struct wardi_watch_link {
	_Atomic(struct wardi_watch_link *) next;
	_Atomic(struct wardi_watch_link *) *at; /* what leads to it; NULL: it is in no list */
};

/* All zero: empty. */
struct wardi_watch_list {
	_Atomic(struct wardi_watch_link *) first;
};

/* The owner, also without the mutex: whether none of its places is left. Acquire: the last one may
 * have been taken by another owner, and the list may be freed now. */
static inline bool wardi_watch_list_empty(const struct wardi_watch_list *list)
{
	return atomic_load_explicit(&list->first, memory_order_acquire) == NULL;
}

/* NULL: it is empty. */
static inline struct wardi_watch_link *wardi_watch_list_first(const struct wardi_watch_list *list)
{
	return atomic_load_explicit(&list->first, memory_order_relaxed); /* under the mutex */
}

static inline void wardi_watch_list_set_(_Atomic(struct wardi_watch_link *) *at,
					 struct wardi_watch_link *link)
{
	atomic_store_explicit(at, link, memory_order_release); /* see wardi_watch_list_empty() */
	if (link != NULL)
		link->at = at;
}

static inline void wardi_watch_list_add(struct wardi_watch_list *list,
					struct wardi_watch_link *link)
{
	wardi_watch_list_set_(&link->next, wardi_watch_list_first(list));
	wardi_watch_list_set_(&list->first, link);
}

/* Does nothing with one that is in no list. */
static inline void wardi_watch_list_remove(struct wardi_watch_link *link)
{
	if (link->at == NULL)
		return;
	wardi_watch_list_set_(link->at,
			      atomic_load_explicit(&link->next, memory_order_relaxed)); /* mutex */
	link->at = NULL;
}

#endif
