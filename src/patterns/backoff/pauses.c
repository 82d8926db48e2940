/* SPDX-License-Identifier: MIT
 *
 * pauses.c - the pause before something is tried again.
 *
 * Threads: runs only in callbacks of its actor.
 */
#include "patterns/backoff/pauses.h"

#include <ward/actor.h>

#include "common/backoff_delay.h"

static int64_t grown_ms(int64_t min_ms, int64_t max_ms, double factor, uint32_t n)
{
	double grown = (double)min_ms, most = (double)max_ms;

	for (uint32_t i = 0; i < n && grown < most && factor > 1; i++)
		grown *= factor;
	return grown < most ? (int64_t)grown : max_ms;
}

int64_t wardi_pause_ms(int64_t min_ms, int64_t max_ms, double factor, uint32_t n,
		       double random_factor, uint64_t random)
{
	return wardi_backoff_delay_ms(0, grown_ms(min_ms, max_ms, factor, n), max_ms, random_factor,
				      random);
}

uint64_t wardi_random(ward_self *self, uint64_t (*random)(ward_self *self))
{
	return random != NULL ? random(self) : ward_random(self);
}

bool wardi_is_share(double factor)
{
	return factor >= 0 && factor <= 1;
}
