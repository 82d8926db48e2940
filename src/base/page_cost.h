/* SPDX-License-Identifier: MIT
 *
 * page_cost.h - which pages cost less to touch at this moment, huge or small ones.
 *
 * Where the kernel is the guest of a host that takes free memory back, a huge page may cost a tenth
 * of its small pages, or five times as much: it depends on whether the guest has used the memory a
 * moment ago. The kernel does not know, and nothing else tells. So each fresh piece of memory is
 * measured, and the kind that cost less last time is taken.
 *
 * The other kind may have become cheaper since, so it is tried again, but seldom: what such a try
 * loses is not lost again for a hundred times as long.
 *
 * Threads: calls may run at the same time; each field is right by itself, and any mixture will do.
 */
#ifndef WARDI_PAGE_COST_H
#define WARDI_PAGE_COST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* All zero at first. Times of the first touch of WARDI_HUGE_PAGE bytes; 0: not known. */
struct wardi_page_cost {
	_Atomic int64_t huge_ns;
	_Atomic int64_t small_ns;    /* a mean of the last ones */
	_Atomic int64_t retry_at_ns; /* when the kind that costs more may be tried again */
};

/* So many times what a try has lost must pass until the next one. */
enum { WARDI_PAGE_RETRY = 100 };

/* Whether to take a huge page for the next piece of memory. */
bool wardi_page_cost_huge(const struct wardi_page_cost *cost, int64_t now_ns);
/* Notes how long the first touch of a piece took, which ended now. */
void wardi_page_cost_note(struct wardi_page_cost *cost, bool huge, int64_t took_ns, int64_t now_ns);

#endif
