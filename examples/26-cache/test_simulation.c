/* SPDX-License-Identifier: MIT
 *
 * test_simulation.c - a client that puts one entry again and again, and checks what it gets.
 *
 * In each run messages are late or lost, the clock jumps, and actors fail and are restarted. In no
 * run may the cache return a value that had expired before the client asked for it.
 */
#include <ward/testkit.h>

#include "cache.h"

enum { PUT = 1, GET, NEXT = 1, TTL_MS = 400 };
WARD_SIGNAL(next);

struct results {
	int found;
	bool expired; /* a value was returned that had expired before the client asked */
};
struct client_args {
	ward_ref cache;
	struct results *results;
};
WARD_MESSAGE(client_args);
struct client {
	int64_t stored_ns, asked_ns;
};

static ward_result client_put(ward_self *self, void *state)
{
	const struct client_args *args = ward_args(self);

	(void)state;
	ward_ask(self, args->cache, PUT, WARD_SECOND, put, "key", 7, .ttl_ms = TTL_MS);
	return WARD_DONE;
}

static ward_result client_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct client_args *args = ward_args(self);
	const struct entry *entry = ward_match(msg, entry);
	struct client *me = state;

	if (ward_match(msg, next)) {
		me->asked_ns = ward_now_ns(self);
		ward_ask(self, args->cache, GET, WARD_SECOND, get, "key");
		return WARD_DONE;
	}
	if (ward_ask_tag(self) == PUT && ward_match(msg, stored))
		me->stored_ns = ward_now_ns(self);
	else if (!entry || !entry->found)
		return client_put(self, me);
	if (entry) {
		args->results->found++;
		args->results->expired |= me->asked_ns - me->stored_ns > TTL_MS * WARD_NS_PER_MS;
	}
	ward_after(self, NEXT, 150, next);
	return WARD_DONE;
}
static const ward_behavior client = {.name = "client",
				     .state_size = sizeof(struct client),
				     .args = &ward_type_client_args,
				     .pre_start = client_put,
				     .receive = client_receive};

static bool none_expired(void *arg)
{
	return !((const struct results *)arg)->expired;
}
static bool found_often(void *arg)
{
	return ((const struct results *)arg)->found >= 20;
}
static const ward_strategy restart = {.rules = {{&ward_exception, WARD_RESTART}}};

WARD_SIMULATION(expired_value_is_never_returned,
		.faults = {.fail = 3, .lose = 2, .delay = 3, .stall = 2, .jump = 2},
		.kit.system.user_strategy = &restart)
{
	struct results results = {0};
	struct client_args args = {.results = &results};

	args.cache = ward_kit_spawn(kit, &cache);
	ward_simulation_invariant(kit, none_expired, &results, "no expired value is returned");
	ward_kit_spawn(kit, &client, .args = {WARD_COPY(client_args, &args)});
	ward_simulation_eventually(kit, WARD_MINUTE, found_often, &results, "values are found");
}
