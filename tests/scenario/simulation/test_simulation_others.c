/* SPDX-License-Identifier: MIT
 *
 * test_simulation_others.c - a simulated system lets others move before its turns and before its
 * clock moves, also in calls that wait.
 *
 * Method: two plain systems on one thread; the function of the first moves the second.
 */
#include <ward/simulation.h>
#include <ward/testkit.h>
#include <ward/ward.h>

enum { KEY = 1, MS = 1000000 };

WARD_SIGNAL(ping);
WARD_SIGNAL(pong);

static struct pair {
	ward_kit *here, *there;
	ward_ref here_ref, there_ref;
	bool moving;
	uint32_t calls;
	uint32_t pings;
	int64_t last_until_ns;
} pair;

/* Steps the other system, and takes its clock along. */
static bool move_there(void *arg, int64_t until_ns)
{
	ward_system *there = ward_kit_system(pair.there);

	(void)arg;
	pair.calls++;
	pair.last_until_ns = until_ns;
	if (ward_simulation_step(there))
		return true;
	int64_t next_ns = ward_simulation_next_ns(there);
	if (next_ns > until_ns)
		return false;
	return next_ns != INT64_MAX && ward_simulation_advance(there, next_ns);
}

static ward_result there_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	pair.pings++;
	if (ward_match(msg, ping))
		ward_after(self, KEY, 40, pong);
	else
		ward_system_tell(ward_kit_system(pair.here), pair.here_ref, pong);
	return WARD_DONE;
}
static const ward_behavior there = {.name = "there", .receive = there_receive};

static ward_ref asker;

static ward_result here_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (ward_match(msg, ping)) {
		asker = ward_msg_sender(msg);
		ward_system_tell(ward_kit_system(pair.there), pair.there_ref, ping);
	} else {
		ward_tell(self, asker, pong);
	}
	return WARD_DONE;
}
static const ward_behavior here = {.name = "here", .receive = here_receive};

static void start(void)
{
	pair = (struct pair){.here = ward_kit_start(NULL), .there = ward_kit_start(NULL)};
	pair.here_ref = ward_kit_spawn(pair.here, &here);
	pair.there_ref = ward_kit_spawn(pair.there, &there);
	ward_kit_run(pair.here);
	ward_kit_run(pair.there);
	ward_assert(ward_simulation_others(ward_kit_system(pair.here), move_there, NULL));
}

static void finish(void)
{
	ward_assert(ward_simulation_others(ward_kit_system(pair.here), NULL, NULL));
	ward_kit_finish(pair.here);
	ward_kit_finish(pair.there);
}

WARD_TEST(call_that_waits_moves_the_other_system_whose_answer_it_needs)
{
	unsigned char answer;

	start();
	ward_assert_ok(ward_system_ask_send(ward_kit_system(pair.here), pair.here_ref, 1000,
					    &ward_type_pong, &answer, &ward_type_ping, NULL, 0));
	ward_assert_eq(pair.pings, 2);
	ward_assert_eq(ward_simulation_now_ns(ward_kit_system(pair.there)), 40 * MS);
	finish();
}

WARD_TEST(time_of_the_next_event_is_that_of_the_next_timer)
{
	start();
	ward_assert(ward_simulation_next_ns(ward_kit_system(pair.there)) == INT64_MAX);
	ward_kit_tell(pair.there, pair.there_ref, ping);
	ward_kit_run(pair.there);
	ward_assert_eq(ward_simulation_next_ns(ward_kit_system(pair.there)), 40 * MS);
	ward_kit_advance(pair.here, 30);
	ward_assert_eq(pair.last_until_ns, 30 * MS);
	ward_assert_eq(pair.pings, 1);
	finish();
}

WARD_TEST(function_is_not_called_any_longer_when_it_is_taken_away)
{
	start();
	ward_kit_advance(pair.here, 1);
	uint32_t calls = pair.calls;
	ward_assert(calls > 0);
	ward_assert(ward_simulation_others(ward_kit_system(pair.here), NULL, NULL));
	ward_kit_advance(pair.here, 1);
	ward_assert_eq(pair.calls, calls);
	finish();
}

WARD_TEST(system_on_threads_has_no_others)
{
	ward_kit *kit = ward_kit_start(&(ward_kit_options){.real_threads = true});

	ward_assert(!ward_simulation_others(ward_kit_system(kit), move_there, NULL));
	ward_assert(ward_simulation_next_ns(ward_kit_system(kit)) == INT64_MAX);
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
