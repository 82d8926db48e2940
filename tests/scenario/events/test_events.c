/* SPDX-License-Identifier: MIT
 *
 * test_events.c - dead letters with their reasons, unhandled messages, life-cycle changes, and who
 * gets them (S81, S83-S85).
 *
 * Method: the kit's log gets all events; a listener is an actor that subscribes.
 */
#include <errno.h>
#include <stdio.h>

#include "support/elsewhere.h"
#include "support/family_tree.h"

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};

struct flat {
	int number;
	char text[400];
};
WARD_MESSAGE_FLAT(flat);

struct plain {
	int number;
};
WARD_MESSAGE(plain);

static const ward_type hushed = {.name = "hushed", .size = 4, .flags = WARD_TYPE_QUIET};

static const ward_event *letter(const ward_kit *kit, size_t number)
{
	return ward_kit_event(kit, WARD_EVENT_DEAD_LETTER, "*", number);
}

static void stop_and_run(ward_kit *kit, ward_ref who)
{
	ward_system_stop(ward_kit_system(kit), who);
	ward_kit_run(kit);
}

/* ---- dead letters ------------------------------------------------------------------------ */

static ward_result tell_wrongly(ward_self *self, void *arg)
{
	struct family *f = arg;
	ward_ref foreign = ref_elsewhere(f->b.ref);
	ward_tell(self, ward_nobody(), plain);
	ward_tell(self, foreign, plain);
	ward_tell(self, f->b.ref, plain);
	ward_send(self, f->c.ref, NULL, "x", 1);
	ward_send(self, f->c.ref, &ward_type_plain, "x", 1);
	return WARD_DONE;
}

WARD_TEST(dead_letter_tells_who_to_whom_what_and_why, "S81", "S49")
{
	struct family f = FAMILY;
	family_start(&f);
	stop_and_run(f.kit, f.b.ref);
	script_do(f.kit, f.a.ref, tell_wrongly, &f);
	ward_kit_run(f.kit);
	const struct {
		ward_reason reason;
		const char *type;
		const char *text;
	} wanted[] = {
		{WARD_REASON_NOBODY, "plain", "nobody"},
		{WARD_REASON_NOBODY, "plain", "another system"},
		{WARD_REASON_DEAD, "plain", "has ended"},
		{WARD_REASON_MISUSE, "(no type)", "a message needs a type, this one is NULL"},
		{WARD_REASON_MISUSE, "plain", "1 bytes do not fit the type, which has "},
	};
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_DEAD_LETTER, "*"), 5);
	ward_assert_eq(ward_kit_stats(f.kit).dead_letters, 5);
	for (size_t i = 0; i < 5; i++) {
		ward_assert_eq(letter(f.kit, i)->reason, wanted[i].reason);
		ward_assert_str(letter(f.kit, i)->message_type, wanted[i].type);
		ward_assert_part(letter(f.kit, i)->text, wanted[i].text);
		ward_assert(ward_ref_equal(letter(f.kit, i)->sender, f.a.ref));
		ward_assert_str(letter(f.kit, i)->sender_path, "sim/user/g/p/a");
	}
	ward_assert_str(letter(f.kit, 0)->path, "nobody");
	ward_assert_part(letter(f.kit, 2)->path, "?#");
	ward_assert_str(letter(f.kit, 3)->path, "sim/user/g/p/c");
	char line[256];
	ward_event_format(letter(f.kit, 3), line, sizeof(line));
	ward_assert_part(line,
			 "dead letter: (no type) from sim/user/g/p/a to sim/user/g/p/c: a message "
			 "needs a type, this one is NULL");
	script_finish(f.kit);
}

WARD_TEST(name_that_an_event_has_no_room_for_is_cut, "S81")
{
	static const size_t lengths[] = {WARD_EVENT_NAME - 2, WARD_EVENT_NAME - 1, WARD_EVENT_NAME,
					 WARD_EVENT_NAME + 1, 3 * WARD_EVENT_NAME};
	struct family f = FAMILY;
	char name[3 * WARD_EVENT_NAME + 1];
	family_start(&f);
	stop_and_run(f.kit, f.b.ref);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		memset(name, 'n', lengths[i]);
		name[lengths[i]] = '\0';
		const ward_type named = {.name = name, .size = 4};
		ward_system_send(ward_kit_system(f.kit), f.b.ref, &named, &(int){1}, 4);

		const char *told = letter(f.kit, i)->message_type;
		size_t wanted = lengths[i] < WARD_EVENT_NAME ? lengths[i] : WARD_EVENT_NAME - 1;
		ward_assert_eq(strnlen(told, WARD_EVENT_NAME), wanted);
		ward_assert_eq(strspn(told, "n"), wanted);
	}
	script_finish(f.kit);
}

