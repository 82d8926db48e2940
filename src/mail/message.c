/* SPDX-License-Identifier: MIT
 *
 * message.c - messages in memory: made, copied, taken apart, dropped.
 *
 * Threads: a message belongs to its holder alone; blocks come from the holder's own source.
 */
#include "mail/message.h"
#include "mail/ref.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <ward/extend.h>

#include "base/error.h"
#include "base/foreign_call.h"
#include "common/uncancelled.h"

bool ward_type_same(const ward_type *a, const ward_type *b)
{
	return a == b || (a != NULL && b != NULL && wardi_type_alike(a, b));
}

ward_err wardi_type_check(const ward_type *type, const void *body, size_t size)
{
	if (type == NULL || type->name == NULL)
		return WARD_EINVAL;
	if (body == NULL)
		return size == 0 ? WARD_OK : WARD_ESIZE;
	if (type->size_max != 0)
		return size >= type->size && size <= type->size_max ? WARD_OK : WARD_ESIZE;
	return size == type->size ? WARD_OK : WARD_ESIZE;
}

const char *wardi_type_sizes(const ward_type *type, char text[WARDI_SIZES_TEXT])
{
	if (type->size_max != 0)
		snprintf(text, WARDI_SIZES_TEXT, "%" PRIu32 " to %" PRIu32, type->size,
			 type->size_max);
	else
		snprintf(text, WARDI_SIZES_TEXT, "%" PRIu32, type->size);
	return text;
}

/* Whether bytes are appended to a type of one size, as ward_make() may. */
static bool appended(const ward_type *type, size_t size)
{
	return type->size != 0 && type->size_max == 0 && size > type->size;
}

ward_err wardi_type_wrong(const ward_type *type, const void *body, size_t size,
			  char text[WARDI_WRONG_TEXT])
{
	static const char advice[] = ": only ward_make() appends bytes, or the type has a size_max";
	char sizes[WARDI_SIZES_TEXT];
	ward_err err = wardi_type_check(type, body, size);

	if (err == WARD_EINVAL)
		snprintf(text, WARDI_WRONG_TEXT, "%s",
			 type == NULL ? "a message needs a type, this one is NULL"
				      : "the type of a message has no name");
	else if (err != WARD_OK)
		snprintf(text, WARDI_WRONG_TEXT, "%zu bytes do not fit the type, which has %s%s",
			 size, wardi_type_sizes(type, sizes), appended(type, size) ? advice : "");
	return err;
}

ward_err wardi_type_refuse(const ward_type *type, const void *body, size_t size)
{
	char text[WARDI_WRONG_TEXT];
	ward_err err = wardi_type_wrong(type, body, size, text);

	if (err == WARD_EINVAL)
		return wardi_error(err, "%s", text);
	if (err != WARD_OK)
		return wardi_error(err, "message \"%s\": %s", type->name, text);
	return WARD_OK;
}

void wardi_type_drop(const ward_type *type, void *body)
{
	wardi_foreign_call_begin();
	type->drop(body);
	wardi_foreign_call_end();
}

ward_err wardi_type_clone(const ward_type *type, void *to, const void *from)
{
	ward_err err;

	wardi_foreign_call_begin();
	errno = 0;
	err = type->clone(to, from);
	wardi_foreign_call_end();
	return err;
}

void wardi_body_drop(const ward_type *type, const void *body, size_t size)
{
	WARDI_UNCANCELLED;

	if (wardi_type_check(type, body, size) == WARD_OK && type->drop != NULL && body != NULL)
		wardi_type_drop(type, (void *)(uintptr_t)body);
}

static enum wardi_form form_for(const ward_type *type, size_t size)
{
	if (type->size_max != 0)
		return WARDI_OUTSIDE; /* the size must be kept somewhere */
	return size <= WARDI_BODY_MAX ? wardi_form_for(size) : WARDI_OUTSIDE;
}

static struct ward_msg *msg_block(struct wardi_source from, const ward_type *type,
				  enum wardi_form form)
{
	enum wardi_block_class class =
		form == WARDI_OUTSIDE ? WARDI_BLOCK_48 : (enum wardi_block_class)form;
	struct ward_msg *msg = wardi_block_get(from.pool, from.cache, class);

