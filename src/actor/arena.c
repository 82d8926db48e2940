/* SPDX-License-Identifier: MIT
 *
 * arena.c - the memory of an incarnation, released as a whole; and the memory of one callback.
 *
 * Chunks double from 128 bytes to 64 KiB; a piece larger than a quarter of that has a chunk of its
 * own. With separate allocations each piece is a chunk of its own, so that a tool sees each one.
 *
 * Threads: runs only on the holder's worker.
 */
#include "actor/arena.h"

#include <string.h>

#include <ward/extend.h>

#include "actor/defer.h"
#include "actor/hardware_fault.h"
#include "actor/rare.h"
#include "base/error.h"
#include "send/dead_letter.h"
#include "send/tell.h"

enum { CHUNK_MIN = 128, CHUNK_MAX = 64 * 1024, LARGE = CHUNK_MAX / 4, ALIGN = 16 };

struct wardi_chunk {
	struct wardi_chunk *next;
	size_t size; /* of the allocation */
	size_t used; /* of it, this header included */
	_Alignas(16) unsigned char bytes[];
};

/* Puts a new chunk in front, or at another place in the list. */
static struct wardi_chunk *add_chunk(struct wardi_alloc *alloc, struct wardi_chunk **at,
				     size_t size)
{
	struct wardi_chunk *chunk = wardi_alloc(alloc, size);

	if (chunk == NULL)
		return NULL;
	chunk->size = size;
	chunk->used = sizeof *chunk;
	chunk->next = *at;
	*at = chunk;
	return chunk;
}

static size_t next_size(const struct wardi_chunk *newest)
{
	size_t size = newest == NULL ? CHUNK_MIN : newest->size * 2;

	return size < CHUNK_MAX ? size : CHUNK_MAX;
}

void *wardi_chunk_alloc(struct wardi_alloc *alloc, struct wardi_chunk **chunks, size_t size)
{
	struct wardi_chunk *chunk = *chunks;
	void *piece;

	if (size > SIZE_MAX / 2)
		return NULL;
	size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if (alloc->separate || size > LARGE) {
		/* Behind the newest, which small pieces go on to fill. */
		chunk = add_chunk(alloc, chunk == NULL ? chunks : &chunk->next,
				  sizeof *chunk + size);
	} else if (chunk == NULL || chunk->size - chunk->used < size) {
		size_t wanted = next_size(chunk);

		while (wanted < sizeof *chunk + size)
			wanted *= 2;
		chunk = add_chunk(alloc, chunks, wanted);
	}
	if (chunk == NULL)
		return NULL;
	piece = (unsigned char *)chunk + chunk->used;
	chunk->used += size;
	memset(piece, 0, size);
	return piece;
}

void wardi_chunk_free_all(struct wardi_alloc *alloc, struct wardi_chunk **chunks)
{
	while (*chunks != NULL) {
		struct wardi_chunk *chunk = *chunks;

		*chunks = chunk->next;
		wardi_free(alloc, chunk, chunk->size);
	}
}

void wardi_chunk_reset(struct wardi_alloc *alloc, struct wardi_chunk **chunks)
{
	struct wardi_chunk *kept = *chunks;

	if (alloc->separate || kept->size > CHUNK_MAX) {
		wardi_chunk_free_all(alloc, chunks);
		return;
	}
	wardi_chunk_free_all(alloc, &kept->next);
	kept->used = sizeof *kept;
}

struct wardi_arena *wardi_arena_of(struct ward_self *self)
{
	struct wardi_cell *cell = self->cell;

	if (cell->rare->arena == NULL) {
		struct wardi_rare *rare = wardi_rare_of(self);

		if (rare != NULL)
			rare->arena = wardi_alloc_zeroed(&self->system->alloc, sizeof *rare->arena);
		if (cell->rare->arena != NULL)
			wardi_list_init(&cell->rare->arena->bodies);
	}
	return cell->rare->arena;
}

static void drop_bodies(struct ward_self *self, struct wardi_arena *arena)
{
	while (!wardi_list_empty(&arena->bodies)) {
		struct wardi_body *body =
			wardi_container_of(arena->bodies.next, struct wardi_body, link);

		wardi_list_remove(&body->link);
		wardi_body_destroy(self->from, body);
	}
}

