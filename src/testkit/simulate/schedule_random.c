/* SPDX-License-Identifier: MIT
 *
 * schedule_random.c - chooses evenly among the ready actors.
 */
#include "testkit/simulate/schedule_random.h"

#include "testkit/simulate/schedule.h"

static size_t choose(struct wardi_schedule *order, const ward_system *system, size_t count)
{
	(void)system;
	return (size_t)wardi_chance_below(&order->chance, count);
}

const struct wardi_schedule_way wardi_schedule_random = {"random", NULL, choose};
