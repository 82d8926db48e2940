/* SPDX-License-Identifier: MIT
 *
 * test_waves.c - many actors, spawned, messaged and stopped in waves: memory is flat, nothing is
 * left, and no message reaches a later life of a cell.
 *
 * Method: four mothers make the actors of a wave. Each greeting carries the ref that it is meant
 * for, and its receiver compares that with its own. While a wave lives, all refs of the wave before
 * are greeted once more, by actors and from outside: each such greeting must become a dead letter.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/stress.h"

enum { MOTHERS = 4, WAVES = 5 };

struct greeting {
	ward_ref meant;
};
WARD_MESSAGE(greeting);

struct wave {
	uint32_t from, to; /* numbers of the refs */
	bool turn_flags;
};
WARD_MESSAGE(wave);
WARD_SIGNAL(end_wave);

static ward_kit *kit;
static ward_ref *refs;  /* of this wave */
static ward_ref *stale; /* of the one before */
static uint32_t size;
static _Atomic uint64_t greeted, made, stopped;

static ward_result child_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct greeting *greeting = ward_match(msg, greeting);

	(void)state;
	ward_assert(greeting != NULL);
	ward_assert(ward_ref_equal(greeting->meant, ward_self_ref(self)));
	stress_add(&greeted, 1);
	return WARD_DONE;
}

static ward_result child_stopped(ward_self *self, void *state)
{
	(void)self;
	(void)state;
	stress_add(&stopped, 1);
	return WARD_DONE;
}

static const ward_behavior child = {
	.name = "child",
	.receive = child_receive,
	.post_stop = child_stopped,
};

/* Every third has a name, every fifth a bounded mailbox: other lives of a cell have other
 * things. */
static void make_child(ward_self *self, uint32_t number)
{
	char name[24];
	ward_props props = {.behavior = &child};

	if (number % 3 == 0) {
		snprintf(name, sizeof name, "child-%u", number);
		props.name = name;
	}
	if (number % 5 == 0)
		props.mailbox.messages_max = 4;
	ward_assert_ok(ward_try_spawn(self, &props, &refs[number]));
}

static void stop_child(ward_self *self, uint32_t number)
{
	if (number % 2 == 0)
		ward_stop(self, refs[number]);
	else
		ward_tell(self, refs[number], ward_poison_pill);
}

struct mother {
	struct wave wave;
};

static ward_result mother_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct wave *wave = ward_match(msg, wave);
	struct mother *me = state;

	if (wave != NULL) {
		me->wave = *wave;
		for (uint32_t i = wave->from; i < wave->to; i++)
			make_child(self, i);
		for (uint32_t i = wave->from; i < wave->to; i++)
			ward_tell(self, refs[i], greeting, .meant = refs[i]);
		for (uint32_t i = wave->from; i < wave->to; i++)
			if (!ward_ref_is_nobody(stale[i]))
				ward_tell(self, stale[i], greeting, .meant = stale[i]);
		/* Release: the refs are read by whoever sees the count. */
		atomic_fetch_add_explicit(&made, wave->to - wave->from, memory_order_release);
		return WARD_DONE;
	}
	ward_assert(ward_match(msg, end_wave) != NULL);
	for (uint32_t i = me->wave.from; i < me->wave.to; i++)
		stop_child(self, i);
	return WARD_DONE;
}

static const ward_behavior mother = {
	.name = "mother",
	.state_size = sizeof(struct mother),
	.receive = mother_receive,
};

/* Returns the number of dead letters that it must have made. */
static uint64_t run_wave(const ward_ref *mothers)
{
	uint64_t dead = 0;

	for (uint32_t i = 0; i < MOTHERS; i++)
		ward_system_tell(ward_kit_system(kit), mothers[i], wave, .from = size / MOTHERS * i,
				 .to = size / MOTHERS * (i + 1));
	for (uint32_t i = 0; i < size; i++) {
		if (ward_ref_is_nobody(stale[i]))
			continue;
		dead++; /* the mother's */
		if (i % 2 == 0) {
			ward_assert_err(ward_system_try_tell(ward_kit_system(kit), stale[i],
							     greeting, .meant = stale[i]),
					WARD_EDEAD);
		} else {
			ward_system_tell(ward_kit_system(kit), stale[i], greeting,
					 .meant = stale[i]);
			dead++;
		}
	}
	STRESS_UNTIL(kit, atomic_load_explicit(&made, memory_order_acquire) == size);
	for (uint32_t i = 0; i < size; i++)
		ward_system_tell(ward_kit_system(kit), refs[i], greeting, .meant = refs[i]);
	for (uint32_t i = 0; i < MOTHERS; i++)
		ward_system_tell(ward_kit_system(kit), mothers[i], end_wave);
	return dead;
}

static void waves(uint32_t workers)
{
	ward_ref mothers[MOTHERS];
	uint64_t bytes = 0, rss = 0, dead = 0, alive;

	size = (uint32_t)stress_size(10000, 1000000);
	refs = calloc(size, sizeof *refs);
	stale = calloc(size, sizeof *stale);
	ward_assert(refs != NULL && stale != NULL);
	kit = stress_start(&(ward_kit_options){.system.workers = workers});
	for (int i = 0; i < MOTHERS; i++)
		ward_assert_ok(
			ward_system_spawn(ward_kit_system(kit), WARD_PROPS(&mother), &mothers[i]));
	alive = ward_kit_stats(kit).actors;
	for (uint64_t i = 0; i < WAVES; i++) {
		int64_t began_ns = stress_now_ns();

		atomic_store_explicit(&made, 0, memory_order_relaxed);
		atomic_store_explicit(&stopped, 0, memory_order_relaxed);
		atomic_store_explicit(&greeted, 0, memory_order_relaxed);
		dead += run_wave(mothers);
		STRESS_UNTIL(kit,
			     stress_get(&stopped) == size && ward_kit_stats(kit).actors == alive);
		/* What came after the stop of a child is a dead letter, the rest was heard. */
		dead += 2 * size - stress_get(&greeted);
		memcpy(stale, refs, size * sizeof *refs);
		printf("wave %llu: %.2f s, %llu bytes of the system, %llu KiB resident\n",
		       (unsigned long long)i, (double)(stress_now_ns() - began_ns) / 1e9,
		       (unsigned long long)ward_kit_bytes(kit),
		       (unsigned long long)stress_rss() / 1024);
		if (i == 1) {
			bytes = ward_kit_bytes(kit);
			rss = stress_rss();
		}
	}
	STRESS_UNTIL(kit, ward_kit_stats(kit).dead_letters >= dead);
	ward_assert_eq(ward_kit_stats(kit).dead_letters, dead);
	ward_assert(ward_kit_bytes(kit) < bytes + bytes / 4 + 65536);
	if (!STRESS_SANITIZED)
		ward_assert(stress_rss() < rss + rss / 4 + 4 * 1024 * 1024);
	ward_kit_finish(kit);
	free(refs);
	free(stale);
}

STRESS_WORKERS(waves, "S49", "S57")

WARD_TEST_MAIN
