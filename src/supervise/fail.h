/* SPDX-License-Identifier: MIT
 *
 * fail.h - an actor fails: it is suspended, and its parent gets a report.
 */
#ifndef WARDI_SUPERVISE_FAIL_H
#define WARDI_SUPERVISE_FAIL_H

#include "cell/self.h"

/* The running actor failed. Takes the cause. `perpetrator`: the child it escalates for, or NULL. */
void wardi_fail(struct ward_self *self, struct wardi_failure cause, struct wardi_cell *perpetrator);

#endif
