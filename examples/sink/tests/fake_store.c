/* SPDX-License-Identifier: MIT
 *
 * fake_store.c - connections, transactions, files of the fake database; see fake_store.h.
 *
 * A file is its committed rows; a transaction is a list of puts that a commit makes. Harm to rows
 * is found out by a check for certain, by a put perhaps: as with pages of a real file, of which
 * only those are looked at that are needed.
 */
#include "fake_store.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <ward/testkit.h>

#include "fake_inside.h"

enum {
	VANISH_MAX = 20,   /* rows at once */
	SQUEEZED_PUTS = 4, /* find room still, at most */
	NOTICED_ONE_IN = 8 /* puts into a harmed file tell */
};

struct fake_disk fake_disk;

/* ---- the disk ---------------------------------------------------------------------------- */

void fake_store_begin(void)
{
	fake_disk = (struct fake_disk){.count = 1};
}

void fake_store_end(void)
{
	for (int i = 0; i < fake_disk.count; i++)
		fake_rows_finish(&fake_disk.files[i].rows);
	fake_disk.count = 0;
}

uint64_t fake_store_losses(void)
{
	return fake_disk.losses;
}

int fake_store_asides(void)
{
	return fake_disk.count - 1;
}

bool fake_store_is_rotten(void)
{
	return fake_disk.files[0].rotten;
}

bool fake_store_is_open(void)
{
	return fake_disk.connections > 0;
}

int64_t fake_store_end_of(uint32_t source)
{
	const struct fake_rows *rows = &fake_disk.files[0].rows;
	int64_t end = 0;
	for (size_t i = 0; i < rows->count; i++) {
		const struct fake_row *row = &rows->all[i];
		if (row->row.source == source && row->row.offset == end && !row->harmed)
			end += row->row.span;
	}
	return end;
}

bool fake_store_has_overlap(void)
{
	const struct fake_rows *rows = &fake_disk.files[0].rows;
	for (size_t i = 1; i < rows->count; i++) {
		const struct store_row *before = &rows->all[i - 1].row, *row = &rows->all[i].row;
		if (before->source == row->source && before->offset + before->span > row->offset)
			return true;
	}
	return false;
}

/* ---- harm -------------------------------------------------------------------------------- */

static bool is_gone(uint32_t source)
{
	for (size_t i = 0; i < world.sources->count; i++)
		if (world.sources->all[i].id == source)
			return world.sources->all[i].fd < 0;
	return false;
}

void fake_store_rot(void)
{
	struct fake_rows *rows = &fake_disk.files[0].rows;
	for (size_t i = 0; i < rows->count; i++)
		if (dice_roll(&world.dice, 4) == 0 && !is_gone(rows->all[i].row.source))
			rows->all[i].harmed = true;
	fake_disk.files[0].rotten = true;
	fake_disk.losses++;
}

/* The end of the log is gone, and with it what was committed last. */
void fake_store_vanish(void)
{
	struct fake_rows *rows = &fake_disk.files[0].rows;
	uint64_t left = dice_roll(&world.dice, VANISH_MAX);
	for (size_t at = rows->count; at-- > 0 && left > 0;) {
		if (is_gone(rows->all[at].row.source))
			continue;
		fake_rows_drop(rows, at);
		left--;
	}
	fake_disk.losses++;
}

void fake_store_lock(int64_t ms)
{
	fake_disk.locked_until = world_now() + ms;
}

static bool lasts(int64_t until)
{
	return !world.calm && world_now() < until;
}

enum store_result fake_tell(enum store_result result, const char *text, struct why *why)
{
	why_not(why, "%s", text);
	return result;
}

/* Lets happen what the plan has for this call. STORE_OK: nothing, or nothing that shows at once. */
enum store_result fake_strike(enum spot place, struct why *why)
{
	const struct hit *hit = world_strike(place);
	switch (hit ? hit->harm : HARM_NONE) {
	case HARM_LOCK:
	case HARM_LONG_LOCK:
		fake_store_lock(hit->ms);
		return fake_tell(STORE_LOCKED, "somebody took the lock", why);
	case HARM_WOUND:
		fake_store_rot();
		return fake_tell(STORE_DAMAGED, "some bytes are not what they were", why);
	case HARM_ROT:
		fake_store_rot();
		return STORE_OK;
	case HARM_VANISH:
		fake_store_vanish();
		return STORE_OK;
	case HARM_DISPLACE:
		fake_disk.away_until = world_now() + hit->ms;
		return fake_tell(STORE_DISPLACED, "it is somewhere else", why);
	case HARM_FULL:
		fake_disk.full_until = world_now() + hit->ms;
		return fake_tell(STORE_FULL, "the disk is full", why);
	case HARM_FAIL:
		return fake_tell(STORE_FAILED, "input/output error", why);
	default:
		return STORE_OK;
	}
}

