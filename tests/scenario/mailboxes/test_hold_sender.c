/* SPDX-License-Identifier: MIT
 *
 * test_hold_sender.c - WARD_OVERFLOW_HOLD_SENDER: who is held, until when, and what goes on
 * meanwhile.
 *
 * Method: see full_mailbox.h. What is said to a held actor must wait; what is done to it must not.
 * Ends and circles are in test_hold_sender_end.c.
 */
#include "full_mailbox.h"

enum { ROUNDS = 40 };

WARD_TEST(sender_of_too_much_waits_until_half_is_left)
{
	size_t at_once = 0;
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct stage s = STAGE;
		stage_start(&s);
		fill(&s, &s.p, &s.c, STAGE_MAX + 1);
		check_held(s.kit, &s.p, &s.c);
		ward_assert_eq(look_at(s.kit, &s.c).mailbox, STAGE_MAX + 1);
		ward_assert_eq(look_at(s.kit, &s.p).suspended, 0);
		ward_assert_state(s.kit, s.p.ref, WARD_STATE_RUNNING);
		script_say(s.kit, s.p.ref, "next");
		ward_kit_run(s.kit);
		assert_journal("");
		let(&s, &s.c, WARD_RESUME);
		assert_journal_of("c", "1;2;3;4;5");
		assert_journal_of("p", "next");
		ward_assert(at("p:next") > at("c:3"));
		at_once += at("p:next") < at("c:4");
		check_held(s.kit, &s.p, NULL);
		ward_assert_eq(look_at(s.kit, &s.c).dropped, 0);
		ward_assert_eq(ward_kit_stats(s.kit).dead_letters, 0);
		stage_finish(&s);
	}
	ward_assert_seen(at_once);
}

WARD_TEST(sender_of_just_enough_goes_on)
{
	struct stage s = STAGE;
	stage_start(&s);
	fill(&s, &s.p, &s.c, STAGE_MAX);
	check_goes_on(s.kit, &s.p);
	let(&s, &s.c, WARD_RESUME);
	stage_finish(&s);
}

static ward_result try_three(ward_self *self, void *arg)
{
	ward_kit *kit = ((struct stage *)arg)->kit;
	ward_ref c = ((struct stage *)arg)->c.ref;
	uint64_t blocks = ward_kit_blocks(kit);
	for (int i = 0; i < 3; i++) {
		struct script_word word = script_word("try", &(struct script_word){0});
		ward_assert_ok(ward_try_send(self, c, &ward_type_script_word, &word, sizeof word));
	}
	/* messages, a record, and the table that finds it */
	ward_assert_eq(ward_kit_blocks(kit) - blocks, 3 + 1 + 1);
	return WARD_DONE;
}

static void note_the_held(void *arg, const char *line)
{
	(void)arg;
	if (strstr(line, "held by") != NULL)
		journal_note("%s", line + strspn(line, " "));
}

WARD_TEST(tree_says_who_holds_whom)
{
	struct stage s = STAGE;
	stage_start(&s);
	fill(&s, &s.p, &s.c, STAGE_MAX + 1);
	journal_clear();
	ward_assert_ok(ward_system_tree(ward_kit_system(s.kit), note_the_held, NULL));
	ward_assert_part(journal_text(), "p running, held by sim/user/o/c");
	let(&s, &s.c, WARD_RESUME);
	check_goes_on(s.kit, &s.p);
	stage_finish(&s);
}

WARD_TEST(try_form_of_an_actor_is_taken_too)
{
	struct stage s = STAGE;
	stage_start(&s);
	fill(&s, &s.q, &s.c, STAGE_MAX);
	script_do(s.kit, s.p.ref, try_three, &s);
	ward_kit_run(s.kit);
	check_held(s.kit, &s.p, &s.c);
	check_held(s.kit, &s.q, NULL);
	ward_assert_eq(look_at(s.kit, &s.c).mailbox, STAGE_MAX + 3);
	let(&s, &s.c, WARD_RESUME);
	check_goes_on(s.kit, &s.p);
	stage_finish(&s);
}

