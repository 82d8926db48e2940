/* SPDX-License-Identifier: MIT
 *
 * host.c - a service that prepares the job before the tree starts, and counts when it is gone.
 *
 * It counts in the phase of services: when all actors of the tree have ended, and all that they
 * told is in the database. What it cannot do need not be tried again; it escalates, and the system
 * fails.
 */
#include "host.h"

#include <string.h>

#include "conclude.h"
#include "options.h"
#include "prepare.h"

static const ward_failure_class not_prepared = {.name = "not_prepared", .parent = &ward_error};
static const ward_failure_class not_whole = {.name = "not_whole", .parent = &ward_error};

struct host {
	bool prepared; /* and not undone */
	bool concluded;
};

static ward_result host_init(ward_self *self, void *state, const void *args)
{
	const struct host_args *given = args;
	struct host *me = state;
	struct why why;
	struct options options = {.db = given->db,
				  .memory = given->memory,
				  .line_max = given->line_max,
				  .poison = given->poison,
				  .files = (char **)given->inputs};

	while (given->inputs && given->inputs[options.file_count])
		options.file_count++;
	*given->job = (struct job){.db = NULL};
	if (!prepare(given->job, given->sources, &options, &why))
		return ward_failed(self, &not_prepared, "%s", why.text);
	me->prepared = true;
	given->job->patience_ms = given->patience_ms;
	if (ward_try_shutdown_join(self, WARD_PHASE_SERVICES, "conclude") != WARD_OK ||
	    ward_try_subscribe(self, WARD_EVENT_FAILURE) != WARD_OK) {
		prepare_undo(given->job);
		return ward_failed(self, &not_prepared, "%s", ward_err_detail());
	}
	return WARD_DONE;
}

/* Returns whether all is stored that was read, or can be by another run. */
static bool end_job(ward_self *self, struct host *me)
{
	const struct host_args *given = ward_args(self);
	ward_stats stats;

	me->concluded = true;
	ward_system_stats(ward_self_system(self), &stats);
	return conclude(given->job, (int64_t)stats.failures) != 1;
}

static ward_result host_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct host_args *given = ward_args(self);
	const ward_event *event;

	if ((event = ward_match(msg, ward_event))) {
		conclude_note(given->job, event);
		return WARD_DONE;
	}
	if (!ward_match(msg, ward_shutdown_task))
		return WARD_UNHANDLED;
	if (!end_job(self, state))
		return ward_failed(self, &not_whole, "not all is stored as it should be");
	return ward_reply(self, msg, ward_shutdown_done);
}

/* Also where the start of the tree was given up: what was taken from standard input is kept. */
static ward_result host_post_stop(ward_self *self, void *state)
{
	const struct host_args *given = ward_args(self);
	struct host *me = state;
	bool whole = !me->prepared || me->concluded || end_job(self, me);

	if (me->prepared)
		prepare_undo(given->job);
	me->prepared = false;
	if (!whole)
		return ward_failed(self, &not_whole, "not all is stored as it should be");
	return WARD_DONE;
}

const ward_behavior host_behavior = {
	.name = "host",
	.state_size = sizeof(struct host),
	.args = &ward_type_host_args,
	.init = host_init,
	.receive = host_receive,
	.post_stop = host_post_stop,
};
