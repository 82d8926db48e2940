/* SPDX-License-Identifier: MIT
 *
 * foreign_fds.c - descriptors that a sanitizer or the C library has opened by itself.
 *
 *	a sanitizer, for the first stack that it prints	two pipes to a child, the symbolizer
 *	a sanitizer with log_path, at its first report	the file
 *	the C library, at the first syslog()		a socket to /dev/log
 *
 * Each is recognised by its other end, not by its kind: the program has pipes, files and sockets of
 * its own. Only descriptors that would be reported are examined.
 *
 * Threads: all functions may run at the same time.
 */
#include "testkit/check/foreign_fds.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <syslog.h>
#include <unistd.h>

/* NULL where no sanitizer is in the process. */
extern void __sanitizer_print_stack_trace(void) __attribute__((weak));
extern const char *__sanitizer_get_report_path(void) __attribute__((weak));

enum { LINK_MAX_ = 256, NAME_MAX_ = 64 };

/* False: there is no such link. */
static bool read_link(const char *path, char target[LINK_MAX_])
{
	ssize_t count = readlink(path, target, LINK_MAX_ - 1);

	target[count > 0 ? count : 0] = '\0';
	return count > 0;
}

static bool target_of(int number, char target[LINK_MAX_])
{
	char path[NAME_MAX_];

	snprintf(path, sizeof path, "/proc/self/fd/%d", number);
	return read_link(path, target);
}

/* ---- the symbolizer ---------------------------------------------------------------------- */

/* Whether the process is a child of this one, and has the name of one of those programs. The kernel
 * cuts names to 15 letters. */
static bool is_symbolizer(const char *pid)
{
	static const char *const names[] = {"llvm-symbolizer", "addr2line"};
	char path[NAME_MAX_], line[512];
	int parent = 0;

	snprintf(path, sizeof path, "/proc/%.16s/stat", pid);
	FILE *file = fopen(path, "re");
	if (file == NULL)
		return false;
	line[fread(line, 1, sizeof line - 1, file)] = '\0';
	fclose(file);
	/* "7 (name) S 1 ...": the name may have brackets itself. */
	const char *name = strchr(line, '(');
	char *end = strrchr(line, ')');
	if (name == NULL || end == NULL || sscanf(end + 1, " %*c %d", &parent) != 1 ||
	    parent != getpid())
		return false;
	*end = '\0';
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(name + 1, names[i]) == 0)
			return true;
	return false;
}

/* Whether the process has the same pipe. */
static bool has_open(const char *pid, const char *wanted)
{
	char path[2 * NAME_MAX_], target[LINK_MAX_];
	bool found = false;

	snprintf(path, sizeof path, "/proc/%.16s/fd", pid);
	DIR *dir = opendir(path);
	if (dir == NULL)
		return false;
	for (const struct dirent *entry; !found && (entry = readdir(dir)) != NULL;) {
		snprintf(path, sizeof path, "/proc/%.16s/fd/%.16s", pid, entry->d_name);
		found = read_link(path, target) && strcmp(target, wanted) == 0;
	}
	closedir(dir);
	return found;
}

bool wardi_fd_is_symbolizers(int number)
{
	char target[LINK_MAX_];
	bool found = false;

	if (!target_of(number, target) || strncmp(target, "pipe:", 5) != 0)
		return false;
	DIR *dir = opendir("/proc");
	if (dir == NULL)
		return false;
	for (const struct dirent *entry; !found && (entry = readdir(dir)) != NULL;)
		found = entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
			is_symbolizer(entry->d_name) && has_open(entry->d_name, target);
	closedir(dir);
	return found;
}

/* ---- the others -------------------------------------------------------------------------- */

static bool is_report(int number)
{
	char target[LINK_MAX_];
	const char *path =
		&__sanitizer_get_report_path != NULL ? __sanitizer_get_report_path() : NULL;

	return path != NULL && path[0] != '\0' && target_of(number, target) &&
	       strcmp(target, path) == 0;
}

bool wardi_fd_is_connected_to(int number, const char *path)
{
	struct sockaddr_un peer = {0};
	socklen_t size = sizeof peer - 1; /* a 0 is behind it */

	return getpeername(number, (struct sockaddr *)&peer, &size) == 0 &&
	       peer.sun_family == AF_UNIX && strcmp(peer.sun_path, path) == 0;
}

bool wardi_fd_is_foreign(int number)
{
	bool sanitized = &__sanitizer_print_stack_trace != NULL;

	return (sanitized && (wardi_fd_is_symbolizers(number) || is_report(number))) ||
	       wardi_fd_is_connected_to(number, _PATH_LOG);
}
