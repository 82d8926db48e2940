/* SPDX-License-Identifier: MIT
 *
 * failing.h - the failure that a callback has noted.
 */
#ifndef WARDI_FAILING_H
#define WARDI_FAILING_H

#include "cell/self.h"

/* A call that answers nothing was misused: the callback under way fails of it when it is over. */
void wardi_note_misuse(struct ward_self *self, const char *text);

/* After a callback: the failure it noted, or one for a WARD_FAILED without one; none: it is
 * fine. */
struct wardi_failure wardi_take_noted(struct ward_self *self, ward_result result);

#endif
