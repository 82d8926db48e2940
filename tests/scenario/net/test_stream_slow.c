/* SPDX-License-Identifier: MIT
 *
 * test_stream_slow.c - a peer that does not read is not read either.
 */
#include "stream_scene.h"

static const ward_stream_options small = {
	.framing = WARD_LINES, .write_high = 20000, .write_low = 5000};

/* Reads all that comes until nothing does. */
static size_t swallow_all(void)
{
	size_t all = 0, got;

	do {
		scene_run();
		got = scene_swallow(1 << 20);
		all += got;
	} while (got > 0);
	return all;
}

static bool is_closed(void)
{
	ward_actor_info info = {0};

	ward_assert(ward_kit_info(scene.kit, scene.session, &info));
	return info.closed;
}

WARD_TEST(above_write_high_no_frame_is_handed_out_until_write_low, "S136")
{
	size_t at_once;

	scene_start(&small);
	scene_say("big\nbig\nbig\nlast\n");
	at_once = swallow_all();
	ward_assert_eq(at_once, 3 * SCENE_BIG + strlen("1.1: last\n"));
	ward_assert_eq(scene.news & WARD_STREAM_DRAINED, WARD_STREAM_DRAINED);
	scene_finish();
}

/* What waits goes out at the end of the callback: by then the peer has read. */
static bool fill_and_read(ward_self *self, ward_stream *stream, const char *text)
{
	static const char block[1000];
	char read[65536];

	(void)text;
	while (!ward_stream_full(stream))
		ward_stream_write(self, stream, block, sizeof block);
	while (recv(scene.peer, read, sizeof read, MSG_DONTWAIT) > 0)
		;
	return true;
}

WARD_TEST(news_of_the_end_of_a_callback_are_those_of_the_next_one, "S136")
{
	scene_start(&(ward_stream_options){.framing = WARD_LINES, .write_high = 1000});
	scene.on_line = fill_and_read;
	scene_say("fill\n");
	ward_assert_eq(scene.early, WARD_STREAM_DRAINED);
	scene_finish();
}

WARD_TEST(a_peer_that_does_not_read_is_not_read, "S136")
{
	char line[1000];
	size_t taken = 0;
	ssize_t got;

	scene_start(&small);
	scene_say("big\n");
	memset(line, 'y', sizeof line);
	line[sizeof line - 1] = '\n';
	while ((got = send(scene.peer, line, sizeof line, MSG_NOSIGNAL)) > 0) {
		taken += (size_t)got;
		scene_run();
		ward_assert(taken < 4 * 1024 * 1024);
	}
	ward_assert_eq(errno, EAGAIN);
	ward_assert(scene_lives());
	scene_finish();
}

WARD_TEST(a_slow_peer_closes_the_mailbox_where_the_options_say_so, "S136")
{
	ward_stream_options options = small;

	options.write_closes_mailbox = true;
	scene_start(&options);
	scene_say("big\n");
	scene_tell(&ward_type_scene_hello);
	scene_tell(&ward_type_scene_hello);
	ward_assert(is_closed());
	ward_assert_eq(swallow_all(), SCENE_BIG + 2 * strlen("hello\n"));
	ward_assert(!is_closed());
	scene_finish();
}

WARD_TEST(an_open_mailbox_writes_behind_what_waits, "S136")
{
	scene_start(&small);
	scene_say("big\n");
	scene_tell(&ward_type_scene_hello);
	ward_assert(!is_closed());
	ward_assert_eq(swallow_all(), SCENE_BIG + strlen("hello\n"));
	scene_finish();
}

WARD_TEST(a_peer_that_hangs_up_while_it_is_not_read_is_noticed_once, "S136")
{
	scene_start(&small);
	scene_say("pause\nb\n");
	ward_assert_str(scene_answers(), "1.1: pause\n");
	scene_hang_up();
	scene_run(); /* which would never end */
	ward_assert(scene_lives());
	scene_tell(&ward_type_scene_again);
	ward_assert(!scene_lives());
	scene_finish();
}

WARD_TEST(a_peer_that_hangs_up_after_its_end_is_noticed_once, "S136")
{
	ward_stream_options options = small;

	options.half_close = true;
	scene_start(&options);
	shutdown(scene.peer, SHUT_WR);
	scene_run();
	scene_hang_up();
	scene_run();
	ward_assert(scene_lives());
	scene_finish();
}

