/* SPDX-License-Identifier: MIT
 *
 * pages.h - whole pages of the kernel, which take none of malloc()'s memory.
 *
 * Threads: calls may run at the same time.
 */
#ifndef WARDI_PAGES_H
#define WARDI_PAGES_H

#include <stddef.h>

enum { WARDI_PAGE = 4096, WARDI_HUGE_PAGE = 2 << 20 };

/* Returns zeroed pages; NULL: no memory. WARDI_HUGE_PAGE bytes are aligned to that, and on a huge
 * page if this costs less than small ones at the moment. */
void *wardi_pages_map(size_t size);
void wardi_pages_unmap(void *pages, size_t size);

#endif