void wardi_arena_release(struct ward_self *self, struct wardi_cell *cell)
{
	struct wardi_arena *arena = cell->rare->arena;

	if (arena == NULL)
		return;
	if (cell->faulted) {
		wardi_hardware_fault_quarantine(self, arena);
		cell->rare->arena = NULL;
		return;
	}
	wardi_defers_run(self, arena);
	drop_bodies(self, arena);
	wardi_chunk_free_all(&self->system->alloc, &arena->chunks);
	wardi_free(&self->system->alloc, arena, sizeof *arena);
	cell->rare->arena = NULL;
}

/* ---- memory, for the user ---------------------------------------------------------------- */

/* Counts the piece. NULL: no memory; notes that for the caller. */
static void *counted(struct ward_self *self, void *piece)
{
	if (piece == NULL)
		wardi_count(&self->system->counters.shortages);
	return piece;
}

/* Whether that many bytes more are too many for props.memory_max. */
static bool is_over(const struct ward_self *self, const struct wardi_arena *arena, size_t size)
{
	size_t max = self->cell->rare->memory_max;

	return max != 0 && (size > max || arena->bytes > max - size);
}

void *ward_try_alloc(ward_self *self, size_t size)
{
	struct wardi_arena *arena;
	void *piece = NULL;

	if (!wardi_self_usable(self))
		return NULL;
	arena = wardi_arena_of(self);
	if (arena != NULL && is_over(self, arena, size))
		return NULL;
	if (arena != NULL)
		piece = wardi_chunk_alloc(&self->system->alloc, &arena->chunks, size);
	if (piece != NULL)
		arena->bytes += size;
	return counted(self, piece);
}

static _Noreturn void fail_for_memory(ward_self *self, size_t size)
{
	const struct wardi_arena *arena = wardi_self_usable(self) ? wardi_arena_of(self) : NULL;

	if (arena != NULL && is_over(self, arena, size))
		ward_fail(self, &ward_out_of_memory,
			  "no memory for %zu bytes: props.memory_max is %zu, of which %zu are used",
			  size, self->cell->rare->memory_max, arena->bytes);
	ward_fail(self, &ward_out_of_memory, "no memory for %zu bytes", size);
}

void *ward_alloc(ward_self *self, size_t size)
{
	void *piece = ward_try_alloc(self, size);

	if (piece == NULL)
		fail_for_memory(self, size);
	return piece;
}

char *ward_strdup(ward_self *self, const char *text)
{
	size_t size = strlen(text) + 1;

	return memcpy(ward_alloc(self, size), text, size);
}

void *ward_scratch(ward_self *self, size_t size)
{
	void *piece = NULL;

	if (wardi_self_usable(self)) {
		self->scratched = self->has_leftovers = true;
		piece = counted(self,
				wardi_chunk_alloc(&self->system->alloc, &self->scratch, size));
	}
	if (piece == NULL)
		ward_fail(self, &ward_out_of_memory, "no memory for %zu bytes", size);
	return piece;
}

/* ---- bodies of messages, for the user ---------------------------------------------------- */

enum { UNINIT_BYTE = 0xcd /* each byte of a body that is not initialized, in a simulation */ };

/* Returns a body of the incarnation with bytes of no particular value. `call`: for details. */
static struct wardi_body *make_body(ward_self *self, const char *call, const ward_type *type,
				    size_t size)
{
	struct wardi_arena *arena;
	struct wardi_body *body;
	char sizes[WARDI_SIZES_TEXT];

	if (!wardi_self_usable(self))
		return NULL;
	if (type == NULL) {
		(void)wardi_error(WARD_EINVAL, "%s: the type is NULL", call);
		return NULL;
	}
	if (size < type->size || (type->size_max != 0 && size > type->size_max)) {
		(void)wardi_error(WARD_ESIZE,
				  "%s: a body of %zu bytes does not fit \"%s\", which has %s", call,
				  size, type->name, wardi_type_sizes(type, sizes));
		return NULL;
	}
	arena = size > SIZE_MAX / 2 ? NULL : wardi_arena_of(self);
	body = arena == NULL ? NULL : wardi_body_make(self->from, type, size);
	if (body == NULL) {
		(void)wardi_no_memory(self->system, "no memory for a body of %zu bytes", size);
		return NULL;
	}
	wardi_payload_made(self->from, type);
	wardi_list_append(&arena->bodies, &body->link);
	return body;
}

void *ward_make_body(ward_self *self, const ward_type *type, size_t size)
{
	struct wardi_body *body = make_body(self, "ward_make", type, size);

	return body == NULL ? NULL : memset(body->bytes, 0, size);
}

