/* SPDX-License-Identifier: MIT
 *
 * test_object_from_actors.c - calls of active objects by actors, in the name of inboxes, and of
 * objects by objects.
 *
 * Method: an actor runs the calls that the test gives it, and notes what comes of them as
 * "TAG: CODE CENTS".
 */
#include "account_objects.h"

static struct script caller;
static uint32_t asked; /* the method that the next end is of */

static ward_result note_end(ward_self *self, const ward_msg *msg)
{
	int64_t cents = -1;
	ward_err err;

	if (ward_ask_tag(self) == 0)
		return WARD_UNHANDLED;
	err = ward_object_answered(msg, &account, asked, &cents, sizeof cents);
	journal_note("%d: %d %d", (int)ward_ask_tag(self), (int)err, (int)cents);
	return WARD_DONE;
}

static void begin(const ward_strategy *strategy)
{
	caller = (struct script){.name = "caller", .receive = note_end};
	asked = BALANCE;
	open_bank(strategy, two_accounts);
	script_spawn(bank.kit, &caller);
	journal_clear();
}

static void as_actor(script_call *call)
{
	script_do(bank.kit, caller.ref, call, NULL);
	ward_kit_run(bank.kit);
}

/* Of a call that finds no memory. */
static ward_result told(ward_self *self, ward_err err)
{
	return err == WARD_OK ? WARD_DONE
			      : ward_failed(self, &ward_exception, "%s", ward_err_detail());
}

/* ---- answers ----------------------------------------------------------------------------- */

static ward_result tell_and_ask(ward_self *self, void *arg)
{
	(void)arg;
	ward_object_tell_from(self, &bank.acc, DEPOSIT, &ten, sizeof ten);
	if (ward_try_object_tell_from(self, &bank.acc, DEPOSIT, &ten, sizeof ten) != WARD_OK)
		return told(self, WARD_ENOMEM);
	return told(self, ward_try_object_ask(self, &bank.acc, 7, BALANCE, NULL, 0));
}

WARD_TEST(answer_comes_to_the_receive_of_an_actor_in_order, "S124")
{
	begin(NULL);
	as_actor(tell_and_ask);
	assert_journal("7: 0 30");
	close_bank();
}

static ward_result tell_as_if_outside(ward_self *self, void *arg)
{
	(void)self, (void)arg;
	deposit(&bank.acc, 3);
	return told(self, ward_object_try_tell(&bank.acc, DEPOSIT, &ten, sizeof ten));
}

WARD_TEST(call_without_an_answer_works_on_either_side, "S124")
{
	begin(NULL);
	as_actor(tell_as_if_outside);
	assert_balance(&bank.acc, 23);
	close_bank();
}

static ward_result wait_inside(ward_self *self, void *arg)
{
	int64_t cents;

	(void)self, (void)arg;
	journal_note("%d", (int)balance_of(&bank.acc, &cents));
	journal_note("%s", ward_err_detail());
	return WARD_DONE;
}

WARD_TEST(actor_that_would_wait_is_refused_and_told_what_to_do, "S124")
{
	char wanted[16];

	begin(NULL);
	as_actor(wait_inside);
	snprintf(wanted, sizeof wanted, "%d;", WARD_ETHREAD);
	ward_assert_part(journal_text(), wanted);
	ward_assert_part(journal_text(), "account.balance: ");
	ward_assert_part(journal_text(), "ward_object_ask(), or account_balance_ask() of a proxy");
	close_bank();
}

/* ---- other ends -------------------------------------------------------------------------- */

static ward_result ask_ponder(ward_self *self, void *arg)
{
	(void)arg;
	return told(self, ward_try_object_ask(self, &bank.acc, 7, PONDER, NULL, 0));
}

