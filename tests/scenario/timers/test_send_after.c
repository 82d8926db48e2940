/* SPDX-License-Identifier: MIT
 *
 * test_send_after.c - messages to other actors, later; and deadlines.
 *
 * Method: a sends words to b, which notes each with its time and its sender. Time is virtual and
 * exact; pass() lets it pass without a turn of any actor.
 */
#include <string.h>

#include "support/script.h"

enum { NS_PER_MS = 1000 * 1000, WORDS = 4, KEY = 7 };

struct ping {
	int number;
};
WARD_MESSAGE(ping);
struct pong {
	int number;
};
WARD_MESSAGE(pong);
WARD_REPLY(ping, pong);

struct scene {
	ward_kit *kit;
	struct script a, b;
	int64_t began_ns;
};
static struct scene scene;

static void pass(int64_t ms)
{
	int64_t until_ns = ward_kit_now_ns(scene.kit) + ms * NS_PER_MS;
	while (ward_simulation_advance(ward_kit_system(scene.kit), until_ns))
		;
}

static int now_ms(void)
{
	return (int)((ward_kit_now_ns(scene.kit) - scene.began_ns) / NS_PER_MS);
}

static ward_result note(ward_self *self, const ward_msg *msg)
{
	const struct script_word *word = ward_msg_body(msg, &ward_type_script_word);
	if (word == NULL || word->text[0] == '\0' || word->breaks != NULL || word->call != NULL)
		return WARD_UNHANDLED;
	journal_note("%s of %s to %s at %d", word->text, script_name(ward_msg_sender(msg)),
		     script_of(self)->name, now_ms());
	return WARD_DONE;
}

static void start(void)
{
	memset(&scene, 0, sizeof scene);
	scene.a = (struct script){.name = "a", .receive = note};
	scene.b = (struct script){.name = "b", .receive = note};
	scene.kit = script_start(NULL);
	script_spawn(scene.kit, &scene.a);
	script_spawn(scene.kit, &scene.b);
	ward_kit_run(scene.kit);
	scene.began_ns = ward_kit_now_ns(scene.kit);
	journal_clear();
}

static void finish(void)
{
	ward_assert_eq(ward_kit_stats(scene.kit).timers, 0);
	script_finish(scene.kit);
}

static struct later {
	const char *text;
	int64_t after_ms;
	bool to_self;
	uint64_t key;
} laters[WORDS];

static ward_err start_word(ward_self *self, const ward_timer *timer, const char *text)
{
	struct script_word word = script_word(text, &(struct script_word){0});
	return ward_try_timer_start(self, timer, &ward_type_script_word, &word, sizeof word);
}

static ward_err send_word(ward_self *self, ward_ref to, const struct later *later)
{
	return start_word(
		self,
		&(ward_timer){
			.key = later->key, .after_ms = later->after_ms, .to = to, .to_other = true},
		later->text);
}

static ward_result do_send(ward_self *self, void *arg)
{
	(void)arg;
	for (int i = 0; i < WORDS && laters[i].text != NULL; i++)
		ward_assert_ok(
			send_word(self, laters[i].to_self ? scene.a.ref : scene.b.ref, &laters[i]));
	return WARD_DONE;
}

static void send_all(const struct later *these, size_t count)
{
	memset(laters, 0, sizeof laters);
	memcpy(laters, these, count * sizeof *these);
	script_do(scene.kit, scene.a.ref, do_send, NULL);
	ward_kit_run(scene.kit);
}

static void send_one(const char *text, int64_t after_ms)
{
	send_all(&(struct later){.text = text, .after_ms = after_ms, .key = KEY}, 1);
}

/* ---- sending ----------------------------------------------------------------------------- */

WARD_TEST(message_is_sent_when_its_time_has_come_and_once)
{
	start();
	send_one("hello", 10);
	ward_assert_eq(ward_kit_stats(scene.kit).timers, 1);
	ward_kit_advance(scene.kit, 9);
	assert_journal("");
	ward_kit_advance(scene.kit, 1000);
	assert_journal("hello of a to b at 10");
	finish();
}

WARD_TEST(message_for_ever_is_never_sent_not_even_at_the_end_of_time)
{
	start();
	send_one("never", WARD_FOREVER);
	ward_assert(!ward_simulation_advance(ward_kit_system(scene.kit), INT64_MAX));
	ward_assert(!ward_simulation_advance(ward_kit_system(scene.kit), INT64_MAX - 1));
	send_one("too late", 1000); /* instead of the first */
	ward_assert(!ward_simulation_advance(ward_kit_system(scene.kit), INT64_MAX));
	assert_journal("");
	finish();
}

