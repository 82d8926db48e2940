/* SPDX-License-Identifier: MIT
 *
 * message.h - a message in memory, from the send to the drop of its body.
 *
 *	offset  bytes  field
 *	     0      8  next           the lane that holds it
 *	     8      8  type           with tags in the low three bits, see below
 *	    16      8  sender uid
 *	    24      4  sender place
 *	    28      4  target gen     the life it is meant for
 *	    32         body           16-aligned; or a struct wardi_external
 *
 * A body of 16 bytes fits a block of 48. Larger ones take a block of 80 or 144; a body that is
 * larger, of varying size, or built in place is outside, in a struct wardi_body.
 *
 * A message belongs to one place at a time: its maker, a mailbox, or the holder of a cell.
 */
#ifndef WARDI_MESSAGE_H
#define WARDI_MESSAGE_H

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include <ward/watch.h>

#include "base/list.h"
#include "base/pool.h"

/* Tags in the low bits of the type word. Their order lets one compare say that a message is in a
 * block and not auto-received; the smallest of those have no tag: the word is the address. */
enum {
	WARDI_MSG_FORM = 3, /* how the body is kept: enum wardi_form */
	/* The runtime handles it before receive sees it: auto_receive.c. Also set on the message of
	 * a watch, which is never sent as it is. */
	WARDI_MSG_AUTO_RECEIVED = 4,
	WARDI_MSG_TAGS = 7,
	WARDI_TYPE_AUTO = 1 << 16, /* in ward_type.flags: every message of it is auto-received */
	WARDI_TYPE_KIND_SHIFT = 17 /* above it: enum wardi_auto_kind, which says how */
};

/* The first three are block classes. See wardi_form_for(). */
enum wardi_form { WARDI_IN_48, WARDI_IN_80, WARDI_IN_144, WARDI_OUTSIDE };

_Static_assert((int)WARDI_IN_144 == (int)WARDI_BLOCK_144, "a form is a block class");

struct ward_msg {
	_Alignas(16) _Atomic(struct ward_msg *) next;
	uintptr_t type;
	uint64_t sender_uid;
	uint32_t sender_place_;
	uint32_t target_gen;
	unsigned char body[];
};

_Static_assert(sizeof(struct ward_msg) == 32, "a small message fits a block of 48");
/* Programs are compiled against this: tags of 0 must always mean that the body is inside. */
_Static_assert(offsetof(struct ward_msg, type) == sizeof(uintptr_t) &&
		       offsetof(struct ward_msg, body) == 32 && WARDI_IN_48 == 0 &&
		       WARDI_MSG_TAGS == 7,
	       "ward_msg_match_() in ward/message.h");
_Static_assert(offsetof(struct ward_msg, sender_uid) == 16 &&
		       offsetof(struct ward_msg, sender_place_) == 24,
	       "ward_msg_sender_() in ward/message.h");

static inline uint32_t wardi_msg_sender_place(const struct ward_msg *msg)
{
	return msg->sender_place_;
}

static inline void wardi_msg_set_sender_place(struct ward_msg *msg, uint32_t place)
{
	msg->sender_place_ = place;
}

/* Keeps the compiler from storing the place together with the word that follows. */
static inline void wardi_msg_part_sender_place(struct ward_msg *msg)
{
	__asm__("" : "+m"(msg->sender_place_));
}

/* The body of a message whose form is WARDI_OUTSIDE. */
struct wardi_external {
	struct wardi_body *body;
	size_t size;
};

/* A body outside: in a block of its own, or, above 4 KiB, in an allocation. */
struct wardi_body {
	struct wardi_list link; /* in the arena that owns the body, while no message does */
	const ward_type *type;
	size_t size;
	_Alignas(16) unsigned char bytes[];
};

enum {
	WARDI_BODY_SMALL = 16, /* fits the smallest block together with its message */
	WARDI_BODY_MAX = 112   /* fits the largest block of messages */
};