WARD_TEST(question_of_an_actor_ends_with_the_timeout_of_the_component, "S124")
{
	char wanted[32];

	begin(NULL);
	asked = PONDER;
	snprintf(wanted, sizeof wanted, "7: %d -1", WARD_ETIMEDOUT);
	as_actor(ask_ponder);
	ward_kit_advance(bank.kit, 99);
	assert_journal("");
	ward_kit_advance(bank.kit, 1);
	assert_journal(wanted);
	ward_kit_stop(bank.kit, bank.acc.ref);
	ward_kit_run(bank.kit);
	journal_clear();
	as_actor(ask_ponder);
	snprintf(wanted, sizeof wanted, "7: %d -1", WARD_EDEAD);
	assert_journal(wanted);
	close_bank();
}

static ward_result ask_to_fail(ward_self *self, void *arg)
{
	struct withdrawal withdrawal = {1, *(const enum way *)arg};

	return told(self, ward_try_object_ask(self, &bank.acc, 7, WITHDRAW, &withdrawal,
					      sizeof withdrawal));
}

WARD_TEST(actor_is_told_of_the_failure_of_what_it_called, "S124")
{
	for (enum way way = BY_RETURN; way <= BY_JUMP; way++) {
		char wanted[32];

		begin(NULL);
		asked = WITHDRAW;
		script_do(bank.kit, caller.ref, ask_to_fail, &way);
		ward_kit_run(bank.kit);
		snprintf(wanted, sizeof wanted, "7: %d -1", WARD_EFAILED);
		ward_assert_part(journal_text(), wanted);
		assert_balance(&bank.acc, 10);
		close_bank();
	}
}

static ward_result ask_refused(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert_err(ward_try_object_ask(self, &bank.acc, 7, DEPOSIT, &ten, sizeof ten),
			WARD_EINVAL);
	ward_assert_err(ward_try_object_ask(self, &bank.acc, 0, BALANCE, NULL, 0), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "account.balance: ");
	ward_assert_err(ward_try_object_tell_from(self, &bank.acc, BALANCE, NULL, 0), WARD_EINVAL);
	ward_assert_err(ward_try_object_tell_from(self, &bank.acc, DEPOSIT, &ten, 1), WARD_ESIZE);
	ward_object_tell_from(self, &bank.acc, BALANCE, NULL, 0);
	ward_object_tell_from(self, NULL, BALANCE, NULL, 0);
	return WARD_DONE;
}

WARD_TEST(question_that_does_not_fit_is_refused, "S124")
{
	begin(NULL);
	as_actor(ask_refused);
	ward_assert_eq(ward_kit_count(bank.kit, WARD_EVENT_DEAD_LETTER, "*"), 2);
	ward_assert_eq(ward_kit_count(bank.kit, WARD_EVENT_FAILURE, "*"), 0);
	close_bank();
}

static ward_result read_wrongly(ward_self *self, const ward_msg *msg)
{
	static const ward_object_class other = {
		.name = "other", .methods = account_methods, .methods_count = METHODS};
	int64_t cents = -1;

	if (ward_ask_tag(self) == 0 || ward_match(msg, ward_ask_failed) != NULL)
		return WARD_UNHANDLED;
	ward_assert_err(ward_object_answered(msg, &account, WITHDRAW, &cents, 8), WARD_ETYPE);
	ward_assert_err(ward_object_answered(msg, &account, DEPOSIT, &cents, 8), WARD_EINVAL);
	ward_assert_err(ward_object_answered(msg, &other, BALANCE, &cents, 8), WARD_ETYPE);
	ward_assert_err(ward_object_answered(msg, &account, BALANCE, &cents, 4), WARD_ESIZE);
	ward_assert_eq(cents, -1);
	ward_assert_ok(ward_object_answered(msg, &account, BALANCE, &cents, 8));
	journal_note("%d", (int)cents);
	return WARD_DONE;
}

WARD_TEST(answer_is_read_as_what_it_is_and_as_nothing_else, "S124")
{
	begin(NULL);
	caller.receive = read_wrongly;
	as_actor(tell_and_ask);
	assert_journal("30");
	close_bank();
}

