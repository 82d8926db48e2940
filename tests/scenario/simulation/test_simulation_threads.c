/* SPDX-License-Identifier: MIT
 *
 * test_simulation_threads.c - other threads than the simulation's own, those who wait, and the
 * count of payloads.
 *
 * Method: a thread that makes the calls while the simulation's own stands still; payloads counted
 * after each thing that can become of one.
 */
#include "scripted_driver.h"

#include <pthread.h>

static void on_another_thread(void *(*call)(void *arg), void *arg)
{
	pthread_t thread;

	ward_assert_eq(pthread_create(&thread, NULL, call, arg), 0);
	ward_assert_eq(pthread_join(thread, NULL), 0);
}

static uint64_t payloads(void)
{
	ward_stats stats;

	ward_system_stats(driven.system, &stats);
	return stats.payloads;
}

static uint64_t dead_letters(void)
{
	ward_stats stats;

	ward_system_stats(driven.system, &stats);
	return stats.dead_letters;
}

/* ---- other threads ----------------------------------------------------------------------- */

static void ignore_hook(void *arg)
{
	(void)arg;
}

static void *calls_with_a_code(void *arg)
{
	ward_ref a = *(ward_ref *)arg, none = ward_nobody();
	struct word answer;

	ward_assert_err(ward_system_spawn(driven.system, WARD_PROPS(&pupil), &none), WARD_ETHREAD);
	ward_assert_err(ward_system_wait_for(driven.system, a, 0), WARD_ETHREAD);
	ward_assert_err(ward_system_wait(driven.system, 0), WARD_ETHREAD);
	ward_assert_err(ward_system_destroy(driven.system, 0), WARD_ETHREAD);
	ward_assert_err(ward_system_on_terminate(driven.system, ignore_hook, NULL), WARD_ETHREAD);
	ward_assert_err(ward_system_try_tell(driven.system, a, word, .text = "no"), WARD_ETHREAD);
	ward_assert_err(ward_system_ask_send(driven.system, a, 1, &ward_type_word, &answer,
					     WARD_BODY(word, .text = "no")),
			WARD_ETHREAD);
	ward_system_stop(driven.system, a);
	ward_system_shutdown(driven.system, NULL);
	ward_assert(!ward_simulation_step(driven.system));
	ward_assert(!ward_simulation_advance(driven.system, INT64_MAX));
	ward_assert(!ward_simulation_poll(driven.system));
	ward_assert_eq(ward_simulation_count(driven.system), 0);
	ward_assert(ward_ref_is_nobody(ward_simulation_ready(driven.system, 0)));
	/* Looking is fine. */
	ward_assert_eq(ward_simulation_now_ns(driven.system), 0);
	ward_assert_eq(ward_system_actors(driven.system, NULL, NULL), 4);
	ward_assert(ward_system_is_alive(driven.system, a));
	return NULL;
}

WARD_TEST(calls_of_another_thread_are_refused_or_do_nothing)
{
	driven_start((struct strike){.fault = {WARD_FAULT_NONE, 0}});
	ward_ref a = start_pupil("a");
	say(a, "stays ready");
	on_another_thread(calls_with_a_code, &a);
	ward_assert_eq(ward_simulation_count(driven.system), 1);
	run_all();
	ward_assert(ward_system_is_alive(driven.system, a));
	ward_assert_eq(dead_letters(), 0);
	driven_finish();
}

enum { TELLS = 40, ROOM = 32 };

static void *tell_parcels(void *arg)
{
	int before = driven.dropped;

	for (int i = 0; i < TELLS; i++)
		ward_system_tell(driven.system, *(ward_ref *)arg, parcel, .number = i);
	ward_assert_eq(driven.dropped - before, TELLS);
	return NULL;
}

