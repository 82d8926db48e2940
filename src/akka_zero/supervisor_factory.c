/* SPDX-License-Identifier: MIT
 *
 * supervisor_factory.c - the supervisor made from a table: it starts all components, or none.
 *
 *	IDLE ----> STARTING ------------------> RUNNING
 *	                |   all have answered
 *	                +--> it fails: a component was refused, or failed in its start;
 *	                     BROKEN, if it is resumed after a refusal
 *
 * Components are spawned one at a time and asked for their identity, which the runtime answers once
 * the actor runs; a nested supervisor is asked whether it is ready. Requests that arrive in the
 * meantime are stashed.
 *
 * A supervisor started from a thread outside is IDLE until it is asked. So the answer can say what
 * was refused; an actor that fails in pre_start could not answer.
 *
 * Threads: runs as an actor.
 */
#include <inttypes.h>
#include <stdio.h>

#include <ward/actor.h>
#include <ward/ask.h>
#include <ward/event.h>
#include <ward/failure.h>
#include <ward/selection.h>
#include <ward/stash.h>
#include <ward/supervise.h>
#include <ward/system.h>
#include <ward/text.h>
#include <ward/zero.h>
#include <ward/zero_factory.h>

#include "akka_zero/links.h"
#include "akka_zero/table_check.h"
#include "common/outside_start.h"
#include "common/records.h"

const ward_failure_class ward_zero_not_started = {.name = "ward_zero_not_started",
						  .parent = &ward_initialization,
						  .reserved = {WARD_CLASS_OWN_}};

enum phase { IDLE, STARTING, RUNNING, BROKEN };

struct supervisor {
	struct ward_zero_links links; /* first */
	const ward_zero_factory *factory;
	ward_ref *refs; /* in the order of the table */
	size_t count;   /* components started, or about to start */
	enum phase phase;
	ward_ref asker; /* the first sender that asked whether it is ready */
	ward_err err;   /* BROKEN: the cause */
};

/* ---- starting ---------------------------------------------------------------------------- */

static void answer(ward_self *self, ward_ref asker, ward_err err, const char *text)
{
	struct ward_zero_started started = {.err = err};

	ward_text_format(started.text, sizeof started.text, "%s", text);
	ward_send(self, asker, WARD_COPY(ward_zero_started, &started));
}

static ward_err ask_component(ward_self *self, const struct supervisor *me, size_t number)
{
	const ward_question question = {
		.to = me->refs[number], .timeout_ms = WARD_FOREVER, .tag = number + 1};

	if (me->factory->components[number].nested != NULL)
		return ward_try_ask_send(self, &question, WARD_BODY(ward_zero_ready));
	return ward_try_ask_send(self, &question, WARD_BODY(ward_identify, .tag = number + 1));
}

static ward_err start_component(ward_self *self, struct supervisor *me)
{
	size_t number = me->count;
	ward_err err = ward_try_zero_start_link(self, &me->links, &me->factory->components[number],
						&me->refs[number]);

	if (err != WARD_OK)
		return err;
	me->count++;
	return ask_component(self, me, number);
}

/* The parent stops this supervisor, and so all that was started; or resumes it, and each asker gets
 * the error. */
static ward_result refused(ward_self *self, struct supervisor *me, uint64_t component, ward_err err,
			   const char *why)
{
	char text[WARD_ZERO_TEXT];

	me->phase = BROKEN;
	me->err = err;
	ward_text_format(text, sizeof text, "component %" PRIu64 " cannot be started: %s",
			 component, why);
	if (!ward_ref_is_nobody(me->asker))
		answer(self, me->asker, err, text);
	(void)ward_unstash_all(self);
	return ward_failed(self, &ward_zero_not_started, "%s", text);
}

