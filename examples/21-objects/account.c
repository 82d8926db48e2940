/* SPDX-License-Identifier: MIT
 *
 * account.c - an account and a journal: structs, with functions that never run at the same time.
 */
#include "account.h"

#include <inttypes.h>
#include <stdio.h>

static const ward_failure_class overdrawn = {.name = "overdrawn", .parent = &ward_exception};

/* ---- an account -------------------------------------------------------------------------- */

struct account {
	int64_t cents;
};

static ward_result account_do_deposit(ward_self *self, struct account *me, int64_t cents)
{
	(void)self;
	me->cents += cents;
	return WARD_DONE;
}

static ward_result account_do_withdraw(ward_self *self, struct account *me, int64_t cents,
				       int64_t *ret_left)
{
	if (cents > me->cents)
		return ward_failed(self, &overdrawn, "%" PRId64 " cents are missing",
				   cents - me->cents);
	me->cents -= cents;
	*ret_left = me->cents;
	return WARD_DONE;
}

static ward_result account_do_balance(ward_self *self, struct account *me, int64_t *ret_cents)
{
	(void)self;
	*ret_cents = me->cents;
	return WARD_DONE;
}

/* A restart calls the first on the old account, and the second on the new account. */
static ward_result account_do_clean_up(ward_self *self, struct account *me)
{
	(void)self;
	printf("account: cleans up, with %" PRId64 " cents\n", me->cents);
	return WARD_DONE;
}

static ward_result account_do_begin_again(ward_self *self, struct account *me)
{
	(void)self;
	printf("account: begins again, with %" PRId64 " cents\n", me->cents);
	return WARD_DONE;
}

WARD_OBJECT_CLASS(account, ACCOUNT);

/* ---- a journal --------------------------------------------------------------------------- */

struct journal {
	uint32_t count;
};

static ward_result journal_do_note(ward_self *self, struct journal *me, int64_t cents)
{
	(void)self, (void)cents;
	me->count++;
	return WARD_DONE;
}

static ward_result journal_do_count(ward_self *self, struct journal *me, uint32_t *ret_count)
{
	(void)self;
	*ret_count = me->count;
	return WARD_DONE;
}

static ward_result journal_flush(ward_self *self, void *object, const ward_failure *why)
{
	const struct journal *me = object;

	(void)self;
	printf("journal: had %" PRIu32 " notes when %s\n", me->count, ward_failure_text(why));
	return WARD_DONE;
}

WARD_OBJECT_CLASS(journal, JOURNAL, .pre_restart = journal_flush);
