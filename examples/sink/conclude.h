/* SPDX-License-Identifier: MIT
 *
 * conclude.h - what came of a job, when its actors are gone.
 */
#ifndef SINK_CONCLUDE_H
#define SINK_CONCLUDE_H

#include <ward/event.h>

#include "job.h"

/* Keeps the last failure of the ledger itself, which no view may have lived to tell. For one event
 * after the other, of kind WARD_EVENT_FAILURE. */
void conclude_note(struct job *job, const ward_event *event);

/* Writes down what is left of standard input, counts from a fresh connection, says what came of it,
 * and leaves word in the memory of inputs. Returns the exit status: 0 all is stored; 1 it is not,
 * or not as it should be; 128 + N interrupted by signal N. */
int conclude(struct job *job, int64_t failures);

#endif
