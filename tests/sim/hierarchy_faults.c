/* SPDX-License-Identifier: MIT
 *
 * hierarchy_faults.c - the faults of a simulated storm, and what the model hears of them.
 *
 * A callback that fails before it was called says nothing to the model by itself, so that is said
 * here; one that is to fail after its work does when it ends.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/hierarchy.h"

enum { DELAY_NS_MAX = 8 * 1000000 };

uint64_t hierarchy_draw(uint64_t *dice)
{
	uint64_t z = *dice += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static bool is_calm(const struct hierarchy *h)
{
	return atomic_load_explicit(&h->calm, memory_order_relaxed);
}

static bool strikes(struct hierarchy *h, uint64_t odds)
{
	return odds > 0 && !is_calm(h) && hierarchy_draw(&h->dice) % odds == 0;
}

/* ---- which ------------------------------------------------------------------------------- */

static ward_fault draw_fault(struct hierarchy *h, const ward_occasion *occasion)
{
	uint64_t dice = hierarchy_draw(&h->dice);
	int64_t delay_ns = 1 + (int64_t)(dice / 8 % DELAY_NS_MAX);

	switch (occasion->point) {
	case WARD_POINT_TURN:
		return (ward_fault){dice % 4 == 0 ? WARD_FAULT_JUMP : WARD_FAULT_STALL, delay_ns};
	case WARD_POINT_SPAWN:
		return (ward_fault){.kind = WARD_FAULT_REFUSE};
	case WARD_POINT_SEND:
		return (ward_fault){dice % 2 == 0 ? WARD_FAULT_LOSE : WARD_FAULT_DELAY, delay_ns};
	default:
		return (ward_fault){.kind = dice % 2 == 0 ? WARD_FAULT_FAIL_BEFORE
							  : WARD_FAULT_FAIL_AFTER};
	}
}

/* ---- what the model hears ---------------------------------------------------------------- */

static void failed_before(struct hierarchy *h, const ward_occasion *occasion)
{
	uint64_t number = 0;
	ward_ref gone = ward_nobody();

	if (occasion->point != WARD_POINT_RECEIVE) {
		model_enter(h->model, occasion->who, occasion->point, occasion->to);
	} else {
		if (occasion->type == &ward_type_ward_terminated)
			gone = ((const struct ward_terminated *)occasion->body)->who;
		else
			number = ((const struct ping *)occasion->body)->number;
		model_receive(h->model, occasion->who, number, gone);
		if (occasion->type != &ward_type_ward_terminated)
			atomic_fetch_add_explicit(&h->handled, 1, memory_order_relaxed);
	}
	model_leave(h->model, occasion->who, occasion->point,
		    &(struct model_outcome){.failed = &ward_injected});
}

ward_fault hierarchy_fault(void *arg, ward_system *system, const ward_occasion *occasion)
{
	struct hierarchy *h = arg;
	bool spared = ward_ref_equal(occasion->who, h->gardener);
	ward_fault fault = {0};

	(void)system;
	if (!spared && !ward_ref_is_nobody(h->gardener) && strikes(h, h->fault_odds))
		fault = draw_fault(h, occasion);
	switch (occasion->point) {
	case WARD_POINT_SPAWN:
	case WARD_POINT_SEND:
		break;
	case WARD_POINT_TURN: /* a turn that is stalled is none */
		if (fault.kind == WARD_FAULT_JUMP)
			model_turn(h->model, occasion->who, occasion->now_ns + fault.delay_ns);
		else if (fault.kind != WARD_FAULT_STALL)
			model_turn(h->model, occasion->who, occasion->now_ns);
		break;
	default:
		if (fault.kind == WARD_FAULT_FAIL_BEFORE)
			failed_before(h, occasion);
		else if (fault.kind == WARD_FAULT_FAIL_AFTER)
			h->fails_after = occasion->point;
		break;
	}
	h->stalling = fault.kind == WARD_FAULT_STALL;
	h->faults[fault.kind]++;
	return fault;
}

/* ---- memory ------------------------------------------------------------------------------ */

void *hierarchy_alloc(void *arg, size_t size)
{
	struct hierarchy *h = arg;
	void *block;

	/* A stall for which there is no memory is none, and its turn would go unseen. */
	if (!h->stalling && strikes(h, h->memory_odds)) {
		h->faults_of_memory++;
		return NULL;
	}
	block = malloc(size);
	if (block == NULL)
		abort();
	memset(block, 0xa5, size); /* what nobody wrote must not look like zeros */
	h->blocks++;
	return block;
}

void hierarchy_free(void *arg, void *block, size_t size)
{
	struct hierarchy *h = arg;

	memset(block, 0x5a, size);
	h->blocks--;
	free(block);
}
