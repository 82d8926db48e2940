/* SPDX-License-Identifier: MIT
 *
 * tell.c - actors that answer each other: pingpong, threadring, big.
 */
#include "bench.h"

WARD_SIGNAL(ping);
WARD_SIGNAL(pong);
WARD_SIGNAL(done);

/* At the top: when the players began, and how many have not finished. */
struct umpire {
	int64_t begin_ns;
	int64_t playing;
};

/* Notes that a player has finished. The last ends the benchmark. */
static void umpire_hears(ward_self *self, struct umpire *me, int64_t operations, const char *unit)
{
	if (--me->playing > 0)
		return;
	bench_report_since(self, bench_load_of(self)->bench->name, me->begin_ns, operations, unit);
	ward_stop_self(self);
}

/* ---- pingpong: pairs ---- */

struct pinger_args {
	ward_ref ponger;
	int64_t n;
};
WARD_MESSAGE(pinger_args);

struct pinger {
	ward_ref ponger;
	int64_t left;
};

static ward_result ponger_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (!ward_match(msg, ping))
		return WARD_UNHANDLED;
	ward_reply(self, msg, pong);
	return WARD_DONE;
}

static ward_result pinger_start(ward_self *self, void *state)
{
	const struct pinger_args *args = ward_args(self);
	struct pinger *me = state;

	*me = (struct pinger){.ponger = args->ponger, .left = args->n};
	ward_tell(self, me->ponger, ping);
	return WARD_DONE;
}

static ward_result pinger_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct pinger *me = state;

	if (!ward_match(msg, pong))
		return WARD_UNHANDLED;
	if (--me->left > 0)
		ward_tell(self, me->ponger, ping);
	else
		ward_tell(self, ward_parent(self), done);
	return WARD_DONE;
}

static const ward_behavior ponger = {.name = "ponger", .receive = ponger_receive};
static const ward_behavior pinger = {
	.name = "pinger",
	.state_size = sizeof(struct pinger),
	.args = &ward_type_pinger_args,
	.pre_start = pinger_start,
	.receive = pinger_receive,
};

static ward_result match_start(ward_self *self, void *state)
{
	const struct bench_load *load = bench_load_of(self);
	struct umpire *me = state;

	*me = (struct umpire){.begin_ns = bench_begin_ns(self), .playing = load->bench->variant};
	for (int64_t i = 0; i < load->bench->variant; i++) {
		struct pinger_args args = {.n = load->n};
		bench_must(ward_try_spawn(self, WARD_PROPS(&ponger), &args.ponger));
		bench_must(ward_try_spawn(
			self, WARD_PROPS(&pinger, .args = {WARD_COPY(pinger_args, &args)}), NULL));
	}
	return WARD_DONE;
}

static ward_result match_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct bench_load *load = bench_load_of(self);

	if (!ward_match(msg, done))
		return WARD_UNHANDLED;
	umpire_hears(self, state, 2 * load->bench->variant * load->n, "ns/msg");
	return WARD_DONE;
}

static const ward_behavior match = {
	.name = "match",
	.state_size = sizeof(struct umpire),
	.args = &ward_type_bench_load,
	.pre_start = match_start,
	.receive = match_receive,
};

/* ---- threadring: one message, from each to the next ---- */

enum { RING = 100 };

struct hop {
	int64_t left;
};
WARD_MESSAGE(hop);

/* To the first one, which was made before the last. */
struct next {
	ward_ref ref;
};
WARD_MESSAGE(next);

struct link {
	ward_ref next;
};

static ward_result link_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct link *me = state;
	const struct hop *hop;
	const struct next *next;

	if ((hop = ward_match(msg, hop))) {
		if (hop->left > 0)
			ward_tell(self, me->next, hop, .left = hop->left - 1);
		else
			ward_tell(self, ward_parent(self), done);
		return WARD_DONE;
	}
	if ((next = ward_match(msg, next))) {
		me->next = next->ref;
		return WARD_DONE;
	}
	return WARD_UNHANDLED;
}

