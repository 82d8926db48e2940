/* SPDX-License-Identifier: MIT
 *
 * inbox.h - what the thread of an inbox has the actor behind it do.
 */
#ifndef WARDI_INBOX_H
#define WARDI_INBOX_H

#include <ward/types.h>

#include "cell/self.h"

struct wardi_inbox_order {
	ward_ref who;
	bool watch; /* else unwatch */
};

/* A call and not a message of the program's: a simulation does not lose it. */
extern const ward_type wardi_type_inbox_order;

/* Destroys those that are left. Their actors are gone. */
void wardi_inboxes_finish(ward_system *system);

#endif