static ward_result fail_both(ward_self *self, void *arg)
{
	static const struct withdrawal withdrawal = {1, BY_RETURN};

	(void)arg;
	ward_object_ask(self, &bank.acc, 1, WITHDRAW, &withdrawal, sizeof withdrawal);
	ward_object_ask(self, &bank.other, 2, WITHDRAW, &withdrawal, sizeof withdrawal);
	return WARD_DONE;
}

/* Both may have failed before the first failure is decided, which restarts both. */
WARD_TEST(callers_of_two_that_fail_at_once_are_both_told, "S124")
{
	static const ward_strategy all = {.scope = WARD_ALL_FOR_ONE,
					  .rules = {{&ward_exception, WARD_RESTART}}};

	WARD_TEST_SEEDS(30)
	{
		char wanted[2][32];

		begin(&all);
		asked = WITHDRAW;
		as_actor(fail_both);
		for (int i = 0; i < 2; i++) {
			snprintf(wanted[i], sizeof wanted[i], "%d: %d -1", i + 1, WARD_EFAILED);
			ward_assert_part(journal_text(), wanted[i]);
		}
		assert_balance(&bank.acc, 10);
		assert_balance(&bank.other, 20);
		close_bank();
	}
}

/* ---- plain verbs that are refused --------------------------------------------------------- */

static ward_result ask_what_has_no_answer(ward_self *self, void *arg)
{
	(void)arg;
	ward_object_ask(self, &bank.acc, 7, DEPOSIT, &ten, sizeof ten);
	return WARD_DONE;
}

WARD_TEST(actor_fails_of_a_question_that_is_refused, "S124")
{
	begin(NULL);
	as_actor(ask_what_has_no_answer);
	ward_assert_part(ward_kit_event(bank.kit, WARD_EVENT_FAILURE, "*/caller", 0)->text,
			 "account.deposit has no answer to wait for");
	close_bank();
}

enum { HOLDS, ANSWERS };

static ward_result clumsy_holds(ward_self *self, void *object, const void *args, void *ret_answer)
{
	(void)object, (void)args, (void)ret_answer;
	(void)ward_object_hold(self);
	return WARD_DONE;
}

static ward_result clumsy_answers(ward_self *self, void *object, const void *args, void *ret_answer)
{
	(void)object, (void)args, (void)ret_answer;
	return ward_object_answer(self, (ward_object_question){77}, &ten, sizeof ten);
}

static const ward_method clumsy_methods[] = {{"holds", 0, 0, clumsy_holds},
					     {"answers", 0, sizeof(int64_t), clumsy_answers}};
static const ward_object_class clumsy = {
	.name = "clumsy", .methods = clumsy_methods, .methods_count = 2};

WARD_TEST(object_fails_of_what_it_cannot_hold_or_answer, "S124")
{
	static const ward_component components[] = {{.object_class = &clumsy}, {0}};
	ward_object at;
	int64_t cents;

	open_bank_to_start();
	ward_assert_ok(ward_objects_configure(NULL, components, &bank.objects));
	ward_assert_ok(ward_objects_supervise(bank.objects, bank.system, WARD_FOREVER));
	ward_assert_ok(ward_objects_get(bank.objects, &clumsy, NULL, &at));
	ward_object_tell(&at, HOLDS, NULL, 0);
	ward_kit_run(bank.kit);
	ward_assert_part(ward_kit_event(bank.kit, WARD_EVENT_FAILURE, "*/clumsy", 0)->text,
			 "no caller waits: the method has no answer");
	ward_assert_err(ward_object_call(&at, ANSWERS, NULL, 0, &cents, sizeof cents),
			WARD_EFAILED);
	ward_assert_part(ward_err_detail(), "call 77 is already answered");
	close_bank();
}

/* ---- inboxes ----------------------------------------------------------------------------- */

