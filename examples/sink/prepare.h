/* SPDX-License-Identifier: MIT
 *
 * prepare.h - from the command line to a job that can be done, or a text that says why it cannot.
 */
#ifndef SINK_PREPARE_H
#define SINK_PREPARE_H

#include "job.h"
#include "options.h"

/* Finds the places of database and memory, takes up the inputs, and writes down that it did. An
 * input that cannot be read is reported on standard error and counted in job->skipped; the rest is
 * taken. False: nothing can be done, and why. Undo with prepare_undo(). */
bool prepare(struct job *job, struct sources *sources, const struct options *options,
	     struct why *why);
void prepare_undo(struct job *job);

#endif
