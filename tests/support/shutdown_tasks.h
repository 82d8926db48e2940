/* SPDX-License-Identifier: MIT
 *
 * shutdown_tasks.h - scripted actors that join phases of a shutdown, and answer as their plan says.
 *
 * What they get is noted as "name:phase/task(reason)"; "name:late" is the note of an answer that
 * comes later.
 */
#ifndef SUPPORT_SHUTDOWN_TASKS_H
#define SUPPORT_SHUTDOWN_TASKS_H

#include <string.h>

#include "support/script.h"

enum answer { AT_ONCE, LATER, NEVER, FAIL, STOP, FORWARD, WRONG };

struct plan {
	const char *phase; /* NULL: that of services */
	const char *task;  /* NULL: "flush" */
	enum answer answer;
	int64_t after_ms; /* for LATER */
	ward_ref helper;  /* for FORWARD */
	ward_err refused; /* of the last join */
	ward_ref asker;
};

WARD_SIGNAL(answer_now);

/* For script.pre_start; the plan is script.arg. */
static inline ward_result plan_join(ward_self *self, void *arg)
{
	struct plan *plan = arg;
	plan->refused = ward_try_shutdown_join(
		self, plan->phase == NULL ? WARD_PHASE_SERVICES : plan->phase,
		plan->task == NULL ? "flush" : plan->task);
	if (plan->refused == WARD_ENOMEM)
		return ward_failed(self, &ward_out_of_memory, "%s", ward_err_detail());
	return WARD_DONE;
}

static inline void plan_say_done(ward_self *self, const struct plan *plan, ward_ref to)
{
	if (plan->answer == WRONG)
		ward_tell(self, to, answer_now);
	else
		ward_tell(self, to, ward_shutdown_done);
}

static inline ward_result plan_obey(ward_self *self, struct plan *plan, const ward_msg *msg)
{
	switch (plan->answer) {
	case AT_ONCE:
	case WRONG:
		plan_say_done(self, plan, ward_msg_sender(msg));
		break;
	case LATER:
		plan->asker = ward_msg_sender(msg);
		ward_after(self, 1, plan->after_ms, answer_now);
		break;
	case NEVER:
		break;
	case FAIL:
		return ward_failed(self, &ward_exception, "planned");
	case STOP:
		ward_stop_self(self);
		break;
	case FORWARD:
		ward_forward(self, plan->helper);
		break;
	}
	return WARD_DONE;
}

/* For script.receive. */
static inline ward_result plan_receive(ward_self *self, const ward_msg *msg)
{
	struct script *script = script_of(self);
	struct plan *plan = script->arg;
	const struct ward_shutdown_task *task = ward_match(msg, ward_shutdown_task);
	if (ward_match(msg, answer_now)) {
		journal_note("%s:late", script->name);
		plan_say_done(self, plan, plan->asker);
		return WARD_DONE;
	}
	if (task == NULL)
		return WARD_UNHANDLED;
	journal_note("%s:%s/%s(%s)", script->name, task->phase, task->task, task->reason);
	return plan_obey(self, plan, msg);
}

#define PROMISING(name_, plan_)                                                                    \
	{                                                                                          \
		.name = (name_), .arg = (plan_), .pre_start = plan_join, .receive = plan_receive   \
	}

static inline void promising_stop_service(void *arg, const ward_actor_info *info)
{
	ward_system *system = arg;
	if (strncmp(info->path, "sim/system/", strlen("sim/system/")) == 0)
		ward_system_stop(system, info->ref);
}

/* The phase of services has no timeout: one that never answers, or that failed before it could,
 * holds the end of the system up. */
static inline void promising_let_go(void *kit)
{
	ward_system *system = ward_kit_system(kit);
	ward_system_actors(system, promising_stop_service, system);
}

static inline void promising_service(ward_kit *kit, struct script *script)
{
	ward_kit_on_cut(kit, promising_let_go, kit);
	ward_assert_ok(ward_system_spawn_service(ward_kit_system(kit), script_props(script),
						 &script->ref));
	script_name_add(script->ref, script->name);
	ward_kit_run(kit);
}

/* The place among all events of the first that says that this actor came to this state. */
static inline size_t promising_when(const ward_kit *kit, const char *path, const char *state)
{
	size_t count = ward_kit_count(kit, WARD_EVENT_ALL, "*");
	for (size_t i = 0; i < count; i++) {
		const ward_event *event = ward_kit_event(kit, WARD_EVENT_ALL, "*", i);
		if (event->kind == WARD_EVENT_LIFECYCLE && strcmp(event->path, path) == 0 &&
		    strcmp(event->new_state, state) == 0)
			return i;
	}
	ward_test_fail(__FILE__, __LINE__, "%s never came to \"%s\"", path, state);
}

/* Waits for the end, and gives the milliseconds that it took. */
static inline int64_t promising_end(ward_kit *kit)
{
	int64_t begun_ms = ward_kit_now_ms(kit);
	ward_assert_ok(ward_system_wait(ward_kit_system(kit), WARD_MINUTE));
	ward_assert_eq(ward_kit_stats(kit).actors, 0);
	return ward_kit_now_ms(kit) - begun_ms;
}

#endif
