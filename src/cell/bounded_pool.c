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

void wardi_boxes_init(ward_system *system)
{
	wardi_mutex_init(&system->boxes_mu, WARDI_LOCK_BOXES);
}

void wardi_boxes_finish(ward_system *system)
{
	struct wardi_box *box = system->boxes_all;

	while (box != NULL) {
		struct wardi_box *next = box->all;

		/* Relaxed: all threads have ended. */
		wardi_assert(atomic_load_explicit(&box->owner, memory_order_relaxed) == 0);
		wardi_mutex_destroy(&box->mu);
		wardi_free(&system->alloc, box, sizeof *box);
		box = next;
	}
	wardi_mutex_destroy(&system->boxes_mu);
}

struct wardi_box *wardi_box_take(ward_system *system)
{
	struct wardi_box *box;

	wardi_mutex_lock(&system->boxes_mu);
	box = system->boxes_free;
	if (box != NULL) {
		system->boxes_free = box->next;
	} else {
		box = wardi_alloc_zeroed(&system->alloc, sizeof *box);
		if (box != NULL) {
			wardi_mutex_init(&box->mu, WARDI_LOCK_BOX);
			wardi_list_init(&box->held);
			box->all = system->boxes_all;
			system->boxes_all = box;
		}
	}
	wardi_mutex_unlock(&system->boxes_mu);
	return box;
}

void wardi_box_give(ward_system *system, struct wardi_box *box)
{
	wardi_mutex_lock(&system->boxes_mu);
	box->next = system->boxes_free;
	system->boxes_free = box;
	wardi_mutex_unlock(&system->boxes_mu);
}
