/* SPDX-License-Identifier: MIT
 *
 * test_ask.c - a question of an actor ends in exactly one message: the answer, the timeout, or the
 * end of the asked actor.
 *
 * Method: virtual time. pass() lets time pass without a turn of any actor, so that several ends of
 * one question wait in the asker's mailbox at once.
 */
#include "asking.h"

#include "core/self.h"

/* ---- the three ends ---------------------------------------------------------------------- */

WARD_TEST(ask_is_answered_in_receive_with_its_tag_and_sender, "S44")
{
	struct office office = {0};
	open_office(&office, ANSWER);
	ask_b(&office);
	assert_journal("7: 5 of b");
	ward_kit_advance(office.kit, 1000);
	assert_journal("7: 5 of b");
	ward_assert_eq(ward_kit_stats(office.kit).dead_letters, 0);
	close_office(&office);
}

WARD_TEST(ask_without_an_answer_is_late_and_says_whom_what_and_how_long)
{
	struct office office = {0};
	open_office(&office, SILENT);
	ask_b(&office);
	ward_kit_advance(office.kit, 99);
	assert_journal("");
	ward_kit_advance(office.kit, 1);
	assert_journal("7: late of b");
	ward_assert_str(last_text, "sim/user/b did not answer \"question\" within 100 ms");
	ward_kit_advance(office.kit, 1000);
	assert_journal("7: late of b");
	close_office(&office);
}

WARD_TEST(ask_of_one_that_ends_with_the_question_in_hand_is_told_at_once)
{
	struct office office = {0};
	open_office(&office, DIE);
	ask_b(&office);
	assert_journal("b:post_stop;7: gone of b");
	ward_assert_str(last_text, "sim/user/b did not answer \"question\": it is gone");
	close_office(&office);
}

WARD_TEST(ask_of_one_that_ends_later_is_told_then)
{
	struct office office = {0};
	open_office(&office, SILENT);
	order(&office, (ward_question){.to = office.b.ref, .timeout_ms = WARD_FOREVER, .tag = TAG});
	ward_kit_run(office.kit);
	ward_assert_eq(ward_kit_stats(office.kit).timers, 0);
	assert_journal("");
	ward_system_stop(ward_kit_system(office.kit), office.b.ref);
	ward_kit_run(office.kit);
	assert_journal("b:post_stop;7: gone of b");
	close_office(&office);
}

WARD_TEST(answer_sent_before_the_end_wins_over_it)
{
	WARD_TEST_SEEDS(20)
	{
		struct office office = {0};
		open_office(&office, ANSWER_DIE);
		ask_b(&office);
		ward_assert_str(journal_of("7"), " 5 of b");
		ward_assert_eq(ward_kit_stats(office.kit).dead_letters, 0);
		close_office(&office);
	}
}

WARD_TEST(restart_of_the_asked_is_no_end)
{
	struct office office = {0};
	open_office(&office, BREAK);
	ask_b(&office);
	ward_assert(strstr(journal_text(), "7:") == NULL);
	ward_kit_advance(office.kit, 100);
	ward_assert_part(journal_text(), "7: late of b");
	close_office(&office);
}

WARD_TEST(first_end_in_the_mailbox_is_the_one_that_counts)
{
	/* The asker has no turn while two or three ends of its question come to its mailbox. */
	struct office office = {0};
	open_office(&office, LATER);
	ask_b(&office);
	ward_ref question = office.clerk_b.asker;
	pass(&office, 200); /* late */
	ward_system_tell(ward_kit_system(office.kit), question, answer, .number = 6);
	ward_system_stop(ward_kit_system(office.kit), office.b.ref);
	ward_kit_run(office.kit);
	assert_journal_of("7", " late of b");
	ward_assert_eq(ward_kit_stats(office.kit).dead_letters, 1);
	close_office(&office);
}

/* ---- answers ----------------------------------------------------------------------------- */

WARD_TEST(second_answer_is_a_dead_letter_and_stale)
{
	struct office office = {0};
	open_office(&office, TWICE);
	ask_b(&office);
	assert_journal("7: 5 of b");
	ward_assert_eq(letters(&office, WARD_REASON_STALE), 1);
	close_office(&office);
}

