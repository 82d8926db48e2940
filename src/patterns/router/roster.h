/* SPDX-License-Identifier: MIT
 *
 * roster.h - the routees of a router, and those that are leaving.
 */
#ifndef WARDI_ROSTER_H
#define WARDI_ROSTER_H

#include "patterns/router/router.h"

struct wardi_roster;

/* Appends a routee. There must be room. */
void wardi_roster_add(struct wardi_roster *roster, struct wardi_routee routee);

/* Returns the index of a ref, or `all` if it is not in the roster. */
size_t wardi_roster_find(const struct wardi_roster *roster, ward_ref ref);

/* Moves a leaving routee back, as the last. */
void wardi_roster_recall(struct wardi_roster *roster, size_t at);

void wardi_roster_remove(struct wardi_roster *roster, size_t at);

/* Makes room for another entry. False: no memory. */
bool wardi_roster_reserve(struct wardi_roster *roster);

/* Moves a routee to the leaving half; the others keep their order. */
void wardi_roster_retire(struct wardi_roster *roster, size_t at);

#endif
