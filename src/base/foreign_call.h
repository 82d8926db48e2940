/* SPDX-License-Identifier: MIT
 *
 * foreign_call.h - whether the library is calling code of the program that is no callback of an
 * actor: hooks of memory and logs, functions of types. A fault in there must not be contained: the
 * library is halfway through something, maybe with a lock held.
 *
 * Single-threaded: the count is the thread's own. Initial-exec: a signal handler reads it, and must
 * not be the one that makes it.
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
