/* SPDX-License-Identifier: MIT
 *
 * test_dead_letter_log.c - the log is given some dead letters and messages that were not handled,
 * subscribers all of them (S82).
 *
 * Method: a kit whose log is the test's, with options that say how many; letters to nobody, and to
 * one who handles none, in virtual time. What the log hears is counted, and its last line kept.
 */
#include <string.h>

#include "support/family_tree.h"

struct ear {
	size_t letters, unhandled, others;
	char last[512];
};

static void hear(void *arg, const ward_event *event)
{
	struct ear *ear = arg;

	ear->letters += event->kind == WARD_EVENT_DEAD_LETTER;
	ear->unhandled += event->kind == WARD_EVENT_UNHANDLED;
	if ((event->kind & (WARD_EVENT_DEAD_LETTER | WARD_EVENT_UNHANDLED)) == 0) {
		ear->others++;
		return;
	}
	ward_event_format(event, ear->last, sizeof(ear->last));
}

static size_t listener_heard;

static ward_result listen(ward_self *self, const ward_msg *msg)
{
	const struct ward_event *event = ward_match(msg, ward_event);

	(void)self;
	if (event == NULL)
		return WARD_UNHANDLED;
	ward_assert_str(event->text, event->kind == WARD_EVENT_UNHANDLED
					     ? ""
					     : ward_reason_text(WARD_REASON_NOBODY));
	listener_heard++;
	return WARD_DONE;
}

static ward_result subscribe(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert_ok(ward_try_subscribe(self, WARD_EVENT_DEAD_LETTER | WARD_EVENT_UNHANDLED));
	return WARD_DONE;
}

struct story {
	ward_kit *kit;
	struct ear ear;
	struct script listener;
	ward_ref deaf; /* handles nothing */
};

static ward_result handle_nothing(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self, (void)state, (void)msg;
	return WARD_UNHANDLED;
}
static const ward_behavior deaf = {.name = "deaf", .receive = handle_nothing};

static void start(struct story *s, ward_options options)
{
	memset(s, 0, sizeof(*s));
	s->listener = (struct script){.name = "listener", .receive = listen};
	s->kit = script_start(&(ward_kit_options){
		.system = options, .log = hear, .log_arg = &s->ear, .keeps_no_events = true});
	listener_heard = 0;
	script_spawn(s->kit, &s->listener);
	script_do(s->kit, s->listener.ref, subscribe, NULL);
	s->deaf = ward_kit_spawn(s->kit, &deaf, .name = "deaf");
	ward_kit_run(s->kit);
}

static void lose(struct story *s, int count)
{
	for (int i = 0; i < count; i++)
		script_say(s->kit, ward_nobody(), "lost");
	ward_kit_run(s->kit);
}

static void leave_unhandled(struct story *s, int count)
{
	for (int i = 0; i < count; i++)
		script_say(s->kit, s->deaf, "unheard");
	ward_kit_run(s->kit);
}

WARD_TEST(nth_dead_letter_says_that_no_more_are_logged, "S82")
{
	struct story s;
	start(&s, (ward_options){.dead_letters_logged = 3});
	lose(&s, 2);
	ward_assert(strstr(s.ear.last, "no more") == NULL);
	lose(&s, 1);
	ward_assert_part(s.ear.last, "; no more dead letters will be logged for 5 min");
	lose(&s, 10);
	ward_assert_eq(s.ear.letters, 3);
	ward_assert_eq(listener_heard, 13);
	script_finish(s.kit);
}

WARD_TEST(length_of_the_pause_is_shown_without_zeros, "S82")
{
	static const struct {
		int64_t ms;
		const char *text;
	} pauses[] = {{1, "for 0.001 s, nor"},      {250, "for 0.25 s, nor"},
		      {3000, "for 3 s, nor"},       {10050, "for 10.05 s, nor"},
		      {60000, "for 1 min, nor"},    {90000, "for 90 s, nor"},
		      {3600000, "for 60 min, nor"}, {60001, "for 60.001 s, nor"}};

	for (size_t i = 0; i < sizeof pauses / sizeof pauses[0]; i++) {
		struct story s;
		start(&s, (ward_options){.dead_letters_logged = 1,
					 .dead_letters_pause_ms = pauses[i].ms});
		lose(&s, 1);
		ward_assert_part(s.ear.last, pauses[i].text);
		script_finish(s.kit);
	}
}

