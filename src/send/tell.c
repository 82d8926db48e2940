/* SPDX-License-Identifier: MIT
 *
 * tell.c - sending: from the sender's body to a message in a mailbox.
 *
 *	ward_send -> make the message -> wardi_deliver -> push -> (was it idle?) make the cell ready
 *
 * Threads: all functions may run at the same time. An undeliverable message becomes a dead letter
 * with its reason; a try_ form returns a code instead and leaves the body with the caller.
 */
#include "send/tell.h"

#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/shard.h"
#include "cell/caller.h"
#include "cell/path.h"
#include "cell/points.h"
#include "cell/ready.h"
#include "cell/reply_ref.h"
#include "cell/table.h"
#include "send/dead_letter.h"
#include "send/deliver.h"
#include "send/waiter.h"

/* ---- making and sending ------------------------------------------------------------------ */

/* Delivers a message of the program: a simulation may delay or lose it. */
static ward_err submit(ward_system *system, struct ward_self *self, ward_ref to,
		       struct ward_msg *msg, ward_reason *ret_reason)
{
	if (wardi_has_points(system))
		return wardi_points.send(system, self, to, msg, ret_reason);
	return wardi_deliver(system, self, to, msg, ret_reason);
}

static ward_reason misuse_reason(ward_err err)
{
	return err == WARD_ENOMEM ? WARD_REASON_NO_MEMORY : WARD_REASON_MISUSE;
}

/* There was no memory for an answer: ends the wait for it, which may have no timeout. */
static void unanswered(ward_system *system, struct ward_self *self, ward_ref to)
{
	if (wardi_is_question(system, to))
		wardi_replies.ask_unheard(system, self, to, ward_nobody(), WARD_REASON_NO_MEMORY);
	else if (wardi_ref_is_waiter(system->place, to))
		wardi_waiter_gone(system, to.uid);
}

/* Takes msg. */
static void undelivered(ward_system *system, struct ward_self *self, ward_ref to,
			struct ward_msg *msg, ward_reason reason)
{
	struct wardi_source from = self == NULL ? wardi_outside_source(system) : self->from;

	wardi_dead_letter(system, self, to, msg, reason);
	wardi_msg_free(from, msg);
	if (reason == WARD_REASON_NO_MEMORY)
		unanswered(system, self, to);
}

static ward_err make(struct wardi_source from, const ward_type *type, const void *body, size_t size,
		     ward_ref sender, struct ward_msg **ret_msg)
{
	ward_err err = wardi_type_check(type, body, size);

	if (err != WARD_OK)
		return err;
	*ret_msg = wardi_msg_make(from, type, body, size);
	if (*ret_msg == NULL)
		return WARD_ENOMEM;
	(*ret_msg)->sender_uid = sender.uid;
	wardi_msg_set_sender_place(*ret_msg, wardi_ref_place(sender));
	return WARD_OK;
}

static __attribute__((noinline)) void send(ward_system *system, struct ward_self *self,
					   struct wardi_source from, ward_ref sender, ward_ref to,
					   const ward_type *type, const void *body, size_t size)
{
	struct ward_msg *msg;
	ward_reason reason;
	ward_err err = make(from, type, body, size, sender, &msg);

	/* The answer to a task of a shutdown needs no memory: that it was sent is enough. */
	if (err == WARD_ENOMEM && wardi_ref_is_waiter(system->place, to) &&
	    wardi_replies.task_answer(system, to, type))
		return;
	if (err != WARD_OK) {
		wardi_dead_body(system, self, sender, to, type, body, size, misuse_reason(err));
		if (err == WARD_ENOMEM)
			unanswered(system, self, to);
	} else if (submit(system, self, to, msg, &reason) != WARD_OK) {
		undelivered(system, self, to, msg, reason);
	}
}

/* Notes the detail for a valid message that was not delivered. */
static ward_err refused(ward_system *system, ward_err err, ward_ref to, const ward_type *type)
{
	char path[WARD_EVENT_PATH];

	if (err == WARD_ENOMEM)
		return wardi_no_memory(system, "message \"%s\": no memory", type->name);
	if (err == WARD_EFOREIGN)
		return wardi_error(err, "message \"%s\": the receiver is of another system",
				   type->name);
	wardi_path_tail(system, to, path, sizeof path);
	if (err == WARD_EUNREACHED)
		return wardi_error(err, "message \"%s\": the connection to %s was lost", type->name,
				   path);
	if (err == WARD_ELOCAL)
		return wardi_error(err,
				   "message \"%s\": it cannot leave the process for %s: its type "
				   "has no table",
				   type->name, path);
	if (err == WARD_EFULL)
		return wardi_error(err,
				   "message \"%s\": the mailbox of %s is full, its messages_max is "
				   "reached",
				   type->name, path);
	return wardi_error(err, "message \"%s\": the receiver %s is gone, or nobody", type->name,
			   path);
}

