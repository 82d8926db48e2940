/* SPDX-License-Identifier: MIT
 *
 * line_moves.c - counts how often cache lines move between threads; linked in by tools/shared-lines.
 *
 * A program compiled with -fsanitize=thread calls one of the functions below for each access to
 * memory. In place of TSan's own they keep, for each line of 64 bytes, which threads have a copy,
 * as if each had a cache of its own without a limit: a write takes the line from all others, and
 * a read that finds it written by another thread fetches it. A stay of a line with a thread was
 * needed if the thread has read or written a byte that others had written since it had the line
 * last; else all that it wanted was beside what they wrote. Memory that only libraries touch is
 * not seen, except mutexes.
 *
 * When the program ends, the file that LINE_MOVES names gets a line for each pair of places: where
 * the line was last written, where it was fetched (addresses), how often that was needed, and how
 * often not.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { LINE = 64, THREADS = 12, LINES_MAX = 1 << 20, PAIRS_MAX = 1 << 16, TRIES = 64 };

struct line {
	uint64_t number; /* address / LINE; 0: none yet */
	unsigned char taken;
	uint16_t sharers;       /* a bit for each thread that has it */
	uint32_t writer;        /* the last, from 1; 0: none */
	uint32_t written_at;    /* where that was */
	uint64_t news[THREADS]; /* bytes that others have written since the thread lost it */
	uint64_t used[THREADS]; /* those of them that it has read or written */
	uint32_t from[THREADS], by[THREADS]; /* of its stay; 0: not fetched from another */
};

struct pair {
	uint32_t from, by;
	uint64_t needed, needless;
};

static struct line *lines;
static struct pair pairs[PAIRS_MAX];
static unsigned char pairs_taken;
static uint32_t threads; /* so far */
static uint64_t lost;    /* accesses to more lines than there is room for */
static _Thread_local uint32_t self;

static void take(unsigned char *lock)
{
	while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
		continue;
}

