/* SPDX-License-Identifier: MIT
 *
 * test_link.c - links in a storm: each link is heard of exactly once, none after an unlink (S117).
 *
 * Method: a nursery spawns targets into places; linkers (on several workers) trap exits, link with
 * and unlink from what is in the places, and end it in every way there is. Each has a table of whom
 * it is linked with; a ward_exited must be in it, and leaves it. Targets are linked among each
 * other, so that one end brings others; and mayflies link both with targets and with each other,
 * and are stopped in the middle of it. At the end all targets are stopped, and all tables must run
 * empty.
 */
#include <stdio.h>
#include <string.h>

#include "support/stress.h"

enum { PLACES = 48, LINKERS = 8, TABLE = 2 * PLACES };

WARD_SIGNAL(step);
WARD_SIGNAL(finish);
WARD_SIGNAL(fail);
struct replace {
	uint32_t place;
};
WARD_MESSAGE(replace);
struct meet {
	ward_ref who;
	bool part;
};
WARD_MESSAGE(meet);
struct seat {
	uint32_t number;
};
WARD_MESSAGE(seat);

/* With whom a linker is linked; its holder's, in all incarnations. */
struct table {
	ward_ref linked[TABLE];
	uint32_t count;
};

static ward_kit *kit;
static ward_ref nursery;
static pthread_mutex_t places_mu = PTHREAD_MUTEX_INITIALIZER;
static ward_ref places[PLACES]; /* under places_mu */
static struct table tables[LINKERS];
static _Atomic uint64_t steps, links, exits, unlinks, drained;
static uint64_t steps_max;

static ward_ref place(uint32_t number)
{
	pthread_mutex_lock(&places_mu);
	ward_ref ref = places[number];
	pthread_mutex_unlock(&places_mu);
	return ref;
}

/* ---- targets ----------------------------------------------------------------------------- */

static ward_result target_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct meet *meet = ward_match(msg, meet);

	(void)state;
	if (meet != NULL && meet->part) {
		ward_unlink(self, meet->who);
	} else if (meet != NULL) {
		ward_assert_ok(ward_link(self, meet->who));
	} else {
		ward_assert(ward_match(msg, fail) != NULL);
		ward_fail(self, &ward_exception, "as told");
	}
	return WARD_DONE;
}

static const ward_behavior target = {.name = "target", .receive = target_receive};

static void fill(ward_self *self, uint32_t number)
{
	ward_ref ref;

	ward_assert_ok(ward_spawn(self, &(ward_props){.behavior = &target}, &ref));
	pthread_mutex_lock(&places_mu);
	places[number] = ref;
	pthread_mutex_unlock(&places_mu);
}

static ward_result nursery_start(ward_self *self, void *state)
{
	(void)state;
	for (uint32_t i = 0; i < PLACES; i++)
		fill(self, i);
	return WARD_DONE;
}

static ward_result nursery_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct replace *replace = ward_match(msg, replace);

	(void)state;
	ward_assert(replace != NULL);
	if (ward_random(self) % 2 == 0)
		ward_stop(self, place(replace->place));
	fill(self, replace->place);
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

/* ---- linkers ----------------------------------------------------------------------------- */

static uint32_t find(const struct table *table, ward_ref who)
{
	uint32_t at = 0;

	while (at < table->count && !ward_ref_equal(table->linked[at], who))
		at++;
	return at;
}

static void link_with(ward_self *self, struct table *table, ward_ref who)
{
	if (table->count == TABLE)
		return;
	ward_assert_ok(ward_link(self, who));
	table->linked[table->count++] = who;
	stress_add(&links, 1);
}

static void end(ward_self *self, ward_ref who, uint64_t dice)
{
	ward_exit_reason reason = {.kind = WARD_EXIT_KILL};

	switch (dice % 6) {
	case 0:
		ward_stop(self, who);
		break;
	case 1:
		ward_tell(self, who, ward_poison_pill);
		break;
	case 2:
		ward_tell(self, who, ward_kill);
		break;
	case 3:
		reason = (ward_exit_reason){.kind = WARD_EXIT_OTHER, .name = "enough"};
		ward_assert_ok(ward_exit(self, who, &reason));
		break;
	case 4:
		ward_assert_ok(ward_exit(self, who, &reason));
		break;
	default:
		ward_tell(self, who, fail);
		break;
	}
}

static ward_result do_step(ward_self *self, struct table *table)
{
	uint64_t dice = ward_random(self);
	uint32_t number = (uint32_t)(dice >> 32) % PLACES;
	ward_ref who = place(number), other = place((uint32_t)(dice >> 48) % PLACES);
	uint32_t at = find(table, who);

	if (at == table->count) {
		link_with(self, table, who);
	} else if (dice % 3 == 0) {
		ward_unlink(self, who);
		table->linked[at] = table->linked[--table->count];
		stress_add(&unlinks, 1);
	}
	if (dice % 5 == 0)
		end(self, who, dice >> 16);
	if (dice % 4 == 0)
		ward_tell(self, who, meet, .who = other, .part = dice >> 20 & 1);
	if (dice % 7 == 0)
		ward_tell(self, nursery, replace, .place = number);
	/* The last step may come behind finish, which has a timer run: no failure then. */
	if (stress_add(&steps, 1) >= steps_max)
		return WARD_DONE;
	ward_tell(self, ward_self_ref(self), step);
	if (dice % 64 == 1) /* links outlive the incarnation */
		return ward_failed(self, &ward_exception, "now and then");
	return WARD_DONE;
}

