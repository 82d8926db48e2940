/* SPDX-License-Identifier: MIT
 *
 * test_reprocessing.c - three ways to handle again what has failed (S109): those of the example
 * 16-reprocessing, which are built into this program.
 *
 * Method: the wire has its weather in a text, a letter for each packet, and keeps a log: "1x 1" is
 * a packet that was lost at first. Time is virtual.
 */
#include <string.h>

#include <ward/testkit.h>

#include "16-reprocessing/network.h"

static struct {
	ward_kit *kit;
	ward_ref network;
	struct wire wire;
	ward_probe *a, *b;
} rig;

/* The network at the top, where this strategy decides; and two who send. */
static void open_rig(const ward_behavior *behavior, const char *weather,
		     const ward_strategy *strategy)
{
	memset(&rig, 0, sizeof rig);
	rig.wire.weather = weather;
	rig.kit = ward_kit_start(&(ward_kit_options){.system.user_strategy = strategy});
	rig.a = ward_probe_start(rig.kit, "a");
	rig.b = ward_probe_start(rig.kit, "b");
	rig.network = ward_kit_spawn(rig.kit, behavior, .name = "network",
				     .args = WARD_ARGS(wire_args, &rig.wire));
	ward_kit_run(rig.kit);
}

static void send_packets(ward_self *self, void *arg)
{
	(void)arg;
	for (int id = 1; id <= 3; id++)
		ward_tell(self, rig.network, packet, .id = id);
}

/* From `a`, and all at once: the others wait while the first is handled. */
static void send_three(void)
{
	ward_probe_do(rig.a, send_packets, NULL);
	ward_kit_run(rig.kit);
}

static void expect_sent(ward_probe *by, int id)
{
	ward_assert_eq(ward_expect(by, WARD_SECOND, packet_sent)->id, id);
}

#define assert_wire(text_) ward_assert_str(rig.wire.log, text_)

static const ward_strategy restarting = {.otherwise = WARD_RESTART};
static const ward_strategy twice = {.otherwise = WARD_RESTART, .restarts_max = 2};
static const ward_strategy resuming = {.otherwise = WARD_RESUME};
static const ward_strategy stopping = {.otherwise = WARD_STOP};

/* ---- again from pre_restart, and from post_restart ------------------------------------------ */

