/* SPDX-License-Identifier: MIT
 *
 * slots.c - the table of cells: type-stable memory, found by slot number.
 *
 *	chunks[slot / 1024] -> { cell *, cell *, ... }
 *
 * A cell is made at the first use of its slot and stays until the system is destroyed; so a stale
 * ref leads to a cell, never to freed memory, and the generation tells that its life is over.
 * Freed cells are used again first in, first out: a stale ref meets a new life as late as possible.
 *
 * Pairs  [S1] publish of a chunk and of `published`: release - acquire
 *        [S2] open_gen: release at the opening (spawn.c) - acquire here
 */
#include "core/self.h"

#include "base/assert.h"
#include "base/error.h"
#include "core/ask.h"
#include "core/box.h"

typedef _Atomic(struct wardi_cell **) chunk_word;

enum { REUSE_TRIES = 4 };

ward_err wardi_slots_init(ward_system *system, uint32_t max)
{
	struct wardi_slots *slots = &system->slots;

	slots->max = max;
	slots->chunks_max = (max + WARDI_CHUNK - 1) / WARDI_CHUNK;
	slots->chunks = wardi_alloc_zeroed(&system->alloc, slots->chunks_max * sizeof(chunk_word));
	if (slots->chunks == NULL)
		return wardi_error(WARD_ENOMEM, "no memory for the table of %u actors", max);
	pthread_mutex_init(&slots->mu, NULL);
	pthread_mutex_init(&system->boxes_mu, NULL);
	return WARD_OK;
}

static void free_boxes(ward_system *system)
{
	struct wardi_box *box = system->boxes_all;

	while (box != NULL) {
		struct wardi_box *next = box->all;

		/* Relaxed: all threads have ended. */
		wardi_assert(atomic_load_explicit(&box->owner, memory_order_relaxed) == 0);
		pthread_mutex_destroy(&box->mu);
		wardi_free(&system->alloc, box, sizeof *box);
		box = next;
	}
	pthread_mutex_destroy(&system->boxes_mu);
}

/* What came too late for the last life of a cell lies in its lane still. */
static void free_cell(ward_system *system, struct wardi_cell *cell)
{
	struct wardi_source from = wardi_outside_source(system);
	struct ward_msg *msg;

	while (wardi_mailbox_pop(&cell->mailbox, from, &msg) == WARDI_POP_MESSAGE) {
		if (wardi_msg_type(msg) == &wardi_type_answer)
			wardi_msg_destroy(from, wardi_answer_unwrap(msg));
		wardi_msg_drop(from, msg);
		wardi_msg_free_body(from, msg);
	}
	wardi_msg_free(from, atomic_load_explicit(&cell->mailbox.tail, memory_order_relaxed));
	wardi_cause_unref(cell->last_failure); /* the root has no parent that does it */
	wardi_free(&system->alloc, cell, sizeof *cell);
}

void wardi_slots_finish(ward_system *system)
{
	struct wardi_slots *slots = &system->slots;

	if (slots->chunks == NULL)
		return;
	for (uint32_t slot = 0; slot < slots->used; slot++)
		free_cell(system, wardi_slot_cell(system, slot));
	for (uint32_t i = 0; i < slots->chunks_max; i++)
		wardi_free(&system->alloc,
			   atomic_load_explicit(&slots->chunks[i], memory_order_relaxed),
			   WARDI_CHUNK * sizeof(struct wardi_cell *));
	wardi_free(&system->alloc, slots->chunks, slots->chunks_max * sizeof(chunk_word));
	pthread_mutex_destroy(&slots->mu);
	free_boxes(system);
}

static struct wardi_cell *make_cell(ward_system *system, struct wardi_source from, uint32_t slot)
{
	struct wardi_cell *cell = wardi_alloc_zeroed(&system->alloc, sizeof *cell);
	struct ward_msg *stub;

	if (cell == NULL)
		return NULL;
	stub = wardi_block_get(from.pool, from.cache, WARDI_BLOCK_48);
	if (stub == NULL) {
		wardi_free(&system->alloc, cell, sizeof *cell);
		return NULL;
	}
	stub->type = 0;
	wardi_mailbox_init(&cell->mailbox, stub);
	cell->slot = slot;
	cell->system = system;
	cell->command_node.kind = WARDI_SYS_COMMAND;
	cell->stop_node.kind = WARDI_SYS_STOP;
	cell->failed_node.kind = WARDI_SYS_FAILED;
	cell->gone_node.kind = WARDI_SYS_GONE;
	return cell;
}

/* Under slots->mu. */
static struct wardi_cell *add_cell(ward_system *system, struct wardi_source from, ward_err *ret_err)
{
	struct wardi_slots *slots = &system->slots;
	uint32_t slot = slots->used;
	chunk_word *word = &slots->chunks[slot >> WARDI_CHUNK_BITS];
	struct wardi_cell **chunk = atomic_load_explicit(word, memory_order_relaxed);
	struct wardi_cell *cell;

