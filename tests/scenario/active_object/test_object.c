/* SPDX-License-Identifier: MIT
 *
 * test_object.c - calls of active objects from a thread outside: in order, with an answer or
 * without, in time or not, refused, failed, held.
 *
 * Method: as account_objects.h says. Who waits steps the simulation.
 */
#include "account_objects.h"

/* ---- calls ------------------------------------------------------------------------------- */

WARD_TEST(call_without_an_answer_returns_at_once_and_calls_run_in_order, "S124")
{
	open_bank(NULL, two_accounts);
	deposit(&bank.acc, 5);
	deposit(&bank.acc, 7);
	deposit(&bank.other, 1);
	ward_assert_eq(withdraw(&bank.acc, 2, 0), WARD_OK);
	assert_balance(&bank.acc, 20);
	assert_balance(&bank.other, 21);
	close_bank();
}

WARD_TEST(call_with_an_answer_waits_for_it, "S124")
{
	int64_t cents;

	open_bank(NULL, two_accounts);
	deposit(&bank.acc, 90);
	assert_balance(&bank.acc, 100);
	ward_assert_ok(ward_object_try_tell(&bank.acc, DEPOSIT, &ten, sizeof ten));
	ward_assert_ok(balance_of(&bank.acc, &cents));
	ward_assert_eq(cents, 110);
	close_bank();
}

WARD_TEST(largest_arguments_and_answer_pass_whole, "S124")
{
	static struct blob blob, turned;

	open_bank(NULL, two_accounts);
	for (size_t i = 0; i < sizeof blob.bytes; i++)
		blob.bytes[i] = (unsigned char)(i * 7);
	ward_assert_ok(
		ward_object_call(&bank.acc, TURN, &blob, sizeof blob, &turned, sizeof turned));
	for (size_t i = 0; i < sizeof blob.bytes; i++)
		ward_assert_eq(turned.bytes[i], blob.bytes[sizeof blob.bytes - 1 - i]);
	close_bank();
}

/* An answer of each size up to the largest, and its arguments as large. */
static ward_result echo(ward_self *self, void *object, const void *args, void *ret_answer)
{
	uint32_t size = *(const uint32_t *)args;

	(void)self, (void)object;
	ward_assert_eq((uintptr_t)args % 16, 0);
	ward_assert_eq((uintptr_t)ret_answer % 16, 0);
	memcpy(ret_answer, args, size);
	return WARD_DONE;
}

WARD_TEST(answers_of_every_size_are_whole, "S124")
{
	static const uint32_t sizes[] = {4,   8,    95,   96,   97,   240,  241,
					 496, 1008, 1009, 2032, 2033, 4095, 4096};
	enum { SIZES = sizeof sizes / sizeof sizes[0] };
	static ward_method methods[SIZES];
	static char names[SIZES][8];
	static unsigned char args[WARD_METHOD_BYTES], answer[WARD_METHOD_BYTES];
	static ward_object_class echoes = {.name = "a", .methods = methods, .methods_count = SIZES};
	ward_component components[] = {{.object_class = &echoes}, {0}};

	for (uint32_t i = 0; i < SIZES; i++) {
		snprintf(names[i], sizeof names[i], "m%u", i);
		methods[i] = (ward_method){names[i], sizes[i], sizes[i], echo};
	}
	memset(args, 0xa5, sizeof args);
	open_bank(NULL, components);
	for (uint32_t i = 0; i < SIZES; i++) {
		memcpy(args, &sizes[i], 4);
		memset(answer, 0, sizeof answer);
		ward_assert_ok(ward_object_call(&bank.acc, i, args, sizes[i], answer, sizes[i]));
		ward_assert(memcmp(args, answer, sizes[i]) == 0);
	}
	close_bank();
}

static int32_t looks_first(const ward_msg *msg)
{
	return ward_object_method(msg) == BALANCE ? -1 : 0;
}

WARD_TEST(mailbox_may_rank_calls_by_their_method, "S124")
{
	static const ward_component ranked[] = {{.object_class = &account,
						 .id = "a",
						 .args = {&cents_type, &ten, sizeof ten},
						 .mailbox = {.priority = looks_first}},
						{0}};

	open_bank(NULL, ranked);
	ward_assert_eq(ward_object_method(NULL), WARD_METHOD_NONE);
	deposit(&bank.acc, 1);
	assert_balance(&bank.acc, 10);
	ward_kit_run(bank.kit);
	assert_balance(&bank.acc, 11);
	close_bank();
}