WARD_TEST(message_without_a_key_replaces_none)
{
	static const struct later these[] = {
		{"third", 30, false, 0}, {"first", 10, false, 0}, {"second", 20, true, 0}};
	start();
	send_all(these, 3);
	ward_kit_advance(scene.kit, 1000);
	assert_journal("first of a to b at 10;second of a to a at 20;third of a to b at 30");
	finish();
}

WARD_TEST(message_of_no_time_is_sent_after_what_self_has_sent_before)
{
	start();
	send_all(&(struct later){.text = "later"}, 1);
	script_do(scene.kit, scene.a.ref, do_send, NULL);
	ward_kit_advance(scene.kit, 0);
	ward_kit_run(scene.kit);
	assert_journal("later of a to b at 0;later of a to b at 0");
	finish();
}

WARD_TEST(message_with_a_key_replaces_another_whoever_they_are_for)
{
	static const struct later these[] = {{"first", 10, false, 5},
					     {"second", 20, true, 5},
					     {"other", 30, false, 6},
					     {"third", 40, false, 5}};
	start();
	send_all(these, 4);
	ward_assert_eq(ward_kit_stats(scene.kit).timers, 2);
	ward_kit_advance(scene.kit, 1000);
	assert_journal("other of a to b at 30;third of a to b at 40");
	ward_assert_eq(script_words_left(), 0);
	finish();
}

static ward_result do_start_without_keys(ward_self *self, void *arg)
{
	(void)arg;
	for (int i = 1; i <= 3; i++)
		ward_assert_ok(start_word(self, &(ward_timer){.after_ms = 10 * i}, "tick"));
	ward_assert(!ward_timer_open(self, 0));
	ward_timer_cancel(self, 0);
	/* Nor are their numbers keys. */
	for (uint64_t key = 1; key < 100; key++)
		ward_timer_cancel(self, key);
	return WARD_DONE;
}

WARD_TEST(timers_without_a_key_are_any_number_and_not_cancelled)
{
	start();
	script_do(scene.kit, scene.a.ref, do_start_without_keys, NULL);
	ward_kit_advance(scene.kit, 1000);
	assert_journal("tick of a to a at 10;tick of a to a at 20;tick of a to a at 30");
	finish();
}

static ward_result do_repeat(ward_self *self, void *arg)
{
	ward_assert_ok(start_word(self, arg, "again"));
	return WARD_DONE;
}

static ward_result do_cancel_repeating(ward_self *self, void *arg)
{
	ward_timer_cancel(self, ((const ward_timer *)arg)->key);
	return WARD_DONE;
}

WARD_TEST(message_that_repeats_is_sent_until_it_is_cancelled)
{
	ward_timer timer = {
		.key = 1, .mode = WARD_TIMER_FIXED_RATE, .after_ms = 10, .every_ms = 20};
	start();
	timer.to = scene.b.ref;
	script_do(scene.kit, scene.a.ref, do_repeat, &timer);
	ward_kit_advance(scene.kit, 55);
	assert_journal("again of a to b at 10;again of a to b at 30;again of a to b at 50");
	script_do(scene.kit, scene.a.ref, do_cancel_repeating, &timer);
	ward_kit_advance(scene.kit, 1000);
	assert_journal("again of a to b at 10;again of a to b at 30;again of a to b at 50");
	ward_assert_eq(script_words_left(), 0);
	finish();
}

static ward_result answer_later(ward_self *self, const ward_msg *msg)
{
	const struct ping *ping = ward_match(msg, ping);
	if (ping == NULL)
		return WARD_UNHANDLED;
	ward_tell_after(self, ward_msg_sender(msg), 0, 40, pong, .number = ping->number);
	return WARD_DONE;
}

static ward_result ask_b(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert_ok(ward_try_ask(self, scene.b.ref, 7, 100, ping, .number = 5));
	return WARD_DONE;
}

static ward_result note_pong(ward_self *self, const ward_msg *msg)
{
	const struct pong *pong = ward_match(msg, pong);
	if (pong == NULL)
		return WARD_UNHANDLED;
	journal_note("%d: %d at %d", (int)ward_ask_tag(self), pong->number, now_ms());
	return WARD_DONE;
}

