/* SPDX-License-Identifier: MIT
 *
 * simulated.h - one try in the network of a simulation: the end of a wire in place of sockets.
 */
#ifndef WARDI_NET_SIMULATED_H
#define WARDI_NET_SIMULATED_H

#include "net/opening/opening.h"

/* These set the state: RACING; OPEN, if it is connected; or PAUSING, if it is refused. */
void wardi_simulated_begin(ward_self *self, struct wardi_opening *opening);
/* A descriptor is ready. False: it is not that of the try. */
bool wardi_simulated_ready(ward_self *self, struct wardi_opening *opening, int fd);

/* Ends the try. */
void wardi_simulated_stop(ward_self *self, struct wardi_opening *opening);
/* The same, after the incarnation; or of an OPEN one, which is not watched. */
void wardi_simulated_close(struct wardi_opening *opening);

#endif