WARD_TEST(tell_of_another_thread_is_a_dead_letter_whose_event_comes_with_the_next_move)
{
	driven_start((struct strike){.fault = {WARD_FAULT_NONE, 0}});
	ward_ref a = start_pupil("a");
	on_another_thread(tell_parcels, &a);
	ward_assert_eq(driven.reasons[WARD_REASON_THREAD], 0);
	ward_assert_eq(dead_letters(), TELLS);
	ward_assert_eq(payloads(), 0);
	ward_assert(!ward_simulation_step(driven.system));
	ward_assert_eq(driven.reasons[WARD_REASON_THREAD], ROOM);
	on_another_thread(tell_parcels, &a); /* there is room again */
	(void)ward_simulation_advance(driven.system, 0);
	ward_assert_eq(driven.reasons[WARD_REASON_THREAD], 2 * ROOM);
	ward_assert_eq(dead_letters(), 2 * TELLS);
	driven_finish();
}

static void *tell_event(void *arg)
{
	const struct ward_event event = {.kind = WARD_EVENT_NOTE};

	ward_system_send(driven.system, *(ward_ref *)arg, &ward_type_ward_event, &event,
			 sizeof event);
	return NULL;
}

WARD_TEST(event_that_another_thread_tells_is_counted)
{
	driven_start((struct strike){.fault = {WARD_FAULT_NONE, 0}});
	ward_ref a = start_pupil("a");
	on_another_thread(tell_event, &a);
	ward_assert_eq(dead_letters(), 1);
	ward_assert(!ward_simulation_step(driven.system));
	ward_assert_eq(driven.reasons[WARD_REASON_THREAD], 0);
	driven_finish();
}

static void *tell_words(void *arg)
{
	ward_ref a = *(ward_ref *)arg;

	say(a, "one");
	say(a, "two");
	ward_system_send(driven.system, a, NULL, NULL, 0);
	ward_system_send(driven.system, a, &ward_type_word, "short", 5);
	return NULL;
}

WARD_TEST(events_about_tells_of_another_thread_say_what_and_in_order)
{
	driven_start((struct strike){.fault = {WARD_FAULT_NONE, 0}});
	ward_ref a = start_pupil("a");
	for (int i = 0; i < 20; i++) { /* goes around the ring */
		driven.dead_words[0] = '\0';
		on_another_thread(tell_words, &a);
		(void)ward_simulation_step(driven.system);
		ward_assert_str(driven.dead_words, "one;two;");
		ward_assert_eq(driven.reasons[WARD_REASON_THREAD], 4 * (i + 1));
	}
	driven_finish();
}

/* ---- those who wait ---------------------------------------------------------------------- */

struct waits {
	char text[1024];
	size_t count;
};

static void note_wait(void *arg, const ward_wait_info *info)
{
	struct waits *waits = arg;
	size_t length = strlen(waits->text);

	snprintf(waits->text + length, sizeof waits->text - length, "%s: %s since %lld for %lld;",
		 info->path, info->what, (long long)(info->since_ns / MS),
		 (long long)info->waited_ms);
}

static void *look(void *arg)
{
	struct waits *waits = arg;

	waits->count = ward_system_waits(driven.system, note_wait, waits);
	return NULL;
}

/* What another thread saw while the own one waited, at the last turn of "a". */
static struct waits seen;

static ward_fault look_in_turn(void *arg, ward_system *system, const ward_occasion *it)
{
	char path[WARD_EVENT_PATH];

	(void)arg;
	if (it->point == WARD_POINT_TURN && strcmp(last_name(system, it->who, path), "a") == 0) {
		seen = (struct waits){"", 0};
		on_another_thread(look, &seen);
	}
	return (ward_fault){WARD_FAULT_NONE, 0};
}

static ward_result stop_later(ward_self *self, ward_ref to)
{
	(void)to;
	ward_after(self, 1, 30, ward_poison_pill);
	return WARD_DONE;
}

