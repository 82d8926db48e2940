/* SPDX-License-Identifier: MIT
 *
 * test_segments.c - waves of actors come and go, and with them the segments that they lie in, while
 * actors and threads outside use the refs of all waves: each greeting arrives where it was meant
 * to, or is a dead letter, and no more memory stays than a wave needs.
 *
 * Method: mothers make the actors of a wave, on workers and on threads of their own. Each greeting
 * carries the ref that it is meant for. The test tidies, too, by a clock that runs ahead of the
 * real one, so that segments go between the waves and in them.
 */
#include <stdlib.h>

#include "cell/segments.h"
#include "cell/self.h"
#include "support/stress.h"

enum { MOTHERS = 4, WAVES = STRESS_SANITIZED ? 4 : 6, GREETERS = 2, GUARDIANS = 3 };

struct greeting {
	ward_ref meant;
};
WARD_MESSAGE(greeting);

struct wave {
	uint32_t from, to; /* numbers of the refs */
};
WARD_MESSAGE(wave);
WARD_SIGNAL(end_wave);

static ward_kit *kit;
static uint32_t size;
static _Atomic uint64_t *uids; /* of the last wave, or the one before */
static _Atomic uint64_t sent, greeted, made;
static _Atomic bool over;

/* Any of them, dead or alive. */
static ward_ref any(uint64_t random)
{
	/* Relaxed: a ref may be stale at once. */
	return (ward_ref){atomic_load_explicit(&uids[random % size], memory_order_relaxed),
			  ward_kit_system(kit)->place, 0};
}

static ward_result child_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct greeting *greeting = ward_match(msg, greeting);

	(void)state;
	ward_assert(greeting != NULL);
	ward_assert(ward_ref_equal(greeting->meant, ward_self_ref(self)));
	stress_add(&greeted, 1);
	return WARD_DONE;
}

static const ward_behavior child = {.name = "child", .receive = child_receive};

static void greet(ward_self *self, ward_ref to)
{
	stress_add(&sent, 1);
	ward_tell(self, to, greeting, .meant = to);
}

/* Tells children of all waves, and asks this and that about them. */
static void pester(ward_self *self)
{
	for (uint32_t i = 0; i < size / MOTHERS; i++) {
		ward_ref who = any(ward_random(self));

		greet(self, who);
		if (i % 64 == 0 && ward_try_watch(self, who) == WARD_OK)
			ward_unwatch(self, who);
		if (i % 64 == 1)
			(void)ward_mailbox_count(self, who);
	}
}

static ward_result mother_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct wave *wave = ward_match(msg, wave);
	struct wave *mine = state;

	if (wave != NULL) {
		*mine = *wave;
		pester(self);
		for (uint32_t i = wave->from; i < wave->to; i++) {
			ward_ref ref;

			ward_assert_ok(ward_try_spawn(self, WARD_PROPS(&child), &ref));
			atomic_store_explicit(&uids[i], ref.uid, memory_order_relaxed);
			greet(self, ref);
		}
		stress_add(&made, 1);
	} else {
		ward_assert(ward_match(msg, end_wave) != NULL);
		for (uint32_t i = mine->from; i < mine->to; i++)
			ward_stop(self, any(i));
		pester(self);
	}
	return WARD_DONE;
}

static const ward_behavior mother = {
	.name = "mother",
	.state_size = sizeof(struct wave),
	.receive = mother_receive,
};

static void *greeter(void *arg)
{
	ward_system *system = ward_kit_system(kit);
	uint64_t random = *(const uint64_t *)arg;
	char path[64];

	for (uint64_t i = 0; !atomic_load_explicit(&over, memory_order_relaxed); i++) {
		ward_ref who = any(stress_random(&random));

		if (i % 16 == 1) {
			(void)ward_system_path(system, who, path, sizeof path);
		} else if (i % 16 == 2) {
			(void)ward_system_is_alive(system, who);
		} else if (i % 16 == 3) {
			ward_err err = ward_system_wait_for(system, who, 0);

			ward_assert(err == WARD_OK || err == WARD_ETIMEDOUT);
		} else if (i % 2048 == 4) {
			(void)ward_system_actors(system, NULL, NULL);
		} else {
			stress_add(&sent, 1);
			ward_system_tell(system, who, greeting, .meant = who);
		}
	}
	return NULL;
}