WARD_TEST(after_the_pause_the_first_says_how_many_were_not, "S82")
{
	struct story s;
	start(&s, (ward_options){.dead_letters_logged = 2, .dead_letters_pause_ms = 1500});
	lose(&s, 2);
	ward_assert_part(s.ear.last, "for 1.5 s");
	lose(&s, 7);
	ward_kit_advance(s.kit, 1499);
	lose(&s, 1);
	ward_assert_eq(s.ear.letters, 2);
	ward_kit_advance(s.kit, 1);
	ward_assert_eq(s.ear.letters, 2); /* nothing by itself */
	lose(&s, 1);
	ward_assert_eq(s.ear.letters, 3);
	ward_assert_part(s.ear.last, "; 8 before it were not logged");
	/* and from there on as at the start */
	lose(&s, 2);
	ward_assert_eq(s.ear.letters, 5);
	ward_assert_part(s.ear.last, "no more dead letters");
	lose(&s, 1);
	ward_kit_advance(s.kit, 1500);
	lose(&s, 1);
	ward_assert_eq(s.ear.letters, 6);
	ward_assert_part(s.ear.last, "; 1 before it were not logged");
	ward_assert_eq(listener_heard, 15);
	script_finish(s.kit);
}

WARD_TEST(one_may_be_logged_in_each_pause, "S82")
{
	struct story s;
	start(&s, (ward_options){.dead_letters_logged = 1, .dead_letters_pause_ms = 1000});
	lose(&s, 5);
	ward_assert_eq(s.ear.letters, 1);
	ward_kit_advance(s.kit, 1000);
	lose(&s, 1);
	ward_assert_part(s.ear.last, "; 4 before it were not logged");
	lose(&s, 1);
	ward_assert_part(s.ear.last, "no more");
	ward_assert_eq(s.ear.letters, 3);
	script_finish(s.kit);
}

WARD_TEST(pause_may_last_for_ever, "S82")
{
	struct story s;
	start(&s, (ward_options){.dead_letters_logged = 1, .dead_letters_pause_ms = WARD_FOREVER});
	lose(&s, 1);
	ward_assert_part(s.ear.last, "; no more dead letters will be logged");
	ward_assert(strstr(s.ear.last, "logged for") == NULL);
	ward_kit_advance(s.kit, INT64_C(1000) * 24 * 60 * WARD_MINUTE);
	lose(&s, 1);
	ward_assert_eq(s.ear.letters, 1);
	script_finish(s.kit);
}

WARD_TEST(all_or_none_may_be_logged, "S82")
{
	struct story s;
	start(&s, (ward_options){.dead_letters_logged = WARD_DEAD_LETTERS_ALL});
	lose(&s, 50);
	ward_assert_eq(s.ear.letters, 50);
	ward_assert(strstr(s.ear.last, "no more") == NULL);
	script_finish(s.kit);
	start(&s, (ward_options){.dead_letters_logged = WARD_DEAD_LETTERS_NONE});
	lose(&s, 50);
	ward_assert_eq(s.ear.letters, 0);
	ward_assert_eq(listener_heard, 50);
	script_finish(s.kit);
}

WARD_TEST(unhandled_messages_and_dead_letters_are_logged_up_to_one_limit, "S82", "S83")
{
	struct story s;
	start(&s, (ward_options){.dead_letters_logged = 4});
	leave_unhandled(&s, 2);
	ward_assert_str(s.ear.last, "unhandled: script_word to sim/user/deaf");
	lose(&s, 1);
	leave_unhandled(&s, 1);
	ward_assert_str(s.ear.last, "unhandled: script_word to sim/user/deaf; no more dead letters "
				    "will be logged for 5 min, nor unhandled messages");
	leave_unhandled(&s, 20);
	lose(&s, 20);
	ward_assert_eq(s.ear.unhandled, 3);
	ward_assert_eq(s.ear.letters, 1);
	ward_assert_eq(listener_heard, 44);
	script_finish(s.kit);
}

WARD_TEST(unhandled_message_after_the_pause_says_how_many_were_not_logged, "S82", "S83")
{
	struct story s;
	start(&s, (ward_options){.dead_letters_logged = 2, .dead_letters_pause_ms = 1500});
	lose(&s, 5);
	leave_unhandled(&s, 4);
	ward_assert_eq(s.ear.unhandled, 0);
	ward_kit_advance(s.kit, 1500);
	leave_unhandled(&s, 1);
	ward_assert_str(s.ear.last,
			"unhandled: script_word to sim/user/deaf; 7 before it were not logged");
	ward_assert_eq(s.ear.unhandled, 1);
	script_finish(s.kit);
}

WARD_TEST(all_or_none_of_the_unhandled_may_be_logged, "S82", "S83")
{
	struct story s;
	start(&s, (ward_options){.dead_letters_logged = WARD_DEAD_LETTERS_ALL});
	leave_unhandled(&s, 50);
	ward_assert_eq(s.ear.unhandled, 50);
	ward_assert_str(s.ear.last, "unhandled: script_word to sim/user/deaf");
	script_finish(s.kit);
	start(&s, (ward_options){.dead_letters_logged = WARD_DEAD_LETTERS_NONE});
	leave_unhandled(&s, 50);
	ward_assert_eq(s.ear.unhandled, 0);
	ward_assert_eq(listener_heard, 50);
	script_finish(s.kit);
}

