/* SPDX-License-Identifier: MIT
 *
 * race.h - the addresses of one try, of which the first that connects wins (RFC 8305, 5).
 *
 * Each address has a head start of 250 ms before the next one, unless it is refused earlier.
 */
#ifndef WARDI_NET_RACE_H
#define WARDI_NET_RACE_H

#include "net/opening/opening.h"

/* Why there is no connection, of `to`; NULL: of no address. */
void wardi_race_refused(struct wardi_opening *opening, const struct wardi_net_refusal *refusal,
			const struct sockaddr *to, socklen_t size);

/* These set the state: RACING; or OPEN, if one has won, and then the others are closed; or PAUSING,
 * if none is left. */
void wardi_race_begin(ward_self *self, struct wardi_opening *opening);
/* The head start is over. */
void wardi_race_next(ward_self *self, struct wardi_opening *opening);
/* A descriptor is ready. False: it is not of the race. */
bool wardi_race_ready(ward_self *self, struct wardi_opening *opening, int fd);

/* Closes all. */
void wardi_race_stop(ward_self *self, struct wardi_opening *opening);
/* The same, after the incarnation. */
void wardi_race_close(struct wardi_opening *opening);

#endif
