/* SPDX-License-Identifier: MIT
 *
 * ending.h - how a life has ended, as a watcher sees it.
 */
#ifndef WARDI_ENDING_H
#define WARDI_ENDING_H

#include <string.h>

#include <ward/watch.h>

#include "cell/cell.h"

/* The end as a ward_terminated has it. */
struct wardi_shown_end {
	const ward_failure_class *failure_class;
	ward_end end;
	char name[WARD_END_NAME]; /* all of it written */
};

_Static_assert(sizeof(struct ward_terminated) <= 48, "a notice fits a block of 80");

static inline void wardi_end_fill_notice(const struct wardi_shown_end *end,
					 struct ward_terminated *notice)
{
	notice->failure_class = end->failure_class;
	notice->end = end->end;
	memcpy(notice->name, end->name, sizeof notice->name);
}

struct wardi_ending {
	enum wardi_end end;
	struct wardi_failure failure; /* of WARDI_END_FAILED: counted */
	struct wardi_shown_end shown;
};

/* Holder, at the end: fills in *ending. The caller must unref the failure. */
void wardi_ending_fill(struct wardi_cell *cell, struct wardi_ending *ending);

/* Returns the public name of an end. `failure_class`: the class of the failure with
 * WARDI_END_FAILED, else NULL; set if the end has a class without a failure. */
ward_end wardi_end_shown(enum wardi_end end, const ward_failure_class **failure_class);

#endif
