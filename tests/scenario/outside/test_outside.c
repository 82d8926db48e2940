/* SPDX-License-Identifier: MIT
 *
 * test_outside.c - what a thread outside may do, and every code that it may get: spawn, ask, await,
 * wait, stop.
 *
 * Method: a simulation steps itself while a call waits, so time-outs are in virtual time.
 */
#include <pthread.h>
#include <string.h>

#include "support/elsewhere.h"
#include "support/script.h"

struct question {
	int number;
};
WARD_MESSAGE(question);
struct answer {
	int number;
	int twice;
};
WARD_MESSAGE(answer);
WARD_REPLY(question, answer);
struct other {
	int none;
};
WARD_MESSAGE(other);

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};

/* ---- asking ------------------------------------------------------------------------------ */

enum manner { ANSWER, SILENT, WRONG_TYPE, TWICE, PASS_ON, LATER, FAIL, STOP, ANSWER_STOP, LEAVE };

struct clerk {
	enum manner manner;
	ward_ref colleague;
	ward_ref asker; /* for LATER */
};

static ward_result clerk_receive(ward_self *self, const ward_msg *msg)
{
	const struct question *question = ward_match(msg, question);
	struct clerk *clerk = script_of(self)->arg;
	if (question == NULL)
		return WARD_UNHANDLED;
	int number = question->number;
	switch (clerk->manner) {
	case TWICE:
		ward_answer(self, msg, question, .number = number, .twice = 2 * number);
		ward_answer(self, msg, question, .number = -1);
		return WARD_DONE;
	case ANSWER:
		ward_answer(self, msg, question, .number = number, .twice = 2 * number);
		return WARD_DONE;
	case WRONG_TYPE:
		ward_reply(self, msg, other, .none = 1);
		return WARD_DONE;
	case PASS_ON:
		ward_forward(self, clerk->colleague);
		return WARD_DONE;
	case LATER:
		clerk->asker = ward_msg_sender(msg);
		return WARD_DONE;
	case FAIL:
		return ward_failed(self, &bad_luck, "no answer");
	case ANSWER_STOP:
		ward_answer(self, msg, question, .number = number);
		ward_stop_self(self);
		return WARD_DONE;
	case STOP:
		ward_stop(self, ward_self_ref(self));
		return WARD_DONE;
	case LEAVE:
		return WARD_UNHANDLED;
	case SILENT:
		break;
	}
	return WARD_DONE;
}

struct office {
	ward_kit *kit;
	struct clerk clerk, colleague;
	struct script a, b;
};

static void open_office(struct office *office, enum manner manner)
{
	*office = (struct office){
		.clerk = {.manner = manner},
		.a = {.name = "a", .receive = clerk_receive},
		.b = {.name = "b", .receive = clerk_receive},
	};
	office->a.arg = &office->clerk;
	office->b.arg = &office->colleague;
	office->kit = script_start(NULL);
	script_spawn(office->kit, &office->a);
	script_spawn(office->kit, &office->b);
	office->clerk.colleague = office->b.ref;
}

static ward_err ask(struct office *office, struct answer *answer)
{
	memset(answer, 0, sizeof(*answer));
	return ward_system_ask(ward_kit_system(office->kit), office->a.ref, WARD_SECOND, answer,
			       question, .number = 21);
}

WARD_TEST(ask_gets_the_answer)
{
	const enum manner manners[] = {ANSWER, PASS_ON, TWICE};
	for (int i = 0; i < 3; i++) {
		struct office office;
		struct answer answer;
		open_office(&office, manners[i]);
		ward_assert_ok(ask(&office, &answer));
		ward_assert_eq(answer.number, 21);
		ward_assert_eq(answer.twice, 42);
		ward_kit_run(office.kit);
		/* A second answer finds nobody. */
		ward_assert_eq(ward_kit_count(office.kit, WARD_EVENT_DEAD_LETTER, "*"),
			       manners[i] == TWICE);
		if (manners[i] == TWICE)
			ward_assert_eq(
				ward_kit_event(office.kit, WARD_EVENT_DEAD_LETTER, "*", 0)->reason,
				WARD_REASON_STALE);
		script_finish(office.kit);
	}
}

