/* SPDX-License-Identifier: MIT
 *
 * bounded_pool.c - the mailboxes with a policy of a system: type-stable, used for one life after
 * the other.
 *
 * Safe together: everything.
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
	struct wardi_bounded *box = system->bounded_all;

	while (box != NULL) {
		struct wardi_bounded *next = box->all;

		/* Relaxed: all threads have ended. */
		wardi_assert(atomic_load_explicit(&box->owner, memory_order_relaxed) == 0);
		wardi_mutex_destroy(&box->mu);
		wardi_free(&system->alloc, box, sizeof *box);
		box = next;
	}
	wardi_mutex_destroy(&system->bounded_mu);
}

struct wardi_bounded *wardi_bounded_pool_take(ward_system *system)
{
	struct wardi_bounded *box;

	wardi_mutex_lock(&system->bounded_mu);
	box = system->bounded_free;
	if (box != NULL) {
		system->bounded_free = box->next;
	} else {
		box = wardi_alloc_zeroed(&system->alloc, sizeof *box);
		if (box != NULL) {
			wardi_mutex_init(&box->mu, WARDI_LOCK_BOUNDED);
			wardi_list_init(&box->held);
			box->all = system->bounded_all;
			system->bounded_all = box;
		}
	}
	wardi_mutex_unlock(&system->bounded_mu);
	return box;
}

void wardi_bounded_pool_give(ward_system *system, struct wardi_bounded *box)
{
	wardi_mutex_lock(&system->bounded_mu);
	box->next = system->bounded_free;
	system->bounded_free = box;
	wardi_mutex_unlock(&system->bounded_mu);
}