static void is_sent_again(const ward_behavior *behavior)
{
	open_rig(behavior, "x", &restarting);
	send_three();
	assert_wire("1x 2 3 1"); /* behind what waited: the order is another one */
	expect_sent(rig.a, 2);
	expect_sent(rig.a, 3);
	expect_sent(rig.a, 1);
	ward_assert(ward_ref_equal(ward_probe_sender(rig.a), rig.network));
	ward_assert_eq(ward_kit_count(rig.kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
	ward_kit_finish(rig.kit);
}

WARD_TEST(what_failed_is_sent_again_from_pre_restart_behind_the_others, "S109")
{
	is_sent_again(&network_before);
}

WARD_TEST(what_failed_is_sent_again_from_post_restart_out_of_the_failure, "S109")
{
	is_sent_again(&network_after);
}

/* Again and again, as long as the limit allows. */
static void fails_until_the_limit(const ward_behavior *behavior)
{
	open_rig(behavior, "xxx.", &twice);
	ward_probe_tell(rig.a, rig.network, packet, .id = 1);
	ward_kit_run(rig.kit);
	assert_wire("1x 1x 1x");
	ward_expect_none(rig.a, WARD_MINUTE);
	ward_assert_state(rig.kit, rig.network, WARD_STATE_GONE);
	ward_kit_finish(rig.kit);
}

WARD_TEST(what_is_sent_again_from_pre_restart_is_lost_at_the_limit, "S109")
{
	fails_until_the_limit(&network_before);
}

WARD_TEST(what_is_sent_again_from_post_restart_is_lost_at_the_limit, "S109")
{
	fails_until_the_limit(&network_after);
}

/* It is sound under a restart only. */
static void is_lost(const ward_behavior *behavior, const ward_strategy *strategy, const char *log)
{
	open_rig(behavior, "x", strategy);
	send_three();
	assert_wire(log);
	for (int id = 2; id <= 3 && strategy == &resuming; id++)
		expect_sent(rig.a, id);
	ward_expect_none(rig.a, WARD_MINUTE);
	ward_kit_finish(rig.kit);
}

WARD_TEST(what_failed_is_lost_when_the_parent_does_not_restart, "S109")
{
	is_lost(&network_before, &resuming, "1x 2 3");
	is_lost(&network_after, &resuming, "1x 2 3");
	is_lost(&network_before, &stopping, "1x");
	is_lost(&network_after, &stopping, "1x");
}

static const ward_strategy all_restarting = {.scope = WARD_ALL_FOR_ONE, .otherwise = WARD_RESTART};

/* A sibling is told the failure, too, and has the same hooks; but it was not its packet. */
static void sibling_sends_nothing(const ward_behavior *behavior)
{
	struct wire other = {.weather = ""};

	open_rig(behavior, "x", &all_restarting);
	ward_ref sibling = ward_kit_spawn(rig.kit, behavior, .args = WARD_ARGS(wire_args, &other));
	ward_kit_run(rig.kit);
	ward_probe_tell(rig.b, rig.network, packet, .id = 1);
	ward_kit_run(rig.kit);
	assert_wire("1x 1");
	ward_assert_str(other.log, "");
	ward_actor_info info;
	ward_assert(ward_kit_info(rig.kit, sibling, &info));
	ward_assert_eq(info.restarts, 1);
	expect_sent(rig.b, 1);
	ward_kit_finish(rig.kit);
}

WARD_TEST(sibling_that_is_restarted_too_sends_nothing_again, "S109")
{
	sibling_sends_nothing(&network_before);
	sibling_sends_nothing(&network_after);
}

/* ---- a command that failed, and the reliable sender ----------------------------------------- */

WARD_TEST(network_says_what_failed_and_goes_on, "S109")
{
	open_rig(&network_unreliable, "x", &stopping);
	send_three();
	ward_assert_eq(ward_expect(rig.a, 0, command_failed)->id, 1);
	expect_sent(rig.a, 2);
	expect_sent(rig.a, 3);
	ward_assert_eq(ward_kit_count(rig.kit, WARD_EVENT_FAILURE, "*"), 0);
	ward_kit_finish(rig.kit);
}

WARD_TEST(reliable_sender_keeps_the_order_with_one_in_flight, "S109")
{
	open_rig(&network_reliable, "xx.x", &stopping);
	send_three();
	assert_wire("1x"); /* the others are not tried before it is through */
	ward_probe_tell(rig.b, rig.network, packet, .id = 4);
	ward_kit_advance(rig.kit, WARD_SECOND);
	assert_wire("1x 1x 1 2x 2 3 4");
	for (int id = 1; id <= 3; id++)
		expect_sent(rig.a, id);
	ward_assert(ward_ref_equal(ward_probe_sender(rig.a), rig.network));
	expect_sent(rig.b, 4); /* who sent it, not who sent the one before */
	ward_assert_eq(ward_kit_stats(rig.kit).timers, 0);
	ward_kit_finish(rig.kit);
}

WARD_TEST(reliable_sender_tries_again_when_nothing_is_heard, "S109")
{
	open_rig(&network_reliable, "o", &stopping);
	send_three();
	ward_kit_advance(rig.kit, 499);
	assert_wire("1o");
	ward_kit_advance(rig.kit, 21);
	assert_wire("1o 1 2 3");
	for (int id = 1; id <= 3; id++)
		expect_sent(rig.a, id);
	ward_kit_finish(rig.kit);
}

WARD_TEST(reliable_sender_that_is_restarted_tells_of_the_one_in_flight, "S109")
{
	open_rig(&network_reliable, "x", &restarting);
	send_three();
	ward_kit_tell(rig.kit, rig.network, ward_kill);
	ward_kit_advance(rig.kit, WARD_SECOND);
	ward_assert_eq(ward_expect(rig.a, 0, command_failed)->id, 1);
	expect_sent(rig.a, 2);
	expect_sent(rig.a, 3);
	assert_wire("1x 2 3");
	ward_kit_finish(rig.kit);
}

WARD_TEST(reliable_sender_says_that_it_has_no_room, "S109")
{
	open_rig(&network_unreliable, "", &stopping);
	rig.network = ward_kit_spawn(rig.kit, &network_reliable, .stash_max = 1,
				     .args = WARD_ARGS(wire_args, &rig.wire));
	rig.wire.weather = "o";
	send_three();
	ward_assert_eq(ward_expect(rig.a, 0, command_failed)->id, 3);
	ward_kit_advance(rig.kit, WARD_SECOND);
	expect_sent(rig.a, 1);
	expect_sent(rig.a, 2);
	assert_wire("1o 1 2");
	ward_kit_finish(rig.kit);
}

WARD_TEST_MAIN
