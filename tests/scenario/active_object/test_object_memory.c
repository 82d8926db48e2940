/* SPDX-License-Identifier: MIT
 *
 * test_object_memory.c - active objects when memory is out: who calls is told, nobody waits for
 * ever, and nothing is left of a start that failed.
 *
 * Method: the same step again, for each allocation of it that finds no memory, until none does.
 */
#include "account_objects.h"

enum { FAR = 300 }; /* more allocations than a step has */

/* Whether the n-th allocation from now on came to pass; each finds memory again. */
static bool struck(uint64_t before, uint64_t nth)
{
	ward_kit_fail_allocation(bank.kit, 0);
	return ward_kit_allocations(bank.kit) - before >= nth;
}

static uint64_t strike(uint64_t nth)
{
	ward_kit_fail_allocation(bank.kit, nth);
	return ward_kit_allocations(bank.kit);
}

static bool is_for_memory(ward_err err)
{
	return err == WARD_ENOMEM || err == WARD_EDEAD || err == WARD_EFAILED;
}

WARD_TEST(start_without_memory_is_told_and_leaves_nothing, "S124")
{
	uint64_t actors, nth = 0, failed = 0;
	bool again = true;

	open_bank_to_start();
	actors = ward_kit_stats(bank.kit).actors;
	while (again && ++nth < FAR) {
		uint64_t before;
		ward_err err;

		ward_assert_ok(ward_objects_configure(NULL, two_accounts, &bank.objects));
		before = strike(nth);
		err = ward_objects_supervise(bank.objects, bank.system, WARD_FOREVER);
		again = struck(before, nth);
		if (err == WARD_OK) {
			ward_assert_ok(ward_objects_get(bank.objects, NULL, "b", &bank.other));
			assert_balance(&bank.other, 20);
			ward_kit_stop(bank.kit, ward_objects_ref(bank.objects));
		} else {
			ward_assert(is_for_memory(err));
			failed++;
		}
		ward_kit_run(bank.kit);
		ward_assert_eq(ward_kit_stats(bank.kit).actors, actors);
		ward_objects_release(bank.objects);
		bank.objects = NULL;
	}
	ward_assert(failed > 5 && nth < FAR);
	close_bank();
}

WARD_TEST(call_without_memory_is_told, "S124")
{
	static struct blob blob, turned;
	uint64_t nth = 0, failed = 0;
	bool again = true;

	open_bank(NULL, two_accounts);
	while (again && ++nth < FAR) {
		uint64_t before = strike(nth);
		ward_err err = ward_object_call(&bank.acc, TURN, &blob, sizeof blob, &turned,
						sizeof turned);

		again = struck(before, nth);
		ward_assert(err == WARD_OK || is_for_memory(err));
		failed += err != WARD_OK;
		ward_kit_run(bank.kit);
	}
	ward_assert(failed > 0 && nth < FAR);
	assert_balance(&bank.acc, 10);
	close_bank();
}

WARD_TEST(call_that_fails_without_memory_is_told_before_its_time_is_up, "S124")
{
	uint64_t nth = 0;
	bool again = true;

	open_bank(NULL, two_accounts);
	while (again && ++nth < FAR) {
		uint64_t before;
		ward_err err;

		/* The last restart may have had no memory, and ended it. */
		if (ward_objects_get(bank.objects, NULL, "b", &bank.other) != WARD_OK) {
			ward_kit_stop(bank.kit, ward_objects_ref(bank.objects));
			ward_kit_run(bank.kit);
			ward_assert_ok(
				ward_objects_supervise(bank.objects, bank.system, WARD_FOREVER));
			ward_assert_ok(ward_objects_get(bank.objects, NULL, "b", &bank.other));
		}
		before = strike(nth);
		err = withdraw(&bank.other, 1, nth % 2 == 0 ? BY_JUMP : BY_RETURN);
		again = struck(before, nth);
		ward_assert(is_for_memory(err));
		ward_kit_run(bank.kit);
	}
	ward_assert(nth < FAR);
	close_bank();
}

/* ---- in an actor ------------------------------------------------------------------------- */

static int ends;

static ward_result note_end(ward_self *self, const ward_msg *msg)
{
	int64_t cents;
	ward_err err;

	if (ward_ask_tag(self) == 0)
		return WARD_UNHANDLED;
	err = ward_object_answered(msg, &account, PONDER, &cents, sizeof cents);
	/* A decision that was lost leaves it to its timeout. */
	ends += err == WARD_OK || err == WARD_ETIMEDOUT || is_for_memory(err) ? 1 : 100;
	return WARD_DONE;
}

static ward_result ask_once(ward_self *self, void *arg)
{
	*(ward_err *)arg = ward_try_object_ask(self, &bank.other, 1, PONDER, NULL, 0);
	return WARD_DONE;
}

WARD_TEST(held_call_without_memory_is_told, "S124")
{
	struct script caller = {.name = "caller", .receive = note_end};
	uint64_t nth = 0;
	bool again = true;

	open_bank(NULL, two_accounts);
	script_spawn(bank.kit, &caller);
	while (again && ++nth < FAR) {
		ward_err err = WARD_EINVAL;
		int64_t cents = 3;
		uint64_t before;

		ends = 0;
		script_do(bank.kit, caller.ref, ask_once, &err);
		before = strike(nth);
		ward_kit_run(bank.kit);
		ward_object_tell(&bank.other, DECIDE, &cents, sizeof cents);
		ward_kit_run(bank.kit);
		again = struck(before, nth);
		ward_assert(err == WARD_OK || err == WARD_ENOMEM);
		ward_kit_advance(bank.kit, 5 * WARD_SECOND);
		ward_assert_eq(ends, err == WARD_OK ? 1 : 0);
		ward_object_tell(&bank.other, DECIDE, &cents, sizeof cents);
		ward_kit_run(bank.kit);
	}
	ward_assert(nth > 3 && nth < FAR);
	assert_balance(&bank.other, 20);
	close_bank();
}

WARD_TEST_MAIN
