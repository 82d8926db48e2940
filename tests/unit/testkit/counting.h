/* SPDX-License-Identifier: MIT
 *
 * counting.h - a program for tests of simulations, and what its runs leave for the test.
 *
 * Included by one program each: all is static.
 */
#ifndef COUNTING_H
#define COUNTING_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <ward/testkit.h>
#include <ward/ward.h>

/* Of the runs, which are in other processes. */
struct shared {
	unsigned runs;
	uint32_t strikes;      /* in all */
	unsigned injected;     /* failures by a fault */
	unsigned elsewhere;    /* failures of others than the helper */
	unsigned refused;      /* spawns */
	unsigned lost;         /* dead letters, by a fault */
	unsigned starved;      /* dead letters, without memory */
	int64_t longest_ns;    /* of a run */
	unsigned out_of_order; /* numbers that came too early */
};
static struct shared *shared;

__attribute__((constructor)) static void make_shared(void)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
}

/* ---- a program: a clerk has his helper count ------------------------------------------------ */

struct count {
	int number;
};
WARD_MESSAGE_FLAT(count);

static struct {
	int counted;
	int last;
	int fresh; /* incarnations */
} seen;

static inline ward_result helper_init(ward_self *self, void *state, const void *args)
{
	(void)self;
	(void)state;
	(void)args;
	seen.fresh++;
	return WARD_DONE;
}

static inline ward_result helper_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct count *count = ward_match(msg, count);

	(void)self;
	(void)state;
	if (count == NULL)
		return WARD_UNHANDLED;
	seen.counted++;
	shared->out_of_order += count->number < seen.last;
	seen.last = count->number;
	return WARD_DONE;
}

static const ward_behavior helper = {
	.name = "helper", .init = helper_init, .receive = helper_receive};

static inline ward_result clerk_start(ward_self *self, void *state)
{
	ward_ref child;

	(void)state;
	if (ward_try_spawn(self, WARD_PROPS(&helper, .name = "helper"), &child) != WARD_OK) {
		shared->refused++;
		return WARD_DONE;
	}
	for (int i = 0; i < 10; i++)
		ward_tell(self, child, count, .number = i);
	return WARD_DONE;
}

static const ward_behavior clerk = {
	.name = "clerk", .pre_start = clerk_start, .receive = helper_receive};

static inline void hear(void *arg, const ward_event *event)
{
	(void)arg;
	shared->injected += event->kind == WARD_EVENT_FAILURE &&
			    strcmp(event->failure_class, "ward_injected") == 0;
	shared->elsewhere +=
		event->kind == WARD_EVENT_FAILURE && strstr(event->path, "/helper") == NULL;
	shared->lost += event->kind == WARD_EVENT_DEAD_LETTER && event->reason == WARD_REASON_LOST;
	shared->starved +=
		event->kind == WARD_EVENT_DEAD_LETTER && event->reason == WARD_REASON_NO_MEMORY;
}

static inline void count_to_ten(ward_kit *kit, void *arg)
{
	(void)arg;
	memset(&seen, 0, sizeof(seen));
	ward_kit_spawn(kit, &clerk, .name = "clerk");
	ward_simulation_eventually_idle(kit, WARD_MINUTE);
	shared->runs++;
	shared->strikes += ward_simulation_faults(kit);
	if (ward_kit_now_ns(kit) > shared->longest_ns)
		shared->longest_ns = ward_kit_now_ns(kit);
}

static inline void count_and_check(ward_kit *kit, void *arg)
{
	count_to_ten(kit, arg);
	ward_assert_eq(seen.counted, 10);
}

static inline ward_simulation_test counting(void (*run)(ward_kit *kit, void *arg))
{
	memset(shared, 0, sizeof(*shared));
	return (ward_simulation_test){
		.name = "counting", .run = run, .kit = {.log = hear}, .check_every = UINT32_MAX};
}

static inline ward_simulation_result replay(const ward_simulation_test *test, const char *words)
{
	setenv("WARD_REPLAY", words, 1);
	ward_simulation_result result = ward_simulate(test);
	unsetenv("WARD_REPLAY");
	return result;
}

#endif
