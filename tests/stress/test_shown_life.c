/* SPDX-License-Identifier: MIT
 *
 * test_shown_life.c - what other threads see of a life while its cell goes from one life to the
 * next: the path, the parent and the tree are those of one life, or say that it is over.
 *
 * Method: two parents in turn use the same few cells for children of different behaviours, as fast
 * as they can, while threads outside ask about children old and new: for so many lives, and until
 * the threads have met children that lived.
 */
#include <stdio.h>
#include <string.h>

#include <ward/extend.h>

#include "support/stress.h"

enum { SIDES = 2, LOOKERS = 2, KEPT = 64, EACH = 50, SEEN_MIN = 200 };

WARD_SIGNAL(breed);
WARD_SIGNAL(end);

static const char *const sides[SIDES] = {"left", "right"};

static ward_kit *kit;
static uint64_t lives; /* of each side, at least */
static _Atomic uint64_t uids[SIDES][KEPT];
static _Atomic uint64_t born[SIDES], gone, seen, barren; /* parents that breed no more */
static _Atomic uint32_t place;
static ward_ref parents[SIDES];

static ward_result child_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (!ward_match(msg, end))
		return WARD_UNHANDLED;
	stress_add(&gone, 1);
	return ward_stop_self(self);
}

static const ward_behavior children[SIDES] = {
	{.name = "leftling", .receive = child_receive},
	{.name = "rightling", .receive = child_receive},
};

static ward_result parent_receive(ward_self *self, void *state, const ward_msg *msg)
{
	size_t side = *(size_t *)state;
	ward_ref child;

	if (!ward_match(msg, breed))
		return WARD_UNHANDLED;
	for (int i = 0; i < EACH; i++) {
		uint64_t number = stress_add(&born[side], 1);

		ward_assert_ok(ward_try_spawn(self, WARD_PROPS(&children[side]), &child));
		atomic_store_explicit(&place, ward_ref_place(child), memory_order_relaxed);
		atomic_store_explicit(&uids[side][number % KEPT], child.uid, memory_order_relaxed);
		ward_tell(self, child, end);
	}
	if (stress_get(&born[side]) < lives || stress_get(&seen) < SEEN_MIN)
		ward_tell(self, ward_self_ref(self), breed);
	else
		stress_add(&barren, 1);
	return WARD_DONE;
}

static ward_result parent_start(ward_self *self, void *state)
{
	char path[64];

	(void)ward_system_path(ward_self_system(self), ward_self_ref(self), path, sizeof path);
	*(size_t *)state = strstr(path, sides[1]) != NULL;
	return WARD_DONE;
}

static const ward_behavior parent = {
	.name = "parent",
	.state_size = sizeof(size_t),
	.pre_start = parent_start,
	.receive = parent_receive,
};

/* ---- the threads outside ----------------------------------------------------------------- */

static bool is_over(void)
{
	return stress_get(&barren) == SIDES &&
	       stress_get(&gone) == stress_get(&born[0]) + stress_get(&born[1]);
}

static void check_path(ward_ref who, size_t side)
{
	char path[128], wanted[64];

	(void)ward_system_path(ward_kit_system(kit), who, path, sizeof path);
	if (path[0] == '?')
		return;
	(void)snprintf(wanted, sizeof wanted, "/user/%s/%s$", sides[side], children[side].name);
	if (strstr(path, wanted) == NULL)
		ward_test_fail(__FILE__, __LINE__, "a child of %s has the path %s", sides[side],
			       path);
	stress_add(&seen, 1);
}

static void check_info(ward_ref who, ward_ref parent_ref)
{
	ward_actor_info info;

	if (ward_system_actor(ward_kit_system(kit), who, &info) != WARD_OK)
		return;
	ward_assert(ward_ref_equal(info.ref, who));
	ward_assert(ward_ref_equal(info.parent, parent_ref));
}

static void *look(void *arg)
{
	uint64_t random = (uint64_t)(uintptr_t)arg;

	while (!is_over()) {
		uint64_t drawn = stress_random(&random);
		size_t side = drawn % SIDES;
		ward_ref who = {atomic_load_explicit(&uids[side][drawn / SIDES % KEPT],
						     memory_order_relaxed),
				atomic_load_explicit(&place, memory_order_relaxed), 0};

		if (who.uid == 0)
			continue;
		check_path(who, side);
		check_info(who, parents[side]);
	}
	return NULL;
}

static void lives_change(uint32_t workers)
{
	pthread_t threads[LOOKERS];

	lives = stress_size(20000, 2000000);
	atomic_store(&gone, 0);
	atomic_store(&seen, 0);
	atomic_store(&barren, 0);
	memset(uids, 0, sizeof uids);
	memset(born, 0, sizeof born);
	kit = stress_start(&(ward_kit_options){.system.workers = workers});
	for (size_t side = 0; side < SIDES; side++)
		parents[side] = ward_kit_spawn(kit, &parent, .name = sides[side]);
	for (uintptr_t i = 0; i < LOOKERS; i++)
		threads[i] = stress_thread(look, (void *)(i + 1));
	for (size_t side = 0; side < SIDES; side++)
		ward_kit_tell(kit, parents[side], breed);
	for (int i = 0; i < LOOKERS; i++)
		stress_join(threads[i]);
	ward_assert_seen(stress_get(&seen));
	ward_kit_finish(kit);
}

STRESS_WORKERS(lives_change, "S54")

WARD_TEST_MAIN