WARD_TEST(ask_without_an_answer_times_out)
{
	const enum manner manners[] = {SILENT, FAIL, LEAVE};
	for (int i = 0; i < 3; i++) {
		struct office office;
		struct answer answer;
		open_office(&office, manners[i]);
		ward_assert_err(ask(&office, &answer), WARD_ETIMEDOUT);
		ward_assert_part(ward_err_detail(), "question");
		ward_assert_eq(answer.number, 0);
		script_finish(office.kit);
	}
}

WARD_TEST(ask_of_one_that_ends_with_the_question_in_hand_is_told_at_once)
{
	struct office office;
	struct answer answer;
	open_office(&office, STOP);
	int64_t before = ward_kit_now_ns(office.kit);
	ward_assert_err(ask(&office, &answer), WARD_EDEAD);
	ward_assert_str(ward_err_detail(),
			"sim/user/a was gone before it answered \"question\", or "
			"there was no memory for its answer");
	ward_assert_eq(ward_kit_now_ns(office.kit), before);
	ward_assert_eq(ward_kit_stats(office.kit).dead_letters, 0);
	script_finish(office.kit);
}

WARD_TEST(answer_sent_before_the_end_wins_over_it)
{
	WARD_TEST_SEEDS(20)
	{
		struct office office;
		struct answer answer;
		open_office(&office, ANSWER_STOP);
		ward_assert_ok(ask(&office, &answer));
		ward_assert_eq(answer.number, 21);
		ward_kit_run(office.kit);
		ward_assert_state(office.kit, office.a.ref, WARD_STATE_GONE);
		script_finish(office.kit);
	}
}

static ward_result answer_late(ward_self *self, void *arg)
{
	ward_tell(self, ((struct clerk *)arg)->asker, answer, .number = 1);
	return WARD_DONE;
}

WARD_TEST(answer_that_comes_too_late_is_a_dead_letter)
{
	struct office office;
	struct answer answer;
	open_office(&office, LATER);
	ward_assert_err(ask(&office, &answer), WARD_ETIMEDOUT);
	script_do(office.kit, office.a.ref, answer_late, &office.clerk);
	ward_kit_run(office.kit);
	ward_assert_eq(ward_kit_event(office.kit, WARD_EVENT_DEAD_LETTER, "*", 0)->reason,
		       WARD_REASON_STALE);
	ward_assert_eq(answer.number, 0);
	script_finish(office.kit);
}

WARD_TEST(answer_of_another_type_is_refused)
{
	struct office office;
	struct answer answer;
	open_office(&office, WRONG_TYPE);
	ward_assert_err(ask(&office, &answer), WARD_ETYPE);
	ward_assert_part(ward_err_detail(), "answer");
	ward_assert_part(ward_err_detail(), "other");
	script_finish(office.kit);
}

WARD_TEST(ask_of_the_dead_is_answered_at_once)
{
	struct office office;
	struct answer answer;
	ward_ref foreign;
	open_office(&office, ANSWER);
	ward_system_stop(ward_kit_system(office.kit), office.a.ref);
	ward_kit_run(office.kit);
	ward_assert_err(ask(&office, &answer), WARD_EDEAD);
	ward_assert_str(ward_err_detail(), "ward_system_ask: the asked has ended");
	foreign = ref_elsewhere(office.b.ref);
	office.a.ref = ward_nobody();
	ward_assert_err(ask(&office, &answer), WARD_EDEAD);
	ward_assert_str(ward_err_detail(), "ward_system_ask: nobody cannot be asked");
	office.a.ref = foreign;
	ward_assert_err(ask(&office, &answer), WARD_EFOREIGN);
	ward_assert_str(ward_err_detail(), "ward_system_ask: the asked is of another system");
	script_finish(office.kit);
}