WARD_TEST(answer_that_comes_too_late_is_a_dead_letter_and_stale)
{
	struct office office = {0};
	open_office(&office, LATER);
	ask_b(&office);
	ward_kit_advance(office.kit, 100);
	assert_journal("7: late of b");
	ward_system_tell(ward_kit_system(office.kit), office.clerk_b.asker, answer, .number = 6);
	ward_kit_run(office.kit);
	assert_journal("7: late of b");
	ward_assert_eq(letters(&office, WARD_REASON_STALE), 1);
	close_office(&office);
}

WARD_TEST(question_passed_on_is_answered_by_the_other)
{
	struct office office = {0};
	open_office(&office, PASS_ON);
	ask_b(&office);
	assert_journal("7: 5 of c");
	close_office(&office);
}

WARD_TEST(answer_that_owns_something_arrives_with_it)
{
	struct office office = {0};
	open_office(&office, SEND_WORD);
	ask_b(&office);
	assert_journal("7: script_word;a:word");
	close_office(&office);
}

WARD_TEST(pill_and_kill_reach_the_asker_and_are_no_answer, "S50")
{
	struct office office = {0};
	open_office(&office, SEND_PILL);
	ask_b(&office);
	assert_journal("a:post_stop");
	ward_assert(!ward_is_alive(ward_kit_system(office.kit), office.a.ref));
	close_office(&office);

	office = (struct office){0};
	open_office(&office, SEND_KILL);
	ask_b(&office);
	assert_journal("a:post_stop");
	ward_assert_eq(ward_kit_stats(office.kit).failures, 1);
	close_office(&office);
}

WARD_TEST(stale_pill_does_not_reach_who_lives_in_the_askers_cell_now, "S57")
{
	struct office office = {0};
	struct script d = {.name = "d", .receive = note_ends};
	open_office(&office, LATER);
	ask_b(&office);
	ward_ref question = office.clerk_b.asker;
	ward_system_stop(ward_kit_system(office.kit), office.a.ref);
	ward_kit_run(office.kit);
	script_spawn(office.kit, &d);
	ward_assert_eq((uint32_t)d.ref.uid, (uint32_t)office.a.ref.uid);
	ward_system_tell(ward_kit_system(office.kit), question, ward_poison_pill);
	ward_system_tell(ward_kit_system(office.kit), question, answer, .number = 1);
	ward_kit_run(office.kit);
	ward_assert(ward_is_alive(ward_kit_system(office.kit), d.ref));
	ward_assert_eq(ward_kit_stats(office.kit).dead_letters, 2);
	ward_assert_eq(ward_kit_stats(office.kit).unhandled, 0);
	close_office(&office);
}

WARD_TEST(forged_notice_is_no_answer, "S63")
{
	struct office office = {0};
	open_office(&office, SEND_FORGED);
	ask_b(&office);
	assert_journal("7: 5 of b");
	close_office(&office);
}

/* ---- questions that do not get there ----------------------------------------------------- */

WARD_TEST(question_to_the_dead_fails_at_once_by_a_message)
{
	struct office office = {0};
	open_office(&office, ANSWER);
	ward_system_stop(ward_kit_system(office.kit), office.b.ref);
	ward_kit_run(office.kit);
	journal_clear();
	ask_b(&office);
	assert_journal("7: gone of b");
	ward_assert_eq(letters(&office, WARD_REASON_DEAD), 1);
	close_office(&office);
}

WARD_TEST(question_passed_on_to_the_dead_fails_at_once)
{
	struct office office = {0};
	open_office(&office, PASS_ON);
	ward_system_stop(ward_kit_system(office.kit), office.c.ref);
	ward_kit_run(office.kit);
	journal_clear();
	ask_b(&office);
	assert_journal("7: gone of b");
	close_office(&office);
}

WARD_TEST(question_that_a_full_mailbox_does_not_take_or_keep_fails_at_once)
{
	/* refused; dropped on arrival; dropped for what came after it */
	for (ward_overflow overflow = WARD_REFUSE; overflow <= WARD_DROP_OLDEST; overflow++) {
		struct office office = {
			.b = {.mailbox = {.messages_max = 1, .overflow = overflow}}};
		open_office(&office, ANSWER);
		wanted.before = overflow == WARD_DROP_OLDEST ? NULL : "word";
		wanted.after = overflow == WARD_DROP_OLDEST ? "word" : NULL;
		ask_b(&office);
		assert_journal_of("7", " full of b");
		ward_assert_str(last_text,
				"sim/user/b did not answer \"question\": its mailbox is full");
		ward_assert_eq(letters(&office, WARD_REASON_FULL), 1);
		close_office(&office);
	}
}

