/* SPDX-License-Identifier: MIT
 *
 * pages.c - whole pages of the kernel, which take none of malloc()'s memory.
 *
 * A piece of WARDI_HUGE_PAGE bytes will be filled. Its first pages are touched here, for a reading
 * of what they cost; that takes as long as the touch by the user, who then need not.
 *
 * Threads: calls may run at the same time.
 */
#include "base/pages.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>

#include "base/page_cost.h"

/* A part of the small pages stands for all of them. */
enum { SAMPLE = 16, SAMPLES = WARDI_HUGE_PAGE / WARDI_PAGE / SAMPLE };

/* Memory belongs to the machine, not to a system: so all systems of the process share it. */
static struct wardi_page_cost page_cost;

/* 0: the clock cannot be read. Not the clock of a system: no thread waits for this time. */
static int64_t now_ns(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
		return 0;
	return (int64_t)now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void touch(char *pages, int count)
{
	for (int i = 0; i < count; i++)
		*(volatile char *)(pages + (size_t)i * WARDI_PAGE) = 0;
}

/* Chooses the kind of pages, and notes what they cost. */
static void choose(char *pages)
{
	int64_t begin_ns = now_ns(), end_ns;
	bool huge = wardi_page_cost_huge(&page_cost, begin_ns);

	/* Only hints: without huge pages in the kernel both kinds are small. */
	(void)madvise(pages, WARDI_HUGE_PAGE, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	touch(pages, huge ? 1 : SAMPLE);
	end_ns = now_ns();
	wardi_page_cost_note(&page_cost, huge, (end_ns - begin_ns) * (huge ? 1 : SAMPLES), end_ns);
}

static void *map(size_t size)
{
	void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return pages == MAP_FAILED ? NULL : pages;
}

/* The next piece is mostly aligned without a second try: the kernel puts it beside the last. */
static char *map_aligned(void)
{
	const size_t size = WARDI_HUGE_PAGE;
	char *pages = map(size);

	if (pages == NULL || (uintptr_t)pages % size == 0)
		return pages;
	(void)munmap(pages, size);
	pages = map(2 * size);
	if (pages == NULL)
		return NULL;
	size_t before = (size - (uintptr_t)pages % size) % size;
	if (before > 0)
		(void)munmap(pages, before);
	pages += before;
	(void)munmap(pages + size, size - before);
	return pages;
}

void *wardi_pages_map(size_t size)
{
	char *pages;

	if (size != WARDI_HUGE_PAGE)
		return map(size);
	pages = map_aligned();
	if (pages != NULL)
		choose(pages);
	return pages;
}

void *wardi_pages_map_small(size_t size)
{
	char *pages = map(size);

	if (pages != NULL) /* only a hint: without huge pages in the kernel all are small */
		(void)madvise(pages, size, MADV_NOHUGEPAGE);
	return pages;
}

/* Linux fetches small pages for a processor in batches. While none is given back it doubles them,
 * from 63 to 2,016 pages, and one page fault links them all: 0.3 ms. A page that is given back
 * halves the batch. */
void wardi_pages_pace(char *fresh)
{
	char *page = fresh + -(uintptr_t)fresh % WARDI_PAGE;

	touch(page, 1);
	(void)madvise(page, WARDI_PAGE, MADV_DONTNEED);
}

void wardi_pages_unmap(void *pages, size_t size)
{
	(void)munmap(pages, size);
}
