/* SPDX-License-Identifier: MIT
 *
 * busy.c - pairs of actors that play ping-pong without rest, beside what is measured.
 */
#include "busy.h"

#include <stdatomic.h>
#include <time.h>

#include "bench.h"

WARD_SIGNAL(ping);
WARD_SIGNAL(pong);

/* Written by one actor each, on a line of its own. */
static struct {
	_Alignas(64) _Atomic int64_t messages;
} pairs[BUSY_PAIRS];

struct player_args {
	ward_ref other;
	int64_t pair;
};
WARD_MESSAGE(player_args);

static ward_result answering_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	return ward_match(msg, ping) ? ward_reply(self, msg, pong) : WARD_UNHANDLED;
}

static ward_result serving_start(ward_self *self, void *state)
{
	const struct player_args *args = ward_args(self);

	(void)state;
	ward_tell(self, args->other, ping);
	return WARD_DONE;
}

static ward_result serving_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct player_args *args = ward_args(self);
	_Atomic int64_t *messages = &pairs[args->pair].messages;

	(void)state;
	if (!ward_match(msg, pong))
		return WARD_UNHANDLED;
	atomic_store_explicit(messages, atomic_load_explicit(messages, memory_order_relaxed) + 2,
			      memory_order_relaxed);
	ward_tell(self, args->other, ping);
	return WARD_DONE;
}

static const ward_behavior answering = {.name = "answering", .receive = answering_receive};
static const ward_behavior serving = {
	.name = "serving",
	.args = &ward_type_player_args,
	.pre_start = serving_start,
	.receive = serving_receive,
};

void busy_start(ward_system *system)
{
	ward_ref other;

	for (int64_t i = 0; i < BUSY_PAIRS; i++) {
		bench_must(ward_system_spawn(system, WARD_PROPS(&answering), &other));
		bench_must(ward_system_spawn(
			system, WARD_PROPS(&serving, .args = WARD_ARGS(player_args, other, i)),
			&other));
	}
}

int64_t busy_messages(void)
{
	int64_t sum = 0;

	for (int i = 0; i < BUSY_PAIRS; i++)
		sum += atomic_load_explicit(&pairs[i].messages, memory_order_relaxed);
	return sum;
}

void busy_rest(int64_t ms)
{
	struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&time, NULL);
}

double busy_rate(int64_t ms)
{
	int64_t begin_ns = bench_now_ns(), before = busy_messages();

	busy_rest(ms);
	return (double)(busy_messages() - before) / (double)(bench_now_ns() - begin_ns) * 1e9;
}