WARD_TEST(a_paused_stream_is_not_read_until_again, "S136")
{
	scene_start(&small);
	scene_say("a\npause\nb\n");
	ward_assert_str(scene_answers(), "1.1: a\n1.2: pause\n");
	scene_say("c\n");
	ward_assert_str(scene_answers(), "");
	scene_tell(&ward_type_scene_again);
	ward_assert_str(scene_answers(), "1.3: b\n1.4: c\n");
	scene_finish();
}

WARD_TEST(more_than_write_max_that_waits_fails, "S136")
{
	scene_start(&(ward_stream_options){
		.framing = WARD_LINES, .write_high = 20000, .write_max = 50000});
	scene_say("big\n");
	ward_assert(!scene_lives());
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 1);
	scene_finish();
}

WARD_TEST(sixty_four_frames_are_a_turn_and_the_rest_follows, "S133")
{
	char text[2000] = "", wanted[4000] = "";
	size_t used = 0, out = 0;

	for (int i = 1; i <= 200; i++) {
		used += (size_t)snprintf(text + used, sizeof text - used, "%d\n", i);
		out += (size_t)snprintf(wanted + out, sizeof wanted - out, "1.%d: %d\n", i, i);
	}
	scene_start(&small);
	scene_say(text);
	ward_assert_str(scene_answers(), wanted);
	scene_finish();
}

WARD_TEST(other_messages_have_their_turn_after_sixty_four_frames, "S133")
{
	const char *answers;

	scene_start(&small);
	for (int i = 0; i < 100; i++)
		scene_send("x\n");
	ward_kit_run(scene.kit); /* the clock stands still: the rest is put off */
	scene_tell(&ward_type_scene_hello);
	answers = scene_answers();
	ward_assert(strstr(answers, "1.64: x\nhello\n") != NULL);
	ward_assert(strstr(answers, "1.100: x\n") != NULL);
	scene_finish();
}

WARD_TEST(a_framing_changes_between_two_frames, "S133")
{
	scene_start(&small);
	scene.framing = (ward_framing)WARD_PREFIX(1);
	ward_assert_eq(send(scene.peer, "a\nframing\n\3one\3two\0\5", 20, MSG_NOSIGNAL), 20);
	scene_run();
	ward_assert_eq(send(scene.peer, "three", 5, MSG_NOSIGNAL), 5);
	scene_run();
	ward_assert_str(scene.pieces, "|one|two||three");
	scene_finish();
}

WARD_TEST(counted_bytes_come_in_pieces_and_their_end_is_news, "S133")
{
	scene_start(&small);
	scene.framing = (ward_framing)WARD_COUNTED(6);
	scene_say("framing\nabc");
	ward_assert_eq(scene.news & WARD_STREAM_COUNTED, 0);
	scene_say("defgh");
	ward_assert_str(scene.pieces, "|abc|def");
	ward_assert_eq(scene.news & WARD_STREAM_COUNTED, WARD_STREAM_COUNTED);
	scene_finish();
}

WARD_TEST(end_of_counted_bytes_is_news_also_at_the_last_frame_of_a_turn, "S133")
{
	static const ward_stream_options one = {.framing = WARD_LINES, .frames_per_turn = 1};

	scene_start(&one);
	scene.framing = (ward_framing)WARD_COUNTED(3);
	scene_say("framing\nabc");
	ward_assert_str(scene.pieces, "|abc");
	ward_assert_eq(scene.news & WARD_STREAM_COUNTED, WARD_STREAM_COUNTED);
	scene_finish();
}

/* Such as after the answer of another actor, who was asked about the head. */
WARD_TEST(a_framing_that_is_set_in_another_callback_finds_what_was_read_already, "S133")
{
	scene_start(&small);
	scene.framing = (ward_framing)WARD_COUNTED(3);
	scene_say("framing\nabcone\ntwo\n");
	ward_assert_str(scene.pieces, "|abc");
	scene.framing = (ward_framing)WARD_LINES;
	scene_tell(&ward_type_scene_frame);
	ward_assert_str(scene.pieces, "|abc|one|two");
	scene_finish();
}

WARD_TEST_MAIN