WARD_TEST(each_of_many_senders_has_one_message_more_in_the_mailbox)
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct stage s = STAGE;
		stage_start(&s);
		fill(&s, &s.p, &s.c, STAGE_MAX);
		for (int i = 0; i < 3; i++) {
			struct words one = {&s.c, 1};
			script_do(s.kit, s.p.ref, send_words, &one);
			script_do(s.kit, s.q.ref, send_words, &one);
			ward_kit_run(s.kit);
			ward_assert_eq(look_at(s.kit, &s.c).mailbox, STAGE_MAX + 2);
			if (i == 2)
				let(&s, &s.c, WARD_RESUME);
		}
		assert_journal_of("c", "1;2;3;4;1;1;1;1;1;1");
		check_goes_on(s.kit, &s.p);
		check_goes_on(s.kit, &s.q);
		stage_finish(&s);
	}
}

static ward_result send_to_both(ward_self *self, void *arg)
{
	struct stage *s = arg;
	script_tell(self, s->c.ref, "more");
	script_tell(self, s->d.ref, "more");
	return WARD_DONE;
}

WARD_TEST(sender_to_two_full_mailboxes_in_one_callback_waits_for_both)
{
	for (int first = 0; first < 2; first++) {
		struct stage s = STAGE;
		stage_start(&s);
		fill(&s, &s.q, &s.c, STAGE_MAX);
		fill(&s, &s.q, &s.d, STAGE_MAX);
		script_do(s.kit, s.p.ref, send_to_both, &s);
		ward_kit_run(s.kit);
		check_held(s.kit, &s.p, &s.c);
		let(&s, first == 0 ? &s.c : &s.d, WARD_RESUME);
		check_held(s.kit, &s.p, first == 0 ? &s.d : &s.c);
		let(&s, first == 0 ? &s.d : &s.c, WARD_RESUME);
		check_goes_on(s.kit, &s.p);
		stage_finish(&s);
	}
}

/* ---- who is not held --------------------------------------------------------------------- */

struct question {
	int what;
};
WARD_MESSAGE_FLAT(question);
WARD_REPLY(question, question);

WARD_TEST(thread_outside_is_refused)
{
	struct stage s = STAGE;
	struct question answer;
	stage_start(&s);
	fill(&s, &s.p, &s.c, STAGE_MAX);
	ward_assert_err(ward_system_try_tell(ward_kit_system(s.kit), s.c.ref, question, 0),
			WARD_EFULL);
	ward_assert_part(ward_err_detail(), "the mailbox of sim/user/o/c is full");
	ward_assert_eq(ward_kit_stats(s.kit).dead_letters, 0);
	script_say(s.kit, s.c.ref, "outside");
	ward_assert_err(ward_system_ask(ward_kit_system(s.kit), s.c.ref, WARD_SECOND, &answer,
					question, .what = 1),
			WARD_EFULL);
	for (size_t i = 0; i < 2; i++)
		ward_assert_eq(ward_kit_event(s.kit, WARD_EVENT_DEAD_LETTER, "*", i)->reason,
			       WARD_REASON_FULL);
	ward_assert_eq(look_at(s.kit, &s.c).mailbox, STAGE_MAX);
	ward_assert_eq(look_at(s.kit, &s.c).dropped, 3);
	let(&s, &s.c, WARD_RESUME);
	assert_journal_of("c", "1;2;3;4");
	stage_finish(&s);
}

static ward_result listen(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert_ok(ward_try_subscribe(self, WARD_EVENT_UNHANDLED));
	return WARD_DONE;
}

static ward_result not_handled(ward_self *self, const ward_msg *msg)
{
	(void)self;
	(void)msg;
	return WARD_UNHANDLED;
}

