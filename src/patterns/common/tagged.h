/* SPDX-License-Identifier: MIT
 *
 * tagged.h - records of an incarnation that are found by a number, and how long to pause.
 *
 * A record begins with a struct wardi_tag. It is made, found and freed in O(1), and goes with the
 * incarnation: its memory is a message body that is never sent.
 */
#ifndef WARDI_TAGGED_H
#define WARDI_TAGGED_H

#include <ward/message.h>

struct wardi_tag {
	struct wardi_tag *next;
	uint64_t tag;
};

/* Of an incarnation. A pointer to it that is NULL is empty. */
struct wardi_tags {
	struct wardi_tag **at; /* a power of two of lists */
	size_t lists, count;
};

/* Memory of the incarnation, zeroed, for anything; given back by ward_discard(). NULL: none. */
void *wardi_record_make(ward_self *self, size_t size);

/* Makes room for one more record. False: no memory. */
bool wardi_tags_reserve(ward_self *self, struct wardi_tags **tags);
/* There must be room. */
void wardi_tags_insert(struct wardi_tags *tags, struct wardi_tag *record, uint64_t tag);
struct wardi_tag *wardi_tags_find(const struct wardi_tags *tags, uint64_t tag);
/* Takes it out, and does not free it. NULL: there is none. */
struct wardi_tag *wardi_tags_remove(struct wardi_tags *tags, uint64_t tag);

/* Of the generator of some options, or of the system. */
uint64_t wardi_random(ward_self *self, uint64_t (*random)(ward_self *self));
/* Whether 0 <= factor <= 1; of a NaN it is not. */
bool wardi_is_share(double factor);

/* Whether the size is one of the type's; NULL and 0 stand for all zero. */
bool wardi_fits(const ward_type *type, const void *body, size_t size);
/* Drops what a body owns that was not sent; one that does not fit its type is left alone. */
void wardi_drop_unsent(const ward_type *type, const void *body, size_t size);

#endif
