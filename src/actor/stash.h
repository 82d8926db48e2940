/* SPDX-License-Identifier: MIT
 *
 * stash.h - messages put aside, and those that come back before the mailbox. Holder only.
 */
#ifndef WARDI_STASH_H
#define WARDI_STASH_H

#include <ward/stash.h>

#include "mail/message.h"

struct ward_self;

struct wardi_msgs {
	struct ward_msg *first, *last;
	uint32_t count;
};

struct wardi_stash {
	struct wardi_msgs stashed; /* oldest first */
	struct wardi_msgs
		unstashed; /* handled before the mailbox; then the cell needs a general turn */
	/* The last one that was un-stashed since a message was handled: the next go behind it.
	 * NULL: they go first. */
	struct ward_msg *placed;
	uint32_t notices; /* in both lists, of ends of watched actors */
};

/* The next un-stashed message, which is the caller's; NULL: none. */
struct ward_msg *wardi_unstashed_next(struct ward_self *self);
/* All that is stashed comes next, whether a callback runs or not. Returns how many. */
size_t wardi_unstash_all(struct ward_self *self);
/* What told of it. */
enum wardi_ends { WARDI_ENDS_WATCHED, WARDI_ENDS_LINKED };
/* Drops what tells of the end of this actor, stashed or un-stashed (S63, S117); nobody: of all. */
void wardi_stash_forget(struct ward_self *self, enum wardi_ends ends, ward_ref who);

#endif
