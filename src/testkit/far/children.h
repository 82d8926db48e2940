/* SPDX-License-Identifier: MIT
 *
 * children.h - which of the children that actors start live elsewhere.
 */
#ifndef WARDI_FAR_CHILDREN_H
#define WARDI_FAR_CHILDREN_H

#include <ward/ward.h>

enum wardi_far_child {
	WARDI_FAR_HERE,
	WARDI_FAR_GUEST, /* a host starts it */
	WARDI_FAR_ELSEWHERE,
};

enum wardi_far_child wardi_far_child(ward_system *system, ward_ref parent, const ward_props *props);

/* Ends the process of the case at the first child that would live elsewhere, and has the runner
 * begin again with second systems. */
void wardi_far_await_child(ward_system *system);

#endif
