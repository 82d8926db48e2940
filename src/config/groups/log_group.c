/* SPDX-License-Identifier: MIT
 *
 * log_group.c - the log of a system from a file: a line for each event, to stderr, stdout or a
 * file.
 *
 * Each line is written by one call, so lines of several threads do not mix. A line that cannot be
 * written is lost; in a pipe the next line that can be written says how many are lost.
 *
 * A pipe or a terminal that nobody reads does not block the system: the first line that finds no
 * room waits for a second, later lines do not wait until there is room again. A terminal is opened
 * a second time, so that its writes block elsewhere but not here. Where writes block (stderr and
 * stdout), one thread at a time checks for room: two would find the same room.
 *
 * Threads: wardi_config_log_event() any, several at a time; the rest one at a time.
 */
#include "config/groups/log_group.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <ward/extend.h>
#include <ward/text.h>

#include "config/read/errors.h"
#include "config/read/fields.h"

enum {
	LINE_BYTES = 1024, /* far less than PIPE_BUF: it goes into a pipe whole, or not at all */
	JSON_BYTES =
		WARD_EVENT_JSON + 1, /* what a system says of itself takes less than PIPE_BUF */
	NOTICE_BYTES = 256,
	PATIENCE_MS = 1000,
	TRIES = 10 /* what is ready may have no room for a whole line */
};

const ward_config_name wardi_config_levels[] = {{"debug", WARD_LEVEL_DEBUG},
						{"info", WARD_LEVEL_INFO},
						{"warning", WARD_LEVEL_WARNING},
						{"severe", WARD_LEVEL_SEVERE},
						{NULL, 0}};

static const ward_config_name kinds[] = {{"failure", WARD_EVENT_FAILURE},
					 {"dead-letter", WARD_EVENT_DEAD_LETTER},
					 {"unhandled", WARD_EVENT_UNHANDLED},
					 {"lifecycle", WARD_EVENT_LIFECYCLE},
					 {"hook-failure", WARD_EVENT_HOOK_FAILURE},
					 {"note", WARD_EVENT_NOTE},
					 {"suppressed", WARD_EVENT_SUPPRESSED},
					 {"watch", WARD_EVENT_WATCH},
					 {"all", WARD_EVENT_ALL},
					 {NULL, 0}};

/* Formats an event as a line. */
typedef size_t (*write_event)(const ward_event *event, char *text, size_t max);

static const ward_config_name formats[] = {{"line", WARDI_CONFIG_LOG_LINE},
					   {"json", WARDI_CONFIG_LOG_JSON},
					   {"journald", WARDI_CONFIG_LOG_JOURNALD},
					   {NULL, 0}};

static const write_event writers[] = {
	[WARDI_CONFIG_LOG_LINE] = ward_event_format,
	[WARDI_CONFIG_LOG_JSON] = ward_event_json,
	[WARDI_CONFIG_LOG_JOURNALD] = ward_event_journald,
};

#define AT(member) WARD_CONFIG_AT(struct wardi_config_log, member)
static const ward_config_field fields[] = {
	{"to", WARD_CONFIG_STRING, AT(to), .min = 1},
	{"kinds", WARD_CONFIG_MASK, AT(kinds), .names = kinds},
	{"level", WARD_CONFIG_ENUM, AT(level), .names = wardi_config_levels},
	{"format", WARD_CONFIG_ENUM, AT(format), .names = formats},
	{0},
};
#undef AT

void wardi_config_log(ward_config *config, const config_setting_t *group)
{
	struct wardi_config_reader reader = {.config = config};

	if (wardi_config_is_group(config, group))
		wardi_config_read(&reader, group, NULL, NULL, fields, &config->log);
	/* They are below the level, and would use up the limit that unhandled messages share. */
	if (config->log.level > WARD_LEVEL_INFO && (config->log.kinds & WARD_EVENT_UNHANDLED) != 0)
		config->log.kinds &= ~(uint32_t)WARD_EVENT_DEAD_LETTER;
	if (group != NULL && config_setting_get_member(group, "kinds") != NULL &&
	    config->log.kinds == 0 && config->errors == 0)
		wardi_config_wrong(config, group, "kinds",
				   "is empty: to turn the log off, set to = \"none\"");
}

/* Makes writes block, except to a pipe or a terminal: nobody else would wait for room. */
static void let_wait(int fd)
{
	int flags = fcntl(fd, F_GETFL);
	struct stat info;

	if (flags >= 0 && fstat(fd, &info) == 0 && !S_ISFIFO(info.st_mode) && isatty(fd) != 1)
		(void)fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
}

