/* SPDX-License-Identifier: MIT
 *
 * ward/types.h - the words that every other header uses: refs, codes, results, durations.
 *
 * A program meets two handles. `ward_self *` is the running actor; it exists only inside the
 * actor's own callbacks. `ward_system *` is a tree of actors with its threads; it serves the
 * threads outside. What is wrong on one side lacks its first argument there.
 *
 * A call that can be refused answers a `ward_err` that must be looked at; ward_err_detail()
 * then says what, where and what to do about it.
 */
#ifndef WARD_TYPES_H
#define WARD_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined __cplusplus && __cplusplus < 201703L
#error "ward: in C++ the headers need C++17 or later: -std=c++17"
#endif

/** For the headers of ward, in C and in C++. WARD_NOEXCEPT: of a function that ward calls. No
 *  exception may leave it, so in C++ it has to be noexcept, or does not compile. */
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
/** Attributes, for the headers of ward and of libraries on top of it. */
#define WARD_API __attribute__((visibility("default")))
#define WARD_MUST_USE __attribute__((warn_unused_result))
#define WARD_NORETURN __attribute__((noreturn))
#define WARD_PRINTF(format_at, first_at) __attribute__((format(printf, format_at, first_at)))
#define WARD_UNUSED __attribute__((unused))

WARD_BEGIN

/** A tree of actors with its threads. Opaque. Threads: any, unless a call says otherwise. */
typedef struct ward_system ward_system;

/** The running actor. Opaque; valid only inside the actor's own callbacks, on their thread. */
typedef struct ward_self ward_self;

/** A message in its receiver's hands. Opaque; borrowed until the callback returns. */
typedef struct ward_msg ward_msg;

/** A failure that happened: class, text, perhaps a typed body and a cause. Opaque. */
typedef struct ward_failure ward_failure;

/** A type of messages; see message.h. */
typedef struct ward_type ward_type;

/** A class of failures; see failure.h. */
typedef struct ward_failure_class ward_failure_class;

/** What a parent does about failing children; see supervise.h. */
typedef struct ward_strategy ward_strategy;

/** What an actor does; see actor.h. */
typedef struct ward_behavior ward_behavior;

/** What it takes to make an actor, and to make it again; see actor.h. */
typedef struct ward_props ward_props;
/** Who drives a system that runs on one thread, for tests; see simulation.h. */
typedef struct ward_simulation ward_simulation;

/**
 * The address of an actor: a value. Copy, compare, store and send it freely; nothing to release.
 *
 * It holds numbers, not a pointer, and denotes one life of an actor from its spawn to its end,
 * restarts included. All zero is nobody. A ref that has outlived its actor is safe: what is sent
 * there becomes a dead letter. The fields are the library's; compare with ward_ref_equal().
 */
typedef struct ward_ref {
	uint64_t uid;   /* generation and slot: one life, never used again */
	uint32_t place; /* the system or node; 0: nobody */
	uint32_t spare; /* zero */
} ward_ref;

/** The ref of nobody. Cost: O(1). */
static inline ward_ref ward_nobody(void)
{
	ward_ref none = {0, 0, 0};
	return none;
}

/** Says whether both denote the same life of the same actor. Cost: O(1). Contract: S57. */
static inline bool ward_ref_equal(ward_ref a, ward_ref b)
{
	return a.uid == b.uid && a.place == b.place;
}

/** Says whether the ref denotes nobody. Cost: O(1). */
static inline bool ward_ref_is_nobody(ward_ref ref)
{
	return ref.place == 0;
}

/** What a call answers. The numbers are stable. */
typedef enum ward_err {
	WARD_OK = 0,
	WARD_EINVAL = 1,    /* an argument or an option is wrong */
	WARD_ENOMEM = 2,    /* out of memory */
	WARD_ENAME = 3,     /* not a valid actor name */
	WARD_EEXIST = 4,    /* it is there already: the name, the watch, the descriptor */
	WARD_ENOENT = 5,    /* no such thing: dispatcher, timer, descriptor */
	WARD_ESTOPPING = 6, /* the actor or the system is on its way out */
	WARD_EDEAD = 7,     /* no such actor, or no more */
	WARD_EFULL = 8,     /* the mailbox is bounded and full; or the stash is */
	WARD_ESIZE = 9,     /* the size does not fit the type */
	WARD_EUNIQUE = 10,  /* a copy is needed, but the type owns things and has no clone */
	WARD_ELOCAL = 11,   /* the type cannot leave the process: neither flat nor a codec */
	WARD_EFOREIGN = 12, /* the ref is of another system */
	WARD_ETIMEDOUT = 13,
	WARD_ETYPE = 14,   /* the answer is of another type than was promised */
	WARD_ELIMIT = 15,  /* a limit of the system is reached */
	WARD_ETHREAD = 16, /* not on this thread: it would wait for itself */
	WARD_EFORKED = 17, /* the process is a fork of the one that created the system */
	WARD_ESYS = 18,    /* the operating system said no; the detail has its words */
	WARD_EOPEN = 19,   /* a circuit breaker is open */
	WARD_EFAILED = 20  /* what was called has failed; the detail has its text */
} ward_err;

/** Returns a constant text for a code, never NULL. Threads: any. Cost: O(1). */
WARD_API const char *ward_err_text(ward_err err);

/**
 * Returns what exactly the last refused call on this thread disliked: what, where, what to do.
 *
 * Ownership  borrowed until the next refused call on this thread. Never NULL.
 * Cost       O(1).
 */
WARD_API const char *ward_err_detail(void);

/** What a callback of an actor answers. */
typedef enum ward_result {
	WARD_DONE = 0,
	WARD_UNHANDLED = 1, /* receive only: no message of mine */
	WARD_FAILED = 2     /* only as the value of ward_failed(): the parent decides */
} ward_result;

/** How an actor has ended, and why a hook of its end runs. The numbers are stable. Contract:
 *  S61. */
typedef enum ward_end {
	/** The actor was gone when the watch arrived. */
	WARD_END_UNKNOWN = 0,
	WARD_END_NORMAL = 1, /* it stopped itself: ward_stop_self(), ward_exit_self() as normal */
	/** Something else stopped it: its parent, ward_stop(), ward_poison_pill, the shutdown; an
	 *  exit signal of that kind. */
	WARD_END_STOPPED = 2,
	WARD_END_FAILED = 3, /* it had failed, and was stopped instead of going on */
	WARD_END_KILLED = 4, /* of ward_kill; or of an exit signal that says so */
	/** Of any other exit signal, or of ward_exit_self(): a link tells the reason. */
	WARD_END_EXITED = 5,
	/** Its node or process was lost, and it may still run: for libraries on top of ward. */
	WARD_END_UNREACHED = 6,
	WARD_END_RESTARTED = 7 /* no end, only of ward_stop_reason(): a new incarnation follows */
} ward_end;

/** Returns "normal", "stopped", "failed", ...; never NULL. Threads: any. Cost: O(1). */
WARD_API const char *ward_end_text(ward_end end);

/** Durations are int64_t milliseconds; names of parameters and fields end in _ms. */
#define WARD_SECOND INT64_C(1000)
#define WARD_MINUTE INT64_C(60000)
#define WARD_FOREVER INT64_MAX
/** Nanoseconds in one of those: moments, as those of ward_now_ns(), are int64_t nanoseconds; their
 *  names end in _ns. */
#define WARD_NS_PER_MS INT64_C(1000000)

WARD_END
#endif
