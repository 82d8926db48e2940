/* SPDX-License-Identifier: MIT
 *
 * tree_text.c - the tree of a system as text: the state of each actor, and what it waits for.
 *
 *	--- 5 actors at 3.200 s, 1 timers, 0 descriptors, seed 7
 *	sim/ running
 *	  system running
 *	  user running
 *	    database running: down, starts again in 2.3 s
 *	    bank stopping; waits for 1 child: teller
 *	      teller stopping, handles count for 12 ms
 *	a thread outside waits for its end: sim/user/bank, for 12 ms
 *
 * The tree may change while it is read; the watchdog also reads it while a case hangs, so it waits
 * for no actor. In a big tree, actors with nothing to report are left out.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ward/text.h>

#include "testkit/kit/kit.h"

enum {
	ROWS_MAX = 4096,
	PLAIN_MAX = 1024, /* rows of actors that only wait for mail */
	NAMES_MAX = 5,
	DEPTH_MAX = 32 /* deepest indentation */
};

struct picture {
	int fd;
	ward_actor_info *rows; /* sorted by parent, then by path */
	size_t count;
	size_t plain;
	size_t total;
	char line[1024]; /* the current line */
	size_t length;
};

/* ---- taking the picture ------------------------------------------------------------------ */

static bool is_plain(const ward_actor_info *info)
{
	return strcmp(info->state, "running") == 0 && info->suspended == 0 && !info->ready &&
	       !info->has_mail && info->status[0] == '\0';
}

static void take_row(void *arg, const ward_actor_info *info)
{
	struct picture *picture = arg;

	picture->total++;
	if (picture->count == ROWS_MAX)
		return;
	if (is_plain(info) && picture->plain++ >= PLAIN_MAX)
		return;
	picture->rows[picture->count++] = *info;
}

static int by_parent(const void *left, const void *right)
{
	const ward_actor_info *a = left, *b = right;

	if (a->parent.uid != b->parent.uid)
		return a->parent.uid < b->parent.uid ? -1 : 1;
	return strcmp(a->path, b->path);
}

