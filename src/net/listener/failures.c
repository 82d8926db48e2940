/* SPDX-License-Identifier: MIT
 *
 * failures.c - a child of a listener that failed is stopped; what of that is reported.
 *
 * Of each class one failure in ten seconds is a note, with the number of the others. So the first
 * of its kind is seen at once, however many resets there are.
 */
#include "net/listener/failures.h"

#include "net/listener/listener.h"

static const int64_t pause_ns = 10 * WARD_SECOND * WARD_NS_PER_MS;

/* The row of a class; that of the oldest report if there are too many. */
static struct wardi_reported *row_of(struct wardi_listener *me,
				     const ward_failure_class *failure_class)
{
	struct wardi_reported *oldest = me->reported;

	for (struct wardi_reported *row = me->reported; row < me->reported + WARDI_CLASSES; row++) {
		if (row->failure_class == failure_class)
			return row;
		if (row->said_ns < oldest->said_ns)
			oldest = row;
	}
	*oldest = (struct wardi_reported){.failure_class = failure_class};
	return oldest;
}

static void report(ward_self *self, struct wardi_reported *row, const ward_failure *failure)
{
	int64_t now_ns = ward_now_ns(self);

	if (row->said_ns != 0 && now_ns - row->said_ns < pause_ns) {
		row->unsaid++;
		return;
	}
	if (row->unsaid == 0)
		ward_note(self, WARD_LEVEL_WARNING, "%s: %s", row->failure_class->name,
			  ward_failure_text(failure));
	else
		ward_note(self, WARD_LEVEL_WARNING, "%s: %s; and %llu others since the last one",
			  row->failure_class->name, ward_failure_text(failure),
			  (unsigned long long)row->unsaid);
	row->said_ns = now_ns;
	row->unsaid = 0;
}

static ward_directive decide(ward_self *self, ward_ref child, const ward_failure *failure)
{
	struct wardi_listener *me = ward_state(self);

	(void)child;
	me->failed++;
	report(self, row_of(me, ward_failure_class_of(failure)), failure);
	return WARD_STOP;
}

const ward_strategy wardi_listener_strategy = {
	.decide = decide,
	.otherwise = WARD_STOP,
	.quiet = true,
};
