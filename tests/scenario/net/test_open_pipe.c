/* SPDX-License-Identifier: MIT
 *
 * test_open_pipe.c - pipes of streams that are not connected yet.
 */
#include "open_scene.h"

static const ward_stream_options raw = {.half_close = true, .connect_tries = 2};

static char first[80], second[80];

struct joiner {
	ward_stream *first, *second;
};

static ward_result joiner_init(ward_self *self, void *state, const void *args)
{
	struct joiner *me = state;

	(void)args;
	me->first = ward_stream_open(self, first, &raw);
	me->second = ward_stream_open(self, second, &raw);
	ward_stream_pipe(self, me->first, me->second);
	ward_stream_pipe(self, me->second, me->first);
	return WARD_DONE;
}

static ward_result joiner_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct joiner *me = state;
	ward_result result = ward_stream_result(self, me->first, msg);

	return result == WARD_UNHANDLED ? ward_stream_result(self, me->second, msg) : result;
}

static const ward_behavior joiner = {.name = "joiner",
				     .state_size = sizeof(struct joiner),
				     .init = joiner_init,
				     .receive = joiner_receive};

static void run(ward_kit *kit, int64_t ms)
{
	ward_kit_run(kit);
	ward_kit_advance(kit, ms);
}

WARD_TEST(pipes_wait_for_a_connection_and_pass_on_what_comes_until_then, "S142", "S151", "S152")
{
	int one = listen_at_port("127.0.0.1", 0), other = take_port("127.0.0.1", 0), left, right;
	ward_actor_info info;
	ward_kit *kit;
	ward_ref who;

	snprintf(first, sizeof first, "tcp:127.0.0.1:%u", port_of(one));
	snprintf(second, sizeof second, "tcp:127.0.0.1:%u", port_of(other));
	kit = start_kit(0, WARD_STOP);
	who = ward_kit_spawn(kit, &joiner);
	run(kit, 1);
	left = accept_it(one);
	ward_assert_eq(send(left, "early", 5, MSG_NOSIGNAL), 5);
	run(kit, 1);
	ward_assert_str(heard(left), ""); /* the other one connects: that is not an end */
	ward_assert_eq(listen(other, 4), 0);
	run(kit, 200);
	right = accept_it(other);
	run(kit, 1);
	ward_assert_str(heard(right), "early");
	ward_assert_eq(send(right, "back", 4, MSG_NOSIGNAL), 4);
	ward_assert_eq(shutdown(right, SHUT_WR), 0);
	run(kit, 1);
	ward_assert_str(heard(left), "back(end)");
	ward_assert_eq(send(left, "late", 4, MSG_NOSIGNAL), 4);
	close(left);
	run(kit, 1);
	ward_assert_str(heard(right), "late(end)");
	ward_assert(!ward_kit_info(kit, who, &info));
	ward_assert_eq(failure.count, 0);
	close(right), close(one), close(other);
	ward_kit_finish(kit);
}

WARD_TEST(a_pipe_from_a_stream_that_cannot_connect_ends_by_a_reset, "S137", "S143", "S152")
{
	int one = listen_at_port("127.0.0.1", 0), other = take_port("127.0.0.1", 0), left;
	ward_kit *kit;

	snprintf(first, sizeof first, "tcp:127.0.0.1:%u", port_of(one));
	snprintf(second, sizeof second, "tcp:127.0.0.1:%u", port_of(other));
	kit = start_kit(0, WARD_STOP);
	(void)ward_kit_spawn(kit, &joiner);
	run(kit, 1);
	left = accept_it(one);
	ward_assert_eq(send(left, "asks", 4, MSG_NOSIGNAL), 4);
	run(kit, WARD_SECOND);
	run(kit, 1);
	ward_assert_str(heard(left), "(cut)");
	ward_assert_str(failure.class_name, "ward_not_connected");
	close(left), close(one), close(other);
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
