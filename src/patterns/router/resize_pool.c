/* SPDX-License-Identifier: MIT
 *
 * resize_pool.c - a pool that grows under pressure and shrinks without it.
 *
 *	routees under pressure   all of them       grow by ramp_up_percent, rounded up
 *	                         few of them       shrink by back_off_percent, rounded down
 *	                         else              stay
 *
 * Integer arithmetic only, so that a simulation resizes at the same message on any machine.
 *
 * Threads: in the router's callbacks.
 */
#include "patterns/router/resize_pool.h"

#include "patterns/router/manage_routees.h"
#include "patterns/router/router.h"

/* The bounds of a resizer, with defaults filled in. */
struct limits {
	int64_t min, max;
};

static int64_t or_default(int64_t value, int64_t otherwise)
{
	return value != 0 ? value : otherwise;
}

static struct limits limits_of(const ward_resizer *resizer)
{
	int64_t min = or_default(resizer->routees_min, 1);

	return (struct limits){min, or_default(resizer->routees_max, min > 10 ? min : 10)};
}

static int64_t clamp(int64_t size, struct limits limits)
{
	if (size < limits.min)
		return limits.min;
	return size > limits.max ? limits.max : size;
}

size_t wardi_router_start_size(const struct ward_router *args)
{
	int64_t wanted = or_default(args->routees, 1);

	return (size_t)(args->resizer == NULL ? wanted : clamp(wanted, limits_of(args->resizer)));
}

static int64_t pressed(const ward_resizer *resizer, ward_self *self,
		       const struct wardi_roster *roster)
{
	int64_t from = or_default(resizer->pressure_min, 1), count = 0;

	for (size_t i = 0; i < roster->count; i++)
		count += ward_mailbox_count(self, roster->at[i].ref) >= from;
	return count;
}

static int64_t by_percent(const ward_resizer *resizer, ward_self *self,
			  const struct wardi_roster *roster)
{
	int64_t size = (int64_t)roster->count, pressure = pressed(resizer, self, roster);
	int64_t ramp_up = or_default(resizer->ramp_up_percent, 20);
	int64_t below = or_default(resizer->back_off_below_percent, 30);
	int64_t back_off = or_default(resizer->back_off_percent, 10);

	if (pressure >= size)
		return ramp_up > 0 ? (size * ramp_up + 99) / 100 : 0;
	if (pressure * 100 < below * size)
		return back_off > 0 ? -(size * back_off / 100) : 0;
	return 0;
}

static int64_t by_own_function(const ward_resizer *resizer, ward_self *self,
			       const struct wardi_roster *roster)
{
	struct ward_routees *list = wardi_router_list(roster, self);
	int64_t change;

	if (list == NULL)
		return 0;
	change = resizer->decide(self, ward_routees_refs(list), roster->count);
	ward_discard(self, list);
	return change;
}

void wardi_router_resize(struct wardi_router *router, ward_self *self)
{
	const ward_resizer *resizer = router->args->resizer;
	const struct wardi_roster *roster = router->roster;
	int64_t size = (int64_t)roster->count, change;

	if (resizer == NULL)
		return;
	if (++router->messages % (uint64_t)or_default(resizer->messages_per_resize, 10) != 0)
		return;
	change = resizer->decide != NULL ? by_own_function(resizer, self, roster)
					 : by_percent(resizer, self, roster);
	change = clamp(size + change, limits_of(resizer)) - size;
	if (change < 0)
		wardi_router_shrink(router, self, (size_t)-change);
	else
		/* If it fails, a later message tries again, if still necessary. */
		(void)wardi_router_grow(router, self, (size_t)change);
}
