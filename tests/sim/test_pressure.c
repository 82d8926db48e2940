/* SPDX-License-Identifier: MIT
 *
 * test_pressure.c - actors with full mailboxes that hold each other, over many orders and faults.
 *
 * Method: a few actors with small mailboxes send each other numbers that grow less with each hop,
 * two for one now and then, while callbacks fail, memory runs out, turns are late. When no more
 * faults strike, all must come to rest: nobody held, nothing unread. No model knows the order; that
 * it comes to an end is what is proved, and that those of one sender come in its order.
 */
#include <string.h>

#include <ward/testkit/simulate.h>
#include <ward/ward.h>

enum { ACTORS = 5, HOPS = 14 };

struct hop {
	uint32_t left;
	uint32_t from;   /* ACTORS: outside */
	uint64_t number; /* of this sender to this receiver */
};
WARD_MESSAGE_FLAT(hop);

struct actor {
	uint32_t place;
};
WARD_MESSAGE_FLAT(actor);

/* Of a run. What an actor knows of the order outlives its incarnations. */
static struct world {
	ward_ref refs[ACTORS];
	uint64_t sent[ACTORS][ACTORS], seen[ACTORS][ACTORS];
	uint64_t handled, held;
} world;

static ward_result init(ward_self *self, void *state, const void *args)
{
	(void)self;
	*(struct actor *)state = *(const struct actor *)args;
	return WARD_DONE;
}

static void send(ward_self *self, uint32_t from, uint32_t left)
{
	uint32_t to = (uint32_t)(ward_random(self) % ACTORS);

	ward_tell(self, world.refs[to], hop, .left = left, .from = from,
		  .number = ++world.sent[from][to]);
}

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct hop *hop = ward_match(msg, hop);
	uint32_t place = ((struct actor *)state)->place;

	ward_assert(hop != NULL);
	world.handled++;
	if (hop->from < ACTORS) {
		ward_assert(hop->number > world.seen[hop->from][place]);
		world.seen[hop->from][place] = hop->number;
	}
	if (hop->left == 0)
		return WARD_DONE;
	send(self, place, hop->left - 1);
	if (hop->left % 2 == 0)
		send(self, place, hop->left - 1);
	return WARD_DONE;
}

static const ward_behavior behavior = {.name = "actor",
				       .state_size = sizeof(struct actor),
				       .args = &ward_type_actor,
				       .init = init,
				       .receive = receive};

/* For ever: each failure is a restart. */
static const ward_strategy restarting = {.otherwise = WARD_RESTART};

static void look(void *arg, const ward_actor_info *info)
{
	bool at_rest = *(bool *)arg;

	if (at_rest)
		ward_assert(!info->has_mail);
	if (at_rest)
		ward_assert(ward_ref_is_nobody(info->held_by));
	world.held += !ward_ref_is_nobody(info->held_by);
}

static void look_at_all(ward_kit *kit, bool at_rest)
{
	(void)ward_system_actors(ward_kit_system(kit), look, &at_rest);
}

static void run(ward_kit *kit)
{
	memset(&world, 0, sizeof world);
	for (uint32_t i = 0; i < ACTORS; i++) {
		struct actor args = {i};

		world.refs[i] = ward_kit_spawn(kit, &behavior, .args = {WARD_COPY(actor, &args)},
					       .mailbox = {.messages_max = 1 + i % 3,
							   .overflow = WARD_OVERFLOW_HOLD_SENDER});
	}
	for (uint32_t i = 0; i < ACTORS; i++)
		ward_kit_tell(kit, world.refs[i], hop, .left = HOPS, .from = ACTORS);
	for (int i = 0; i < 300 && ward_kit_step(kit); i++)
		look_at_all(kit, false);
	ward_simulation_faults_end(kit);
	ward_simulation_eventually_idle(kit, 3600 * WARD_SECOND);
	look_at_all(kit, true);
	ward_simulation_note(kit, world.handled);
}

WARD_SIMULATION(pressure_without_faults_comes_to_rest, .seeds = 200,
		.kit.system.user_strategy = &restarting)
{
	run(kit);
	ward_assert(world.held > 0);
	ward_assert(world.handled > 100);
	ward_assert_eq(ward_kit_stats(kit).dead_letters, 0);
}

WARD_SIMULATION(pressure_with_faults_comes_to_rest, .seeds = 300,
		.kit.system.user_strategy = &restarting,
		.faults = {.fail = 8, .memory = 8, .stall = 4, .jump = 2, .delay = 8, .lose = 2})
{
	run(kit);
}

WARD_TEST_MAIN