WARD_TEST(ends_of_questions_are_not_counted_by_the_askers_bounded_mailbox)
{
	/* The answer, the timeout, and the death come to a box that is full. */
	for (int end = 0; end < 3; end++) {
		struct office office = {.a = {.mailbox = {.messages_max = 1}}};
		open_office(&office, end == 0 ? ANSWER : SILENT);
		order(&office, (ward_question){.to = office.b.ref, .timeout_ms = 100, .tag = TAG});
		ward_assert(ward_kit_step(office.kit)); /* a asks */
		script_say(office.kit, office.a.ref, "fills it");
		if (end == 1)
			pass(&office, 100);
		if (end == 2)
			ward_system_stop(ward_kit_system(office.kit), office.b.ref);
		ward_kit_run(office.kit);
		const char *const ends[] = {" 5 of b", " late of b", " gone of b"};
		ward_assert_str(journal_of("7"), ends[end]);
		assert_journal_of("a", "fills it");
		close_office(&office);
	}
}

/* ---- several questions ------------------------------------------------------------------- */

WARD_TEST(many_questions_are_told_apart_by_their_tags)
{
	struct office office = {0};
	open_office(&office, SILENT);
	for (uint64_t tag = 1; tag <= 40; tag++) {
		order(&office, (ward_question){.to = tag % 2 ? office.b.ref : office.c.ref,
					       .timeout_ms = 100,
					       .tag = tag});
		ward_kit_run(office.kit);
	}
	for (int tag = 2; tag <= 40; tag += 2) {
		char name[8], text[16];
		snprintf(name, sizeof(name), "%d", tag);
		snprintf(text, sizeof(text), " %d of c", 5);
		ward_assert_str(journal_of(name), text);
	}
	journal_clear();
	ward_kit_advance(office.kit, 100);
	for (int tag = 1; tag <= 40; tag += 2) {
		char name[8];
		snprintf(name, sizeof(name), "%d", tag);
		ward_assert_str(journal_of(name), " late of b");
	}
	close_office(&office);
}

static ward_result ask_again(ward_self *self, const ward_msg *msg)
{
	const struct answer *answer = ward_match(msg, answer);
	if (answer == NULL)
		return note_ends(self, msg);
	journal_note("%d: %d", (int)ward_answers(self), answer->number);
	if (answer->number < 3)
		ward_assert_ok(ward_ask(self, ward_answers(self), 100, ward_sender(self), question,
					.number = answer->number + 1));
	return WARD_DONE;
}

static ward_result ask_one(ward_self *self, void *arg)
{
	ward_assert_ok(ward_ask(self, TAG, 100, *(ward_ref *)arg, question, .number = 1));
	return WARD_DONE;
}

WARD_TEST(tag_is_free_again_when_its_end_is_handled)
{
	struct office office = {.a = {.receive = ask_again}};
	open_office(&office, ANSWER);
	script_do(office.kit, office.a.ref, ask_one, &office.b.ref);
	ward_kit_run(office.kit);
	assert_journal("7: 1;7: 2;7: 3");
	close_office(&office);
}

static ward_result ask_self(ward_self *self, const ward_msg *msg)
{
	const struct question *question = ward_match(msg, question);
	if (question == NULL)
		return note_ends(self, msg);
	if (question->number > 0)
		ward_answer(self, msg, question, .number = question->number);
	return WARD_DONE;
}

WARD_TEST(actor_may_ask_itself)
{
	struct office office = {.a = {.receive = ask_self}};
	open_office(&office, ANSWER);
	order(&office, (ward_question){.to = office.a.ref, .timeout_ms = 100, .tag = TAG});
	ward_kit_run(office.kit);
	assert_journal("7: 5 of a");
	/* and may end with its question open */
	order(&office, (ward_question){.to = office.a.ref, .timeout_ms = 100, .tag = TAG});
	script_say(office.kit, office.a.ref, "word");
	ward_system_stop(ward_kit_system(office.kit), office.a.ref);
	ward_kit_run(office.kit);
	close_office(&office);
}