WARD_TEST(question_that_ends_as_a_dead_letter_is_told_at_once)
{
	/* unread at a stop, passed on to the dead, pushed out of a full mailbox */
	for (int way = 0; way < 3; way++) {
		struct office office;
		struct answer answer;
		open_office(&office, way == 1 ? PASS_ON : ANSWER);
		if (way == 0)
			ward_system_stop(ward_kit_system(office.kit), office.a.ref);
		if (way == 1) {
			ward_system_stop(ward_kit_system(office.kit), office.b.ref);
			ward_kit_run(office.kit);
		}
		if (way == 2) {
			static struct script c = {
				.name = "c",
				.mailbox = {.messages_max = 1,
					    .overflow = WARD_OVERFLOW_DROP_NEWEST}};
			script_spawn(office.kit, &c);
			script_say(office.kit, c.ref, "word");
			office.a.ref = c.ref;
		}
		int64_t before = ward_kit_now_ns(office.kit);
		ward_assert_err(ask(&office, &answer), WARD_EDEAD);
		ward_assert_eq(ward_kit_now_ns(office.kit), before);
		script_finish(office.kit);
	}
}

WARD_TEST(question_to_a_full_mailbox_is_refused)
{
	struct office office;
	struct answer answer;
	open_office(&office, ANSWER);
	struct script c = {.name = "c", .mailbox = {.messages_max = 1}};
	script_spawn(office.kit, &c);
	script_say(office.kit, c.ref, "word");
	office.a.ref = c.ref;
	ward_assert_err(ask(&office, &answer), WARD_EFULL);
	ward_assert_part(ward_err_detail(), "the mailbox is full");
	script_finish(office.kit);
}

static int32_t by_number(const ward_msg *msg)
{
	(void)msg;
	return 1;
}

WARD_TEST(question_without_memory_is_refused_with_a_word_about_what_for)
{
	struct office office;
	struct answer answer;
	open_office(&office, ANSWER);
	struct script c = {.name = "c",
			   .mailbox = {.priority = by_number},
			   .receive = clerk_receive,
			   .arg = &office.clerk};
	script_spawn(office.kit, &c);
	office.a.ref = c.ref;
	ward_err err = WARD_ENOMEM;
	bool question = false, place = false;
	for (uint64_t nth = 1; err == WARD_ENOMEM; nth++) {
		ward_kit_fail_allocation(office.kit, nth);
		err = ask(&office, &answer);
		ward_kit_fail_allocation(office.kit, 0);
		question |= strstr(ward_err_detail(), "for the question") != NULL;
		place |= strstr(ward_err_detail(), "for its place in the mailbox") != NULL;
	}
	ward_assert(question && place);
	ward_assert_err(err, WARD_EDEAD);
	ward_assert_part(ward_err_detail(), "there was no memory for its answer");
	script_finish(office.kit);
}

WARD_TEST(answer_of_any_size_has_no_room)
{
	ward_type varying = ward_type_answer;
	struct office office;
	unsigned char room[80];
	varying.size_max = sizeof(room);
	open_office(&office, ANSWER);
	ward_assert_err(ward_system_ask_send(ward_kit_system(office.kit), office.a.ref, WARD_SECOND,
					     &varying, room, WARD_BODY(question, .number = 1)),
			WARD_ETYPE);
	script_finish(office.kit);
}

WARD_TEST(wrong_questions_are_refused_and_dropped)
{
	struct office office;
	struct answer answer;
	open_office(&office, ANSWER);
	ward_system *system = ward_kit_system(office.kit);
	ward_ref a = office.a.ref;
	struct question body = {1};
	const ward_type *q = &ward_type_question, *r = &ward_type_answer;
	ward_assert_err(ward_system_ask_send(NULL, a, 1, r, &answer, q, &body, sizeof(body)),
			WARD_EINVAL);
	ward_assert_err(ward_system_ask_send(system, a, 0, r, &answer, q, &body, sizeof(body)),
			WARD_EINVAL);
	ward_assert_err(ward_system_ask_send(system, a, -1, r, &answer, q, &body, sizeof(body)),
			WARD_EINVAL);
	ward_assert_err(ward_system_ask_send(system, a, 1, NULL, &answer, q, &body, sizeof(body)),
			WARD_EINVAL);
	ward_assert_err(ward_system_ask_send(system, a, 1, r, NULL, q, &body, sizeof(body)),
			WARD_EINVAL);
	ward_assert_err(ward_system_ask_send(system, a, 1, r, &answer, q, &body, 1), WARD_ESIZE);
	ward_assert_part(ward_err_detail(), "message \"question\": 1 bytes do not fit");
	ward_assert_err(ward_system_ask_send(system, a, 1, r, &answer, NULL, &body, 1),
			WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "needs a type, this one is NULL");
	/* script_finish() misses the words. */
	struct script_word word = script_word("dropped", &(struct script_word){0});
	ward_assert_err(ward_system_ask_send(system, a, 0, r, &answer, &ward_type_script_word,
					     &word, sizeof(word)),
			WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "the timeout is 0 ms: it must be above 0");
	word = script_word("dropped", &(struct script_word){0});
	ward_assert_err(ward_system_ask_send(system, ward_nobody(), 1, r, &answer,
					     &ward_type_script_word, &word, sizeof(word)),
			WARD_EDEAD);
	ward_kit_fail_all_allocations(office.kit, true);
	word = script_word("dropped", &(struct script_word){0});
	ward_assert_err(ward_system_ask_send(system, a, 1, r, &answer, &ward_type_script_word,
					     &word, sizeof(word)),
			WARD_ENOMEM);
	ward_kit_fail_all_allocations(office.kit, false);
	script_finish(office.kit);
}

