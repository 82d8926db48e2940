/* SPDX-License-Identifier: MIT
 *
 * log_group.c - the log of a system from a file: a line for each event, to stderr, stdout or a
 * file.
 *
 * A line is written by one call, so lines of several threads do not mix. What cannot be written is
 * lost: there is nobody to tell.
 *
 * Safe together: wardi_config_log_event() with itself; the rest is for one thread.
 */
#include "config/groups/log_group.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "config/read/errors.h"
#include "config/read/fields.h"

static const ward_config_name levels[] = {{"debug", WARD_DEBUG},
					  {"info", WARD_INFO},
					  {"warning", WARD_WARNING},
					  {"severe", WARD_SEVERE},
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

#define AT(member) WARD_CONFIG_AT(struct wardi_config_log, member)
static const ward_config_field fields[] = {
	{"to", WARD_CONFIG_STRING, AT(to), .min = 1},
	{"kinds", WARD_CONFIG_MASK, AT(kinds), .names = kinds},
	{"level", WARD_CONFIG_ENUM, AT(level), .names = levels},
	{0},
};
#undef AT

void wardi_config_log(ward_config *config, const config_setting_t *group)
{
	struct wardi_config_reader reader = {.config = config};

	if (wardi_config_is_group(config, group))
		wardi_config_read(&reader, group, NULL, NULL, fields, &config->log);
	/* They are below the level, and would use up the limit that unhandled messages share. */
	if (config->log.level > WARD_INFO && (config->log.kinds & WARD_EVENT_UNHANDLED) != 0)
		config->log.kinds &= ~(uint32_t)WARD_EVENT_DEAD_LETTER;
	if (group != NULL && config_setting_get_member(group, "kinds") != NULL &&
	    config->log.kinds == 0 && config->errors == 0)
		wardi_config_wrong(config, group, "kinds",
				   "names no kind: for no log at all, to = \"none\"");
}

ward_err wardi_config_log_open(struct wardi_config_log *log)
{
	const char *to = log->to != NULL ? log->to : "stderr";

	if (log->fd >= 0 || strcmp(to, "none") == 0)
		return WARD_OK;
	if (strcmp(to, "stderr") == 0) {
		log->fd = STDERR_FILENO;
	} else if (strcmp(to, "stdout") == 0) {
		/* Its own: the program may put something else there, for those that print. */
		log->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		log->own = log->fd >= 0;
	} else {
		log->fd = open(to, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
		log->own = log->fd >= 0;
	}
	if (log->fd < 0)
		return ward_refused(WARD_ESYS, "the log %.300s: %s", to, strerror(errno));
	return WARD_OK;
}

void wardi_config_log_close(struct wardi_config_log *log)
{
	if (log->own)
		close(log->fd);
	log->own = false;
	log->fd = -1;
}

void wardi_config_log_event(void *arg, const ward_event *event)
{
	const struct wardi_config_log *log = arg;
	char line[1024];
	size_t length;
	ssize_t written;

	if ((int32_t)event->level < log->level)
		return;
	length = ward_event_text(event, line, sizeof line - 1);
	if (length > sizeof line - 2)
		length = sizeof line - 2;
	/* Texts are the program's: they must not make lines of their own, nor steer a terminal. */
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)line[i] < ' ' || line[i] == '\177')
			line[i] = '?';
	line[length] = '\n';
	do
		written = write(log->fd, line, length + 1);
	while (written < 0 && errno == EINTR);
}