/* ---- the time ---------------------------------------------------------------------------- */

WARD_TEST(caller_waits_as_long_as_the_component_says, "S124")
{
	int64_t cents = 77, began;

	open_bank(NULL, two_accounts);
	began = ward_kit_now_ms(bank.kit);
	ward_assert_err(ward_object_call(&bank.acc, PONDER, NULL, 0, &cents, sizeof cents),
			WARD_ETIMEDOUT);
	ward_assert_part(ward_err_detail(), "account.ponder: ");
	ward_assert_part(ward_err_detail(), "within 100 ms");
	ward_assert_eq(ward_kit_now_ms(bank.kit) - began, 100);
	ward_assert_err(ward_object_call(&bank.other, PONDER, NULL, 0, &cents, sizeof cents),
			WARD_ETIMEDOUT);
	ward_assert_eq(ward_kit_now_ms(bank.kit) - began, 5100);
	ward_assert_eq(cents, 77);
	close_bank();
}

/* ---- refusals ---------------------------------------------------------------------------- */

WARD_TEST(call_of_one_who_is_gone_says_so, "S124")
{
	int64_t cents;

	open_bank(NULL, two_accounts);
	ward_kit_stop(bank.kit, bank.acc.ref);
	ward_kit_run(bank.kit);
	ward_assert_err(balance_of(&bank.acc, &cents), WARD_EDEAD);
	ward_assert_part(ward_err_detail(), "account.balance: ");
	ward_assert_err(ward_object_try_tell(&bank.acc, DEPOSIT, &ten, sizeof ten), WARD_EDEAD);
	ward_assert_eq(ward_kit_count(bank.kit, WARD_EVENT_DEAD_LETTER, "*"), 1);
	deposit(&bank.acc, 1);
	ward_assert_eq(ward_kit_count(bank.kit, WARD_EVENT_DEAD_LETTER, "*"), 2);
	assert_balance(&bank.other, 20);
	close_bank();
}

WARD_TEST(caller_of_one_who_ends_meanwhile_is_told, "S124")
{
	int64_t cents;
	enum way way = BY_RETURN;

	open_bank(&ward_stopping_strategy, two_accounts);
	ward_object_tell(&bank.other, FAIL, &way, sizeof way);
	ward_assert_err(balance_of(&bank.other, &cents), WARD_EDEAD);
	assert_balance(&bank.acc, 10);
	close_bank();
}