/* Whether the folder is one, which chaos makes of it a file for a while. */
static bool has_folder(const char *path)
{
	char *copy = strdup(path);
	struct stat status;
	bool there = copy && stat(dirname(copy), &status) == 0 && S_ISDIR(status.st_mode);
	free(copy);
	return there;
}

static char path_of_disk[4096];

/* What a call meets of harm that goes on. */
static enum store_result weather(bool writes, struct why *why)
{
	if (lasts(fake_disk.away_until) || !has_folder(path_of_disk))
		return fake_tell(STORE_DISPLACED, "it is still somewhere else", why);
	if (writes && lasts(fake_disk.full_until))
		return fake_tell(STORE_FULL, "the disk is still full", why);
	return STORE_OK;
}

/* ---- connections ------------------------------------------------------------------------- */

struct store *fake_connect(struct fake_file *file)
{
	struct store *store = calloc(1, sizeof(*store));
	ward_assert(store != NULL);
	store->file = file;
	fake_disk.connections++;
	return store;
}

enum store_result store_open(const char *path, struct store **ret_store, struct why *why)
{
	ward_assert_eq(fake_disk.connections, 0); /* of writers there is one at a time */
	snprintf(path_of_disk, sizeof(path_of_disk), "%s", path);
	enum store_result result = fake_strike(AT_OPEN, why);
	if (result == STORE_OK)
		result = weather(true, why);
	if (result == STORE_OK && lasts(fake_disk.locked_until))
		result = fake_tell(STORE_LOCKED, "the lock is held", why);
	if (result == STORE_OK)
		*ret_store = fake_connect(&fake_disk.files[0]);
	return result;
}

void store_close(struct store *store)
{
	if (!store)
		return;
	fake_rows_finish(&store->pending);
	fake_disk.connections--;
	free(store);
}

/* Any write needs the lock, unless we hold it already. */
static enum store_result begin(struct store *store, struct why *why)
{
	enum store_result result = weather(true, why);
	if (result == STORE_OK && !store->in_transaction && lasts(fake_disk.locked_until))
		result = fake_tell(STORE_LOCKED, "the lock is held", why);
	if (result == STORE_OK && store->file->rotten &&
	    dice_roll(&world.dice, NOTICED_ONE_IN) == 0)
		result = fake_tell(STORE_DAMAGED, "a page is not what was written", why);
	if (result == STORE_OK)
		store->in_transaction = true;
	return result;
}

enum store_result store_put(struct store *store, const struct store_row *row, struct why *why)
{
	enum store_result result = fake_strike(AT_PUT, why);
	if (result == STORE_OK)
		result = begin(store, why);
	if (result == STORE_OK && store->squeezed && store->puts_left-- == 0) {
		store->puts_left = 0;
		result = fake_tell(STORE_FULL, "it may not grow", why);
	}
	if (result == STORE_OK)
		fake_rows_append(&store->pending, row);
	return result;
}

static void apply(struct store *store)
{
	for (size_t i = 0; i < store->pending.count; i++)
		fake_rows_put(&store->file->rows, &store->pending.all[i].row);
	store_rollback(store);
}

enum store_result store_commit(struct store *store, struct why *why)
{
	if (!store->in_transaction)
		return STORE_OK;
	enum store_result result = fake_strike(AT_COMMIT, why);
	if (result == STORE_OK)
		result = weather(true, why);
	/* After some errors nobody knows whether it was done; a file that is away may have it. */
	if (result == STORE_OK || ((result == STORE_DISPLACED || result == STORE_FAILED) &&
				   dice_roll(&world.dice, 2) == 0))
		apply(store);
	return result;
}

void store_rollback(struct store *store)
{
	fake_rows_cut(&store->pending, 0);
	store->in_transaction = false;
}

enum store_result store_name_source(struct store *store, uint32_t id, const char *name,
				    struct why *why)
{
	ward_assert(id > 0 && name != NULL);
	enum store_result result = fake_strike(AT_NAME, why);
	return result == STORE_OK ? begin(store, why) : result;
}

enum store_result store_squeeze(struct store *store, struct why *why)
{
	enum store_result result = fake_strike(AT_SQUEEZE, why);
	if (result != STORE_OK)
		return result;
	store->squeezed = true;
	store->puts_left = dice_roll(&world.dice, SQUEEZED_PUTS + 1);
	return STORE_OK;
}

enum store_result store_relax(struct store *store, struct why *why)
{
	enum store_result result = fake_strike(AT_RELAX, why);
	if (result == STORE_OK)
		store->squeezed = false;
	return result;
}
