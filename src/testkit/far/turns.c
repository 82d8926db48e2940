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

/* ---- what is of the mechanism ------------------------------------------------------------ */

/* Returns where it is, or would be. */
static struct wardi_far_known *place_of(const struct wardi_far_turns *turns, ward_ref who)
{
	uint64_t at =
		wardi_chance_spread(ward_ref_number(who) ^ (uint64_t)ward_ref_place(who) << 48);

	for (;; at++) {
		struct wardi_far_known *place = &turns->known[at & (turns->max - 1)];

		if (ward_ref_is_nobody(place->who) || ward_ref_equal(place->who, who))
			return place;
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

static void note(struct wardi_far_turns *turns, ward_ref who, bool of_mechanism)
{
	if (2 * turns->count >= turns->max)
		grow(turns);
	*place_of(turns, who) = (struct wardi_far_known){who, of_mechanism};
	turns->count++;
}

void wardi_far_turns_stand_in(struct wardi_far_turns *turns, ward_ref who)
{
	note(turns, who, true);
}

/* Looks at the path once, as that takes longer than many a turn. */
static bool is_of_mechanism(struct wardi_far_turns *turns, ward_system *system, ward_ref who)
{
	const struct wardi_far_known *known;
	char path[WARD_EVENT_PATH];

	if (ward_ref_is_nobody(who)) /* it has ended, and has late mail */
		return false;
	known = turns->max > 0 ? place_of(turns, who) : NULL;
	if (known != NULL && !ward_ref_is_nobody(known->who))
		return known->of_mechanism;
	ward_system_path(system, who, path, sizeof path);
	note(turns, who, wardi_far_is_mechanism(path));
	return wardi_far_is_mechanism(path);
}

/* ---- what is ready ----------------------------------------------------------------------- */

static void make_room(struct wardi_far_bag *bag, size_t count)
{
	size_t max = bag->max == 0 ? FIRST_MAX : bag->max;

	while (max < count)
		max *= 2;
	if (max == bag->max)
		return;
	bag->ready = realloc(bag->ready, max * sizeof *bag->ready);
	ward_assert(bag->ready != NULL);
	bag->max = max;
}

static void enqueue(struct wardi_far_bag *bag, size_t index)
{
	bag->ready[index].before = bag->last;
	bag->ready[index].behind = WARDI_FAR_NONE;
	if (bag->last == WARDI_FAR_NONE)
		bag->first = index;
	else
		bag->ready[bag->last].behind = index;
	bag->last = index;
}

/* Between two turns actors only become ready: they are behind the others. */
static struct wardi_far_bag *bag_of(struct wardi_far_turns *turns, ward_system *system,
				    size_t count)
{
	bool second = turns->bags[0].system != NULL && turns->bags[0].system != system;
	struct wardi_far_bag *bag = &turns->bags[second];

	bag->system = system;
	make_room(bag, count);
	for (; bag->count < count; bag->count++) {
		struct wardi_far_ready *ready = &bag->ready[bag->count];

		ready->of_mechanism =
			is_of_mechanism(turns, system, ward_simulation_ready(system, bag->count));
		if (ready->of_mechanism)
			enqueue(bag, bag->count);
	}
	return bag;
}

/* The neighbours of an actor of the mechanism have these as theirs instead. */
static void join(struct wardi_far_bag *bag, const struct wardi_far_ready *ready, size_t behind,
		 size_t before)
{
	*(ready->before == WARDI_FAR_NONE ? &bag->first : &bag->ready[ready->before].behind) =
		behind;
	*(ready->behind == WARDI_FAR_NONE ? &bag->last : &bag->ready[ready->behind].before) =
		before;
}

/* The last one takes its place, as in the scheduler. */
static void take(struct wardi_far_bag *bag, size_t index)
{
	struct wardi_far_ready *taken = &bag->ready[index];

	if (taken->of_mechanism)
		join(bag, taken, taken->behind, taken->before);
	*taken = bag->ready[--bag->count];
	if (index < bag->count && taken->of_mechanism)
		join(bag, taken, index, index);
}

size_t wardi_far_turns_choose(struct wardi_far_turns *turns, ward_system *system, size_t count)
{
	struct wardi_far_bag *bag;
	size_t index;

	if (!turns->first)
		return (size_t)wardi_chance_below(&turns->chance, count);
	bag = bag_of(turns, system, count);
	ward_assert(bag->count == count);
	index = bag->first != WARDI_FAR_NONE ? bag->first
					     : (size_t)wardi_chance_below(&turns->chance, count);
	take(bag, index);
	return index;
}

bool wardi_far_turns_urgent(struct wardi_far_turns *turns, ward_system *system)
{
	return turns->first &&
	       bag_of(turns, system, ward_simulation_count(system))->first != WARDI_FAR_NONE;
}

void wardi_far_turns_begin(struct wardi_far_turns *turns, uint64_t seed)
{
	*turns = (struct wardi_far_turns){
		.first = seed % 2 == 1,
		.chance = wardi_chance(seed, WARDI_CHANCE_ORDER),
		.bags = {{.first = WARDI_FAR_NONE, .last = WARDI_FAR_NONE},
			 {.first = WARDI_FAR_NONE, .last = WARDI_FAR_NONE}},
	};
}

void wardi_far_turns_finish(struct wardi_far_turns *turns)
{
	free(turns->bags[0].ready);
	free(turns->bags[1].ready);
	free(turns->known);
}
