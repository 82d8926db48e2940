/* SPDX-License-Identifier: MIT
 *
 * late_mail.c - mail that reaches a cell when its life is over.
 *
 * A sender looks at the generation and then pushes; the life may end between the two, after its
 * mailbox was drained. So nobody holds a cell whose life is over: it is idle, like a cell that
 * waits for mail. A late push finds the scheduling bit and makes the cell ready once more, and the
 * worker that gets it turns the mail into dead letters. A new life takes the bit first, or another
 * cell.
 *
 * Threads: this file touches the mailbox only. The rest of the cell may belong to the parent by
 * now, or to the list of free cells.
 */
#include "life/late_mail.h"

#include "cell/ready.h"
#include "send/dead_letter.h"

void wardi_late_mail(struct ward_self *self, struct wardi_cell *cell)
{
	ward_system *system = self->system;
	struct ward_msg *msg = NULL;

	do {
		enum wardi_pop pop;

		while ((pop = wardi_mailbox_pop(&cell->mailbox, self->from, &msg)) ==
		       WARDI_POP_MESSAGE) {
			uint64_t meant = (uint64_t)msg->target_gen << 32 | wardi_cell_slot(cell);

			wardi_dead_letter(system, self, wardi_ref_make(meant, system->place), msg,
					  WARD_REASON_DEAD);
		}
		if (pop == WARDI_POP_BUSY) { /* a push is half done: look again, later */
			wardi_cell_ready(self, cell);
			return;
		}
	} while (!wardi_mailbox_give_up(&cell->mailbox, self->from));
}
