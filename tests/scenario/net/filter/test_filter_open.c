/* SPDX-License-Identifier: MIT
 *
 * test_filter_open.c - a stream with a filter that its actor opens, to a listener of the test.
 */
#include <sys/un.h>

#include "xor_peer.h"

static const struct xor_options says_word = {.word = "sesame"}, listens;

static struct {
	ward_stream_options options;
	ward_err refused;
	uint32_t news;
	char got[100];
	int listener;
	char address[128];
} opened;

struct caller {
	ward_stream *stream;
};

static ward_result caller_init(ward_self *self, void *state, const void *args)
{
	struct caller *me = state;

	(void)args;
	opened.refused = ward_try_stream_open(self, opened.address, &opened.options, &me->stream);
	if (opened.refused == WARD_OK)
		scene.stream = me->stream;
	ward_stream_printf(self, me->stream, "early\n");
	return WARD_DONE;
}

static ward_result caller_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct caller *me = state;
	ward_result result;
	ward_frame line;

	if (ward_match(msg, scene_close)) {
		ward_stream_close(self, me->stream);
		return WARD_DONE;
	}
	while (ward_stream_next(self, me->stream, msg, &line))
		snprintf(opened.got, sizeof opened.got, "%.*s", WARD_TEXT(line));
	result = ward_stream_result(self, me->stream, msg);
	opened.news |= ward_stream_news(me->stream);
	return result;
}

static const ward_behavior caller = {.name = "caller",
				     .state_size = sizeof(struct caller),
				     .init = caller_init,
				     .receive = caller_receive};

static void begin(const ward_stream_options *options)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};

	memset(&opened, 0, sizeof opened);
	opened.options = *options;
	snprintf(at.sun_path, sizeof at.sun_path, "/tmp/ward-filter-%d", (int)getpid());
	unlink(at.sun_path);
	opened.listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	ward_assert_eq(bind(opened.listener, (struct sockaddr *)&at, sizeof at), 0);
	ward_assert_eq(listen(opened.listener, 4), 0);
	snprintf(opened.address, sizeof opened.address, "unix:%s", at.sun_path);
	scene = (struct scene){.peer = -1};
	scene.strategy.otherwise = WARD_STOP;
	scene.kit = ward_kit_start(&(ward_kit_options){
		.may_leave_mail = true, .system = {.user_strategy = &scene.strategy}});
	scene.session = ward_kit_spawn(scene.kit, &caller);
	scene_run();
	scene_run();
}

/* The test is the side that listens. */
static void take(void)
{
	scene.peer = accept4(opened.listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	ward_assert(scene.peer >= 0);
	xor_begin(&listens, SIZE_MAX);
}

static void end(void)
{
	close(opened.listener);
	unlink(opened.address + strlen("unix:"));
	xor_finish();
}

static const ward_stream_options lines = {
	.framing = WARD_LINES, .filter = &xor_filter, .filter_options = &says_word};

WARD_TEST(an_opened_stream_is_open_when_its_handshake_is_over, "S142", "S160")
{
	begin(&lines);
	take();
	ward_assert_eq(opened.news, 0);
	ward_assert(ward_stream_unsent(scene.stream) >= 6);
	xor_run(SIZE_MAX);
	ward_assert_eq(opened.news, WARD_STREAM_OPENED);
	ward_assert_str(xor_answers(), "early\n");
	xor_say("late\n");
	ward_assert_str(opened.got, "late");
	scene_tell(&ward_type_scene_close);
	xor_run(SIZE_MAX);
	ward_assert_str(xor_answers(), "(E)(end)");
	end();
}

WARD_TEST(the_first_frame_of_an_opened_stream_waits_no_longer_with_a_handshake, "S142", "S162")
{
	ward_stream_options limited = lines;

	limited.first_ms = 1000;
	begin(&limited);
	take();
	ward_kit_advance(scene.kit, 900);
	ward_assert(scene_lives());
	ward_kit_advance(scene.kit, 400);
	ward_assert(!scene_lives());
	ward_assert_part(xor_failure(), "ward_peer_idle");
	ward_assert_eq(opened.news, 0);
	end();
}

WARD_TEST(a_handshake_of_an_opened_stream_that_is_cut_off_never_was_open, "S142", "S161")
{
	begin(&lines);
	take();
	scene_hang_up();
	scene_run();
	ward_assert(!scene_lives());
	ward_assert_eq(opened.news, 0);
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 1);
	end();
}

WARD_TEST(options_that_a_filter_refuses_open_nothing, "S142", "S160")
{
	const struct xor_options none = {.refuses = true};
	ward_stream_options refused = lines;

	refused.filter_options = &none;
	begin(&refused);
	ward_assert_eq(opened.refused, WARD_EINVAL);
	ward_assert(accept(opened.listener, NULL, NULL) < 0);
	end();
}

WARD_TEST_MAIN
