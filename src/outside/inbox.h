/* SPDX-License-Identifier: MIT
 *
 * inbox.h - orders of an inbox's thread to the actor behind it.
 */
#ifndef WARDI_INBOX_H
#define WARDI_INBOX_H

#include <ward/types.h>

#include "cell/self.h"

struct wardi_inbox_order {
	ward_ref who;
	bool watch; /* else unwatch */
};

/* A call, not a message of the program: a simulation does not lose it. */
extern const ward_type wardi_type_inbox_order;

/* Destroys those that are left. Their actors are gone. */
void wardi_inboxes_finish(ward_system *system);

#endif
