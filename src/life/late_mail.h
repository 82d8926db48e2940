/* SPDX-License-Identifier: MIT
 *
 * late_mail.h - mail that reaches a cell when its life is over.
 */
#ifndef WARDI_LATE_MAIL_H
#define WARDI_LATE_MAIL_H

#include "cell/self.h"

/* Holder: whether no life is left in the cell. */
static inline bool wardi_cell_is_over(const struct wardi_cell *cell)
{
	enum wardi_state state = wardi_cell_state(cell);

	return state == WARDI_STOPPED || state == WARDI_FREE;
}

/* Holder: turns the mail that is left into dead letters, and gives the cell up. The cell must be on
 * the default dispatcher by now. */
void wardi_late_mail(struct ward_self *self, struct wardi_cell *cell);

#endif
