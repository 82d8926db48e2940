/* SPDX-License-Identifier: MIT
 *
 * roster.h - the routees of a router, and those that it lets go.
 */
#ifndef WARDI_ROSTER_H
#define WARDI_ROSTER_H

#include "patterns/router/router.h"

struct wardi_roster;

/* As the last; there is room. */
void wardi_roster_add(struct wardi_roster *roster, struct wardi_routee routee);

/* Of a ref. `all`: it is not there. */
size_t wardi_roster_find(const struct wardi_roster *roster, ward_ref ref);

/* Back, as the last. */
void wardi_roster_recall(struct wardi_roster *roster, size_t at);

void wardi_roster_remove(struct wardi_roster *roster, size_t at);

/* Room for one more. False: no memory. */
bool wardi_roster_reserve(struct wardi_roster *roster);

/* From those that get messages to those that leave; the order of the others is kept. */
void wardi_roster_retire(struct wardi_roster *roster, size_t at);

#endif
