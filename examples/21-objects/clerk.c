/* SPDX-License-Identifier: MIT
 *
 * clerk.c - an actor that calls an object: it does not wait, the answer comes to its receive.
 */
#include <inttypes.h>
#include <stdio.h>
#include <ward/akka_zero.h>
#include <ward/ward.h>

#include "account.h"
#include "clerk.h"

enum { LEFT = 1, TOO_MUCH, BALANCE };

static const ward_type acc_type = {.name = "acc", .size = sizeof(account_ref)};

static ward_result clerk_init(ward_self *self, void *state, const void *args)
{
	account_ref acc = *(const account_ref *)args;
	int64_t cents;

	(void)state;
	account_deposit_from(self, acc, 500);
	if (account_balance(acc, &cents) == WARD_ETHREAD)
		printf("clerk: a clerk does not wait\n");
	account_withdraw_ask(self, acc, LEFT, 200);
	account_withdraw_ask(self, acc, TOO_MUCH, 1000);
	account_balance_ask(self, acc, BALANCE);
	return WARD_DONE;
}

static ward_result clerk_receive(ward_self *self, void *state, const ward_msg *msg)
{
	int64_t cents;

	(void)state;
	switch (ward_ask_tag(self)) {
	case LEFT:
		if (account_withdraw_answered(msg, &cents) == WARD_OK)
			printf("clerk: %" PRId64 " left\n", cents);
		return WARD_DONE;
	case TOO_MUCH:
		if (account_withdraw_answered(msg, &cents) == WARD_EFAILED)
			printf("clerk: %s\n", ward_err_detail());
		return WARD_DONE;
	case BALANCE:
		if (account_balance_answered(msg, &cents) == WARD_OK)
			printf("clerk: %" PRId64 " cents\n", cents);
		return ward_stop_self(self);
	default:
		return WARD_UNHANDLED;
	}
}

static const ward_behavior clerk = {
	.name = "clerk", .args = &acc_type, .init = clerk_init, .receive = clerk_receive};

ward_err employ_clerk(ward_system *system)
{
	/* Without a strategy an object that fails is restarted alone. */
	static const ward_component components[] = {{.object_class = &account_class}, {0}};
	ward_objects *manager = NULL;
	account_ref acc;
	ward_ref who;
	ward_err err = ward_objects_configure(NULL, components, &manager);

	if (err == WARD_OK)
		err = ward_objects_supervise(manager, system, 5 * WARD_SECOND);
	if (err == WARD_OK)
		err = account_instance(manager, NULL, &acc);
	if (err == WARD_OK)
		err = ward_system_spawn(
			system, WARD_PROPS(&clerk, .args = {&acc_type, &acc, sizeof acc}), &who);
	if (err == WARD_OK)
		err = ward_system_wait_for(system, who, 5 * WARD_SECOND);
	ward_objects_release(manager);
	return err;
}
