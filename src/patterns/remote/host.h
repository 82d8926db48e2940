/* SPDX-License-Identifier: MIT
 *
 * host.h - the parent of one guest.
 */
#ifndef WARDI_REMOTE_HOST_H
#define WARDI_REMOTE_HOST_H

#include "patterns/remote/wire.h"

/* The arguments of a host. Its first message is the start, as a question. */
struct wardi_host {
	const ward_kind *kinds;                           /* or NULL */
	const ward_failure_class *const *failure_classes; /* or NULL */
	bool waits; /* for a wardi_guest_go: hosts of earlier starts are stopping */
};
WARD_MESSAGE(wardi_host);

extern const ward_behavior wardi_host_behavior;

#endif