static ward_err try_send(ward_system *system, struct ward_self *self, struct wardi_source from,
			 ward_ref sender, ward_ref to, const ward_type *type, const void *body,
			 size_t size)
{
	struct ward_msg *msg;
	ward_reason reason;
	ward_err err = make(from, type, body, size, sender, &msg);

	if (err == WARD_ENOMEM)
		return refused(system, err, to, type);
	if (err != WARD_OK)
		return wardi_type_refuse(type, body, size);
	err = submit(system, self, to, msg, &reason);
	if (err == WARD_OK)
		return WARD_OK;
	/* The body is still the caller's: freed here, not dropped. */
	wardi_msg_hand_over(from, msg);
	return refused(system, err, to, type);
}

void wardi_send_msg(struct ward_self *self, ward_ref sender, ward_ref to, struct ward_msg *msg)
{
	ward_reason reason;

	msg->sender_uid = sender.uid;
	wardi_msg_set_sender_place(msg, wardi_ref_place(sender));
	if (submit(self->system, self, to, msg, &reason) != WARD_OK)
		undelivered(self->system, self, to, msg, reason);
}

ward_err wardi_try_send_msg(struct ward_self *self, ward_ref sender, ward_ref to,
			    struct ward_msg *msg)
{
	ward_reason reason;
	ward_err err;

	msg->sender_uid = sender.uid;
	wardi_msg_set_sender_place(msg, wardi_ref_place(sender));
	err = submit(self->system, self, to, msg, &reason);
	return err == WARD_OK ? err : refused(self->system, err, to, wardi_msg_type(msg));
}

/* Whether the bodies of this type are plain bytes. */
static inline bool is_plain(const ward_type *type, const void *body, size_t size)
{
	return type != NULL && type->name != NULL && size == type->size && type->size_max == 0 &&
	       (body != NULL || size == 0) && (type->flags & WARDI_TYPE_AUTO) == 0 &&
	       type->drop == NULL;
}

/* The same with fewer checks, for a type with the mark of the macros. The size is still checked,
 * and the form follows from it, so a false mark does no harm. Special types (auto_receive.h) have
 * no mark. */
static inline bool is_marked_plain(const ward_type *type, const void *body, size_t size)
{
	return type != NULL && (type->flags & WARD_TYPE_PLAIN_) != 0 && size == type->size &&
	       (body != NULL || size == 0);
}

/* One word, as it was most likely written a moment ago: a load of two cannot be served from two
 * stores that are still under way, and would wait for both. So the compiler must not join them. */
static inline void copy_word(unsigned char *to, const unsigned char *from)
{
	uint64_t word;

	memcpy(&word, from, sizeof word);
	__asm__("" : "+r"(word));
	memcpy(to, &word, sizeof word);
}

static inline void copy_body(unsigned char *to, const unsigned char *body, size_t size)
{
	if (size == 0)
		return;
	if (__builtin_expect(size == 16, 1)) {
		copy_word(to, body);
		copy_word(to + 8, body + 8);
		return;
	}
	for (; size >= 8; size -= 8, to += 8, body += 8)
		copy_word(to, body);
	if (__builtin_expect(size == 0, 1))
		return;
	if (size >= 4) {
		memcpy(to, body, 4);
		size -= 4, to += 4, body += 4;
	}
	for (; size > 0; size--) {
		*to++ = *body++;
		__asm__("" : "+r"(to)); /* three at most: not worth a vector */
	}
}

/* Nearly all tells have a plain body, go to an actor of this system whose mailbox has no policy,
 * and find a block at hand. ward_send() reaches send_larger() and send_otherwise() by jumps, so
 * that a small body to one of the first cells costs no register that must be saved. */

static __attribute__((noinline)) void
send_otherwise(ward_self *self, ward_ref to, const ward_type *type, const void *body, size_t size)
{
	if (wardi_self_usable(self))
		send(self->system, self, self->from, wardi_own_ref(self), to, type, body, size);
}

/* `plain_place` is the place of the system; in a simulation, or in a run that may take long, it is
 * a place that no ref has. */
static inline bool may_send_plainly(const ward_self *self, ward_ref to)
{
	return self != NULL && self->callback && wardi_ref_is_here(self->plain_place, to);
}

/* Returns an addressed block for a message to the cell, or NULL if the message must go another
 * way. `sender_place`: that of `to`, or of nobody. */
