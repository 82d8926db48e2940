/* SPDX-License-Identifier: MIT
 *
 * ready_logs.h - sinks for options.log that write to standard error, a line for each event.
 */
#ifndef WARDI_READY_LOGS_H
#define WARDI_READY_LOGS_H

/* Writes a text to standard error as one line, which is cut if it is very long. */
void wardi_log_text(const char *text);

#endif
