/* SPDX-License-Identifier: MIT
 *
 * hierarchy_follow.c - what the model hears from the points of a simulation.
 *
 * Whose turn it is, it hears here alone. Callbacks tell it themselves, which is earlier than their
 * end is known here; but one that a fault keeps from being called cannot, and one that is made to
 * fail after its work has to be told so.
 */
#include "sim/hierarchy.h"

static void failed_before(struct hierarchy *h, const ward_occasion *occasion)
{
	uint64_t number = 0;
	ward_ref gone = ward_nobody();

	if (occasion->point != WARD_POINT_RECEIVE) {
		model_enter(h->model, occasion->who, occasion->point, occasion->to);
	} else if (occasion->type == &ward_type_ward_terminated) {
		gone = ((const struct ward_terminated *)occasion->body)->who;
		model_receive(h->model, occasion->who, number, gone);
	} else {
		number = ((const struct ping *)occasion->body)->number;
		model_receive(h->model, occasion->who, number, gone);
		atomic_store_explicit(&h->fates[number], 1, memory_order_relaxed);
		atomic_fetch_add_explicit(&h->handled, 1, memory_order_relaxed);
	}
	model_leave(h->model, occasion->who, occasion->point,
		    &(struct model_outcome){.failed = &ward_injected});
}

static void begins(void *arg, const ward_occasion *occasion, const ward_fault *fault)
{
	struct hierarchy *h = arg;
	int64_t jump_ns = fault->kind == WARD_FAULT_JUMP ? fault->delay_ns : 0;

	switch (occasion->point) {
	case WARD_POINT_SPAWN:
	case WARD_POINT_SEND:
		break;
	case WARD_POINT_TURN:
		if (fault->kind != WARD_FAULT_STALL) /* a turn that is stalled is none */
			model_turn(h->model, occasion->who, occasion->now_ns + jump_ns);
		break;
	default:
		if (fault->kind == WARD_FAULT_FAIL_BEFORE)
			failed_before(h, occasion);
		else if (fault->kind == WARD_FAULT_FAIL_AFTER)
			h->fails_after = occasion->point;
		break;
	}
}

static void ends(void *arg, const ward_occasion *occasion)
{
	const struct hierarchy *h = arg;

	if (occasion->point == WARD_POINT_TURN)
		model_turn_over(h->model);
}

ward_simulation_observer hierarchy_observer(struct hierarchy *hierarchy)
{
	return (ward_simulation_observer){begins, ends, hierarchy};
}