WARD_TEST(question_may_be_answered_later)
{
	start();
	scene.b.receive = answer_later;
	scene.a.receive = note_pong;
	script_do(scene.kit, scene.a.ref, ask_b, NULL);
	ward_kit_advance(scene.kit, 1000);
	assert_journal("7: 5 at 40");
	finish();
}

static ward_result send_pill(ward_self *self, void *arg)
{
	(void)arg;
	ward_tell_after(self, scene.b.ref, 0, 10, ward_poison_pill);
	return WARD_DONE;
}

WARD_TEST(message_to_one_who_is_gone_is_a_dead_letter)
{
	start();
	send_one("hello", 20);
	script_do(scene.kit, scene.a.ref, send_pill, NULL);
	ward_kit_advance(scene.kit, 1000);
	ward_assert_state(scene.kit, scene.b.ref, WARD_STATE_GONE);
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_DEAD_LETTER, "*"), 1);
	ward_assert_eq(ward_kit_event(scene.kit, WARD_EVENT_DEAD_LETTER, "*", 0)->reason,
		       WARD_REASON_DEAD);
	finish();
}

/* ---- taking back ------------------------------------------------------------------------- */

static ward_result do_cancel(ward_self *self, void *arg)
{
	bool *ret_cancelled = arg;
	*ret_cancelled = ward_timer_open(self, KEY);
	ward_timer_cancel(self, KEY);
	ward_assert(!ward_timer_open(self, KEY));
	return WARD_DONE;
}

static bool cancel(void)
{
	bool cancelled = false;
	script_do(scene.kit, scene.a.ref, do_cancel, &cancelled);
	ward_kit_run(scene.kit);
	return cancelled;
}

WARD_TEST(message_that_is_taken_back_is_never_sent)
{
	static const struct later these[] = {{"not", 10, false, KEY}, {"this", 20, false, 0}};
	start();
	send_all(these, 2);
	ward_kit_advance(scene.kit, 9);
	ward_assert(cancel());
	ward_assert(!cancel());
	ward_kit_advance(scene.kit, 1000);
	assert_journal("this of a to b at 20");
	ward_assert_eq(script_words_left(), 0);
	finish();
}

WARD_TEST(message_that_was_sent_cannot_be_taken_back)
{
	start();
	send_one("hello", 10);
	ward_kit_advance(scene.kit, 10);
	ward_assert(!cancel());
	assert_journal("hello of a to b at 10");
	finish();
}

WARD_TEST(message_is_taken_back_although_it_is_due)
{
	bool cancelled = false;
	start();
	send_one("not", 10);
	script_do(scene.kit, scene.a.ref, do_cancel, &cancelled); /* waits before the tick */
	pass(10);
	ward_kit_run(scene.kit);
	ward_assert(cancelled);
	assert_journal("");
	finish();
}

/* ---- the life of the sender -------------------------------------------------------------- */

WARD_TEST(message_is_dropped_with_its_incarnation, "S44", "S87")
{
	for (int round = 0; round < 2; round++) {
		start();
		send_one("not", 10);
		if (round == 0)
			script_break(scene.kit, scene.a.ref, &ward_exception);
		else
			ward_kit_stop(scene.kit, scene.a.ref);
		ward_kit_run(scene.kit);
		ward_assert_eq(ward_kit_stats(scene.kit).timers, 0);
		ward_assert_eq(script_words_left(), 0);
		ward_kit_advance(scene.kit, 1000);
		assert_journal_of("b", "");
		finish();
	}
}

WARD_TEST(message_that_is_due_while_its_sender_restarts_is_dropped, "S87")
{
	start();
	send_one("not", 10);
	script_break(scene.kit, scene.a.ref, &ward_exception);
	pass(10);
	ward_kit_advance(scene.kit, 1000);
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*/a"), 1);
	ward_assert(strstr(journal_text(), "not of") == NULL);
	finish();
}

WARD_TEST(message_of_a_sender_that_is_suspended_waits_until_it_goes_on)
{
	static const ward_strategy resume = {.otherwise = WARD_RESUME};
	struct script parent = {.name = "p", .strategy = &resume};
	start();
	ward_kit_stop(scene.kit, scene.a.ref);
	ward_kit_run(scene.kit);
	parent.children[0] = &scene.a;
	script_spawn(scene.kit, &parent);
	ward_kit_run(scene.kit);
	journal_clear();
	send_one("hello", 10);
	script_break(scene.kit, scene.a.ref, &ward_exception);
	while (ward_kit_state(scene.kit, scene.a.ref) != WARD_STATE_FAILED)
		ward_assert(ward_kit_step(scene.kit));
	pass(30);
	ward_assert(strstr(journal_text(), "hello") == NULL);
	ward_kit_run(scene.kit);
	ward_assert_part(journal_text(), "hello of a to b at 30");
	finish();
}

