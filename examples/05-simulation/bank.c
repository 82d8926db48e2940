/* SPDX-License-Identifier: MIT
 *
 * bank.c - a clerk passes deposits on to the vault; a customer repeats each deposit until there
 * is a receipt.
 *
 * With BROKEN defined the clerk hands out the receipt before the vault has booked the deposit. That
 * works until the vault fails at the wrong moment. test_bank.c finds it.
 */
#include "bank.h"

struct deposit {
	int number;
};
WARD_MESSAGE(deposit);
struct receipt {
	int number;
};
WARD_MESSAGE(receipt);
WARD_SIGNAL(try_again);

static const struct world *world(ward_self *self)
{
	return ward_args(self);
}

static ward_result vault_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct deposit *deposit = ward_match(msg, deposit);

	(void)state;
	if (!deposit)
		return WARD_UNHANDLED;
	world(self)->books->booked[deposit->number] = true;
	return ward_reply(self, msg, receipt, .number = deposit->number);
}

const ward_behavior vault = {.name = "vault", .args = &ward_type_world, .receive = vault_receive};

static ward_result clerk_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct deposit *deposit = ward_match(msg, deposit);
	ward_ref to_vault = world(self)->vault;

	(void)state;
	if (!deposit)
		return WARD_UNHANDLED;
#ifdef BROKEN
	ward_reply(self, msg, receipt, .number = deposit->number);
#endif
	return ward_forward(self, to_vault);
}

const ward_behavior clerk = {.name = "clerk", .args = &ward_type_world, .receive = clerk_receive};

/* Hands in the first deposit that has no receipt, and looks again in a second. */
static ward_result customer_start(ward_self *self, void *state)
{
	struct books *books = world(self)->books;
	ward_timer soon = {.key = 1, .after_ms = WARD_SECOND};

	(void)state;
	for (int number = 0; number < DEPOSITS; number++) {
		if (books->receipts[number])
			continue;
		ward_tell(self, world(self)->clerk, deposit, .number = number);
		ward_timer_start(self, &soon, WARD_BODY(try_again));
		return WARD_DONE;
	}
	ward_timer_cancel(self, soon.key);
	return WARD_DONE;
}

static ward_result customer_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct receipt *receipt = ward_match(msg, receipt);

	if (receipt && world(self)->books->receipts[receipt->number])
		return WARD_DONE; /* a second receipt for the same deposit */
	if (receipt)
		world(self)->books->receipts[receipt->number] = true;
	return customer_start(self, state);
}

const ward_behavior customer = {.name = "customer",
				.args = &ward_type_world,
				.pre_start = customer_start,
				.receive = customer_receive};