WARD_TEST(answers_come_to_an_inbox_while_its_thread_does_other_things, "S124")
{
	const ward_msg *msg;
	ward_inbox *inbox;
	int64_t cents;
	struct withdrawal withdrawal = {1, BY_RETURN};

	begin(NULL);
	ward_assert_ok(ward_inbox_create(bank.system, NULL, &inbox));
	ward_assert_ok(ward_object_ask_inbox(inbox, &bank.other, BALANCE, NULL, 0));
	ward_assert_ok(ward_object_ask_inbox(inbox, &bank.other, WITHDRAW, &withdrawal,
					     sizeof withdrawal));
	deposit(&bank.other, 1);
	ward_assert_err(ward_object_ask_inbox(inbox, &bank.acc, DEPOSIT, &ten, 8), WARD_EINVAL);
	ward_assert_err(ward_object_ask_inbox(NULL, &bank.acc, BALANCE, NULL, 0), WARD_EINVAL);
	ward_assert_ok(ward_inbox_receive(inbox, WARD_SECOND, &msg));
	ward_assert_ok(ward_object_answered(msg, &account, BALANCE, &cents, sizeof cents));
	ward_assert_eq(cents, 20);
	ward_assert_ok(ward_inbox_receive(inbox, WARD_SECOND, &msg));
	ward_assert_err(ward_object_answered(msg, &account, WITHDRAW, &cents, sizeof cents),
			WARD_EFAILED);
	ward_inbox_destroy(inbox);
	close_bank();
}

/* ---- objects that call objects ----------------------------------------------------------- */

struct teller {
	ward_object_question held;
};

enum { WEALTH };

static ward_result teller_wealth(ward_self *self, void *object, const void *args, void *ret_answer)
{
	struct teller *me = object;
	ward_object acc;

	(void)args, (void)ret_answer;
	if (ward_objects_get(bank.objects, &account, "a", &acc) != WARD_OK)
		return ward_failed(self, &ward_exception, "%s", ward_err_detail());
	ward_object_ask(self, &acc, 1, BALANCE, NULL, 0);
	me->held = ward_object_hold(self);
	return WARD_DONE;
}

static ward_result teller_receive(ward_self *self, void *object, const ward_msg *msg)
{
	struct teller *me = object;
	int64_t cents;

	if (ward_ask_tag(self) != 1)
		return WARD_UNHANDLED;
	if (ward_object_answered(msg, &account, BALANCE, &cents, sizeof cents) != WARD_OK)
		return ward_failed(self, &ward_exception, "%s", ward_err_detail());
	cents *= 2;
	return ward_object_answer(self, me->held, &cents, sizeof cents);
}

static const ward_method teller_methods[] = {{"wealth", 0, sizeof(int64_t), teller_wealth}};
static const ward_object_class teller = {.name = "teller",
					 .methods = teller_methods,
					 .methods_count = 1,
					 .state_size = sizeof(struct teller),
					 .receive = teller_receive};

WARD_TEST(object_answers_when_another_one_has_answered_it, "S124")
{
	static const ward_component components[] = {
		{.object_class = &account, .id = "a", .args = {&cents_type, &ten, sizeof ten}},
		{.object_class = &teller, .timeout_ms = WARD_FOREVER},
		{0}};
	ward_object at;
	int64_t cents = 0;

	open_bank_to_start();
	ward_assert_ok(ward_objects_configure(NULL, components, &bank.objects));
	ward_assert_ok(ward_objects_supervise(bank.objects, bank.system, WARD_FOREVER));
	ward_assert_ok(ward_objects_get(bank.objects, &teller, NULL, &at));
	ward_assert_eq(at.timeout_ms, WARD_FOREVER);
	ward_assert_ok(ward_object_call(&at, WEALTH, NULL, 0, &cents, sizeof cents));
	ward_assert_eq(cents, 20);
	/* What is no call and no message of its own is unhandled. */
	script_say(bank.kit, at.ref, "word");
	ward_kit_run(bank.kit);
	ward_assert_eq(ward_kit_count(bank.kit, WARD_EVENT_UNHANDLED, "*"), 1);
	close_bank();
}

WARD_TEST_MAIN
