/* SPDX-License-Identifier: MIT
 *
 * warehouse.c - a warehouse that loses orders and confirmations, and may get an order twice.
 */
#include "order.h"

#include <stdio.h>

#include <ward/delivery.h>

enum { ORDERS_MAX = 16 };

/* Each sender numbers its own orders, so an order is known by both fields. */
struct seen {
	ward_ref from;
	uint64_t id;
};

struct warehouse {
	struct seen
		seen[ORDERS_MAX]; /* the last orders; a real warehouse would keep them on disk */
	int count;
	int deaf, dumb; /* the next orders that are lost, or not confirmed */
};

static ward_result warehouse_init(ward_self *self, void *state, const void *args)
{
	(void)self, (void)args;
	*(struct warehouse *)state = (struct warehouse){.deaf = 2, .dumb = 1};
	return WARD_DONE;
}

static bool is_new(struct warehouse *me, ward_ref from, uint64_t id)
{
	for (int i = 0; i < me->count && i < ORDERS_MAX; i++)
		if (me->seen[i].id == id && ward_ref_equal(me->seen[i].from, from))
			return false;
	me->seen[me->count++ % ORDERS_MAX] = (struct seen){from, id};
	return true;
}

static ward_result warehouse_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct warehouse *me = state;
	const struct order *order = ward_match(msg, order);

	if (!order)
		return WARD_UNHANDLED;
	if (me->deaf > 0) {
		printf("  warehouse: did not hear \"%s\"\n", order->what);
		me->deaf--;
		return WARD_DONE;
	}
	bool is_first = is_new(me, ward_msg_sender(msg), order->id);

	printf("  warehouse: %s%s\n", order->what, is_first ? "" : ", once more");
	if (me->dumb-- <= 0)
		ward_reply(self, msg, ward_delivered, .id = order->id);
	return WARD_DONE;
}
const ward_behavior warehouse = {.name = "warehouse",
				 .state_size = sizeof(struct warehouse),
				 .init = warehouse_init,
				 .receive = warehouse_receive};
