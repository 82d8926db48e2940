/* SPDX-License-Identifier: MIT
 *
 * test_questions_across.c - questions to actors of another system: an answer, or the end that they
 * have here, or unreached (S201); signals and stops across (S200, S202).
 */
#include <ward/ask.h>
#include <ward/codec.h>

#include "two_systems.h"

struct question {
	int number;
};
WARD_MESSAGE_FIELDS(question, 1, WARD_FIELD(INT, question, number));
struct answer {
	int number;
};
WARD_MESSAGE_FIELDS(answer, 1, WARD_FIELD(INT, answer, number));
WARD_REPLY(question, answer);

static const char *name_of(ward_err err)
{
	switch (err) {
	case WARD_EDEAD:
		return "EDEAD";
	case WARD_EFULL:
		return "EFULL";
	case WARD_ETIMEDOUT:
		return "ETIMEDOUT";
	case WARD_EUNREACHED:
		return "EUNREACHED";
	default:
		return ward_err_text(err);
	}
}

static ward_result note_answers(ward_self *self, const ward_msg *msg)
{
	const struct answer *answer = ward_match(msg, answer);
	const struct ward_ask_failed *failed = ward_match(msg, ward_ask_failed);
	const struct ward_stopped *stopped = ward_match(msg, ward_stopped);
	const char *name = script_of(self)->name;

	if (answer != NULL)
		journal_note("%s:%u: %d of %s", name, (unsigned)ward_ask_tag(self), answer->number,
			     script_name(ward_msg_sender(msg)));
	else if (failed != NULL)
		journal_note("%s:%u ends: %s, %d", name, (unsigned)failed->tag,
			     name_of(failed->why), (int)failed->reason);
	else if (stopped != NULL)
		journal_note("%s:stopped %s%s", name, script_name(stopped->who),
			     stopped->in_time ? "" : ", not in time");
	else
		return note_ends(self, msg);
	return WARD_DONE;
}

static size_t count_of(const char *text, const char *part)
{
	size_t count = 0;

	while ((text = strstr(text, part)) != NULL) {
		text += strlen(part);
		count++;
	}
	return count;
}

static ward_ref asker;

/* 1: answers. 2: keeps who asks. Else: nothing. */
static ward_result answers(ward_self *self, const ward_msg *msg)
{
	const struct question *asked = ward_match(msg, question);

	if (asked == NULL)
		return note_ends(self, msg);
	journal_note("b:asked %d", asked->number);
	asker = ward_msg_sender(msg);
	if (asked->number == 1)
		ward_answer(self, msg, question, .number = 10);
	return WARD_DONE;
}

struct ask {
	struct script *who;
	int number;
	int64_t timeout_ms;
	ward_ref answer_to;
};

static ward_result do_ask(ward_self *self, void *arg)
{
	const struct ask *ask = arg;
	const struct question body = {ask->number};

	ward_ask_send(self,
		      &(ward_question){.to = ask->who->ref,
				       .timeout_ms = ask->timeout_ms,
				       .tag = (uint64_t)ask->number,
				       .answer_to = ask->answer_to},
		      &ward_type_question, &body, sizeof body);
	return WARD_DONE;
}

static void start(struct two *two, int64_t latency_ms)
{
	two->a.receive = two->d.receive = note_answers;
	two->b.receive = answers;
	two_start(two, &(ward_loop_options){.latency_ms = latency_ms});
}

static ward_result answer_late(ward_self *self, void *arg)
{
	(void)arg;
	ward_tell(self, asker, answer, .number = 20);
	return WARD_DONE;
}

WARD_TEST(answer_comes_across_in_the_name_of_who_answers, "S201")
{
	struct two two = {.loop = NULL};
	struct ask ask = {.who = &two.b, .number = 1, .timeout_ms = 1000};

	start(&two, 5);
	let_and_settle(&two, &two.a, do_ask, &ask);
	assert_journal_of("a", "1: 10 of b");
	two_finish(&two);
}

WARD_TEST(end_of_the_asked_ends_the_question, "S201")
{
	struct two two = {.loop = NULL};
	struct ask ask = {.who = &two.b, .number = 3, .timeout_ms = 10000};

	start(&two, 5);
	let_and_settle(&two, &two.a, do_ask, &ask);
	let_and_settle(&two, &two.b, do_end, NULL);
	assert_journal_of("a", "3 ends: EDEAD, 0");
	journal_clear();
	let_and_settle(&two, &two.a, do_ask, &ask);
	ward_assert_part(journal_of("a"), "3 ends: EDEAD");
	two_finish(&two);
}

/* Passes the question on to an actor that is gone. */
static ward_result passes_on(ward_self *self, const ward_msg *msg)
{
	if (!ward_match(msg, question))
		return WARD_UNHANDLED;
	ward_forward(self, *(const ward_ref *)script_of(self)->arg);
	return WARD_DONE;
}