WARD_TEST(those_who_wait_are_shown_with_whom_and_what_and_since_when)
{
	struct word answer;
	driven_start((struct strike){.fault = {WARD_FAULT_NONE, 0}});
	ward_ref a = start_pupil("a");
	ward_assert_eq(ward_system_waits(driven.system, NULL, NULL), 0);
	ward_assert(!ward_simulation_advance(driven.system, 12 * MS));
	let(a, stop_later, a);
	run_all();
	driven.driver.fault = look_in_turn;
	ward_assert_err(ward_system_ask_send(driven.system, a, 10, &ward_type_word, &answer,
					     WARD_BODY(word, .text = "well?")),
			WARD_ETIMEDOUT);
	ward_assert_str(seen.text, "sim/user/a: an answer to word since 12 for 0;");
	ward_assert_ok(ward_system_wait_for(driven.system, a, WARD_FOREVER));
	ward_assert_str(seen.text, "sim/user/a: its end since 22 for 20;");
	ward_assert_eq(seen.count, 1);
	ward_assert_eq(ward_system_waits(driven.system, NULL, NULL), 0);
	driven_finish();
	ward_assert_eq(ward_system_waits(NULL, note_wait, &seen), 0);
}

static ward_result never(ward_self *self, void *state)
{
	(void)self;
	(void)state;
	on_another_thread(look, &seen);
	return WARD_DONE;
}

WARD_TEST(those_who_wait_for_the_end_of_the_system_are_shown)
{
	static const ward_behavior lingering = {
		.name = "lingering", .receive = pupil_receive, .post_stop = never};
	driven_start((struct strike){.fault = {WARD_FAULT_NONE, 0}});
	seen = (struct waits){"", 0};
	ward_assert_ok(ward_system_spawn(driven.system, WARD_PROPS(&lingering), NULL));
	driven_finish();
	ward_assert_str(seen.text, "sim/: the end of the system since 0 for 0;");
}

/* ---- payloads ---------------------------------------------------------------------------- */

static ward_result keep_and_make(ward_self *self, ward_ref to)
{
	(void)to;
	ward_assert(ward_make(self, parcel, 0) != NULL);
	ward_discard(self, ward_make(self, parcel, 0));
	return WARD_DONE;
}

static ward_result with_a_body(ward_self *self, ward_ref to)
{
	(void)to;
	return ward_failed_body(self, &ward_exception, WARD_BODY(parcel, .number = 1), "mine");
}

static ward_result repeat(ward_self *self, ward_ref to)
{
	(void)to;
	ward_every(self, 1, 10, parcel, .number = 1);
	return WARD_DONE;
}

static ward_result watch_with_parcel(ward_self *self, ward_ref to)
{
	ward_watch_with(self, to, parcel, .number = 1);
	return WARD_DONE;
}

WARD_TEST(payloads_are_counted_from_the_send_to_the_drop)
{
	driven_start((struct strike){.fault = {WARD_FAULT_NONE, 0}});
	ward_ref a = start_pupil("a"), b = start_pupil("b");
	ward_system_tell(driven.system, a, parcel, .number = 1);
	ward_assert_eq(payloads(), 1);
	run_all();
	ward_assert_eq(payloads(), 0);
	ward_system_tell(driven.system, ward_nobody(), parcel, .number = 1);
	ward_assert_eq(payloads(), 0);
	ward_assert_err(ward_system_try_tell(driven.system, ward_nobody(), parcel, .number = 1),
			WARD_EDEAD);
	ward_assert_eq(payloads(), 0);
	let(a, keep_and_make, a);
	run_all();
	ward_assert_eq(payloads(), 1);
	let(b, repeat, b);
	run_all();
	ward_assert_eq(payloads(), 2);
	ward_assert(ward_simulation_advance(driven.system, 10 * MS));
	run_all();
	ward_assert_eq(payloads(), 2);
	let(a, watch_with_parcel, b);
	run_all();
	ward_assert_eq(payloads(), 3);
	ward_system_stop(driven.system, b);
	run_all();
	ward_assert_eq(payloads(), 1);
	let(a, with_a_body, a); /* what it kept goes with the incarnation; the failure is kept */
	run_all();
	ward_assert_eq(payloads(), 1);
	driven_finish();
}

/* How a parcel that was received goes on. */
enum manner { TAKES, TAKES_AND_DISCARDS, TAKES_AND_GIVES, FORWARDS, FAILS };

struct handler {
	enum manner manner;
	ward_ref to;
};

