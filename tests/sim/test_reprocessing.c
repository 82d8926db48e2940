/* SPDX-License-Identifier: MIT
 *
 * test_reprocessing.c - the reliable sender of the example 16-reprocessing over a network that is
 * broken in every way: each packet is told to be sent once, and in order (S109).
 *
 * Method: the wire loses packets and answers by chance, and faults strike the network's actor: it
 * fails, it is stalled, questions to it are late or lost.
 */
#include <string.h>

#include <ward/testkit.h>

#include "16-reprocessing/network.h"

enum { PACKETS = 12, CHANGES = 20, CHANGE = 1 };

static struct {
	struct wire wire;
	ward_ref reliable;
	int told;   /* the number of the last packet that is told to be sent */
	bool wrong; /* another one was told, or one twice */
	bool failed;
} books;

WARD_SIGNAL(change);

/* ---- who sends, all at once ---------------------------------------------------------------- */

static ward_result commander_start(ward_self *self, void *state)
{
	(void)state;
	for (int id = 1; id <= PACKETS; id++)
		ward_tell(self, books.reliable, packet, .id = id);
	return WARD_DONE;
}

static ward_result commander_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct packet_sent *sent = ward_match(msg, packet_sent);

	(void)self, (void)state;
	if (sent == NULL) {
		books.failed = true;
		return WARD_UNHANDLED;
	}
	books.wrong |= sent->id != books.told + 1;
	books.told = sent->id;
	return WARD_DONE;
}
static const ward_behavior commander = {
	.name = "commander", .pre_start = commander_start, .receive = commander_receive};

/* ---- the weather --------------------------------------------------------------------------- */

struct weather {
	int changes;
};

static ward_result next_change(ward_self *self, void *state)
{
	(void)state;
	ward_after(self, CHANGE, 1 + (int64_t)(ward_random(self) % 200), change);
	return WARD_DONE;
}

static ward_result weather_receive(ward_self *self, void *state, const ward_msg *msg)
{
	static const char *const weathers[] = {"", "x", "o", "xx.x", "ox.o", "xxxxxxxx"};
	struct weather *me = state;

	if (!ward_match(msg, change))
		return WARD_UNHANDLED;
	books.wire.weather = weathers[ward_random(self) % (sizeof weathers / sizeof *weathers)];
	if (++me->changes < CHANGES)
		return next_change(self, state);
	books.wire.weather = "";
	return WARD_DONE;
}
static const ward_behavior weather = {.name = "weather",
				      .state_size = sizeof(struct weather),
				      .pre_start = next_change,
				      .receive = weather_receive};

/* ---- the simulation ------------------------------------------------------------------------ */

static bool each_once_and_in_order(void *arg)
{
	(void)arg;
	return !books.wrong && !books.failed;
}

WARD_SIMULATION(each_packet_is_told_to_be_sent_once_and_in_order, .seeds = 1000,
		.faults = {.fail = 4,
			   .stall = 3,
			   .jump = 2,
			   .delay = 4,
			   .lose = 4,
			   .delay_ms = 800,
			   .path = "*/network/*"})
{
	memset(&books, 0, sizeof books);
	books.wire.weather = "x.";
	ward_simulation_invariant(kit, each_once_and_in_order, NULL, "each once, and in order");
	books.reliable = ward_kit_spawn(kit, &network_reliable, .name = "network",
					.args = WARD_ARGS(wire_args, &books.wire));
	ward_kit_spawn(kit, &weather, .name = "weather");
	ward_kit_spawn(kit, &commander, .name = "commander");
	ward_simulation_eventually_idle(kit, 10 * WARD_MINUTE);
	ward_assert_eq(books.told, PACKETS);
	ward_assert_eq(ward_kit_stats(kit).timers, 0);
	ward_simulation_note(kit, strlen(books.wire.log));
}

WARD_TEST_MAIN