/* ---- what is refused --------------------------------------------------------------------- */

static ward_result do_wrong(ward_self *self, void *arg)
{
	struct later later = {.text = "not"};
	(void)arg;
	ward_assert_err(send_word(self, ward_nobody(), &later), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "the receiver is nobody");
	later.after_ms = -1;
	ward_assert_err(send_word(self, scene.b.ref, &later), WARD_EINVAL);
	const ward_timer timer = {.key = 99, .after_ms = 1, .to = scene.b.ref};
	ward_assert_err(ward_try_timer_start(self, &timer, NULL, NULL, 0), WARD_EINVAL);
	ward_assert_err(ward_try_timer_start(self, &timer, &ward_type_ping, "", 1), WARD_ESIZE);
	ward_assert(!ward_timer_open(self, 99));
	return WARD_DONE;
}

WARD_TEST(wrong_message_is_refused_and_dropped)
{
	start();
	script_do(scene.kit, scene.a.ref, do_wrong, NULL);
	ward_kit_advance(scene.kit, 1000);
	assert_journal("");
	ward_assert_eq(script_words_left(), 0);
	finish();
}

static ward_result do_send_short(ward_self *self, void *arg)
{
	struct later later = {.text = "not", .after_ms = 10};
	uint64_t shortages = ward_kit_stats(arg).shortages;
	ward_kit_fail_all_allocations(arg, true);
	ward_assert_err(send_word(self, scene.b.ref, &later), WARD_ENOMEM);
	ward_kit_fail_all_allocations(arg, false);
	ward_assert_eq(ward_kit_stats(arg).shortages, shortages + 1);
	return WARD_DONE;
}

WARD_TEST(message_without_memory_is_refused_and_dropped)
{
	start();
	script_do(scene.kit, scene.a.ref, do_send_short, scene.kit);
	ward_kit_advance(scene.kit, 1000);
	assert_journal("");
	ward_assert_eq(script_words_left(), 0);
	finish();
}

/* ---- deadlines --------------------------------------------------------------------------- */

static ward_deadline until;

static ward_result do_set(ward_self *self, void *arg)
{
	until = ward_deadline_in(self, *(const int64_t *)arg);
	return WARD_DONE;
}

static int64_t left_ms;

static ward_result do_look(ward_self *self, void *arg)
{
	(void)arg;
	left_ms = ward_deadline_left_ms(self, until);
	return WARD_DONE;
}

static int64_t left(void)
{
	script_do(scene.kit, scene.a.ref, do_look, NULL);
	ward_kit_run(scene.kit);
	return left_ms;
}

static void set(int64_t timeout_ms)
{
	script_do(scene.kit, scene.a.ref, do_set, &timeout_ms);
	ward_kit_run(scene.kit);
}

WARD_TEST(deadline_comes_nearer_and_is_over)
{
	start();
	set(100);
	ward_assert_eq(left(), 100);
	ward_kit_advance(scene.kit, 99);
	ward_assert_eq(left(), 1);
	(void)!ward_simulation_advance(ward_kit_system(scene.kit), until.at_ns - 1);
	ward_assert_eq(left(), 1); /* rounded up: not over yet */
	ward_kit_advance(scene.kit, 1);
	ward_assert_eq(left(), 0);
	ward_kit_advance(scene.kit, 1);
	ward_assert_eq(left(), 0);
	finish();
}

WARD_TEST(deadline_of_no_time_is_over_and_one_for_ever_never_is)
{
	start();
	set(0);
	ward_assert_eq(left(), 0);
	set(-WARD_FOREVER);
	ward_assert_eq(left(), 0);
	set(WARD_FOREVER);
	ward_assert_eq(left(), WARD_FOREVER);
	set(WARD_FOREVER / 2);
	ward_kit_advance(scene.kit, WARD_MINUTE);
	ward_assert_eq(left(), WARD_FOREVER);
	until = (ward_deadline){0};
	ward_assert_eq(left(), 0);
	ward_assert_eq(ward_deadline_min((ward_deadline){1}, (ward_deadline){2}).at_ns, 1);
	ward_assert_eq(ward_deadline_min((ward_deadline){2}, (ward_deadline){1}).at_ns, 1);
	finish();
}

WARD_TEST_MAIN
