/* SPDX-License-Identifier: MIT
 *
 * failing.h - the failure that a callback has noted.
 */
#ifndef WARDI_FAILING_H
#define WARDI_FAILING_H

#include "cell/self.h"

/* A call without a result was misused: the running callback fails when it returns. */
void wardi_note_misuse(struct ward_self *self, const char *text);

/* After a callback: returns the failure that it noted, or one for a bare WARD_FAILED; none: there
 * is no failure. */
struct wardi_failure wardi_take_noted(struct ward_self *self, ward_result result);

#endif
