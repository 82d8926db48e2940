/* SPDX-License-Identifier: MIT
 *
 * trace_chrome.h - the record of a run in the Trace Event Format, for chrome://tracing or Perfetto.
 */
#ifndef WARDI_TESTKIT_TRACE_CHROME_H
#define WARDI_TESTKIT_TRACE_CHROME_H

#include <stdio.h>

struct wardi_trace;

/* Writes the record as a file for Chrome's tracing page; see trace_chrome.c. */
void wardi_trace_write_chrome(const struct wardi_trace *trace, FILE *file);

#endif
