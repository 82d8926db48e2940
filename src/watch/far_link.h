/* SPDX-License-Identifier: MIT
 *
 * far_link.h - links with an actor of another place at one end.
 */
#ifndef WARDI_FAR_LINK_H
#define WARDI_FAR_LINK_H

#include <ward/association.h>

#include "watch/association.h"
#include "watch/link_record.h"

/* Holder of the association. LINK has arrived for an actor of the peer. */
void wardi_far_link_arrived(struct ward_self *self, struct wardi_link *link);
/* OVER has arrived for an actor of the peer; the caller has so many references. */
void wardi_far_link_over(struct ward_self *self, struct wardi_link *link, unsigned refs);
/* The association is closed: ends all of its links. */
void wardi_far_links_over(struct ward_self *self);

/* What the peer does. */
ward_err wardi_far_link(struct ward_self *self, const struct ward_outgoing *in);
ward_err wardi_far_unlink(struct ward_self *self, const struct ward_outgoing *in);
ward_err wardi_far_link_exit(struct ward_self *self, const struct ward_outgoing *in);

#endif
