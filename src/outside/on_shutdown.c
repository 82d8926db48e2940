/* SPDX-License-Identifier: MIT
 *
 * on_shutdown.c - tasks of a shutdown that are plain functions: ward_system_on_shutdown().
 *
 * Each runs in a service of its own, on a thread that may wait. The service joins after its spawn,
 * so that the thread that registers gets the result of the join.
 */
#include <ward/extend.h>

#include "base/error.h"
#include "base/text.h"
#include "cell/system.h"

struct calling {
	/* One byte more than is allowed: a name that was cut to fit is still too long. */
	char phase[WARD_PHASE_NAME + 1];
	char task[WARD_TASK_NAME + 1];
	void (*fn)(void *arg);
	void *arg;
};
static const ward_type calling_type = {.name = "ward.calling", .size = sizeof(struct calling)};

/* On the stack of the thread that registers, which waits. */
struct joined {
	ward_err err;
	char detail[WARD_EVENT_TEXT];
};
static const ward_type join_type = {.name = "ward.join", .size = sizeof(struct joined *)};
static const ward_type joined_type = {.name = "ward.joined"};

static ward_result join(ward_self *self, const ward_msg *msg)
{
	const struct calling *calling = ward_args(self);
	struct joined *joined = *(struct joined *const *)ward_msg_body(msg, &join_type);

	joined->err = ward_try_shutdown_join(self, calling->phase, calling->task);
	if (joined->err != WARD_OK) {
		wardi_text_copy(joined->detail, sizeof joined->detail, ward_err_detail());
		ward_stop_self(self);
	}
	/* Without memory for an answer the loss of the question notifies the asker. */
	if (ward_try_send(self, ward_msg_sender(msg), &joined_type, NULL, 0) != WARD_OK)
		ward_forward(self, ward_nobody());
	return WARD_DONE;
}

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct calling *calling = ward_args(self);

	(void)state;
	if (ward_type_same(ward_msg_type(msg), &join_type))
		return join(self, msg);
	if (ward_match(msg, ward_shutdown_task) == NULL)
		return WARD_UNHANDLED;
	calling->fn(calling->arg);
	ward_reply(self, msg, ward_shutdown_done);
	ward_stop_self(self);
	return WARD_DONE;
}

static const ward_behavior behavior = {
	.name = "ward.on_shutdown",
	.args = &calling_type,
	.receive = receive,
};

/* Asks the spawned service to join. */
static ward_err ask(ward_system *system, ward_ref who)
{
	struct joined joined = {WARD_ESTOPPING, "the system is going down"};
	struct joined *place = &joined;
	ward_err err = ward_system_ask_send(system, who, WARD_FOREVER, &joined_type, NULL,
					    &join_type, &place, sizeof(place));

	if (err != WARD_OK && err != WARD_EDEAD) { /* it was never asked */
		ward_system_stop(system, who);
		return err;
	}
	return joined.err == WARD_OK ? WARD_OK : wardi_error(joined.err, "%s", joined.detail);
}

ward_err ward_system_on_shutdown(ward_system *system, const char *phase, const char *task,
				 void (*fn)(void *arg), void *arg)
{
	struct calling calling = {.fn = fn, .arg = arg};
	ward_props props = {
		.behavior = &behavior,
		.args = {&calling_type, &calling, sizeof calling},
		.dispatcher = WARD_BLOCKING,
	};
	ward_ref who;
	ward_err err;

	if (fn == NULL)
		return wardi_error(WARD_EINVAL, "ward_system_on_shutdown: no function to call");
	if (phase == NULL)
		return wardi_error(WARD_EINVAL, "ward_system_on_shutdown: the phase is NULL");
	wardi_text_copy(calling.phase, sizeof calling.phase, phase);
	wardi_text_copy(calling.task, sizeof calling.task, task == NULL ? "" : task);
	err = ward_system_spawn_service(system, &props, &who);
	return err == WARD_OK ? ask(system, who) : err;
}