/* Starts the next component; all before it run. */
static ward_result go_on(ward_self *self, struct supervisor *me)
{
	size_t number = me->count + 1;
	ward_err err;

	if (!wardi_zero_is_end(&me->factory->components[me->count])) {
		err = start_component(self, me);
		return err == WARD_OK ? WARD_DONE
				      : refused(self, me, number, err, ward_err_detail());
	}
	me->phase = RUNNING;
	(void)ward_unstash_all(self);
	wardi_zero_all_started(self, &me->links);
	return WARD_DONE;
}

static ward_result start(ward_self *self, void *state)
{
	struct supervisor *me = state;
	size_t count = 0;

	while (!wardi_zero_is_end(&me->factory->components[count]))
		count++;
	me->refs = wardi_record_make(self, count * sizeof me->refs[0]);
	if (me->refs == NULL)
		return refused(self, me, 1, WARD_ENOMEM, ward_err_detail());
	me->phase = STARTING;
	wardi_zero_starting(&me->links);
	return go_on(self, me);
}

/* Only the first incarnation waits for a question. */
static ward_result start_when_asked(ward_self *self, void *state)
{
	return ward_incarnation(self) > 1 ? start(self, state) : WARD_DONE;
}

/* While the supervisor starts, a component that fails in its own start fails the whole. */
static ward_directive look_first(ward_self *self, ward_ref child, const ward_failure *failure)
{
	struct supervisor *me = ward_state(self);
	char path[WARD_EVENT_PATH], text[WARD_ZERO_TEXT];

	(void)child;
	if (me->phase != STARTING || !ward_failure_is(failure, &ward_initialization))
		return WARD_UNDECIDED;
	if (!ward_ref_is_nobody(me->asker)) {
		(void)ward_system_path(ward_self_system(self), ward_failure_actor(failure), path,
				       sizeof path);
		ward_text_format(text, sizeof text, "%.*s failed during its start: %s",
				 WARD_TEXT_FIT(path, 100),
				 ward_failure_text(ward_failure_root(failure)));
		answer(self, me->asker, WARD_EDEAD, text);
	}
	return WARD_ESCALATE;
}

/* ---- messages ---------------------------------------------------------------------------- */

/* A component that has ended by itself counts as started: a failure would have come before. */
static ward_result component_answered(ward_self *self, struct supervisor *me, const ward_msg *msg)
{
	const struct ward_ask_failed *failed = ward_match(msg, ward_ask_failed);
	const struct ward_zero_started *below = ward_match(msg, ward_zero_started);

	if (below != NULL && below->err != WARD_OK)
		return refused(self, me, ward_ask_tag(self), below->err, below->text);
	if (failed != NULL && failed->why != WARD_EDEAD)
		return refused(self, me, ward_ask_tag(self), failed->why, failed->text);
	return go_on(self, me);
}

static ward_result asked_if_ready(ward_self *self, struct supervisor *me, const ward_msg *msg)
{
	ward_ref asker = ward_msg_sender(msg);
	ward_err err;

	if (me->phase == RUNNING) {
		answer(self, asker, WARD_OK, "");
	} else if (me->phase == BROKEN) {
		if (ward_ref_equal(asker, me->asker))
			me->asker = ward_nobody(); /* has its answer already */
		else
			answer(self, asker, me->err, "it did not start, and was resumed");
	} else if ((err = ward_try_stash(self)) != WARD_OK) {
		answer(self, asker, err, ward_err_detail());
	} else {
		if (ward_ref_is_nobody(me->asker))
			me->asker = asker;
		return me->phase == IDLE ? start(self, me) : WARD_DONE;
	}
	return WARD_DONE;
}

static bool is_alive(ward_self *self, ward_ref who)
{
	return ward_system_is_alive(ward_self_system(self), who);
}

