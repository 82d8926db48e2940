/* SPDX-License-Identifier: MIT
 *
 * selection_record.h - what a message on its way along a path has with it.
 */
#ifndef WARDI_SELECTION_RECORD_H
#define WARDI_SELECTION_RECORD_H

#include <string.h>

#include "actor/selection.h"
#include "cell/self.h"

struct wardi_selection {
	struct wardi_addressed way; /* first: in a lane, or in the queue of a cell */
	ward_system *system;
	const ward_type *type;
	struct ward_msg *msg; /* NULL: it could not be copied, and went to the first that matched */
	ward_ref sender;
	ward_ref by;       /* the actor that sends it, in whatever name; nobody: outside */
	uint64_t back_to;  /* by way of the root; 0: not on that way */
	uint64_t born_max; /* actors born later are no children of that moment */
	bool silent;       /* a pattern matched more than one */
	bool rises;        /* it comes from a child */
	uint32_t looks;    /* of this turn, at children to turn back at; about */
	size_t at;         /* of the next element in text */
	size_t size;       /* of text */
	char text[];       /* the path as given; its elements, each ended by a NUL; an empty one */
};

/* The next element; empty: none is left. */
static inline const char *wardi_selection_element(const struct wardi_selection *it)
{
	return it->text + it->at;
}

static inline void wardi_selection_advance(struct wardi_selection *it)
{
	it->at += strlen(wardi_selection_element(it)) + 1;
}

static inline bool wardi_selection_is_at_end(const struct wardi_selection *it)
{
	return *wardi_selection_element(it) == '\0';
}

#endif
