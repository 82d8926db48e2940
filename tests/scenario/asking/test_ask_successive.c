/* SPDX-License-Identifier: MIT
 *
 * test_ask_successive.c - one question after the other: what the last one leaves for the next
 * changes nothing of what comes of it.
 *
 * Method: as in test_ask.c; each time with somebody who listens to watches and without, since the
 * runtime spares itself watches that nobody notices. a asks again when an answer comes.
 */
#include "support/asking_actors.h"

enum { STEPS = 3, BOTH = 2 };

static ward_ref whom[STEPS + 1];
static bool fails_then;

/* Asks the next one in turn; the last question is open then. */
static ward_result ask_next(ward_self *self, const ward_msg *msg)
{
	const struct answer *answer = ward_match(msg, answer);
	if (answer == NULL)
		return note_ends(self, msg);
	journal_note("%d: %d of %s", (int)ward_ask_tag(self), answer->number,
		     script_name(ward_msg_sender(msg)));
	ward_assert_ok(ward_try_ask(self, whom[answer->number], TAG, 100, question,
				    .number = answer->number + 1));
	if (fails_then && answer->number == STEPS)
		return ward_failed(self, &bad_luck, "with a question open");
	return WARD_DONE;
}

static ward_result ask_first(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert_ok(ward_try_ask(self, whom[0], TAG, 100, question, .number = 1));
	return WARD_DONE;
}

/* a has its answers, and asks the last one, who is silent. */
static void open_round(struct office *office, bool in_turns, bool heard)
{
	*office = (struct office){.a = {.receive = ask_next}};
	open_office_with(
		office, ANSWER,
		&(ward_kit_options){.event_kinds = heard ? WARD_EVENT_ALL
							 : WARD_EVENT_ALL & ~WARD_EVENT_WATCH});
	for (int i = 0; i <= STEPS; i++)
		whom[i] = in_turns && i % 2 == 1 ? office->c.ref : office->b.ref;
	script_do(office->kit, office->a.ref, ask_first, NULL);
}

/* One turn after the other, until the last question was asked; then the asked is silent. */
static void run_to_the_last(struct office *office)
{
	char last[32];
	snprintf(last, sizeof(last), "7: %d of ", STEPS);
	while (strstr(journal_text(), last) == NULL)
		ward_assert(ward_kit_step(office->kit));
	office->clerk_b.manner = office->clerk_c.manner = SILENT;
	ward_kit_run(office->kit);
	journal_clear();
}

static const char *last_name(bool in_turns)
{
	return in_turns && STEPS % 2 == 1 ? "c" : "b";
}

static void assert_end(bool in_turns, const char *end)
{
	char text[32];
	snprintf(text, sizeof(text), " %s of %s", end, last_name(in_turns));
	assert_journal_of("7", text);
}

WARD_TEST(question_asked_again_is_late_in_its_own_time)
{
	for (int round = 0; round < 2 * BOTH; round++) {
		struct office office;
		bool in_turns = round % 2 == 1;
		int64_t asked_ns;
		open_round(&office, in_turns, round < BOTH);
		asked_ns = ward_kit_now_ns(office.kit);
		run_to_the_last(&office);
		ward_assert_eq(ward_kit_stats(office.kit).timers, 1);
		ward_kit_advance(office.kit, 99);
		assert_journal("");
		ward_kit_advance(office.kit, 1);
		assert_end(in_turns, "late");
		ward_assert_eq(ward_kit_now_ns(office.kit) - asked_ns, 100 * NS_PER_MS);
		ward_assert_part(last_text, in_turns ? "/c did not answer" : "/b did not answer");
		close_office(&office);
	}
}

WARD_TEST(question_asked_again_ends_with_the_asked)
{
	WARD_TEST_SEEDS(20)
	for (int round = 0; round < 2 * BOTH; round++) {
		struct office office;
		bool in_turns = round % 2 == 1;
		open_round(&office, in_turns, round < BOTH);
		run_to_the_last(&office);
		ward_system_stop(ward_kit_system(office.kit), whom[STEPS]);
		ward_kit_run(office.kit);
		assert_end(in_turns, "gone");
		ward_kit_advance(office.kit, 1000);
		assert_end(in_turns, "gone");
		close_office(&office);
	}
}

/* The asked stops somewhere in between: each question has one end, and the last one no other. */
WARD_TEST(question_asked_again_of_who_ends_meanwhile_has_one_end)
{
	WARD_TEST_SEEDS(50)
	for (int round = 0; round < BOTH; round++) {
		struct office office;
		char text[64];
		open_round(&office, false, round == 0);
		ward_system_stop(ward_kit_system(office.kit), office.b.ref);
		ward_kit_run(office.kit);
		snprintf(text, sizeof(text), "%s", journal_text());
		ward_assert_part(text, "7: gone of b");
		ward_assert(strstr(strstr(text, "gone") + 1, "gone") == NULL);
		ward_kit_advance(office.kit, 1000);
		assert_journal(text);
		close_office(&office);
	}
}

WARD_TEST(nothing_comes_of_a_question_asked_again_by_who_fails_then, "S44")
{
	for (int round = 0; round < BOTH; round++) {
		struct office office;
		fails_then = true;
		open_round(&office, false, round == 0);
		run_to_the_last(&office);
		fails_then = false;
		ward_system_stop(ward_kit_system(office.kit), office.b.ref);
		ward_kit_advance(office.kit, 1000);
		assert_journal_of("7", "");
		close_office(&office);
	}
}

WARD_TEST(watch_of_each_question_is_told_to_who_listens, "S85")
{
	struct office office;
	size_t begun = 0, ended = 0;
	open_round(&office, false, true);
	run_to_the_last(&office);
	for (size_t i = 0; i < ward_kit_count(office.kit, WARD_EVENT_WATCH, "*/b"); i++) {
		const ward_event *event = ward_kit_event(office.kit, WARD_EVENT_WATCH, "*/b", i);
		begun += strstr(event->text, "now watched by") != NULL;
		ended += strstr(event->text, "no longer watched by") != NULL;
	}
	ward_assert_eq(begun, STEPS + 1);
	ward_assert_eq(ended, STEPS);
	ward_kit_advance(office.kit, 100);
	close_office(&office);
}

WARD_TEST_MAIN