WARD_TEST(flat_messages_show_their_first_bytes_and_others_do_not, "S81")
{
	struct family f = FAMILY;
	family_start(&f);
	stop_and_run(f.kit, f.b.ref);
	ward_system_tell(ward_kit_system(f.kit), f.b.ref, flat, .number = 7, .text = "seven");
	ward_system_tell(ward_kit_system(f.kit), f.b.ref, plain, .number = 7);
	ward_assert_eq(letter(f.kit, 0)->body_size, sizeof(struct flat));
	ward_assert_eq(letter(f.kit, 0)->bytes_count, WARD_EVENT_BYTES);
	ward_assert_eq(memcmp(letter(f.kit, 0)->bytes, &(int){7}, sizeof(int)), 0);
	ward_assert_eq(memcmp(letter(f.kit, 0)->bytes + 4, "seven", 6), 0);
	ward_assert_eq(letter(f.kit, 1)->body_size, sizeof(struct plain));
	ward_assert_eq(letter(f.kit, 1)->bytes_count, 0);
	/* From a thread outside: no actor sent it. */
	ward_assert_str(letter(f.kit, 1)->sender_path, "");
	char line[256];
	ward_event_format(letter(f.kit, 1), line, sizeof(line));
	ward_assert_part(line, "dead letter: plain to ?#");
	script_finish(f.kit);
}

WARD_TEST(quiet_type_is_counted_and_suppressed, "S81")
{
	struct family f = FAMILY;
	int number = 1;
	family_start(&f);
	stop_and_run(f.kit, f.b.ref);
	ward_system_send(ward_kit_system(f.kit), f.b.ref, &hushed, &number, sizeof(number));
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
	ward_assert_eq(ward_kit_stats(f.kit).dead_letters, 1);
	const ward_event *event = ward_kit_event(f.kit, WARD_EVENT_SUPPRESSED, "*", 0);
	char line[256];
	ward_event_format(event, line, sizeof(line));
	ward_assert_part(line, "suppressed dead letter: hushed to ?#");
	ward_assert_eq(event->level, WARD_LEVEL_DEBUG);
	ward_assert_eq(event->reason, WARD_REASON_DEAD);
	ward_assert_eq(event->body_size, sizeof(number));
	script_finish(f.kit);
}

WARD_TEST(levels_and_reasons_have_texts_and_unknown_ones_too)
{
	ward_assert_str(ward_level_text(WARD_LEVEL_DEBUG), "debug");
	ward_assert_str(ward_level_text(WARD_LEVEL_SEVERE), "severe");
	ward_assert_str(ward_level_text(WARD_LEVEL_DEFAULT), "default");
	ward_assert_str(ward_level_text((ward_level)5), "?");
	ward_assert_str(ward_reason_text(WARD_REASON_NONE), "no reason");
	ward_assert_part(ward_reason_text(WARD_REASON_DEAD), "a later start has a new ref");
	ward_assert_str(ward_reason_text(WARD_REASON_FULL), "the mailbox is full");
	ward_assert_part(ward_reason_text(WARD_REASON_STALE), "nobody waits for");
	ward_assert_part(ward_reason_text(WARD_REASON_LOST), "on purpose");
	ward_assert_part(ward_reason_text(WARD_REASON_THREAD), "another thread");
	ward_assert_part(ward_reason_text(WARD_REASON_NO_ROUTEE), "no routee");
	ward_assert_part(ward_reason_text(WARD_REASON_NO_MATCH), "at this path");
	ward_assert_part(ward_reason_text(WARD_REASON_UNIQUE), "no clone");
	ward_assert_part(ward_reason_text(WARD_REASON_DOWN), "has not started yet");
	ward_assert_part(ward_reason_text(WARD_REASON_UNREACHED), "connect");
	ward_assert_part(ward_reason_text(WARD_REASON_LOCAL), "no table");
	ward_assert_str(ward_reason_text((ward_reason)(WARD_REASON_LOCAL + 1)), "?");
}

/* ---- unhandled --------------------------------------------------------------------------- */

