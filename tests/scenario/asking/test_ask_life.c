/* SPDX-License-Identifier: MIT
 *
 * test_ask_life.c - questions belong to the incarnation: told apart, cancelled, gone with it, and
 * passed on to others.
 *
 * Method: as in test_ask.c.
 */
#include <ward/extend.h>

#include "support/asking_actors.h"

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
	journal_note("%d: %d", (int)ward_ask_tag(self), answer->number);
	if (answer->number < 3)
		ward_assert_ok(ward_try_ask(self, ward_msg_sender(msg), ward_ask_tag(self), 100,
					    question, .number = answer->number + 1));
	return WARD_DONE;
}

static ward_result ask_one(ward_self *self, void *arg)
{
	ward_assert_ok(ward_try_ask(self, *(ward_ref *)arg, TAG, 100, question, .number = 1));
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

/* Puts the first word off until a question has ended. */
static ward_result put_off(ward_self *self, const ward_msg *msg)
{
	const struct script_word *word = ward_msg_body(msg, &ward_type_script_word);

	if (word != NULL && word->call != NULL)
		return WARD_UNHANDLED;
	if (word != NULL && ward_stash_count(self) == 0 && strcmp(journal_text(), "") == 0) {
		ward_assert_ok(ward_try_stash(self));
		return WARD_DONE;
	}
	journal_note("%d: %s", (int)ward_ask_tag(self), word == NULL ? "answer" : word->text);
	ward_unstash_all(self);
	return WARD_DONE;
}

WARD_TEST(what_comes_back_behind_an_answer_ends_no_question, "S86")
{
	struct office office = {.a = {.receive = put_off}};
	open_office(&office, ANSWER);
	script_say(office.kit, office.a.ref, "word");
	ward_kit_run(office.kit);
	ask_b(&office);
	assert_journal("7: answer;0: word");
	close_office(&office);
}

static ward_result look_at_question(ward_self *self, const ward_failure *why, const ward_msg *msg)
{
	(void)why;
	(void)msg;
	journal_note("question is %s", ward_ask_open(self, TAG) ? "open" : "closed");
	ward_assert_eq(ward_ask_tag(self), 0);
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

static ward_result fail_on_answer(ward_self *self, const ward_msg *msg)
{
	if (ward_match(msg, answer) == NULL)
		return WARD_UNHANDLED;
	journal_note("%d", (int)ward_ask_tag(self));
	return ward_failed(self, &bad_luck, "wrong answer");
}

WARD_TEST(answer_that_an_asker_fails_on_ends_its_question_and_none_in_the_hooks, "S44")
{
	struct office office = {.a = {.receive = fail_on_answer, .pre_restart = look_at_question}};
	open_office(&office, ANSWER);
	ask_b(&office);
	assert_journal("7;a:pre_restart;question is closed;a:post_stop;a:init;a:post_restart;"
		       "a:pre_start");
	close_office(&office);
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
		ward_assert_part(ward_kit_event(office.kit, WARD_EVENT_DEAD_LETTER, "*", 0)->path,
				 after ? "a question (#" : "sim/user/a");
		ward_assert_eq(script_words_left(), 0);
		close_office(&office);
	}
}

WARD_TEST(refs_of_questions_that_never_were_lead_nowhere)
{
	struct office office = {0};
	open_office(&office, LATER);
	ask_b(&office);
	ward_ref unborn = office.clerk_b.asker, other = unborn;
	unborn.uid |= 0xffffff; /* the slot of nobody */
	other.uid += UINT64_C(1) << 24;
	ward_system_tell(ward_kit_system(office.kit), unborn, answer, .number = 1);
	ward_system_tell(ward_kit_system(office.kit), other, answer, .number = 2);
	ward_assert_err(ward_system_try_tell(ward_kit_system(office.kit), unborn, answer),
			WARD_EDEAD);
	ward_kit_run(office.kit);
	assert_journal("");
	ward_assert_eq(letters(&office, WARD_REASON_STALE), 2);
	ward_kit_advance(office.kit, 100);
	assert_journal("7: late of b"); /* this one is open */
	close_office(&office);
}

struct lookup {
	ward_ref ref, asker;
};

static ward_result look_up(ward_self *self, void *arg)
{
	struct lookup *lookup = arg;
	lookup->asker = ward_asker(self, lookup->ref);
	return WARD_DONE;
}

/* As b sees it. */
static ward_ref asker_of(struct office *office, ward_ref ref)
{
	static struct lookup lookup;
	lookup = (struct lookup){.ref = ref};
	script_do(office->kit, office->b.ref, look_up, &lookup);
	ward_kit_run(office->kit);
	return lookup.asker;
}

WARD_TEST(asker_is_known_by_its_question_until_it_is_gone, "S100")
{
	struct office office = {0};
	open_office(&office, LATER);
	ask_b(&office);
	ward_ref question = office.clerk_b.asker;
	ward_assert(!ward_ref_equal(question, office.a.ref));
	ward_assert(ward_ref_equal(asker_of(&office, question), office.a.ref));
	ward_assert(ward_ref_equal(asker_of(&office, office.c.ref), office.c.ref));
	ward_system_stop(ward_kit_system(office.kit), office.a.ref);
	ward_kit_run(office.kit);
	ward_assert(ward_ref_is_nobody(asker_of(&office, question)));
	close_office(&office);
}

WARD_TEST(asker_of_a_question_is_not_who_has_its_place_later, "S100")
{
	struct office office = {0};
	ward_ref old_question, question, before;
	open_office(&office, LATER);
	ask_b(&office);
	old_question = office.clerk_b.asker;
	before = office.a.ref;
	ward_kit_stop(office.kit, before);
	ward_kit_run(office.kit);
	script_spawn(office.kit, &office.a);
	ward_kit_run(office.kit);
	ward_assert_eq((uint32_t)office.a.ref.uid, (uint32_t)before.uid); /* the place */
	ward_assert(ward_ref_is_nobody(asker_of(&office, old_question)));
	ask_b(&office);
	question = office.clerk_b.asker;
	ward_assert(ward_ref_equal(asker_of(&office, question), office.a.ref));
	ward_assert(ward_ref_is_nobody(asker_of(&office, old_question)));
	script_break(office.kit, office.a.ref, &bad_luck);
	ward_kit_run(office.kit);
	ask_b(&office); /* the next incarnation, of the same life */
	ward_assert(ward_ref_equal(asker_of(&office, office.clerk_b.asker), office.a.ref));
	ward_assert(ward_ref_equal(asker_of(&office, question), office.a.ref));
	ward_kit_advance(office.kit, 100);
	close_office(&office);
}

WARD_TEST(dead_question_of_a_dead_asker_is_told_to_nobody)
{
	struct office office = {0};
	open_office(&office, PASS_ON);
	ward_system_stop(ward_kit_system(office.kit), office.c.ref);
	ward_kit_run(office.kit);
	order(&office, (ward_question){.to = office.b.ref, .timeout_ms = 100, .tag = TAG});
	ward_assert(ward_kit_step(office.kit)); /* a asks, b has had no turn */
	ward_system_stop(ward_kit_system(office.kit), office.a.ref);
	ward_kit_run(office.kit);
	ward_assert(strstr(journal_text(), "7:") == NULL);
	ward_assert_eq(letters(&office, WARD_REASON_DEAD), 1);
	close_office(&office);
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
	ward_kit_run_until_state(office.kit, office.a.ref, WARD_STATE_FAILED);
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
	journal_note("%d, %d", (int)failed->tag, (int)ward_ask_tag(self));
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
	ward_ask_pipe(self, office->c.ref, ward_msg_sender(msg), 100, question,
		      .number = question->number + 1);
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
	ward_assert_ok(ward_system_ask(ward_kit_system(office.kit), office.b.ref, 1000, &got,
				       question, .number = 2));
	ward_assert_eq(got.number, 3);
	office.clerk_c.manner = SILENT;
	ward_assert_err(ward_system_ask(ward_kit_system(office.kit), office.b.ref, 1000, &got,
					question, .number = 2),
			WARD_ETYPE);
	ward_assert_part(ward_err_detail(), "got a \"ward_ask_failed\"");
	close_office(&office);
}

WARD_TEST_MAIN
