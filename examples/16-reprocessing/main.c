/* SPDX-License-Identifier: MIT
 *
 * main.c - five packets over a wire that loses some; by the way that NETWORK names, which is one of
 * the behaviours in network.h: cc -DNETWORK=network_before ...
 *
 * The time is simulated here; without `.simulation` it is real.
 */
#include <stdio.h>

#include <ward/simulation.h>

#include "network.h"

#ifndef NETWORK
#define NETWORK network_reliable
#endif

enum { PACKETS = 5 };

static struct wire wire = {.weather = "x..xx"};

struct commander {
	int sent;
};

static ward_result commander_start(ward_self *self, void *state)
{
	ward_ref network;

	(void)state;
	network =
		ward_spawn(self, &NETWORK, .name = "network", .args = WARD_ARGS(wire_args, &wire));
	for (int id = 1; id <= PACKETS; id++)
		ward_tell(self, network, packet, .id = id);
	return WARD_DONE;
}

static ward_result commander_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct commander *me = state;
	const struct packet_sent *sent = ward_match(msg, packet_sent);

	if (!sent)
		return WARD_UNHANDLED;
	printf("packet %d is sent\n", sent->id);
	if (++me->sent == PACKETS)
		ward_stop_self(self);
	return WARD_DONE;
}

/* Without the restarts of the default strategy the first two ways lose packets; without the limit
 * they might try for ever. */
static const ward_strategy restarts = {.otherwise = WARD_RESTART, .restarts_max = 10};

static const ward_behavior commander = {.name = "commander",
					.state_size = sizeof(struct commander),
					.child_strategy = &restarts,
					.pre_start = commander_start,
					.receive = commander_receive};

int main(void)
{
	static const ward_simulation quick = {0};
	int status =
		ward_run(WARD_PROPS(&commander), &(ward_options){.simulation = &quick, .seed = 1});

	printf("on the wire: %s\n", wire.log);
	return status;
}