static ward_result note_why(ward_self *self, const ward_msg *msg)
{
	const struct ward_ask_failed *failed = ward_match(msg, ward_ask_failed);

	if (failed == NULL)
		return WARD_UNHANDLED;
	journal_note("%s:%s", script_of(self)->name, failed->text);
	return WARD_DONE;
}

WARD_TEST(question_that_was_passed_on_there_and_is_lost_says_so, "S201")
{
	struct two two = {.loop = NULL};
	struct ask ask = {.who = &two.b, .number = 3, .timeout_ms = 10000};
	ward_ref gone;

	two.a.receive = note_why;
	two.b.receive = passes_on;
	two.b.arg = &gone;
	two_start(&two, &(ward_loop_options){.latency_ms = 5});
	gone = two.d.ref;
	let_and_settle(&two, &two.d, do_end, NULL);
	let_and_settle(&two, &two.a, do_ask, &ask);
	ward_assert_part(journal_of("a"),
			 "did not answer \"question\": it passed it on to an actor "
			 "that is gone");
	two_finish(&two);
}

WARD_TEST(lost_connection_ends_the_question_at_once_and_its_answer_is_late, "S201")
{
	struct two two = {.loop = NULL};
	struct ask ask = {.who = &two.b, .number = 2, .timeout_ms = 10000};

	start(&two, 0);
	let_and_settle(&two, &two.a, do_ask, &ask);
	lose(&two);
	assert_journal_of("a", "2 ends: EUNREACHED, 0");
	journal_clear();
	let(&two, &two.a, do_ask, &ask);
	ward_kit_run(two.left);
	ward_assert_part(journal_of("a"), "2 ends: EUNREACHED");
	two_finish(&two);
}

enum { MANY = 12, ANSWERED = 4 };

/* The sender of each question, by its number. */
static ward_ref askers[MANY + 2];

static ward_result keep_askers(ward_self *self, const ward_msg *msg)
{
	const struct question *asked = ward_match(msg, question);

	(void)self;
	if (asked != NULL)
		askers[asked->number] = ward_msg_sender(msg);
	return asked != NULL ? WARD_DONE : WARD_UNHANDLED;
}

/* Some of them, from the oldest, from the newest or from the middle on. */
static ward_result answer_some(ward_self *self, void *arg)
{
	const int *order = arg;

	for (int i = 0; i < ANSWERED; i++) {
		int number = *order == 0   ? 2 + i
			     : *order == 1 ? MANY + 1 - i
					   : 2 + (i * 5 + 3) % MANY;

		ward_tell(self, askers[number], answer, .number = number);
	}
	return WARD_DONE;
}

/* They and a watch are all of one pair. */
WARD_TEST(many_questions_to_one_actor_have_an_end_each, "S198", "S201")
{
	for (int i = 0; i < 6; i++) {
		struct two two = {.loop = NULL};
		int order = i % 3;

		start(&two, 1);
		two.b.receive = keep_askers;
		let(&two, &two.a, do_watch, &two.b);
		for (int number = 2; number < MANY + 2; number++) {
			struct ask ask = {.who = &two.b, .number = number, .timeout_ms = 10000};
			let_and_settle(&two, &two.a, do_ask, &ask);
		}
		let_and_settle(&two, &two.b, answer_some, &order);
		ward_assert_eq(count_of(journal_of("a"), " of b"), ANSWERED);
		if (i < 3)
			let_and_settle(&two, &two.b, do_end, NULL);
		else
			lose(&two);
		ward_assert_eq(count_of(journal_of("a"), " ends: "), MANY - ANSWERED);
		ward_assert_eq(count_of(journal_of("a"), i < 3 ? "EDEAD" : "EUNREACHED"),
			       MANY - ANSWERED);
		ward_assert_eq(count_of(journal_of("a"), "gone b"), 1);
		two_finish(&two);
	}
}

WARD_TEST(late_answer_is_stale_where_the_question_was, "S201")
{
	struct two two = {.loop = NULL};
	struct ask ask = {.who = &two.b, .number = 2, .timeout_ms = 10};

	start(&two, 0);
	let_and_settle(&two, &two.a, do_ask, &ask);
	ward_assert_part(journal_of("a"), "2 ends: ETIMEDOUT");
	let_and_settle(&two, &two.b, answer_late, NULL);
	ward_assert_eq(ward_kit_count(two.right, WARD_EVENT_DEAD_LETTER, "*"), 0);
	ward_assert_eq(ward_kit_count(two.left, WARD_EVENT_DEAD_LETTER, "*"), 1);
	ward_assert_eq(ward_kit_event(two.left, WARD_EVENT_DEAD_LETTER, "*", 0)->reason,
		       WARD_REASON_STALE);
	two_finish(&two);
}