WARD_TEST(call_that_does_not_fit_is_refused_with_the_name_of_the_method, "S124")
{
	int64_t cents = 1;
	ward_object none = {0};

	open_bank(NULL, two_accounts);
	ward_assert_err(
		ward_object_call(&bank.acc, DEPOSIT, &cents, sizeof cents, &cents, sizeof cents),
		WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "account.deposit has no answer");
	ward_assert_err(ward_object_try_tell(&bank.acc, BALANCE, NULL, 0), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "account.balance has an answer");
	ward_assert_err(ward_object_try_tell(&bank.acc, METHODS, NULL, 0), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "account has 8 methods: there is no number 8");
	ward_assert_err(ward_object_try_tell(&bank.acc, DEPOSIT, &cents, 4), WARD_ESIZE);
	ward_assert_part(ward_err_detail(), "account.deposit takes 8 bytes of arguments, not 4");
	ward_assert_err(ward_object_try_tell(&bank.acc, DEPOSIT, NULL, 8), WARD_ESIZE);
	ward_assert_err(ward_object_call(&bank.acc, BALANCE, NULL, 0, &cents, 4), WARD_ESIZE);
	ward_assert_err(ward_object_call(&bank.acc, BALANCE, NULL, 0, NULL, 8), WARD_ESIZE);
	ward_assert_err(ward_object_try_tell(&none, DEPOSIT, &cents, 8), WARD_EINVAL);
	ward_assert_err(ward_object_try_tell(NULL, DEPOSIT, &cents, 8), WARD_EINVAL);
	ward_object_tell(NULL, DEPOSIT, &cents, 8);
	ward_object_tell(&none, DEPOSIT, &cents, 8);
	ward_assert_eq(ward_kit_count(bank.kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
	ward_object_tell(&bank.acc, BALANCE, NULL, 0);
	ward_assert_eq(ward_kit_count(bank.kit, WARD_EVENT_DEAD_LETTER, "*"), 1);
	ward_assert_eq(ward_kit_event(bank.kit, WARD_EVENT_DEAD_LETTER, "*", 0)->reason,
		       WARD_REASON_MISUSE);
	assert_balance(&bank.acc, 10);
	close_bank();
}

WARD_TEST(call_of_another_class_is_refused_by_the_object, "S124")
{
	static const ward_method methods[] = {{"pay", 8, 0, account_deposit},
					      {"look", 0, 8, account_balance}};
	static const ward_object_class forged = {
		.name = "forged", .methods = methods, .methods_count = 2};
	int64_t cents = 3;

	open_bank(NULL, two_accounts);
	bank.acc.object_class = &forged;
	ward_assert_err(ward_object_call(&bank.acc, 1, NULL, 0, &cents, sizeof cents), WARD_EDEAD);
	ward_assert_ok(ward_object_try_tell(&bank.acc, 0, &cents, sizeof cents));
	ward_kit_run(bank.kit);
	ward_assert_eq(ward_kit_count(bank.kit, WARD_EVENT_DEAD_LETTER, "*"), 2);
	bank.acc.object_class = &account;
	assert_balance(&bank.acc, 10);
	close_bank();
}

WARD_TEST(method_is_found_by_its_name, "S124")
{
	ward_assert_eq(ward_method_find(&account, "withdraw"), WITHDRAW);
	ward_assert_eq(ward_method_find(&account, "rinse"), RINSE);
	ward_assert_eq(ward_method_find(&account, "with"), WARD_METHOD_NONE);
	ward_assert_eq(ward_method_find(&account, NULL), WARD_METHOD_NONE);
	ward_assert_eq(ward_method_find(NULL, "withdraw"), WARD_METHOD_NONE);
}

WARD_TEST(call_of_a_full_mailbox_is_refused, "S124")
{
	ward_component narrow[] = {
		{.object_class = &account, .id = "a", .mailbox = {.messages_max = 2}}, {0}};
	int64_t cents;

	narrow[0].args = (ward_body){&cents_type, &ten, sizeof ten};
	open_bank(NULL, narrow);
	deposit(&bank.acc, 1);
	deposit(&bank.acc, 1);
	ward_assert_err(ward_object_try_tell(&bank.acc, DEPOSIT, &ten, sizeof ten), WARD_EFULL);
	ward_assert_err(balance_of(&bank.acc, &cents), WARD_EFULL);
	ward_kit_run(bank.kit);
	assert_balance(&bank.acc, 12);
	close_bank();
}

/* ---- failures ---------------------------------------------------------------------------- */

static void fails_and_is_restarted(enum way way, const char *text)
{
	open_bank(NULL, two_accounts);
	deposit(&bank.acc, 5);
	ward_assert_err(withdraw(&bank.acc, 100, way), WARD_EFAILED);
	ward_assert_part(ward_err_detail(), text);
	ward_kit_run(bank.kit);
	assert_balance(&bank.acc, 10);
	assert_balance(&bank.other, 20);
	close_bank();
}

WARD_TEST(caller_of_a_method_that_fails_is_told_and_the_object_is_made_anew, "S124")
{
	fails_and_is_restarted(BY_RETURN, "account.withdraw failed: overdrawn: 5 cents missing");
	fails_and_is_restarted(BY_JUMP, "account.withdraw failed: overdrawn: 6 cents missing");
	fails_and_is_restarted(BY_UNHANDLED, "account.withdraw returned WARD_UNHANDLED");
}

WARD_TEST(caller_is_told_whatever_is_decided, "S124")
{
	static const ward_directive directives[] = {WARD_RESUME, WARD_RESTART, WARD_STOP,
						    WARD_ESCALATE};

	for (size_t i = 0; i < 4; i++)
		for (enum way way = BY_RETURN; way <= BY_JUMP; way++) {
			ward_strategy strategy = {.rules = {{&overdrawn, directives[i]}}};

			open_bank(&strategy, two_accounts);
			ward_assert_err(withdraw(&bank.acc, 100, way), WARD_EFAILED);
			ward_kit_run(bank.kit);
			if (directives[i] == WARD_RESUME)
				assert_balance(&bank.acc, -90);
			close_bank();
		}
}

WARD_TEST(caller_of_a_method_that_answers_and_fails_is_told_of_the_failure, "S124")
{
	open_bank(NULL, two_accounts);
	ward_assert_err(withdraw(&bank.acc, 1, BY_VERB), WARD_EFAILED);
	ward_assert_part(ward_err_detail(), "account.withdraw failed: ward_misuse");
	assert_balance(&bank.acc, 10);
	close_bank();
}

WARD_TEST(caller_of_a_later_call_is_not_told_of_another_failure, "S124")
{
	static const ward_strategy resume = {.rules = {{&ward_exception, WARD_RESUME}}};

	open_bank(&resume, two_accounts);
	for (enum way way = 0; way <= BY_JUMP; way++) {
		ward_assert_err(withdraw(&bank.acc, 1, way), way == 0 ? WARD_OK : WARD_EFAILED);
		make_fail(&bank.acc, BY_RETURN); /* nobody waits: nothing is answered */
		ward_assert_eq(ward_kit_count(bank.kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
	}
	assert_balance(&bank.acc, 7);
	close_bank();
}

WARD_TEST(calls_that_wait_are_not_lost_by_a_restart, "S124")
{
	enum way way = BY_RETURN;

	open_bank(NULL, two_accounts);
	deposit(&bank.acc, 5);
	ward_object_tell(&bank.acc, FAIL, &way, sizeof way);
	deposit(&bank.acc, 2);
	assert_balance(&bank.acc, 12);
	close_bank();
}

/* ---- answering later --------------------------------------------------------------------- */

static ward_err ponder_in(ward_self *self, uint64_t tag)
{
	return ward_try_object_ask(self, &bank.other, tag, PONDER, NULL, 0);
}

static ward_result note_pondered(ward_self *self, const ward_msg *msg)
{
	int64_t cents = 0;
	ward_err err;

	if (ward_ask_tag(self) == 0)
		return WARD_UNHANDLED;
	err = ward_object_answered(msg, &account, PONDER, &cents, sizeof cents);
	journal_note("%d: %d %d", (int)ward_ask_tag(self), (int)err, (int)cents);
	return WARD_DONE;
}

static ward_result ponder_twice(ward_self *self, void *arg)
{
	(void)arg;
	if (ponder_in(self, 1) != WARD_OK || ponder_in(self, 2) != WARD_OK)
		return ward_failed(self, &ward_exception, "%s", ward_err_detail());
	return WARD_DONE;
}

static void decide(int64_t cents)
{
	ward_object_tell(&bank.other, DECIDE, &cents, sizeof cents);
	ward_kit_run(bank.kit);
}

static void ponder_at(const ward_component *components)
{
	static struct script asker;

	asker = (struct script){.name = "asker", .receive = note_pondered};
	open_bank(NULL, components);
	script_spawn(bank.kit, &asker);
	journal_clear();
	script_do(bank.kit, asker.ref, ponder_twice, NULL);
	ward_kit_run(bank.kit);
	assert_journal("");
}

static void ponder(void)
{
	ponder_at(two_accounts);
}

WARD_TEST(held_calls_are_answered_when_the_object_says_so, "S124")
{
	ponder();
	decide(8);
	assert_journal("2: 0 8");
	assert_balance(&bank.other, 20); /* it goes on meanwhile */
	decide(9);
	assert_journal("2: 0 8;1: 0 9");
	decide(10);
	assert_journal("2: 0 8;1: 0 9");
	close_bank();
}

static ward_result jump_pre(ward_self *self, void *object, const ward_failure *why)
{
	(void)object, (void)why;
	return fail(self, BY_JUMP);
}

WARD_TEST(held_calls_end_also_where_the_callback_before_the_restart_jumps, "S124")
{
	static const ward_component jumps[] = {
		{.object_class = &account, .id = "a", .args = {&cents_type, &ten, sizeof ten}},
		{.object_class = &account,
		 .id = "b",
		 .args = {&cents_type, &ten, sizeof ten},
		 .pre_restart = jump_pre},
		{0}};
	char wanted[64];

	snprintf(wanted, sizeof wanted, "2: %d 0;1: %d 0", WARD_EFAILED, WARD_EFAILED);
	ponder_at(jumps);
	make_fail(&bank.other, BY_RETURN);
	ward_assert_part(journal_text(), wanted);
	assert_balance(&bank.other, 10);
	close_bank();
}

WARD_TEST(held_calls_end_with_their_instance, "S124")
{
	char wanted[64];

	snprintf(wanted, sizeof wanted, "2: %d 0;1: %d 0", WARD_EFAILED, WARD_EFAILED);
	ponder();
	ward_kit_stop(bank.kit, bank.other.ref);
	ward_kit_run(bank.kit);
	ward_assert_part(journal_text(), wanted);
	close_bank();
	ponder();
	make_fail(&bank.other, BY_JUMP);
	ward_assert_part(journal_text(), wanted);
	assert_balance(&bank.other, 20);
	close_bank();
}

WARD_TEST_MAIN
