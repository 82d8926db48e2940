/* SPDX-License-Identifier: MIT
 *
 * select_send.h - sending to a path, in the name of an actor of another place.
 */
#ifndef WARDI_SELECT_SEND_H
#define WARDI_SELECT_SEND_H

#include <ward/association.h>

#include "cell/self.h"

/* Running actor: sends to a path from the root on, in the name of an actor of another place. */
void wardi_select_from(struct ward_self *self, ward_ref sender, const char *path,
		       const ward_type *type, const void *body, size_t size);

/* Applies a SELECT of a peer whose path begins at an actor of this system. Takes what the body
 * owns. */
void wardi_select_at(struct ward_self *self, const struct ward_outgoing *in);

#endif
