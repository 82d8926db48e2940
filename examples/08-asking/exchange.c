/* SPDX-License-Identifier: MIT
 *
 * exchange.c - an actor that asks another actor, and answers its own client later.
 *
 *	cc examples/08-asking/exchange.c $(pkg-config --cflags --libs ward) -o exchange
 *
 * The exchange needs a rate for each price. The answer, or a notice that there is none, comes to
 * its receive with the tag of the question. Prints a price, and why there is no other one.
 */
#include <stdio.h>
#include <string.h>
#include <ward/ward.h>

struct get_rate {
	char currency[4];
};
WARD_MESSAGE(get_rate);
struct rate {
	int cents;
};
WARD_MESSAGE(rate);
WARD_REPLY(get_rate, rate);

struct get_price {
	int amount;
	struct get_rate unit;
};
WARD_MESSAGE(get_price);
struct price {
	int amount, cents;
};
WARD_MESSAGE(price);

/* The source of rates knows the euro. It does not answer questions about other currencies. */
static ward_result rates_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct get_rate *q = ward_match(msg, get_rate);

	(void)state;
	if (q == NULL)
		return WARD_UNHANDLED;
	if (strcmp(q->currency, "EUR") == 0)
		ward_answer(self, msg, get_rate, .cents = 108);
	return WARD_DONE;
}
static const ward_behavior rates = {.name = "rates", .receive = rates_receive};

enum { ORDERS_MAX = 8 };

struct exchange {
	ward_ref rates;
	uint64_t count;
	struct order { /* the question with tag n is about orders[n - 1] */
		ward_ref asker;
		int amount;
	} orders[ORDERS_MAX];
};

static ward_result exchange_init(ward_self *self, void *state, const void *args)
{
	struct exchange *me = state;

	(void)args;
	me->rates = ward_spawn(self, &rates, .name = "rates");
	return WARD_DONE;
}

static ward_result exchange_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct exchange *me = state;
	const struct get_price *q = ward_match(msg, get_price);
	const struct rate *rate = ward_match(msg, rate);
	uint64_t tag = ward_ask_tag(self);

	if (q != NULL && me->count < ORDERS_MAX) {
		me->orders[me->count++] = (struct order){ward_msg_sender(msg), q->amount};
		ward_ask_send(
			self,
			&(ward_question){.to = me->rates, .timeout_ms = 1000, .tag = me->count},
			WARD_COPY(get_rate, &q->unit));
		return WARD_DONE;
	}
	if (tag == 0)
		return WARD_UNHANDLED;

	const struct order *order = &me->orders[tag - 1];

	if (rate != NULL)
		ward_tell(self, order->asker, price, order->amount, order->amount * rate->cents);
	else
		ward_forward(self, order->asker); /* a ward_ask_failed, which says why */
	return WARD_DONE;
}
static const ward_behavior exchange = {.name = "exchange",
				       .state_size = sizeof(struct exchange),
				       .init = exchange_init,
				       .receive = exchange_receive};

int main(void)
{
	ward_system *system;
	ward_inbox *inbox; /* answers for this thread come here */
	ward_ref shop;
	const ward_msg *msg;

	if (ward_system_create(NULL, &system) || ward_inbox_create(system, NULL, &inbox) ||
	    ward_system_spawn(system, WARD_PROPS(&exchange, .name = "shop"), &shop))
		return 1;
	ward_inbox_tell(inbox, shop, get_price, .amount = 5, .unit = {"ZZZ"});
	ward_inbox_tell(inbox, shop, get_price, .amount = 100, .unit = {"EUR"});
	for (int i = 0; i < 2 && ward_inbox_receive(inbox, WARD_MINUTE, &msg) == WARD_OK; i++) {
		const struct price *price = ward_match(msg, price);
		const struct ward_ask_failed *failed = ward_match(msg, ward_ask_failed);

		printf("%d: %s\n", price ? price->cents : -1, price ? "cents" : failed->text);
	}
	printf("shop: %s\n", ward_err_text(ward_system_ask_stop(system, shop, WARD_MINUTE)));
	ward_inbox_destroy(inbox);
	return ward_system_destroy(system, WARD_MINUTE) != WARD_OK;
}
