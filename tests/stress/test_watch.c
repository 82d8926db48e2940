/* SPDX-License-Identifier: MIT
 *
 * test_watch.c - death watch in a storm: exactly one notice for each watch, none after an unwatch.
 *
 * Method: a nursery spawns targets into places; watchers (on several workers) watch and unwatch
 * what is in the places, and end it in every way there is. Each watcher has a table of what it
 * watches; a notice must be in it, and leaves it. At the end all targets are stopped, and all
 * tables must run empty. Threads outside await the same targets. Some watchers end, too, with
 * watches open.
 */
#include <stdio.h>
#include <string.h>

#include "support/stress.h"

enum { PLACES = 64, WATCHERS = 12, TABLE = 2 * PLACES, AWAITERS = 2 };

WARD_SIGNAL(step);
WARD_SIGNAL(finish);
WARD_SIGNAL(fail);
struct replace {
	uint32_t place;
};
WARD_MESSAGE(replace);
struct lost {
	ward_ref who;
};
WARD_MESSAGE(lost);
struct seat {
	uint32_t number;
};
WARD_MESSAGE(seat);

/* What a watcher watches; its holder's, in all incarnations. */
struct table {
	ward_ref watched[TABLE];
	bool custom[TABLE];
	uint32_t count;
};

static ward_kit *kit;
static ward_ref nursery;
static pthread_mutex_t places_mu = PTHREAD_MUTEX_INITIALIZER;
static ward_ref places[PLACES]; /* under places_mu */
static struct table tables[WATCHERS];
static _Atomic uint64_t steps, watches, notices, unwatches, awaited, drained;
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
	(void)state;
	ward_assert(ward_match(msg, fail) != NULL);
	ward_fail(self, &ward_exception, "as told");
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

/* ---- watchers ---------------------------------------------------------------------------- */

static uint32_t find(const struct table *table, ward_ref who)
{
	uint32_t at = 0;

	while (at < table->count && !ward_ref_equal(table->watched[at], who))
		at++;
	return at;
}

static void take_out(struct table *table, uint32_t at)
{
	table->count--;
	table->watched[at] = table->watched[table->count];
	table->custom[at] = table->custom[table->count];
}

static void watch(ward_self *self, struct table *table, ward_ref who)
{
	bool custom = ward_random(self) % 2 == 0;

	if (table->count == TABLE)
		return;
	if (custom)
		ward_assert_ok(ward_watch_with(self, who, lost, .who = who));
	else
		ward_assert_ok(ward_watch(self, who));
	table->watched[table->count] = who;
	table->custom[table->count++] = custom;
	stress_add(&watches, 1);
}

static void end(ward_self *self, ward_ref who)
{
	switch (ward_random(self) % 4) {
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

static ward_result do_step(ward_self *self, struct table *table)
{
	uint64_t dice = ward_random(self);
	uint32_t number = (uint32_t)(dice >> 32) % PLACES;
	ward_ref who = place(number);
	uint32_t at = find(table, who);

	if (at == table->count) {
		watch(self, table, who);
	} else if (dice % 3 == 0) {
		ward_unwatch(self, who);
		take_out(table, at);
		stress_add(&unwatches, 1);
	}
	if (dice % 5 == 0)
		end(self, who);
	if (dice % 7 == 0)
		ward_tell(self, nursery, replace, .place = number);
	if (stress_add(&steps, 1) < steps_max)
		ward_tell(self, ward_self_ref(self), step);
	if (dice % 64 == 1) /* watches and notices outlive the incarnation */
		return ward_failed(self, &ward_exception, "now and then");
	return WARD_DONE;
}

static ward_result watcher_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct table *table = &tables[((const struct seat *)ward_args(self))->number];
	const struct ward_terminated *gone = ward_match(msg, ward_terminated);
	const struct lost *lost = ward_match(msg, lost);

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
	ward_assert(gone != NULL || lost != NULL);

	ward_ref who = gone != NULL ? gone->who : lost->who;
	uint32_t at = find(table, who);

	ward_assert(at < table->count); /* it is watched, and this is the first notice */
	ward_assert_eq(table->custom[at], lost != NULL);
	ward_assert(ward_ref_equal(ward_sender(self), who));
	ward_assert(!ward_is_alive(ward_kit_system(kit), who));
	take_out(table, at);
	stress_add(&notices, 1);
	return WARD_DONE;
}

static const ward_behavior watcher = {
	.name = "watcher",
	.args = &ward_type_seat,
	.receive = watcher_receive,
};

/* Watches a few, and is stopped in the middle of it by the next. */
static ward_result mayfly_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (ward_match(msg, step) != NULL)
		for (int i = 0; i < 4; i++) {
			ward_ref who = place((uint32_t)(ward_random(self) % PLACES));

			ward_assert_ok(ward_watch(self, who));
			if (ward_random(self) % 2 == 0)
				ward_stop(self, who);
		}
	return WARD_DONE; /* notices are welcome */
}