static ward_result tell_plain(ward_self *self, void *arg)
{
	ward_tell(self, ((struct script *)arg)->ref, plain, .number = 1);
	return WARD_DONE;
}

WARD_TEST(unhandled_message_is_an_event_and_no_failure, "S83")
{
	struct family f = FAMILY;
	family_start(&f);
	script_do(f.kit, f.b.ref, tell_plain, &f.a);
	ward_kit_run(f.kit);
	const ward_event *event = ward_kit_event(f.kit, WARD_EVENT_UNHANDLED, "sim/user/g/p/a", 0);
	ward_assert_str(event->message_type, "plain");
	ward_assert(ward_ref_equal(event->sender, f.b.ref));
	ward_assert_eq(event->body_size, sizeof(struct plain));
	ward_assert_eq(ward_kit_stats(f.kit).unhandled, 1);
	ward_assert_eq(ward_kit_stats(f.kit).failures, 0);
	ward_assert_eq(ward_kit_stats(f.kit).dead_letters, 0);
	check_well(f.kit, &f.a);
	script_finish(f.kit);
}

/* ---- the life cycle ---------------------------------------------------------------------- */

/* All states that a path came to, as "old>new". */
static void note_states(const ward_kit *kit, const char *path)
{
	size_t count = ward_kit_count(kit, WARD_EVENT_ALL, "*");
	for (size_t i = 0; i < count; i++) {
		const ward_event *event = ward_kit_event(kit, WARD_EVENT_ALL, "*", i);
		if (event->kind == WARD_EVENT_LIFECYCLE && strcmp(event->path, path) == 0)
			journal_note("%s>%s in %u", event->old_state, event->new_state,
				     event->incarnation);
	}
}

WARD_TEST(life_is_told_state_by_state, "S85")
{
	ward_kit *kit;
	struct script a = {.name = "a", .traps = {{SCRIPT_INIT, .first = 2}}};
	static const ward_strategy restarting = {.otherwise = WARD_RESTART};
	kit = script_start(&(ward_kit_options){.system.user_strategy = &restarting});
	script_spawn(kit, &a);
	script_break(kit, a.ref, &bad_luck);
	ward_kit_run(kit);
	stop_and_run(kit, a.ref);
	journal_clear();
	note_states(kit, "sim/user/a");
	assert_journal("free>starting in 0;starting>running in 1;running>failed in 1;"
		       "failed>restarting in 1;restarting>restart-failed in 2;"
		       "restart-failed>restarting in 2;restarting>running in 3;"
		       "running>stopping in 3;stopping>stopped in 3");
	ward_assert_eq(ward_kit_event(kit, WARD_EVENT_LIFECYCLE, "sim/user/a", 0)->restarts_left,
		       -1);
	script_finish(kit);
}

static ward_result watch_b(ward_self *self, void *arg)
{
	ward_assert_ok(ward_try_watch(self, ((struct family *)arg)->b.ref));
	return WARD_DONE;
}

static ward_result unwatch_b(ward_self *self, void *arg)
{
	ward_unwatch(self, ((struct family *)arg)->b.ref);
	return WARD_DONE;
}

WARD_TEST(watching_is_told_from_its_begin_to_its_end, "S85")
{
	static const char *const wanted[] = {
		"now watched by sim/user/g/p/a", "no longer watched by sim/user/g/p/a",
		"now watched by a thread outside", "no longer watched by a thread outside"};
	struct family f = FAMILY;
	family_start(&f);
	script_do(f.kit, f.a.ref, watch_b, &f);
	ward_kit_run(f.kit);
	script_do(f.kit, f.a.ref, unwatch_b, &f);
	ward_kit_run(f.kit);
	ward_assert_err(ward_system_wait_for(ward_kit_system(f.kit), f.b.ref, 5), WARD_ETIMEDOUT);
	ward_kit_run(f.kit);
	for (size_t i = 0; i < 4; i++) {
		const ward_event *event =
			ward_kit_event(f.kit, WARD_EVENT_WATCH, "sim/user/g/p/b", i);
		ward_assert_str(event->text, wanted[i]);
		ward_assert_eq(event->level, WARD_LEVEL_DEBUG);
		ward_assert(ward_ref_equal(event->sender, i < 2 ? f.a.ref : ward_nobody()));
	}
	/* whoever ends watches no longer, and who is gone is not unwatched */
	script_do(f.kit, f.a.ref, watch_b, &f);
	ward_kit_run(f.kit);
	stop_and_run(f.kit, f.a.ref);
	stop_and_run(f.kit, f.b.ref);
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_WATCH, "*"), 6);
	script_finish(f.kit);
}