/* ---- cancelled, and gone with the incarnation -------------------------------------------- */

WARD_TEST(cancelled_question_has_no_end_not_even_one_that_waits_already)
{
	for (int end = 0; end < 3; end++) {
		struct office office = {0};
		open_office(&office, end == 1 ? SILENT : LATER);
		ask_b(&office);
		if (end == 0)
			ward_system_tell(ward_kit_system(office.kit), office.clerk_b.asker, answer,
					 .number = 6);
		if (end == 2)
			ward_system_stop(ward_kit_system(office.kit), office.b.ref);
		script_do(office.kit, office.a.ref, do_cancel, NULL);
		if (end == 1)
			pass(&office, 200);
		ward_kit_run(office.kit);
		/* The end may have been first in the mailbox. */
		if (strstr(journal_text(), "7:") == NULL)
			ward_assert_eq(letters(&office, WARD_REASON_STALE), end == 0);
		script_do(office.kit, office.a.ref, do_cancel, NULL); /* an unknown tag */
		ward_kit_run(office.kit);
		close_office(&office);
	}
}

WARD_TEST(cancelled_before_its_late_end_is_handled_it_is_not_told)
{
	struct office office = {0};
	open_office(&office, SILENT);
	ask_b(&office);
	script_do(office.kit, office.a.ref, do_cancel, NULL);
	pass(&office, 200); /* late lies behind the order to cancel */
	ward_kit_run(office.kit);
	assert_journal("");
	close_office(&office);
}

static ward_result look_at_question(ward_self *self, const ward_failure *why, const ward_msg *msg)
{
	(void)why;
	(void)msg;
	journal_note("question is %s", ward_asking(self, TAG) ? "open" : "closed");
	ward_assert_eq(ward_answers(self), 0);
	return WARD_DONE;
}

WARD_TEST(nothing_comes_of_a_question_after_a_restart_of_the_asker, "S44")
{
	/* The end waits in the mailbox behind the word that breaks; or comes later. */
	for (int end = 0; end < 6; end++) {
		struct office office = {.a = {.pre_restart = look_at_question}};
		open_office(&office, LATER);
		ask_b(&office);
		script_break(office.kit, office.a.ref, &bad_luck);
		if (end >= 3)
			ward_kit_run(office.kit);
		if (end % 3 == 0)
			ward_system_tell(ward_kit_system(office.kit), office.clerk_b.asker, answer,
					 .number = 6);
		if (end % 3 == 1)
			pass(&office, 200);
		if (end % 3 == 2)
			ward_system_stop(ward_kit_system(office.kit), office.b.ref);
		ward_kit_run(office.kit);
		ward_kit_advance(office.kit, 200);
		ward_assert_part(journal_text(), "question is closed");
		if (end >= 3 || end == 1)
			ward_assert(strstr(journal_text(), "7:") == NULL);
		/* The next incarnation asks with the same tag. */
		journal_clear();
		order(&office, (ward_question){.to = office.c.ref, .timeout_ms = 100, .tag = TAG});
		ward_kit_run(office.kit);
		assert_journal("7: 5 of c");
		close_office(&office);
	}
}

WARD_TEST(stop_of_the_asker_leaves_nothing_and_makes_no_dead_letters, "S69")
{
	struct office office = {0};
	open_office(&office, SILENT);
	ask_b(&office);
	office.clerk_c.manner = SILENT;
	order(&office,
	      (ward_question){.to = office.c.ref, .timeout_ms = WARD_FOREVER, .tag = OTHER});
	ward_kit_run(office.kit);
	ward_system_stop(ward_kit_system(office.kit), office.a.ref);
	ward_kit_run(office.kit);
	ward_assert_eq(ward_kit_stats(office.kit).timers, 0);
	ward_system_stop(ward_kit_system(office.kit), office.b.ref);
	ward_kit_run(office.kit);
	ward_assert_eq(ward_kit_stats(office.kit).dead_letters, 0);
	close_office(&office);
}

