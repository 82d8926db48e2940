/* SPDX-License-Identifier: MIT
 *
 * bounded_pool.c - the bounded mailboxes of a system: type-stable, reused by one life after
 * another.
 *
 * Threads: calls may run at the same time.
 */
#include "cell/bounded_pool.h"

#include "base/assert.h"
#include "cell/system.h"
#include "mail/bounded.h"

void wardi_bounded_pool_init(ward_system *system)
{
	wardi_mutex_init(&system->bounded_mu, WARDI_LOCK_BOUNDED_POOL);
}

void wardi_bounded_pool_finish(ward_system *system)
{
	struct wardi_bounded *bounded = system->bounded_all;

	while (bounded != NULL) {
		struct wardi_bounded *next = bounded->all;

		/* Relaxed: all threads have ended. */
		wardi_assert(atomic_load_explicit(&bounded->owner, memory_order_relaxed) == 0);
		wardi_mutex_destroy(&bounded->mu);
		wardi_free(&system->alloc, bounded, sizeof *bounded);
		bounded = next;
	}
	wardi_mutex_destroy(&system->bounded_mu);
}

struct wardi_bounded *wardi_bounded_pool_take(ward_system *system)
{
	struct wardi_bounded *bounded;

	wardi_mutex_lock(&system->bounded_mu);
	bounded = system->bounded_free;
	if (bounded != NULL) {
		system->bounded_free = bounded->next;
	} else {
		bounded = wardi_alloc_zeroed(&system->alloc, sizeof *bounded);
		if (bounded != NULL) {
			wardi_mutex_init(&bounded->mu, WARDI_LOCK_BOUNDED);
			wardi_list_init(&bounded->held);
			bounded->all = system->bounded_all;
			system->bounded_all = bounded;
		}
	}
	wardi_mutex_unlock(&system->bounded_mu);
	return bounded;
}

void wardi_bounded_pool_give(ward_system *system, struct wardi_bounded *bounded)
{
	wardi_mutex_lock(&system->bounded_mu);
	bounded->next = system->bounded_free;
	system->bounded_free = bounded;
	wardi_mutex_unlock(&system->bounded_mu);
}
