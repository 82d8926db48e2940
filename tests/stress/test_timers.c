/* SPDX-License-Identifier: MIT
 *
 * test_timers.c - many actors with timers on several workers: each timer comes once, never early,
 * and none that was cancelled comes.
 *
 * Method: nothing else is in the system, so a timer that nobody wakes up for is never served, and
 * the round does not end. Each actor arms timers, default and exact, with a body that knows when it
 * is due; cancels some of them at random, also from the handling of another; and makes a few that
 * repeat, or go to its neighbour.
 */
#include "support/stress.h"

enum { ACTORS = 300, TIMERS = 20, WITHIN_MS = 40, EVERY = 7 };

struct ring {
	int64_t due_ns;
	uint64_t key;
};
WARD_MESSAGE(ring);
struct neighbour {
	ward_ref ref;
};
WARD_MESSAGE(neighbour);
WARD_SIGNAL(over);

static _Atomic uint64_t wanted, came, early, wrong, ended;

/* An actor's timers that are armed, by key. */
struct clock {
	uint64_t armed; /* bits */
	uint64_t ticks;
	ward_ref neighbour;
};

static void arm(ward_self *self, struct clock *clock, uint64_t key)
{
	int64_t after_ms = (int64_t)(ward_random(self) % WITHIN_MS);
	ward_timer timer = {.key = key, .after_ms = after_ms, .exact = key % 4 == 0};
	struct ring ring = {ward_now_ns(self) + after_ms * WARD_NS_PER_MS, key};

	ward_timer_start(self, &timer, WARD_BODY(ring, ring.due_ns, ring.key));
	if ((clock->armed >> key & 1) == 0)
		stress_add(&wanted, 1);
	clock->armed |= UINT64_C(1) << key;
}

static void cancel(ward_self *self, struct clock *clock, uint64_t key)
{
	if ((clock->armed >> key & 1) == 0)
		return;
	ward_timer_cancel(self, key);
	clock->armed &= ~(UINT64_C(1) << key);
	stress_add(&wanted, UINT64_MAX); /* one less */
}

static ward_result start(ward_self *self, void *state)
{
	struct clock *clock = state;

	for (uint64_t key = 1; key <= TIMERS; key++)
		arm(self, clock, key);
	ward_timer_start(
		self,
		&(ward_timer){
			.key = 60, .mode = WARD_TIMER_FIXED_RATE, .after_ms = 1, .every_ms = 3},
		WARD_BODY(over));
	for (uint64_t key = 1; key <= TIMERS; key += EVERY)
		cancel(self, clock, key);
	return WARD_DONE;
}

static void ring_came(ward_self *self, struct clock *clock, const struct ring *ring)
{
	uint64_t key = ring->key, other = 1 + ward_random(self) % TIMERS;

	if (ward_now_ns(self) < ring->due_ns)
		stress_add(&early, 1);
	if ((clock->armed >> key & 1) == 0)
		stress_add(&wrong, 1);
	clock->armed &= ~(UINT64_C(1) << key);
	stress_add(&came, 1);
	if (other % 3 == 0)
		cancel(self, clock, other);
	else if (other % 3 == 1 && clock->ticks++ < TIMERS)
		arm(self, clock, other);
	if (!ward_ref_is_nobody(clock->neighbour) && other == 2)
		ward_tell_after(self, clock->neighbour, 61, 1, over);
}

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct clock *clock = state;
	const struct ring *ring = ward_match(msg, ring);
	const struct neighbour *neighbour = ward_match(msg, neighbour);

	if (neighbour != NULL)
		clock->neighbour = neighbour->ref;
	else if (ring != NULL)
		ring_came(self, clock, ring);
	else if (!ward_match(msg, over))
		return WARD_UNHANDLED;
	if (clock->armed == 0 && ward_timer_open(self, 60)) {
		ward_timer_cancel(self, 60);
		stress_add(&ended, 1);
	}
	return WARD_DONE;
}

static const ward_behavior alarm_clock = {
	.name = "alarm_clock",
	.state_size = sizeof(struct clock),
	.pre_start = start,
	.receive = receive,
};

static void timers(uint32_t workers)
{
	uint64_t rounds = stress_size(3, 100);

	for (uint64_t round = 0; round < rounds; round++) {
		ward_kit *kit = stress_start(&(ward_kit_options){.system.workers = workers});
		ward_system *system = ward_kit_system(kit);
		ward_ref last = ward_nobody(), actor;

		wanted = came = ended = 0;
		for (int i = 0; i < ACTORS; i++) {
			ward_assert_ok(ward_system_spawn(system, WARD_PROPS(&alarm_clock), &actor));
			if (i > 0)
				ward_system_tell(system, actor, neighbour, .ref = last);
			last = actor;
		}
		/* Every timer that was not cancelled has come when each actor has none left. */
		STRESS_UNTIL(kit, stress_get(&ended) == ACTORS);
		ward_assert_eq(stress_get(&came), stress_get(&wanted));
		ward_assert_eq(stress_get(&early), 0);
		ward_assert_eq(stress_get(&wrong), 0);
		ward_kit_finish(kit);
	}
}

STRESS_WORKERS(timers, "S87")

WARD_TEST_MAIN
