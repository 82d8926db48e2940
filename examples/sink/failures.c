/* SPDX-License-Identifier: MIT
 *
 * failures.c - the failure classes of the sink, and the four strategies of its tree.
 *
 * A restart is immediate, except for the writer: it needs a lock or a folder, which may be away for
 * a while, so its keeper stops it, and starts it again later, and later still after each try in
 * vain. No restart is counted here: the ledger's patience is the limit.
 */
#include "failures.h"

const ward_failure_class store_failure = {.name = "store_failure", .parent = &ward_exception};
const ward_failure_class database_locked = {.name = "database_locked", .parent = &store_failure};
const ward_failure_class database_damaged = {.name = "database_damaged", .parent = &store_failure};
const ward_failure_class database_displaced = {.name = "database_displaced",
					       .parent = &store_failure};
const ward_failure_class database_full = {.name = "database_full", .parent = &store_failure};

const ward_failure_class input_unreadable = {.name = "input_unreadable", .parent = &ward_exception};
const ward_failure_class intake_broken = {.name = "intake_broken", .parent = &ward_exception};
const ward_failure_class spool_full = {.name = "spool_full", .parent = &ward_exception};
const ward_failure_class poison_line = {.name = "poison_line", .parent = &ward_exception};

const ward_failure_class screen_failure = {.name = "screen_failure", .parent = &ward_exception};
const ward_failure_class chaos_failure = {.name = "chaos_failure", .parent = &ward_exception};

const ward_strategy kernel_strategy = {
	.rules =
		{
			/* What was taken from standard input is only in its state yet. */
			{&spool_full, WARD_RESUME},
			{&input_unreadable, WARD_RESTART},
			/* Standard input cannot be opened again. What came before is safe. */
			{&intake_broken, WARD_STOP},
			{&ward_out_of_memory, WARD_RESTART},
			/* Lines go on without a picture of it, and without more faults. */
			{&screen_failure, WARD_STOP},
			{&chaos_failure, WARD_STOP},
		},
	.otherwise = WARD_ESCALATE,
};

const ward_strategy keeper_strategy = {
	.rules =
		{
			/* A new connection: after a lock, after the folder is back, or on a new
			 * file once the damaged one is set aside. */
			{&store_failure, WARD_RESTART},
			/* The connection is sound, it only needs room. */
			{&database_full, WARD_RESUME},
			{&ward_out_of_memory, WARD_RESTART},
		},
	.otherwise = WARD_ESCALATE,
};

const ward_strategy crew_strategy = {
	.rules =
		{
			/* Its last breath hands the line back to the ledger; see parser.c. */
			{&poison_line, WARD_RESTART},
			{&ward_out_of_memory, WARD_RESTART},
		},
	.otherwise = WARD_ESCALATE,
};

/* All that the ledger knows stands in the database and in the memory of inputs, too: a new one
 * begins where they end. If that does not help, nothing will. */
const ward_strategy top_strategy = {
	.rules = {{&ward_exception, WARD_RESTART}},
	.otherwise = WARD_STOP,
	.restarts_max = 3,
	.window_ms = WARD_MINUTE,
};