WARD_TEST(nobody_is_held_for_an_event)
{
	struct script l = {.name = "l",
			   .mailbox = {.messages_max = 1, .overflow = WARD_OVERFLOW_HOLD_SENDER}};
	struct script p = {.name = "p", .receive = not_handled};
	ward_kit *kit = script_start(NULL);
	script_spawn(kit, &p);
	script_spawn(kit, &l);
	script_do(kit, l.ref, listen, NULL);
	ward_kit_run(kit);
	script_say(kit, l.ref, ""); /* its mailbox is full until it has its turn */
	for (int i = 0; i < 20; i++)
		ward_kit_tell(kit, p.ref, question, .what = i);
	uint64_t lost = 0;
	while (ward_kit_step(kit)) {
		check_held(kit, &p, NULL);
		lost = ward_kit_stats(kit).events_lost;
	}
	ward_assert(lost > 0);
	script_finish(kit);
}

static ward_result send_without_memory(ward_self *self, void *arg)
{
	struct stage *s = arg;
	ward_kit_fail_allocation(s->kit, 2); /* the message finds some, the record none */
	script_tell(self, s->c.ref, "more");
	ward_kit_fail_allocation(s->kit, 0);
	return WARD_DONE;
}

WARD_TEST(sender_is_not_held_when_there_is_no_memory_to_note_it)
{
	struct stage s = STAGE;
	stage_start(&s);
	fill(&s, &s.p, &s.c, STAGE_MAX);
	script_do(s.kit, s.p.ref, send_without_memory, &s);
	uint64_t shortages = ward_kit_stats(s.kit).shortages;
	ward_kit_run(s.kit);
	ward_assert_eq(ward_kit_stats(s.kit).shortages, shortages + 1);
	ward_assert_eq(look_at(s.kit, &s.c).mailbox, STAGE_MAX + 1);
	check_goes_on(s.kit, &s.p);
	let(&s, &s.c, WARD_RESUME);
	stage_finish(&s);
}

WARD_TEST(who_owes_a_decision_is_not_held)
{
	struct stage s = STAGE;
	stage_start(&s);
	fill(&s, &s.o, &s.c, STAGE_MAX + 1); /* its own child, which waits for it */
	check_held(s.kit, &s.o, NULL);
	let(&s, &s.d, WARD_RESUME);
	fill(&s, &s.o, &s.c, 1);
	check_held(s.kit, &s.o, NULL);
	let(&s, &s.c, WARD_RESUME);
	assert_journal_of("c", "1;2;3;4;5;1");
	stage_finish(&s);
}

WARD_TEST(held_actor_that_puts_a_decision_off_goes_on)
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct stage s = STAGE;
		struct script k = {.name = "k"};
		s.p.strategy = &script_one;
		s.p.decides = WARD_LATER;
		s.p.children[0] = &k;
		stage_start(&s);
		fill(&s, &s.p, &s.c, STAGE_MAX + 1);
		check_held(s.kit, &s.p, &s.c);
		script_break(s.kit, k.ref, &held_bad_luck);
		ward_kit_run(s.kit);
		check_goes_on(s.kit, &s.p);
		struct order order = {&k, WARD_RESUME};
		script_do(s.kit, s.p.ref, carry_out, &order);
		ward_kit_run(s.kit);
		/* It owes nothing any more, so what it sends next counts again. */
		fill(&s, &s.p, &s.c, 1);
		check_held(s.kit, &s.p, &s.c);
		let(&s, &s.c, WARD_RESUME);
		check_goes_on(s.kit, &s.p);
		stage_finish(&s);
	}
}

/* ---- meanwhile --------------------------------------------------------------------------- */

