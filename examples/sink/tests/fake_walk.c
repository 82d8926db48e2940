/* SPDX-License-Identifier: MIT
 *
 * fake_walk.c - reading a fake database back, and setting it aside; see fake_store.h.
 */
#include <stdlib.h>
#include <string.h>
#include <ward/testkit.h>

#include "fake_inside.h"

struct store_walk {
	const struct fake_rows *rows;
	uint32_t source; /* 0: all */
	bool back;
	size_t passed; /* rows */
};

/* ---- walking ----------------------------------------------------------------------------- */

static struct store_walk *walk(struct store *store, uint32_t source, bool back)
{
	struct store_walk *walk = malloc(sizeof(*walk));
	ward_assert(walk != NULL);
	*walk = (struct store_walk){&store->file->rows, source, back, 0};
	return walk;
}

enum store_result store_walk_begin(struct store *store, uint32_t source,
				   struct store_walk **ret_walk, struct why *why)
{
	(void)why;
	*ret_walk = walk(store, source, false);
	return STORE_OK;
}

enum store_result store_walk_back(struct store *store, uint32_t source,
				  struct store_walk **ret_walk, struct why *why)
{
	(void)why;
	*ret_walk = walk(store, source, true);
	return STORE_OK;
}

enum store_result store_walk_next(struct store_walk *walk, struct store_row *ret_row,
				  struct why *why)
{
	while (walk->passed < walk->rows->count) {
		size_t at = walk->back ? walk->rows->count - 1 - walk->passed : walk->passed;
		const struct fake_row *row = &walk->rows->all[at];
		walk->passed++;
		if (walk->source != 0 && walk->source != row->row.source)
			continue;
		if (row->harmed)
			return fake_tell(STORE_DAMAGED, "a row is not what was written", why);
		*ret_row = row->row;
		return STORE_OK;
	}
	return STORE_END;
}

void store_walk_end(struct store_walk *walk)
{
	free(walk);
}

/* ---- judging ----------------------------------------------------------------------------- */

enum store_result store_check(struct store *store,
			      void (*each)(void *arg, const struct store_mark *mark), void *arg,
			      struct why *why)
{
	const struct fake_rows *rows = &store->file->rows;
	enum store_result result = fake_strike(AT_CHECK, why);
	if (result != STORE_OK)
		return result;
	if (store->file->rotten)
		return fake_tell(STORE_DAMAGED, "a tree is not what was written", why);
	for (size_t i = 0; i < rows->count;) {
		struct store_mark mark = {.source = rows->all[i].row.source, .tail = -1};
		for (; i < rows->count && rows->all[i].row.source == mark.source; i++) {
			const struct store_row *row = &rows->all[i].row;
			if (row->offset != mark.end)
				continue;
			mark.end += row->span;
			mark.tail = row->ended ? -1 : row->offset;
		}
		each(arg, &mark);
	}
	return STORE_OK;
}

/* ---- files ------------------------------------------------------------------------------- */

bool store_set_aside(const char *path, struct why *why)
{
	if (fake_strike(AT_ASIDE, why) != STORE_OK)
		return false;
	ward_assert(fake_disk.count < FAKE_FILES_MAX);
	fake_disk.files[fake_disk.count] = fake_disk.files[0];
	fake_disk.files[0] = (struct fake_file){0};
	fake_disk.losses++;
	why_not(why, "it is kept as %s.damaged-%d", path, fake_disk.count++);
	return true;
}

char *store_aside(const char *path, const char *than)
{
	char *name = NULL;
	int number = than ? atoi(strrchr(than, '-') + 1) - 1 : fake_disk.count - 1;
	if (number > 0)
		ward_assert(asprintf(&name, "%s.damaged-%d", path, number) > 0);
	return name;
}

enum store_result store_open_to_read(const char *path, struct store **ret_store, struct why *why)
{
	(void)why;
	const char *aside = strstr(path, ".damaged-");
	int number = aside ? atoi(strrchr(aside, '-') + 1) : 0;
	ward_assert(number < fake_disk.count);
	*ret_store = fake_connect(&fake_disk.files[number]);
	return STORE_OK;
}

bool store_is_ours(const char *path, struct why *why)
{
	(void)path;
	(void)why;
	return true;
}
