/* SPDX-License-Identifier: MIT
 *
 * salvage.c - see salvage.h.
 *
 * A damaged database is walked from both ends, each time up to the damage, and only rows that bear
 * their own sum are taken. It can be done again at any time: what is there already stays.
 */
#include "salvage.h"

#include <stdlib.h>

enum {
	BATCH = 256 /* rows in one transaction */
};

/* Whether the rows of the source go on without a gap up to its end. */
static bool is_whole(struct store *store, const struct source *source)
{
	struct store_walk *walk;
	struct store_row row;
	struct why why;
	int64_t at = 0;
	if (store_walk_begin(store, source->id, &walk, &why) != STORE_OK)
		return true; /* no case for us */
	while (store_walk_next(walk, &row, &why) == STORE_OK && row.offset == at)
		at += row.span;
	store_walk_end(walk);
	return at >= source->end;
}

/* Copies rows until the walk ends, well or not. Returns how it went with the receiving side. */
static enum store_result copy(struct store *to, struct store_walk *walk, int64_t *rows,
			      struct why *why)
{
	struct store_row row;
	struct why ignored;
	enum store_result result = STORE_OK;
	while (result == STORE_OK && store_walk_next(walk, &row, &ignored) == STORE_OK) {
		result = store_put(to, &row, why);
		if (result == STORE_OK && ++*rows % BATCH == 0)
			result = store_commit(to, why);
	}
	return result == STORE_OK ? store_commit(to, why) : result;
}

static enum store_result take_from(struct store *to, const char *aside, const struct source *source,
				   int64_t *rows, struct why *why)
{
	struct store *from;
	struct store_walk *walk;
	struct why ignored;
	enum store_result result = STORE_OK;
	if (store_open_to_read(aside, &from, &ignored) != STORE_OK)
		return STORE_OK;
	if (store_walk_begin(from, source->id, &walk, &ignored) == STORE_OK) {
		result = copy(to, walk, rows, why);
		store_walk_end(walk);
	}
	if (result == STORE_OK && !is_whole(to, source) &&
	    store_walk_back(from, source->id, &walk, &ignored) == STORE_OK) {
		result = copy(to, walk, rows, why);
		store_walk_end(walk);
	}
	store_close(from);
	return result;
}

enum store_result salvage(struct store *store, const char *path, const struct sources *sources,
			  int64_t *ret_rows, struct why *why)
{
	enum store_result result = STORE_OK;
	*ret_rows = 0;
	for (size_t i = 0; i < sources->count && result == STORE_OK; i++) {
		const struct source *source = &sources->all[i];
		if (source->fd >= 0)
			continue;
		char *aside = NULL;
		while (result == STORE_OK && !is_whole(store, source)) {
			char *older = store_aside(path, aside);
			free(aside);
			aside = older;
			if (!aside)
				break;
			result = take_from(store, aside, source, ret_rows, why);
		}
		free(aside);
	}
	return result;
}
