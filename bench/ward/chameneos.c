/* SPDX-License-Identifier: MIT
 *
 * chameneos.c - a hundred creatures meet in pairs at a mall, and change their colours.
 */
#include "bench.h"

enum { CHAMENEOS = 100, COLOURS = 3 };

/* To the mall; and from there to the one that waits, in the name of the other one. */
struct meet {
	int64_t colour;
};
WARD_MESSAGE(meet);
/* From the one that waited, to the other. */
struct met {
	int64_t colour;
};
WARD_MESSAGE(met);
WARD_SIGNAL(closed);
WARD_SIGNAL(left);

struct chameneo_args {
	ward_ref mall;
	int64_t colour;
};
WARD_MESSAGE(chameneo_args);

static ward_result chameneo_init(ward_self *self, void *state, const void *args)
{
	(void)self;
	*(struct chameneo_args *)state = *(const struct chameneo_args *)args;
	return WARD_DONE;
}

static ward_result chameneo_start(ward_self *self, void *state)
{
	const struct chameneo_args *me = state;

	ward_tell(self, me->mall, meet, me->colour);
	return WARD_DONE;
}

static int64_t mixed(int64_t a, int64_t b)
{
	return a == b ? a : COLOURS - a - b;
}

static ward_result chameneo_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct chameneo_args *me = state;
	const struct meet *meet;
	const struct met *met;

	if ((meet = ward_match(msg, meet))) {
		me->colour = mixed(me->colour, meet->colour);
		ward_reply(self, msg, met, me->colour);
		ward_tell(self, me->mall, meet, me->colour);
	} else if ((met = ward_match(msg, met))) {
		me->colour = met->colour;
		ward_tell(self, me->mall, meet, me->colour);
	} else if (ward_match(msg, closed)) {
		ward_tell(self, me->mall, left);
	} else {
		return WARD_UNHANDLED;
	}
	return WARD_DONE;
}

/* At the top. */
struct mall {
	ward_ref waiting; /* the first of a pair, or nobody */
	int64_t begin_ns;
	int64_t meetings; /* left */
	int64_t here;
};

static ward_result mall_start(ward_self *self, void *state)
{
	static const ward_behavior chameneo = {
		.name = "chameneo",
		.state_size = sizeof(struct chameneo_args),
		.args = &ward_type_chameneo_args,
		.init = chameneo_init,
		.pre_start = chameneo_start,
		.receive = chameneo_receive,
	};
	struct chameneo_args args = {.mall = ward_self_ref(self)};
	struct mall *me = state;

	*me = (struct mall){.begin_ns = bench_begin_ns(self),
			    .meetings = bench_load_of(self)->n,
			    .here = CHAMENEOS};
	for (int i = 0; i < CHAMENEOS; i++) {
		args.colour = i % COLOURS;
		bench_must(ward_try_spawn(
			self, WARD_PROPS(&chameneo, .args = {WARD_COPY(chameneo_args, &args)}),
			NULL));
	}
	return WARD_DONE;
}

static void one_comes(ward_self *self, struct mall *me, const ward_msg *msg)
{
	if (me->meetings == 0) {
		ward_reply(self, msg, closed);
	} else if (ward_ref_is_nobody(me->waiting)) {
		me->waiting = ward_msg_sender(msg);
	} else {
		ward_forward(self, me->waiting);
		me->waiting = ward_nobody();
		me->meetings--;
	}
}

static ward_result mall_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct mall *me = state;

	if (ward_match(msg, meet)) {
		one_comes(self, me, msg);
		return WARD_DONE;
	}
	if (!ward_match(msg, left))
		return WARD_UNHANDLED;
	if (--me->here == 0) {
		bench_report_since(self, "chameneos", me->begin_ns, bench_load_of(self)->n,
				   "ns/meeting");
		ward_stop_self(self);
	}
	return WARD_DONE;
}

static const ward_behavior mall = {
	.name = "mall",
	.state_size = sizeof(struct mall),
	.args = &ward_type_bench_load,
	.pre_start = mall_start,
	.receive = mall_receive,
};

const struct bench chameneos_benches[] = {
	{"chameneos", &mall, NULL, 1000 * 1000, 0, "100 chameneos; N meetings"},
	{0},
};