WARD_TEST(held_actor_decides_about_its_children, "S1")
{
	struct stage s = STAGE;
	struct script k = {.name = "k"};
	s.p.strategy = &script_one;
	s.p.decides = WARD_RESTART;
	s.p.children[0] = &k;
	stage_start(&s);
	fill(&s, &s.p, &s.c, STAGE_MAX + 1);
	script_break(s.kit, k.ref, &held_bad_luck);
	ward_kit_run(s.kit);
	assert_journal("k:break;p:decide k;k:pre_restart;k:post_stop;k:init;k:post_restart;"
		       "k:pre_start");
	check_held(s.kit, &s.p, &s.c);
	let(&s, &s.c, WARD_RESUME);
	check_goes_on(s.kit, &s.p);
	stage_finish(&s);
}

static ward_result start_timer(ward_self *self, void *arg)
{
	const struct stage *s = arg;
	struct script_word tick = script_word("tick", &(struct script_word){0});
	ward_assert_ok(ward_try_watch(self, s->q.ref));
	ward_assert_ok(ward_try_timer_start(self, &(ward_timer){.key = 1, .after_ms = 10},
					    &ward_type_script_word, &tick, sizeof(tick)));
	return WARD_DONE;
}

WARD_TEST(ticks_and_notices_wait_with_a_held_actor)
{
	struct stage s = STAGE;
	stage_start(&s);
	script_do(s.kit, s.p.ref, start_timer, &s);
	fill(&s, &s.p, &s.c, STAGE_MAX + 1);
	ward_kit_stop(s.kit, s.q.ref);
	ward_kit_advance(s.kit, 20);
	assert_journal("q:post_stop");
	let(&s, &s.c, WARD_RESUME);
	assert_journal_of("p", "gone q;tick");
	stage_finish(&s);
}

WARD_TEST(pill_waits_with_a_held_actor_and_a_stop_does_not, "S50")
{
	struct stage s = STAGE;
	stage_start(&s);
	fill(&s, &s.p, &s.c, STAGE_MAX + 1);
	fill(&s, &s.q, &s.c, 1);
	check_held(s.kit, &s.q, &s.c);
	ward_kit_tell(s.kit, s.p.ref, ward_poison_pill);
	script_say(s.kit, s.q.ref, "never");
	ward_kit_stop(s.kit, s.q.ref);
	ward_kit_run(s.kit);
	assert_journal("q:post_stop");
	let(&s, &s.c, WARD_RESUME);
	assert_journal_of("c", "1;2;3;4;5;1");
	assert_journal_of("p", "post_stop");
	stage_finish(&s);
}

static ward_result send_and_fail(ward_self *self, void *arg)
{
	(void)send_words(self, arg);
	return ward_failed(self, &held_bad_luck, "as told");
}

WARD_TEST(held_actor_is_restarted_and_still_held)
{
	struct stage s = STAGE;
	struct words words = {&s.c, STAGE_MAX + 1};
	stage_start(&s);
	script_do(s.kit, s.p.ref, send_and_fail, &words);
	script_say(s.kit, s.p.ref, "next");
	ward_kit_run(s.kit);
	assert_journal("p:pre_restart;p:post_stop;p:init;p:post_restart;p:pre_start");
	check_held(s.kit, &s.p, &s.c);
	journal_clear();
	let(&s, &s.c, WARD_RESUME);
	assert_journal_of("p", "next");
	stage_finish(&s);
}

static ward_result send_at_start(ward_self *self, void *arg)
{
	return send_words(self, arg);
}

WARD_TEST(actor_that_sends_too_much_at_its_start_waits_before_its_first_message)
{
	struct stage s = STAGE;
	struct words words = {&s.c, STAGE_MAX + 1};
	struct script r = {.name = "r", .pre_start = send_at_start, .arg = &words};
	stage_start(&s);
	script_spawn(s.kit, &r);
	ward_assert_state(s.kit, r.ref, WARD_STATE_RUNNING);
	check_held(s.kit, &r, &s.c);
	journal_clear();
	script_say(s.kit, r.ref, "first");
	ward_kit_run(s.kit);
	assert_journal("");
	let(&s, &s.c, WARD_RESUME);
	assert_journal_of("r", "first");
	stage_finish(&s);
}

WARD_TEST_MAIN
