/* SPDX-License-Identifier: MIT
 *
 * prefetch.h - fetches a line of memory before it is needed.
 *
 * A hint only: any address will do, even of freed memory.
 */
#ifndef WARDI_PREFETCH_H
#define WARDI_PREFETCH_H

/* Fetches a line to be written: it comes to this processor alone, so that the write need not ask
 * the others again. Compilers emit the instruction only if they are told the processor; all 64-bit
 * processors have it, or ignore it. */
static inline void wardi_prefetch_to_write(const void *place)
{
#if defined(__x86_64__)
	__asm__ __volatile__("prefetchw %0" : : "m"(*(const char *)place));
#else
	__builtin_prefetch(place, 1);
#endif
}

#endif