static ward_result ring_start(ward_self *self, void *state)
{
	static const ward_behavior link = {
		.name = "link", .state_size = sizeof(struct link), .receive = link_receive};
	struct umpire *me = state;
	ward_ref refs[RING];

	for (int i = 0; i < RING; i++)
		bench_must(ward_try_spawn(self, WARD_PROPS(&link), &refs[i]));
	for (int i = 0; i < RING; i++)
		ward_tell(self, refs[i], next, .ref = refs[(i + 1) % RING]);
	*me = (struct umpire){.begin_ns = bench_begin_ns(self), .playing = 1};
	ward_tell(self, refs[0], hop, .left = bench_load_of(self)->n);
	return WARD_DONE;
}

static ward_result ring_receive(ward_self *self, void *state, const ward_msg *msg)
{
	if (!ward_match(msg, done))
		return WARD_UNHANDLED;
	umpire_hears(self, state, bench_load_of(self)->n, "ns/hop");
	return WARD_DONE;
}

static const ward_behavior ring = {
	.name = "ring",
	.state_size = sizeof(struct umpire),
	.args = &ward_type_bench_load,
	.pre_start = ring_start,
	.receive = ring_receive,
};

/* ---- big: each pings another one by chance ---- */

enum { CROWD = 120 };

/* All the others, in the state of their parent, which outlives them. */
struct neighbours {
	const ward_ref *refs;
	uint32_t seed;
};
WARD_MESSAGE(neighbours);

struct one {
	const ward_ref *neighbours;
	int64_t left;
	uint32_t random;
};

static void one_goes_on(ward_self *self, struct one *me)
{
	if (me->left-- == 0) {
		ward_tell(self, ward_parent(self), done);
		return;
	}
	me->random = me->random * 1103515245U + 12345U;
	ward_tell(self, me->neighbours[(me->random >> 8) % CROWD], ping);
}

static ward_result one_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct one *me = state;
	const struct neighbours *neighbours;

	if (ward_match(msg, ping)) {
		ward_reply(self, msg, pong);
		return WARD_DONE;
	}
	if (ward_match(msg, pong)) {
		one_goes_on(self, me);
		return WARD_DONE;
	}
	if ((neighbours = ward_match(msg, neighbours))) {
		me->neighbours = neighbours->refs;
		me->random = neighbours->seed;
		me->left = bench_load_of(self)->n;
		one_goes_on(self, me);
		return WARD_DONE;
	}
	return WARD_UNHANDLED;
}

struct crowd {
	struct umpire umpire;
	ward_ref refs[CROWD];
};

static ward_result crowd_start(ward_self *self, void *state)
{
	static const ward_behavior one = {
		.name = "one",
		.state_size = sizeof(struct one),
		.args = &ward_type_bench_load,
		.receive = one_receive,
	};
	struct crowd *me = state;
	const ward_props props = {.behavior = &one,
				  .args = {WARD_COPY(bench_load, bench_load_of(self))}};

	me->umpire = (struct umpire){.begin_ns = bench_begin_ns(self), .playing = CROWD};
	for (int i = 0; i < CROWD; i++)
		bench_must(ward_try_spawn(self, &props, &me->refs[i]));
	for (uint32_t i = 0; i < CROWD; i++)
		ward_tell(self, me->refs[i], neighbours, me->refs, i * 2654435761U + 1);
	return WARD_DONE;
}

static ward_result crowd_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct crowd *me = state;

	if (!ward_match(msg, done))
		return WARD_UNHANDLED;
	umpire_hears(self, &me->umpire, 2 * CROWD * bench_load_of(self)->n, "ns/msg");
	return WARD_DONE;
}

static const ward_behavior big = {
	.name = "big",
	.state_size = sizeof(struct crowd),
	.args = &ward_type_bench_load,
	.pre_start = crowd_start,
	.receive = crowd_receive,
};

const struct bench talk_benches[] = {
	{"pingpong", &match, NULL, 2000 * 1000, 1, "one pair; N round trips"},
	{"pingpong4", &match, NULL, 500 * 1000, 4, "four pairs; N round trips each"},
	{"threadring", &ring, NULL, 5000 * 1000, 0, "100 actors in a ring; N hops of one message"},
	{"big", &big, NULL, 20 * 1000, 0, "120 actors; each pings N times another one by chance"},
	{0},
};