/* Returns the form for a body of at most WARDI_BODY_MAX bytes: 16 fit the smallest block, 48 the
 * next. */
static inline enum wardi_form wardi_form_for(size_t size)
{
	return size <= WARDI_BODY_SMALL ? WARDI_IN_48 : size <= 48 ? WARDI_IN_80 : WARDI_IN_144;
}

/* Returns the type word of a message that is not auto-received. */
static inline uintptr_t wardi_msg_tagged(const ward_type *type, enum wardi_form form)
{
	return (uintptr_t)type | (uintptr_t)form;
}

static inline const ward_type *wardi_msg_type(const struct ward_msg *msg)
{
	return (const ward_type *)(msg->type & ~(uintptr_t)WARDI_MSG_TAGS);
}

static inline enum wardi_form wardi_msg_form(const struct ward_msg *msg)
{
	return (enum wardi_form)(msg->type & WARDI_MSG_FORM);
}

static inline bool wardi_msg_is_auto_received(const struct ward_msg *msg)
{
	return (msg->type & WARDI_MSG_AUTO_RECEIVED) != 0;
}

/* Whether the message is in a block, and not auto-received. */
static inline bool wardi_msg_plain(const struct ward_msg *msg)
{
	return (msg->type & WARDI_MSG_TAGS) < WARDI_OUTSIDE;
}

/* Whether a message, in hand or stashed, reports the end of its sender, which was watched. */
static inline bool wardi_msg_tells_end(const struct ward_msg *msg)
{
	return wardi_msg_is_auto_received(msg) &&
	       (wardi_msg_type(msg) == &ward_type_ward_terminated ||
		(wardi_msg_type(msg)->flags & WARDI_TYPE_AUTO) == 0);
}

/* Whether two descriptors denote one type. Most names differ within a few letters, so that a call
 * of strcmp() would cost more. */
static inline bool wardi_type_alike(const ward_type *a, const ward_type *b)
{
	if (a->size != b->size || a->layout != b->layout)
		return false;
	for (const char *x = a->name, *y = b->name; *x == *y; x++, y++)
		if (*x == '\0')
			return true;
	return false;
}

/* Counts a body that the runtime owns from now on; only if bodies are counted at all, so that a
 * program has no atomic on its hot path. */
static inline void wardi_payload_made(struct wardi_source from, const ward_type *type)
{
	if (type->drop != NULL && from.pool->counts_owners)
		atomic_fetch_add_explicit(&from.pool->owners, 1, memory_order_relaxed);
}

/* The body was dropped, or handed to the program. */
static inline void wardi_payload_gone(struct wardi_source from, const ward_type *type)
{
	if (type->drop != NULL && from.pool->counts_owners)
		atomic_fetch_sub_explicit(&from.pool->owners, 1, memory_order_relaxed);
}

/* Calls the type's drop, which it must have. */
void wardi_type_drop(const ward_type *type, void *body);
/* Calls the type's clone, which it must have; leaves its errno, or 0 if it set none. */
ward_err wardi_type_clone(const ward_type *type, void *to, const void *from);
/* Returns WARD_OK if a body of this type can have this size. Notes no detail. */
ward_err wardi_type_check(const ward_type *type, const void *body, size_t size);

enum { WARDI_WRONG_TEXT = 160 };
/* The same; if not, writes why: "2 bytes do not fit the type, which has 4". */
ward_err wardi_type_wrong(const ward_type *type, const void *body, size_t size,
			  char text[WARDI_WRONG_TEXT]);
/* The same, with a detail. */
ward_err wardi_type_refuse(const ward_type *type, const void *body, size_t size);
/* Drops a body that is not sent after all. Leaves a body alone that does not fit its type. */
void wardi_body_drop(const ward_type *type, const void *body, size_t size);