WARD_TEST(answer_to_a_stopped_asker_is_a_dead_letter_with_what_it_owns)
{
	/* in its mailbox when it stops; sent afterwards */
	for (int after = 0; after < 2; after++) {
		struct office office = {0};
		open_office(&office, LATER);
		ask_b(&office);
		ward_system_stop(ward_kit_system(office.kit), office.a.ref);
		if (after)
			ward_kit_run(office.kit);
		struct script_word word = script_word("owned", &(struct script_word){0});
		ward_system_send(ward_kit_system(office.kit), office.clerk_b.asker,
				 &ward_type_script_word, &word, sizeof(word));
		ward_kit_run(office.kit);
		ward_assert_eq(letters(&office, WARD_REASON_STALE), 1);
		ward_assert_eq(script_words_left(), 0);
		close_office(&office);
	}
}

static ward_result ask_in_post_stop(ward_self *self, void *arg)
{
	(void)arg;
	return do_ask(self, NULL);
}

WARD_TEST(question_asked_in_post_stop_goes_with_the_actor)
{
	struct office office = {.a = {.post_stop = ask_in_post_stop}};
	open_office(&office, ANSWER);
	wanted.question = (ward_question){.to = office.b.ref, .timeout_ms = 100, .tag = TAG};
	ward_system_stop(ward_kit_system(office.kit), office.a.ref);
	ward_kit_run(office.kit);
	ward_assert(strstr(journal_text(), "7:") == NULL);
	close_office(&office);
}

WARD_TEST(suspended_asker_hears_of_the_first_end_when_it_goes_on, "S8", "S22")
{
	struct office office = {0};
	static const ward_strategy resuming = {.otherwise = WARD_RESUME};
	open_office_with(&office, SILENT, &(ward_kit_options){.system.user_strategy = &resuming});
	ask_b(&office);
	script_break(office.kit, office.a.ref, &bad_luck);
	ward_kit_run_until_state(office.kit, office.a.ref, "failed");
	pass(&office, 200);
	ward_kit_run(office.kit);
	assert_journal_of("7", " late of b");
	close_office(&office);
}

/* ---- passing on what comes --------------------------------------------------------------- */

WARD_TEST(piped_answer_goes_on_in_the_name_of_who_answered)
{
	struct office office = {0};
	struct script d = {.name = "d", .receive = note_ends};
	open_office(&office, ANSWER);
	script_spawn(office.kit, &d);
	journal_clear();
	order(&office, (ward_question){.to = office.b.ref, .timeout_ms = 100, .answer_to = d.ref});
	ward_kit_run(office.kit);
	assert_journal("0: 5 of b");
	close_office(&office);
}

WARD_TEST(piped_question_that_fails_is_told_to_the_other)
{
	struct office office = {0};
	struct script d = {.name = "d", .receive = note_ends};
	open_office(&office, SILENT);
	script_spawn(office.kit, &d);
	journal_clear();
	order(&office, (ward_question){.to = office.b.ref, .timeout_ms = 100, .answer_to = d.ref});
	ward_kit_run(office.kit);
	ward_kit_advance(office.kit, 100);
	assert_journal("0: late of b");
	close_office(&office);
}

static ward_result note_piped(ward_self *self, const ward_msg *msg)
{
	const struct ward_ask_failed *failed = ward_match(msg, ward_ask_failed);
	if (failed == NULL)
		return WARD_UNHANDLED;
	journal_note("%d, %d", (int)failed->tag, (int)ward_answers(self));
	return WARD_DONE;
}

WARD_TEST(piped_question_with_a_tag_can_be_cancelled_and_tells_the_other_its_tag)
{
	struct office office = {0};
	struct script d = {.name = "d", .receive = note_piped};
	open_office(&office, SILENT);
	script_spawn(office.kit, &d);
	journal_clear();
	ward_question question = {
		.to = office.b.ref, .timeout_ms = 100, .tag = TAG, .answer_to = d.ref};
	order(&office, question);
	script_do(office.kit, office.a.ref, do_cancel, NULL);
	ward_kit_advance(office.kit, 200);
	assert_journal("");
	order(&office, question);
	ward_kit_run(office.kit);
	ward_kit_advance(office.kit, 200);
	assert_journal("7, 0");
	close_office(&office);
}

