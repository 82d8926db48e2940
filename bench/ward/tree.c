/* SPDX-License-Identifier: MIT
 *
 * tree.c - failures that concern many: up a tree of supervisors, and across all siblings.
 */
#include "bench.h"

enum { DEPTH = 10 };

WARD_SIGNAL(work);
WARD_SIGNAL(up);

static const ward_failure_class broken = {.name = "broken", .parent = &ward_exception};

/* ---- escalation: the leaf fails, every one above it escalates, the top restarts ---- */

struct node_args {
	ward_ref top;
	int depth; /* levels below the node */
};
WARD_MESSAGE(node_args);

static const ward_behavior node;

/* Also after a restart: what was below it is gone then, and is made again. */
static ward_result node_start(ward_self *self, void *state)
{
	struct node_args args = *(const struct node_args *)ward_args(self);

	(void)state;
	if (args.depth-- == 0)
		ward_tell(self, args.top, up);
	else
		bench_must(ward_try_spawn(
			self, WARD_PROPS(&node, .args = {WARD_COPY(node_args, &args)}), NULL));
	return WARD_DONE;
}

static ward_result node_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (!ward_match(msg, work))
		return WARD_UNHANDLED;
	return ward_failed(self, &broken, "it broke");
}

static const ward_strategy escalates = {.otherwise = WARD_ESCALATE};
static const ward_behavior node = {
	.name = "node",
	.args = &ward_type_node_args,
	.child_strategy = &escalates,
	.pre_start = node_start,
	.receive = node_receive,
};

struct top {
	int64_t begin_ns;
	int64_t rounds;
	int64_t waiting; /* for children that are not up yet */
};

static ward_result escalation_start(ward_self *self, void *state)
{
	const struct node_args args = {.top = ward_self_ref(self), .depth = DEPTH - 1};

	*(struct top *)state = (struct top){.begin_ns = bench_begin_ns(self)};
	bench_must(ward_try_spawn(self, WARD_PROPS(&node, .args = {WARD_COPY(node_args, &args)}),
				  NULL));
	return WARD_DONE;
}

static ward_result escalation_receive(ward_self *self, void *state, const ward_msg *msg)
{
	int64_t n = bench_load_of(self)->n;
	struct top *me = state;

	if (!ward_match(msg, up))
		return WARD_UNHANDLED;
	if (me->rounds++ < n) {
		ward_reply(self, msg, work);
		return WARD_DONE;
	}
	bench_report_since(self, "escalation", me->begin_ns, n, "ns/failure");
	ward_stop_self(self);
	return WARD_DONE;
}

static const ward_behavior escalation = {
	.name = "escalation",
	.state_size = sizeof(struct top),
	.args = &ward_type_bench_load,
	.pre_start = escalation_start,
	.receive = escalation_receive,
};

/* ---- all_for_one: one of a thousand fails, all are restarted ---- */

enum { SIBLINGS = 1000 };

static ward_result sibling_start(ward_self *self, void *state)
{
	(void)state;
	ward_tell(self, ward_parent(self), up);
	return WARD_DONE;
}

static const ward_strategy all_for_one = {.scope = WARD_ALL_FOR_ONE, .otherwise = WARD_RESTART};

static ward_result family_start(ward_self *self, void *state)
{
	static const ward_behavior sibling = {
		.name = "sibling", .pre_start = sibling_start, .receive = node_receive};

	*(struct top *)state = (struct top){.begin_ns = bench_begin_ns(self), .waiting = SIBLINGS};
	for (int i = 0; i < SIBLINGS; i++)
		bench_must(ward_try_spawn(self, WARD_PROPS(&sibling), NULL));
	return WARD_DONE;
}

static ward_result family_receive(ward_self *self, void *state, const ward_msg *msg)
{
	int64_t n = bench_load_of(self)->n;
	struct top *me = state;

	if (!ward_match(msg, up))
		return WARD_UNHANDLED;
	if (--me->waiting > 0)
		return WARD_DONE;
	me->waiting = SIBLINGS;
	if (me->rounds++ < n) {
		ward_reply(self, msg, work);
		return WARD_DONE;
	}
	bench_report_since(self, "all_for_one", me->begin_ns, n * SIBLINGS, "ns/restart");
	ward_stop_self(self);
	return WARD_DONE;
}

static const ward_behavior family = {
	.name = "family",
	.state_size = sizeof(struct top),
	.args = &ward_type_bench_load,
	.child_strategy = &all_for_one,
	.pre_start = family_start,
	.receive = family_receive,
};

/* ---- storm: all siblings fail together ---- */

struct storm {
	struct top top;
	int64_t count;
	ward_ref *siblings;
};

static const ward_behavior sibling_of_storm = {
	.name = "sibling", .pre_start = sibling_start, .receive = node_receive};

static ward_result storm_start(ward_self *self, void *state)
{
	struct storm *me = state;

	me->count = bench_load_of(self)->bench->variant;
	me->siblings = ward_alloc(self, (size_t)me->count * sizeof me->siblings[0]);
	me->top = (struct top){.begin_ns = bench_begin_ns(self), .waiting = me->count};
	for (int64_t i = 0; i < me->count; i++)
		bench_must(ward_try_spawn(self, WARD_PROPS(&sibling_of_storm), &me->siblings[i]));
	return WARD_DONE;
}

static ward_result storm_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct bench_load *load = bench_load_of(self);
	struct storm *me = state;

	if (!ward_match(msg, up))
		return WARD_UNHANDLED;
	if (--me->top.waiting > 0)
		return WARD_DONE;
	me->top.waiting = me->count;
	if (me->top.rounds++ < load->n) {
		for (int64_t i = 0; i < me->count; i++)
			ward_tell(self, me->siblings[i], work);
		return WARD_DONE;
	}
	bench_report_since(self, load->bench->name, me->top.begin_ns, load->n * me->count,
			   "ns/failure");
	ward_stop_self(self);
	return WARD_DONE;
}

static const ward_behavior storm = {
	.name = "storm",
	.state_size = sizeof(struct storm),
	.args = &ward_type_bench_load,
	.child_strategy = &all_for_one,
	.pre_start = storm_start,
	.receive = storm_receive,
};

/* By the default strategy: one-for-one. */
static const ward_behavior storm_alone = {
	.name = "storm",
	.state_size = sizeof(struct storm),
	.args = &ward_type_bench_load,
	.pre_start = storm_start,
	.receive = storm_receive,
};

const struct bench tree_benches[] = {
	{"escalation", &escalation, NULL, 20 * 1000, 0, "N failures go up a tree of depth 10"},
	{"all_for_one", &family, NULL, 300, 0, "N failures; 1000 siblings restart at each"},
	{"storm", &storm, NULL, 300, 1000, "N times 1000 siblings fail together, all-for-one"},
	{"storm_5000", &storm, NULL, 60, 5000, "N times 5000 siblings fail together, all-for-one"},
	{"storm_alone", &storm_alone, NULL, 300, 1000, "1000 siblings, one-for-one"},
	{"storm_alone_5000", &storm_alone, NULL, 60, 5000, "5000 siblings, one-for-one"},
	{0},
};
