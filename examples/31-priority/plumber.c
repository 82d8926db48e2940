/* SPDX-License-Identifier: MIT
 *
 * plumber.c - how an urgent message overtakes others: mailboxes with priorities and control
 * messages.
 *
 *	cc examples/31-priority/plumber.c $(pkg-config --cflags --libs ward) -o priority
 *
 * Prints the jobs of a plumber in the order of their handling, with the numbers that they had when
 * they were sent. A message that is being handled is never interrupted: priorities order those that
 * wait. Messages of the same priority keep their order.
 */
#include <stdio.h>
#include <ward/ward.h>

/* Lower runs first. 0 is the priority of all that the runtime sends, such as ticks of timers. */
enum { EMERGENCY = -1, ORDINARY = 0, WHEN_THERE_IS_TIME = 1, AFTER_ALL_JOBS = 2 };

struct job {
	int32_t priority;
	int number;
	char what[24];
};
WARD_MESSAGE_FLAT(job);
WARD_SIGNAL(go_home);

/* A control message overtakes all others, whatever their priority. */
WARD_SIGNAL_FLAGS(say_what_waits, WARD_TYPE_CONTROL);

/* Runs on the thread of the sender, so it may look at the message only. */
static int32_t priority_of(const ward_msg *msg)
{
	const struct job *job = ward_match(msg, job);

	return job ? job->priority : AFTER_ALL_JOBS;
}

static ward_result plumber_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct job *job = ward_match(msg, job);

	(void)state;
	if (ward_match(msg, say_what_waits)) {
		printf("%d messages wait\n", (int)ward_mailbox_count(self, ward_self_ref(self)));
		return WARD_DONE;
	}
	if (ward_match(msg, go_home)) {
		printf("all is done\n");
		return ward_stop_self(self);
	}
	if (!job)
		return WARD_UNHANDLED;
	printf("%d. %s\n", job->number, job->what);
	if (job->number == 4) /* a job may lead to another one, which overtakes the rest */
		ward_tell(self, ward_self_ref(self), job, EMERGENCY, 7, "dry the cellar");
	return WARD_DONE;
}
static const ward_behavior plumber = {.name = "plumber", .receive = plumber_receive};

static ward_result office_start(ward_self *self, void *state)
{
	ward_ref it = ward_spawn(self, &plumber,
				 .mailbox = {.priority = priority_of, .control_first = true});

	(void)state;
	ward_watch(self, it);
	ward_tell(self, it, job, WHEN_THERE_IS_TIME, 1, "paint the van");
	ward_tell(self, it, job, ORDINARY, 2, "mend the tap");
	/* A poison pill has priority 0: it would come before the painting. */
	ward_tell(self, it, go_home);
	ward_tell(self, it, job, ORDINARY, 3, "fit the bath");
	ward_tell(self, it, job, EMERGENCY, 4, "stop the burst pipe");
	ward_tell(self, it, job, WHEN_THERE_IS_TIME, 5, "sort the screws");
	ward_tell(self, it, job, EMERGENCY, 6, "find the gas leak");
	ward_tell(self, it, say_what_waits);
	return WARD_DONE;
}
static const ward_behavior office = {
	.name = "office", .pre_start = office_start, .receive = ward_stop_with_children};

/* One worker: so the plumber starts when the office has sent all its messages. */
int main(void)
{
	return ward_run(WARD_PROPS(&office), &(ward_options){.workers = 1});
}
