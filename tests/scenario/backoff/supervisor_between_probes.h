/* SPDX-License-Identifier: MIT
 *
 * supervisor_between_probes.h - a back-off supervisor between two probes, and a child that does
 * what it is told.
 *
 * The probe `parent` is the supervisor's parent, and watches it; `client` talks to it. What happens
 * to the child is a text: "+3000" a child starts, 3000 ms after the begin; "R" it was restarted at
 * once; "7" it was given task 7; "-" it ended.
 */
#ifndef SCENARIO_BACKOFF_SUPERVISOR_BETWEEN_PROBES_H
#define SCENARIO_BACKOFF_SUPERVISOR_BETWEEN_PROBES_H

#include <stdio.h>
#include <string.h>

#include <ward/backoff.h>
#include <ward/codec.h>
#include <ward/testkit.h>
#include <ward/ward.h>

#include "support/raw_bytes.h"

/* What the child does about a task, after its note. */
enum deed { JUST_NOTE, ANSWER_IT, FAIL_OF_IT, END_WITH_IT, TELL_PARENT, RESET_PARENT };

struct task {
	int number;
	enum deed deed;
	const ward_failure_class *why; /* NULL: bad_luck */
};
RAW_MESSAGE(task);

struct task_done {
	int number;
};
WARD_MESSAGE_FIELDS_FLAGS(task_done, 1, WARD_TYPE_FLAT, WARD_FIELD(INT, task_done, number));
WARD_REPLY(task, task_done);

/* What it tells its parent; it is too large for a small message. */
struct report {
	int number;
	char padding[200];
};
WARD_MESSAGE_FIELDS_FLAGS(report, 1, WARD_TYPE_FLAT, WARD_FIELD(INT, report, number),
			  WARD_FIELD(TEXT, report, padding));

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};
static const ward_failure_class odd_luck = {.name = "odd_luck", .parent = &ward_exception};
static const ward_failure_class meltdown = {.name = "meltdown", .parent = &ward_error};
WARD_TEST_FAILURE_CLASSES(&bad_luck, &odd_luck, &meltdown);

static struct {
	ward_kit *kit;
	ward_probe *parent, *client;
	ward_ref supervisor;
	ward_ref child; /* the last one */
	int64_t began_ms;
	bool broken; /* a child fails in pre_start */
	void (*last_words)(ward_self *self);
	uint64_t random; /* what the generator gives */
	char log[2048];
} nest;

static inline void nest_note(const char *what)
{
	size_t length = strlen(nest.log);

	ward_assert(length + strlen(what) + 2 < sizeof nest.log);
	snprintf(nest.log + length, sizeof nest.log - length, "%s%s", length > 0 ? " " : "", what);
}

/* What has happened since the last look. */
static inline const char *nest_log(void)
{
	static char seen[sizeof nest.log];

	memcpy(seen, nest.log, sizeof seen);
	nest.log[0] = '\0';
	return seen;
}

/* ---- the child --------------------------------------------------------------------------- */

static inline ward_result pupil_start(ward_self *self, void *state)
{
	char text[32];

	(void)state;
	snprintf(text, sizeof text, "+%lld",
		 (long long)(ward_now_ns(self) / 1000000 - nest.began_ms));
	nest_note(ward_incarnation(self) > 1 ? "R" : text);
	nest.child = ward_kit_ref(nest.kit, ward_self_ref(self));
	return nest.broken ? ward_failed(self, &bad_luck, "cannot start") : WARD_DONE;
}

static inline ward_result pupil_stop(ward_self *self, void *state)
{
	(void)state;
	if (ward_incarnation(self) > 0 && nest.last_words != NULL)
		nest.last_words(self);
	nest_note("-");
	return WARD_DONE;
}

/* No end of it: the next incarnation goes on. */
static inline ward_result pupil_restart(ward_self *self, void *state, const ward_failure *why,
					const ward_msg *msg)
{
	(void)self, (void)state, (void)why, (void)msg;
	return WARD_DONE;
}

static inline ward_result pupil_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct task *task = ward_match(msg, task);
	char text[16];

	(void)state;
	if (task == NULL)
		return WARD_UNHANDLED;
	snprintf(text, sizeof text, "%d", task->number);
	nest_note(text);
	switch (task->deed) {
	case ANSWER_IT:
		ward_answer(self, msg, task, .number = task->number);
		break;
	case END_WITH_IT:
		ward_stop_self(self);
		break;
	case TELL_PARENT:
		ward_tell(self, ward_parent(self), report, .number = task->number);
		break;
	case RESET_PARENT:
		ward_tell(self, ward_parent(self), ward_backoff_reset);
		break;
	case FAIL_OF_IT:
		return ward_failed(self, task->why != NULL ? task->why : &bad_luck, "task %d",
				   task->number);
	case JUST_NOTE:
	default:
		break;
	}
	return WARD_DONE;
}