WARD_TEST(supervisor_is_told_with_the_birth, "S85")
{
	/* "now supervising": the path of the one that begins names its supervisor */
	struct family f = FAMILY;
	struct script d = {.name = "d"};
	family_start(&f);
	script_spawn(f.kit, &d);
	const ward_event *event = ward_kit_event(f.kit, WARD_EVENT_LIFECYCLE, "sim/user/d", 0);
	ward_assert_str(event->old_state, "free");
	ward_assert_str(event->new_state, "starting");
	script_finish(f.kit);
}

/* ---- subscribing ------------------------------------------------------------------------- */

static uint32_t wanted_kinds;

static ward_result subscribe(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert_ok(ward_try_subscribe(self, wanted_kinds));
	return WARD_DONE;
}

static ward_result note_event(ward_self *self, const ward_msg *msg)
{
	const struct ward_event *event = ward_match(msg, ward_event);
	if (event == NULL)
		return WARD_UNHANDLED;
	ward_assert(ward_ref_is_nobody(ward_msg_sender(msg)));
	journal_note("%s:heard %u of %s", script_of(self)->name, event->kind, event->path);
	return WARD_DONE;
}

static void start_listening(struct family *f, uint32_t kinds)
{
	f->a.receive = f->b.receive = note_event;
	family_start(f);
	wanted_kinds = kinds;
	script_do(f->kit, f->a.ref, subscribe, NULL);
	ward_kit_run(f->kit);
}

WARD_TEST(subscriber_gets_the_kinds_it_asked_for, "S84")
{
	struct family f = FAMILY;
	start_listening(&f, WARD_EVENT_FAILURE | WARD_EVENT_UNHANDLED);
	script_break(f.kit, f.c.ref, &bad_luck);
	ward_system_tell(ward_kit_system(f.kit), f.c.ref, plain);
	ward_system_tell(ward_kit_system(f.kit), ward_nobody(), plain);
	ward_kit_run(f.kit);
	assert_journal_of("a", "heard 1 of sim/user/g/p/c;heard 4 of sim/user/g/p/c");
	assert_journal_of("b", "");
	script_finish(f.kit);
}

WARD_TEST(subscription_is_changed_and_ended_by_the_next_one, "S84")
{
	struct family f = FAMILY;
	start_listening(&f, WARD_EVENT_UNHANDLED);
	wanted_kinds = WARD_EVENT_DEAD_LETTER;
	script_do(f.kit, f.a.ref, subscribe, NULL);
	ward_kit_run(f.kit);
	ward_system_tell(ward_kit_system(f.kit), f.c.ref, plain);
	ward_system_tell(ward_kit_system(f.kit), ward_nobody(), plain);
	ward_kit_run(f.kit);
	assert_journal("a:heard 2 of nobody");
	wanted_kinds = 0;
	script_do(f.kit, f.a.ref, subscribe, NULL);
	script_do(f.kit, f.a.ref, subscribe, NULL); /* none is there: nothing happens */
	ward_kit_run(f.kit);
	ward_system_tell(ward_kit_system(f.kit), ward_nobody(), plain);
	ward_kit_run(f.kit);
	assert_journal("a:heard 2 of nobody");
	script_finish(f.kit);
}

WARD_TEST(subscription_outlives_a_restart_and_ends_with_the_actor, "S84", "S44")
{
	struct family f = FAMILY;
	start_listening(&f, WARD_EVENT_UNHANDLED);
	script_break(f.kit, f.a.ref, &bad_luck);
	ward_kit_run(f.kit);
	journal_clear();
	ward_system_tell(ward_kit_system(f.kit), f.c.ref, plain);
	ward_kit_run(f.kit);
	assert_journal("a:heard 4 of sim/user/g/p/c");
	stop_and_run(f.kit, f.a.ref);
	ward_system_tell(ward_kit_system(f.kit), f.c.ref, plain);
	ward_kit_run(f.kit);
	ward_assert_eq(ward_kit_stats(f.kit).events_lost, 0);
	ward_assert_eq(ward_kit_stats(f.kit).dead_letters, 0);
	script_finish(f.kit);
}

static ward_result subscribe_late(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert_ok(ward_try_subscribe(self, WARD_EVENT_ALL));
	return WARD_DONE;
}

