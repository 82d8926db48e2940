/* SPDX-License-Identifier: MIT
 *
 * late_mail.h - mail that reaches a cell when its life is over.
 */
#ifndef WARDI_LATE_MAIL_H
#define WARDI_LATE_MAIL_H

#include "cell/self.h"

/* Whether nobody lives in the cell any more. By who holds it. */
static inline bool wardi_cell_is_over(const struct wardi_cell *cell)
{
	enum wardi_state state = wardi_cell_state(cell);

	return state == WARDI_STOPPED || state == WARDI_FREE;
}

/* Holder: makes dead letters of what is there, and gives the cell up. It must have the default
 * dispatcher by now. */
void wardi_late_mail(struct ward_self *self, struct wardi_cell *cell);

#endif
