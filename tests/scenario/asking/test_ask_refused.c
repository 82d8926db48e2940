/* SPDX-License-Identifier: MIT
 *
 * test_ask_refused.c - questions that a simulation strikes, that are refused, that find no memory;
 * and graceful stops, which are made of the same.
 *
 * Method: as in test_ask.c.
 */
#include <ward/simulation.h>

#include "base/error.h"
#include "cell/self.h"
#include "cell/table.h"
#include "support/asking_actors.h"
#include "support/elsewhere.h"

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
	ward_assert_err(ward_try_ask_send(self, &question, type, &body, size), err);
	ward_assert_part(ward_err_detail(), text);
}

static ward_result try_wrong(ward_self *self, void *arg)
{
	const ward_type *q = &ward_type_question;
	ward_ref b = refusing->b.ref, foreign = ref_elsewhere(b);
	ward_ref waiter = ward_ref_at(ward_ref_place(b), WARD_REF_THREAD, ward_ref_number(b));
	size_t size = sizeof(struct question);
	(void)arg;
	ward_question fine = {.to = b, .timeout_ms = 1, .tag = 1}, it = fine;
	ward_assert_err(ward_try_ask_send(self, NULL, q, NULL, 0), WARD_EINVAL);
	it.reserved[1] = 1;
	refused(self, it, q, size, WARD_EINVAL, "reserved");
	it = fine;
	it.timeout_ms = 0;
	refused(self, it, q, size, WARD_EINVAL,
		"ward_ask: the timeout is 0 ms: it must be above 0");
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
	ward_assert_ok(ward_try_ask(self, b, TAG, 100, question));
	it = fine;
	it.tag = TAG;
	refused(self, it, q, size, WARD_EEXIST,
		"tag 7 is open: cancel it, or take another "
		"tag, which stands before the timeout");
	ward_assert_err(ward_try_ask_stop(self, b, TAG, 100), WARD_EEXIST);
	ward_assert_err(ward_try_ask_stop(self, ward_self_ref(self), 1, 100), WARD_EINVAL);
	ward_assert_err(ward_try_ask_stop(self, b, 0, 100), WARD_EINVAL);
	struct script_word word = script_word("dropped", &(struct script_word){0});
	ward_assert_err(ward_try_ask_send(self,
					  &(ward_question){.to = b, .timeout_ms = 100, .tag = TAG},
					  WARD_COPY(script_word, &word)),
			WARD_EEXIST);
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
	ward_assert_err(ward_try_ask_send(NULL, &fine, &ward_type_script_word, &word, sizeof(word)),
			WARD_EINVAL);
	ward_assert_err(ward_try_ask_stop(NULL, office.b.ref, 1, 1), WARD_EINVAL);
	ward_ask_cancel(NULL, 1);
	ward_assert_eq(ward_ask_tag(NULL), 0);
	ward_assert(!ward_ask_open(NULL, 1));
	close_office(&office);
}

static ward_kit *short_of_memory;

/* Each allocation of a question in turn finds no memory. Returns how many tries it took. */
static int ask_until_there_is_memory(ward_self *self, const ward_ref *whom, uint64_t tag)
{
	ward_err err = WARD_ENOMEM;
	int tries = 0;
	while (err == WARD_ENOMEM) {
		struct script_word word = script_word("", &(struct script_word){0});
		ward_kit_fail_allocation(short_of_memory, (uint64_t)++tries);
		err = ward_try_ask_send(
			self, &(ward_question){.to = *whom, .timeout_ms = 100, .tag = tag},
			WARD_COPY(script_word, &word));
		ward_kit_fail_allocation(short_of_memory, 0);
		ward_assert(ward_ask_open(self, tag) == (err == WARD_OK));
	}
	ward_assert_ok(err);
	return tries;
}

/* First with what an actor has from its first question on, some of which a refused try leaves
 * there; then with what each question needs beyond what the last one has left; then with what a
 * second one needs beside it. */