/* An answer that owns something: it becomes the caller's. */
static ward_result answer_with_word(ward_self *self, const ward_msg *msg)
{
	if (ward_match(msg, question) == NULL)
		return WARD_UNHANDLED;
	script_tell(self, ward_msg_sender(msg), "mine now");
	return WARD_DONE;
}

WARD_TEST(answer_with_what_it_owns_becomes_the_askers)
{
	ward_kit *kit;
	struct script a = {.name = "a", .receive = answer_with_word};
	struct script_word word;
	kit = script_start(NULL);
	script_spawn(kit, &a);
	ward_assert_ok(ward_system_ask_send(ward_kit_system(kit), a.ref, WARD_SECOND,
					    &ward_type_script_word, &word, &ward_type_question,
					    NULL, 0));
	ward_assert_str(word.text, "mine now");
	ward_assert_eq(script_words_left(), 1);
	ward_type_script_word.drop(&word);
	script_finish(kit);
}

/* ---- where waiting is refused ------------------------------------------------------------ */

static ward_result wait_inside(ward_self *self, void *arg)
{
	ward_system *system = ward_self_system(self);
	ward_ref ref = *(ward_ref *)arg;
	struct answer answer;
	ward_assert_err(ward_system_wait_for(system, ref, 1), WARD_ETHREAD);
	ward_assert_err(ward_system_wait(system, 1), WARD_ETHREAD);
	ward_assert_err(ward_system_destroy(system, 1), WARD_ETHREAD);
	ward_assert_err(ward_system_ask(system, ref, 1, &answer, question), WARD_ETHREAD);
	ward_assert_part(ward_err_detail(), "ward_ask, and handle the answer in receive");
	struct script never = {.name = "never"};
	ward_assert_err(ward_system_spawn(system, script_props(&never), NULL), WARD_ETHREAD);
	journal_note("refused");
	return WARD_DONE;
}

WARD_TEST(actor_must_not_wait_for_its_own_system)
{
	struct script a = {.name = "a"}, b = {.name = "b"};
	ward_kit *kit = script_start(NULL);
	script_spawn(kit, &a);
	script_spawn(kit, &b);
	journal_clear();
	script_do(kit, a.ref, wait_inside, &b.ref);
	ward_kit_run(kit);
	assert_journal("refused");
	ward_assert(ward_kit_is_alive(kit, b.ref));
	script_finish(kit);
}

static void *wait_elsewhere(void *arg)
{
	ward_assert_err(ward_system_wait(arg, 1), WARD_ETHREAD);
	ward_assert_err(ward_system_spawn(arg, NULL, NULL), WARD_ETHREAD);
	return NULL;
}

WARD_TEST(simulation_belongs_to_one_thread)
{
	pthread_t thread;
	ward_kit *kit = script_start(NULL);
	ward_assert_eq(pthread_create(&thread, NULL, wait_elsewhere, ward_kit_system(kit)), 0);
	ward_assert_eq(pthread_join(thread, NULL), 0);
	script_finish(kit);
}

/* ---- awaiting ---------------------------------------------------------------------------- */

