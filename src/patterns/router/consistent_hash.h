/* SPDX-License-Identifier: MIT
 *
 * consistent_hash.h - consistent hashing: each hash keeps its routee for as long as that is in the
 * pool.
 */
#ifndef WARDI_CONSISTENT_HASH_H
#define WARDI_CONSISTENT_HASH_H

#include "patterns/router/router.h"

extern const struct wardi_logic wardi_route_hash;

#endif