	if (chunk == NULL) {
		chunk = wardi_alloc_zeroed(&system->alloc, WARDI_CHUNK * sizeof *chunk);
		if (chunk == NULL) {
			*ret_err = wardi_error(WARD_ENOMEM, "no memory for another actor");
			return NULL;
		}
		atomic_store_explicit(word, chunk, memory_order_release); /* [S1] */
	}
	cell = make_cell(system, from, slot);
	if (cell == NULL) {
		*ret_err = wardi_error(WARD_ENOMEM, "no memory for another actor");
		return NULL;
	}
	chunk[slot & (WARDI_CHUNK - 1)] = cell;
	slots->used++;
	atomic_store_explicit(&slots->published, slots->used, memory_order_release); /* [S1] */
	return cell;
}

/* Under slots->mu. */
static void append_free(struct wardi_slots *slots, struct wardi_cell *cell)
{
	cell->next_free = NULL;
	if (slots->free_last == NULL)
		slots->free_first = cell;
	else
		slots->free_last->next_free = cell;
	slots->free_last = cell;
}

/* A free cell, taken by its scheduling bit. NULL: there is none, or a worker is busy just now with
 * late mail in those that were tried. Under slots->mu. */
static struct wardi_cell *reuse_cell(struct wardi_slots *slots)
{
	for (int tries = 0; tries < REUSE_TRIES && slots->free_first != NULL; tries++) {
		struct wardi_cell *cell = slots->free_first;

		slots->free_first = cell->next_free;
		if (slots->free_first == NULL)
			slots->free_last = NULL;
		if (wardi_mailbox_wake(&cell->mailbox)) {
			cell->next_free = NULL;
			return cell;
		}
		append_free(slots, cell);
	}
	return NULL;
}

struct wardi_cell *wardi_slot_take(ward_system *system, struct wardi_source from, ward_err *ret_err)
{
	struct wardi_slots *slots = &system->slots;
	struct wardi_cell *cell;

	pthread_mutex_lock(&slots->mu);
	cell = reuse_cell(slots);
	if (cell == NULL && slots->used < slots->max)
		cell = add_cell(system, from, ret_err);
	else if (cell == NULL)
		*ret_err = wardi_error(WARD_ELIMIT,
				       "all %u actors that options.actors_max allows are alive, "
				       "guardians included: raise it, or stop some first",
				       slots->max);
	pthread_mutex_unlock(&slots->mu);
	return cell;
}

void wardi_slot_give(ward_system *system, struct wardi_cell *cell)
{
	struct wardi_slots *slots = &system->slots;

	/* The generations of this slot are used up: it retires, so that no uid comes twice. */
	if (cell->last_gen == UINT32_MAX)
		return;
	pthread_mutex_lock(&slots->mu);
	append_free(slots, cell);
	pthread_mutex_unlock(&slots->mu);
}

struct wardi_cell *wardi_slot_cell(const ward_system *system, uint32_t slot)
{
	const struct wardi_slots *slots = &system->slots;
	struct wardi_cell **chunk;

	if (slot >= atomic_load_explicit(&slots->published, memory_order_acquire)) /* [S1] */
		return NULL;
	chunk = atomic_load_explicit(&slots->chunks[slot >> WARDI_CHUNK_BITS],
				     memory_order_acquire); /* [S1] */
	return chunk[slot & (WARDI_CHUNK - 1)];
}

struct wardi_cell *wardi_slot_open(const ward_system *system, uint64_t uid)
{
	struct wardi_cell *cell = wardi_slot_cell(system, wardi_uid_slot(uid));

	if (cell == NULL || wardi_uid_gen(uid) == 0)
		return NULL;
	if (atomic_load_explicit(&cell->open_gen, memory_order_acquire) != /* [S2] */
	    wardi_uid_gen(uid))
		return NULL;
	return cell;
}

struct wardi_box *wardi_box_take(ward_system *system)
{
	struct wardi_box *box;

	pthread_mutex_lock(&system->boxes_mu);
	box = system->boxes_free;
	if (box != NULL) {
		system->boxes_free = box->next;
	} else {
		box = wardi_alloc_zeroed(&system->alloc, sizeof *box);
		if (box != NULL) {
			pthread_mutex_init(&box->mu, NULL);
			wardi_list_init(&box->held);
			box->all = system->boxes_all;
			system->boxes_all = box;
		}
	}
	pthread_mutex_unlock(&system->boxes_mu);
	return box;
}

void wardi_box_give(ward_system *system, struct wardi_box *box)
{
	pthread_mutex_lock(&system->boxes_mu);
	box->next = system->boxes_free;
	system->boxes_free = box;
	pthread_mutex_unlock(&system->boxes_mu);
}
