/* SPDX-License-Identifier: MIT
 *
 * deadline.c - moments until which something is to be done.
 *
 * single-threaded: values.
 */
#include <ward/actor.h>
#include <ward/timer.h>

ward_deadline ward_deadline_in(const ward_self *self, int64_t timeout_ms)
{
	int64_t now_ns = ward_now_ns(self);

	if (timeout_ms > (INT64_MAX - now_ns) / WARD_NS_PER_MS)
		return (ward_deadline){INT64_MAX};
	return (ward_deadline){now_ns + (timeout_ms > 0 ? timeout_ms : 0) * WARD_NS_PER_MS};
}

int64_t ward_deadline_left_ms(const ward_self *self, ward_deadline deadline)
{
	int64_t left_ns;

	if (deadline.at_ns == INT64_MAX)
		return WARD_FOREVER;
	left_ns = deadline.at_ns - ward_now_ns(self);
	return left_ns <= 0 ? 0 : left_ns / WARD_NS_PER_MS + (left_ns % WARD_NS_PER_MS != 0);
}
