/* SPDX-License-Identifier: MIT
 *
 * ward/message.h - how to declare, send, match and own messages.
 *
 *	struct deposit { uint64_t account; int64_t cents; };	plain C
 *	WARD_MESSAGE(deposit);					may be in a header
 *	ward_tell(self, bank, deposit, .cents = 5);		built in place, copied once
 *	const struct deposit *d = ward_match(msg, deposit);	NULL: another type
 *
 * A message has a type (a constant descriptor) and a body (a struct of the program). A type is
 * identified by its name, size and layout word; equal addresses only make the comparison fast. So a
 * type may be declared in a header, without registration and without a .c file. If the compiler
 * says that ward_type_deposit is undeclared, WARD_MESSAGE(deposit) is missing.
 *
 * Ownership of a body: from the send on, the runtime owns the body and everything that it owns. The
 * drop function of the type runs exactly once, whether the message is handled, dropped, refused
 * or dead. The exceptions are ward_try_send(), ward_system_try_send() and
 * ward_try_give_body_from(): after a refusal by one of these, the body is still the caller's. All
 * other calls that take a body drop it when they are refused. A received message is borrowed until
 * the callback returns; ward_take() keeps it, ward_forward() passes it on.
 *
 * Each verb has a plain form, a function such as ward_send(), which takes the type, the body and
 * its size. The macros in the second half, such as ward_tell(), fill in these three.
 */
#ifndef WARD_MESSAGE_H
#define WARD_MESSAGE_H

#include <ward/types.h>

WARD_BEGIN

/** Flags of a message type. */
enum {
	WARD_TYPE_FLAT = 1,            /* the bytes are valid in another process: no pointers */
	WARD_TYPE_QUIET = 2,           /* its dead letters are WARD_EVENT_SUPPRESSED */
	WARD_TYPE_NOT_INFLUENCING = 4, /* does not restart a receive timeout; see timer.h */
	/** Overtakes other messages if the mailbox allows it: see ward_mailbox.control_first. */
	WARD_TYPE_CONTROL = 8
};

/** A buffer for an `encode`; see codec.h. */
typedef struct ward_bytes ward_bytes;

/** The table of a type's fields; see codec.h. */
typedef struct ward_codec ward_codec;

/**
 * A message type. Constant, with static storage; fields of zero are the defaults.
 *
 * Names that begin with "ward_", "wardi_" or "ward." are reserved for ward's own types. A send does
 * not check the name: a program's type with the name and size of one of ward's types is taken for
 * that type.
 *
 * `drop` frees what the body owns. When `clone` is called, *to has the same bytes as *from; `clone`
 * replaces what *to shares with *from by copies. It is needed where a body is copied more than once
 * (repeating timers, arguments). A type with a drop and no clone can only be moved. Neither
 * function gets the size of the body: if that varies, the fixed part must contain it.
 *
 * A clone that fails frees the copies that it made, and returns an error code; `drop` does not run
 * on `to`. It may note a text with ward_refused(). If it returns WARD_ESYS without a text,
 * ward_err_detail() reports the text of errno.
 *
 * `codec` describes the body for what leaves the process: WARD_MESSAGE_FIELDS sets it. A type that
 * a table cannot describe has an `encode` and a `decode` of its own instead; without a table and
 * without them, bodies stay in the process. `encode` appends the bytes with ward_bytes_add(); they
 * are written as they are in WARD_FORMAT_WIRE, and as a binary in a term; the type has no JSON.
 * `decode` gets those bytes, which anybody may have sent, and a body of `size` zeros; after an
 * error it owns nothing.
 *
 * Threads    drop and clone run on any thread, and must not call ward, except ward_refused() and
 *            the functions of extend.h for copying props.
 */
struct ward_type {
	const char *name;
	uint32_t size; /* of the body, or of its fixed part; 0: no body */
	/** 0: bodies have exactly `size` bytes, but ward_make() may append more; otherwise bodies
	 *  have size..size_max bytes. */
	uint32_t size_max;
	uint32_t layout; /* the version of the struct; only compared; usually 0 */
	uint32_t flags;  /* WARD_TYPE_... */
	void (*drop)(void *body) WARD_NOEXCEPT;
	ward_err (*clone)(void *to, const void *from) WARD_NOEXCEPT;
	ward_err (*encode)(const void *body, size_t size, ward_bytes *out) WARD_NOEXCEPT;
	ward_err (*decode)(const void *bytes, size_t count, void *body, size_t size) WARD_NOEXCEPT;
	const ward_codec *codec; /* NULL: no table */
	uintptr_t reserved[2];   /* zero */
};