static const ward_behavior pupil = {
	.name = "pupil",
	.receive = pupil_receive,
	.pre_start = pupil_start,
	.post_stop = pupil_stop,
	.pre_restart = pupil_restart,
};

/* ---- the nest ---------------------------------------------------------------------------- */

static inline uint64_t nest_random(ward_self *self)
{
	(void)self;
	return nest.random;
}

/* 3, 6, 12, 24, 30 seconds, none at random; the row is over after 30. */
static inline struct ward_backoff nest_options(void)
{
	return (struct ward_backoff){
		.child = {.behavior = &pupil, .name = "pupil"},
		.min_backoff_ms = 3 * WARD_SECOND,
		.max_backoff_ms = 30 * WARD_SECOND,
		.auto_reset_ms = 30 * WARD_SECOND,
		.random = nest_random,
	};
}

static inline void nest_begin_with(const ward_kit_options *options)
{
	memset(&nest, 0, sizeof nest);
	nest.kit = ward_kit_start(options);
	nest.parent = ward_probe_start(nest.kit, "parent");
	nest.client = ward_probe_start(nest.kit, "client");
	nest.began_ms = ward_kit_now_ms(nest.kit);
}

static inline void nest_begin(void)
{
	nest_begin_with(NULL);
}

static inline void nest_spawn(ward_props props)
{
	props.name = "nest";
	nest.supervisor = ward_probe_spawn_props(nest.parent, &props);
	ward_probe_watch(nest.parent, nest.supervisor);
	ward_kit_run(nest.kit);
}

static inline void nest_on_stop(const struct ward_backoff *options)
{
	nest_begin();
	nest_spawn(*WARD_PROPS(&ward_backoff_on_stop, .args = {WARD_COPY(ward_backoff, options)}));
}

static inline void nest_on_failure(const struct ward_backoff *options)
{
	nest_begin();
	nest_spawn(
		*WARD_PROPS(&ward_backoff_on_failure, .args = {WARD_COPY(ward_backoff, options)}));
}

#define nest_end() ward_kit_finish(nest.kit)

/* As the client; and lets it happen. */
#define nest_tell(...)                                                                             \
	(ward_probe_tell(nest.client, nest.supervisor, __VA_ARGS__), ward_kit_run(nest.kit))
#define nest_fail() nest_tell(task, .deed = FAIL_OF_IT)
#define nest_advance(ms) ward_kit_advance(nest.kit, (ms))

static inline uint32_t nest_count(void)
{
	nest_tell(ward_get_restart_count);
	return ward_expect(nest.client, 0, ward_restart_count)->count;
}

static inline bool nest_has_child(ward_ref child)
{
	nest_tell(ward_get_current_child);
	return ward_ref_equal(ward_expect(nest.client, 0, ward_current_child)->child, child);
}

/* The supervisor has stopped. */
#define nest_expect_end() ward_expect_terminated(nest.parent, 0, nest.supervisor)

/* Of the last message to the client. */
static inline ward_ref nest_sender(void)
{
	return ward_kit_ref(nest.kit, ward_probe_sender(nest.client));
}

static inline const char *nest_status(void)
{
	static ward_actor_info info;

	ward_assert(ward_kit_info(nest.kit, nest.supervisor, &info));
	return info.status;
}

/* Ends the child, and has the next one start exactly so much later. */
static inline void nest_expect_start(int64_t delay_ms, enum deed deed)
{
	int64_t due_ms = ward_kit_now_ms(nest.kit) - nest.began_ms + delay_ms;
	char wanted[32];

	nest_tell(task, .deed = deed);
	ward_assert_part(nest_log(), "0 -");
	nest_advance(delay_ms - 1);
	ward_assert_str(nest_log(), "");
	nest_advance(1);
	snprintf(wanted, sizeof wanted, "+%lld", (long long)due_ms);
	ward_assert_str(nest_log(), wanted);
}

/* How many dead letters had that reason, and were sent by the client. */
static inline size_t nest_dead(ward_reason reason)
{
	size_t dead = 0, count = ward_kit_count(nest.kit, WARD_EVENT_DEAD_LETTER, "*");

	for (size_t i = 0; i < count; i++) {
		const ward_event *event = ward_kit_event(nest.kit, WARD_EVENT_DEAD_LETTER, "*", i);

		dead += event->reason == (uint32_t)reason &&
			ward_ref_equal(event->sender, ward_probe_ref(nest.client));
	}
	return dead;
}

#endif