static ward_result pass_the_question(ward_self *self, const ward_msg *msg)
{
	const struct question *question = ward_match(msg, question);
	struct office *office = script_of(self)->arg;
	if (question == NULL)
		return WARD_UNHANDLED;
	ward_assert_ok(ward_ask_pipe(self, ward_sender(self), 100, office->c.ref, question,
				     .number = question->number + 1));
	return WARD_DONE;
}

WARD_TEST(pipe_to_the_asker_of_a_question_answers_it)
{
	struct office office = {0};
	struct answer got = {0};
	open_office(&office, ANSWER);
	office.b.receive = pass_the_question;
	office.b.arg = &office;
	ask_b(&office);
	assert_journal("7: 6 of c");
	/* and of a thread that waits */
	ward_assert_ok(ward_ask_wait(ward_kit_system(office.kit), 1000, office.b.ref, &got,
				     question, .number = 2));
	ward_assert_eq(got.number, 3);
	office.clerk_c.manner = SILENT;
	ward_assert_err(ward_ask_wait(ward_kit_system(office.kit), 1000, office.b.ref, &got,
				      question, .number = 2),
			WARD_ETYPE);
	ward_assert_part(ward_err_detail(), "got a \"ward_ask_failed\"");
	close_office(&office);
}

/* ---- simulations ------------------------------------------------------------------------- */

/* Strikes each send of this type. */
struct strike {
	const ward_type *type;
	ward_fault fault;
};

static ward_fault strike(void *arg, ward_system *system, const ward_occasion *it)
{
	const struct strike *s = arg;
	(void)system;
	if (it->point == WARD_POINT_SEND && it->type == s->type)
		return s->fault;
	return (ward_fault){WARD_FAULT_NONE, 0};
}

static void run_struck(const ward_type *type, ward_fault fault, const char *journal)
{
	struct strike s = {type, fault};
	ward_simulation driver = {.fault = strike, .arg = &s};
	struct office office = {0};
	open_office_with(&office, ANSWER, &(ward_kit_options){.simulation = &driver});
	ask_b(&office);
	ward_kit_advance(office.kit, 1000);
	assert_journal(journal);
	ward_assert_eq(letters(&office, WARD_REASON_LOST), fault.kind == WARD_FAULT_LOSE);
	close_office(&office);
}

WARD_TEST(lost_question_and_lost_answer_are_late)
{
	const ward_fault lose = {WARD_FAULT_LOSE, 0};
	run_struck(&ward_type_question, lose, "7: late of b");
	run_struck(&ward_type_answer, lose, "7: late of b");
}

WARD_TEST(delayed_question_and_delayed_answer_are_in_time_or_late)
{
	const ward_type *const types[] = {&ward_type_question, &ward_type_answer};
	for (int i = 0; i < 2; i++) {
		run_struck(types[i], (ward_fault){WARD_FAULT_DELAY, 50 * NS_PER_MS}, "7: 5 of b");
		run_struck(types[i], (ward_fault){WARD_FAULT_DELAY, 500 * NS_PER_MS},
			   "7: late of b");
	}
}

WARD_TEST(delayed_answer_of_one_that_stops_is_in_front_of_its_end)
{
	struct strike s = {&ward_type_answer, {WARD_FAULT_DELAY, 50 * NS_PER_MS}};
	ward_simulation driver = {.fault = strike, .arg = &s};
	struct office office = {0};
	open_office_with(&office, ANSWER_DIE, &(ward_kit_options){.simulation = &driver});
	ask_b(&office);
	assert_journal_of("7", " 5 of b");
	close_office(&office);
}

/* ---- what it refuses --------------------------------------------------------------------- */

static struct office *refusing;

static void refused(ward_self *self, ward_question question, const ward_type *type, size_t size,
		    ward_err err, const char *text)
{
	struct question body = {1};
	ward_assert_err(ward_ask_start(self, &question, type, &body, size), err);
	ward_assert_part(ward_err_detail(), text);
}