	if (msg == NULL)
		return NULL;
	msg->type = (uintptr_t)type | (uintptr_t)form;
	if (type->flags & WARDI_TYPE_AUTO)
		msg->type |= WARDI_MSG_AUTO_RECEIVED;
	msg->sender_uid = 0;
	wardi_msg_set_sender_place(msg, 0);
	return msg;
}

static struct wardi_external *external(const struct ward_msg *msg)
{
	return (struct wardi_external *)(void *)msg->body;
}

struct ward_msg *wardi_msg_make(struct wardi_source from, const ward_type *type, const void *body,
				size_t size)
{
	if (body == NULL)
		size = type->size;

	enum wardi_form form = form_for(type, size);
	struct ward_msg *msg;
	void *to;

	if (form == WARDI_OUTSIDE) {
		struct wardi_body *outside = wardi_body_make(from, type, size);

		if (outside == NULL)
			return NULL;
		msg = wardi_msg_wrap(from, type, outside);
		if (msg == NULL) {
			wardi_body_free(from, outside);
			return NULL;
		}
		to = outside->bytes;
	} else {
		msg = msg_block(from, type, form);
		if (msg == NULL)
			return NULL;
		to = msg->body;
	}
	if (body != NULL)
		memcpy(to, body, size);
	else
		memset(to, 0, size);
	wardi_payload_made(from, type);
	return msg;
}

struct ward_msg *wardi_msg_wrap(struct wardi_source from, const ward_type *type,
				struct wardi_body *body)
{
	struct ward_msg *msg = msg_block(from, type, WARDI_OUTSIDE);

	if (msg != NULL)
		*external(msg) = (struct wardi_external){body, body->size};
	return msg;
}

/* A body without a drop is copied as bytes; with a drop and without a clone it cannot be copied. */
static ward_err clone_body(const ward_type *type, void *to, const void *from)
{
	uint64_t noted = wardi_errors();
	ward_err err = type->drop == NULL    ? WARD_OK
		       : type->clone == NULL ? WARD_EUNIQUE
					     : wardi_type_clone(type, to, from);
	int error = errno;

	if (err == WARD_OK || wardi_errors() != noted)
		return err;
	return wardi_error(err, "a \"%s\" could not be copied: %s", type->name,
			   wardi_why_text(err, error));
}

struct ward_msg *wardi_msg_clone(struct wardi_source from, const struct ward_msg *msg,
				 ward_err *ret_err)
{
	const ward_type *type = wardi_msg_type(msg);
	const void *bytes = wardi_msg_bytes(msg);
	struct ward_msg *clone = wardi_msg_make(from, type, bytes, wardi_msg_size(msg));

	*ret_err = WARD_ENOMEM;
	if (clone == NULL)
		return NULL;
	clone->sender_uid = msg->sender_uid;
	wardi_msg_set_sender_place(clone, wardi_msg_sender_place(msg));
	*ret_err = clone_body(type, wardi_msg_bytes(clone), bytes);
	if (*ret_err == WARD_OK)
		return clone;
	wardi_msg_hand_over(from, clone); /* the copy owns nothing */
	return NULL;
}

size_t wardi_msg_size(const struct ward_msg *msg)
{
	if (wardi_msg_form(msg) == WARDI_OUTSIDE)
		return external(msg)->size;
	return wardi_msg_type(msg)->size;
}

void wardi_msg_drop(struct wardi_source from, struct ward_msg *msg)
{
	const ward_type *type = wardi_msg_type(msg);

	if (type->drop == NULL)
		return;
	wardi_type_drop(type, wardi_msg_bytes(msg));
	wardi_payload_gone(from, type);
}

void wardi_msg_free_body(struct wardi_source from, struct ward_msg *msg)
{
	if (wardi_msg_form(msg) != WARDI_OUTSIDE)
		return;
	wardi_body_free(from, external(msg)->body);
	external(msg)->body = NULL;
}

void wardi_msg_abandon(struct ward_msg *msg)
{
	if (wardi_msg_form(msg) == WARDI_OUTSIDE)
		external(msg)->body = NULL;
}

void wardi_msg_destroy(struct wardi_source from, struct ward_msg *msg)
{
	wardi_msg_drop(from, msg);
	wardi_msg_free_body(from, msg);
	wardi_msg_free(from, msg);
}

