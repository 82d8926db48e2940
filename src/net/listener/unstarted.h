/* SPDX-License-Identifier: MIT
 *
 * unstarted.h - a child of a listener that does not start its stream is noted.
 */
#ifndef WARDI_NET_UNSTARTED_H
#define WARDI_NET_UNSTARTED_H

#include "net/listener/listener.h"

/* Looks some time later whether the connections that there are have been started. */
void wardi_listener_look_back(ward_self *self, struct wardi_listener *me);
/* Whether the message was about that. */
bool wardi_listener_looked(ward_self *self, struct wardi_listener *me, const ward_msg *msg);

#endif
