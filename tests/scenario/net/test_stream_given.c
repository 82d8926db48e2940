/* SPDX-License-Identifier: MIT
 *
 * test_stream_given.c - the pointer to a stream that was given away: valid, and of no use.
 */
#include "give_scene.h"

static struct {
	ward_stream *stream; /* was given away */
	ward_err write, framing, pipe, start;
	int calls;
} old;

static void give_and_keep(ward_self *self, ward_stream *stream)
{
	old.stream = stream;
	ward_stream_give(self, stream, heir.ref);
}

static bool give_and_keep_at_line(ward_self *self, ward_stream *stream, const char *text)
{
	if (strcmp(text, "give") == 0)
		give_and_keep(self, stream);
	return strcmp(text, "give") == 0;
}

/* All that is no use of it without a word. */
static void use_old(ward_self *self, ward_stream *none)
{
	char text[WARD_ADDRESS_TEXT];
	ward_frame frame = {"", 0};
	ward_stream *again;

	(void)none;
	old.calls++;
	ward_assert(!ward_stream_next(self, old.stream, NULL, &frame));
	ward_assert_eq(ward_stream_news(old.stream), 0);
	ward_stream_pause(self, old.stream);
	ward_stream_again(self, old.stream);
	ward_stream_finish(self, old.stream);
	ward_stream_close(self, old.stream);
	ward_stream_abort(self, old.stream);
	ward_assert_eq(ward_stream_unsent(old.stream), 0);
	ward_assert(!ward_stream_full(old.stream));
	ward_assert_str(ward_stream_peer(old.stream, text), "unix:");
	ward_assert(ward_stream_filter_state(old.stream, &xor_filter) == NULL);
	ward_assert(ward_frame_body(self, old.stream, &frame, &ward_type_heir_fails) == NULL);
	old.write = ward_stream_try_write(self, old.stream, "x", 1);
	old.framing = ward_try_stream_framing(self, old.stream, &lines.framing);
	old.pipe = ward_try_stream_pipe(self, old.stream, old.stream);
	old.start = ward_try_stream_start(self, ward_args(self), &lines, &again);
}

static void check_old(void)
{
	ward_assert_err(old.write, WARD_EDEAD);
	ward_assert_err(old.framing, WARD_EDEAD);
	ward_assert_err(old.pipe, WARD_EINVAL);
	ward_assert_err(old.start, WARD_ENOENT);
}

static void write_old(ward_self *self, ward_stream *none)
{
	(void)none;
	ward_stream_printf(self, old.stream, "lost\n");
}

static void give_old(ward_self *self, ward_stream *none)
{
	(void)none;
	ward_stream_give(self, old.stream, heir.ref);
}

static void begin_and_give(void)
{
	memset(&old, 0, sizeof old);
	begin(&lines);
	scene.on_give = give_and_keep;
	scene_tell(&ward_type_scene_give);
	ward_assert_eq(heir.received, 1);
}

WARD_TEST(result_after_a_give_stops_the_session, "S154")
{
	begin(&lines);
	scene.on_line = give_and_keep_at_line;
	scene_say("a\ngive\nb\n");
	ward_assert(!scene_lives());
	ward_assert_str(scene_answers(), "1.1: a\nheir 1: b\n");
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 0);
	scene_finish();
}

WARD_TEST(an_old_pointer_moves_nothing_and_harms_nobody, "S154")
{
	begin_and_give();
	scene.on_give = use_old;
	scene_tell(&ward_type_scene_give);
	check_old();
	scene_say("b\n");
	ward_assert_str(scene_answers(), "heir 1: b\n");
	ward_assert(!scene.unhandled);
	scene_finish();
}

WARD_TEST(an_old_pointer_is_valid_after_the_end_of_the_connection, "S154")
{
	begin_and_give();
	scene_hang_up();
	scene_run();
	scene.on_give = use_old;
	scene_tell(&ward_type_scene_give);
	ward_assert_eq(old.calls, 1);
	check_old();
	scene_finish();
}

WARD_TEST(a_write_to_an_old_pointer_is_a_misuse, "S154")
{
	begin_and_give();
	scene.on_give = write_old;
	scene_tell(&ward_type_scene_give);
	ward_assert_part(xor_failure(), "was given away");
	scene_say("b\n");
	ward_assert_str(scene_answers(), "heir 1: b\n");
	scene_finish();
}

WARD_TEST(a_second_give_is_a_misuse, "S154")
{
	begin_and_give();
	scene.on_give = give_old;
	scene_tell(&ward_type_scene_give);
	ward_assert_part(xor_failure(), "was given away already");
	ward_assert_eq(heir.received, 1);
	scene_say("b\n");
	ward_assert_str(scene_answers(), "heir 1: b\n");
	scene_finish();
}

WARD_TEST(an_actor_that_gave_what_came_in_a_message_goes_on, "S154")
{
	ward_ref first;

	begin(&lines);
	first = heir.ref;
	scene_say("give\na\n");
	heir.ref = ward_kit_spawn(scene.kit, &heir_behavior);
	heir.passes_on = true;
	scene_say("pass\nb\n");
	ward_assert_str(scene_answers(), "heir 1: a\nheir 1: b\n");
	ward_system_send(ward_kit_system(scene.kit), first, &ward_type_scene_other, NULL, 0);
	scene_run();
	ward_assert(ward_kit_info(scene.kit, first, &(ward_actor_info){0}));
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 0);
	scene_finish();
}

WARD_TEST_MAIN
