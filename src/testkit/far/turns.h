/* SPDX-License-Identifier: MIT
 *
 * turns.h - whose turn it is in the two systems of a kit whose children live elsewhere.
 */
#ifndef WARDI_TESTKIT_FAR_TURNS_H
#define WARDI_TESTKIT_FAR_TURNS_H

#include <ward/ward.h>

#include "testkit/check/chance.h"

/* An actor that is ready. Those of the mechanism are a queue, in the order in which they became
 * ready: each has the indexes of its neighbours, WARDI_FAR_NONE at the ends. */
struct wardi_far_ready {
	bool of_mechanism;
	size_t before, behind;
};
#define WARDI_FAR_NONE SIZE_MAX

struct wardi_far_turns {
	bool first; /* the mechanism has its turns before the program */
	struct wardi_chance chance;
	/* Of each system: what ward_simulation_ready() would say, kept up with each turn. */
	struct wardi_far_bag {
		const ward_system *system;
		struct wardi_far_ready *ready;
		size_t count, max;
		size_t first, last; /* of the mechanism; WARDI_FAR_NONE: there is none */
	} bags[2];
	/* what is known of actors: a table with open addresses */
	struct wardi_far_known {
		ward_ref who;
		bool of_mechanism;
	} * known;
	size_t count, max;
};

void wardi_far_turns_begin(struct wardi_far_turns *turns, uint64_t seed);
void wardi_far_turns_finish(struct wardi_far_turns *turns);
/* This actor is a stand-in. */
void wardi_far_turns_stand_in(struct wardi_far_turns *turns, ward_ref who);
/* For ward_simulation.choose. */
size_t wardi_far_turns_choose(struct wardi_far_turns *turns, ward_system *system, size_t count);
/* Whether an actor of the mechanism is ready. */
bool wardi_far_turns_urgent(struct wardi_far_turns *turns, ward_system *system);

#endif