/* In a simulation a read of bytes that were never written must at least give the same each time. */
void *ward_make_body_uninit(ward_self *self, const ward_type *type, size_t size)
{
	struct wardi_body *body = make_body(self, "ward_make_uninit", type, size);

	if (body == NULL)
		return NULL;
	if (self->system->simulation != NULL)
		memset(body->bytes, UNINIT_BYTE, size);
	if (type->drop != NULL)
		memset(body->bytes, 0, type->size);
	return body->bytes;
}

void *ward_take_body(ward_self *self, const ward_type *type)
{
	struct wardi_arena *arena;
	struct wardi_body *body;

	if (!wardi_self_usable(self) || self->msg == NULL ||
	    !ward_type_same(wardi_msg_type(self->msg), type))
		return NULL;
	arena = wardi_arena_of(self);
	body = counted(self, arena == NULL ? NULL : wardi_msg_take(self->from, self->msg));
	if (body == NULL)
		return NULL;
	wardi_list_append(&arena->bodies, &body->link);
	wardi_self_emptied_msg(self);
	return body->bytes;
}

/* A body that cannot be sent. Its own type counts, whatever type the sender named. */
static void lose_body(struct ward_self *self, ward_ref sender, ward_ref to, struct wardi_body *body,
		      ward_reason reason)
{
	wardi_dead_body(self->system, self, sender, to, body->type, body->bytes, body->size,
			reason);
	if (reason == WARD_REASON_MISUSE && body->type->drop != NULL)
		wardi_type_drop(body->type, body->bytes); /* not dropped there after misuse */
	wardi_payload_gone(self->from, body->type);
	wardi_body_free(self->from, body);
}

static void give(struct ward_self *self, ward_ref sender, ward_ref to, const ward_type *type,
		 void *bytes)
{
	struct wardi_body *body = wardi_body_detach(bytes);
	struct ward_msg *msg;

	if (!ward_type_same(body->type, type)) {
		lose_body(self, sender, to, body, WARD_REASON_MISUSE);
		return;
	}
	msg = wardi_msg_wrap(self->from, type, body);
	if (msg != NULL)
		wardi_send_msg(self, sender, to, msg);
	else
		lose_body(self, sender, to, body, WARD_REASON_NO_MEMORY);
}

void ward_give_body(ward_self *self, ward_ref to, const ward_type *type, void *bytes)
{
	if (bytes != NULL && wardi_self_usable(self))
		give(self, wardi_own_ref(self), to, type, bytes);
}

void ward_give_body_from(ward_self *self, ward_ref sender, ward_ref to, const ward_type *type,
			 void *bytes)
{
	if (bytes != NULL && wardi_self_usable(self))
		give(self, sender, to, type, bytes);
}

static ward_err no_such_body(const void *bytes, const ward_type *type)
{
	const ward_type *own = bytes == NULL ? NULL : wardi_body_of((void *)(uintptr_t)bytes)->type;

	return wardi_error(WARD_EINVAL, "ward_try_give: a body of \"%s\" was meant, it is %s%s",
			   type == NULL ? "NULL" : type->name, own == NULL ? "NULL" : "one of ",
			   own == NULL ? "" : own->name);
}

ward_err ward_try_give_body_from(ward_self *self, ward_ref sender, ward_ref to,
				 const ward_type *type, void *bytes)
{
	struct wardi_body *body;
	struct ward_msg *msg;
	ward_err err;

	if (!wardi_self_usable(self))
		return WARD_EINVAL;
	if (bytes == NULL || !ward_type_same(wardi_body_of(bytes)->type, type))
		return no_such_body(bytes, type);
	body = wardi_body_of(bytes);
	msg = wardi_msg_wrap(self->from, type, body);
	if (msg == NULL)
		return wardi_no_memory(self->system, "message \"%s\": no memory", type->name);
	wardi_list_remove(&body->link);
	err = wardi_try_send_msg(self, sender, to, msg);
	if (err == WARD_OK)
		return err;
	wardi_msg_free(self->from, msg); /* not the body, which is outside */
	wardi_list_append(&self->cell->rare->arena->bodies, &body->link);
	return err;
}

void ward_discard(ward_self *self, void *bytes)
{
	struct wardi_body *body = bytes == NULL ? NULL : wardi_body_of(bytes);

	if (body == NULL || !wardi_self_usable(self))
		return;
	wardi_list_remove(&body->link);
	wardi_body_destroy(self->from, body);
}