WARD_TEST(subscription_made_in_post_stop_ends_with_the_actor, "S84")
{
	struct family f = FAMILY;
	f.a.post_stop = subscribe_late;
	family_start(&f);
	stop_and_run(f.kit, f.a.ref);
	ward_system_tell(ward_kit_system(f.kit), ward_nobody(), plain);
	ward_assert_eq(ward_kit_stats(f.kit).events_lost, 0);
	script_finish(f.kit);
}

static ward_result subscribe_wrongly(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert_err(ward_try_subscribe(self, WARD_EVENT_ALL + 1), WARD_EINVAL);
	return WARD_DONE;
}

WARD_TEST(unknown_kind_is_refused)
{
	struct family f = FAMILY;
	family_start(&f);
	script_do(f.kit, f.a.ref, subscribe_wrongly, NULL);
	ward_kit_run(f.kit);
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_FAILURE, "*"), 0);
	script_finish(f.kit);
}

WARD_TEST(event_that_cannot_be_delivered_makes_no_event, "S81")
{
	/* a full listener, and one that finds no memory: counted, and no dead letter of a dead
	 * letter */
	struct family f = FAMILY;
	f.a.mailbox.messages_max = 1;
	start_listening(&f, WARD_EVENT_DEAD_LETTER);
	for (int i = 0; i < 4; i++)
		ward_system_tell(ward_kit_system(f.kit), ward_nobody(), plain);
	ward_assert_eq(ward_kit_stats(f.kit).events_lost, 3);
	ward_assert_eq(ward_kit_stats(f.kit).dead_letters, 4);
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_DEAD_LETTER, "*"), 4);
	ward_kit_run(f.kit);
	assert_journal("a:heard 2 of nobody");
	ward_kit_fail_all_allocations(f.kit, true);
	ward_system_tell(ward_kit_system(f.kit), ward_nobody(), plain);
	ward_kit_fail_all_allocations(f.kit, false);
	ward_assert_eq(ward_kit_stats(f.kit).events_lost, 4);
	ward_assert_eq(letter(f.kit, 4)->reason, WARD_REASON_NO_MEMORY);
	script_finish(f.kit);
}

WARD_TEST(listener_that_drops_its_oldest_events_makes_no_event_of_it, "S81")
{
	struct family f = FAMILY;
	f.a.mailbox = (ward_mailbox){.messages_max = 1, .overflow = WARD_OVERFLOW_DROP_OLDEST};
	start_listening(&f, WARD_EVENT_DEAD_LETTER);
	for (int i = 0; i < 4; i++)
		ward_system_tell(ward_kit_system(f.kit), ward_nobody(), plain);
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_DEAD_LETTER, "*"), 4);
	ward_assert_eq(ward_kit_stats(f.kit).events_lost, 3);
	ward_kit_run(f.kit);
	assert_journal("a:heard 2 of nobody");
	script_finish(f.kit);
}

static ward_result leave_event(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	const struct script_word *word = ward_msg_body(msg, &ward_type_script_word);
	return word != NULL && word->call != NULL ? word->call(self, word->arg) : WARD_UNHANDLED;
}

WARD_TEST(listener_that_leaves_its_events_unhandled_starts_no_loop, "S81", "S83")
{
	static const ward_behavior leaving = {.name = "leaving", .receive = leave_event};
	struct family f = FAMILY;
	family_start(&f);
	ward_ref ref = ward_kit_spawn(f.kit, &leaving);
	wanted_kinds = WARD_EVENT_UNHANDLED;
	script_do(f.kit, ref, subscribe, NULL);
	ward_kit_run(f.kit);
	ward_system_tell(ward_kit_system(f.kit), f.c.ref, plain);
	for (int i = 0; i < 1000; i++)
		ward_kit_step(f.kit);
	ward_assert_eq(ward_kit_step(f.kit), false);
	ward_assert(ward_kit_stats(f.kit).unhandled <= 2);
	script_finish(f.kit);
}

/* ---- of an actor's own -------------------------------------------------------------------- */

static ward_result say_things(ward_self *self, void *arg)
{
	const char *os_says = "%s: %m"; /* not ISO C, so not where the compiler looks */
	char text[2 * WARD_EVENT_TEXT];

	(void)arg;
	memset(text, 'n', sizeof text);
	text[sizeof text - 1] = '\0';
	ward_note(self, WARD_LEVEL_WARNING, "%d of %s", 3, "them");
	ward_note(self, WARD_LEVEL_DEBUG, "%s", text);
	ward_note(self, (ward_level)99, "100%%");
	ward_note(self, WARD_LEVEL_INFO, NULL);
	errno = EMFILE;
	ward_note(self, WARD_LEVEL_INFO, os_says, "accept");
	return WARD_DONE;
}

