/* SPDX-License-Identifier: MIT
 *
 * test_simulation.c - bad sources: questions are late or lost, and the sources stall and fail.
 *
 * In no run may a client wait for an answer longer than both time limits together.
 */
#include <ward/testkit.h>

#include "quotes.h"

static ward_result source_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (!ward_match(msg, get_rate))
		return WARD_UNHANDLED;
	return ward_answer(self, msg, get_rate, .cents = 108);
}
static const ward_behavior source = {.name = "source", .receive = source_receive};

/* ---- a client, which asks a hundred times ------------------------------------------------ */

enum { NEXT = 1, REQUEST = 1, REQUESTS = 100 };
WARD_SIGNAL(next);

struct results {
	int answered, unanswered;
};
struct client_args {
	ward_ref desk;
	struct results *results;
};
WARD_MESSAGE(client_args);

static ward_result client_start(ward_self *self, void *state)
{
	(void)state;
	ward_after(self, NEXT, (int64_t)(ward_random(self) % PRIMARY_MS), next);
	return WARD_DONE;
}

static ward_result client_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct client_args *args = ward_args(self);
	const struct quote *quote = ward_match(msg, quote);

	if (ward_match(msg, next)) {
		ward_ask(self, args->desk, REQUEST, PRIMARY_MS + SECONDARY_MS + 1, get_quote);
		return WARD_DONE;
	}
	if (!quote)
		args->results->unanswered++;
	else
		args->results->answered++;
	if (args->results->answered < REQUESTS)
		return client_start(self, state);
	return ward_stop_self(self);
}
static const ward_behavior client = {.name = "client",
				     .args = &ward_type_client_args,
				     .pre_start = client_start,
				     .receive = client_receive};

static bool none_unanswered(void *arg)
{
	return ((const struct results *)arg)->unanswered == 0;
}
static bool all_answered(void *arg)
{
	return ((const struct results *)arg)->answered == REQUESTS;
}
static const ward_strategy stop = {.rules = {{&ward_exception, WARD_STOP}}};

WARD_SIMULATION(each_request_is_answered_in_time,
		.faults = {.fail = 1,
			   .lose = 5,
			   .delay = 5,
			   .stall = 3,
			   .horizon = 50,
			   .path = "*/source-?"},
		.kit.system.user_strategy = &stop)
{
	struct results results = {0};
	struct client_args args = {.results = &results};
	struct desk_args sources = {ward_kit_spawn(kit, &source, .name = "source-1"),
				    ward_kit_spawn(kit, &source, .name = "source-2")};

	args.desk = ward_kit_spawn(kit, &desk, .args = {WARD_COPY(desk_args, &sources)});
	ward_simulation_invariant(kit, none_unanswered, &results, "each request is answered");
	ward_kit_spawn(kit, &client, .args = {WARD_COPY(client_args, &args)});
	ward_simulation_eventually(kit, 10 * WARD_MINUTE, all_answered, &results, "all answered");
}
