/* SPDX-License-Identifier: MIT
 *
 * list.h - an intrusive doubly linked list with a head. For one thread at a time.
 */
#ifndef WARDI_LIST_H
#define WARDI_LIST_H

#include <stdbool.h>
#include <stddef.h>

#define wardi_container_of(pointer, type, member)                                                  \
	((type *)(void *)((char *)(pointer)-offsetof(type, member)))

struct wardi_list {
	struct wardi_list *next, *prev; /* a head, or a link; an unlinked link points nowhere */
};

static inline void wardi_list_init(struct wardi_list *head)
{
	head->next = head->prev = head;
}

static inline bool wardi_list_empty(const struct wardi_list *head)
{
	return head->next == head;
}

static inline bool wardi_list_linked(const struct wardi_list *link)
{
	return link->next != NULL;
}

static inline void wardi_list_append(struct wardi_list *head, struct wardi_list *link)
{
	link->next = head;
	link->prev = head->prev;
	head->prev->next = link;
	head->prev = link;
}

static inline void wardi_list_prepend(struct wardi_list *head, struct wardi_list *link)
{
	wardi_list_append(head->next, link);
}

static inline void wardi_list_remove(struct wardi_list *link)
{
	link->prev->next = link->next;
	link->next->prev = link->prev;
	link->next = link->prev = NULL;
}

/* Moves all of `from` into the empty or fresh head `to`. */
static inline void wardi_list_move(struct wardi_list *to, struct wardi_list *from)
{
	if (wardi_list_empty(from)) {
		wardi_list_init(to);
		return;
	}
	*to = *from;
	to->next->prev = to;
	to->prev->next = to;
	wardi_list_init(from);
}

#endif
