/* SPDX-License-Identifier: MIT
 *
 * test_simulation.c - bad hardware: commands are late or lost, and it fails or stalls at any time.
 *
 * In no run may a client wait for an answer longer than the timeouts of the states add up to.
 */
#include <ward/testkit.h>

#include "device.h"

/* ---- the hardware, which is cold after each failure -------------------------------------- */

static ward_result hardware_receive(ward_self *self, void *state, const ward_msg *msg)
{
	bool *on = state;

	if (ward_match(msg, sample) && *on)
		return ward_reply(self, msg, reading, .degrees = 20);
	if (ward_match(msg, sample))
		return WARD_DONE;
	*on = ward_match(msg, power_on);
	if (*on)
		ward_tell_after(self, ward_msg_sender(msg), 0, WARMING_MS / 2, warm);
	return WARD_DONE;
}
static const ward_behavior hardware = {
	.name = "hardware", .state_size = sizeof(bool), .receive = hardware_receive};

/* ---- a client, which asks ten times, at intervals that are drawn from the seed ----------- */

enum { NEXT = 1, REQUEST = 1, REQUESTS = 10 };
WARD_SIGNAL(next);

struct results {
	int answered, unanswered;
};
struct client_args {
	ward_ref device;
	struct results *results;
};
WARD_MESSAGE(client_args);

static ward_result client_start(ward_self *self, void *state)
{
	(void)state;
	ward_after(self, NEXT, (int64_t)(ward_random(self) % (2 * IDLE_MS)), next);
	return WARD_DONE;
}

static ward_result client_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct client_args *args = ward_args(self);
	const int64_t limit_ms = WARMING_MS + SAMPLES_MAX * SAMPLE_MS + 1;

	if (ward_match(msg, next)) {
		ward_ask(self, args->device, REQUEST, limit_ms, measure);
		return WARD_DONE;
	}
	if (ward_match(msg, measured))
		args->results->answered++;
	else
		args->results->unanswered++;
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
static const ward_strategy restart = {.rules = {{&ward_exception, WARD_RESTART}}};

WARD_SIMULATION(each_request_is_answered_in_time,
		.faults = {.fail = 2,
			   .lose = 2,
			   .delay = 2,
			   .stall = 2,
			   .horizon = 20,
			   .path = "*/hardware"},
		.kit.system.user_strategy = &restart)
{
	struct results results = {0};
	struct client_args args = {.results = &results};
	struct device_args with = {ward_kit_spawn(kit, &hardware, .name = "hardware")};

	args.device = ward_kit_spawn(kit, &device, .args = {WARD_COPY(device_args, &with)});
	ward_simulation_invariant(kit, none_unanswered, &results, "each request is answered");
	ward_kit_spawn(kit, &client, .args = {WARD_COPY(client_args, &args)});
	ward_simulation_eventually(kit, 20 * WARD_MINUTE, all_answered, &results, "all answered");
}
