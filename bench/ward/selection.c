/* SPDX-License-Identifier: MIT
 *
 * selection.c - messages to a path: to all children of an actor, and to one of them by its name.
 */
#include <inttypes.h>
#include <stdio.h>

#include "bench.h"

WARD_SIGNAL(made);
WARD_SIGNAL(call);
WARD_SIGNAL(here);

static ward_result child_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (!ward_match(msg, call))
		return WARD_UNHANDLED;
	ward_reply(self, msg, here);
	return WARD_DONE;
}

static ward_result hall_start(ward_self *self, void *state)
{
	static const ward_behavior child = {.name = "child", .receive = child_receive};
	char name[32];

	(void)state;
	for (int64_t i = 0; i < bench_load_of(self)->n; i++) {
		snprintf(name, sizeof(name), "child-%" PRId64, i);
		bench_must(ward_try_spawn(self, WARD_PROPS(&child, .name = name), NULL));
	}
	ward_tell(self, ward_parent(self), made);
	return WARD_DONE;
}

static ward_result hall_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)msg;
	return WARD_UNHANDLED;
}

struct caller {
	int64_t begin_ns;
	int64_t answers;
};

static ward_result caller_start(ward_self *self, void *state)
{
	static const ward_behavior hall = {
		.name = "hall",
		.args = &ward_type_bench_load,
		.pre_start = hall_start,
		.receive = hall_receive,
	};

	(void)state;
	bench_must(ward_try_spawn(self,
				  WARD_PROPS(&hall, .name = "hall",
					     .args = {WARD_COPY(bench_load, bench_load_of(self))}),
				  NULL));
	return WARD_DONE;
}

static void call_each(ward_self *self, int64_t n)
{
	char path[48];

	for (int64_t i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "hall/child-%" PRId64, i);
		ward_select_tell(self, path, call);
	}
}

static ward_result caller_receive(ward_self *self, void *state, const ward_msg *msg)
{
	int64_t n = bench_load_of(self)->n;
	struct caller *me = state;

	if (ward_match(msg, made)) {
		me->begin_ns = bench_begin_ns(self);
		ward_select_tell(self, "hall/*", call);
		return WARD_DONE;
	}
	if (!ward_match(msg, here))
		return WARD_UNHANDLED;
	me->answers++;
	if (me->answers == n) {
		bench_report_since(self, "selection_all", me->begin_ns, n, "ns/child");
		me->begin_ns = bench_begin_ns(self);
		call_each(self, n);
	} else if (me->answers == 2 * n) {
		bench_report_since(self, "selection_one", me->begin_ns, n, "ns/message");
		ward_stop_self(self);
	}
	return WARD_DONE;
}

static const ward_behavior caller = {
	.name = "caller",
	.state_size = sizeof(struct caller),
	.args = &ward_type_bench_load,
	.pre_start = caller_start,
	.receive = caller_receive,
};

const struct bench selection_benches[] = {
	{"selection", &caller, NULL, 100 * 1000, 0,
	 "to each of N children, by pattern and by name"},
	{0},
};
