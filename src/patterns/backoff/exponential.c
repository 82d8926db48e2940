/* SPDX-License-Identifier: MIT
 *
 * exponential.c - exponential back-off as a value.
 *
 * Threads: a value belongs to its holder.
 */
#include <ward/actor.h>
#include <ward/exponential.h>
#include <ward/extend.h>

enum { SLOT_TIME_MS = 10, CEILING = 10 };

/* Also makes an all-zero value usable. */
static void fill_in(ward_exponential *now)
{
	if (now->options.slot_time_ms == 0)
		now->options.slot_time_ms = SLOT_TIME_MS;
	if (now->options.ceiling == 0)
		now->options.ceiling = CEILING;
	if (now->slot == 0)
		now->slot = 1;
}

ward_err ward_try_exponential_init(ward_exponential *ret_now,
				   const ward_exponential_options *options)
{
	static const ward_exponential_options defaults = {0};
	ward_exponential made = {.options = options == NULL ? defaults : *options};

	if (made.options.slot_time_ms < 0)
		return ward_refused(
			WARD_EINVAL,
			"an exponential back-off: .slot_time_ms is %lld: it must not be negative",
			(long long)made.options.slot_time_ms);
	if (made.options.reserved[0] != 0 || made.options.reserved[1] != 0)
		return ward_refused(WARD_EINVAL,
				    "an exponential back-off: a reserved word is not zero");
	fill_in(&made);
	*ret_now = made;
	return WARD_OK;
}

/* Returns a number from 0 to `last`. */
static uint32_t draw(ward_self *self, const ward_exponential_options *options, uint32_t last)
{
	uint32_t drawn;

	if (options->draw == NULL)
		return (uint32_t)(ward_random(self) % ((uint64_t)last + 1));
	drawn = options->draw(options->draw_arg, last + 1);
	return drawn < last ? drawn : last;
}

static int64_t slots_ms(int64_t slot_time_ms, uint32_t exponent)
{
	int64_t slots = exponent < 63 ? (INT64_C(1) << exponent) - 1 : INT64_MAX;

	return slots > WARD_FOREVER / slot_time_ms ? WARD_FOREVER : slots * slot_time_ms;
}

ward_exponential ward_exponential_next(ward_self *self, ward_exponential now)
{
	const ward_exponential_options *options = &now.options;

	fill_in(&now);
	if (now.slot >= options->ceiling && !options->stay_at_ceiling)
		return ward_exponential_reset(now);
	now.wait_ms = slots_ms(options->slot_time_ms, draw(self, options, now.slot));
	now.slot = now.slot < options->ceiling ? now.slot + 1 : options->ceiling;
	now.retries++;
	now.total_retries++;
	return now;
}

ward_exponential ward_exponential_reset(ward_exponential now)
{
	fill_in(&now);
	now.slot = 1;
	now.wait_ms = 0;
	now.retries = 0;
	now.resets++;
	return now;
}
