/* SPDX-License-Identifier: MIT
 *
 * foreign_call.h - whether the library is calling code of the program other than callbacks of
 * actors: hooks of memory and logs, functions of types. A fault in such code must not be contained:
 * the library is halfway through an operation, maybe with a lock held.
 *
 * Threads: each has a count of its own. Initial-exec: a signal handler reads the count, and must
 * not be the first to allocate it.
 */
#ifndef WARDI_FOREIGN_CALL_H
#define WARDI_FOREIGN_CALL_H

#include <stdint.h>

extern _Thread_local uint32_t wardi_foreign_calls __attribute__((tls_model("initial-exec")));

static inline void wardi_foreign_call_begin(void)
{
	wardi_foreign_calls++;
}

static inline void wardi_foreign_call_end(void)
{
	wardi_foreign_calls--;
}

#endif
