/* SPDX-License-Identifier: MIT
 *
 * main.c - three ways to send again what has failed: five packets over a wire that loses some.
 *
 *	cd examples/16-reprocessing && cc *.c $(pkg-config --cflags --libs ward) -o reprocessing
 *
 * Prints for each way in which order the packets arrive, and what was on the wire: "1x" is a packet
 * that was lost. The time is simulated here; without `.simulation` it is real.
 */
#include <stdio.h>

#include <ward/simulation.h>

#include "network.h"

enum { PACKETS = 5 };

struct commander_args {
	const ward_behavior *network; /* one of those in network.h */
	struct wire *wire;
};
WARD_MESSAGE(commander_args);

struct commander {
	int sent;
};

static ward_result commander_start(ward_self *self, void *state)
{
	const struct commander_args *args = ward_args(self);
	ward_ref network;

	(void)state;
	network = ward_spawn(self, args->network, .name = "network",
			     .args = WARD_ARGS(wire_args, args->wire));
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
 * they might try forever. */
static const ward_strategy restarts = {.otherwise = WARD_RESTART, .restarts_max = 10};

static const ward_behavior commander = {.name = "commander",
					.state_size = sizeof(struct commander),
					.args = &ward_type_commander_args,
					.child_strategy = &restarts,
					.pre_start = commander_start,
					.receive = commander_receive};

static int send_packets(const char *way, const ward_behavior *network)
{
	static const ward_simulation quick = {0};
	struct wire wire = {.weather = "x..xx"};
	const struct commander_args args = {network, &wire};
	int status;

	printf("%s:\n", way);
	status = ward_run(WARD_PROPS(&commander, .args = {WARD_COPY(commander_args, &args)}),
			  &(ward_options){.simulation = &quick, .seed = 1});
	printf("on the wire: %s\n", wire.log);
	return status;
}

int main(void)
{
	return send_packets("from pre_restart", &network_before) ||
	       send_packets("from post_restart", &network_after) ||
	       send_packets("by an actor of its own", &network_reliable);
}