/**
 * A body with its type, as an actor takes it for its arguments. In an initializer
 *
 *	.args = WARD_ARGS(clerk, .desk = 3)		built in place
 *	.args = {WARD_COPY(clerk, &options)}		a struct that exists already
 *
 * and elsewhere (ward_body)WARD_ARGS(...). All zero: no arguments.
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
 * A message that cannot be delivered, also because memory ran out, becomes a dead letter with its
 * reason. A body of NULL with size 0 stands for all zeros. A type of NULL, or a size that does not
 * match the type, also makes a dead letter, with the reason MISUSE.
 *
 * Ownership  takes what the body owns, always; the bytes remain the caller's.
 * Order      FIFO from this sender to this receiver; no order between two senders.
 * Cost       O(1): one copy of the body, one atomic exchange. A mailbox with a policy costs what
 *            ward_mailbox says; an answer to a thread outside is O(threads that wait).
 * Contract   S4, S49
 */
WARD_API void ward_send(ward_self *self, ward_ref to, const ward_type *type, const void *body,
			size_t size);

/**
 * Sends a copy of the body like ward_send(), or returns why it cannot. The plain form of
 * ward_try_tell().
 *
 * Ownership  takes what the body owns on WARD_OK only.
 * Cost       as ward_send().
 * Errors     WARD_EDEAD, WARD_EFULL, WARD_ENOMEM, WARD_EFOREIGN, WARD_ESIZE, WARD_EINVAL;
 *            WARD_EUNREACHED the connection to its system was lost; WARD_ELOCAL the type has no
 *            table, and cannot leave the process. Nothing is sent then.
 */
WARD_API WARD_MUST_USE ward_err ward_try_send(ward_self *self, ward_ref to, const ward_type *type,
					      const void *body, size_t size);

/**
 * Passes the current message on, with its original sender. Its body may not be accessed after this.
 * Returns WARD_DONE.
 *
 * In pre_restart the message is the one that failed. Without a current message, or if it was taken
 * or forwarded already, nothing happens.
 *
 * Ownership  moves the message; the runtime drops it if it cannot be delivered.
 * Cost       as ward_send(), but a body of more than 112 bytes is not copied.
 * Contract   S31
 */
WARD_API ward_result ward_forward(ward_self *self, ward_ref to);

/* ---- sending, from a thread outside ------------------------------------------------------ */

/** Sends like ward_send(), without a sender. Threads: any; in a callback use ward_send(), which has
 *  the sender. Cost: as ward_send(), and a lock that these threads share. */
WARD_API void ward_system_send(ward_system *system, ward_ref to, const ward_type *type,
			       const void *body, size_t size);

/** Sends like ward_try_send(), without a sender. Threads: as ward_system_send(). Cost: as
 *  ward_system_send(). */
WARD_API WARD_MUST_USE ward_err ward_system_try_send(ward_system *system, ward_ref to,
						     const ward_type *type, const void *body,
						     size_t size);

/* ---- reading. Everything returned is borrowed until the callback returns ----------------- */

/** Returns the body if the message has this type, otherwise NULL. The plain form of ward_match().
 *  Cost: as ward_type_same(). */
WARD_API const void *ward_msg_body(const ward_msg *msg, const ward_type *type);

/** Returns the type of the message; NULL only if the message is NULL. Cost: O(1). */
WARD_API const ward_type *ward_msg_type(const ward_msg *msg);

/** Returns the size of the body in bytes; 0 if the message is NULL. Cost: O(1). */
WARD_API size_t ward_msg_size(const ward_msg *msg);

/** Returns the sender. It is nobody if a thread outside or the runtime sent the message, or if the
 *  message is NULL. Cost: O(1). */
WARD_API ward_ref ward_msg_sender(const ward_msg *msg);

/* ---- owning: build large bodies in place and move them; keep received ones --------------- */

/**
 * Allocates a zeroed body in message memory. `size` is at least the type's size, and at most its
 * size_max if it has one. The plain form of ward_make().
 *
 * Ownership  the incarnation owns the body until ward_give_body() or ward_discard(); its end drops
 *            the body.
 * Cost       O(size).
 * Errors     NULL: out of memory, or the size does not match; ward_err_detail() says which.
 */
