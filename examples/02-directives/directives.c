/* SPDX-License-Identifier: MIT
 *
 * directives.c - the four things a parent can do about a child that failed.
 *
 *	cc examples/02-directives/directives.c $(pkg-config --cflags --libs ward) -o directives
 *
 * A foreman has one worker at a time. The foreman's strategy has a directive for each kind of
 * mishap. Prints each failure with its directive, and the count of the worker, which shows what
 * happens to its state.
 */
#include <stdio.h>
#include <string.h>
#include <ward/ward.h>

static const ward_failure_class slip = {.name = "slip", .parent = &ward_exception};
static const ward_failure_class confusion = {.name = "confusion", .parent = &ward_exception};
static const ward_failure_class exhaustion = {.name = "exhaustion", .parent = &ward_exception};
static const ward_failure_class fire = {.name = "fire", .parent = &ward_exception};

static const ward_strategy on_mishap = {
	.rules = {{&slip, WARD_RESUME},       /* goes on: only the job is lost */
		  {&confusion, WARD_RESTART}, /* the same worker with a new state */
		  {&exhaustion, WARD_STOP},   /* ends the worker */
		  {&fire, WARD_ESCALATE}},    /* the foreman fails, too: his parent decides */
};

struct job {
	const ward_failure_class *mishap; /* NULL: all goes well */
};
WARD_MESSAGE(job);

struct worker {
	int jobs_done;
};

static ward_result worker_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct worker *me = state;
	const struct job *job;

	if (!(job = ward_match(msg, job)))
		return WARD_UNHANDLED;
	if (job->mishap)
		return ward_failed(self, job->mishap, "after %d jobs", me->jobs_done);
	printf("worker: %d done\n", ++me->jobs_done);
	return WARD_DONE;
}

static const ward_behavior worker = {
	.name = "worker",
	.state_size = sizeof(struct worker),
	.receive = worker_receive,
};

static ward_ref hire(ward_self *self, const char *name)
{
	ward_ref who;

	who = ward_spawn(self, &worker, .name = name);
	ward_watch(self, who);
	return who;
}

/* Runs at the start, and again after the restart that the fire leads to. */
static ward_result foreman_start(ward_self *self, void *state)
{
	ward_ref first;

	(void)state;
	if (ward_incarnation(self) > 1) {
		printf("foreman: started again, without workers; that is all\n");
		return ward_stop_self(self);
	}
	first = hire(self, "first");
	ward_tell(self, first, job);
	ward_tell(self, first, job);
	ward_tell(self, first, job, .mishap = &slip);
	ward_tell(self, first, job);
	ward_tell(self, first, job, .mishap = &confusion);
	ward_tell(self, first, job);
	ward_tell(self, first, job, .mishap = &exhaustion);
	ward_tell(self, first, job); /* the worker is gone: a dead letter */
	return WARD_DONE;
}

static ward_result foreman_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (!ward_match(msg, ward_terminated))
		return WARD_UNHANDLED;
	printf("foreman: the first is gone\n");
	ward_tell(self, hire(self, "second"), job, .mishap = &fire);
	return WARD_DONE;
}

static const ward_behavior foreman = {
	.name = "foreman",
	.child_strategy = &on_mishap,
	.receive = foreman_receive,
	.pre_start = foreman_start,
};

/* Called for each failure before its directive is carried out. An escalation makes no event of its
 * own: the event comes from the supervisor that decides in the end. */
static void print_failure(void *arg, const ward_event *event)
{
	(void)arg;
	printf("  %s: %s %s: %s\n", strrchr(event->path, '/') + 1, event->failure_class,
	       event->text, ward_directive_text((ward_directive)event->directive));
}

int main(void)
{
	return ward_run(WARD_PROPS(&foreman),
			&(ward_options){.log = print_failure, .log_kinds = WARD_EVENT_FAILURE});
}
