/* SPDX-License-Identifier: MIT
 *
 * fds.c - which descriptors the process has open.
 *
 * A descriptor that was open before and is closed now is fine: an actor may have adopted it. So is
 * a descriptor that the program has not opened (foreign_fds.c).
 *
 * Threads: any; one thread at a time for each record.
 */
#include "testkit/check/fds.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "testkit/check/foreign_fds.h"

/* False: no memory. */
static bool add(struct wardi_kit_fds *fds, int number)
{
	int *numbers = realloc(fds->numbers, (fds->count + 1) * sizeof *numbers);

	if (numbers == NULL)
		return false;
	numbers[fds->count++] = number;
	fds->numbers = numbers;
	return true;
}

bool wardi_kit_fds_take(struct wardi_kit_fds *fds)
{
	DIR *dir = opendir("/proc/self/fd");
	bool taken = true;

	*fds = (struct wardi_kit_fds){0};
	if (dir == NULL)
		return false;
	for (const struct dirent *entry; taken && (entry = readdir(dir)) != NULL;) {
		int number = atoi(entry->d_name);
		if (entry->d_name[0] != '.' && number != dirfd(dir))
			taken = add(fds, number);
	}
	closedir(dir);
	if (!taken)
		wardi_kit_fds_finish(fds);
	return taken;
}

void wardi_kit_fds_finish(struct wardi_kit_fds *fds)
{
	free(fds->numbers);
	*fds = (struct wardi_kit_fds){0};
}

static bool has(const struct wardi_kit_fds *fds, int number)
{
	for (size_t i = 0; i < fds->count; i++) {
		if (fds->numbers[i] == number)
			return true;
	}
	return false;
}

/* Returns the length of what it wrote behind `at`. */
static size_t describe(int number, char *text, size_t max, size_t at)
{
	char link[64], target[128];
	int length;

	snprintf(link, sizeof link, "/proc/self/fd/%d", number);
	ssize_t count = readlink(link, target, sizeof target - 1);
	target[count > 0 ? count : 0] = '\0';
	length = snprintf(text + at, max - at, "%s%d -> %s", at > 0 ? ", " : "", number, target);
	return (size_t)length < max - at ? (size_t)length : max - at - 1;
}

size_t wardi_kit_fds_new(const struct wardi_kit_fds *now, const struct wardi_kit_fds *then,
			 char *text, size_t max)
{
	size_t count = 0, at = 0;

	text[0] = '\0';
	for (size_t i = 0; i < now->count; i++) {
		if (has(then, now->numbers[i]) || wardi_fd_is_foreign(now->numbers[i]))
			continue;
		at += describe(now->numbers[i], text, max, at);
		count++;
	}
	return count;
}
