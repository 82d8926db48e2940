/* SPDX-License-Identifier: MIT
 *
 * wheel.c - floor-wheel: the least that a timer can cost, a wheel of lists on one thread.
 *
 *	floor-wheel NAME [WORKERS [N]]	prints name, value, unit; tabs between
 *	floor-wheel --list
 *
 * Four levels of 256 slots; a slot of the lowest is a millisecond. A record is allocated when a
 * timer is armed, and freed when it fires or is cancelled.
 */
#include <inttypes.h>
#include <string.h>

#include "../pace.h"

enum { LEVELS = 4, BITS = 8, SLOTS = 1 << BITS, FIRE_MS = 200, FAR_MS = 60 * 60 * 1000 };

struct link {
	struct link *next, *previous;
};

struct timer {
	struct link link; /* first */
	uint64_t at_ms;
	void (*fire)(struct timer *timer);
};

static struct link slots[LEVELS][SLOTS];
static uint64_t now_ms;
static int64_t fired;

static void begin(void)
{
	for (int level = 0; level < LEVELS; level++)
		for (int slot = 0; slot < SLOTS; slot++)
			slots[level][slot] =
				(struct link){&slots[level][slot], &slots[level][slot]};
}

/* The level is that of the highest byte in which the time differs from now. */
static void put(struct timer *timer)
{
	uint64_t differs = timer->at_ms ^ now_ms;
	int level = differs == 0 ? 0 : (63 - __builtin_clzll(differs)) / BITS;
	struct link *slot = &slots[level][timer->at_ms >> level * BITS & (SLOTS - 1)];

	timer->link = (struct link){slot, slot->previous};
	slot->previous->next = &timer->link;
	slot->previous = &timer->link;
}

static void release(struct timer *timer)
{
	timer->link.previous->next = timer->link.next;
	timer->link.next->previous = timer->link.previous;
	free(timer);
}

static void count(struct timer *timer)
{
	release(timer);
	fired++;
}

static struct timer *arm(uint64_t at_ms)
{
	struct timer *timer = malloc(sizeof(*timer));

	if (timer == NULL)
		abort();
	*timer = (struct timer){.at_ms = at_ms, .fire = count};
	put(timer);
	return timer;
}

static void cascade(struct link *slot)
{
	struct link all = *slot, *next;

	if (all.next == slot)
		return;
	*slot = (struct link){slot, slot};
	all.previous->next = NULL;
	for (struct link *link = all.next; link != NULL; link = next) {
		next = link->next;
		put((struct timer *)(void *)link);
	}
}

static void advance(void)
{
	struct link *slot;

	now_ms++;
	for (int level = 1; level < LEVELS && (now_ms & ((1ULL << level * BITS) - 1)) == 0; level++)
		cascade(&slots[level][now_ms >> level * BITS & (SLOTS - 1)]);
	slot = &slots[0][now_ms & (SLOTS - 1)];
	while (slot->next != slot) {
		struct timer *timer = (struct timer *)(void *)slot->next;

		timer->fire(timer);
	}
}

/* Armed, then cancelled. */
static double timers(int64_t n)
{
	struct timer **all = calloc((size_t)n, sizeof(*all));
	int64_t begin_ns;

	if (all == NULL)
		abort();
	memset(all, 1, (size_t)n * sizeof(*all));
	begin_ns = clock_span_ns();
	for (int64_t i = 0; i < n; i++)
		all[i] = arm(FAR_MS + (uint64_t)i * 7919 % 1000003);
	for (int64_t i = 0; i < n; i++)
		release(all[i]);
	return (double)(clock_span_ns() - begin_ns) / (double)n;
}

/* All within FIRE_MS, with a sleep for each millisecond; processor time. */
static double timers_fire(int64_t n)
{
	int64_t begin_ns = clock_cpu_ns(), begun_ms = clock_now_ns() / 1000000;

	for (int64_t i = 0; i < n; i++)
		arm(1 + (uint64_t)i * 7919 % FIRE_MS);
	while (fired < n) {
		int64_t ms = begun_ms + (int64_t)now_ms + 1;
		struct timespec at = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
		advance();
	}
	return (double)(clock_cpu_ns() - begin_ns) / (double)n;
}

static const struct row {
	const char *name;
	double (*run)(int64_t n);
	int64_t n;
} rows[] = {{"timers", timers, 1000 * 1000}, {"timers_fire", timers_fire, 50 * 1000}};
enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static int measure(const struct row *row, int64_t n)
{
	double pace = 0, ns;

	begin();
	pace_look(&pace);
	ns = row->run(n);
	pace_look(&pace);
	printf("%s\t%.3f\tns/timer\n", row->name, ns);
	pace_report(pace);
	return 0;
}

int main(int argc, char **argv)
{
	int64_t n = argc > 3 ? strtoll(argv[3], NULL, 10) : 0;

	if (argc == 2 && strcmp(argv[1], "--list") == 0) {
		for (int i = 0; i < ROWS; i++)
			printf("%s\t%" PRId64 "\tns/timer\n", rows[i].name, rows[i].n);
		return 0;
	}
	for (int i = 0; i < ROWS; i++)
		if (argc > 1 && argc < 5 && strcmp(argv[1], rows[i].name) == 0)
			return measure(&rows[i], n > 0 ? n : rows[i].n);
	fprintf(stderr, "usage: %s NAME [WORKERS [N]] | --list\n", argv[0]);
	return 2;
}
