/* SPDX-License-Identifier: MIT
 *
 * terminal.c - a circuit breaker: how to do without an actor that does not answer.
 *
 *	cc examples/17-breaker/terminal.c $(pkg-config --cflags --libs ward) -o breaker
 *
 * A bank hangs for a while, and a customer comes each second. Three of them wait in vain; then the
 * breaker opens, and the next ones are trusted at once, until the bank is tried again. Prints each
 * customer, and the states of the breaker. The time is simulated here; without `.simulation` it is
 * real.
 */
#include <inttypes.h>
#include <stdio.h>
#include <ward/breaker.h>
#include <ward/simulation.h>
#include <ward/ward.h>

struct check_card {
	uint64_t customer;
};
WARD_MESSAGE(check_card);
WARD_SIGNAL(card_is_good);
WARD_REPLY(check_card, card_is_good);
WARD_SIGNAL(customer_comes);

/* ---- the bank: of the customers 4 to 11 it says nothing ---------------------------------- */

static ward_result bank_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct check_card *card = ward_match(msg, check_card);

	(void)state;
	if (!card)
		return WARD_UNHANDLED;
	if (card->customer < 4 || card->customer > 11)
		ward_answer(self, msg, check_card);
	return WARD_DONE;
}
static const ward_behavior bank = {.name = "bank", .receive = bank_receive};

/* ---- the terminal ------------------------------------------------------------------------ */

enum { NEXT = 1, CUSTOMERS = 18 };

struct terminal {
	struct ward_breaker breaker;
	ward_ref bank;
	uint64_t customer; /* also the tag of the question */
};

static void tell_people(ward_self *self, void *state, ward_breaker *breaker,
			ward_breaker_state from)
{
	(void)self, (void)state;
	printf("\t\t%s, was %s\n", ward_breaker_state_text(ward_breaker_at(breaker)),
	       ward_breaker_state_text(from));
}

static const ward_breaker_options careful = {
	.failures_max = 3,
	.call_timeout_ms = 500,
	.reset_ms = 2 * WARD_SECOND,
	.reset_max_ms = 10 * WARD_SECOND, /* 2, 4, 8, 10 seconds */
	.moved = tell_people,
};

static ward_result terminal_init(ward_self *self, void *state, const void *args)
{
	struct terminal *me = state;

	(void)args;
	me->bank = ward_spawn(self, &bank, .name = "bank");
	ward_every(self, NEXT, WARD_SECOND, customer_comes);
	return ward_breaker_init(self, &me->breaker, &careful);
}

static ward_result serve(ward_self *self, struct terminal *me)
{
	ward_err err;

	if (++me->customer > CUSTOMERS)
		return ward_stop_self(self);
	err = ward_breaker_ask(self, &me->breaker, me->bank, me->customer, check_card,
			       .customer = me->customer);
	if (err != WARD_EOPEN)
		return ward_failed_err(self, err);
	printf("%2" PRIu64 ": trusted\n", me->customer);
	return WARD_DONE;
}

static ward_result terminal_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct terminal *me = state;
	ward_result result = ward_breaker_receive(self, &me->breaker, msg);

	if (result != WARD_UNHANDLED)
		return result;
	if (ward_match(msg, customer_comes))
		return serve(self, me);
	if (ward_ask_tag(self) == 0)
		return WARD_UNHANDLED;
	printf("%2" PRIu64 ": %s\n", ward_ask_tag(self),
	       ward_match(msg, card_is_good) ? "the card is good" : "waited in vain, and left");
	return WARD_DONE;
}
static const ward_behavior terminal = {.name = "terminal",
				       .state_size = sizeof(struct terminal),
				       .init = terminal_init,
				       .receive = terminal_receive};

int main(void)
{
	static const ward_simulation quick = {0};

	return ward_run(WARD_PROPS(&terminal), &(ward_options){.simulation = &quick, .seed = 1});
}
