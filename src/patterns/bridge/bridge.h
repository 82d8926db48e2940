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

#endif
