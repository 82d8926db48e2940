/* SPDX-License-Identifier: MIT
 *
 * ward/types.h - the types that all other headers use: refs, error codes, results, durations.
 *
 * A program uses two handles. `ward_self *` is the running actor; it is valid only inside that
 * actor's own callbacks. `ward_system *` is a tree of actors with its threads; it is for threads
 * outside the actors. A function takes the handle of the side that may call it, so that a call on
 * the wrong side does not compile.
 *
 * A call that can be refused returns a `ward_err`, which must be checked; ward_err_detail() then
 * says what was refused, where, and what to do about it.
 */
#ifndef WARD_TYPES_H
#define WARD_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined __cplusplus && __cplusplus < 201703L
#error "ward: in C++ the headers need C++17 or later: -std=c++17"
#endif

/** Differences between C and C++, for the headers of ward. WARD_NOEXCEPT marks a function of the
 *  program that ward calls: no exception may leave it, so in C++ it must be declared noexcept;
 *  otherwise it does not compile. */
#ifdef __cplusplus
#define WARD_NOEXCEPT noexcept
#define WARD_BEGIN extern "C" {
#define WARD_END }
#define WARD_STATIC_ASSERT static_assert
#define WARD_ALIGNOF alignof
#else
#define WARD_NOEXCEPT
#define WARD_BEGIN
#define WARD_END
#define WARD_STATIC_ASSERT _Static_assert
#define WARD_ALIGNOF _Alignof
#endif
/** Attributes, for the headers of ward and of libraries built on it. */
#define WARD_API __attribute__((visibility("default")))
#define WARD_MUST_USE __attribute__((warn_unused_result))
#define WARD_NORETURN __attribute__((noreturn))
#define WARD_PRINTF(format_at, first_at) __attribute__((format(printf, format_at, first_at)))
#define WARD_UNUSED __attribute__((unused))

WARD_BEGIN

/** A tree of actors with its threads. Opaque. Threads: any, unless a call says otherwise. */
typedef struct ward_system ward_system;

/** The running actor. Opaque; valid only inside the actor's own callbacks, on the thread that runs
 *  them. */
typedef struct ward_self ward_self;

/** A received message. Opaque; borrowed until the callback returns. */
typedef struct ward_msg ward_msg;

/** A failure that happened: a class, a text, and optionally a typed body and a cause. Opaque. */
typedef struct ward_failure ward_failure;

/** A message type; see message.h. */
typedef struct ward_type ward_type;

/** A class of failures; see failure.h. */
typedef struct ward_failure_class ward_failure_class;

/** How a parent reacts when its children fail; see supervise.h. */
typedef struct ward_strategy ward_strategy;

/** The behaviour of an actor: its callbacks and sizes; see actor.h. */
typedef struct ward_behavior ward_behavior;

/** Everything that is needed to start an actor, and to restart it; see actor.h. */
typedef struct ward_props ward_props;
/** The driver of a system that runs on one thread, for tests; see simulation.h. */
typedef struct ward_simulation ward_simulation;

/**
 * The address of an actor: a value. Copy, compare, store and send it freely; there is nothing to
 * release.
 *
 * A ref holds numbers, not a pointer, and denotes one life of an actor, from its spawn to its end,
 * restarts included. A ref of all zeros denotes nobody. A ref that has outlived its actor is safe
 * to use: a message sent to it becomes a dead letter. The fields are private to the library;
 * compare refs with ward_ref_equal().
 */
typedef struct ward_ref {
	uint64_t uid;    /* generation and slot: identifies one life, never reused */
	uint32_t place_; /* the system that the actor belongs to; 0: nobody */
	uint32_t spare;  /* zero */
} ward_ref;

/** Returns the ref that denotes nobody. Cost: O(1). */
static inline ward_ref ward_nobody(void)
{
	ward_ref none = {0, 0, 0};
	return none;
}

/** Returns true if both refs denote the same life of the same actor. Cost: O(1). Contract: S57. */
static inline bool ward_ref_equal(ward_ref a, ward_ref b)
{
	return a.uid == b.uid && a.place_ == b.place_;
}

/** Returns true if the ref denotes nobody. Cost: O(1). */
static inline bool ward_ref_is_nobody(ward_ref ref)
{
	return ref.place_ == 0;
}

