/* SPDX-License-Identifier: MIT
 *
 * pages.h - whole pages of the kernel, which take none of malloc()'s memory.
 *
 * Threads: calls may run at the same time.
 */
#ifndef WARDI_PAGES_H
#define WARDI_PAGES_H

#include <stddef.h>

enum { WARDI_PAGE = 4096, WARDI_PAGES_PACE = 64 * WARDI_PAGE, WARDI_HUGE_PAGE = 2 << 20 };

/* Returns zeroed pages; NULL: no memory. WARDI_HUGE_PAGE bytes are aligned to that, and on a huge
 * page if this costs less than small ones at the moment. */
void *wardi_pages_map(size_t size);
/* The same for a caller that must not be held up: on small pages, and none of them touched. */
void *wardi_pages_map_small(size_t size);
/* Keeps the kernel from fetching many small pages at once, in a page fault of this thread. Call it
 * for every WARDI_PAGES_PACE bytes that are filled. `fresh`: the size of two pages that nobody has
 * touched; they stay zero. */
void wardi_pages_pace(char *fresh);
void wardi_pages_unmap(void *pages, size_t size);

#endif
