/* SPDX-License-Identifier: MIT
 *
 * schedule_random.c - evenly among those who are ready.
 */
#include "testkit/simulate/schedule.h"

static size_t choose(struct wardi_order *order, const ward_system *system, size_t count)
{
	(void)system;
	return (size_t)wardi_chance_below(&order->chance, count);
}

const struct wardi_order_way wardi_order_random = {"random", NULL, choose};
