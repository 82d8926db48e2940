/* SPDX-License-Identifier: MIT
 *
 * far_watch.h - watches with an actor of another place at one end.
 */
#ifndef WARDI_FAR_WATCH_H
#define WARDI_FAR_WATCH_H

#include <ward/association.h>

#include "watch/association.h"
#include "watch/watch_record.h"

/* Holder of the association: a WATCH for an actor of the peer. False: it is closed. */
bool wardi_far_enter(struct ward_self *self, struct wardi_watch *watch);
/* The same: that watch has left the list of its cell, since the watcher ended it. */
void wardi_far_left(struct ward_self *self, struct wardi_watch *watch);
/* The same: a NOTICE for an actor of the peer. */
void wardi_far_notice(struct ward_self *self, struct wardi_watch *watch);
/* The association is closed: ends all of its watches. */
void wardi_far_watches_over(struct ward_self *self, struct wardi_association *association);

/* What the peer does. */
ward_err wardi_far_watch(struct ward_self *self, const struct ward_outgoing *in);
ward_err wardi_far_unwatch(struct ward_self *self, const struct ward_outgoing *in);
ward_err wardi_far_terminated(struct ward_self *self, const struct ward_outgoing *in);

#endif