static ward_result tell_service(ward_self *self, void *arg)
{
	script_tell(self, *(const ward_ref *)arg, "late");
	return WARD_DONE;
}

/* A service that handles nothing, and misses nothing that was sent before /user ended. */
static ward_result wait_for_user(ward_self *self, void *state)
{
	(void)state;
	ward_shutdown_join(self, WARD_PHASE_SERVICES, "read all");
	return WARD_DONE;
}

static ward_result handle_the_end(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (ward_match(msg, ward_shutdown_task) == NULL)
		return WARD_UNHANDLED;
	return ward_reply(self, msg, ward_shutdown_done);
}
static const ward_behavior deaf_service = {
	.name = "deaf", .receive = handle_the_end, .pre_start = wait_for_user};

static size_t unhandled_at_shutdown(bool at_shutdown)
{
	struct story s;
	ward_ref service;
	struct script a = {.name = "a", .post_stop = tell_service, .arg = &service};
	start(&s, (ward_options){.dead_letters_logged = WARD_DEAD_LETTERS_ALL,
				 .dead_letters_at_shutdown = at_shutdown});
	ward_assert_ok(ward_system_spawn_service(ward_kit_system(s.kit), WARD_PROPS(&deaf_service),
						 &service));
	script_spawn(s.kit, &a);
	ward_system_shutdown(ward_kit_system(s.kit), NULL);
	ward_kit_run(s.kit);
	ward_assert_eq(ward_kit_stats(s.kit).unhandled, 1);
	script_finish(s.kit);
	return s.ear.unhandled;
}

WARD_TEST(unhandled_message_in_a_shutdown_is_logged_if_dead_letters_are, "S82", "S83")
{
	ward_assert_eq(unhandled_at_shutdown(false), 0);
	ward_assert_eq(unhandled_at_shutdown(true), 1);
}

static ward_result lose_at_the_end(ward_self *self, void *arg)
{
	(void)arg;
	script_tell(self, ward_nobody(), "late");
	return WARD_DONE;
}

/* How many the log hears in a shutdown. */
static size_t heard_at_shutdown(bool at_shutdown, bool by_stop)
{
	struct story s;
	struct script a = {.name = "a", .post_stop = lose_at_the_end};
	start(&s, (ward_options){.dead_letters_logged = WARD_DEAD_LETTERS_ALL,
				 .dead_letters_at_shutdown = at_shutdown});
	script_spawn(s.kit, &a);
	lose(&s, 1);
	ward_assert_eq(s.ear.letters, 1);
	if (by_stop) { /* the guardian ends of itself */
		ward_system_select_tell(ward_kit_system(s.kit), "/user", ward_poison_pill);
		ward_kit_run(s.kit);
	} else {
		ward_system_shutdown(ward_kit_system(s.kit), NULL);
		ward_kit_run(s.kit);
	}
	ward_assert(ward_kit_stats(s.kit).dead_letters >= 2);
	script_finish(s.kit);
	return s.ear.letters - 1;
}

WARD_TEST(log_is_off_during_shutdown_unless_it_is_wanted, "S82")
{
	ward_assert_eq(heard_at_shutdown(false, false), 0);
	ward_assert_eq(heard_at_shutdown(false, true), 0);
	ward_assert_eq(heard_at_shutdown(true, false), 1);
	ward_assert_eq(heard_at_shutdown(true, true), 1);
}

/* Without a kit, so that the defaults are the system's. */
WARD_TEST(ten_are_logged_by_default_and_nothing_else_is_left_out, "S82", "S81")
{
	static const ward_simulation plain;
	static const ward_type quiet = {.name = "quiet", .flags = WARD_TYPE_QUIET};
	struct ear ear = {0};
	ward_system *system;
	ward_assert_ok(ward_system_create(
		&(ward_options){.simulation = &plain, .log = hear, .log_arg = &ear}, &system));
	for (int i = 0; i < 30; i++) {
		ward_system_tell(system, ward_nobody(), ward_kill);
		ward_system_send(system, ward_nobody(), &quiet, NULL, 0); /* suppressed */
	}
	ward_assert_eq(ear.letters, 10);
	ward_assert_eq(ear.others, 0);
	ward_assert_part(ear.last, "no more dead letters will be logged for 5 min");
	ward_assert_ok(ward_system_destroy(system, WARD_SECOND));
	ward_assert_eq(ear.letters, 10);
}

WARD_TEST_MAIN