static inline struct ward_msg *block_for(struct wardi_cache *cache, struct wardi_cell *cell,
					 ward_ref to, uint32_t sender_place, enum wardi_form form)
{
	uint32_t gen = wardi_uid_gen(to.uid);
	struct ward_msg *msg;

	if (cell == NULL || !wardi_cell_is_open(cell, to.uid) ||
	    atomic_load_explicit(&cell->mailbox.bounded, memory_order_acquire) != NULL) /* [P5] */
		return NULL;
	msg = wardi_cache_take(cache, (enum wardi_block_class)form);
	if (msg == NULL)
		return NULL;
	wardi_msg_set_sender_place(msg, sender_place);
	wardi_msg_part_sender_place(msg); /* not a vector with the next one */
	msg->target_gen = gen;
	return msg;
}

static inline void push(ward_self *self, struct wardi_cell *cell, struct ward_msg *msg)
{
	if (wardi_mailbox_push(&cell->mailbox, msg))
		wardi_cell_ready_here(self, cell);
}

/* The body is plain, of this form. */
static inline void send_plainly(ward_self *self, struct wardi_cell *cell, ward_ref to,
				const ward_type *type, const void *body, size_t size,
				enum wardi_form form)
{
	struct ward_msg *msg = block_for(&self->cache, cell, to, wardi_ref_place(to), form);
	uint64_t sender_uid;

	if (__builtin_expect(msg == NULL, 0)) {
		send_otherwise(self, to, type, body, size);
		return;
	}
	msg->type = wardi_msg_tagged(type, form);
	sender_uid = self->cell->uid;
	__asm__("" : "+r"(sender_uid)); /* not a vector with the type */
	msg->sender_uid = sender_uid;
	copy_body(msg->body, body, size);
	push(self, cell, msg);
}

/* The body is plain. */
static __attribute__((noinline)) void
send_larger(ward_self *self, ward_ref to, const ward_type *type, const void *body, size_t size)
{
	if (size <= WARDI_BODY_MAX)
		send_plainly(self, wardi_table_cell(self->system, wardi_uid_slot(to.uid)), to, type,
			     body, size, wardi_form_for(size));
	else
		send_otherwise(self, to, type, body, size);
}

/* Does what deliver_answer() does, but at once, for an answer with a plain body to an actor, with
 * blocks at hand for it and its envelope. False: the answer is not such a one; nothing was done. */
static inline bool answer_plainly(ward_self *self, ward_ref to, const ward_type *type,
				  const void *body, size_t size)
{
	uint32_t slot = wardi_question_slot(to.uid);
	struct wardi_cell *cell = wardi_table_cell(self->system, slot);
	struct ward_msg *envelope, *msg;
	ward_ref owner;
	uint64_t gen;

	if (size > WARDI_BODY_MAX || cell == NULL)
		return false;
	/* Acquire: as wardi_table_open() does. [S2] */
	gen = atomic_load_explicit(&cell->open_gen, memory_order_acquire);
	owner = wardi_ref_make(gen << 32 | slot, self->plain_place);
	envelope = block_for(&self->cache, cell, owner, self->plain_place, WARDI_IN_48);
	if (envelope == NULL)
		return false;
	msg = wardi_cache_take(&self->cache, (enum wardi_block_class)wardi_form_for(size));
	if (msg == NULL) {
		wardi_block_put(self->from.pool, &self->cache, WARDI_BLOCK_48, envelope);
		return false;
	}
	msg->type = wardi_msg_tagged(type, wardi_form_for(size));
	msg->sender_uid = self->cell->uid;
	wardi_msg_set_sender_place(msg, self->plain_place);
	copy_body(msg->body, body, size);
	wardi_answer_enclose(envelope, to, msg);
	push(self, cell, envelope);
	return true;
}

/* The type is not marked, or the ref is not one of an actor. */
static __attribute__((noinline)) void
send_unmarked(ward_self *self, ward_ref to, const ward_type *type, const void *body, size_t size)
{
	if (self == NULL || !self->callback || !is_plain(type, body, size))
		send_otherwise(self, to, type, body, size);
	else if (wardi_ref_is_here(self->plain_place, to))
		send_larger(self, to, type, body, size);
	else if (!wardi_ref_is_question(self->plain_place, to) ||
		 !answer_plainly(self, to, type, body, size))
		send_otherwise(self, to, type, body, size);
}

void ward_send(ward_self *self, ward_ref to, const ward_type *type, const void *body, size_t size)
{
	if (__builtin_expect(!may_send_plainly(self, to) || !is_marked_plain(type, body, size), 0))
		send_unmarked(self, to, type, body, size);
	else if (size > WARDI_BODY_SMALL || !wardi_table_is_near(wardi_uid_slot(to.uid)))
		send_larger(self, to, type, body, size);
	else
		send_plainly(self, wardi_table_near(self->system, wardi_uid_slot(to.uid)), to, type,
			     body, size, WARDI_IN_48);
}

