/* SPDX-License-Identifier: MIT
 *
 * turns.c - whose turn it is in the two systems of a kit whose children live elsewhere.
 *
 * The mechanism is what a test did not start: stand-ins, hosts, the guests of a system, the ends of
 * the loop. With an even seed all turns are drawn, so the mechanism and the program mix in any
 * order. With an odd one the mechanism has its turns first, in the order in which its actors became
 * ready: then a send, a failure or a decision across is over when the program goes on, as it is
 * within a system, and a test may count turns.
 *
 * Threads: the simulation's own.
 */
#include "testkit/far/turns.h"

#include <stdlib.h>

#include <ward/extend.h>
#include <ward/simulation.h>
#include <ward/system.h>
#include <ward/testkit/check.h>

#include "testkit/far/shown.h"

enum { FIRST_MAX = 64 };

struct wardi_far_turn {
	ward_ref who; /* nobody: the place is free */
	bool of_mechanism;
	uint64_t ready; /* a number: the least has been ready longest; 0: it is not known to be */
};

/* ---- the table --------------------------------------------------------------------------- */

static struct wardi_far_turn *place_of(const struct wardi_far_turns *turns, ward_ref who)
{
	uint64_t at =
		wardi_chance_spread(ward_ref_number(who) ^ (uint64_t)ward_ref_place(who) << 48);

	for (;; at++) {
		struct wardi_far_turn *turn = &turns->known[at & (turns->max - 1)];

		if (ward_ref_is_nobody(turn->who) || ward_ref_equal(turn->who, who))
			return turn;
	}
}

static void grow(struct wardi_far_turns *turns)
{
	struct wardi_far_turns old = *turns;

	turns->max = old.max == 0 ? FIRST_MAX : old.max * 2;
	turns->known = calloc(turns->max, sizeof *turns->known);
	ward_assert(turns->known != NULL);
	for (size_t i = 0; i < old.max; i++)
		if (!ward_ref_is_nobody(old.known[i].who))
			*place_of(turns, old.known[i].who) = old.known[i];
	free(old.known);
}

/* ---- what is of the mechanism ------------------------------------------------------------ */

static struct wardi_far_turn *turn_of(struct wardi_far_turns *turns, ward_system *system,
				      ward_ref who)
{
	char path[WARD_EVENT_PATH];
	struct wardi_far_turn *turn;

	if (2 * turns->count >= turns->max)
		grow(turns);
	turn = place_of(turns, who);
	if (!ward_ref_is_nobody(turn->who))
		return turn;
	ward_system_path(system, who, path, sizeof path);
	*turn = (struct wardi_far_turn){.who = who, .of_mechanism = wardi_far_is_mechanism(path)};
	turns->count++;
	return turn;
}

void wardi_far_turns_stand_in(struct wardi_far_turns *turns, ward_ref who)
{
	if (2 * turns->count >= turns->max)
		grow(turns);
	*place_of(turns, who) = (struct wardi_far_turn){.who = who, .of_mechanism = true};
	turns->count++;
}

/* ---- turns ------------------------------------------------------------------------------- */

static size_t look(struct wardi_far_turns *turns, ward_system *system, size_t count)
{
	uint64_t least = UINT64_MAX;
	size_t best = count;

	for (size_t i = 0; i < count; i++) {
		ward_ref who = ward_simulation_ready(system, i);
		struct wardi_far_turn *turn;

		if (ward_ref_is_nobody(who))
			continue;
		turn = turn_of(turns, system, who);
		if (turn->of_mechanism && turn->ready == 0)
			turn->ready = ++turns->number;
		if (turn->of_mechanism && turn->ready < least) {
			best = i;
			least = turn->ready;
		}
	}
	return best;
}

static struct wardi_far_look *look_of(struct wardi_far_turns *turns, const ward_system *system)
{
	bool second = turns->looks[0].system != NULL && turns->looks[0].system != system;

	turns->looks[second].system = system;
	return &turns->looks[second];
}

/* Returns the index of the actor of the mechanism that has been ready longest; count: there is
 * none. Between two turns actors only become ready, so the same count is the same answer. */
static size_t longest_ready(struct wardi_far_turns *turns, ward_system *system, size_t count)
{
	struct wardi_far_look *last = look_of(turns, system);

	if (last->ready != count || count == 0)
		*last = (struct wardi_far_look){system, count, look(turns, system, count)};
	return last->index;
}

size_t wardi_far_turns_choose(struct wardi_far_turns *turns, ward_system *system, size_t count)
{
	size_t index = turns->first ? longest_ready(turns, system, count) : count;

	look_of(turns, system)->ready = 0;
	if (index == count)
		return (size_t)wardi_chance_below(&turns->chance, count);
	turn_of(turns, system, ward_simulation_ready(system, index))->ready = 0;
	return index;
}

bool wardi_far_turns_urgent(struct wardi_far_turns *turns, ward_system *system)
{
	size_t count = ward_simulation_count(system);

	return turns->first && longest_ready(turns, system, count) < count;
}

void wardi_far_turns_begin(struct wardi_far_turns *turns, uint64_t seed)
{
	*turns = (struct wardi_far_turns){
		.first = seed % 2 == 1,
		.chance = wardi_chance(seed, WARDI_CHANCE_ORDER),
	};
}

void wardi_far_turns_finish(struct wardi_far_turns *turns)
{
	free(turns->known);
}
