/* SPDX-License-Identifier: MIT
 *
 * visit.h - a look-up of a cell by a ref, which keeps the cell until it is over.
 */
#ifndef WARDI_VISIT_H
#define WARDI_VISIT_H

#include "cell/self.h"
#include "sched/grace.h"

/* A look-up of a cell by a ref needs a turn or a visit, during which the cell stays (segments.c). A
 * worker in a turn needs nothing more, unless it has gone out: then it comes back for the visit;
 * other threads pay for it. */
enum wardi_visit_kind { WARDI_VISIT_NONE = 2, WARDI_VISIT_BACK /* or a side of grace.c */ };

static inline uint32_t wardi_visit(const ward_system *system, const struct ward_self *self)
{
	if (self == NULL)
		return wardi_visit_begin(system->sched);
	if (!self->out || !wardi_run_looks_in(self->worker))
		return WARDI_VISIT_NONE;
	return WARDI_VISIT_BACK;
}

static inline void wardi_visited(const ward_system *system, const struct ward_self *self,
				 uint32_t visit)
{
	if (visit == WARDI_VISIT_BACK)
		wardi_run_goes_out(self->worker);
	else if (visit != WARDI_VISIT_NONE)
		wardi_visit_end(system->sched, visit);
}

#endif