static ward_result try_wrong(ward_self *self, void *arg)
{
	const ward_type *q = &ward_type_question;
	ward_ref b = refusing->b.ref, foreign = b, waiter = b;
	size_t size = sizeof(struct question);
	(void)arg;
	foreign.place++;
	waiter.place |= UINT32_C(0x80000000);
	ward_question fine = {.to = b, .timeout_ms = 1, .tag = 1}, it = fine;
	ward_assert_err(ward_ask_start(self, NULL, q, NULL, 0), WARD_EINVAL);
	it.reserved[1] = 1;
	refused(self, it, q, size, WARD_EINVAL, "reserved");
	it = fine;
	it.timeout_ms = 0;
	refused(self, it, q, size, WARD_EINVAL, "above 0");
	it = fine;
	it.tag = 0;
	refused(self, it, q, size, WARD_EINVAL, "needs a tag");
	it = fine;
	it.to = ward_nobody();
	refused(self, it, q, size, WARD_EINVAL, "nobody");
	it.to = foreign;
	refused(self, it, q, size, WARD_EFOREIGN, "the asked is of another system");
	it.to = waiter;
	refused(self, it, q, size, WARD_EINVAL, "tell it instead");
	it = fine;
	it.answer_to = foreign;
	refused(self, it, q, size, WARD_EFOREIGN, "answer_to");
	refused(self, fine, q, size + 1, WARD_ESIZE, "do not fit");
	refused(self, fine, NULL, size, WARD_EINVAL, "needs a type");
	ward_assert_ok(ward_ask(self, TAG, 100, b, question));
	it = fine;
	it.tag = TAG;
	refused(self, it, q, size, WARD_EEXIST, "tag 7 is open");
	ward_assert_err(ward_stop_gracefully(self, TAG, b, 100), WARD_EEXIST);
	ward_assert_err(ward_stop_gracefully(self, 1, ward_self_ref(self), 100), WARD_EINVAL);
	ward_assert_err(ward_stop_gracefully(self, 0, b, 100), WARD_EINVAL);
	struct script_word word = script_word("dropped", &(struct script_word){0});
	ward_assert_err(ward_ask_copy(self, TAG, 100, b, script_word, &word), WARD_EEXIST);
	ward_ask_cancel(self, TAG);
	journal_note("refused");
	return WARD_DONE;
}

WARD_TEST(wrong_questions_are_refused_and_dropped)
{
	struct office office = {0};
	open_office(&office, SILENT);
	refusing = &office;
	script_do(office.kit, office.a.ref, try_wrong, NULL);
	ward_kit_run(office.kit);
	assert_journal("refused");
	ward_assert_eq(ward_kit_stats(office.kit).dead_letters, 0);
	close_office(&office);
}

WARD_TEST(question_without_a_self_is_refused_and_dropped)
{
	struct office office = {0};
	struct script_word word;
	open_office(&office, SILENT);
	word = script_word("dropped", &(struct script_word){0});
	ward_question fine = {.to = office.b.ref, .timeout_ms = 1, .tag = 1};
	ward_assert_err(ward_ask_start(NULL, &fine, &ward_type_script_word, &word, sizeof(word)),
			WARD_EINVAL);
	ward_assert_err(ward_stop_gracefully(NULL, 1, office.b.ref, 1), WARD_EINVAL);
	ward_ask_cancel(NULL, 1);
	ward_assert_eq(ward_answers(NULL), 0);
	ward_assert(!ward_asking(NULL, 1));
	close_office(&office);
}

static ward_kit *short_of_memory;

/* Each allocation of a question in turn finds no memory. */
static ward_result ask_without_memory(ward_self *self, void *arg)
{
	ward_err err = WARD_ENOMEM;
	int tries = 0;
	while (err == WARD_ENOMEM) {
		struct script_word word = script_word("", &(struct script_word){0});
		ward_kit_fail_allocation(short_of_memory, (uint64_t)++tries);
		err = ward_ask_copy(self, TAG, 100, *(ward_ref *)arg, script_word, &word);
		ward_kit_fail_allocation(short_of_memory, 0);
		ward_assert(ward_asking(self, TAG) == (err == WARD_OK));
	}
	ward_assert_ok(err);
	ward_assert(tries > 8);
	return WARD_DONE;
}

WARD_TEST(question_that_finds_no_memory_is_refused_and_leaves_nothing)
{
	struct office office = {0};
	open_office(&office, SILENT);
	short_of_memory = office.kit;
	script_do(office.kit, office.a.ref, ask_without_memory, &office.b.ref);
	ward_kit_run(office.kit);
	ward_kit_advance(office.kit, 100);
	assert_journal("7: late of b");
	close_office(&office);
}