/* Segments that were given back are counted at a moment. */
static uint32_t count_gone(ward_system *system, int64_t *now_ns)
{
	const struct wardi_table *table = &system->table;
	uint32_t count = 0;

	*now_ns += WARDI_SEGMENTS_PERIOD_NS / 4;
	for (int looks = 0; looks < 100 && wardi_segments_tidy(system, *now_ns) <= *now_ns; looks++)
		continue;
	wardi_mutex_lock(&system->table.mu);
	for (uint32_t number = WARDI_SEGMENTS_KEPT; number < table->segments_max; number++) {
		struct wardi_segment *segment =
			atomic_load_explicit(&table->segments[number], memory_order_relaxed);

		/* Who stands in for it has no head. */
		count += segment != NULL && segment->system == NULL;
	}
	wardi_mutex_unlock(&system->table.mu);
	return count;
}

static void tell_mothers(ward_system *system, const ward_ref *mothers, bool begin)
{
	for (uint32_t i = 0; i < MOTHERS; i++)
		if (begin)
			ward_system_tell(system, mothers[i], wave, .from = size / MOTHERS * i,
					 .to = size / MOTHERS * (i + 1));
		else
			ward_system_tell(system, mothers[i], end_wave);
}

static void segments(uint32_t workers)
{
	static uint64_t seeds[GREETERS] = {1, 2};
	pthread_t threads[GREETERS];
	ward_ref mothers[MOTHERS];
	ward_system *system;
	int64_t now_ns;
	uint32_t waves_with_rows_gone = 0;

	size = (uint32_t)stress_size(STRESS_SANITIZED ? 6000 : 12000, 300000);
	uids = calloc(size, sizeof *uids);
	ward_assert(uids != NULL);
	kit = stress_start(&(ward_kit_options){.system.workers = workers});
	system = ward_kit_system(kit);
	now_ns = wardi_clock_now(&system->clock);
	for (int i = 0; i < MOTHERS; i++)
		ward_assert_ok(ward_system_spawn(
			system, WARD_PROPS(&mother, .dispatcher = i == 0 ? WARD_PINNED : NULL),
			&mothers[i]));
	for (int i = 0; i < GREETERS; i++)
		threads[i] = stress_thread(greeter, &seeds[i]);
	for (int i = 0; i < WAVES; i++) {
		atomic_store_explicit(&made, 0, memory_order_relaxed);
		tell_mothers(system, mothers, true);
		while (stress_get(&made) < MOTHERS)
			(void)count_gone(system, &now_ns);
		tell_mothers(system, mothers, false);
		STRESS_UNTIL(kit, ward_kit_stats(kit).actors == GUARDIANS + MOTHERS);
		/* In every other one it is wanted again before it is over. */
		for (uint32_t looks = 0; looks < (i % 2 == 0 ? 3U : 30U); looks++)
			(void)count_gone(system, &now_ns);
		if (i % 2 == 0)
			continue;
		STRESS_UNTIL(kit, count_gone(system, &now_ns) > 0);
		waves_with_rows_gone++;
	}
	ward_assert_eq(waves_with_rows_gone, WAVES / 2);
	atomic_store_explicit(&over, true, memory_order_relaxed);
	for (int i = 0; i < GREETERS; i++)
		stress_join(threads[i]);
	STRESS_UNTIL(kit,
		     stress_get(&greeted) + ward_kit_stats(kit).dead_letters == stress_get(&sent));
	ward_kit_finish(kit);
	free(uids);
}

STRESS_WORKERS(segments, "S49", "S57")

WARD_TEST_MAIN
