/* SPDX-License-Identifier: MIT
 *
 * lives.c - a storm of short lives: spawn, first message, stop, notice to the parent.
 *
 * Each spawner makes a thousand children for each message that it sends to itself, and counts for
 * itself: a counter that all share would be what is measured on two workers.
 */
#include <stdatomic.h>

#include "bench.h"

enum { EACH = 1000, SPAWNERS_MAX = 2 };

WARD_SIGNAL(more);
WARD_SIGNAL(ended);

/* A spawner's count, alone in its line: its children may run on another worker. */
struct lives_left {
	_Alignas(64) atomic_llong count;
};

struct live {
	struct lives_left *left;
};
WARD_MESSAGE(live);

static ward_result mayfly_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct live *order = ward_match(msg, live);

	(void)state;
	if (order == NULL)
		return WARD_UNHANDLED;
	if (atomic_fetch_sub_explicit(&order->left->count, 1, memory_order_relaxed) == 1)
		ward_tell(self, ward_parent(self), ended);
	return ward_stop_self(self);
}

struct spawner_args {
	struct lives_left *left;
	int64_t n;
};
WARD_MESSAGE(spawner_args);

static ward_result spawner_start(ward_self *self, void *state)
{
	const struct spawner_args *args = ward_args(self);
	int64_t *unborn = state;

	*unborn = args->n;
	atomic_store_explicit(&args->left->count, args->n, memory_order_relaxed);
	ward_tell(self, ward_self_ref(self), more);
	return WARD_DONE;
}

static ward_result spawner_receive(ward_self *self, void *state, const ward_msg *msg)
{
	static const ward_behavior mayfly = {.name = "mayfly", .receive = mayfly_receive};
	const struct spawner_args *args = ward_args(self);
	int64_t *unborn = state;
	ward_ref child;

	if (ward_match(msg, ended)) {
		ward_tell(self, ward_parent(self), ended);
		return WARD_DONE;
	}
	if (!ward_match(msg, more))
		return WARD_UNHANDLED;
	for (int i = 0; i<EACH && * unborn> 0; i++, --*unborn) {
		bench_must(ward_try_spawn(self, WARD_PROPS(&mayfly), &child));
		ward_tell(self, child, live, .left = args->left);
	}
	if (*unborn > 0)
		ward_tell(self, ward_self_ref(self), more);
	return WARD_DONE;
}

struct nature {
	int64_t begin_ns;
	int64_t spawning;
};

static ward_result nature_start(ward_self *self, void *state)
{
	static struct lives_left left[SPAWNERS_MAX]; /* of the one run of this process */
	static const ward_behavior spawner = {
		.name = "spawner",
		.state_size = sizeof(int64_t),
		.args = &ward_type_spawner_args,
		.pre_start = spawner_start,
		.receive = spawner_receive,
	};
	const struct bench_load *load = bench_load_of(self);
	struct nature *me = state;

	me->begin_ns = bench_begin_ns(self);
	for (; me->spawning < load->bench->variant; me->spawning++) {
		const struct spawner_args args = {&left[me->spawning],
						  load->n / load->bench->variant};

		bench_must(ward_try_spawn(
			self, WARD_PROPS(&spawner, .args = {WARD_COPY(spawner_args, &args)}),
			NULL));
	}
	return WARD_DONE;
}

static ward_result nature_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct bench_load *load = bench_load_of(self);
	struct nature *me = state;

	if (!ward_match(msg, ended))
		return WARD_UNHANDLED;
	if (--me->spawning > 0)
		return WARD_DONE;
	bench_report_since(self, load->bench->name, me->begin_ns, load->n, "ns/life");
	return ward_stop_self(self);
}

static const ward_behavior nature = {
	.name = "nature",
	.state_size = sizeof(struct nature),
	.args = &ward_type_bench_load,
	.pre_start = nature_start,
	.receive = nature_receive,
};

const struct bench lives_benches[] = {
	{"lives", &nature, NULL, 2 * 1000 * 1000, 1, "N short lives, from one spawner"},
	{"lives_two", &nature, NULL, 2 * 1000 * 1000, 2, "the same, from two spawners"},
	{0},
};
