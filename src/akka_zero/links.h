/* SPDX-License-Identifier: MIT
 *
 * links.h - the supervising actor of the Akka 0.x profile: its links, and its fault handler.
 */
#ifndef WARDI_LINKS_H
#define WARDI_LINKS_H

#include <ward/types.h>

struct ward_zero_links;
struct wardi_zero_link;

void wardi_zero_all_started(ward_self *self, struct ward_zero_links *links);

/* Returns the link of a child, or NULL. */
struct wardi_zero_link *wardi_zero_link_of_child(const struct ward_zero_links *links,
						 ward_ref child);

/* More links are to come: until wardi_zero_all_started() the supervisor does not end with its last
 * temporary actor. */
void wardi_zero_starting(struct ward_zero_links *links);

#endif
