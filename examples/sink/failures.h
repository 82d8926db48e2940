/* SPDX-License-Identifier: MIT
 *
 * failures.h - what can go wrong in the sink, and what its parents do about it.
 */
#ifndef SINK_FAILURES_H
#define SINK_FAILURES_H

#include <ward/supervise.h>

/* Of the database. */
extern const ward_failure_class store_failure; /* the one above the next four */
extern const ward_failure_class database_locked;
extern const ward_failure_class database_damaged;
extern const ward_failure_class database_displaced;
extern const ward_failure_class database_full;

/* Of the input. */
extern const ward_failure_class input_unreadable;
extern const ward_failure_class intake_broken;
extern const ward_failure_class spool_full;
extern const ward_failure_class poison_line;

/* Of what is only for show. */
extern const ward_failure_class screen_failure;
extern const ward_failure_class chaos_failure;

extern const ward_strategy kernel_strategy; /* the ledger's, for its children */
extern const ward_strategy keeper_strategy; /* the keeper's, for the writer */
extern const ward_strategy crew_strategy;   /* the crew's, for the parsers */
extern const ward_strategy top_strategy;    /* for the ledger itself */

#endif
