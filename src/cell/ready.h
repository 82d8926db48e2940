/* SPDX-License-Identifier: MIT
 *
 * ready.h - makes a cell ready: the thread that took its scheduling bit puts it into a run queue.
 */
#ifndef WARDI_READY_H
#define WARDI_READY_H

#include "cell/self.h"
#include "mail/mailbox.h"
#include "sched/dispatcher.h"
#include "sched/worker.h"

/* Makes a cell ready whose scheduling bit the caller took. `self`: the worker's, or NULL
 * outside. */
static inline void wardi_cell_ready(struct ward_self *self, struct wardi_cell *cell)
{
	ward_system *system = self == NULL ? wardi_cell_system(cell) : self->system;

	wardi_sched_ready(system->sched, self == NULL ? NULL : self->worker, &cell->runnable);
}

/* The same on a worker: few instructions for its own queue, the usual case. */
static inline __attribute__((always_inline)) void wardi_cell_ready_here(struct ward_self *self,
									struct wardi_cell *cell)
{
	if (!wardi_worker_push(self->worker, &cell->runnable))
		wardi_cell_ready(self, cell);
}

/* After a system message was linked. */
static inline void wardi_cell_wake(struct ward_self *self, struct wardi_cell *cell)
{
	if (wardi_mailbox_wake(&cell->mailbox))
		wardi_cell_ready(self, cell);
}

#endif
