/* SPDX-License-Identifier: MIT
 *
 * test_timers_moved.c - timers of an actor that two workers run in turn.
 *
 * Method: an actor starts a timer, and holds its worker up by another actor, so that the other
 * worker takes it over. There it starts a second timer, which ends in the same millisecond.
 */
#include <pthread.h>

#include <ward/testkit.h>
#include <ward/ward.h>

enum { ROUNDS = 60, HELD_UP_MS = 2, AFTER_MS = 8 };

struct ring {
	int number;
};
WARD_MESSAGE(ring);
WARD_SIGNAL(begin);
WARD_SIGNAL(go_on);
WARD_SIGNAL(hold_up);

static ward_ref blocker;
static int moved, wrong;

struct mover {
	int64_t ends_at_ms;
	pthread_t thread;
	int rounds, rings;
};

static ward_result hold_worker_up(ward_self *self, void *state, const ward_msg *msg)
{
	int64_t until_ns = ward_now_ns(self) + HELD_UP_MS * WARD_NS_PER_MS;

	(void)state;
	ward_reply(self, msg, go_on); /* who waits behind this */
	while (ward_now_ns(self) < until_ns)
		;
	return WARD_DONE;
}
static const ward_behavior blocking = {.name = "blocking", .receive = hold_worker_up};

/* The millisecond in which a timer ends that is started now, and takes no time. */
static int64_t this_ms(ward_self *self)
{
	return (ward_now_ns(self) - 1) / WARD_NS_PER_MS + 1;
}

static void start_first(ward_self *self, struct mover *me)
{
	me->rings = 0;
	me->thread = pthread_self();
	ward_after(self, 1, AFTER_MS, ring, 1);
	me->ends_at_ms = this_ms(self) + AFTER_MS;
	ward_tell(self, blocker, hold_up);
}

static void start_second(ward_self *self, struct mover *me)
{
	int64_t after_ms = me->ends_at_ms - this_ms(self);

	moved += !pthread_equal(me->thread, pthread_self());
	ward_after(self, 2, after_ms > 0 ? after_ms : 0, ring, 2);
}

static ward_result move(ward_self *self, void *state, const ward_msg *msg)
{
	struct mover *me = state;
	const struct ring *ring = ward_match(msg, ring);

	if (ward_match(msg, begin) != NULL)
		start_first(self, me);
	else if (ward_match(msg, go_on) != NULL)
		start_second(self, me);
	if (ring == NULL)
		return WARD_DONE;
	wrong += ring->number != ++me->rings;
	if (me->rings < 2)
		return WARD_DONE;
	if (++me->rounds < ROUNDS)
		start_first(self, me);
	else
		ward_stop_self(self);
	return WARD_DONE;
}
static const ward_behavior moving = {
	.name = "moving", .state_size = sizeof(struct mover), .receive = move};

WARD_TEST(timers_of_one_millisecond_keep_their_order_when_their_actor_moves)
{
	ward_kit *kit =
		ward_kit_start(&(ward_kit_options){.real_threads = true, .system.workers = 2});

	moved = wrong = 0;
	blocker = ward_kit_spawn(kit, &blocking);
	ward_ref mover = ward_kit_spawn(kit, &moving);
	ward_kit_tell(kit, mover, begin);
	ward_assert_ok(ward_system_wait_for(ward_kit_system(kit), mover, WARD_MINUTE));
	ward_assert(moved > 0);
	ward_assert_eq(wrong, 0);
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