WARD_TEST(await_answers_when_the_actor_is_gone_for_good)
{
	struct script a = {.name = "a"};
	ward_kit *kit = script_start(NULL);
	script_spawn(kit, &a);
	script_break(kit, a.ref, &bad_luck); /* a restart is no end */
	ward_assert_err(ward_system_wait_for(ward_kit_system(kit), a.ref, 100), WARD_ETIMEDOUT);
	ward_assert_err(ward_system_wait_for(ward_kit_system(kit), a.ref, 0), WARD_ETIMEDOUT);
	ward_assert_err(ward_system_wait_for(ward_kit_system(kit), a.ref, -5), WARD_ETIMEDOUT);
	ward_assert_str(ward_err_detail(), "sim/user/a is still there after -5 ms: a negative time "
					   "does not wait; WARD_FOREVER is without a limit");
	ward_assert_err(ward_system_wait(ward_kit_system(kit), -1), WARD_ETIMEDOUT);
	ward_assert_part(ward_err_detail(), "is still up after -1 ms: a negative time does not");
	ward_system_stop(ward_kit_system(kit), a.ref);
	ward_assert_ok(ward_system_wait_for(ward_kit_system(kit), a.ref, WARD_FOREVER));
	ward_assert(!ward_kit_is_alive(kit, a.ref));
	ward_assert_ok(ward_system_wait_for(ward_kit_system(kit), a.ref, WARD_FOREVER));
	script_finish(kit);
}

WARD_TEST(await_of_a_wrong_ref_is_refused)
{
	struct script a = {.name = "a"};
	ward_kit *kit = script_start(NULL);
	script_spawn(kit, &a);
	ward_ref foreign = ref_elsewhere(a.ref);
	ward_assert_err(ward_system_wait_for(ward_kit_system(kit), ward_nobody(), 1), WARD_EINVAL);
	ward_assert_err(ward_system_wait_for(ward_kit_system(kit), foreign, 1), WARD_EFOREIGN);
	ward_assert_err(ward_system_wait_for(NULL, a.ref, 1), WARD_EINVAL);
	ward_assert_err(ward_system_ask_stop(ward_kit_system(kit), ward_nobody(), 1), WARD_EINVAL);
	ward_assert_err(ward_system_ask_stop(ward_kit_system(kit), foreign, 1), WARD_EFOREIGN);
	ward_assert_err(ward_system_ask_stop(NULL, a.ref, 1), WARD_EINVAL);
	ward_kit_fail_all_allocations(kit, true);
	ward_assert_err(ward_system_wait_for(ward_kit_system(kit), a.ref, 1), WARD_ENOMEM);
	ward_assert_err(ward_system_ask_stop(ward_kit_system(kit), a.ref, 1), WARD_ENOMEM);
	ward_kit_fail_all_allocations(kit, false);
	script_finish(kit);
}

/* ---- stopping and sending ---------------------------------------------------------------- */

WARD_TEST(wrong_refs_and_no_system_are_harmless)
{
	struct script a = {.name = "a"};
	ward_kit *kit = script_start(NULL);
	script_spawn(kit, &a);
	ward_ref foreign = ref_elsewhere(a.ref), unborn = a.ref;
	unborn.uid += 12345;
	ward_system_stop(ward_kit_system(kit), ward_nobody());
	ward_system_stop(ward_kit_system(kit), foreign);
	ward_system_stop(ward_kit_system(kit), unborn);
	ward_system_stop(NULL, a.ref);
	ward_assert(!ward_kit_is_alive(kit, ward_nobody()));
	ward_assert(!ward_kit_is_alive(kit, foreign));
	ward_assert(!ward_kit_is_alive(kit, unborn));
	ward_assert(!ward_system_is_alive(NULL, a.ref));
	struct script_word word = script_word("dropped", &(struct script_word){0});
	ward_system_send(NULL, a.ref, &ward_type_script_word, &word, sizeof(word));
	ward_assert_eq(script_words_left(), 0);
	ward_assert_eq(ward_system_actors(NULL, NULL, NULL), 0);
	ward_assert_ok(ward_system_destroy(NULL, 0));
	ward_kit_run(kit);
	ward_assert_state(kit, a.ref, WARD_STATE_RUNNING);
	script_finish(kit);
}

WARD_TEST_MAIN
