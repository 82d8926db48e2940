/* SPDX-License-Identifier: MIT
 *
 * test_failed_incarnation.c - the event of a failure names the incarnation that has failed, also
 * where the actor has been restarted since (S30).
 *
 * Method: children all fail at once, all-for-one, while one worker decides and the other restarts.
 * Each failure has its incarnation in its text; each event must have the same. A round counts if
 * the child was a later one by then.
 */
#include <inttypes.h>
#include <stdio.h>

#include "support/stress.h"

enum { CHILDREN = 100, BURST_MAX = 10000 };

WARD_SIGNAL(blow);
WARD_SIGNAL(blow_all);

struct child {
	uint32_t index;
};
WARD_MESSAGE_FLAT(child);

static _Atomic uint32_t present[CHILDREN]; /* incarnations */
static _Atomic uint64_t events, wrong, later;

static ward_result child_init(ward_self *self, void *state, const void *args)
{
	(void)state;
	atomic_store(&present[((const struct child *)args)->index], ward_incarnation(self));
	return WARD_DONE;
}

static ward_result child_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct child *me = ward_args(self);

	(void)state;
	if (!ward_match(msg, blow))
		return WARD_UNHANDLED;
	return ward_failed(self, &ward_exception, "%" PRIu32 " %" PRIu32, me->index,
			   ward_incarnation(self));
}

static const ward_behavior child = {
	.name = "child", .args = &ward_type_child, .init = child_init, .receive = child_receive};

struct parent {
	ward_ref children[CHILDREN];
};

static ward_result parent_start(ward_self *self, void *state)
{
	struct parent *me = state;

	for (uint32_t i = 0; i < CHILDREN; i++)
		me->children[i] = ward_spawn(self, &child, .args = WARD_ARGS(child, i));
	return WARD_DONE;
}

static ward_result parent_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct parent *me = state;

	if (!ward_match(msg, blow_all))
		return WARD_UNHANDLED;
	for (int i = 0; i < CHILDREN; i++)
		ward_tell(self, me->children[i], blow);
	return WARD_DONE;
}

static const ward_strategy all = {.scope = WARD_ALL_FOR_ONE, .otherwise = WARD_RESTART};
static const ward_behavior parent = {
	.name = "parent",
	.state_size = sizeof(struct parent),
	.child_strategy = &all,
	.pre_start = parent_start,
	.receive = parent_receive,
};

static void count(void *arg, const ward_event *event) WARD_NOEXCEPT
{
	uint32_t index, incarnation;

	(void)arg;
	if (event->kind != WARD_EVENT_FAILURE ||
	    sscanf(event->text, "%" SCNu32 " %" SCNu32, &index, &incarnation) != 2)
		return;
	stress_add(&events, 1);
	stress_add(&wrong, event->incarnation != incarnation);
	stress_add(&later, atomic_load(&present[index]) > incarnation);
}

WARD_TEST(event_names_the_incarnation_that_failed, "S30")
{
	uint64_t wanted = stress_size(100, 10000), rounds = 0;
	ward_kit *kit = stress_start(&(ward_kit_options){
		.system = {.workers = 2}, .log = count, .event_kinds = WARD_EVENT_FAILURE});
	ward_ref who = ward_kit_spawn(kit, &parent);

	while (stress_get(&later) < wanted && rounds < BURST_MAX) {
		ward_kit_tell(kit, who, blow_all);
		rounds++;
		STRESS_UNTIL(kit, stress_get(&events) == rounds * CHILDREN);
	}
	ward_kit_finish(kit);
	ward_assert_eq(stress_get(&wrong), 0);
	ward_assert(stress_get(&later) >= wanted);
}

WARD_TEST_MAIN
