/* SPDX-License-Identifier: MIT
 *
 * outside.c - threads that do not belong to the system tell its actors.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

enum { THREADS_MAX = 4 };

struct note {
	int64_t i;
};
WARD_MESSAGE(note);
struct total {
	int64_t notes;
};
WARD_SIGNAL(count);
WARD_MESSAGE(total);
WARD_REPLY(count, total);

static ward_result counter_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct total *me = state;

	if (ward_match(msg, note)) {
		me->notes++;
		return WARD_DONE;
	}
	return ward_match(msg, count) ? ward_answer(self, msg, count, me->notes) : WARD_UNHANDLED;
}

static const ward_behavior counter = {
	.name = "counter", .state_size = sizeof(struct total), .receive = counter_receive};

struct teller {
	ward_system *system;
	ward_ref to;
	int64_t tells;
	pthread_barrier_t *start;
};

static void *tell(void *arg)
{
	const struct teller *me = arg;

	pthread_barrier_wait(me->start);
	for (int64_t i = 0; i < me->tells; i++)
		ward_system_tell(me->system, me->to, note, .i = i);
	return NULL;
}

/* Lets the threads tell, until all have told all. */
static int64_t tell_all(struct teller *tellers, int threads)
{
	pthread_t ids[THREADS_MAX];
	int64_t begin_ns;

	for (int t = 0; t < threads; t++)
		if (pthread_create(&ids[t], NULL, tell, &tellers[t]) != 0)
			bench_must(WARD_ENOMEM);
	begin_ns = bench_now_ns();
	pthread_barrier_wait(tellers[0].start);
	for (int t = 0; t < threads; t++)
		pthread_join(ids[t], NULL);
	return bench_now_ns() - begin_ns;
}

/* To one actor, or to an actor for each thread. The answer comes when all is handled. */
static int run_outside(const struct bench_load *load)
{
	int threads = (int)(load->bench->variant % 10);
	bool one = load->bench->variant < 10;
	struct teller tellers[THREADS_MAX];
	int64_t each = load->n / threads, told_ns, begin_ns;
	pthread_barrier_t start;
	ward_system *system;
	struct total total;
	char name[32];

	bench_must(ward_system_create(&(ward_options){.name = "bench", .workers = load->workers},
				      &system));
	pthread_barrier_init(&start, NULL, (unsigned)threads + 1);
	for (int t = 0; t < threads; t++) {
		tellers[t] = (struct teller){
			.system = system, .tells = each, .start = &start, .to = tellers[0].to};
		if (t == 0 || !one)
			bench_must(ward_system_spawn(system, WARD_PROPS(&counter), &tellers[t].to));
	}
	begin_ns = bench_now_ns();
	told_ns = tell_all(tellers, threads);
	for (int t = 0; t < threads; t++)
		bench_must(ward_system_ask(system, tellers[t].to, WARD_MINUTE, &total, count));
	bench_report(load->bench->name, (double)told_ns / (double)(each * threads), "ns/tell");
	snprintf(name, sizeof(name), "%s_handled", load->bench->name);
	bench_report(name, (double)(bench_now_ns() - begin_ns) / (double)(each * threads),
		     "ns/tell");
	bench_must(ward_system_destroy(system, 10 * WARD_SECOND));
	pthread_barrier_destroy(&start);
	return 0;
}

const struct bench outside_benches[] = {
	{"outside_1", NULL, run_outside, 4 * 1000 * 1000, 1, "a thread outside tells N"},
	{"outside_2", NULL, run_outside, 4 * 1000 * 1000, 2, "2 threads tell N in all, to one"},
	{"outside_4", NULL, run_outside, 4 * 1000 * 1000, 4, "4 threads tell N in all, to one"},
	{"outside_each_2", NULL, run_outside, 4 * 1000 * 1000, 12,
	 "2 threads tell N in all, each to an actor of its own"},
	{"outside_each_4", NULL, run_outside, 4 * 1000 * 1000, 14,
	 "4 threads tell N in all, each to an actor of its own"},
	{0},
};
