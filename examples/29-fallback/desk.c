/* SPDX-License-Identifier: MIT
 *
 * desk.c - asks the primary source, else the secondary source, else returns the last known value.
 *
 * Each question has a time limit, so the client gets its answer within PRIMARY_MS + SECONDARY_MS.
 * When the primary source fails three times in a row, a circuit breaker leaves it out for a while:
 * then the clients do not wait for it. The desk never waits itself; it may have many requests open.
 */
#include <ward/breaker.h>

#include "quotes.h"

enum { REQUESTS_MAX = 16 };

struct desk {
	struct ward_breaker primary;
	struct quote last;              /* NO_QUOTE: none yet */
	ward_ref clients[REQUESTS_MAX]; /* of the open requests; nobody: a free place */
};

/* The tag of a question is the number of its request: 1, 2, ... for the primary source, and
 * REQUESTS_MAX more for the secondary source. */
static uint64_t primary_tag(int request)
{
	return (uint64_t)request + 1;
}
static uint64_t secondary_tag(int request)
{
	return (uint64_t)request + 1 + REQUESTS_MAX;
}

static ward_result answer(ward_self *self, struct desk *me, int request, struct quote quote)
{
	ward_send(self, me->clients[request], WARD_COPY(quote, &quote));
	me->clients[request] = ward_nobody();
	return WARD_DONE;
}

static ward_result ask_secondary(ward_self *self, struct desk *me, int request)
{
	const struct desk_args *args = ward_args(self);

	if (ward_try_ask(self, args->secondary, secondary_tag(request), SECONDARY_MS, get_rate))
		return answer(self, me, request, me->last);
	return WARD_DONE;
}

static ward_result take_request(ward_self *self, struct desk *me, const ward_msg *msg)
{
	const struct desk_args *args = ward_args(self);
	int request = 0;

	while (request < REQUESTS_MAX && !ward_ref_is_nobody(me->clients[request]))
		request++;
	if (request == REQUESTS_MAX) /* too many requests are open */
		return ward_answer(self, msg, get_quote, me->last.origin, me->last.cents);
	me->clients[request] = ward_msg_sender(msg);
	if (ward_breaker_ask(self, &me->primary, args->primary, primary_tag(request), get_rate))
		return ask_secondary(self, me, request); /* the breaker is open */
	return WARD_DONE;
}

static const ward_breaker_options careful = {
	.failures_max = FAILURES_MAX,
	.call_timeout_ms = PRIMARY_MS,
	.reset_ms = RESET_MS,
};

static ward_result desk_init(ward_self *self, void *state, const void *args)
{
	struct desk *me = state;

	(void)args;
	me->last.origin = NO_QUOTE;
	return ward_breaker_init(self, &me->primary, &careful);
}

static ward_result desk_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct desk *me = state;
	ward_result result = ward_breaker_receive(self, &me->primary, msg);
	const struct rate *rate = ward_match(msg, rate);
	uint64_t tag = ward_ask_tag(self);
	bool is_primary = tag <= REQUESTS_MAX;
	int request;

	if (result != WARD_UNHANDLED)
		return result;
	if (ward_match(msg, get_quote))
		return take_request(self, me, msg);
	if (tag == 0)
		return WARD_UNHANDLED;
	request = (int)((tag - 1) % REQUESTS_MAX);
	if (rate) {
		me->last = (struct quote){LAST_KNOWN, rate->cents};
		return answer(self, me, request,
			      (struct quote){is_primary ? PRIMARY : SECONDARY, rate->cents});
	}
	if (is_primary) /* no answer in time, or the source is gone */
		return ask_secondary(self, me, request);
	return answer(self, me, request, me->last);
}

const ward_behavior desk = {.name = "desk",
			    .state_size = sizeof(struct desk),
			    .args = &ward_type_desk_args,
			    .init = desk_init,
			    .receive = desk_receive};
