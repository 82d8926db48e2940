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

#include "target_nursery.h"

enum { PLACES = 64, WATCHERS = 12, AWAITERS = 2 };

struct lost {
	ward_ref who;
};
WARD_MESSAGE(lost);

static struct table tables[WATCHERS];
static _Atomic uint64_t watches, notices, unwatches, awaited;

/* ---- targets ----------------------------------------------------------------------------- */

static ward_result target_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	ward_assert(ward_match(msg, fail) != NULL);
	ward_fail(self, &ward_exception, "as told");
}

static const ward_behavior target = {.name = "target", .receive = target_receive};

/* ---- watchers ---------------------------------------------------------------------------- */

static void watch(ward_self *self, struct table *table, ward_ref who)
{
	bool custom = ward_random(self) % 2 == 0;

	if (table_is_full(table))
		return;
	if (custom)
		ward_watch_with(self, who, lost, .who = who);
	else
		ward_assert_ok(ward_try_watch(self, who));
	table_add(table, who, custom);
	stress_add(&watches, 1);
}

static ward_result do_step(ward_self *self, struct table *table)
{
	uint64_t dice = ward_random(self);
	uint32_t number = (uint32_t)(dice >> 32) % PLACES;
	ward_ref who = place(number);
	uint32_t at = table_find(table, who);

	if (at == table->count) {
		watch(self, table, who);
	} else if (dice % 3 == 0) {
		ward_unwatch(self, who);
		table_take_out(table, at);
		stress_add(&unwatches, 1);
	}
	if (dice % 5 == 0)
		end_target(self, who, ward_random(self) % 4);
	if (dice % 7 == 0)
		ward_tell(self, nursery.ref, replace, .place = number);
	if (stress_add(&nursery.steps, 1) < nursery.steps_max)
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
		table_finish(self, table);
		return WARD_DONE;
	}
	ward_assert(gone != NULL || lost != NULL);
	table_notice(msg, table, gone != NULL ? gone->who : lost->who, lost != NULL);
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

			ward_assert_ok(ward_try_watch(self, who));
			if (ward_random(self) % 2 == 0)
				ward_stop(self, who);
		}
	return WARD_DONE; /* notices are welcome */
}

static const ward_behavior mayfly = {.name = "mayfly", .receive = mayfly_receive};

/* ---- threads outside --------------------------------------------------------------------- */

static void *await(void *arg)
{
	uint64_t random = (uintptr_t)arg;

	while (going_on()) {
		uint64_t dice = stress_random(&random);
		ward_ref who = place((uint32_t)dice % PLACES);
		ward_err err = ward_system_wait_for(ward_kit_system(nursery.kit), who,
						    (int64_t)(dice >> 62));

		ward_assert(err == WARD_OK || err == WARD_ETIMEDOUT);
		if (err == WARD_OK) {
			ward_assert(!ward_system_is_alive(ward_kit_system(nursery.kit), who));
			ward_system_tell(ward_kit_system(nursery.kit), nursery.ref, replace,
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

		ward_assert_ok(
			ward_system_spawn(ward_kit_system(nursery.kit), WARD_PROPS(&mayfly), &ref));
		ward_system_tell(ward_kit_system(nursery.kit), ref, step);
		ward_system_stop(ward_kit_system(nursery.kit), ref);
	}
	return NULL;
}

static void storm(uint32_t workers)
{
	ward_ref refs[WATCHERS];
	pthread_t threads[AWAITERS + 1];

	nursery_open(workers, PLACES, &target);
	actors_start(&watcher, WATCHERS, refs);
	for (uintptr_t i = 0; i < AWAITERS; i++)
		threads[i] = stress_thread(await, (void *)i);
	threads[AWAITERS] = stress_thread(breed_mayflies, NULL);
	STRESS_UNTIL(nursery.kit, !going_on());
	for (int i = 0; i <= AWAITERS; i++)
		stress_join(threads[i]);

	nursery_close(refs, WATCHERS);
	printf("%llu watches: %llu notices, %llu unwatched; %llu awaited\n",
	       (unsigned long long)stress_get(&watches), (unsigned long long)stress_get(&notices),
	       (unsigned long long)stress_get(&unwatches),
	       (unsigned long long)stress_get(&awaited));
	ward_assert_eq(stress_get(&watches), stress_get(&notices) + stress_get(&unwatches));
	ward_kit_finish(nursery.kit);
}

STRESS_WORKERS(storm, "S60", "S62", "S63", "S67", "S69")

WARD_TEST_MAIN
