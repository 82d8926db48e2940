/* SPDX-License-Identifier: MIT
 *
 * reserved.h - whether the reserved words of options are zero.
 *
 * One that is not was set by a program that was compiled for a later version: what it asks for is
 * not there, so the options are refused.
 *
 * Threads: calls may run at the same time.
 */
#ifndef WARDI_RESERVED_H
#define WARDI_RESERVED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WARDI_RESERVED_ZERO(words) wardi_reserved_zero((words), sizeof(words) / sizeof *(words))
static inline bool wardi_reserved_zero(const uintptr_t *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (words[i] != 0)
			return false;
	return true;
}

/* The rest of the text of such a refusal. */
#define WARDI_RESERVED_WRONG "a reserved word is not zero: leave it out of the initializer"

#endif
