/* SPDX-License-Identifier: MIT
 *
 * assert.h - the library's own invariants. A broken one ends the process, after the fatal hook of
 * the system that runs on this thread got a text; it never leads to a restart.
 */
#ifndef WARDI_ASSERT_H
#define WARDI_ASSERT_H

/* The fatal hook of this thread; a worker sets it while it runs a system. */
struct wardi_fatal {
	void (*fn)(void *arg, const char *text);
	void *arg;
};
void wardi_fatal_set(const struct wardi_fatal *fatal);

/* Calls the hook, then aborts. */
__attribute__((noreturn, format(printf, 1, 2))) void wardi_fatal(const char *text, ...);

#ifdef WARDI_NO_ASSERT /* coverage only */
#define wardi_assert(condition) ((void)sizeof(!(condition)))
#else
#define wardi_assert(condition)                                                                    \
	(__builtin_expect(!!(condition), 1) ? (void)0                                              \
					    : wardi_fatal("ward: broken invariant at %s:%d: %s",   \
							  __FILE__, __LINE__, #condition))
#endif

/* Checks that cost too much in a release. */
#ifdef WARDI_SLOW_ASSERTS
#define wardi_assert_slow(condition) wardi_assert(condition)
#else
#define wardi_assert_slow(condition) ((void)sizeof(!(condition)))
#endif

#endif
