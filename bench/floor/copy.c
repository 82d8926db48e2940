/* SPDX-License-Identifier: MIT
 *
 * copy.c - floor-copy: the least that a body can cost: allocated, copied, handed over, freed.
 *
 *	floor-copy NAME [WORKERS [N]]	prints name, value, unit; tabs between
 *	floor-copy --list
 *
 * Four pairs in turn. A mailbox is a pointer, and sending one exchange.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

#include "../pace.h"

enum { PAIRS = 4 };

struct body {
	int64_t turns;
	unsigned char bytes[];
};

static const struct row {
	const char *name;
	int64_t n;
	size_t size;
} rows[] = {
	{"body_256", 500 * 1000, 256},
	{"body_1k", 500 * 1000, 1024},
	{"body_4k", 200 * 1000, 4096},
	{"body_64k", 20 * 1000, 65536},
};
enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

/* Nobody knows here who reads it. */
static struct body *copy(struct body *source, size_t size, int64_t turns)
{
	struct body *made = malloc(size);

	if (made == NULL)
		abort();
	source->turns = turns;
	memcpy(made, source, size);
	__asm__ volatile("" : "+r"(made) : : "memory");
	return made;
}

/* Sends what answers the body that was sent before, which is then free. */
static void answer(_Atomic(struct body *) *mailbox, struct body *source, size_t size)
{
	struct body *got = atomic_load_explicit(mailbox, memory_order_acquire);
	int64_t turns = got == NULL ? 0 : got->turns + 1;

	free(atomic_exchange_explicit(mailbox, copy(source, size, turns), memory_order_acq_rel));
}

static void play(size_t size, int64_t n)
{
	static _Atomic(struct body *) mailboxes[PAIRS];
	struct body *source = calloc(1, size);

	for (int64_t i = 0; i < 2 * n; i++)
		for (int p = 0; p < PAIRS; p++)
			answer(&mailboxes[p], source, size);
	free(source);
}

static int measure(const struct row *row, int64_t n)
{
	double pace = 0;
	int64_t begin_ns, end_ns;

	pace_look(&pace);
	begin_ns = clock_span_ns();
	play(row->size, n);
	end_ns = clock_span_ns();
	pace_look(&pace);
	printf("%s\t%.3f\tns/msg\n", row->name,
	       (double)(end_ns - begin_ns) / (double)(2 * PAIRS * n));
	pace_report(pace);
	return 0;
}

int main(int argc, char **argv)
{
	int64_t n = argc > 3 ? strtoll(argv[3], NULL, 10) : 0;

	if (argc == 2 && strcmp(argv[1], "--list") == 0) {
		for (int i = 0; i < ROWS; i++)
			printf("%s\t%" PRId64 "\tns/msg\n", rows[i].name, rows[i].n);
		return 0;
	}
	for (int i = 0; i < ROWS; i++)
		if (argc > 1 && argc < 5 && strcmp(argv[1], rows[i].name) == 0)
			return measure(&rows[i], n > 0 ? n : rows[i].n);
	fprintf(stderr, "usage: %s NAME [WORKERS [N]] | --list\n", argv[0]);
	return 2;
}
