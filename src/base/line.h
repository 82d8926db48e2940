/* SPDX-License-Identifier: MIT
 *
 * line.h - lines of the cache, the unit in which memory moves between processors.
 *
 * A thread that writes a byte takes the whole line from all that have it. So fields that one thread
 * writes all the time are kept off the lines that another one uses, by the order of the fields or
 * by room between them, and a static assertion at the struct says which. The list is
 * docs/internals/shared-lines.md.
 */
#ifndef WARDI_LINE_H
#define WARDI_LINE_H

#include <stddef.h>

enum { WARDI_LINE = 64 };

/* The distance that suffices: the words of the two fields that are nearest to each other, a word
 * being 8 bytes and in one line, are on different lines, wherever the object begins. */
#define WARDI_APART(type, field, later)                                                            \
	(offsetof(type, later) / 8 >=                                                              \
	 (offsetof(type, field) + sizeof(((type *)0)->field) - 1) / 8 + WARDI_LINE / 8)

#endif