enum { WARDI_SIZES_TEXT = 32 };
/* Writes the sizes that the type allows, for details: "100", or "4 to 16"; returns the text. */
const char *wardi_type_sizes(const ward_type *type, char text[WARDI_SIZES_TEXT]);

/* Makes a message with a copy of the body's bytes (NULL and 0: zeroed). NULL: no memory. */
struct ward_msg *wardi_msg_make(struct wardi_source from, const ward_type *type, const void *body,
				size_t size);
/* Makes a message around a separate body. NULL: no memory, and the body is still the caller's. */
struct ward_msg *wardi_msg_wrap(struct wardi_source from, const ward_type *type,
				struct wardi_body *body);
/* Copies the message by the type's clone. NULL: *ret_err is WARD_ENOMEM, or the error of clone,
 * which is noted. */
struct ward_msg *wardi_msg_clone(struct wardi_source from, const struct ward_msg *msg,
				 ward_err *ret_err);

/* Whether its body was outside, and is no longer its own. */
static inline bool wardi_msg_is_empty(const struct ward_msg *msg)
{
	return wardi_msg_form(msg) == WARDI_OUTSIDE &&
	       ((const struct wardi_external *)(const void *)msg->body)->body == NULL;
}

static inline void *wardi_msg_bytes(const struct ward_msg *msg)
{
	if (wardi_msg_form(msg) == WARDI_OUTSIDE)
		return ((const struct wardi_external *)(const void *)msg->body)->body->bytes;
	return (void *)(uintptr_t)msg->body;
}

size_t wardi_msg_size(const struct ward_msg *msg);

static inline ward_ref wardi_msg_sender(const struct ward_msg *msg)
{
	return (ward_ref){msg->sender_uid, msg->sender_place_, 0};
}

static inline void wardi_msg_set_sender(struct ward_msg *msg, ward_ref sender)
{
	msg->sender_uid = sender.uid;
	msg->sender_place_ = sender.place_;
}

/* Runs the type's drop function on the body. Once for each message. */
void wardi_msg_drop(struct wardi_source from, struct ward_msg *msg);
/* Frees the memory of a body outside; the message then has none. No drop. */
void wardi_msg_free_body(struct wardi_source from, struct ward_msg *msg);
/* Frees the message itself. Its body must be gone or inside. */
static inline void wardi_msg_free(struct wardi_source from, struct ward_msg *msg)
{
	enum wardi_form form = wardi_msg_form(msg);

	wardi_block_put(from.pool, from.cache,
			form == WARDI_OUTSIDE ? WARDI_BLOCK_48 : (enum wardi_block_class)form, msg);
}

/* Leaks the body on purpose, since a fault may have damaged it. The message then has none. */
void wardi_msg_abandon(struct ward_msg *msg);
/* Drops the body, and frees both. */
void wardi_msg_destroy(struct wardi_source from, struct ward_msg *msg);
/* Frees a message without a drop: the program has what the body owns. */
void wardi_msg_hand_over(struct wardi_source from, struct ward_msg *msg);
/* Moves the body into one outside; the message then has none. NULL: no memory. */
struct wardi_body *wardi_msg_take(struct wardi_source from, struct ward_msg *msg);
/* Moves the body into a new message; the old one then has none. NULL: no memory. */
struct ward_msg *wardi_msg_move(struct wardi_source from, struct ward_msg *msg);

/* Drops and frees a body. */
void wardi_body_destroy(struct wardi_source from, struct wardi_body *body);
struct wardi_body *wardi_body_make(struct wardi_source from, const ward_type *type, size_t size);
void wardi_body_free(struct wardi_source from, struct wardi_body *body);

/* Returns the body with these bytes. */
static inline struct wardi_body *wardi_body_of(void *bytes)
{
	return wardi_container_of(bytes, struct wardi_body, bytes);
}
/* Detaches a body from the incarnation that owns it. */
struct wardi_body *wardi_body_detach(void *bytes);

#endif
