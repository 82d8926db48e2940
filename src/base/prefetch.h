/* SPDX-License-Identifier: MIT
 *
 * prefetch.h - a line of memory asked for before it is needed.
 *
 * A hint, and nothing else: the address may be of anything, also of what is gone.
 */
#ifndef WARDI_PREFETCH_H
#define WARDI_PREFETCH_H

/* It will be written here: the line comes to this processor alone, so that the write need not ask
 * the others again. Compilers take the instruction for that only where they are told the
 * processor; all of 64 bits have it, or ignore it. */
static inline void wardi_prefetch_to_write(const void *place)
{
#if defined(__x86_64__)
	__asm__ __volatile__("prefetchw %0" : : "m"(*(const char *)place));
#else
	__builtin_prefetch(place, 1);
#endif
}

#endif
