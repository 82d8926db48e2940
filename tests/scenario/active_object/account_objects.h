/* SPDX-License-Identifier: MIT
 *
 * account_objects.h - what the tests of active objects share: a class of accounts, and a manager of
 * some.
 *
 * Each callback and each call notes itself in the journal as "ID:what". What fails, and how, the
 * caller says.
 */
#ifndef SCENARIO_ACTIVE_OBJECT_ACCOUNT_OBJECTS_H
#define SCENARIO_ACTIVE_OBJECT_ACCOUNT_OBJECTS_H

#include <stdio.h>
#include <string.h>

#include <ward/akka_zero.h>

#include "support/script.h"

static const ward_failure_class overdrawn = {.name = "overdrawn", .parent = &ward_exception};
static const ward_failure_class ruined = {.name = "ruined", .parent = &ward_error};

enum way { BY_RETURN = 1, BY_JUMP, BY_RETURN_RUINED, BY_UNHANDLED, BY_VERB };

struct withdrawal {
	int64_t cents;
	enum way fails; /* 0: it does not */
};

struct blob {
	unsigned char bytes[WARD_METHOD_BYTES];
};

struct account {
	int64_t cents;
	ward_object_question held[2];
	int holds;
	char id[16];
};

static struct {
	ward_kit *kit;
	ward_system *system;
	ward_objects *objects;
	ward_object acc, other;
	uint32_t broken; /* so many times a constructor fails */
	bool broken_post;
} bank;

#define NOTE(me, what) journal_note("%s:%s", (me)->id, (what))

static inline ward_result fail(ward_self *self, enum way way)
{
	switch (way) {
	case BY_RETURN:
		return ward_failed(self, &overdrawn, "%d cents missing", 5);
	case BY_JUMP:
		ward_fail(self, &overdrawn, "%d cents missing", 6);
	case BY_RETURN_RUINED:
		return ward_failed(self, &ruined, "nothing left");
	case BY_UNHANDLED:
		return WARD_UNHANDLED;
	case BY_VERB: /* that is refused */
		ward_watch(self, ward_nobody());
		return WARD_DONE;
	default:
		return WARD_DONE;
	}
}

static inline ward_result account_create(ward_self *self, void *object, const void *args)
{
	struct account *me = object;
	const char *path_end;
	char path[64];

	ward_system_path(ward_self_system(self), ward_self_ref(self), path, sizeof path);
	path_end = strrchr(path, '/');
	snprintf(me->id, sizeof me->id, "%.15s", path_end + 1);
	me->cents = args != NULL ? *(const int64_t *)args : 0;
	NOTE(me, "create");
	if (bank.broken > 0 && bank.broken-- > 0)
		return ward_failed(self, &overdrawn, "no cents to begin with");
	return WARD_DONE;
}

static inline ward_result account_destroy(ward_self *self, void *object)
{
	(void)self;
	NOTE((struct account *)object, "destroy");
	return WARD_DONE;
}

static inline ward_result account_pre(ward_self *self, void *object, const ward_failure *why)
{
	struct account *me = object;

	(void)self;
	journal_note("%s:pre %d %s", me->id, (int)me->cents, ward_failure_class_of(why)->name);
	return WARD_DONE;
}

static inline ward_result account_post(ward_self *self, void *object, const ward_failure *why)
{
	struct account *me = object;

	journal_note("%s:post %d %s", me->id, (int)me->cents, ward_failure_class_of(why)->name);
	return bank.broken_post ? fail(self, BY_RETURN) : WARD_DONE;
}

/* ---- methods ----------------------------------------------------------------------------- */

static inline ward_result account_deposit(ward_self *self, void *object, const void *args,
					  void *ret_answer)
{
	struct account *me = object;

	(void)self;
	ward_assert(ret_answer == NULL);
	me->cents += *(const int64_t *)args;
	return WARD_DONE;
}

static inline ward_result account_balance(ward_self *self, void *object, const void *args,
					  void *ret_answer)
{
	(void)self;
	ward_assert(args == NULL);
	*(int64_t *)ret_answer = ((struct account *)object)->cents;
	return WARD_DONE;
}

static inline ward_result account_withdraw(ward_self *self, void *object, const void *args,
					   void *ret_answer)
{
	const struct withdrawal *withdrawal = args;
	struct account *me = object;

	NOTE(me, "withdraw");
	me->cents -= withdrawal->cents;
	*(int64_t *)ret_answer = me->cents;
	return fail(self, withdrawal->fails);
}

/* Is answered when somebody says so, with what that says. */
static inline ward_result account_ponder(ward_self *self, void *object, const void *args,
					 void *ret_answer)
{
	struct account *me = object;

	(void)args, (void)ret_answer;
	if (ward_try_object_hold(self, &me->held[me->holds]) != WARD_OK)
		return ward_failed(self, &ward_exception, "%s", ward_err_detail());
	me->holds++;
	ward_assert_err(ward_try_object_hold(self, &me->held[0]), WARD_EINVAL);
	return WARD_DONE;
}

static inline ward_result account_decide(ward_self *self, void *object, const void *args,
					 void *ret_answer)
{
	struct account *me = object;
	ward_object_question held;

	(void)ret_answer;
	if (me->holds == 0)
		return WARD_DONE;
	held = me->held[--me->holds];
	ward_assert_err(ward_try_object_answer(self, held, args, 1), WARD_ESIZE);
	ward_assert_ok(ward_try_object_answer(self, held, args, sizeof(int64_t)));
	ward_assert_err(ward_try_object_answer(self, held, args, sizeof(int64_t)), WARD_ENOENT);
	return WARD_DONE;
}