ward_err ward_try_send(ward_self *self, ward_ref to, const ward_type *type, const void *body,
		       size_t size)
{
	if (!wardi_self_usable(self))
		return WARD_EINVAL;
	return try_send(self->system, self, self->from, wardi_own_ref(self), to, type, body, size);
}

static __attribute__((noinline)) void forward_otherwise(ward_self *self, ward_ref to)
{
	struct ward_msg *moved;
	ward_reason reason;

	if (!wardi_self_usable(self) || self->msg == NULL)
		return;
	moved = wardi_msg_move(self->from, self->msg);
	if (moved == NULL) {
		wardi_dead_letter(self->system, self, to, self->msg, WARD_REASON_NO_MEMORY);
		unanswered(self->system, self, to);
	} else if (submit(self->system, self, to, moved, &reason) != WARD_OK) {
		undelivered(self->system, self, to, moved, reason);
	}
	wardi_self_emptied_msg(self);
}

/* Sends a plain message on, with its first sender. The message is copied: its own block still
 * belongs to the lane. */
static inline void forward(ward_self *self, ward_ref to)
{
	const struct ward_msg *old = self == NULL ? NULL : self->msg;
	struct wardi_cell *cell;
	struct ward_msg *msg;

	if (old == NULL || !may_send_plainly(self, to) || self->owns_block ||
	    !wardi_msg_plain(old) || wardi_msg_type(old)->drop != NULL) {
		forward_otherwise(self, to);
		return;
	}
	cell = wardi_table_cell(self->system, wardi_uid_slot(to.uid));
	msg = block_for(&self->cache, cell, to, wardi_ref_place(to), wardi_msg_form(old));
	if (msg == NULL) {
		forward_otherwise(self, to);
		return;
	}
	msg->type = old->type;
	msg->sender_uid = old->sender_uid;
	wardi_msg_set_sender_place(msg, wardi_msg_sender_place(old));
	copy_body(msg->body, old->body, wardi_msg_type(old)->size);
	self->msg = NULL; /* nothing is left behind of it */
	push(self, cell, msg);
}

ward_result ward_forward(ward_self *self, ward_ref to)
{
	forward(self, to);
	return WARD_DONE;
}

/* ---- from threads outside ---------------------------------------------------------------- */

/* Sends a plain body to an actor of this system whose mailbox has no policy, with a block at hand
 * in the shard of this thread. Being inside the shard is the visit that the look-up needs. False:
 * it is not such a message; nothing was done. */
static bool outside_plainly(ward_system *system, ward_ref sender, ward_ref to,
			    const ward_type *type, const void *body, size_t size)
{
	struct wardi_shard *shard;
	struct wardi_cell *cell;
	struct ward_msg *msg;
	enum wardi_form form;
	bool was_idle = false;

	if (!is_marked_plain(type, body, size) || size > WARDI_BODY_MAX ||
	    !wardi_ref_is_here(system->place, to) || wardi_has_points(system))
		return false;
	form = wardi_form_for(size);
	shard = wardi_shard_mine(system->pool.shards);
	wardi_shard_enter(shard);
	cell = wardi_table_cell(system, wardi_uid_slot(to.uid));
	msg = block_for(&shard->cache, cell, to, wardi_ref_place(sender), form);
	if (msg != NULL) {
		msg->type = wardi_msg_tagged(type, form);
		msg->sender_uid = sender.uid;
		copy_body(msg->body, body, size);
		was_idle = wardi_mailbox_push(&cell->mailbox, msg);
	}
	wardi_shard_leave(shard);
	/* A cell that is not idle stays. */
	if (was_idle)
		wardi_cell_ready(NULL, cell);
	return msg != NULL;
}

void wardi_outside_send(ward_system *system, ward_ref sender, ward_ref to, const ward_type *type,
			const void *body, size_t size)
{
	ward_err err = wardi_outside_check(system);

	if (err == WARD_OK && outside_plainly(system, sender, to, type, body, size))
		return;
	if (err == WARD_OK)
		send(system, NULL, wardi_outside_source(system), sender, to, type, body, size);
	else if (err == WARD_ETHREAD)
		wardi_points.foreign_send(system, to, type, body, size);
	else
		wardi_body_drop(type, body, size);
}

void ward_system_send(ward_system *system, ward_ref to, const ward_type *type, const void *body,
		      size_t size)
{
	wardi_outside_send(system, ward_nobody(), to, type, body, size);
}

ward_err ward_system_try_send(ward_system *system, ward_ref to, const ward_type *type,
			      const void *body, size_t size)
{
	ward_err err = wardi_outside_check(system);

	if (err != WARD_OK || outside_plainly(system, ward_nobody(), to, type, body, size))
		return err;
	return try_send(system, NULL, wardi_outside_source(system), ward_nobody(), to, type, body,
			size);
}
