/* SPDX-License-Identifier: MIT
 *
 * supervisor.c - an actor of a file that has no behaviour: it starts its children and supervises.
 *
 *	STARTING ------------------> RUNNING
 *	     |   all have answered
 *	     +--> it fails: one was refused, or has ended before it ran
 *
 * The children are spawned one after the other. Each is asked to identify itself, which the runtime
 * answers once the actor runs; a supervisor is asked whether all its children run. Questions to
 * this actor are stashed until then. A restart begins without children, so all start again, in
 * order.
 *
 * Threads: runs as an actor.
 */
#include "config/tree/supervisor.h"

#include <ward/ask.h>
#include <ward/extend.h>
#include <ward/selection.h>
#include <ward/stash.h>
#include <ward/text.h>

#include "config/tree/run.h"

const ward_type wardi_config_ready = {.name = "ward.config_ready"};
const ward_type wardi_config_running = {.name = "ward.config_running"};

struct supervisor {
	const ward_config_children *group;
	const struct wardi_config_node *starting; /* NULL: all run */
};

static ward_result refused(ward_self *self, const struct supervisor *me, const char *why)
{
	return ward_failed(self, &ward_config_not_started, "\"%.*s\" cannot be started: %s",
			   WARD_TEXT_FIT(me->starting->name, 64), why);
}

static ward_err start_child(ward_self *self, const struct supervisor *me)
{
	const struct wardi_config_node *node = me->starting;
	struct wardi_config_run *run = me->group->run;
	ward_question question = {.timeout_ms = WARD_FOREVER, .tag = 1};
	struct wardi_config_made made;
	ward_err err;

	wardi_config_made(run, node, &made);
	err = ward_try_spawn(self, &made.props, &run->refs[node->number]);
	if (err != WARD_OK)
		return err;
	question.to = run->refs[node->number];
	if (node->kind == NULL && node->front == WARDI_FRONT_NONE)
		return ward_try_ask_send(self, &question, &wardi_config_ready, NULL, 0);
	return ward_try_ask_send(self, &question, WARD_BODY(ward_identify, .tag = 1));
}

/* Starts the next child; those before it run. */
static ward_result go_on(ward_self *self, struct supervisor *me,
			 const struct wardi_config_node *next)
{
	me->starting = next;
	if (next == NULL) {
		(void)ward_unstash_all(self);
		return WARD_DONE;
	}
	if (start_child(self, me) != WARD_OK)
		return refused(self, me, ward_err_detail());
	return WARD_DONE;
}

static ward_result init(ward_self *self, void *state, const void *args)
{
	struct supervisor *me = state;

	(void)self;
	me->group = *(const ward_config_children *const *)args;
	return WARD_DONE;
}

static ward_result pre_start(ward_self *self, void *state)
{
	struct supervisor *me = state;

	wardi_config_note_parent(self, me->group);
	return go_on(self, me, me->group->node->first);
}

/* If the child is gone before the question arrives, the runtime answers. */
static ward_result child_answered(ward_self *self, struct supervisor *me, const ward_msg *msg)
{
	const struct ward_ask_failed *failed = ward_match(msg, ward_ask_failed);
	const struct ward_identity *identity = ward_match(msg, ward_identity);

	if (failed != NULL && failed->why != WARD_EDEAD)
		return refused(self, me, failed->text);
	if (failed != NULL || (identity != NULL && !identity->found))
		return refused(self, me, "it ended during its start");
	return go_on(self, me, me->starting->next);
}

static ward_result asked(ward_self *self, struct supervisor *me, const ward_msg *msg)
{
	if (me->starting == NULL)
		ward_send(self, ward_msg_sender(msg), &wardi_config_running, NULL, 0);
	else if (ward_try_stash(self) != WARD_OK)
		return ward_failed(self, &ward_config_not_started, "%s", ward_err_detail());
	return WARD_DONE;
}

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct supervisor *me = state;

	if (ward_ask_tag(self) != 0)
		return child_answered(self, me, msg);
	if (ward_type_same(ward_msg_type(msg), &wardi_config_ready))
		return asked(self, me, msg);
	return WARD_UNHANDLED;
}

/* The body is a pointer to data that lives as long as the system. */
static const ward_type group_type = {.name = "ward_config_children",
				     .size = sizeof(ward_config_children *)};

const ward_behavior wardi_config_supervisor = {
	.name = "ward_config_supervisor",
	.state_size = sizeof(struct supervisor),
	.args = &group_type,
	.init = init,
	.pre_start = pre_start,
	.receive = receive,
};
