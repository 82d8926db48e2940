/* SPDX-License-Identifier: MIT
 *
 * bank.c - active objects: supervised actors that are called like functions.
 *
 *	cd examples/21-objects && cc *.c $(pkg-config --cflags --libs ward-akka-zero) -o objects
 *
 * A thread that knows nothing of actors calls an account and a journal. They need each other, so
 * both are restarted when one fails. Then an actor calls an account: see clerk.c. Prints the
 * results of the calls, and what the restarts do. The system is simulated, so that the order is
 * always the same; without `.simulation` it runs on threads of its own.
 */
#include <inttypes.h>
#include <stdio.h>
#include <ward/akka_zero.h>
#include <ward/simulation.h>
#include <ward/ward.h>

#include "account.h"
#include "clerk.h"

/* All for one, at most 3 restarts in a second, for any exception. */
static const ward_strategy strategy = {
	.scope = WARD_ALL_FOR_ONE,
	.rules = {{&ward_exception, WARD_RESTART}},
	.restarts_max = 3,
	.window_ms = WARD_SECOND,
};

static const ward_component components[] = {
	{.object_class = &account_class,
	 .timeout_ms = WARD_SECOND,
	 .pre_restart_method = "clean_up",
	 .post_restart_method = "begin_again"},
	{.object_class = &journal_class, .timeout_ms = WARD_SECOND},
	{0},
};

static ward_err do_business(account_ref acc, journal_ref journal)
{
	int64_t cents;
	uint32_t count;
	ward_err err;

	account_deposit(acc, 500);
	journal_note(journal, 500);
	err = account_withdraw(acc, 200, &cents);
	if (err != WARD_OK)
		return err;
	printf("200 out, %" PRId64 " left\n", cents);

	err = account_withdraw(acc, 1000, &cents);
	printf("1000 out: %s\n", ward_err_text(err));
	printf("  %s\n", ward_err_detail());

	/* Both refs are valid as before, with new objects behind them. */
	err = journal_count(journal, &count);
	if (err == WARD_OK)
		err = account_balance(acc, &cents);
	if (err == WARD_OK)
		printf("%" PRIu32 " notes, %" PRId64 " cents\n", count, cents);
	return err;
}

static ward_err open_bank(ward_system *system)
{
	ward_objects *manager = NULL;
	account_ref acc;
	journal_ref journal;
	ward_err err = ward_objects_configure(&strategy, components, &manager);

	if (err == WARD_OK)
		err = ward_objects_supervise(manager, system, 5 * WARD_SECOND);
	if (err == WARD_OK)
		err = account_instance(manager, NULL, &acc);
	if (err == WARD_OK)
		err = journal_instance(manager, "journal", &journal);
	if (err == WARD_OK)
		err = do_business(acc, journal);
	ward_objects_release(manager);
	return err;
}

int main(void)
{
	static const ward_simulation quiet = {0};
	ward_system *system;
	ward_err err =
		ward_system_create(&(ward_options){.simulation = &quiet, .seed = 1}, &system);

	if (err == WARD_OK) {
		err = open_bank(system);
		if (err == WARD_OK)
			err = employ_clerk(system);
		if (err != WARD_OK)
			fprintf(stderr, "bank: %s\n", ward_err_detail());
		if (ward_system_destroy(system, 5 * WARD_SECOND) != WARD_OK)
			return 1;
	}
	return err == WARD_OK ? 0 : 1;
}