static void drop(unsigned char *lock)
{
	__atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

static void note(uint32_t from, uint32_t by, bool needed)
{
	uint32_t at = (from * 2654435761u ^ by * 40503u) % PAIRS_MAX;

	take(&pairs_taken);
	while (pairs[at].by != 0 && (pairs[at].from != from || pairs[at].by != by))
		at = (at + 1) % PAIRS_MAX;
	pairs[at].from = from;
	pairs[at].by = by;
	if (needed)
		pairs[at].needed++;
	else
		pairs[at].needless++;
	drop(&pairs_taken);
}

static struct line *find(uint64_t number)
{
	uint32_t at = (uint32_t)(number * 0x9E3779B97F4A7C15u >> 44) % LINES_MAX;

	for (int tries = 0; tries < TRIES; tries++, at = (at + 1) % LINES_MAX) {
		uint64_t there = 0;

		if (__atomic_compare_exchange_n(&lines[at].number, &there, number, false,
						__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
		    there == number)
			return &lines[at];
	}
	return NULL;
}

static void end_stay(struct line *line, uint32_t thread)
{
	if (line->from[thread] != 0)
		note(line->from[thread], line->by[thread], line->used[thread] != 0);
	line->from[thread] = 0;
	line->used[thread] = 0;
	line->news[thread] = 0;
}

static void take_from_others(struct line *line, uint64_t bytes, uint32_t at)
{
	for (uint32_t other = 0; other < THREADS; other++) {
		if (other == self)
			continue;
		if (line->sharers & 1u << other)
			end_stay(line, other);
		line->news[other] |= bytes;
	}
	line->sharers = (uint16_t)(1u << self);
	line->writer = self + 1;
	line->written_at = at;
}

static void touch_line(uint64_t number, uint64_t bytes, bool writes, uint32_t at)
{
	struct line *line = find(number);

	if (line == NULL) {
		lost++;
		return;
	}
	take(&line->taken);
	bool has = line->sharers & 1u << self;
	bool fetches = has ? writes && (line->sharers & ~(1u << self)) && line->from[self] == 0
			   : line->writer != self + 1;
	if (fetches && line->writer != 0) {
		line->from[self] = line->written_at;
		line->by[self] = at;
	}
	line->used[self] |= bytes & line->news[self];
	line->sharers |= (uint16_t)(1u << self);
	if (writes)
		take_from_others(line, bytes, at);
	drop(&line->taken);
}

static void touch(const volatile void *place, uint64_t size, bool writes, const void *at)
{
	uint64_t address = (uint64_t)(uintptr_t)place;

	if (lines == NULL)
		return;
	if (self == 0) {
		self = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
		if (self >= THREADS)
			self = THREADS - 1;
	}
	while (size > 0) {
		uint64_t first = address % LINE;
		uint64_t here = LINE - first < size ? LINE - first : size;
		uint64_t bytes = (here == LINE ? UINT64_MAX : (UINT64_C(1) << here) - 1) << first;

		touch_line(address / LINE, bytes, writes, (uint32_t)(uintptr_t)at);
		address += here;
		size -= here;
	}
}

__attribute__((constructor)) static void begin(void)
{
	void *room = mmap(NULL, LINES_MAX * sizeof(struct line), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	lines = room == MAP_FAILED ? NULL : room;
}

__attribute__((destructor)) static void end(void)
{
	const char *name = getenv("LINE_MOVES");
	FILE *out = name == NULL ? NULL : fopen(name, "w");

	if (out == NULL)
		return;
	fprintf(out, "%u %lu\n", threads, (unsigned long)lost);
	for (uint32_t i = 0; i < PAIRS_MAX; i++)
		if (pairs[i].by != 0)
			fprintf(out, "%x %x %lu %lu\n", pairs[i].from, pairs[i].by,
				(unsigned long)pairs[i].needed, (unsigned long)pairs[i].needless);
	fclose(out);
}

/* ---- what the compiler calls ------------------------------------------------------------- */

#define HERE __builtin_return_address(0)

#define ACCESS(name, size, writes)                                                                 \
	void __tsan_##name##size(void *place);                                                     \
	void __tsan_##name##size(void *place)                                                      \
	{                                                                                          \
		touch(place, size, writes, HERE);                                                  \
	}
#define ACCESSES(size)                                                                             \
	ACCESS(read, size, false)                                                                  \
	ACCESS(write, size, true)                                                                  \
	ACCESS(unaligned_read, size, false)                                                        \
	ACCESS(unaligned_write, size, true)                                                        \
	ACCESS(volatile_read, size, false)                                                         \
	ACCESS(volatile_write, size, true)
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

void __tsan_read_range(void *place, size_t size);
void __tsan_read_range(void *place, size_t size)
{
	touch(place, size, false, HERE);
}

void __tsan_write_range(void *place, size_t size);
void __tsan_write_range(void *place, size_t size)
{
	touch(place, size, true, HERE);
}

#define RMW(bits, name, call)                                                                      \
	uint##bits##_t __tsan_atomic##bits##_##name(volatile void *place, uint##bits##_t value,    \
						    int order);                                    \
	uint##bits##_t __tsan_atomic##bits##_##name(volatile void *place, uint##bits##_t value,    \
						    int order)                                     \
	{                                                                                          \
		(void)order;                                                                       \
		touch(place, bits / 8, true, HERE);                                                \
		return call((volatile uint##bits##_t *)place, value, __ATOMIC_SEQ_CST);            \
	}
#define CAS(bits, name)                                                                            \
	int __tsan_atomic##bits##_##name(volatile void *place, void *old, uint##bits##_t value,    \
					 int order, int failed);                                   \
	int __tsan_atomic##bits##_##name(volatile void *place, void *old, uint##bits##_t value,    \
					 int order, int failed)                                    \
	{                                                                                          \
		(void)order, (void)failed;                                                         \
		touch(place, bits / 8, true, HERE);                                                \
		return __atomic_compare_exchange_n((volatile uint##bits##_t *)place,               \
						   (uint##bits##_t *)old, value, false,            \
						   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);            \
	}
#define ATOMICS(bits)                                                                              \
	uint##bits##_t __tsan_atomic##bits##_load(const volatile void *place, int order);          \
	uint##bits##_t __tsan_atomic##bits##_load(const volatile void *place, int order)           \
	{                                                                                          \
		(void)order;                                                                       \
		touch(place, bits / 8, false, HERE);                                               \
		return __atomic_load_n((const volatile uint##bits##_t *)place, __ATOMIC_SEQ_CST);  \
	}                                                                                          \
	void __tsan_atomic##bits##_store(volatile void *place, uint##bits##_t value, int order);   \
	void __tsan_atomic##bits##_store(volatile void *place, uint##bits##_t value, int order)    \
	{                                                                                          \
		(void)order;                                                                       \
		touch(place, bits / 8, true, HERE);                                                \
		__atomic_store_n((volatile uint##bits##_t *)place, value, __ATOMIC_SEQ_CST);       \
	}                                                                                          \
	RMW(bits, exchange, __atomic_exchange_n)                                                   \
	RMW(bits, fetch_add, __atomic_fetch_add)                                                   \
	RMW(bits, fetch_sub, __atomic_fetch_sub)                                                   \
	RMW(bits, fetch_and, __atomic_fetch_and)                                                   \
	RMW(bits, fetch_or, __atomic_fetch_or)                                                     \
	RMW(bits, fetch_xor, __atomic_fetch_xor)                                                   \
	CAS(bits, compare_exchange_strong)                                                         \
	CAS(bits, compare_exchange_weak)
ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)

void __tsan_init(void);
void __tsan_init(void)
{
}

void __tsan_func_entry(void *caller);
void __tsan_func_entry(void *caller)
{
	(void)caller;
}

void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}

void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order)
{
	(void)order;
}

#define MUTEX(name)                                                                                \
	int __real_##name(pthread_mutex_t *mu);                                                    \
	int __wrap_##name(pthread_mutex_t *mu);                                                    \
	int __wrap_##name(pthread_mutex_t *mu)                                                     \
	{                                                                                          \
		touch(mu, sizeof *mu, true, HERE);                                                 \
		return __real_##name(mu);                                                          \
	}
MUTEX(pthread_mutex_lock)
MUTEX(pthread_mutex_unlock)