/* Returns the index of the parent's first child, or where it would be. */
static size_t first_child(const struct picture *picture, ward_ref parent)
{
	size_t low = 0, high = picture->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (picture->rows[middle].parent.uid < parent.uid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_child(const struct picture *picture, size_t index, ward_ref parent)
{
	return index < picture->count && ward_ref_equal(picture->rows[index].parent, parent);
}

static const ward_actor_info *find(const struct picture *picture, ward_ref who)
{
	for (size_t i = 0; i < picture->count; i++) {
		if (ward_ref_equal(picture->rows[i].ref, who))
			return &picture->rows[i];
	}
	return NULL;
}

static const char *name_of(const ward_actor_info *row)
{
	const char *slash = strrchr(row->path, '/');

	return slash != NULL ? slash + 1 : row->path;
}

/* ---- a line ------------------------------------------------------------------------------ */

__attribute__((format(printf, 2, 3))) static void add(struct picture *picture, const char *format,
						      ...)
{
	size_t left = sizeof picture->line - picture->length;
	va_list args;

	va_start(args, format);
	ward_text_vformat(picture->line + picture->length, left, format, args);
	va_end(args);
	picture->length += strlen(picture->line + picture->length);
}

static void end_line(struct picture *picture)
{
	dprintf(picture->fd, "%s\n", picture->line);
	picture->line[0] = '\0';
	picture->length = 0;
}

static void wait_for_decision(struct picture *picture, const ward_actor_info *row)
{
	const ward_actor_info *parent = find(picture, row->parent);

	if (parent == NULL || parent->suspended == 0)
		add(picture, "; waits for its parent's decision");
	else
		add(picture, "; waits for its parent, which is suspended itself");
}

/* Whether a stopping or restarting parent may be waiting for this child. The picture does not show
 * an unhandled order to stop, but an actor that has one is ready. */
static bool is_ending(const ward_actor_info *row)
{
	return row->ready || strncmp(row->state, "stop", 4) == 0;
}

static void wait_for_children(struct picture *picture, const ward_actor_info *row)
{
	size_t first = first_child(picture, row->ref), count = 0, named = 0;

	for (size_t i = first; is_child(picture, i, row->ref); i++)
		count += is_ending(&picture->rows[i]);
	if (count == 0) {
		add(picture, "%s", row->ready ? "" : "; waits for a child");
		return;
	}
	add(picture, "; waits for %zu %s", count, count == 1 ? "child" : "children");
	for (size_t i = first; is_child(picture, i, row->ref) && named < NAMES_MAX; i++) {
		if (is_ending(&picture->rows[i]))
			add(picture, "%s%s", named++ == 0 ? ": " : ", ",
			    name_of(&picture->rows[i]));
	}
	if (count > named)
		add(picture, ", ...");
}

static void wait_for_parent(struct picture *picture, const ward_actor_info *row)
{
	(void)row;
	add(picture, "; waits for its parent to take note");
}

/* Suspended by a failure above: names the actor that failed. */
static void wait_for_resume(struct picture *picture, const ward_actor_info *row)
{
	const ward_actor_info *above = row;

	if (row->suspended == 0)
		return;
	do
		above = find(picture, above->parent);
	while (above != NULL && strstr(above->state, "failed") == NULL);
	if (above != NULL)
		add(picture, "; waits for what is decided about %s", above->path);
	else
		add(picture, "; waits for its parent to let it go on");
}

/* What an actor in a state waits for. */
static const struct {
	const char *state;
	void (*explain)(struct picture *picture, const ward_actor_info *row);
} waits[] = {
	{"running", wait_for_resume},        {"failed", wait_for_decision},
	{"start-failed", wait_for_decision}, {"restart-failed", wait_for_decision},
	{"retrying", wait_for_children},     {"restarting", wait_for_children},
	{"stopping", wait_for_children},     {"stopped", wait_for_parent},
};

static void describe(struct picture *picture, const ward_actor_info *row)
{
	add(picture, " %s", row->state);
	if (row->status[0] != '\0')
		add(picture, ": %s", row->status);
	if (row->suspended > 0)
		add(picture, ", suspended %" PRIu32, row->suspended);
	if (row->incarnation > 1)
		add(picture, ", incarnation %" PRIu32, row->incarnation);
	if (row->mailbox > 0)
		add(picture, ", %" PRId64 " messages unread", row->mailbox);
	else if (row->has_mail)
		add(picture, ", unread mail");
	if (row->dropped > 0)
		add(picture, ", %" PRIu64 " dropped", row->dropped);
	if (row->message[0] != '\0')
		add(picture, ", handles %s for %" PRId64 " ms", row->message, row->message_ms);
	else if (row->ready)
		add(picture, ", ready");
	if (row->last_failure[0] != '\0')
		add(picture, "; last failure: %s", row->last_failure);
	for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++) {
		if (strcmp(waits[i].state, row->state) == 0)
			waits[i].explain(picture, row);
	}
	end_line(picture);
}

/* ---- the whole tree ---------------------------------------------------------------------- */

static void print_below(struct picture *picture, ward_ref parent, int depth)
{
	for (size_t i = first_child(picture, parent); is_child(picture, i, parent); i++) {
		const ward_actor_info *row = &picture->rows[i];

		add(picture, "%*s%s", 2 * (depth < DEPTH_MAX ? depth : DEPTH_MAX), "",
		    name_of(row));
		describe(picture, row);
		print_below(picture, row->ref, depth + 1);
	}
}

/* Prints the trees of the root and of actors whose parent is not in the picture. */
static void print_rows(struct picture *picture)
{
	for (size_t i = 0; i < picture->count; i++) {
		const ward_actor_info *row = &picture->rows[i];

		if (find(picture, row->parent) != NULL)
			continue;
		add(picture, "%s", row->path);
		describe(picture, row);
		print_below(picture, row->ref, 1);
	}
	if (picture->total > picture->count) {
		add(picture, "and %zu more", picture->total - picture->count);
		end_line(picture);
	}
}

/* Prints what a thread outside, which is no actor, waits for. */
static void print_wait(void *arg, const ward_wait_info *info)
{
	const struct picture *picture = arg;

	dprintf(picture->fd, "a thread outside waits for %s: %s, for %" PRId64 " ms\n", info->what,
		info->path, info->waited_ms);
}

void ward_kit_print_tree(const ward_kit *kit, int fd)
{
	struct picture picture = {.fd = fd};
	int64_t now_ms = ward_kit_now_ns(kit) / WARD_NS_PER_MS;
	ward_stats stats;

	picture.rows = malloc(ROWS_MAX * sizeof *picture.rows);
	if (picture.rows == NULL) {
		dprintf(fd, "no memory for a tree\n");
		return;
	}
	ward_system_stats(kit->system, &stats);
	ward_system_actors(kit->system, take_row, &picture);
	qsort(picture.rows, picture.count, sizeof *picture.rows, by_parent);
	dprintf(fd,
		"--- %zu actors at %" PRId64 ".%03" PRId64 " s, %" PRIu64 " timers, %" PRIu64
		" descriptors, seed %" PRIu64 "\n",
		picture.total, now_ms / 1000, now_ms % 1000, stats.timers, stats.fds, kit->seed);
	print_rows(&picture);
	ward_system_waits(kit->system, print_wait, &picture);
	free(picture.rows);
}