static ward_result asked_for_actor(ward_self *self, const struct supervisor *me,
				   const ward_msg *msg, const ward_behavior *behavior)
{
	const ward_zero_component *table = me->factory->components;

	for (size_t i = 0; i < me->count; i++)
		if (table[i].nested == NULL && table[i].props.behavior == behavior &&
		    is_alive(self, me->refs[i])) {
			ward_answer(self, msg, ward_zero_find, .who = me->refs[i]);
			return WARD_DONE;
		}
	for (size_t i = 0; i < me->count; i++)
		if (table[i].nested != NULL && wardi_zero_has(table[i].nested, behavior) &&
		    is_alive(self, me->refs[i])) {
			ward_forward(self, me->refs[i]);
			return WARD_DONE;
		}
	ward_answer(self, msg, ward_zero_find, .who = ward_nobody());
	return WARD_DONE;
}

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct supervisor *me = state;
	const struct ward_zero_find *find;

	if (ward_ask_tag(self) != 0)
		return component_answered(self, me, msg);
	if (ward_match(msg, ward_zero_ready))
		return asked_if_ready(self, me, msg);
	if ((find = ward_match(msg, ward_zero_find)))
		return asked_for_actor(self, me, msg, find->behavior);
	if (ward_match(msg, ward_restarts_exceeded))
		return WARD_DONE; /* the event of the failure has reported it */
	return ward_failed(self, &ward_misuse,
			   "the supervisor of a table received a %.*s: it takes no messages",
			   WARD_TEXT_FIT(ward_msg_type(msg)->name, 64));
}

/* ---- the behaviours ---------------------------------------------------------------------- */

/* The arguments are a constant of the program: they own nothing. The clone exists to check them. */
static void drop_args(void *body)
{
	(void)body;
}

static ward_err clone_args(void *to, const void *from)
{
	(void)to;
	return ward_zero_check(from);
}

static const ward_type factory_type = {
	.name = "ward_zero_factory",
	.size = sizeof(ward_zero_factory),
	.drop = drop_args,
	.clone = clone_args,
};

static ward_result init(ward_self *self, void *state, const void *args)
{
	struct supervisor *me = state;

	me->factory = args;
	me->links.look_first = look_first;
	ward_zero_init(self, &me->links, me->factory->strategy);
	return WARD_DONE;
}

const ward_behavior ward_zero_supervisor = {
	.name = "ward_zero_supervisor",
	.state_size = sizeof(struct supervisor),
	.args = &factory_type,
	.own_strategy = true,
	.init = init,
	.receive = receive,
	.pre_start = start,
};

static const ward_behavior when_asked = {
	.name = "ward_zero_supervisor",
	.state_size = sizeof(struct supervisor),
	.args = &factory_type,
	.init = init,
	.receive = receive,
	.pre_start = start_when_asked,
};

/* ---- from a thread outside --------------------------------------------------------------- */

ward_err ward_zero_start(ward_system *system, const ward_zero_factory *factory, int64_t timeout_ms,
			 ward_ref *ret_supervisor)
{
	struct ward_zero_started started;
	const struct wardi_outside_start start = {
		.props = WARD_PROPS(&when_asked, .name = factory == NULL ? NULL : factory->name,
				    .args = {WARD_COPY(ward_zero_factory, factory)}),
		.ready = &ward_type_ward_zero_ready,
		.started = &ward_type_ward_zero_started,
		.answer = &started,
		.err = &started.err,
		.text = started.text,
		.late = "not all components have started in time",
	};
	ward_ref supervisor;
	ward_err err = ward_zero_check(factory);

	if (err == WARD_OK)
		err = wardi_outside_start(system, &start, timeout_ms, &supervisor);
	if (err == WARD_OK)
		*ret_supervisor = supervisor;
	return err;
}

ward_err ward_zero_actor(ward_system *system, ward_ref supervisor, const ward_behavior *behavior,
			 int64_t timeout_ms, ward_ref *ret_who)
{
	struct ward_zero_found found;
	ward_err err = ward_system_ask(system, supervisor, timeout_ms, &found, ward_zero_find,
				       .behavior = behavior);

	if (err != WARD_OK)
		return err;
	if (ward_ref_is_nobody(found.who))
		return ward_refused(WARD_ENOENT,
				    "the supervisor has no living actor with this behaviour");
	*ret_who = found.who;
	return WARD_OK;
}
