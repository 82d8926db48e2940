/* SPDX-License-Identifier: MIT
 *
 * ready_logs.c - sinks for options.log that write to standard error, a line for each event.
 *
 * A line is one write(2), so that lines of several threads do not mix. A line that cannot be
 * written is lost: there is no other place to report it. A pipe without a reader must not end the
 * process: SIGPIPE is blocked during the call, and consumed.
 *
 * Threads: all functions may run at the same time.
 */
#include "send/ready_logs.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ward/event.h>
#include <ward/text.h>

#include "common/uncancelled.h"

enum { LINE_MAX_BYTES = 1024 /* a pipe takes such a line whole, or not at all */ };

/* False: an error, with its reason in errno. */
static bool write_all(const char *line, size_t length)
{
	while (length > 0) {
		ssize_t written = write(STDERR_FILENO, line, length);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return false;
		line += written;
		length -= (size_t)written;
	}
	return true;
}

/* Writes the line and a newline, for which there is room. A thread of the program may be cancelled,
 * and keeps its errno. */
static void write_line(char *line, size_t length)
{
	WARDI_UNCANCELLED;
	const struct timespec none = {0, 0};
	int error = errno;
	sigset_t pipe, before;

	line[length] = '\n';
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	sigemptyset(&before);
	pthread_sigmask(SIG_BLOCK, &pipe, &before);
	if (!write_all(line, length + 1) && errno == EPIPE && sigismember(&before, SIGPIPE) == 0)
		while (sigtimedwait(&pipe, NULL, &none) < 0 && errno == EINTR)
			;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = error;
}

void ward_log_stderr(void *arg, const ward_event *event)
{
	char line[LINE_MAX_BYTES];

	(void)arg;
	ward_event_stamped(event, line, sizeof line);
	write_line(line, strlen(line));
}

void ward_log_json(void *arg, const ward_event *event)
{
	char line[WARD_EVENT_JSON];

	(void)arg;
	ward_event_json(event, line, sizeof line);
	write_line(line, strlen(line));
}

void ward_log_journald(void *arg, const ward_event *event)
{
	char line[LINE_MAX_BYTES];

	(void)arg;
	ward_event_journald(event, line, sizeof line);
	write_line(line, strlen(line));
}

void wardi_log_text(const char *text)
{
	char line[LINE_MAX_BYTES];

	ward_text_line(line, sizeof line, text, WARD_TEXT_ALL);
	write_line(line, strlen(line));
}
