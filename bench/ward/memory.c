/* SPDX-License-Identifier: MIT
 *
 * memory.c - bytes of resident memory: of an idle actor, of a message that waits, of a watch.
 *
 * What is counted is what the process has more than before, so allocators and tables are in it.
 */
#include <inttypes.h>
#include <stdio.h>

#include "bench.h"
#include "resident.h"

WARD_SIGNAL(hello);
WARD_SIGNAL(hello_too);

/* ---- actors: idle, with 32 bytes of state; each has handled a message ---- */

enum { WAVE = 1000 };
enum { UNNAMED, NAMED };

struct idler {
	unsigned char bytes[32];
};

static ward_result idler_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct idler *me = state;

	if (!ward_match(msg, hello))
		return WARD_UNHANDLED;
	me->bytes[0]++;
	ward_reply(self, msg, hello_too);
	return WARD_DONE;
}

static const ward_behavior idler = {
	.name = "idler", .state_size = sizeof(struct idler), .receive = idler_receive};

/* They are made in waves: so few messages are under way, and what is measured are actors. */
struct host {
	int64_t before;
	int64_t made;
	int64_t heard;
};

static void wave(ward_self *self, struct host *me)
{
	const struct bench_load *load = bench_load_of(self);
	char name[32];
	ward_ref child;

	for (int i = 0; i < WAVE && me->made < load->n; i++) {
		ward_props props = {.behavior = &idler};
		if (load->bench->variant == NAMED) {
			snprintf(name, sizeof(name), "idler-%" PRId64, me->made);
			props.name = name;
		}
		bench_must(ward_try_spawn(self, &props, &child));
		ward_tell(self, child, hello);
		me->made++;
	}
}

static ward_result host_start(ward_self *self, void *state)
{
	struct host *me = state;

	me->before = resident_bytes();
	wave(self, me);
	return WARD_DONE;
}

static ward_result host_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct bench_load *load = bench_load_of(self);
	struct host *me = state;
	char name[32];
	int64_t now;

	if (!ward_match(msg, hello_too))
		return WARD_UNHANDLED;
	if (++me->heard < me->made)
		return WARD_DONE;
	if (me->made < load->n) {
		wave(self, me);
		return WARD_DONE;
	}
	now = resident_bytes();
	bench_report(load->bench->name, (double)(now - me->before) / (double)load->n,
		     "bytes/actor");
	snprintf(name, sizeof(name), "%s_total", load->bench->name);
	bench_report(name, (double)now / 1e6, "MB");
	ward_stop_self(self);
	return WARD_DONE;
}

static const ward_behavior host = {
	.name = "host",
	.state_size = sizeof(struct host),
	.args = &ward_type_bench_load,
	.pre_start = host_start,
	.receive = host_receive,
};

/* ---- mem_message: messages of 16 bytes that wait in a mailbox ---- */

struct parcel {
	int64_t contents[2];
};
WARD_MESSAGE(parcel);

static ward_result pile_start(ward_self *self, void *state)
{
	int64_t n = bench_load_of(self)->n, before = resident_bytes();

	(void)state;
	for (int64_t i = 0; i < n; i++)
		ward_tell(self, ward_self_ref(self), parcel, {i, i});
	bench_report("mem_message", (double)(resident_bytes() - before) / (double)n,
		     "bytes/message");
	ward_stop_self(self);
	return WARD_DONE;
}

static ward_result pile_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	return ward_match(msg, parcel) ? WARD_DONE : WARD_UNHANDLED;
}

static const ward_behavior pile = {
	.name = "pile",
	.args = &ward_type_bench_load,
	.pre_start = pile_start,
	.receive = pile_receive,
};

/* ---- burst: many messages wait, or many actors live; what is left of their memory ---- */

enum { LOOK_MS = 500, LOOKS = 8 };
enum { MESSAGES, ACTORS };

struct burst {
	int64_t before;
	int64_t left; /* of the messages, or of the actors */
	int looks;
};

static const ward_behavior crowd_member = {
	.name = "idler", .state_size = sizeof(struct idler), .receive = idler_receive};

/* All actors of a burst are children of one, which stops. */
static ward_result crowd_start(ward_self *self, void *state)
{
	int64_t n = bench_load_of(self)->n;
	ward_ref child;

	(void)state;
	for (int64_t i = 0; i < n; i++)
		bench_must(ward_try_spawn(self, WARD_PROPS(&crowd_member), &child));
	ward_tell(self, ward_parent(self), hello_too);
	return WARD_DONE;
}

static ward_result crowd_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)msg;
	return WARD_UNHANDLED;
}

static const ward_behavior crowd = {
	.name = "crowd",
	.args = &ward_type_bench_load,
	.pre_start = crowd_start,
	.receive = crowd_receive,
};

static void report_more(ward_self *self, const char *what, int64_t before)
{
	char name[32];

	snprintf(name, sizeof(name), "%s_%s", bench_load_of(self)->bench->name, what);
	bench_report(name, (double)(resident_bytes() - before) / 1e6, "MB");
}

static ward_result burst_start(ward_self *self, void *state)
{
	const struct bench_load *load = bench_load_of(self);
	struct burst *me = state;
	ward_ref child;

	*me = (struct burst){.before = resident_bytes(), .left = load->n};
	bench_report(load->bench->variant == ACTORS ? "burst_actors_base" : "burst_base",
		     (double)me->before / 1e6, "MB");
	if (load->bench->variant == ACTORS) {
		bench_must(ward_try_spawn(
			self, WARD_PROPS(&crowd, .args = {WARD_COPY(bench_load, load)}), &child));
		bench_must(ward_try_watch(self, child));
		return WARD_DONE;
	}
	for (int64_t i = 0; i < me->left; i++)
		ward_tell(self, ward_self_ref(self), parcel, {i, i});
	report_more(self, "peak", me->before);
	return WARD_DONE;
}

/* The memory goes back when nobody has needed it for a while: then there is less at each look. */
static ward_result burst_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct burst *me = state;

	if (ward_match(msg, parcel)) {
		if (--me->left == 0)
			ward_after(self, 1, LOOK_MS, hello);
		return WARD_DONE;
	}
	if (ward_match(msg, hello_too)) {
		report_more(self, "peak", me->before);
		ward_stop(self, ward_msg_sender(msg));
		return WARD_DONE;
	}
	if (ward_match(msg, ward_terminated) || (ward_match(msg, hello) && ++me->looks < LOOKS)) {
		ward_after(self, 1, LOOK_MS, hello);
		return WARD_DONE;
	}
	if (!ward_match(msg, hello))
		return WARD_UNHANDLED;
	report_more(self, "left", me->before);
	ward_stop_self(self);
	return WARD_DONE;
}

static const ward_behavior burst = {
	.name = "burst",
	.state_size = sizeof(struct burst),
	.args = &ward_type_bench_load,
	.pre_start = burst_start,
	.receive = burst_receive,
};

const struct bench memory_benches[] = {
	{"mem", &host, NULL, 1000 * 1000, UNNAMED, "N idle actors with 32 bytes of state"},
	{"mem_named", &host, NULL, 1000 * 1000, NAMED, "the same, each with a name"},
	{"mem_message", &pile, NULL, 1000 * 1000, 0, "N messages of 16 bytes wait"},
	{"burst", &burst, NULL, 10 * 1000 * 1000, MESSAGES,
	 "N messages of 16 bytes wait, and are handled"},
	{"burst_actors", &burst, NULL, 1000 * 1000, ACTORS,
	 "N actors with 32 bytes of state live, and are stopped"},
	{0},
};
