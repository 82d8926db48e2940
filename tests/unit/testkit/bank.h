/* SPDX-License-Identifier: MIT
 *
 * bank.h - the actor that probes look at in these tests, and its messages.
 *
 * A deposit is answered with the balance; a parcel, which owns memory, is sent back to its sender;
 * told to break, the bank fails.
 */
#ifndef BANK_H
#define BANK_H

#include <stdatomic.h>
#include <stdlib.h>

#include <ward/ward.h>

#include "caught.h"

struct deposit {
	int64_t cents;
};
WARD_MESSAGE_FLAT(deposit);

struct balance {
	int64_t cents;
};
WARD_MESSAGE_FLAT(balance);

WARD_SIGNAL(break_down);
WARD_SIGNAL(hello);

struct parcel {
	void *owned;
	int number;
};

/* Statistics of a test: relaxed, since a kit has ended its threads before they are compared. */
WARD_UNUSED static _Atomic int parcels_left;

WARD_UNUSED static struct parcel parcel(int number)
{
	atomic_fetch_add_explicit(&parcels_left, 1, memory_order_relaxed);
	return (struct parcel){malloc(1), number};
}

static void parcel_drop(struct parcel *parcel)
{
	atomic_fetch_sub_explicit(&parcels_left, 1, memory_order_relaxed);
	free(parcel->owned);
}
WARD_MESSAGE_DROP(parcel, parcel_drop);

WARD_UNUSED static int parcels(void)
{
	return atomic_load_explicit(&parcels_left, memory_order_relaxed);
}

static const ward_failure_class broke = {.name = "broke", .parent = &ward_exception};

struct account {
	int64_t cents;
};

static ward_result bank_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct account *me = state;
	const struct deposit *deposit = ward_match(msg, deposit);
	ward_ref sender = ward_msg_sender(msg);
	struct parcel *taken;
	if (deposit != NULL) {
		me->cents += deposit->cents;
		ward_reply(self, msg, balance, .cents = me->cents);
		return WARD_DONE;
	}
	if (ward_match(msg, break_down))
		return ward_failed(self, &broke, "with %d cents", (int)me->cents);
	taken = ward_take(self, parcel);
	if (taken == NULL)
		return WARD_UNHANDLED;
	ward_give(self, sender, parcel, &taken);
	return WARD_DONE;
}

static const ward_behavior bank_behavior = {
	.name = "bank",
	.state_size = sizeof(struct account),
	.receive = bank_receive,
};
WARD_UNUSED static const ward_props bank_props = {.behavior = &bank_behavior, .name = "bank"};

/* A kit with a bank and a probe. */
struct scene {
	ward_kit *kit;
	ward_ref bank;
	ward_probe *probe;
};

WARD_UNUSED static struct scene scene_start(const ward_kit_options *options)
{
	struct scene scene;
	scene.kit = ward_kit_start(options);
	scene.bank = ward_kit_spawn_props(scene.kit, &bank_props);
	scene.probe = ward_probe_start(scene.kit, "probe");
	return scene;
}

struct wanted_mail {
	ward_probe *probe;
	size_t messages;
};

static bool has_arrived(void *arg)
{
	const struct wanted_mail *wanted = arg;
	return ward_probe_count(wanted->probe) >= wanted->messages;
}

/* Moves until so many messages wait. */
WARD_UNUSED static void wait_for(struct scene *scene, size_t messages)
{
	struct wanted_mail wanted = {scene->probe, messages};
	ward_assert(ward_kit_run_until(scene->kit, WARD_MINUTE, has_arrived, &wanted));
}

#endif
