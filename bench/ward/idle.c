/* SPDX-License-Identifier: MIT
 *
 * idle.c - what a system costs that has nothing to do: how often its threads wake up.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

WARD_SIGNAL(hello);

WARD_SIGNAL(ring);

enum { SETTLE_MS = 300, SECOND_MS = 1000 };

/* Far timers, all due at different times. */
static ward_result idle_start(ward_self *self, void *state)
{
	const struct bench_load *load = bench_load_of(self);

	(void)state;
	for (int64_t i = 0; i < load->bench->variant; i++)
		ward_after(self, (uint64_t)i + 1, WARD_MINUTE * 60 + i * 7919 % 1000003, ring);
	return WARD_DONE;
}

static ward_result idle_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	return ward_match(msg, hello) ? WARD_DONE : WARD_UNHANDLED;
}

static const ward_behavior idle = {
	.name = "idle",
	.args = &ward_type_bench_load,
	.pre_start = idle_start,
	.receive = idle_receive,
};

/* How often this thread has gone to sleep: each time it woke up before. */
static int64_t sleeps_of(const char *thread)
{
	char path[64], text[128];
	long long sleeps = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%.20s/status", thread);
	file = fopen(path, "re");
	if (file == NULL)
		return 0;
	while (fgets(text, sizeof(text), file) != NULL)
		if (sscanf(text, "voluntary_ctxt_switches: %lld", &sleeps) == 1)
			break;
	fclose(file);
	return sleeps;
}

/* Of all threads but the first, which is this one. */
static int64_t sleeps(void)
{
	DIR *threads = opendir("/proc/self/task");
	const struct dirent *thread;
	int64_t sum = 0;

	if (threads == NULL) {
		perror("ward-bench: /proc/self/task");
		exit(1);
	}
	while ((thread = readdir(threads)) != NULL)
		if (thread->d_name[0] != '.' && atoi(thread->d_name) != getpid())
			sum += sleeps_of(thread->d_name);
	closedir(threads);
	return sum;
}

static void rest(int64_t ms)
{
	struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&time, NULL);
}

/* N seconds, with an actor that has handled a message. */
static int run_idle(const struct bench_load *load)
{
	ward_system *system;
	int64_t before;
	ward_ref one;

	bench_must(ward_system_create(&(ward_options){.name = "bench", .workers = load->workers},
				      &system));
	bench_must(ward_system_spawn(
		system, WARD_PROPS(&idle, .args = {WARD_COPY(bench_load, load)}), &one));
	ward_system_tell(system, one, hello);
	rest(SETTLE_MS);
	before = sleeps();
	rest(load->n * SECOND_MS);
	bench_report(load->bench->name, (double)(sleeps() - before) / (double)load->n, "wakes/s");
	bench_must(ward_system_destroy(system, 10 * WARD_SECOND));
	return 0;
}

const struct bench idle_benches[] = {
	{"idle", NULL, run_idle, 2, 0, "N seconds without anything to do"},
	{"idle_timers", NULL, run_idle, 2, 10 * 1000, "the same with 10000 timers in an hour"},
	{0},
};
