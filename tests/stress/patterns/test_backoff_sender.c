/* SPDX-License-Identifier: MIT
 *
 * test_backoff_sender.c - a back-off sender on real threads: an outage during which much is kept,
 * and a child that fails now and then.
 *
 * Method: each job is done at least once, and in the end nothing is kept. What is kept during the
 * outage is found again by its number: a search through all of it would take for ever in full. The
 * child fails seldom then, since all that is kept is sent to each new one.
 */
#include <ward/backoff_sender.h>
#include <ward/testkit.h>
#include <ward/ward.h>

#include "support/stress.h"

enum { FAIL_EVERY = 19997 };

struct work {
	uint64_t number;
};
WARD_MESSAGE(work);

static _Atomic uint64_t done, failed;
static _Atomic bool down;

/* Relaxed: counts that are read when nobody moves any more, and a flag that may be late. */
static ward_result child_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct work *work = ward_match(msg, work);

	(void)state;
	if (work == NULL)
		return WARD_UNHANDLED;
	if (atomic_load_explicit(&down, memory_order_relaxed) ||
	    ward_random(self) % FAIL_EVERY == 0) {
		stress_add(&failed, 1);
		return ward_failed(self, &ward_exception, "down");
	}
	stress_add(&done, 1);
	ward_tell(self, ward_parent(self), ward_sent, .id = work->number);
	return WARD_DONE;
}
static const ward_behavior child = {.name = "child", .receive = child_receive};

static bool id_of(const ward_msg *msg, uint64_t *ret_id)
{
	const struct work *work = ward_match(msg, work);

	if (work != NULL)
		*ret_id = work->number;
	return work != NULL;
}

static bool nothing_is_kept(ward_kit *kit, ward_ref sender)
{
	struct ward_sending now = {.pending = 1};

	ward_assert_ok(ward_system_ask(ward_kit_system(kit), sender, WARD_FOREVER, &now,
				       ward_get_sending));
	return now.pending == 0;
}

static void outage(uint32_t workers)
{
	const struct ward_backoff_sender args = {
		.child = {.behavior = &child},
		.id = id_of,
		.back_off = {.slot_time_ms = 1, .ceiling = 5, .stay_at_ceiling = true}};
	uint64_t count = stress_size(20000, 1000000);
	ward_kit *kit = stress_start(&(ward_kit_options){.event_kinds = WARD_EVENT_NOTE,
							 .system = {.workers = workers}});
	ward_ref sender = ward_kit_spawn(kit, &ward_backoff_sender,
					 .args = {WARD_COPY(ward_backoff_sender, &args)});

	atomic_store_explicit(&done, 0, memory_order_relaxed);
	atomic_store_explicit(&failed, 0, memory_order_relaxed);
	atomic_store_explicit(&down, true, memory_order_relaxed);
	for (uint64_t i = 1; i <= count; i++)
		ward_kit_tell(kit, sender, work, .number = i);
	STRESS_UNTIL(kit, stress_get(&failed) > 5);
	ward_assert_eq(stress_get(&done), 0);
	atomic_store_explicit(&down, false, memory_order_relaxed);
	STRESS_UNTIL(kit, nothing_is_kept(kit, sender));
	ward_assert(stress_get(&done) >= count);
	ward_kit_finish(kit);
}

STRESS_WORKERS(outage, "S106")

WARD_TEST_MAIN
