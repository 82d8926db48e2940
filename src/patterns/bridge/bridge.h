/* SPDX-License-Identifier: MIT
 *
 * bridge.h - the handle of a bridge, as the bridge itself uses it.
 */
#ifndef WARDI_BRIDGE_H
#define WARDI_BRIDGE_H

#include <ward/bridge.h>

enum { WARDI_DEATH_TEXT = 256 };

/* What a subsystem said of its end. */
struct wardi_death {
	const ward_failure_class *failure_class; /* NULL: it has ended, with the reason */
	ward_exit_reason reason;                 /* of a failure, too */
	char text[WARDI_DEATH_TEXT];             /* of a failure, whole */
};

/* One share, for the caller. `fd` is written to when there is a death; it stays the caller's, who
 * closes the handle before it. NULL: no memory. */
ward_bridge *wardi_bridge_create(int fd);
/* Nobody is heard any more; again: nothing. True: somebody was. */
bool wardi_bridge_close(ward_bridge *bridge);
/* Whether somebody was heard, and what he said. */
bool wardi_bridge_heard(ward_bridge *bridge, struct wardi_death *ret_death);

#endif
