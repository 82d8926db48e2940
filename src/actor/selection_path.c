/* SPDX-License-Identifier: MIT
 *
 * selection_path.c - the path that a selection walks, as text: its check, and its elements.
 *
 * Threads: no state.
 */
#include "actor/selection_path.h"

#include <string.h>

static bool is_here(const char *element, size_t length)
{
	return length == 1 && element[0] == '.';
}

void wardi_path_split(const char *path, char *to)
{
	while (*path != '\0') {
		size_t length = strcspn(path, "/");

		if (length > 0 && !is_here(path, length)) {
			memcpy(to, path, length);
			to[length] = '\0';
			to += length + 1;
		}
		path += length + (path[length] == '/');
	}
}

static bool is_up(const char *element, size_t length)
{
	return length == 2 && memcmp(element, "..", 2) == 0;
}

static bool has_wildcard(const char *element, size_t length)
{
	return memchr(element, '*', length) != NULL || memchr(element, '?', length) != NULL;
}

/* The length of the element before *at, which is where it begins afterwards; 0: there is none. */
static size_t element_before(const char *path, size_t *at)
{
	size_t end;

	while (*at > 0 && path[*at - 1] == '/')
		--*at;
	end = *at;
	while (*at > 0 && path[*at - 1] != '/')
		--*at;
	return end - *at;
}

/* Backwards: each ".." takes back the nearest element before it that is not taken back yet. */
bool wardi_path_is_one(const char *path)
{
	size_t at = path == NULL ? 0 : strlen(path);
	size_t length;
	size_t ups = 0;
	bool up_follows = false;

	while ((length = element_before(path, &at)) > 0) {
		if (is_here(path + at, length))
			continue;
		if (is_up(path + at, length)) {
			up_follows = true;
			ups++;
			continue;
		}
		if (ups > 0 && !up_follows && has_wildcard(path + at, length))
			return false;
		ups -= ups > 0;
		up_follows = false;
	}
	return path != NULL;
}