WARD_TEST(note_of_an_actor_is_an_event_with_its_path_and_text, "S84")
{
	struct family f = FAMILY;
	const ward_event *event;
	char line[128];

	start_listening(&f, WARD_EVENT_NOTE);
	script_do(f.kit, f.b.ref, say_things, NULL);
	ward_kit_run(f.kit);
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_NOTE, "*"), 4);
	event = ward_kit_event(f.kit, WARD_EVENT_NOTE, "*", 0);
	ward_assert_eq(event->level, WARD_LEVEL_WARNING);
	ward_assert(ward_ref_equal(event->subject, f.b.ref));
	ward_event_format(event, line, sizeof line);
	ward_assert_str(line, "sim/user/g/p/b: 3 of them");
	event = ward_kit_event(f.kit, WARD_EVENT_NOTE, "*", 1);
	ward_assert_eq(event->level, WARD_LEVEL_DEBUG);
	ward_assert_eq(strlen(event->text), WARD_EVENT_TEXT - 1);
	event = ward_kit_event(f.kit, WARD_EVENT_NOTE, "*", 2);
	ward_assert_eq(event->level, WARD_LEVEL_SEVERE);
	ward_assert_str(event->text, "100%");
	event = ward_kit_event(f.kit, WARD_EVENT_NOTE, "*", 3);
	ward_assert_str(event->text, "accept: Too many open files");
	script_finish(f.kit);
}

/* ---- hearers besides the log -------------------------------------------------------------- */

static ward_result hear_once(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (ward_match(msg, plain) != NULL) {
		ward_assert_ok(ward_try_subscribe(self, WARD_EVENT_DEAD_LETTER));
		ward_tell(self, ward_nobody(), plain);
		return WARD_DONE;
	}
	if (ward_match(msg, ward_event) != NULL)
		ward_stop_self(self);
	return WARD_DONE;
}

static void log_as_text(void *arg, const ward_event *event)
{
	(void)event;
	++*(int *)arg;
}

/* A system that is told to log this, and an actor that gets a dead letter in any case. */
static int logged_of_a_dead_letter(void (*log)(void *, const ward_event *), uint32_t log_kinds)
{
	static const ward_behavior ear = {.name = "ear", .receive = hear_once};
	int logged = 0;
	ward_system *system;
	ward_ref ref;
	ward_assert_ok(ward_system_create(
		&(ward_options){.log = log, .log_arg = &logged, .log_kinds = log_kinds}, &system));
	ward_assert_ok(ward_system_spawn(system, WARD_PROPS(&ear), &ref));
	ward_system_tell(system, ref, plain);
	ward_assert_ok(ward_system_wait_for(system, ref, 60 * 1000));
	ward_assert_ok(ward_system_destroy(system, WARD_FOREVER));
	return logged;
}

WARD_TEST(subscriber_hears_what_the_log_does_not, "S84")
{
	ward_assert_eq(logged_of_a_dead_letter(log_as_text, WARD_EVENT_DEAD_LETTER), 1);
	ward_assert_eq(logged_of_a_dead_letter(log_as_text, WARD_EVENT_FAILURE), 0);
	ward_assert_eq(logged_of_a_dead_letter(NULL, WARD_EVENT_DEAD_LETTER), 0);
}

static ward_result tell_nobody_often(ward_self *self, void *arg)
{
	(void)arg;
	for (int i = 0; i < 4; i++)
		ward_tell(self, ward_nobody(), plain);
	return WARD_DONE;
}

WARD_TEST(listener_that_drops_events_of_an_actor_makes_no_event_of_it, "S81")
{
	struct family f = FAMILY;
	f.a.mailbox = (ward_mailbox){.messages_max = 1, .overflow = WARD_OVERFLOW_DROP_OLDEST};
	start_listening(&f, WARD_EVENT_DEAD_LETTER);
	script_do(f.kit, f.b.ref, tell_nobody_often, NULL);
	ward_kit_run(f.kit);
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_DEAD_LETTER, "*"), 4);
	ward_assert_eq(ward_kit_stats(f.kit).events_lost, 3);
	script_finish(f.kit);
}

WARD_TEST_MAIN