WARD_API WARD_MUST_USE void *ward_make_body(ward_self *self, const ward_type *type, size_t size);

/**
 * Allocates a body like ward_make_body(), but does not zero it: write each byte that anybody will
 * read. For a large body that the program fills anyway. The plain form of ward_make_uninit().
 *
 * The bytes may be those of an earlier message. In a simulation each is 0xcd, so that a program
 * that reads one does the same each time. If the type has a drop function, which may run before the
 * body is filled, the first bytes, as many as the size of the type, are zeroed.
 *
 * Ownership  as ward_make_body().
 * Cost       O(1); with a drop function, O(size of the type).
 * Errors     as ward_make_body().
 */
WARD_API WARD_MUST_USE void *ward_make_body_uninit(ward_self *self, const ward_type *type,
						   size_t size);

/**
 * Sends a body that the incarnation owns without a copy: one from ward_make_body(),
 * ward_make_body_uninit() or ward_take_body(). The plain form of ward_give().
 *
 * NULL has no effect. A body of another type becomes a dead letter (WARD_REASON_MISUSE). A pointer
 * that is not such a body, or was given already, is undefined behaviour.
 *
 * Ownership  takes the body, always; the runtime drops it if it cannot be delivered.
 * Cost       O(1), regardless of the size.
 */
WARD_API void ward_give_body(ward_self *self, ward_ref to, const ward_type *type, void *body);

/**
 * Keeps the body of the current message beyond the callback, and returns it. The plain form of
 * ward_take().
 *
 * Use the returned pointer from then on: one from ward_match() is no longer valid. The sender and
 * the type of the message remain readable until the callback returns.
 *
 * Ownership  the incarnation owns the body until ward_give_body() or ward_discard(); its end drops
 *            the body.
 * Cost       O(1); a body of at most 112 bytes is copied.
 * Errors     NULL: no current message, another type, taken or forwarded already, or no memory.
 */
WARD_API WARD_MUST_USE void *ward_take_body(ward_self *self, const ward_type *type);

/** Drops and frees a body that the incarnation owns: from ward_make_body(), ward_make_body_uninit()
 *  or ward_take_body(). NULL is allowed. Cost: O(1), and the drop function of the type. */
WARD_API void ward_discard(ward_self *self, void *body);

/* ---- types that every actor understands -------------------------------------------------- */

/** Stops the receiver, after it has handled all messages in front of this one. Contract: S50. */
WARD_API extern const ward_type ward_type_ward_poison_pill;

/** Makes the receiver fail with ward_killed, after all messages in front of this one. Contract:
 *  S50. */
WARD_API extern const ward_type ward_type_ward_kill;

/** The struct of ward_type_ward_poison_pill, for ward_tell() and the other macros. */
struct ward_poison_pill {
	unsigned char none_;
};
/** The struct of ward_type_ward_kill, for ward_tell() and the other macros. */
struct ward_kill {
	unsigned char none_;
};

WARD_END

#ifdef __cplusplus
#include <ward/cxx.h>
#endif

/* ---- declaring. In C++ the name of a type includes its namespaces: "bank::deposit" ------- */

/** Declares struct T as a message, copied as bytes: defines its type, the constant ward_type_T. The
 *  struct may hold pointers, so it stays in this process. */
#define WARD_MESSAGE(T) WARD_TYPE_(T, #T, sizeof(struct T), WARD_TYPE_PLAIN_, NULL, NULL)

