/* SPDX-License-Identifier: MIT
 *
 * intensity.c - limits the restarts of a supervisor of OTP, counted over all its children.
 *
 *	restarts   the last `intensity` restarts, in whole seconds, as a ring
 *	too many   the oldest of a full ring is no older than the period
 *
 * This equals OTP's log, which keeps all restarts no older than the period and counts them: since
 * the clock never goes back, it holds more than `intensity` entries exactly when the restart
 * `intensity` places back is still in it.
 *
 * Threads: in callbacks of the supervisor.
 */
#include "otp/intensity.h"

#include <inttypes.h>
#include <stdio.h>

#include <ward/text.h>

#include "otp/otp_supervisor.h"

enum { INTENSITY = 1, PERIOD_S = 5 }; /* OTP's defaults */

static const int64_t second_ns = WARD_SECOND * WARD_NS_PER_MS;

static size_t intensity_of(const ward_otp_supervisor *table)
{
	if (table->intensity == WARD_RESTARTS_NONE)
		return 0;
	return table->intensity == 0 ? INTENSITY : (size_t)table->intensity;
}

static int64_t period_of(const ward_otp_supervisor *table)
{
	return table->window_ms == 0 ? PERIOD_S : table->window_ms / WARD_SECOND;
}

bool wardi_otp_intensity_init(ward_self *self, struct wardi_otp *me)
{
	size_t intensity = intensity_of(me->table);

	if (intensity == 0)
		return true;
	me->restarts = wardi_record_make(self, intensity * sizeof me->restarts[0]);
	return me->restarts != NULL;
}

bool wardi_otp_may_restart(struct wardi_otp *me, int64_t now_ns)
{
	size_t intensity = intensity_of(me->table);
	int64_t now_s = now_ns / second_ns;

	if (intensity == 0)
		return false;
	if (me->restarts_count == intensity &&
	    me->restarts[me->restarts_next] >= now_s - period_of(me->table))
		return false;
	if (me->restarts_count < intensity)
		me->restarts_count++;
	me->restarts[me->restarts_next] = now_s;
	me->restarts_next = (me->restarts_next + 1) % intensity;
	return true;
}

/* Returns the number of restarts within the period. */
static size_t recent(const struct wardi_otp *me, int64_t now_ns)
{
	int64_t since_s = now_ns / second_ns - period_of(me->table);
	size_t count = 0;

	for (size_t i = 0; i < me->restarts_count; i++)
		count += me->restarts[i] >= since_s;
	return count;
}

void wardi_otp_limit_text(const struct wardi_otp *me, char *text, size_t max)
{
	size_t intensity = intensity_of(me->table);

	ward_text_format(text, max, "more than %zu restart%s in %" PRId64 " s", intensity,
			 intensity == 1 ? "" : "s", period_of(me->table));
}

void wardi_otp_count_text(const struct wardi_otp *me, int64_t now_ns, char *text, size_t max)
{
	ward_text_format(text, max, "%zu of %zu in %" PRId64 " s", recent(me, now_ns),
			 intensity_of(me->table), period_of(me->table));
}
