/* SPDX-License-Identifier: MIT
 *
 * random_routee.h - a random routee, all with the same probability.
 */
#ifndef WARDI_RANDOM_ROUTEE_H
#define WARDI_RANDOM_ROUTEE_H

#include "patterns/router/router.h"

extern const struct wardi_logic wardi_route_random;

#endif
