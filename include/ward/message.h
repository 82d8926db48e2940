/* SPDX-License-Identifier: MIT
 *
 * ward/message.h - declaring, sending, matching and owning messages.
 *
 *	struct deposit { uint64_t account; int64_t cents; };	plain C
 *	WARD_MESSAGE(deposit);					may stay in a header
 *	ward_tell(self, bank, deposit, .cents = 5);		built in place, copied once
 *	const struct deposit *d = ward_match(msg, deposit);	NULL: another type
 *
 * A message is a type (a constant descriptor) and a body (a struct of the program). The identity
 * of a type is its name, size and layout word; equal addresses only make it fast. So a type may be
 * declared in a header, without registration and without a .c file.
 *
 * Ownership, one rule: from the send on, the runtime owns the body and all that it owns; a drop
 * function runs exactly once, whatever becomes of the message (handled, dropped, refused, dead).
 * A received message is borrowed until the callback returns; ward_take() keeps it, ward_forward()
 * moves it on.
 *
 * The plain verbs (ward_send and friends) are the API; the macros in the second half spare the
 * hand that joins a struct with its type.
 */
#ifndef WARD_MESSAGE_H
#define WARD_MESSAGE_H

#include <ward/types.h>

WARD_BEGIN

/** Flags of a type. */
enum {
	WARD_TYPE_FLAT = 1,            /* the bytes mean the same in another process: no pointers */
	WARD_TYPE_QUIET = 2,           /* as a dead letter it is a WARD_EVENT_SUPPRESSED */
	WARD_TYPE_NOT_INFLUENCING = 4, /* does not put off a receive timeout; see timer.h */
	/** Overtakes all others where the mailbox says so: ward_mailbox.control_first. */
	WARD_TYPE_CONTROL = 8
};

/** Opaque; a growing buffer that an encoder writes to. */
typedef struct ward_bytes ward_bytes;

/**
 * A message type. Constant, with static storage; zero fields are the defaults.
 *
 * Names that begin with "ward_", "wardi_" and "ward." are those of ward's own types. No send looks
 * at the name: a type of a program that has the name and size of one of ward's is that one for
 * its reader.
 *
 * `drop` frees what the body points to; it runs on any thread and must not call ward. `clone`
 * makes `to`, which holds the bytes of `from` already, own copies; it is needed where more than
 * one is made (repeating timers, arguments). A type with a drop and no clone can be moved only.
 *
 * A clone that refuses answers its code, and may note a text by ward_refused(). Where it notes none
 * and answers WARD_ESYS, errno is taken for the reason: ward_err_detail() has its words.
 */
struct ward_type {
	const char *name;
	uint32_t size;     /* of the body, or of its fixed part; 0: no body */
	uint32_t size_max; /* 0: exactly `size`, but for ward_make(); else size..size_max bytes */
	uint32_t layout;   /* version in the upper half, alignment in the lower; 0: default */
	uint32_t flags;    /* WARD_TYPE_... */
	void (*drop)(void *body) WARD_NOEXCEPT;
	ward_err (*clone)(void *to, const void *from) WARD_NOEXCEPT;
	ward_err (*encode)(const void *body, size_t size, ward_bytes *out) WARD_NOEXCEPT;
	ward_err (*decode)(const void *bytes, size_t count, void *body, size_t size) WARD_NOEXCEPT;
	uintptr_t reserved[3]; /* zero */
};

/**
 * A type and a body of it: what an actor takes as its arguments. In an initializer
 *
 *	.args = WARD_ARGS(clerk, .desk = 3)		built in place
 *	.args = {WARD_COPY(clerk, &options)}		a struct that is filled already
 *
 * and elsewhere (ward_body)WARD_ARGS(...). All zero: none.
 */
typedef struct ward_body {
	const ward_type *type;
	const void *bytes; /* borrowed for the call; NULL with size 0: all zero */
	size_t size;
} ward_body;

/* ---- sending, as the running actor ------------------------------------------------------- */

/**
 * Sends a copy of the body; the sender is self. The plain form of ward_tell().
 *
 * What cannot be delivered becomes a dead letter with its reason, out of memory included. A body
 * of NULL with size 0 stands for all zero. A type that is NULL, or a size that does not fit it,
 * is also a dead letter, counted as misuse.
 *
 * Ownership  takes what the body owns, always; the bytes stay the caller's.
 * Order      FIFO from this sender to this receiver; no order between two senders.
 * Cost       one copy of the body, one atomic exchange; O(1). To a mailbox with a policy what
 *            ward_mailbox says; an answer to a thread outside O(threads that wait).
 * Contract   S4, S49
 */