static ward_result close_mailbox(ward_self *self, void *arg)
{
	(void)arg;
	ward_mailbox_close(self);
	return WARD_DONE;
}

WARD_TEST(full_mailbox_at_the_far_side_ends_the_question_at_once, "S201")
{
	struct two two = {.b.mailbox = {.messages_max = 1, .overflow = WARD_OVERFLOW_DROP_NEWEST}};
	struct ask ask = {.who = &two.b, .number = 1, .timeout_ms = 60000};
	char wanted[64];

	start(&two, 0);
	let_and_settle(&two, &two.b, close_mailbox, NULL);
	script_say(two.right, two.b.ref, "fills it");
	let(&two, &two.a, do_ask, &ask);
	ward_kit_run(two.left);
	snprintf(wanted, sizeof wanted, "1 ends: EFULL, %d", WARD_REASON_FULL);
	assert_journal_of("a", wanted);
	two_finish(&two);
}

WARD_TEST(result_is_passed_on_to_an_actor_of_the_other_system, "S201")
{
	struct two two = {.loop = NULL};
	struct ask ask = {.who = &two.b, .number = 1, .timeout_ms = 1000};

	start(&two, 0);
	ask.answer_to = two.d.ref;
	let_and_settle(&two, &two.a, do_ask, &ask);
	assert_journal_of("a", "");
	assert_journal_of("d", "0: 10 of b");
	two_finish(&two);
}

static ward_result do_ask_stop(ward_self *self, void *arg)
{
	ward_ask_stop(self, ((struct script *)arg)->ref, 9, 1000);
	return WARD_DONE;
}

WARD_TEST(ask_stop_across_is_answered_behind_the_mail_or_unreached, "S201", "S202")
{
	struct two two = {.loop = NULL};

	start(&two, 5);
	script_say(two.left, two.b.ref, "before");
	let_and_settle(&two, &two.a, do_ask_stop, &two.b);
	assert_journal_of("b", "before;post_stop");
	assert_journal_of("a", "stopped b");
	two_finish(&two);
}

/* ---- signals and stops --------------------------------------------------------------------- */

struct exit_call {
	struct script *who;
	ward_exit_reason reason;
};

static ward_result do_exit(ward_self *self, void *arg)
{
	const struct exit_call *call = arg;
	ward_err err = ward_exit(self, call->who->ref, &call->reason);

	return err == WARD_OK ? WARD_DONE : ward_failed_err(self, err);
}

static void check_exit(ward_exit_kind kind, bool traps, bool lives, const char *noted)
{
	struct two two = {.loop = NULL};
	struct exit_call call = {&two.b, {.kind = kind}};

	if (kind == WARD_EXIT_OTHER)
		strcpy(call.reason.name, "enough");
	start(&two, 5);
	if (traps)
		let_and_settle(&two, &two.b, do_trap, NULL);
	script_say(two.left, two.b.ref, "");
	let_and_settle(&two, &two.a, do_exit, &call);
	ward_assert_eq(is_alive(&two, &two.b), lives);
	assert_journal_of("b", noted);
	two_finish(&two);
}

WARD_TEST(exit_signal_across_has_the_effect_that_it_has_here, "S200")
{
	check_exit(WARD_EXIT_KILL, true, false, "post_stop");
	check_exit(WARD_EXIT_NORMAL, false, true, "");
	check_exit(WARD_EXIT_NORMAL, true, true, "exited a: normal");
	check_exit(WARD_EXIT_OTHER, false, false, "post_stop");
	check_exit(WARD_EXIT_OTHER, true, true, "exited a: enough");
}

WARD_TEST(exit_signal_into_a_closed_association_has_no_effect, "S200")
{
	struct two two = {.loop = NULL};
	struct exit_call call = {&two.b, {.kind = WARD_EXIT_KILL}};

	start(&two, 0);
	lose(&two);
	let(&two, &two.a, do_exit, &call);
	settle(&two);
	ward_assert(is_alive(&two, &two.a) && is_alive(&two, &two.b));
	two_finish(&two);
}

WARD_TEST(stop_across_stops_after_the_messages_before_it, "S202")
{
	struct two two = {.loop = NULL};

	start(&two, 5);
	let(&two, &two.a, do_watch, &two.b);
	let_and_settle(&two, &two.a, do_stop, &two.b);
	ward_assert(!is_alive(&two, &two.b));
	assert_journal_of("a", "gone b: stopped b");
	journal_clear();
	ward_system_stop(ward_kit_system(two.left), two.d.ref); /* by a thread outside */
	settle(&two);
	ward_assert(!is_alive(&two, &two.d));
	two_finish(&two);
}

WARD_TEST_MAIN
