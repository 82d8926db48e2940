/* SPDX-License-Identifier: MIT
 *
 * test_places.c - a place by value stays known while it is opened again (S195).
 *
 * Method: one thread closes and opens it, another looks all the time.
 */
#include "cell/places.h"

#include "cell/system.h"
#include "support/stress.h"

enum { TIMES = 500 * 1000 };

struct looker {
	ward_system *system;
	uint32_t place;
	_Atomic bool stops;
	_Atomic uint64_t looks, misses;
};

static void *look(void *arg)
{
	struct looker *looker = arg;

	while (!atomic_load(&looker->stops)) {
		if (!wardi_place_is_known(looker->system, looker->place))
			stress_add(&looker->misses, 1);
		stress_add(&looker->looks, 1);
	}
	return NULL;
}

WARD_TEST(place_that_is_opened_again_is_known_all_the_time, "S195")
{
	ward_kit *here = ward_kit_start(NULL), *there = ward_kit_start(NULL);
	ward_system *system = ward_kit_system(here);
	struct looker looker = {.system = system, .place = ward_place(ward_kit_system(there))};
	const ward_association_options options = {.name = "there",
						  .by_value = ward_kit_system(there)};
	uint32_t place;

	ward_assert_ok(wardi_place_enter(system, &options, 1, looker.place, &place));
	pthread_t thread = stress_thread(look, &looker);
	while (stress_get(&looker.looks) == 0)
		sched_yield();
	for (int i = 0; i < (STRESS_SANITIZED ? TIMES / 10 : TIMES); i++) {
		wardi_place_close(system, place);
		ward_assert_ok(wardi_place_enter(system, &options, 1, looker.place, &place));
	}
	wardi_place_close(system, place);
	atomic_store(&looker.stops, true);
	stress_join(thread);
	ward_assert_eq(stress_get(&looker.misses), 0);
	ward_kit_finish(there);
	ward_kit_finish(here);
}

WARD_TEST_MAIN