/* Without O_NONBLOCK, the open of a pipe without a reader would wait for a reader. */
static ward_err open_file(struct wardi_config_log *log, const char *to)
{
	struct stat info;
	int code;

	log->fd = open(to, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
	code = errno;
	log->own = log->fd >= 0;
	if (log->own) {
		let_wait(log->fd);
		return WARD_OK;
	}
	if (code == ENXIO && stat(to, &info) == 0 && S_ISFIFO(info.st_mode))
		return ward_refused(WARD_ESYS,
				    "the log %.*s: no process has this pipe open for reading",
				    WARD_TEXT_FIT(to, 300));
	return ward_refused(WARD_ESYS, "the log %.*s: %s (%s)", WARD_TEXT_FIT(to, 300),
			    strerrordesc_np(code), strerrorname_np(code));
}

/* If the open is refused, as for another user's terminal, a write may block. */
static void open_terminal_again(struct wardi_config_log *log)
{
	char name[32];
	int fd, above;

	snprintf(name, sizeof name, "/proc/self/fd/%d", log->fd);
	fd = open(name, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	above = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (fd >= 0)
		close(fd);
	if (above < 0)
		return;
	if (log->own)
		close(log->fd);
	log->fd = above;
	log->own = true;
	log->blocks = false;
}

ward_err wardi_config_log_open(struct wardi_config_log *log)
{
	const char *to = log->to != NULL ? log->to : "stderr";
	ward_err err = WARD_OK;
	struct stat info;

	if (log->fd >= 0 || strcmp(to, "none") == 0)
		return WARD_OK;
	if (strcmp(to, "stderr") == 0) {
		log->fd = STDERR_FILENO;
	} else if (strcmp(to, "stdout") == 0) {
		/* Its own: the program may put something else there, for those that print. */
		log->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		log->own = log->fd >= 0;
		if (log->fd < 0)
			err = ward_refused(WARD_ESYS, "the log stdout: %s (%s)",
					   strerrordesc_np(errno), strerrorname_np(errno));
	} else {
		err = open_file(log, to);
	}
	log->blocks = strcmp(to, "stderr") == 0 || strcmp(to, "stdout") == 0;
	log->pipe = err == WARD_OK && fstat(log->fd, &info) == 0 &&
		    (S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode));
	if (err == WARD_OK && !log->pipe && isatty(log->fd) == 1) {
		log->pipe = true;
		if (log->blocks)
			open_terminal_again(log);
	}
	return err;
}

void wardi_config_log_close(struct wardi_config_log *log)
{
	if (log->own)
		close(log->fd);
	log->own = false;
	log->fd = -1;
}

/* ---- a line ------------------------------------------------------------------------------ */

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Whether there is room in the pipe, or will be in a moment; signals do not shorten it. */
static bool has_room(const struct wardi_config_log *log)
{
	bool stalled = atomic_load_explicit(&log->stalled, memory_order_relaxed);
	int64_t left = stalled ? 0 : PATIENCE_MS, until = now_ms() + left;
	struct pollfd polled = {.fd = log->fd, .events = POLLOUT};
	int ready;

	while ((ready = poll(&polled, 1, (int)left)) < 0 && errno == EINTR) {
		left = until - now_ms();
		if (left < 0)
			left = 0;
	}
	return ready == 1 && (polled.revents & POLLOUT) != 0;
}

/* False: it could not be written, or not to its end. A terminal may take a part of it. */
static bool write_line(const struct wardi_config_log *log, const char *line)
{
	size_t left = strlen(line);
	int tries = TRIES;

	while (left > 0) {
		ssize_t written;

		if (log->pipe && log->blocks && !has_room(log))
			return false;
		written = write(log->fd, line, left);
		if (written == 0)
			return false;
		if (written > 0) {
			line += written;
			left -= (size_t)written;
		} else if (errno == EAGAIN && log->pipe) {
			if (tries-- == 0 || !has_room(log))
				return false;
		} else if (errno != EINTR) {
			return false;
		}
	}
	return true;
}

/* Writes a notice of the lost lines, in the same format. */
static void write_notice(const struct wardi_config_log *log, uint64_t lost, char *text, size_t max)
{
	ward_event event = {.kind = WARD_EVENT_NOTE, .level = WARD_LEVEL_WARNING};
	struct timespec now;

	snprintf(event.text, sizeof event.text, "%" PRIu64 " line%s lost here: nobody read %s",
		 lost, lost == 1 ? " is" : "s are", lost == 1 ? "it" : "them");
	clock_gettime(CLOCK_REALTIME, &now);
	event.wall_ns = (int64_t)now.tv_sec * 1000 * 1000 * 1000 + now.tv_nsec;
	if (log->format == WARDI_CONFIG_LOG_JSON)
		ward_event_json(&event, text, max - 1);
	else
		ward_text_format(text, max - 1, "%s(%s)",
				 log->format == WARDI_CONFIG_LOG_JOURNALD ? "<4>" : "", event.text);
	strcat(text, "\n");
}

/* Writes the line, after a notice of the lines lost before it. */
static void write_to_pipe(struct wardi_config_log *log, const char *line)
{
	uint64_t lost = atomic_exchange_explicit(&log->lost, 0, memory_order_relaxed);
	char text[JSON_BYTES + NOTICE_BYTES] = "";
	bool written;

	if (lost > 0)
		write_notice(log, lost, text, NOTICE_BYTES);
	strcat(text, line);
	written = write_line(log, text);
	if (!written)
		atomic_fetch_add_explicit(&log->lost, lost + 1, memory_order_relaxed);
	atomic_store_explicit(&log->stalled, !written, memory_order_relaxed);
}

/* A pipe without a reader is an error of this line: its signal is taken back, which would
 * end the process. */
static void write_without_signal(struct wardi_config_log *log, const char *line)
{
	const struct timespec none = {0, 0};
	sigset_t pipe, before, waiting;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	sigemptyset(&waiting);
	pthread_sigmask(SIG_BLOCK, &pipe, &before);
	sigpending(&waiting);
	if (log->blocks)
		pthread_mutex_lock(&log->mu);
	write_to_pipe(log, line);
	if (log->blocks)
		pthread_mutex_unlock(&log->mu);
	if (sigismember(&waiting, SIGPIPE) == 0)
		while (sigtimedwait(&pipe, NULL, &none) < 0 && errno == EINTR)
			;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void wardi_config_log_event(void *arg, const ward_event *event)
{
	struct wardi_config_log *log = arg;
	char line[JSON_BYTES];
	size_t length, max = log->format == WARDI_CONFIG_LOG_JSON ? JSON_BYTES : LINE_BYTES;

	if ((int32_t)event->level < log->level)
		return;
	writers[log->format](event, line, max - 1);
	length = strlen(line);
	line[length] = '\n';
	line[length + 1] = '\0';
	if (log->pipe)
		write_without_signal(log, line);
	else
		(void)write_line(log, line);
}
