/* SPDX-License-Identifier: MIT
 *
 * text.h - reports are put together in a buffer, and cut when that is full.
 */
#ifndef WARDI_TESTKIT_TEXT_H
#define WARDI_TESTKIT_TEXT_H

#include <inttypes.h>
#include <stdio.h>

#include <ward/text.h>
#include <ward/types.h>

/* Longest report: a little less than ward_test_fail() has room for. */
enum { WARDI_REPORT_MAX = 1900 };

/* Appends to a text of that size and length; returns the new length. */
WARD_PRINTF(4, 5)
size_t wardi_text_add(char *text, size_t size, size_t length, const char *format, ...);

/* Prints so many bytes, each line of them as ward_text_line() makes it, with a newline behind the
 * last one. `before` stands in front of each that does not begin with '#'. */
void wardi_text_print_lines(FILE *to, const char *before, const char *text, size_t length);

/* The ending of a noun: "1 step", "2 steps". */
#define WARDI_PLURAL(count) ((count) == 1 ? "" : "s")

/* Returns "WARD_ENAME" and the like. */
const char *wardi_code_name(ward_err err);

/* Nanoseconds as "3600.000 s". */
#define WARDI_TIME "%" PRId64 ".%03" PRId64 " s"
#define WARDI_TIME_OF(ns) (ns) / 1000000000, (ns) / 1000000 % 1000

#endif