static const ward_behavior mayfly = {.name = "mayfly", .receive = mayfly_receive};

/* ---- threads outside --------------------------------------------------------------------- */

static bool going_on(void)
{
	return stress_get(&steps) < steps_max;
}

static void *await(void *arg)
{
	uint64_t random = (uintptr_t)arg;

	while (going_on()) {
		uint64_t dice = stress_random(&random);
		ward_ref who = place((uint32_t)dice % PLACES);
		ward_err err = ward_system_await(ward_kit_system(kit), who, (int64_t)(dice >> 62));

		ward_assert(err == WARD_OK || err == WARD_ETIMEDOUT);
		if (err == WARD_OK) {
			ward_assert(!ward_is_alive(ward_kit_system(kit), who));
			ward_system_tell(ward_kit_system(kit), nursery, replace,
					 .place = (uint32_t)dice % PLACES);
			stress_add(&awaited, 1);
		}
	}
	return NULL;
}

static void *breed_mayflies(void *arg)
{
	(void)arg;
	while (going_on()) {
		ward_ref ref;

		ward_assert_ok(ward_system_spawn(ward_kit_system(kit),
						 &(ward_props){.behavior = &mayfly}, &ref));
		ward_system_tell(ward_kit_system(kit), ref, step);
		ward_system_stop(ward_kit_system(kit), ref);
	}
	return NULL;
}

static void storm(uint32_t workers)
{
	static const ward_strategy quiet = {.quiet = true};
	ward_ref refs[WATCHERS];
	pthread_t threads[AWAITERS + 1];

	steps_max = stress_size(100000, 5000000);
	kit = stress_start(
		&(ward_kit_options){.system.workers = workers, .system.user_strategy = &quiet});
	ward_assert_ok(ward_system_spawn(ward_kit_system(kit),
					 &(ward_props){.behavior = &nursery_behavior}, &nursery));
	STRESS_UNTIL(kit, !ward_ref_is_nobody(place(PLACES - 1)));
	for (uint32_t i = 0; i < WATCHERS; i++) {
		ward_assert_ok(ward_system_spawn(
			ward_kit_system(kit),
			&(ward_props){.behavior = &watcher, .args = &(struct seat){i}}, &refs[i]));
		ward_system_tell(ward_kit_system(kit), refs[i], step);
	}
	for (uintptr_t i = 0; i < AWAITERS; i++)
		threads[i] = stress_thread(await, (void *)i);
	threads[AWAITERS] = stress_thread(breed_mayflies, NULL);
	STRESS_UNTIL(kit, !going_on());
	for (int i = 0; i <= AWAITERS; i++)
		stress_join(threads[i]);

	ward_system_stop(ward_kit_system(kit), nursery);
	ward_assert_ok(ward_system_await(ward_kit_system(kit), nursery, WARD_MINUTE));
	for (uint32_t i = 0; i < WATCHERS; i++)
		ward_system_tell(ward_kit_system(kit), refs[i], finish);
	STRESS_UNTIL(kit, stress_get(&drained) == WATCHERS);
	printf("%llu watches: %llu notices, %llu unwatched; %llu awaited\n",
	       (unsigned long long)stress_get(&watches), (unsigned long long)stress_get(&notices),
	       (unsigned long long)stress_get(&unwatches),
	       (unsigned long long)stress_get(&awaited));
	ward_assert_eq(stress_get(&watches), stress_get(&notices) + stress_get(&unwatches));
	ward_kit_finish(kit);
}

STRESS_WORKERS(storm, "S60", "S62", "S63", "S67", "S69")

WARD_TEST_MAIN