WARD_TEST(no_end_needs_memory)
{
	/* late; gone */
	for (int end = 0; end < 2; end++) {
		struct office office = {0};
		open_office(&office, SILENT);
		ask_b(&office);
		ward_kit_fail_all_allocations(office.kit, true);
		if (end == 0)
			ward_kit_advance(office.kit, 100);
		else
			ward_system_stop(ward_kit_system(office.kit), office.b.ref);
		ward_kit_run(office.kit);
		ward_kit_fail_all_allocations(office.kit, false);
		assert_journal_of("7", end == 0 ? " late of b" : " gone of b");
		close_office(&office);
	}
}

/* ---- stopping, gracefully ---------------------------------------------------------------- */

static ward_result do_stop(ward_self *self, void *arg)
{
	ward_assert_ok(ward_stop_gracefully(self, TAG, *(ward_ref *)arg, 100));
	return WARD_DONE;
}

WARD_TEST(graceful_stop_is_told_when_it_is_gone, "S51")
{
	struct office office = {0};
	open_office(&office, ANSWER);
	script_say(office.kit, office.b.ref, "before");
	ward_kit_run(office.kit);
	script_do(office.kit, office.a.ref, do_stop, &office.b.ref);
	ward_kit_run(office.kit);
	assert_journal("b:before;b:post_stop;7: b stopped");
	/* at once, if it is gone already */
	journal_clear();
	script_do(office.kit, office.a.ref, do_stop, &office.b.ref);
	ward_kit_run(office.kit);
	assert_journal("7: b stopped");
	close_office(&office);
}

WARD_TEST(graceful_stop_that_takes_too_long_is_told_and_leaves_no_watch, "S51")
{
	struct office office = {0};
	struct script child = {.name = "child"};
	struct script parent = {
		.name = "p", .strategy = &script_one, .decides = WARD_LATER, .children = {&child}};
	open_office(&office, ANSWER);
	script_spawn(office.kit, &parent);
	/* It does not get to its pill: it is suspended. */
	script_break(office.kit, child.ref, &bad_luck);
	ward_kit_run(office.kit);
	journal_clear();
	script_do(office.kit, office.a.ref, do_stop, &child.ref);
	ward_kit_advance(office.kit, 99);
	assert_journal("");
	ward_kit_advance(office.kit, 1);
	assert_journal("7: child is there");
	ward_system_stop(ward_kit_system(office.kit), child.ref);
	ward_kit_run(office.kit);
	assert_journal("7: child is there;child:post_stop");
	close_office(&office);
}

WARD_TEST(cancelled_graceful_stop_tells_nothing_and_the_pill_works_all_the_same, "S51")
{
	struct office office = {0};
	open_office(&office, ANSWER);
	script_do(office.kit, office.a.ref, do_stop, &office.b.ref);
	script_do(office.kit, office.a.ref, do_cancel, NULL);
	ward_assert(ward_kit_step(office.kit));
	ward_kit_run(office.kit);
	ward_assert(!ward_is_alive(ward_kit_system(office.kit), office.b.ref));
	close_office(&office);
}

/* ---- numbers ----------------------------------------------------------------------------- */

static ward_result use_up_numbers(ward_self *self, void *arg)
{
	ward_system *system = ward_self_system(self);
	struct wardi_cell *cell = wardi_slot_open(system, ward_self_ref(self).uid);
	ward_ref b = *(ward_ref *)arg;
	cell->questions = (UINT64_C(1) << 40) - 2;
	ward_assert_ok(ward_ask(self, TAG, 100, b, question, .number = 1));
	ward_assert_err(ward_ask(self, OTHER, 100, b, question), WARD_ELIMIT);
	ward_assert_part(ward_err_detail(), "spawn a new actor");
	return WARD_DONE;
}

WARD_TEST(number_of_a_question_is_never_used_twice)
{
	struct office office = {0};
	open_office(&office, ANSWER);
	script_do(office.kit, office.a.ref, use_up_numbers, &office.b.ref);
	ward_kit_run(office.kit);
	assert_journal("7: 1 of b"); /* the last one works */
	close_office(&office);
}

WARD_TEST_MAIN