void wardi_msg_hand_over(struct wardi_source from, struct ward_msg *msg)
{
	wardi_payload_gone(from, wardi_msg_type(msg));
	wardi_msg_free_body(from, msg);
	wardi_msg_free(from, msg);
}

struct wardi_body *wardi_msg_take(struct wardi_source from, struct ward_msg *msg)
{
	struct wardi_body *body;

	if (wardi_msg_form(msg) == WARDI_OUTSIDE) {
		body = external(msg)->body;
		external(msg)->body = NULL;
		return body;
	}
	body = wardi_body_make(from, wardi_msg_type(msg), wardi_msg_size(msg));
	if (body != NULL)
		memcpy(body->bytes, msg->body, body->size);
	return body;
}

struct ward_msg *wardi_msg_move(struct wardi_source from, struct ward_msg *msg)
{
	const ward_type *type = wardi_msg_type(msg);
	struct ward_msg *moved;

	if (wardi_msg_form(msg) == WARDI_OUTSIDE) {
		moved = wardi_msg_wrap(from, type, external(msg)->body);
		if (moved != NULL)
			external(msg)->body = NULL;
	} else {
		moved = wardi_msg_make(from, type, msg->body, type->size);
		if (moved != NULL)
			wardi_payload_gone(from, type); /* two messages, one body */
	}
	if (moved != NULL) {
		moved->sender_uid = msg->sender_uid;
		wardi_msg_set_sender_place(moved, wardi_msg_sender_place(msg));
	}
	return moved;
}

static size_t body_bytes(size_t size)
{
	return sizeof(struct wardi_body) + size;
}

/* The class of a body outside; WARDI_BLOCK_CLASSES: it has an allocation of its own. */
static enum wardi_block_class body_class(size_t size)
{
	return wardi_block_class_up_to(WARDI_BLOCK_4160, body_bytes(size));
}

struct wardi_body *wardi_body_make(struct wardi_source from, const ward_type *type, size_t size)
{
	enum wardi_block_class class = body_class(size);
	struct wardi_body *body;

	if (class == WARDI_BLOCK_CLASSES)
		body = wardi_alloc(from.pool->alloc, body_bytes(size));
	else
		body = wardi_block_get(from.pool, from.cache, class);
	if (body == NULL)
		return NULL;
	body->link = (struct wardi_list){NULL, NULL};
	body->type = type;
	body->size = size;
	return body;
}

void wardi_body_destroy(struct wardi_source from, struct wardi_body *body)
{
	if (body->type->drop != NULL)
		wardi_type_drop(body->type, body->bytes);
	wardi_payload_gone(from, body->type);
	wardi_body_free(from, body);
}

void wardi_body_free(struct wardi_source from, struct wardi_body *body)
{
	if (body == NULL)
		return;

	enum wardi_block_class class = body_class(body->size);

	if (class == WARDI_BLOCK_CLASSES)
		wardi_free(from.pool->alloc, body, body_bytes(body->size));
	else
		wardi_block_put(from.pool, from.cache, class, body);
}

/* Nearly all calls come with another type: ward_match() has handled its own. The same type has
 * another address if another library, or an older build of it, has a copy. A body outside that was
 * taken or forwarded is no longer there. */
const void *ward_msg_body(const ward_msg *msg, const ward_type *type)
{
	if (msg == NULL || type == NULL)
		return NULL;
	if (wardi_msg_type(msg) != type && !wardi_type_alike(wardi_msg_type(msg), type))
		return NULL;
	return wardi_msg_is_empty(msg) ? NULL : wardi_msg_bytes(msg);
}

const ward_type *ward_msg_type(const ward_msg *msg)
{
	return msg == NULL ? NULL : wardi_msg_type(msg);
}

size_t ward_msg_size(const ward_msg *msg)
{
	return msg == NULL ? 0 : wardi_msg_size(msg);
}

ward_ref ward_msg_sender(const ward_msg *msg)
{
	if (msg == NULL) /* a decider or a pre_restart without a message passes this */
		return ward_nobody();
	return wardi_msg_sender(msg);
}

struct wardi_body *wardi_body_detach(void *bytes)
{
	struct wardi_body *body = wardi_body_of(bytes);

	wardi_list_remove(&body->link);
	return body;
}