static inline ward_result account_turn(ward_self *self, void *object, const void *args,
				       void *ret_answer)
{
	const struct blob *blob = args;
	struct blob *turned = ret_answer;

	(void)self, (void)object;
	for (size_t i = 0; i < sizeof blob->bytes; i++)
		turned->bytes[i] = blob->bytes[sizeof blob->bytes - 1 - i];
	return WARD_DONE;
}

static inline ward_result account_fail(ward_self *self, void *object, const void *args,
				       void *ret_answer)
{
	(void)ret_answer;
	NOTE((struct account *)object, "fail");
	return fail(self, *(const enum way *)args);
}

static inline ward_result account_rinse(ward_self *self, void *object, const void *args,
					void *ret_answer)
{
	(void)self;
	ward_assert(args == NULL && ret_answer == NULL);
	NOTE((struct account *)object, "rinse");
	return WARD_DONE;
}

enum { DEPOSIT, BALANCE, WITHDRAW, PONDER, DECIDE, TURN, FAIL, RINSE, METHODS };
static const ward_method account_methods[] = {
	[DEPOSIT] = {"deposit", sizeof(int64_t), 0, account_deposit},
	[BALANCE] = {"balance", 0, sizeof(int64_t), account_balance},
	[WITHDRAW] = {"withdraw", sizeof(struct withdrawal), sizeof(int64_t), account_withdraw},
	[PONDER] = {"ponder", 0, sizeof(int64_t), account_ponder},
	[DECIDE] = {"decide", sizeof(int64_t), 0, account_decide},
	[TURN] = {"turn", sizeof(struct blob), sizeof(struct blob), account_turn},
	[FAIL] = {"fail", sizeof(enum way), 0, account_fail},
	[RINSE] = {"rinse", 0, 0, account_rinse},
};

static const ward_type cents_type = {.name = "cents", .size = sizeof(int64_t)};

static const ward_object_class account = {
	.name = "account",
	.methods = account_methods,
	.methods_count = METHODS,
	.state_size = sizeof(struct account),
	.args = &cents_type,
	.create = account_create,
	.destroy = account_destroy,
	.pre_restart = account_pre,
	.post_restart = account_post,
};

/* ---- a manager of them ------------------------------------------------------------------- */

static const int64_t ten = 10, twenty = 20;

/* "a" with 10 cents, who calls it waits 100 ms; "b" with 20. */
static const ward_component two_accounts[] = {
	{.object_class = &account,
	 .id = "a",
	 .args = {&cents_type, &ten, sizeof ten},
	 .timeout_ms = 100},
	{.object_class = &account, .id = "b", .args = {&cents_type, &twenty, sizeof twenty}},
	{0}};

static inline void open_bank_to_start_under(const ward_strategy *user)
{
	memset(&bank, 0, sizeof bank);
	bank.kit = script_start(&(ward_kit_options){.system.user_strategy = user});
	bank.system = ward_kit_system(bank.kit);
}

static inline void open_bank_to_start(void)
{
	open_bank_to_start_under(NULL);
}

/* The same, with an order of its own. */
static inline void open_bank_at(uint64_t seed)
{
	memset(&bank, 0, sizeof bank);
	bank.kit = script_start(&(ward_kit_options){.seed = seed});
	bank.system = ward_kit_system(bank.kit);
}

/* `user` decides about the supervisor. */
static inline void open_bank_under(const ward_strategy *user, const ward_strategy *strategy,
				   const ward_component *components)
{
	open_bank_to_start_under(user);
	ward_assert_ok(ward_objects_configure(strategy, components, &bank.objects));
	ward_assert_ok(ward_objects_supervise(bank.objects, bank.system, WARD_SECOND));
	ward_assert_ok(ward_objects_get(bank.objects, NULL, "a", &bank.acc));
	if (components[1].object_class != NULL)
		ward_assert_ok(ward_objects_get(bank.objects, NULL, "b", &bank.other));
	journal_clear();
}

static inline void open_bank(const ward_strategy *strategy, const ward_component *components)
{
	open_bank_under(NULL, strategy, components);
}

static inline void close_bank(void)
{
	ward_kit_run(bank.kit);
	ward_objects_release(bank.objects);
	bank.objects = NULL;
	script_finish(bank.kit);
}

/* ---- calls ------------------------------------------------------------------------------- */

static inline ward_err balance_of(const ward_object *object, int64_t *ret_cents)
{
	return ward_object_call(object, BALANCE, NULL, 0, ret_cents, sizeof *ret_cents);
}

static inline void assert_balance(const ward_object *object, int64_t wanted)
{
	int64_t cents = -1;

	ward_assert_ok(balance_of(object, &cents));
	ward_assert_eq(cents, wanted);
}

static inline void deposit(const ward_object *object, int64_t cents)
{
	ward_object_tell(object, DEPOSIT, &cents, sizeof cents);
}

static inline ward_err withdraw(const ward_object *object, int64_t cents, enum way fails)
{
	struct withdrawal withdrawal = {cents, fails};
	int64_t left;

	return ward_object_call(object, WITHDRAW, &withdrawal, sizeof withdrawal, &left,
				sizeof left);
}

static inline void make_fail(const ward_object *object, enum way way)
{
	ward_object_tell(object, FAIL, &way, sizeof way);
	ward_kit_run(bank.kit);
}

#endif