static ward_result ask_without_memory(ward_self *self, void *arg)
{
	ward_assert(ask_until_there_is_memory(self, arg, TAG) > 6);
	ward_ask_cancel(self, TAG);
	ward_assert(ask_until_there_is_memory(self, arg, TAG) > 3);
	ward_assert(ask_until_there_is_memory(self, arg, TAG + 1) > 5);
	ward_ask_cancel(self, TAG + 1);
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

static uint64_t fails_nth;

/* The first allocation of whoever answers, or passes on, is for the message, the second for the
 * asker. */
static ward_result fail_nth(ward_self *self, const ward_msg *msg)
{
	if (ward_match(msg, question) == NULL)
		return WARD_UNHANDLED;
	ward_kit_fail_allocation(short_of_memory, fails_nth);
	return clerk_receive(self, msg);
}

WARD_TEST(question_that_finds_no_memory_to_be_passed_on_says_so)
{
	struct office office = {0};
	open_office(&office, PASS_ON);
	office.b.receive = fail_nth;
	short_of_memory = office.kit;
	fails_nth = 1;
	ask_b(&office);
	assert_journal("7: no memory of b");
	ward_assert_str(last_text, "sim/user/b did not answer \"question\": no memory");
	close_office(&office);
}

WARD_TEST(answer_that_finds_no_memory_says_so)
{
	for (fails_nth = 1; fails_nth <= 2; fails_nth++) {
		struct office office = {0};
		open_office(&office, ANSWER);
		office.b.receive = fail_nth;
		short_of_memory = office.kit;
		order(&office,
		      (ward_question){.to = office.b.ref, .timeout_ms = WARD_FOREVER, .tag = TAG});
		ward_kit_run(office.kit);
		assert_journal("7: no memory of b");
		ward_assert_eq(letters(&office, WARD_REASON_NO_MEMORY), 1);
		close_office(&office);
	}
}

/* Nothing from here on. */
static ward_result fail_all(ward_self *self, const ward_msg *msg)
{
	if (ward_match(msg, question) == NULL)
		return WARD_UNHANDLED;
	ward_kit_fail_all_allocations(short_of_memory, true);
	return clerk_receive(self, msg);
}

WARD_TEST(end_that_finds_no_memory_on_its_way_is_late)
{
	const enum manner manners[] = {ANSWER, PASS_ON};
	for (int i = 0; i < 2; i++) {
		struct office office = {0};
		open_office(&office, manners[i]);
		office.b.receive = fail_all;
		short_of_memory = office.kit;
		ward_system_stop(ward_kit_system(office.kit), office.c.ref);
		ward_kit_run(office.kit);
		journal_clear();
		ask_b(&office);
		ward_kit_fail_all_allocations(office.kit, false);
		assert_journal("");
		ward_kit_advance(office.kit, 100);
		assert_journal("7: late of b");
		ward_assert_eq(letters(&office, WARD_REASON_NO_MEMORY), 1);
		close_office(&office);
	}
}

/* ---- stopping, gracefully ---------------------------------------------------------------- */

static ward_result do_stop(ward_self *self, void *arg)
{
	ward_assert_ok(ward_try_ask_stop(self, *(ward_ref *)arg, TAG, 100));
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
	ward_assert(!ward_kit_is_alive(office.kit, office.b.ref));
	close_office(&office);
}

/* ---- numbers ----------------------------------------------------------------------------- */

static ward_result use_up_numbers(ward_self *self, void *arg)
{
	ward_system *system = ward_self_system(self);
	struct wardi_cell *cell = wardi_table_open(system, ward_self_ref(self).uid);
	ward_ref b = *(ward_ref *)arg;
	struct wardi_numbers *numbers = wardi_cell_numbers(cell);
	if (numbers == NULL)
		return ward_failed(self, &ward_exception, "%s",
				   ward_err_text(wardi_no_memory(system, "none for numbers")));
	numbers->last = (UINT64_C(1) << 40) - 2;
	ward_assert_ok(ward_try_ask(self, b, TAG, 100, question, .number = 1));
	ward_assert_err(ward_try_ask(self, b, OTHER, 100, question), WARD_ELIMIT);
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
