/* SPDX-License-Identifier: MIT
 *
 * bridge.h - the handle of a bridge, as the bridge itself uses it.
 */
#ifndef WARDI_BRIDGE_H
#define WARDI_BRIDGE_H

#include <ward/bridge.h>

enum { WARDI_DEATH_TEXT = 256 };

/* A subsystem's report of its end. */
struct wardi_death {
	const ward_failure_class *failure_class; /* NULL: it has ended, with `reason` */
	ward_exit_reason reason;                 /* also set for a failure */
	char text[WARDI_DEATH_TEXT];             /* the full text of a failure */
};

#endif
