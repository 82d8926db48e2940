/* SPDX-License-Identifier: MIT
 *
 * test_loop_of_program.c - what a driven system owes to the loop around it: it says when it has
 * ended, and gives the thread back in time.
 *
 * Method: the loop is poll() on the descriptor, which does not wait: what there is to do must show
 * at once.
 */
#include <poll.h>

#include <ward/loop.h>
#include <ward/testkit.h>
#include <ward/ward.h>

enum { SLOW_MS = 2 /* longer than a call polls */, SLOW_COUNT = 16 };

WARD_SIGNAL(begin);
WARD_SIGNAL(end);

static void create(ward_system **ret_system)
{
	ward_assert_ok(ward_system_create(&(ward_options){.driven = true}, ret_system));
}

static void destroy(ward_system *system)
{
	ward_assert_ok(ward_system_destroy(system, WARD_MINUTE));
}

static bool is_readable(ward_system *system)
{
	struct pollfd fd = {.fd = ward_system_fd(system), .events = POLLIN};

	return poll(&fd, 1, 0) == 1;
}

static ward_ref spawn(ward_system *system, const ward_behavior *behavior)
{
	ward_ref who;

	ward_assert_ok(ward_system_spawn(system, WARD_PROPS(behavior), &who));
	return who;
}

/* ---- the end ----------------------------------------------------------------------------- */

static ward_result end_system(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (ward_match(msg, end) == NULL)
		return WARD_UNHANDLED;
	ward_system_shutdown(ward_self_system(self), NULL);
	return WARD_DONE;
}

static const ward_behavior ender = {.name = "ender", .receive = end_system};

WARD_TEST(loop_is_woken_by_the_end_of_the_system)
{
	ward_system *system;
	ward_err err;
	create(&system);

	ward_system_tell(system, spawn(system, &ender), end);
	do {
		ward_assert(is_readable(system));
		err = ward_system_poll(system, 0);
	} while (err == WARD_OK);
	ward_assert_eq(err, WARD_ESTOPPING);
	ward_assert(is_readable(system));
	destroy(system);
}

WARD_TEST(loop_is_woken_by_an_end_that_another_call_has_awaited)
{
	ward_system *system;
	create(&system);

	ward_system_tell(system, spawn(system, &ender), end);
	ward_assert_ok(ward_system_wait(system, WARD_MINUTE));
	ward_assert(is_readable(system));
	ward_assert_eq(ward_system_poll(system, 0), WARD_ESTOPPING);
	destroy(system);
}

/* ---- the time of a poll ------------------------------------------------------------------ */

static int slow_count;

static ward_result take_long(ward_self *self, void *state, const ward_msg *msg)
{
	int64_t until_ns = ward_now_ns(self) + SLOW_MS * WARD_NS_PER_MS;

	(void)state;
	if (ward_match(msg, begin) == NULL)
		return WARD_UNHANDLED;
	slow_count++;
	while (ward_now_ns(self) < until_ns)
		;
	return WARD_DONE;
}

static const ward_behavior slow = {.name = "slow", .receive = take_long};

/* Polls until something slow was done. */
static void poll_until_slow(ward_system *system)
{
	slow_count = 0;
	while (slow_count == 0) {
		ward_assert(is_readable(system));
		ward_assert_ok(ward_system_poll(system, 0));
	}
}

WARD_TEST(loop_is_held_up_by_one_slow_actor_at_a_time)
{
	ward_ref who[SLOW_COUNT];
	ward_system *system;
	create(&system);

	for (int i = 0; i < SLOW_COUNT; i++)
		who[i] = spawn(system, &slow);
	for (int i = 0; i < SLOW_COUNT; i++)
		ward_system_tell(system, who[i], begin);
	poll_until_slow(system);
	ward_assert_eq(slow_count, 1);
	ward_assert(is_readable(system));
	destroy(system);
}

WARD_TEST(loop_is_held_up_by_one_slow_message_at_a_time)
{
	ward_system *system;
	create(&system);
	ward_ref who = spawn(system, &slow);

	for (int i = 0; i < SLOW_COUNT; i++)
		ward_system_tell(system, who, begin);
	poll_until_slow(system);
	ward_assert_eq(slow_count, 1);
	ward_assert(is_readable(system));
	destroy(system);
}

WARD_TEST_MAIN