static ward_result handle(ward_self *self, void *state, const ward_msg *msg)
{
	const struct act *act = ward_match(msg, act);
	struct handler *me = state;
	struct parcel *mine;

	if (act != NULL) {
		me->manner = (enum manner)(uintptr_t)act->fn;
		me->to = act->to;
		return WARD_DONE;
	}
	switch (me->manner) {
	case TAKES:
		return ward_take(self, parcel) != NULL ? WARD_DONE : WARD_UNHANDLED;
	case TAKES_AND_DISCARDS:
		ward_discard(self, ward_take(self, parcel));
		return WARD_DONE;
	case TAKES_AND_GIVES:
		mine = ward_take(self, parcel);
		ward_give(self, me->to, parcel, &mine);
		return WARD_DONE;
	case FORWARDS:
		ward_forward(self, me->to);
		return WARD_DONE;
	case FAILS:
	default:
		return ward_failed(self, &ward_exception, "on it");
	}
}

WARD_TEST(payloads_follow_a_message_that_goes_on)
{
	static const ward_behavior handler = {
		.name = "handler", .receive = handle, .state_size = sizeof(struct handler)};
	static const int wanted[] = {1, 0, 0, 0, 0};
	for (int manner = TAKES; manner <= FAILS; manner++) {
		driven_start((struct strike){.fault = {WARD_FAULT_NONE, 0}});
		ward_ref a, b = start_pupil("b");
		ward_assert_ok(ward_system_spawn(driven.system, WARD_PROPS(&handler), &a));
		ward_system_tell(driven.system, a, act,
				 .fn = (ward_result(*)(ward_self *, ward_ref))(uintptr_t)manner,
				 .to = b);
		ward_system_tell(driven.system, a, parcel, .number = 1);
		run_all();
		ward_assert_eq(payloads(), wanted[manner]);
		ward_assert_eq(driven.dropped, 1 - wanted[manner]);
		driven_finish();
		ward_assert_eq(driven.dropped, 1);
	}
}

static ward_result answer_parcel(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	ward_reply(self, msg, parcel, .number = 3);
	return WARD_DONE;
}

WARD_TEST(answer_is_the_programs_and_arguments_are_counted)
{
	static const ward_behavior giver = {
		.name = "giver", .receive = answer_parcel, .args = &ward_type_parcel};
	struct parcel answer = {0};
	driven_start((struct strike){.fault = {WARD_FAULT_NONE, 0}});
	ward_ref a;
	ward_assert_ok(ward_system_spawn(driven.system,
					 WARD_PROPS(&giver, .args = WARD_ARGS(parcel, 1)), &a));
	ward_assert_eq(payloads(), 1);
	ward_assert_ok(ward_system_ask_send(driven.system, a, WARD_SECOND, &ward_type_parcel,
					    &answer, WARD_BODY(word, .text = "please")));
	ward_assert_eq(answer.number, 3);
	ward_assert_eq(payloads(), 1);
	ward_assert_eq(driven.dropped, 0);
	driven_finish();
	ward_assert_eq(driven.dropped, 1);
}

static ward_result count_what_it_has(ward_self *self, ward_ref to)
{
	(void)to;
	ward_assert(ward_make(self, parcel, 0) != NULL);
	driven.dropped = (int)payloads();
	ward_stop_self(self);
	return WARD_DONE;
}

WARD_TEST(payloads_are_counted_in_a_program_only_with_separate_allocations)
{
	for (int separate = 0; separate < 2; separate++) {
		ward_kit *kit = ward_kit_start(&(ward_kit_options){
			.real_threads = true, .pooled = separate == 0, .system.workers = 1});
		ward_system *system = ward_kit_system(kit);
		driven = (struct driven){.system = system, .dropped = -1};
		ward_ref a = ward_kit_spawn(kit, &pupil, .name = "a");
		let(a, count_what_it_has, a);
		ward_assert_ok(ward_system_wait_for(system, a, WARD_FOREVER));
		ward_assert_eq(driven.dropped, separate + 1); /* and its own drop */
		ward_kit_finish(kit);
	}
}

WARD_TEST_MAIN
