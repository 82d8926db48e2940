/* SPDX-License-Identifier: MIT
 *
 * test_router_hash.c - consistent hashing: the same routee for the same key, and few keys move when
 * routees come and go.
 */
#include "router_and_workers.h"

enum { KEYS = 240, ROUTEES = 10 };

/* Where each key went. */
static int home[KEYS];

static uint64_t by_number(const ward_msg *msg)
{
	return (uint64_t)ward_match(msg, job)->number;
}

static ward_result home_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	home[ward_match(msg, job)->number] = worker_number(ward_self_ref(self));
	return WARD_DONE;
}

static const ward_behavior home_worker = {
	.name = "home", .init = worker_init, .receive = home_receive};

static void start_hashing(uint32_t count)
{
	start_pool(.routing = WARD_ROUTE_CONSISTENT_HASHING, .hash = by_number, .routees = count,
		   .routee = {.behavior = &home_worker});
}

static void send_all(void)
{
	memset(home, 0, sizeof home);
	send_jobs(0, KEYS - 1);
}

WARD_TEST(same_key_goes_to_the_same_routee)
{
	rig_open(NULL);
	start_hashing(ROUTEES);
	int first[KEYS];
	send_all();
	memcpy(first, home, sizeof home);
	for (int round = 0; round < 2; round++) {
		send_all();
		ward_assert_eq(memcmp(first, home, sizeof home), 0);
	}
	rig_close();
}

WARD_TEST(keys_are_spread_evenly)
{
	int counts[ROUTEES + 1] = {0};

	rig_open(NULL);
	start_hashing(ROUTEES);
	send_all();
	for (int key = 0; key < KEYS; key++)
		counts[home[key]]++;
	for (int i = 1; i <= ROUTEES; i++)
		ward_assert(counts[i] > 10 && counts[i] < 40);
	rig_close();
}

WARD_TEST(routee_that_goes_moves_its_own_keys_only)
{
	rig_open(NULL);
	start_hashing(ROUTEES);
	int before[KEYS], taken[ROUTEES + 1] = {0};
	send_all();
	memcpy(before, home, sizeof home);
	ward_kit_stop(rig.kit, rig.workers[4].ref);
	ward_kit_run(rig.kit);
	send_all();
	for (int key = 0; key < KEYS; key++) {
		if (before[key] == 4)
			taken[home[key]]++;
		else
			ward_assert_eq(home[key], before[key]);
	}
	int heirs = 0;
	for (int i = 1; i <= ROUTEES; i++)
		heirs += taken[i] > 0;
	ward_assert_eq(taken[4], 0);
	ward_assert(heirs >= 6); /* not one of the others has them all */
	rig_close();
}

WARD_TEST(routee_that_comes_takes_about_its_share_and_moves_no_other_key)
{
	rig_open(NULL);
	start_hashing(ROUTEES - 1);
	int before[KEYS], moved = 0;
	send_all();
	memcpy(before, home, sizeof home);
	ward_kit_tell(rig.kit, rig.router, ward_adjust_pool, .change = 1);
	ward_kit_run(rig.kit);
	send_all();
	for (int key = 0; key < KEYS; key++) {
		moved += home[key] != before[key];
		ward_assert(home[key] == before[key] || home[key] == ROUTEES);
	}
	ward_assert(moved > KEYS / ROUTEES / 2 && moved < KEYS / ROUTEES * 2);
	rig_close();
}

/* For all sizes and a few seeds, as a property: nothing moves but what must. */
WARD_TEST(for_any_size_only_keys_of_the_one_that_goes_move)
{
	for (uint32_t size = 2; size <= (ward_test_shortage() ? 2 : 8); size++) {
		rig_open(&(ward_kit_options){.seed = size});
		start_hashing(size);
		int before[KEYS], moved = 0;
		send_all();
		memcpy(before, home, sizeof home);
		int goes = 1 + (int)(size * 5 / 7 % size);
		ward_kit_tell(rig.kit, rig.router, ward_remove_routee,
			      .routee = rig.workers[goes].ref);
		ward_kit_run(rig.kit);
		send_all();
		for (int key = 0; key < KEYS; key++) {
			ward_assert(home[key] != goes);
			ward_assert(home[key] == before[key] || before[key] == goes);
			moved += home[key] != before[key];
		}
		ward_assert(moved > KEYS / (int)size / 2);
		ward_assert(moved < KEYS / (int)size * 2);
		ward_kit_advance(rig.kit, 100);
		rig_close();
	}
}

WARD_TEST_MAIN
