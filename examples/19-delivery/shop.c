/* SPDX-License-Identifier: MIT
 *
 * shop.c - messages that arrive although sender and receiver fail: at least once.
 *
 *	cd examples/19-delivery && cc *.c $(pkg-config --cflags --libs ward) -o delivery
 *
 * Each order is sent until the warehouse confirms it. Orders that are unconfirmed when the shop
 * fails are kept for its next incarnation. The warehouse may get an order twice: it compares the
 * ids. Prints what the warehouse gets. The time is simulated here; without `.simulation` it is
 * real.
 */
#include "order.h"

#include <stdio.h>

#include <ward/delivery.h>
#include <ward/simulation.h>

struct sell {
	char what[16];
};
WARD_MESSAGE(sell);
WARD_SIGNAL(stumble);

/* ---- the shop ---------------------------------------------------------------------------- */

struct shop_args {
	ward_ref warehouse;
};
WARD_MESSAGE(shop_args);

struct shop {
	struct ward_delivery out;
};

static const ward_delivery_options surely = {.redeliver_ms = WARD_SECOND};

static ward_result shop_init(ward_self *self, void *state, const void *args)
{
	(void)args;
	return ward_delivery_init(self, &((struct shop *)state)->out, &surely);
}

static ward_result shop_before(ward_self *self, void *state, const ward_failure *why,
			       const ward_msg *msg)
{
	struct shop *me = state;

	printf("shop: %s; %zu unconfirmed\n", ward_failure_text(why),
	       ward_delivery_count(&me->out));
	ward_delivery_keep(self, &me->out, msg);
	return ward_default_pre_restart(self);
}

static ward_result shop_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct shop *me = state;
	const struct shop_args *args = ward_args(self);
	const struct sell *sell = ward_match(msg, sell);
	ward_result result = ward_delivery_receive(self, &me->out, msg);
	struct order order = {.id = ward_delivery_next(&me->out)};

	if (result != WARD_UNHANDLED)
		return result;
	if (ward_match(msg, stumble))
		return ward_failed(self, &ward_exception, "stumbled");
	if (!sell)
		return WARD_UNHANDLED;
	snprintf(order.what, sizeof order.what, "%s", sell->what);
	ward_deliver_send(self, &me->out, args->warehouse, WARD_COPY(order, &order));
	return WARD_DONE;
}
static const ward_behavior shop = {.name = "shop",
				   .state_size = sizeof(struct shop),
				   .args = &ward_type_shop_args,
				   .init = shop_init,
				   .pre_restart = shop_before,
				   .receive = shop_receive};

int main(void)
{
	static const ward_simulation quick = {0};
	ward_system *system;
	struct shop_args args;
	ward_ref at;

	if (ward_system_create(&(ward_options){.simulation = &quick, .seed = 1}, &system) ||
	    ward_system_spawn(system, WARD_PROPS(&warehouse, .name = "warehouse"),
			      &args.warehouse) ||
	    ward_system_spawn(
		    system,
		    WARD_PROPS(&shop, .name = "shop", .args = {WARD_COPY(shop_args, &args)}), &at))
		return 1;
	ward_system_tell(system, at, sell, "a chair");
	ward_system_tell(system, at, sell, "a table");
	ward_system_tell(system, at, stumble);
	ward_system_tell(system, at, sell, "a lamp");
	while (ward_simulation_step(system) || ward_simulation_advance(system, 5000000000))
		;
	return ward_system_destroy(system, WARD_MINUTE) != WARD_OK;
}
