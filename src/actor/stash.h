/* SPDX-License-Identifier: MIT
 *
 * stash.h - stashed messages, and those that were un-stashed and come before the mailbox. Holder
 * only.
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

/* Returns the next un-stashed message, which the caller owns; NULL: none. */
struct ward_msg *wardi_unstashed_next(struct ward_self *self);
/* Un-stashes all messages, with or without a running callback. Returns how many. */
size_t wardi_unstash_all(struct ward_self *self);
/* The relation that a notice is about. */
enum wardi_ends { WARDI_ENDS_WATCHED, WARDI_ENDS_LINKED };
/* Drops notices of the end of this actor, stashed or un-stashed (S63, S117); nobody: all
 * notices. */
void wardi_stash_forget(struct ward_self *self, enum wardi_ends ends, ward_ref who);

#endif
