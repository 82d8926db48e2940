/* SPDX-License-Identifier: MIT
 *
 * neighbours.c - two systems of this process over a loop: one way, there and back, and 10,000
 * watches that end with the connection. By value, and by bytes through the table of the type.
 */
#include <stdlib.h>

#include <ward/association.h>
#include <ward/codec.h>
#include <ward/testkit/neighbours.h>

#include "bench.h"

enum { BURST = 100 };

struct parcel {
	uint64_t number;
	unsigned char bytes[92];
};
WARD_MESSAGE_FIELDS(parcel, 1, WARD_FIELD(UINT, parcel, number), WARD_FIELD(BYTES, parcel, bytes));
WARD_SIGNAL(more);

/* What the actors of a row share; each field is of one of them. */
static struct row {
	ward_loop *loop;
	ward_system *left, *right;
	int64_t n, begin_ns;
	int64_t sent, received, gone;
	ward_ref far, *watched;
} row;

/* ---- two systems ---------------------------------------------------------------------------- */

static ward_system *make_system(const struct bench_load *load, const char *name)
{
	ward_system *system;

	bench_must(ward_system_create(&(ward_options){.name = name,
						      .workers = load->workers,
						      .log_kinds = WARD_EVENT_NONE,
						      .signals = WARD_SIGNALS_OFF},
				      &system));
	return system;
}

static void begin(const struct bench_load *load)
{
	row = (struct row){.n = load->n};
	row.left = make_system(load, "left");
	row.right = make_system(load, "right");
	row.loop = ward_loop_start(&(ward_loop_options){
		.form = load->bench->variant ? WARD_LOOP_BY_BYTES : WARD_LOOP_BY_VALUE,
		.lost_after_ms = WARD_FOREVER});
	ward_loop_join(row.loop, row.left, "left");
	ward_loop_join(row.loop, row.right, "right");
	ward_loop_connect(row.loop, "left", "right");
	ward_assert(ward_loop_await(row.loop, "left", "right", WARD_MINUTE));
}

static ward_ref spawn(ward_system *system, const ward_behavior *behavior)
{
	ward_ref ref;

	bench_must(ward_system_spawn(system, WARD_PROPS(behavior), &ref));
	return ref;
}

static int end(const struct bench_load *load, int64_t operations, const char *unit)
{
	bench_report(load->bench->name,
		     (double)(bench_now_ns() - row.begin_ns) / (double)operations, unit);
	ward_loop_finish(row.loop);
	bench_must(ward_system_destroy(row.left, WARD_MINUTE));
	bench_must(ward_system_destroy(row.right, WARD_MINUTE));
	return 0;
}

/* ---- one way -------------------------------------------------------------------------------- */

static ward_result count_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (!ward_match(msg, parcel))
		return WARD_UNHANDLED;
	return ++row.received == row.n ? ward_stop_self(self) : WARD_DONE;
}
static const ward_behavior counter = {.name = "counter", .receive = count_receive};

static ward_result send_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (!ward_match(msg, more))
		return WARD_UNHANDLED;
	for (int i = 0; i < BURST && row.sent < row.n; i++)
		ward_tell(self, row.far, parcel, .number = (uint64_t)row.sent++);
	if (row.sent < row.n)
		ward_tell(self, ward_self_ref(self), more);
	return WARD_DONE;
}
static const ward_behavior sender = {.name = "sender", .receive = send_receive};

static int run_one_way(const struct bench_load *load)
{
	begin(load);
	ward_ref there = spawn(row.right, &counter), here = spawn(row.left, &sender);

	row.far = ward_loop_ref(row.loop, "left", "right", there);
	row.begin_ns = bench_now_ns();
	ward_system_tell(row.left, here, more);
	bench_must(ward_system_wait_for(row.right, there, WARD_FOREVER));
	return end(load, row.n, "ns/message");
}

/* ---- there and back ------------------------------------------------------------------------- */

static ward_result echo_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct parcel *parcel = ward_match(msg, parcel);

	(void)state;
	if (parcel == NULL)
		return WARD_UNHANDLED;
	ward_reply(self, msg, parcel, .number = parcel->number);
	return WARD_DONE;
}
static const ward_behavior echo = {.name = "echo", .receive = echo_receive};

static ward_result ping_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state, (void)msg;
	if (row.received++ == row.n)
		return ward_stop_self(self);
	ward_tell(self, row.far, parcel, .number = 1);
	return WARD_DONE;
}
static const ward_behavior ping = {.name = "ping", .receive = ping_receive};

static int run_round_trip(const struct bench_load *load)
{
	begin(load);
	ward_ref there = spawn(row.right, &echo), here = spawn(row.left, &ping);

	row.far = ward_loop_ref(row.loop, "left", "right", there);
	row.begin_ns = bench_now_ns();
	ward_system_tell(row.left, here, more);
	bench_must(ward_system_wait_for(row.left, here, WARD_FOREVER));
	return end(load, row.n, "ns/round trip");
}

/* ---- watches -------------------------------------------------------------------------------- */

static void watch_all(ward_self *self)
{
	for (int64_t i = 0; i < row.n; i++)
		bench_must(ward_try_watch(self, row.watched[i]));
	/* Its answer says that all watches have arrived. */
	ward_tell(self, row.watched[row.n - 1], parcel, .number = 1);
}

static ward_result watcher_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (ward_match(msg, more))
		watch_all(self);
	else if (ward_match(msg, parcel))
		ward_stop(self, row.far);
	else if (ward_match(msg, ward_terminated) && ++row.gone == row.n)
		return ward_stop_self(self);
	return WARD_DONE;
}
static const ward_behavior watcher = {.name = "watcher", .receive = watcher_receive};

static ward_result idle_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self, (void)state, (void)msg;
	return WARD_DONE;
}
static const ward_behavior signpost = {.name = "signpost", .receive = idle_receive};

static int run_watch(const struct bench_load *load)
{
	begin(load);
	ward_ref here = spawn(row.left, &watcher);

	row.watched = malloc((size_t)row.n * sizeof *row.watched);
	for (int64_t i = 0; i < row.n; i++)
		row.watched[i] = ward_loop_ref(row.loop, "left", "right", spawn(row.right, &echo));
	row.far = spawn(row.left, &signpost); /* ends when all is watched */
	ward_system_tell(row.left, here, more);
	bench_must(ward_system_wait_for(row.left, row.far, WARD_FOREVER));
	row.begin_ns = bench_now_ns();
	ward_loop_reset(row.loop, "left", "right");
	bench_must(ward_system_wait_for(row.left, here, WARD_FOREVER));
	int status = end(load, row.n, "ns/notice");

	free(row.watched);
	return status;
}

const struct bench neighbour_benches[] = {
	{"far_one_way", NULL, run_one_way, 1000 * 1000, 0,
	 "N messages of 100 bytes to another system, by value"},
	{"far_one_way_bytes", NULL, run_one_way, 1000 * 1000, 1, "the same, by bytes"},
	{"far_round_trip", NULL, run_round_trip, 100 * 1000, 0,
	 "N times there and back between two systems, by value"},
	{"far_round_trip_bytes", NULL, run_round_trip, 100 * 1000, 1, "the same, by bytes"},
	{"far_watch_cut", NULL, run_watch, 10 * 1000, 0,
	 "N watched actors of another system, whose connection is lost"},
	{0},
};
