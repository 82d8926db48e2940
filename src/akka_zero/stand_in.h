/* SPDX-License-Identifier: MIT
 *
 * stand_in.h - a child of a supervising actor that stands in for an orphan.
 */
#ifndef WARDI_STAND_IN_H
#define WARDI_STAND_IN_H

#include <ward/guests.h>

/* The arguments of a stand-in. The copy is its own, so what it stores there outlives its
 * restarts. */
struct wardi_zero_stand_in {
	struct ward_stand_in link;
	bool linked; /* the orphanage has confirmed it */
};

extern const ward_type wardi_type_zero_stand_in;

extern const ward_behavior wardi_zero_stand_in;

#endif
