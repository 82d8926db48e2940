/* SPDX-License-Identifier: MIT
 *
 * shape.c - large shapes: a million children, a deep tree, a full mailbox, a million watches.
 *
 * What each call costs there is what it costs in a small one, if its cost does not depend on n.
 */
#include <inttypes.h>
#include <stdio.h>

#include "bench.h"

WARD_SIGNAL(go);
WARD_SIGNAL(here);

static ward_result idle_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (!ward_match(msg, go))
		return WARD_UNHANDLED;
	ward_reply(self, msg, here);
	return WARD_DONE;
}

static const ward_behavior idle = {.name = "idle", .receive = idle_receive};

/* ---- children, children_named: made by one parent, and stopped with it ---- */

enum { UNNAMED, NAMED };

/* Between the top and the children, so that the top lives to tell of their end. */
static ward_result nursery_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct bench_load *load = bench_load_of(self);
	int64_t begin_ns = bench_begin_ns(self);
	char name[32];

	(void)state;
	if (!ward_match(msg, go))
		return WARD_UNHANDLED;
	for (int64_t i = 0; i < load->n; i++) {
		ward_props props = {.behavior = &idle};
		if (load->bench->variant == NAMED) {
			snprintf(name, sizeof(name), "child-%" PRId64, i);
			props.name = name;
		}
		bench_must(ward_try_spawn(self, &props, NULL));
	}
	snprintf(name, sizeof(name), "%s_spawn", load->bench->name);
	bench_report_since(self, name, begin_ns, load->n, "ns/actor");
	ward_reply(self, msg, here);
	return WARD_DONE;
}

static const ward_behavior nursery = {
	.name = "nursery", .args = &ward_type_bench_load, .receive = nursery_receive};

struct span {
	int64_t begin_ns;
};

static ward_result children_start(ward_self *self, void *state)
{
	ward_ref child;

	(void)state;
	bench_must(ward_try_spawn(
		self, WARD_PROPS(&nursery, .args = {WARD_COPY(bench_load, bench_load_of(self))}),
		&child));
	bench_must(ward_try_watch(self, child));
	ward_tell(self, child, go);
	return WARD_DONE;
}

static ward_result children_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct bench_load *load = bench_load_of(self);
	struct span *me = state;
	char name[32];

	if (ward_match(msg, here)) {
		me->begin_ns = bench_begin_ns(self);
		ward_stop(self, ward_msg_sender(msg));
		return WARD_DONE;
	}
	if (!ward_match(msg, ward_terminated))
		return WARD_UNHANDLED;
	snprintf(name, sizeof(name), "%s_stop", load->bench->name);
	bench_report_since(self, name, me->begin_ns, load->n, "ns/actor");
	ward_stop_self(self);
	return WARD_DONE;
}

static const ward_behavior children = {
	.name = "children",
	.state_size = sizeof(struct span),
	.args = &ward_type_bench_load,
	.pre_start = children_start,
	.receive = children_receive,
};

/* ---- depth: each has one child ---- */

struct link_args {
	ward_ref top;
	int64_t below;
};
WARD_MESSAGE(link_args);

static const ward_behavior link;

static ward_result link_start(ward_self *self, void *state)
{
	struct link_args args = *(const struct link_args *)ward_args(self);

	(void)state;
	if (--args.below == 0)
		ward_tell(self, args.top, here);
	else
		bench_must(ward_try_spawn(
			self, WARD_PROPS(&link, .args = {WARD_COPY(link_args, &args)}), NULL));
	return WARD_DONE;
}

static const ward_behavior link = {
	.name = "link",
	.args = &ward_type_link_args,
	.pre_start = link_start,
	.receive = idle_receive,
};

struct chain {
	int64_t begin_ns;
	ward_ref first;
};

static ward_result chain_start(ward_self *self, void *state)
{
	const struct link_args args = {.top = ward_self_ref(self), .below = bench_load_of(self)->n};
	struct chain *me = state;

	me->begin_ns = bench_begin_ns(self);
	bench_must(ward_try_spawn(self, WARD_PROPS(&link, .args = {WARD_COPY(link_args, &args)}),
				  &me->first));
	bench_must(ward_try_watch(self, me->first));
	return WARD_DONE;
}

static ward_result chain_receive(ward_self *self, void *state, const ward_msg *msg)
{
	int64_t n = bench_load_of(self)->n;
	struct chain *me = state;

	if (ward_match(msg, here)) {
		bench_report_since(self, "depth_spawn", me->begin_ns, n, "ns/actor");
		me->begin_ns = bench_begin_ns(self);
		ward_stop(self, me->first);
		return WARD_DONE;
	}
	if (!ward_match(msg, ward_terminated))
		return WARD_UNHANDLED;
	bench_report_since(self, "depth_stop", me->begin_ns, n, "ns/actor");
	ward_stop_self(self);
	return WARD_DONE;
}

static const ward_behavior chain = {
	.name = "chain",
	.state_size = sizeof(struct chain),
	.args = &ward_type_bench_load,
	.pre_start = chain_start,
	.receive = chain_receive,
};

/* ---- mailbox: N messages wait in one mailbox, and are handled ---- */

struct pile {
	int64_t begin_ns;
	int64_t left;
};

static ward_result pile_start(ward_self *self, void *state)
{
	int64_t n = bench_load_of(self)->n, begin_ns = bench_begin_ns(self);
	struct pile *me = state;

	for (int64_t i = 0; i < n; i++)
		ward_tell(self, ward_self_ref(self), here);
	bench_report_since(self, "mailbox_tell", begin_ns, n, "ns/msg");
	*me = (struct pile){.begin_ns = bench_begin_ns(self), .left = n};
	return WARD_DONE;
}

static ward_result pile_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct pile *me = state;

	if (!ward_match(msg, here))
		return WARD_UNHANDLED;
	if (--me->left > 0)
		return WARD_DONE;
	bench_report_since(self, "mailbox_receive", me->begin_ns, bench_load_of(self)->n, "ns/msg");
	ward_stop_self(self);
	return WARD_DONE;
}

static const ward_behavior pile = {
	.name = "pile",
	.state_size = sizeof(struct pile),
	.args = &ward_type_bench_load,
	.pre_start = pile_start,
	.receive = pile_receive,
};

const struct bench shape_benches[] = {
	{"children", &children, NULL, 1000 * 1000, UNNAMED, "N of one parent are made and stopped"},
	{"children_named", &children, NULL, 1000 * 1000, NAMED, "the same, each with a name"},
	{"depth", &chain, NULL, 10 * 1000, 0, "N, each the child of the one before"},
	{"mailbox", &pile, NULL, 10 * 1000 * 1000, 0, "N messages in one mailbox"},
	{0},
};