WARD_API void ward_send(ward_self *self, ward_ref to, const ward_type *type, const void *body,
			size_t size);

/**
 * Sends like ward_send(), or answers why not. The plain form of ward_try_tell().
 *
 * Ownership  takes what the body owns on WARD_OK only.
 * Cost       as ward_send().
 * Errors     WARD_EDEAD, WARD_EFULL, WARD_ENOMEM, WARD_EFOREIGN, WARD_ESIZE, WARD_EINVAL.
 */
WARD_API WARD_MUST_USE ward_err ward_try_send(ward_self *self, ward_ref to, const ward_type *type,
					      const void *body, size_t size);

/**
 * Passes the current message on with its first sender. Its body is out of bounds afterwards.
 * Returns WARD_DONE.
 *
 * In pre_restart it acts on the message that failed. Without a current message, or when it was
 * taken or forwarded before, nothing happens.
 *
 * Ownership  moves the message; the runtime drops it when it cannot be delivered.
 * Cost       as ward_send(), but for the body: one that lies in its message is copied, it has 112
 *            bytes at most; others are not.
 * Contract   S31
 */
WARD_API ward_result ward_forward(ward_self *self, ward_ref to);

/* ---- sending, from a thread outside ------------------------------------------------------ */

/** Sends as nobody, like ward_send(). Threads: any outside the system's actors. Cost: as
 *  ward_send(), and a lock that these threads share. */
WARD_API void ward_system_send(ward_system *system, ward_ref to, const ward_type *type,
			       const void *body, size_t size);

/** Sends as nobody, like ward_try_send(). Cost: as ward_system_send(). */
WARD_API WARD_MUST_USE ward_err ward_system_try_send(ward_system *system, ward_ref to,
						     const ward_type *type, const void *body,
						     size_t size);

/* ---- reading. All borrow, until the callback returns ------------------------------------- */

/** Returns the body if the message is of this type, else NULL; the plain form of ward_match().
 *  Cost: as ward_type_same(). */
WARD_API const void *ward_msg_body(const ward_msg *msg, const ward_type *type);

/** Returns the type of the message; NULL only for a message that is NULL. Cost: O(1). */
WARD_API const ward_type *ward_msg_type(const ward_msg *msg);

/** Returns the size of the body in bytes; 0 for NULL. Cost: O(1). */
WARD_API size_t ward_msg_size(const ward_msg *msg);

/** Returns the sender, or nobody: a thread outside, the runtime, or a message that is NULL. Cost:
 *  O(1). */
WARD_API ward_ref ward_msg_sender(const ward_msg *msg);

/* ---- owning: big bodies, built in place and moved; received ones, kept ------------------- */

/**
 * Makes a body in message memory, zeroed: `size` bytes, at least the type's, at most its size_max
 * if it has one. The plain ward_make().
 *
 * Ownership  the incarnation's until ward_give_body() or ward_discard().
 * Cost       O(size).
 * Errors     NULL when memory is out or the size does not fit; the detail says which.
 */
WARD_API WARD_MUST_USE void *ward_make_body(ward_self *self, const ward_type *type, size_t size);

/**
 * Moves a body from ward_make_body() or ward_take_body(), without a copy. The plain ward_give().
 *
 * Ownership  takes the body, always: what cannot be delivered is dropped.
 * Cost       O(1), whatever its size.
 */
WARD_API void ward_give_body(ward_self *self, ward_ref to, const ward_type *type, void *body);

/**
 * Keeps the body of the current message beyond the callback. The plain form of ward_take().
 *
 * Ownership  the incarnation's until given on or discarded.
 * Cost       O(1); a body that lies in its message is copied, it has 112 bytes at most.
 * Errors     NULL: no current message, another type, taken or forwarded before, or no memory.
 */
WARD_API WARD_MUST_USE void *ward_take_body(ward_self *self, const ward_type *type);

/** Drops and frees a body from ward_make_body() or ward_take_body(). NULL is fine. Cost: O(1), and
 *  the drop of its type. */
WARD_API void ward_discard(ward_self *self, void *body);

/* ---- types that every actor understands -------------------------------------------------- */

