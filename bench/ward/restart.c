/* SPDX-License-Identifier: MIT
 *
 * restart.c - actors that fail and are restarted.
 *
 * A child fails at each message. Its fresh instance sends itself the next one, until it was
 * restarted as often as was asked for; then it tells the top.
 */
#include <inttypes.h>
#include <stdio.h>

#include "bench.h"

WARD_SIGNAL(work);
WARD_SIGNAL(done);

struct failing_args {
	ward_ref top;
	int64_t n;
	bool jumps;
};
WARD_MESSAGE(failing_args);

static const ward_failure_class broken = {.name = "broken", .parent = &ward_exception};

static ward_result failing_start(ward_self *self, void *state)
{
	const struct failing_args *args = ward_args(self);

	(void)state;
	if (ward_incarnation(self) > args->n)
		ward_tell(self, args->top, done);
	else
		ward_tell(self, ward_self_ref(self), work);
	return WARD_DONE;
}

static ward_result failing_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct failing_args *args = ward_args(self);

	(void)state;
	if (!ward_match(msg, work))
		return WARD_UNHANDLED;
	if (args->jumps)
		ward_fail(self, &broken, "it broke");
	return ward_failed(self, &broken, "it broke");
}

static const ward_behavior failing = {
	.name = "failing",
	.state_size = 64,
	.args = &ward_type_failing_args,
	.pre_start = failing_start,
	.receive = failing_receive,
};

/* At the top: the round's beginning, its restarts, and how many actors have not finished. */
struct round {
	int64_t begin_ns;
	int64_t restarts;
	int64_t failing;
};

static void begin(ward_self *self, struct round *me, int64_t restarts, int64_t children)
{
	*me = (struct round){
		.begin_ns = bench_begin_ns(self), .restarts = restarts, .failing = children};
}

static void start_failing(ward_self *self, const struct failing_args *args)
{
	bench_must(ward_try_spawn(
		self, WARD_PROPS(&failing, .args = {WARD_COPY(failing_args, args)}), NULL));
}

/* ---- restart: one supervisor, one child ---- */

enum { BY_RETURN, BY_JUMP };

static ward_result restart_start(ward_self *self, void *state)
{
	const struct bench_load *load = bench_load_of(self);

	begin(self, state, load->n, 1);
	start_failing(self, &(struct failing_args){ward_self_ref(self), load->n,
						   load->bench->variant == BY_JUMP});
	return WARD_DONE;
}

static ward_result restart_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct round *me = state;

	if (!ward_match(msg, done))
		return WARD_UNHANDLED;
	if (--me->failing > 0)
		return WARD_DONE;
	bench_report_since(self, bench_load_of(self)->bench->name, me->begin_ns, me->restarts,
			   "ns/restart");
	ward_stop_self(self);
	return WARD_DONE;
}

static const ward_behavior restart = {
	.name = "restart",
	.state_size = sizeof(struct round),
	.args = &ward_type_bench_load,
	.pre_start = restart_start,
	.receive = restart_receive,
};

/* ---- restart_flat: 10^3 of a child, then 10^4 of another, ... ---- */

enum { FLAT_FIRST = 1000 };

static ward_result flat_start(ward_self *self, void *state)
{
	begin(self, state, FLAT_FIRST, 1);
	start_failing(self, &(struct failing_args){ward_self_ref(self), FLAT_FIRST, false});
	return WARD_DONE;
}

static ward_result flat_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct round *me = state;
	int64_t more = me->restarts * 10;
	char name[32];

	if (!ward_match(msg, done))
		return WARD_UNHANDLED;
	snprintf(name, sizeof(name), "restart_%" PRId64, me->restarts);
	bench_report_since(self, name, me->begin_ns, me->restarts, "ns/restart");
	if (more > bench_load_of(self)->n) {
		ward_stop_self(self);
		return WARD_DONE;
	}
	begin(self, me, more, 1);
	start_failing(self, &(struct failing_args){ward_self_ref(self), more, false});
	return WARD_DONE;
}

static const ward_behavior flat = {
	.name = "restart_flat",
	.state_size = sizeof(struct round),
	.args = &ward_type_bench_load,
	.pre_start = flat_start,
	.receive = flat_receive,
};

/* ---- restart_many: many supervisors, each with a child that fails ---- */

enum { SUPERVISORS = 1000 };

static ward_result supervisor_start(ward_self *self, void *state)
{
	(void)state;
	start_failing(self, ward_args(self));
	return WARD_DONE;
}

static ward_result supervisor_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)msg;
	return WARD_UNHANDLED;
}

static const ward_behavior supervisor = {
	.name = "supervisor",
	.args = &ward_type_failing_args,
	.pre_start = supervisor_start,
	.receive = supervisor_receive,
};

static ward_result many_start(ward_self *self, void *state)
{
	const struct failing_args args = {.top = ward_self_ref(self),
					  .n = bench_load_of(self)->n / SUPERVISORS};

	begin(self, state, args.n * SUPERVISORS, SUPERVISORS);
	for (int i = 0; i < SUPERVISORS; i++)
		bench_must(ward_try_spawn(
			self, WARD_PROPS(&supervisor, .args = {WARD_COPY(failing_args, &args)}),
			NULL));
	return WARD_DONE;
}

static const ward_behavior many = {
	.name = "restart_many",
	.state_size = sizeof(struct round),
	.args = &ward_type_bench_load,
	.pre_start = many_start,
	.receive = restart_receive,
};

const struct bench restart_benches[] = {
	{"restart", &restart, NULL, 1000 * 1000, BY_RETURN, "one child fails; N restarts"},
	{"restart_jump", &restart, NULL, 1000 * 1000, BY_JUMP, "the same, by ward_fail()"},
	{"restart_flat", &flat, NULL, 1000 * 1000, 0, "1000, 10000, ... restarts, up to N"},
	{"restart_many", &many, NULL, 1000 * 1000, 0, "1000 supervisors; N restarts together"},
	{0},
};