static ward_result linker_init(ward_self *self, void *state, const void *args)
{
	(void)state;
	(void)args;
	ward_assert(!ward_trap_exit(self, true));
	return WARD_DONE;
}

static ward_result linker_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct table *table = &tables[((const struct seat *)ward_args(self))->number];
	const struct ward_exited *gone = ward_match(msg, ward_exited);

	(void)state;
	if (ward_match(msg, step) != NULL)
		return do_step(self, table);
	if (ward_match(msg, finish) != NULL) {
		if (table->count == 0)
			stress_add(&drained, 1);
		else
			ward_assert_ok(ward_after(self, 1, 1, finish));
		return WARD_DONE;
	}
	ward_assert(gone != NULL);

	uint32_t at = find(table, gone->who);

	ward_assert(at < table->count); /* it is linked, and this is the first signal */
	ward_assert(ward_ref_equal(ward_sender(self), gone->who));
	ward_assert(!ward_is_alive(ward_kit_system(kit), gone->who));
	table->linked[at] = table->linked[--table->count];
	stress_add(&exits, 1);
	return WARD_DONE;
}

static const ward_behavior linker = {
	.name = "linker",
	.args = &ward_type_seat,
	.init = linker_init,
	.receive = linker_receive,
};

/* ---- mayflies ---------------------------------------------------------------------------- */

static ward_result mayfly_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct meet *meet = ward_match(msg, meet);

	(void)state;
	if (meet == NULL)
		return WARD_DONE; /* exits are welcome */
	(void)ward_trap_exit(self, ward_random(self) % 2 == 0);
	if (!ward_ref_is_nobody(meet->who))
		ward_assert_ok(ward_link(self, meet->who));
	for (int i = 0; i < 3; i++) {
		ward_ref who = place((uint32_t)(ward_random(self) % PLACES));

		ward_assert_ok(ward_link(self, who));
		if (ward_random(self) % 2 == 0)
			ward_unlink(self, who);
	}
	return WARD_DONE;
}

static const ward_behavior mayfly = {.name = "mayfly", .receive = mayfly_receive};

static bool going_on(void)
{
	return stress_get(&steps) < steps_max;
}

/* Two of them, each of which links with the other. */
static void *breed_mayflies(void *arg)
{
	ward_system *system = ward_kit_system(kit);

	(void)arg;
	while (going_on()) {
		ward_ref one, other;

		ward_assert_ok(ward_system_spawn(system, &(ward_props){.behavior = &mayfly}, &one));
		ward_assert_ok(
			ward_system_spawn(system, &(ward_props){.behavior = &mayfly}, &other));
		ward_system_tell(system, one, meet, .who = other);
		ward_system_tell(system, other, meet, .who = one);
		ward_system_stop(system, one);
		ward_assert(ward_system_await(system, one, WARD_MINUTE) == WARD_OK);
		ward_system_stop(system, other);
		ward_assert(ward_system_await(system, other, WARD_MINUTE) == WARD_OK);
	}
	return NULL;
}

static void storm(uint32_t workers)
{
	static const ward_strategy quiet = {.quiet = true};
	ward_ref refs[LINKERS];
	pthread_t breeder;

	steps_max = stress_size(100000, 5000000);
	kit = stress_start(
		&(ward_kit_options){.system.workers = workers, .system.user_strategy = &quiet});
	ward_assert_ok(ward_system_spawn(ward_kit_system(kit),
					 &(ward_props){.behavior = &nursery_behavior}, &nursery));
	STRESS_UNTIL(kit, !ward_ref_is_nobody(place(PLACES - 1)));
	for (uint32_t i = 0; i < LINKERS; i++) {
		ward_assert_ok(ward_system_spawn(
			ward_kit_system(kit),
			&(ward_props){.behavior = &linker, .args = &(struct seat){i}}, &refs[i]));
		ward_system_tell(ward_kit_system(kit), refs[i], step);
	}
	breeder = stress_thread(breed_mayflies, NULL);
	STRESS_UNTIL(kit, !going_on());
	stress_join(breeder);

	ward_system_stop(ward_kit_system(kit), nursery);
	ward_assert_ok(ward_system_await(ward_kit_system(kit), nursery, WARD_MINUTE));
	for (uint32_t i = 0; i < LINKERS; i++)
		ward_system_tell(ward_kit_system(kit), refs[i], finish);
	STRESS_UNTIL(kit, stress_get(&drained) == LINKERS);
	printf("%llu links: %llu exits, %llu unlinked\n", (unsigned long long)stress_get(&links),
	       (unsigned long long)stress_get(&exits), (unsigned long long)stress_get(&unlinks));
	ward_assert_eq(stress_get(&links), stress_get(&exits) + stress_get(&unlinks));
	ward_kit_finish(kit);
}

STRESS_WORKERS(storm, "S117")

WARD_TEST_MAIN