/** Stops the receiver when it gets to it: all before it is handled. Contract: S50. */
WARD_API extern const ward_type ward_type_ward_poison_pill;

/** Makes the receiver fail with ward_killed when it gets to it. Contract: S50. */
WARD_API extern const ward_type ward_type_ward_kill;

/** Stands for the two above in ward_tell() and friends. */
struct ward_poison_pill {
	unsigned char none_;
};
/** See above. */
struct ward_kill {
	unsigned char none_;
};

WARD_END

#ifdef __cplusplus
#include <ward/cxx.h>
#endif

/* ---- declaring. In C++ a type has its namespaces in its name, as "bank::deposit" --------- */

/** Any struct. Copied as bytes; it may hold pointers, so it stays in this process. */
#define WARD_MESSAGE(T) WARD_TYPE_(T, #T, sizeof(struct T), WARD_TYPE_PLAIN_, NULL, NULL)

/** A struct without pointers: its bytes may leave the process as they are. */
#define WARD_MESSAGE_FLAT(T)                                                                       \
	WARD_TYPE_(T, #T, sizeof(struct T), WARD_TYPE_FLAT | WARD_TYPE_PLAIN_, NULL, NULL)

/** A struct that owns something: void drop_fn(struct T *) runs once on every path. */
#define WARD_MESSAGE_DROP(T, drop_fn)                                                              \
	static void ward_drop_##T(void *body_) WARD_NOEXCEPT                                       \
	{                                                                                          \
		drop_fn((struct T *)body_);                                                        \
	}                                                                                          \
	WARD_TYPE_(T, #T, sizeof(struct T), 0, ward_drop_##T, NULL)

/** As WARD_MESSAGE_DROP, with ward_err clone_fn(struct T *to, const struct T *from) beside it. */
#define WARD_MESSAGE_CLONE(T, drop_fn, clone_fn)                                                   \
	static void ward_drop_##T(void *body_) WARD_NOEXCEPT                                       \
	{                                                                                          \
		drop_fn((struct T *)body_);                                                        \
	}                                                                                          \
	static ward_err ward_clone_##T(void *to_, const void *from_) WARD_NOEXCEPT                 \
	{                                                                                          \
		return clone_fn((struct T *)to_, (const struct T *)from_);                         \
	}                                                                                          \
	WARD_TYPE_(T, #T, sizeof(struct T), 0, ward_drop_##T, ward_clone_##T)

/** A message without content. Declares struct T too, so that all verbs take it. */
#define WARD_SIGNAL(T)                                                                             \
	struct T {                                                                                 \
		unsigned char none_;                                                               \
	};                                                                                         \
	WARD_TYPE_(T, #T, 0, WARD_TYPE_FLAT | WARD_TYPE_PLAIN_, NULL, NULL)

/** As WARD_MESSAGE, with flags of its own: WARD_MESSAGE_FLAGS(pause, WARD_TYPE_CONTROL). */
#define WARD_MESSAGE_FLAGS(T, flags)                                                               \
	WARD_TYPE_(T, #T, sizeof(struct T), (flags) | WARD_TYPE_PLAIN_, NULL, NULL)

/** As WARD_SIGNAL, with flags besides WARD_TYPE_FLAT. */
#define WARD_SIGNAL_FLAGS(T, flags)                                                                \
	struct T {                                                                                 \
		unsigned char none_;                                                               \
	};                                                                                         \
	WARD_TYPE_(T, #T, 0, WARD_TYPE_FLAT | (flags) | WARD_TYPE_PLAIN_, NULL, NULL)

/** Says that request Q is answered by message R: ward_answer() and ward_system_ask() check it. */
#define WARD_REPLY(Q, R)                                                                           \
	WARD_UNUSED static inline const ward_type *ward_reply_type_##Q(void)                       \
	{                                                                                          \
		return &ward_type_##R;                                                             \
	}                                                                                          \
	typedef struct R ward_reply_to_##Q

/* A flag of the macros above, of types that they gave a name, one size and no drop: a send then
 * looks at nothing else. A type that is made by hand leaves it alone. */
#define WARD_TYPE_PLAIN_ 0x100
#define WARD_TYPE_(T, name_, size_, flags_, drop_, clone_)                                         \
	WARD_STATIC_ASSERT(WARD_ALIGNOF(struct T) <= 16, "a message is aligned to 16 at most");    \
	WARD_TYPE_NAME_(T)                                                                         \
	WARD_UNUSED static const ward_type ward_type_##T = {WARD_TYPE_NAME_OF_(T, name_),          \
							    (uint32_t)(size_),                     \
							    0,                                     \
							    0,                                     \
							    (flags_),                              \
							    drop_,                                 \
							    clone_,                                \
							    NULL,                                  \
							    NULL,                                  \
							    {0, 0, 0}}
#ifdef __cplusplus
/* In C++ the name of a type is that of its struct, with its namespaces: "bank::deposit", or
 * "deposit" as in C. What several files may have by one name is told apart by its place. */
#define WARD_TYPE_NAME_(T)                                                                         \
	static_assert(ward_is_bytes_<struct T>(), WARD_NOT_BYTES_);                                \
	WARD_UNUSED static constexpr ward_name_<ward_name_length_<struct T>(__FILE__, __LINE__,    \
									    __builtin_FUNCTION())> \
		ward_name_of_##T{ward_pretty_<struct T>(), __FILE__, __LINE__,                     \
				 __builtin_FUNCTION()};
#define WARD_TYPE_NAME_OF_(T, name_) ward_name_of_##T.text
#else
#define WARD_TYPE_NAME_(T)
#define WARD_TYPE_NAME_OF_(T, name_) name_
#endif

/* ---- the typed verbs (C) ----------------------------------------------------------------- */

#ifndef __cplusplus

/** Whether two types differ at first sight: in size, or within three letters. Most that do, do so.
 */
static inline bool ward_type_differs_(const ward_type *a, const ward_type *b)
{
	const char *x = a->name, *y = b->name;

	if (a == b)
		return false;
	return a->size != b->size || x[0] != y[0] ||
	       (y[0] != '\0' && (x[1] != y[1] || (y[1] != '\0' && x[2] != y[2])));
}

/** As ward_msg_body(), without a call for most. Of a message this much is fixed: its second word is
 *  the address of its type, with tags in the low three bits; without any its body begins at byte
 *  32. */
static inline const void *ward_msg_match_(const ward_msg *msg, const ward_type *type)
{
	uintptr_t word;

	if (msg == NULL)
		return NULL;
	word = ((const uintptr_t *)(const void *)msg)[1];
	if (word == (uintptr_t)type)
		return (const unsigned char *)(const void *)msg + 32;
	if (ward_type_differs_((const ward_type *)(word & ~(uintptr_t)7), type))
		return NULL;
	return ward_msg_body(msg, type);
}

/** As ward_msg_sender(), without a call. Fixed, too: where the sender stands. */
static inline ward_ref ward_msg_sender_(const ward_msg *msg)
{
	ward_ref sender = {0, 0, 0};

	if (msg != NULL) {
		sender.uid = ((const uint64_t *)(const void *)msg)[2];
		sender.place = ((const uint32_t *)(const void *)msg)[6];
	}
	return sender;
}

/** ward_tell(self, to, deposit, .cents = 5): sends; never jumps, answers nothing. Cost: as
 *  ward_send(). */
#define ward_tell(self, to, ...) ward_send((self), (to), WARD_BODY(__VA_ARGS__))

/** ward_try_tell(self, to, deposit, .cents = 5): sends, or answers a code. Cost: as ward_send(). */
#define ward_try_tell(self, to, ...) ward_try_send((self), (to), WARD_BODY(__VA_ARGS__))

/** ward_system_tell(system, to, deposit, .cents = 5): from a thread outside. Cost: as
 *  ward_system_send(). */
#define ward_system_tell(system, to, ...) ward_system_send((system), (to), WARD_BODY(__VA_ARGS__))

/** ward_system_try_tell(system, to, deposit, .cents = 5): the same, with a code. Cost: as
 *  ward_system_send(). */
#define ward_system_try_tell(system, to, ...)                                                      \
	ward_system_try_send((system), (to), WARD_BODY(__VA_ARGS__))

/** As ward_send(); returns WARD_DONE. */
static inline ward_result ward_send_last_(ward_self *self, ward_ref to, const ward_type *type,
					  const void *body, size_t size)
{
	ward_send(self, to, type, body, size);
	return WARD_DONE;
}

/** ward_reply(self, msg, balance, .cents = 5): sends to the sender of msg, and returns WARD_DONE,
 *  for `return ward_reply(...)`. Cost: as ward_send(). */
#define ward_reply(self, msg, ...)                                                                 \
	ward_send_last_((self), ward_msg_sender_(msg), WARD_BODY(__VA_ARGS__))

/** ward_answer(self, msg, get_balance, .cents = 5): names the type of the question, not that of the
 *  answer: it is a reply of the type that WARD_REPLY named for it. Without fields all zero, or a
 *  signal. Returns WARD_DONE. Cost: as ward_send(). */
#define ward_answer(self, msg, ...)                                                                \
	ward_send_last_((self), ward_msg_sender_(msg),                                             \
			WARD_PASTE_(WARD_ANSWER_, WARD_ONE_OR_MORE_(__VA_ARGS__))(__VA_ARGS__))

/** const struct T * if msg is a T, else NULL. Cost: as ward_type_same(); mostly without a call. */
#define ward_match(msg, T) ((const struct T *)ward_msg_match_((msg), &ward_type_##T))

/** struct T *, zeroed, in message memory, followed by `extra` bytes; NULL: no memory. Cost: as
 *  ward_make_body(). */
#define ward_make(self, T, extra)                                                                  \
	((struct T *)ward_make_body((self), &ward_type_##T, sizeof(struct T) + (extra)))

/** ward_give(self, to, frame, &f): moves *f, without a copy; f is NULL afterwards. Cost: as
 *  ward_give_body(). */
#define ward_give(self, to, T, pointer)                                                            \
	(ward_give_body((self), (to), &ward_type_##T, 1 ? *(pointer) : (struct T *)0),             \
	 (void)(*(pointer) = NULL))

/** struct T *: the current message, now the incarnation's. NULL: see ward_take_body(). Cost: as
 *  that. */
#define ward_take(self, T) ((struct T *)ward_take_body((self), &ward_type_##T))

/** Expands to the three arguments (type, body, size) that the plain verbs take. */
#define WARD_BODY(...) WARD_PASTE_(WARD_BODY_, WARD_ONE_OR_MORE_(__VA_ARGS__))(__VA_ARGS__)
/** The same three for a struct that is filled already; the pointer's type is checked. */
#define WARD_COPY(T, pointer) &ward_type_##T, 1 ? (pointer) : (const struct T *)0, sizeof(struct T)
/** WARD_ARGS(clerk, .desk = 3): the initializer of a ward_body; without fields all zero. */
#define WARD_ARGS(...)                                                                             \
	{                                                                                          \
		WARD_BODY(__VA_ARGS__)                                                             \
	}
#define WARD_BODY_ONE(T) &ward_type_##T, (1 ? NULL : (const struct T *)NULL), 0
#define WARD_BODY_MORE(T, ...) &ward_type_##T, &(struct T){__VA_ARGS__}, sizeof(struct T)

/** What ward_answer() sends: the three arguments. */
#define WARD_ANSWER_ONE(Q) ward_reply_type_##Q(), (1 ? NULL : (const ward_reply_to_##Q *)NULL), 0
#define WARD_ANSWER_MORE(Q, ...)                                                                   \
	ward_reply_type_##Q(), &(ward_reply_to_##Q){__VA_ARGS__}, sizeof(ward_reply_to_##Q)

#define WARD_PASTE_(a, b) WARD_PASTE_2_(a, b)
#define WARD_PASTE_2_(a, b) a##b
#define WARD_ONE_OR_MORE_(...)                                                                     \
	WARD_64TH_(__VA_ARGS__, MORE, MORE, MORE, MORE, MORE, MORE, MORE, MORE, MORE, MORE, MORE,  \
		   MORE, MORE, MORE, MORE, MORE, MORE, MORE, MORE, MORE, MORE, MORE, MORE, MORE,   \
		   MORE, MORE, MORE, MORE, MORE, MORE, MORE, MORE, MORE, MORE, MORE, MORE, MORE,   \
		   MORE, MORE, MORE, MORE, MORE, MORE, MORE, MORE, MORE, MORE, MORE, MORE, MORE,   \
		   MORE, MORE, MORE, MORE, MORE, MORE, MORE, MORE, MORE, MORE, MORE, MORE, ONE, 0)
#define WARD_64TH_(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17,     \
		   a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, \
		   a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45, a46, a47, a48, a49, \
		   a50, a51, a52, a53, a54, a55, a56, a57, a58, a59, a60, a61, a62, a63, a64, ...) \
	a64

#endif /* !__cplusplus */
#endif