/** The error code that a call returns. The numbers are stable. */
typedef enum ward_err {
	WARD_OK = 0,
	WARD_EINVAL = 1,     /* an argument or an option is wrong */
	WARD_ENOMEM = 2,     /* out of memory */
	WARD_ENAME = 3,      /* not a valid actor name */
	WARD_EEXIST = 4,     /* it exists already: the name, the watch, the descriptor */
	WARD_ENOENT = 5,     /* there is no such dispatcher, timer, descriptor, ... */
	WARD_ESTOPPING = 6,  /* the actor or the system is stopping */
	WARD_EDEAD = 7,      /* there is no such actor, or no longer */
	WARD_EFULL = 8,      /* the mailbox is full, or the stash is */
	WARD_ESIZE = 9,      /* the size does not match the type */
	WARD_EUNIQUE = 10,   /* a copy is needed, but the type has a drop function and no clone */
	WARD_ELOCAL = 11,    /* the type cannot leave the process; see codec.h */
	WARD_EFOREIGN = 12,  /* the ref belongs to another system */
	WARD_ETIMEDOUT = 13, /* the time is up */
	WARD_ETYPE = 14,     /* the answer has another type than WARD_REPLY() names */
	WARD_ELIMIT = 15,    /* a limit of the system is reached */
	WARD_ETHREAD = 16,   /* not allowed on this thread: it would wait for itself */
	WARD_EFORKED = 17,   /* the process is a fork of the one that created the system */
	WARD_ESYS = 18,      /* a system call failed; the detail says why */
	WARD_EOPEN = 19,     /* a circuit breaker is open */
	/** object.h: the called object has failed; the detail has the text of its failure. */
	WARD_EFAILED = 20,
	/** The system or the process that it needs is not connected, or its connection was lost. */
	WARD_EUNREACHED = 21
} ward_err;

/** Returns a constant text for an error code, never NULL. Threads: any. Cost: O(1). */
WARD_API const char *ward_err_text(ward_err err);

/**
 * Returns a description of the last call on this thread that returned an error code: what was
 * refused, where, and what to do about it. Never NULL; "" before the first such call.
 *
 * Ownership  borrowed until the next such call on this thread.
 * Threads    any; each thread has its own.
 * Cost       O(1).
 */
WARD_API const char *ward_err_detail(void);

/** The result that a callback of an actor returns. */
typedef enum ward_result {
	WARD_DONE = 0, /* success */
	/** receive only: the message is not one that the actor handles. It makes an event
	 *  WARD_EVENT_UNHANDLED, which is not logged by default: see options.log_kinds. */
	WARD_UNHANDLED = 1,
	/** Only as the return value of ward_failed() and similar functions: the parent decides.
	 *  WARD_FAILED without a noted failure is ward_misuse. */
	WARD_FAILED = 2
} ward_result;

/** How an actor ended; in ward_stop_reason(), why a hook runs. The numbers are stable. Contract:
 *  S61. */
typedef enum ward_end {
	/** The actor was already gone when the watch arrived. */
	WARD_END_UNKNOWN = 0,
	/** It stopped itself: by ward_stop_self(), by ward_stop() with its own ref, or by
	 *  ward_exit_self() with normal. */
	WARD_END_NORMAL = 1,
	/** It was stopped by its parent, by ward_stop() in another actor, ward_system_stop(),
	 *  ward_poison_pill or the shutdown; or by an exit signal, or ward_exit_self(), with the
	 *  kind WARD_EXIT_SHUTDOWN (see link.h). */
	WARD_END_STOPPED = 2,
	WARD_END_FAILED = 3, /* it had failed and was then stopped */
	WARD_END_KILLED = 4, /* by ward_kill, or by an exit signal of this kind */
	/** By an exit signal, or ward_exit_self(), of another kind; a link reports the reason. */
	WARD_END_EXITED = 5,
	/** The connection to its machine or process was lost, and it may still be running: for
	 *  libraries built on ward. */
	WARD_END_UNREACHED = 6,
	/** Not an end, only from ward_stop_reason(): a new incarnation follows. */
	WARD_END_RESTARTED = 7
} ward_end;

/** Returns "normal", "stopped", "failed", ...; never NULL. Threads: any. Cost: O(1). */
WARD_API const char *ward_end_text(ward_end end);

/** Durations: int64_t, in milliseconds; names of parameters and fields end in _ms. */
#define WARD_SECOND INT64_C(1000)
#define WARD_MINUTE INT64_C(60000)
#define WARD_HOUR INT64_C(3600000)
#define WARD_FOREVER INT64_MAX
/** Nanoseconds per millisecond. Points in time, such as ward_now_ns(), are int64_t nanoseconds;
 *  their names end in _ns. */
#define WARD_NS_PER_MS INT64_C(1000000)

WARD_END
#endif
