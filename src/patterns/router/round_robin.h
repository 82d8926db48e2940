/* SPDX-License-Identifier: MIT
 *
 * round_robin.h - round robin: one after the other.
 */
#ifndef WARDI_ROUND_ROBIN_H
#define WARDI_ROUND_ROBIN_H

#include "patterns/router/router.h"

extern const struct wardi_logic wardi_route_round_robin;

#endif
