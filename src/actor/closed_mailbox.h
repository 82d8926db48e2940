/* SPDX-License-Identifier: MIT
 *
 * closed_mailbox.h - a mailbox that its actor has closed: only special messages pass. Holder only.
 */
#ifndef WARDI_CLOSED_MAILBOX_H
#define WARDI_CLOSED_MAILBOX_H

#include "mail/mailbox.h"

struct ward_self;
struct wardi_cell;

struct wardi_closed_mailbox {
	/* No message of the lane up to this one passes; NULL: none was looked at. Kept while the
	 * mailbox is open, until the tail comes there. */
	wardi_next *looked;
	struct ward_msg *current; /* taken out of the lane; freed when the next one is */
};

/* Returns the next message that passes, or NULL; *ret_busy: look again. */
struct ward_msg *wardi_closed_next(struct ward_self *self, bool *ret_busy);
/* Lets go of the cell, with mail unread. False: something came to the lane, the cell is still
 * held. */
bool wardi_closed_give_up(struct ward_self *self);
/* Any thread: whether a message that passes came to the bounded mailbox, perhaps that of a later
 * life. */
bool wardi_closed_passing_came(struct wardi_cell *cell);
/* Before the next message of the lane is read. */
void wardi_closed_read_on(struct wardi_cell *cell);
/* The incarnation is over, and has closed it once: the next one begins with an open mailbox. */
void wardi_closed_reset(struct ward_self *self);

#endif
