/* SPDX-License-Identifier: MIT
 *
 * target_nursery.h - targets in places, and actors that are tied to them: watchers, or linkers.
 *
 * A nursery spawns a target into each place, and another one when it is told to; so it is with
 * those that end. An actor gets a step, ties itself to what is in some place, or unties itself,
 * perhaps ends it, and sends itself the next step. What it is tied to is in its table: a notice of
 * an end must be about one of these, and takes it out. When all targets are stopped, all tables
 * must run empty.
 */
#ifndef STRESS_TARGET_NURSERY_H
#define STRESS_TARGET_NURSERY_H

#include "support/stress.h"

enum { PLACES_MAX = 64, TABLE_MAX = 2 * PLACES_MAX };

WARD_SIGNAL(step);
WARD_SIGNAL(finish);
WARD_SIGNAL(fail); /* to a target, which does */
struct replace {
	uint32_t place;
};
WARD_MESSAGE(replace);
struct seat {
	uint32_t number;
};
WARD_MESSAGE(seat);

static struct {
	ward_kit *kit;
	ward_ref ref;
	const ward_behavior *target;
	uint32_t count; /* of places */
	pthread_mutex_t mu;
	ward_ref places[PLACES_MAX]; /* under mu */
	uint64_t steps_max;
	_Atomic uint64_t steps, drained;
} nursery = {.mu = PTHREAD_MUTEX_INITIALIZER};

static inline ward_ref place(uint32_t number)
{
	pthread_mutex_lock(&nursery.mu);
	ward_ref ref = nursery.places[number];
	pthread_mutex_unlock(&nursery.mu);
	return ref;
}

static inline bool going_on(void)
{
	return stress_get(&nursery.steps) < nursery.steps_max;
}

/* ---- the nursery ------------------------------------------------------------------------- */

static inline void nursery_fill(ward_self *self, uint32_t number)
{
	ward_ref ref;

	ward_assert_ok(ward_try_spawn(self, WARD_PROPS(nursery.target), &ref));
	pthread_mutex_lock(&nursery.mu);
	nursery.places[number] = ref;
	pthread_mutex_unlock(&nursery.mu);
}

static inline ward_result nursery_start(ward_self *self, void *state)
{
	(void)state;
	for (uint32_t i = 0; i < nursery.count; i++)
		nursery_fill(self, i);
	return WARD_DONE;
}

static inline ward_result nursery_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct replace *replace = ward_match(msg, replace);

	(void)state;
	ward_assert(replace != NULL);
	if (ward_random(self) % 2 == 0)
		ward_stop(self, place(replace->place));
	nursery_fill(self, replace->place);
	return WARD_DONE;
}

/* Every second failure is one too many. */
static const ward_strategy nursery_strategy = {
	.rules = {{&ward_exception, WARD_RESTART}, {&ward_killed, WARD_STOP}},
	.restarts_max = 1,
	.quiet = true,
};

static const ward_behavior nursery_behavior = {
	.name = "nursery",
	.child_strategy = &nursery_strategy,
	.pre_start = nursery_start,
	.receive = nursery_receive,
};

/* Starts the kit, and the nursery in it; all places are filled then. */
static inline void nursery_open(uint32_t workers, uint32_t places, const ward_behavior *target)
{
	static const ward_strategy quiet = {.quiet = true};

	nursery.target = target;
	nursery.count = places;
	nursery.steps_max = stress_size(100000, 5000000);
	nursery.kit = stress_start(
		&(ward_kit_options){.system.workers = workers, .system.user_strategy = &quiet});
	ward_assert_ok(ward_system_spawn(ward_kit_system(nursery.kit),
					 WARD_PROPS(&nursery_behavior), &nursery.ref));
	STRESS_UNTIL(nursery.kit, !ward_ref_is_nobody(place(places - 1)));
}

/* Stops all targets, and waits until the tables of the actors are empty. */
static inline void nursery_close(const ward_ref *actors, uint32_t count)
{
	ward_system *system = ward_kit_system(nursery.kit);

	ward_system_stop(system, nursery.ref);
	ward_assert_ok(ward_system_wait_for(system, nursery.ref, WARD_MINUTE));
	for (uint32_t i = 0; i < count; i++)
		ward_system_tell(system, actors[i], finish);
	STRESS_UNTIL(nursery.kit, stress_get(&nursery.drained) == count);
}

/* ---- actors and their tables ------------------------------------------------------------- */

/* Spawns them, each with its seat, and gives each its first step. */
static inline void actors_start(const ward_behavior *behavior, uint32_t count, ward_ref *ret_actors)
{
	ward_system *system = ward_kit_system(nursery.kit);

	for (uint32_t i = 0; i < count; i++) {
		ward_assert_ok(ward_system_spawn(
			system, WARD_PROPS(behavior, .args = WARD_ARGS(seat, i)), &ret_actors[i]));
		ward_system_tell(system, ret_actors[i], step);
	}
}

/* In one of the ways that need no tie: 0 to 3. */
static inline void end_target(ward_self *self, ward_ref who, uint64_t way)
{
	switch (way) {
	case 0:
		ward_stop(self, who);
		break;
	case 1:
		ward_tell(self, who, ward_poison_pill);
		break;
	case 2:
		ward_tell(self, who, ward_kill);
		break;
	default:
		ward_tell(self, who, fail);
		break;
	}
}

/* To whom an actor is tied; its holder's, in all incarnations. */
struct table {
	ward_ref who[TABLE_MAX];
	bool custom[TABLE_MAX]; /* with a notice of its own */
	uint32_t count;
};

static inline bool table_is_full(const struct table *table)
{
	return table->count == 2 * nursery.count;
}

static inline void table_add(struct table *table, ward_ref who, bool custom)
{
	table->who[table->count] = who;
	table->custom[table->count++] = custom;
}

/* Where it is; `count`: nowhere. */
static inline uint32_t table_find(const struct table *table, ward_ref who)
{
	uint32_t at = 0;

	while (at < table->count && !ward_ref_equal(table->who[at], who))
		at++;
	return at;
}

static inline void table_take_out(struct table *table, uint32_t at)
{
	table->count--;
	table->who[at] = table->who[table->count];
	table->custom[at] = table->custom[table->count];
}

/* A message that says that `who` has ended, and is the custom one. */
static inline void table_notice(const ward_msg *msg, struct table *table, ward_ref who, bool custom)
{
	uint32_t at = table_find(table, who);

	ward_assert(at < table->count); /* there is a tie, and this is the first notice */
	ward_assert_eq(table->custom[at], custom);
	ward_assert(ward_ref_equal(ward_msg_sender(msg), who));
	ward_assert(!ward_system_is_alive(ward_kit_system(nursery.kit), who));
	table_take_out(table, at);
}

/* What an actor does when it is told to finish: it tells itself again until its table is empty. */
static inline void table_finish(ward_self *self, const struct table *table)
{
	if (table->count == 0)
		stress_add(&nursery.drained, 1);
	else
		ward_after(self, 1, 1, finish);
}

#endif
