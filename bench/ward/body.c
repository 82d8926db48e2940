/* SPDX-License-Identifier: MIT
 *
 * body.c - bodies of some size in four pairs: copied at each message, or made, filled and given.
 */
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { PAIRS = 4, BODY_MAX = 64 * 1024 };

/* The bytes follow; their number is the benchmark's. */
struct parcel {
	int64_t left; /* round trips */
	unsigned char bytes[];
};
static const ward_type ward_type_parcel = {.name = "parcel",
					   .size = sizeof(struct parcel),
					   .size_max = sizeof(struct parcel) + BODY_MAX};
WARD_SIGNAL(done);

/* What all players send: a body of theirs that is copied, or one that is made for the message. */
static void send_copy(ward_self *self, ward_ref to, int64_t left)
{
	static _Thread_local union {
		struct parcel parcel;
		unsigned char bytes[sizeof(struct parcel) + BODY_MAX];
	} source;

	source.parcel.left = left;
	ward_send(self, to, &ward_type_parcel, &source,
		  (size_t)bench_load_of(self)->bench->variant);
}

static void send_made(ward_self *self, ward_ref to, int64_t left)
{
	size_t extra = (size_t)bench_load_of(self)->bench->variant - sizeof(struct parcel);
	struct parcel *parcel = ward_make_uninit(self, parcel, extra);

	parcel->left = left;
	memset(parcel->bytes, (int)left, extra);
	ward_give(self, to, parcel, &parcel);
}

static void send(ward_self *self, ward_ref to, int64_t left)
{
	if (strncmp(bench_load_of(self)->bench->name, "give", 4) == 0)
		send_made(self, to, left);
	else
		send_copy(self, to, left);
}

static ward_result player_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct parcel *parcel = ward_match(msg, parcel);

	(void)state;
	if (parcel == NULL)
		return WARD_UNHANDLED;
	if (parcel->left > 0)
		send(self, ward_msg_sender(msg), parcel->left - 1);
	else
		ward_tell(self, ward_parent(self), done);
	return WARD_DONE;
}

static const ward_behavior player = {
	.name = "player", .args = &ward_type_bench_load, .receive = player_receive};

/* The first message of a pair comes from one of the two. */
struct serve {
	ward_ref other;
};
WARD_MESSAGE(serve);

static ward_result first_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct serve *order = ward_match(msg, serve);

	if (order == NULL)
		return player_receive(self, state, msg);
	send(self, order->other, 2 * bench_load_of(self)->n - 1);
	return WARD_DONE;
}

static const ward_behavior first = {
	.name = "first", .args = &ward_type_bench_load, .receive = first_receive};

struct court {
	int64_t begin_ns;
	int64_t playing;
};

static ward_result court_start(ward_self *self, void *state)
{
	const ward_body args = {WARD_COPY(bench_load, bench_load_of(self))};

	*(struct court *)state = (struct court){bench_begin_ns(self), PAIRS};
	for (int i = 0; i < PAIRS; i++) {
		ward_ref serving = ward_spawn(self, &first, .args = args);

		ward_tell(self, serving, serve, ward_spawn(self, &player, .args = args));
	}
	return WARD_DONE;
}

static ward_result court_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct bench_load *load = bench_load_of(self);
	struct court *me = state;

	if (!ward_match(msg, done))
		return WARD_UNHANDLED;
	if (--me->playing > 0)
		return WARD_DONE;
	bench_report_since(self, load->bench->name, me->begin_ns, 2 * PAIRS * load->n, "ns/msg");
	ward_stop_self(self);
	return WARD_DONE;
}

static const ward_behavior court = {
	.name = "court",
	.state_size = sizeof(struct court),
	.args = &ward_type_bench_load,
	.pre_start = court_start,
	.receive = court_receive,
};

const struct bench body_benches[] = {
	{"body_256", &court, NULL, 500 * 1000, 256, "four pairs, bodies of 256 bytes, copied"},
	{"body_1k", &court, NULL, 500 * 1000, 1024, "bodies of 1 KiB, copied"},
	{"body_4k", &court, NULL, 200 * 1000, 4096, "bodies of 4 KiB, copied"},
	{"body_64k", &court, NULL, 20 * 1000, BODY_MAX, "bodies of 64 KiB, copied"},
	{"give_64k", &court, NULL, 20 * 1000, BODY_MAX, "bodies of 64 KiB, made, filled, given"},
	{0},
};
