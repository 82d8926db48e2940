/* SPDX-License-Identifier: MIT
 *
 * tree.c - the tree of a system as lines of text, in order.
 *
 *	rows, one for each slot: uid, parent, born     read in one go, as they are
 *	order: slots by birth                          heap sort: no recursion, no memory
 *	first, next: from the youngest to the oldest, each is put in front of its siblings
 *
 * The picture is of moving things. A parent may have ended before or after its child was read: the
 * child then stands at the margin. Parents are born before their children, and uids are never used
 * twice, so there is no cycle.
 *
 * Threads: all functions but destroy may run at the same time.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/foreign_call.h"
#include "base/text.h"
#include "cell/path.h"
#include "cell/self.h"
#include "cell/shown_life.h"
#include "cell/table.h"
#include "cell/visit.h"
#include "common/uncancelled.h"
#include "outside/inspect.h"

enum { INDENTED_MAX = 32 };
#define NONE UINT32_MAX

struct row {
	uint64_t uid; /* 0: no actor */
	uint64_t parent;
	uint64_t born;
	uint32_t up, first, next;
};

struct picture {
	ward_system *system;
	struct row *rows; /* by slot */
	uint32_t slots;
	uint32_t *order; /* of slots with an actor, by birth */
	uint32_t count;
	uint32_t top; /* the first at the margin */
	char line[1024];
	size_t length;
};

/* ---- taking it --------------------------------------------------------------------------- */

static void read_row(ward_system *system, uint32_t slot, struct row *row)
{
	uint32_t visit = wardi_visit(system, NULL);
	struct wardi_cell *cell = wardi_table_cell(system, slot);
	struct wardi_shown_life life = {0};

	if (!wardi_life_look(cell, &life))
		life.uid = 0;
	wardi_visited(system, NULL, visit);
	row->uid = life.uid;
	row->parent = life.parent_uid;
	row->born = life.born;
	row->up = row->first = row->next = NONE;
}

static void sift_down(const struct picture *it, uint32_t at, uint32_t count)
{
	uint32_t *order = it->order;

	for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
		uint32_t moved = order[at];

		if (child + 1 < count &&
		    it->rows[order[child + 1]].born > it->rows[order[child]].born)
			child++;
		if (it->rows[moved].born >= it->rows[order[child]].born)
			return;
		order[at] = order[child];
		order[child] = moved;
	}
}

static void sort(const struct picture *it)
{
	for (uint32_t at = it->count / 2; at-- > 0;)
		sift_down(it, at, it->count);
	for (uint32_t last = it->count; last-- > 1;) {
		uint32_t oldest = it->order[0];

		it->order[0] = it->order[last];
		it->order[last] = oldest;
		sift_down(it, 0, last);
	}
}

/* Returns where the first child of a row's parent is kept. */
static uint32_t *siblings_of(struct picture *it, struct row *row)
{
	uint32_t slot = wardi_uid_slot(row->parent);

	if (row->parent == 0 || slot >= it->slots || it->rows[slot].uid != row->parent)
		return &it->top;
	row->up = slot;
	return &it->rows[slot].first;
}

static void take(struct picture *it)
{
	for (uint32_t slot = 0; slot < it->slots; slot++) {
		read_row(it->system, slot, &it->rows[slot]);
		if (it->rows[slot].uid != 0)
			it->order[it->count++] = slot;
	}
	sort(it);
	for (uint32_t i = it->count; i-- > 0;) {
		struct row *row = &it->rows[it->order[i]];
		uint32_t *first = siblings_of(it, row);

		row->next = *first;
		*first = it->order[i];
	}
}

/* ---- a line ------------------------------------------------------------------------------ */

__attribute__((format(printf, 2, 3))) static void add(struct picture *it, const char *format, ...)
{
	size_t left = sizeof it->line - it->length;
	va_list args;

	va_start(args, format);
	ward_text_vformat(it->line + it->length, left, format, args);
	va_end(args);
	it->length += strlen(it->line + it->length);
}

static void describe(struct picture *it, const ward_actor_info *info)
{
	add(it, " %s", info->state);
	if (info->status[0] != '\0')
		add(it, ": %s", info->status);
	if (info->suspended > 0)
		add(it, ", suspended %" PRIu32, info->suspended);
	if (info->incarnation > 1)
		add(it, ", incarnation %" PRIu32, info->incarnation);
	if (info->restarts > 0)
		add(it, ", %" PRIu32 " %s", info->restarts,
		    info->restarts == 1 ? "restart" : "restarts");
	if (!ward_ref_is_nobody(info->held_by)) {
		char path[WARD_EVENT_PATH];

		wardi_path_tail(it->system, info->held_by, path, sizeof path);
		add(it, ", held by %s", path);
	}
	if (info->closed)
		add(it, ", mailbox closed");
	if (info->mailbox > 0)
		add(it, ", %" PRId64 " of mail", info->mailbox);
	else if (info->has_mail)
		add(it, ", has mail");
	if (info->message[0] != '\0')
		add(it, ", handles %s for %" PRId64 " ms", info->message, info->message_ms);
	if (info->last_failure[0] != '\0')
		add(it, "; last failure: %s", info->last_failure);
}

static void write_line(struct picture *it, uint32_t slot, int depth)
{
	const struct row *row = &it->rows[slot];
	ward_actor_info info;

	it->length = 0;
	add(it, "%*s", 2 * (depth < INDENTED_MAX ? depth : INDENTED_MAX), "");
	if (!wardi_inspect(it->system, slot, &info) || info.ref.uid != row->uid) {
		add(it, "?#%" PRIx64 " gone", row->uid);
		return;
	}
	if (depth == 0)
		wardi_path_tail(it->system, info.ref, info.path, sizeof info.path);
	else /* the path is what stands above it */
		wardi_path_last(it->system, info.ref, info.path, sizeof info.path);
	add(it, "%s", info.path);
	describe(it, &info);
}

/* Returns the next slot in order, and its depth; NONE: that was the last. */
static uint32_t after(const struct picture *it, uint32_t slot, int *depth)
{
	if (it->rows[slot].first != NONE) {
		++*depth;
		return it->rows[slot].first;
	}
	while (slot != NONE && it->rows[slot].next == NONE) {
		slot = it->rows[slot].up;
		--*depth;
	}
	return slot == NONE ? NONE : it->rows[slot].next;
}

ward_err ward_system_tree(ward_system *system, void (*line)(void *arg, const char *text), void *arg)
{
	WARDI_UNCANCELLED;
	struct picture it = {.system = system, .top = NONE};
	int depth = 0;
	size_t size;

	if (system == NULL || line == NULL)
		return wardi_error(WARD_EINVAL, "ward_system_tree: no %s",
				   system == NULL ? "system" : "function for the lines");
	if (!wardi_system_here(system))
		return wardi_error(WARD_EFORKED, "the system lives in the parent of this process");
	it.slots = atomic_load_explicit(&system->table.published, memory_order_acquire);
	size = it.slots * (sizeof *it.rows + sizeof *it.order);
	it.rows = wardi_alloc(&system->alloc, size);
	if (it.rows == NULL)
		return wardi_no_memory(system, "ward_system_tree: no memory for %u actors",
				       it.slots);
	it.order = (uint32_t *)(void *)(it.rows + it.slots);
	take(&it);
	for (uint32_t slot = it.top; slot != NONE; slot = after(&it, slot, &depth)) {
		write_line(&it, slot, depth);
		wardi_foreign_call_begin();
		line(arg, it.line);
		wardi_foreign_call_end();
	}
	wardi_free(&system->alloc, it.rows, size);
	return WARD_OK;
}