/** Declares a struct without pointers as a message: its bytes may leave the process unchanged. */
#define WARD_MESSAGE_FLAT(T)                                                                       \
	WARD_TYPE_(T, #T, sizeof(struct T), WARD_TYPE_FLAT | WARD_TYPE_PLAIN_, NULL, NULL)

/** Declares a struct that owns something as a message. `void drop_fn(struct T *)` runs exactly
 *  once, whatever happens to the message. */
#define WARD_MESSAGE_DROP(T, drop_fn)                                                              \
	static void ward_drop_##T(void *body_) WARD_NOEXCEPT                                       \
	{                                                                                          \
		drop_fn((struct T *)body_);                                                        \
	}                                                                                          \
	WARD_TYPE_(T, #T, sizeof(struct T), 0, ward_drop_##T, NULL)

/** As WARD_MESSAGE_DROP, also with `ward_err clone_fn(struct T *to, const struct T *from)`. */
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

/** Declares a message without a body, and the struct T, so that ward_tell() and the other macros
 *  take it. Write no fields behind it: the compiler accepts `ward_tell(self, to, T, 3)`, but the
 *  size does not fit the type, and the message becomes a dead letter (WARD_REASON_MISUSE). Where a
 *  message needs a value, use WARD_MESSAGE. */
#define WARD_SIGNAL(T)                                                                             \
	struct T {                                                                                 \
		unsigned char none_;                                                               \
	};                                                                                         \
	WARD_TYPE_(T, #T, 0, WARD_TYPE_FLAT | WARD_TYPE_PLAIN_, NULL, NULL)

/** As WARD_MESSAGE, with flags: `WARD_MESSAGE_FLAGS(pause, WARD_TYPE_CONTROL)`. */
#define WARD_MESSAGE_FLAGS(T, flags)                                                               \
	WARD_TYPE_(T, #T, sizeof(struct T), (flags) | WARD_TYPE_PLAIN_, NULL, NULL)

/** As WARD_SIGNAL, with further flags; WARD_TYPE_FLAT is always set. */
#define WARD_SIGNAL_FLAGS(T, flags)                                                                \
	struct T {                                                                                 \
		unsigned char none_;                                                               \
	};                                                                                         \
	WARD_TYPE_(T, #T, 0, WARD_TYPE_FLAT | (flags) | WARD_TYPE_PLAIN_, NULL, NULL)

/** Declares that request Q is answered by message R: ward_answer() and ward_system_ask() check
 *  it. */
#define WARD_REPLY(Q, R)                                                                           \
	WARD_UNUSED static inline const ward_type *ward_reply_type_##Q(void)                       \
	{                                                                                          \
		return &ward_type_##R;                                                             \
	}                                                                                          \
	typedef struct R ward_reply_to_##Q

/* Set by the macros above for types with a name, one size and no drop: a send checks nothing else
 * then. Types that are written by hand do not set it. */
#define WARD_TYPE_PLAIN_ 0x100
/* Where there is no memory to pass it to another system the association fails: to lose it would
 * leave an actor there that goes on, or waits, forever. */
#define WARD_TYPE_CERTAIN_ 0x200
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
							    NULL,                                  \
							    {0, 0}}
#ifdef __cplusplus
/* In C++ the name of a type is that of its struct, with its namespaces: "bank::deposit", or
 * "deposit" as in C. Types of the same name in several files are distinguished by their place. */
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

/** Returns true if two types differ in size or in the first three letters of their names, as most
 *  different types do. */
static inline bool ward_type_differs_(const ward_type *a, const ward_type *b)
{
	const char *x = a->name, *y = b->name;

	if (a == b)
		return false;
	return a->size != b->size || x[0] != y[0] ||
	       (y[0] != '\0' && (x[1] != y[1] || (y[1] != '\0' && x[2] != y[2])));
}

/** As ward_msg_body(), mostly without a call. This much of the layout of a message is fixed: its
 *  second word is the address of its type, with tags in the low three bits; without tags its body
 *  begins at byte 32. */
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

/** As ward_msg_sender(), without a call. The offset of the sender is fixed, too. */
static inline ward_ref ward_msg_sender_(const ward_msg *msg)
{
	ward_ref sender = {0, 0, 0};

	if (msg != NULL) {
		sender.uid = ((const uint64_t *)(const void *)msg)[2];
		sender.place_ = ((const uint32_t *)(const void *)msg)[6];
	}
	return sender;
}

/** Sends a message: `ward_tell(self, to, deposit, .cents = 5)`. Never jumps, returns nothing. A
 *  WARD_SIGNAL has no fields: with a value behind it, it is not delivered. Cost: as ward_send(). */
#define ward_tell(self, to, ...) ward_send((self), (to), WARD_BODY(__VA_ARGS__))

/** Sends a message, or returns an error code: `ward_try_tell(self, to, deposit, .cents = 5)`. Cost:
 *  as ward_send(). */
#define ward_try_tell(self, to, ...) ward_try_send((self), (to), WARD_BODY(__VA_ARGS__))

/** Sends a message from a thread outside: `ward_system_tell(system, to, deposit, .cents = 5)`.
 *  Cost: as ward_system_send(). */
#define ward_system_tell(system, to, ...) ward_system_send((system), (to), WARD_BODY(__VA_ARGS__))

/** Sends a message from a thread outside, or returns an error code. Cost: as ward_system_send(). */
#define ward_system_try_tell(system, to, ...)                                                      \
	ward_system_try_send((system), (to), WARD_BODY(__VA_ARGS__))

/** Sends like ward_send(), and returns WARD_DONE. */
static inline ward_result ward_send_last_(ward_self *self, ward_ref to, const ward_type *type,
					  const void *body, size_t size)
{
	ward_send(self, to, type, body, size);
	return WARD_DONE;
}

/** Sends a message to the sender of msg: `return ward_reply(self, msg, balance, .cents = 5)`.
 *  Returns WARD_DONE. Cost: as ward_send(). */
#define ward_reply(self, msg, ...)                                                                 \
	ward_send_last_((self), ward_msg_sender_(msg), WARD_BODY(__VA_ARGS__))

/** Answers a question: `return ward_answer(self, msg, get_balance, .cents = 5)`. The name is that
 *  of the question; the reply has the type that WARD_REPLY() declares for it. Without fields, the
 *  reply is a signal, or all zeros. For a reply in a variable: ward_send(self,
 *  ward_msg_sender(msg), WARD_COPY(balance, &b)). Returns WARD_DONE. Cost: as ward_send(). */
#define ward_answer(self, msg, ...)                                                                \
	ward_send_last_((self), ward_msg_sender_(msg),                                             \
			WARD_PASTE_(WARD_ANSWER_, WARD_ONE_OR_MORE_(__VA_ARGS__))(__VA_ARGS__))

/** Returns the body of msg as a const struct T * if msg is a T, otherwise NULL. Cost: as
 *  ward_type_same(); mostly without a call. */
#define ward_match(msg, T) ((const struct T *)ward_msg_match_((msg), &ward_type_##T))

/** Returns a zeroed struct T * in message memory, followed by `extra` bytes; NULL: no memory. Cost:
 *  as ward_make_body(). */
#define ward_make(self, T, extra)                                                                  \
	((struct T *)ward_make_body((self), &ward_type_##T, sizeof(struct T) + (extra)))

/** Returns a struct T * like ward_make(), but not zeroed: see ward_make_body_uninit(). Cost: as
 *  ward_make_body_uninit(). */
#define ward_make_uninit(self, T, extra)                                                           \
	((struct T *)ward_make_body_uninit((self), &ward_type_##T, sizeof(struct T) + (extra)))

/** Sends a body from ward_make() or ward_take() without a copy: `ward_give(self, to, frame, &f)`.
 *  Sets f to NULL. Cost: as ward_give_body(). */
#define ward_give(self, to, T, pointer)                                                            \
	(ward_give_body((self), (to), &ward_type_##T, 1 ? *(pointer) : (struct T *)0),             \
	 (void)(*(pointer) = NULL))

/** Keeps the body of the current message, and returns it as a struct T *. NULL: see
 *  ward_take_body(). Cost: as ward_take_body(). */
#define ward_take(self, T) ((struct T *)ward_take_body((self), &ward_type_##T))

/** Expands to the three arguments (type, body, size) that the plain forms take:
 *  `WARD_BODY(deposit, .cents = 5)`. */
#define WARD_BODY(...) WARD_PASTE_(WARD_BODY_, WARD_ONE_OR_MORE_(__VA_ARGS__))(__VA_ARGS__)
/** Expands to the same three arguments for a struct that exists already: `WARD_COPY(deposit, &d)`.
 *  The type of the pointer is checked. */
#define WARD_COPY(T, pointer) &ward_type_##T, 1 ? (pointer) : (const struct T *)0, sizeof(struct T)
/** Expands to the initializer of a ward_body: `WARD_ARGS(clerk, .desk = 3)`. Without fields, the
 *  body is all zeros. */
#define WARD_ARGS(...)                                                                             \
	{                                                                                          \
		WARD_BODY(__VA_ARGS__)                                                             \
	}
#define WARD_BODY_ONE(T) &ward_type_##T, (1 ? NULL : (const struct T *)NULL), 0
#define WARD_BODY_MORE(T, ...) &ward_type_##T, &(struct T){__VA_ARGS__}, sizeof(struct T)

/** Expands to the three arguments that ward_answer() sends. */
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
