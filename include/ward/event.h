/* SPDX-License-Identifier: MIT
 *
 * ward/event.h - events: what a system reports of failures, dead letters and changes of state.
 *
 * An event is a flat struct of copies: names, texts, refs, and at most WARD_EVENT_BYTES of a
 * message's body if its type is flat. It contains no pointers. Each text is one line, see
 * ward/text.h. Actors subscribe to events with a mask of kinds; so does the log of a system
 * (options.log).
 */
#ifndef WARD_EVENT_H
#define WARD_EVENT_H

#include <ward/supervise.h>

WARD_BEGIN

/** Kinds of events; a subscription is a mask of kinds. Contract: S84. */
typedef enum ward_event_kind {
	/** A child failed and its parent decided: once per failure (S30). A decision of WARD_LATER
	 *  makes an additional event first. */
	WARD_EVENT_FAILURE = 1,
	WARD_EVENT_DEAD_LETTER = 2, /* a message was not delivered; `reason` says why (S81) */
	/** A receive returned WARD_UNHANDLED (S83). Not logged by default: see options.log_kinds.
	 *  In a log they share the limit of dead letters: see options.dead_letters_logged. */
	WARD_EVENT_UNHANDLED = 4,
	/** An actor changed its state from `old_state` to `new_state` (S85). */
	WARD_EVENT_LIFECYCLE = 8,
	/** An error in pre_restart or post_stop, which is only reported (S33, S46). */
	WARD_EVENT_HOOK_FAILURE = 16,
	WARD_EVENT_NOTE = 32,       /* other information: shutdown, emergency stop, ... */
	WARD_EVENT_SUPPRESSED = 64, /* as DEAD_LETTER, for a type that is WARD_TYPE_QUIET (S81) */
	/** `sender` begins or ends a watch of the subject; or the subject links itself with
	 *  `sender` or unlinks (S85). */
	WARD_EVENT_WATCH = 128,
	WARD_EVENT_ALL = 255,
	WARD_EVENT_NONE = 256 /* for options.log_kinds, alone: nothing is logged */
} ward_event_kind;

/** Why a message became a dead letter. */
typedef enum ward_reason {
	WARD_REASON_NONE = 0,
	WARD_REASON_NOBODY = 1, /* sent to nobody, or to an unknown or foreign ref */
	WARD_REASON_DEAD = 2,   /* the receiver has ended; perhaps with it unread */
	WARD_REASON_FULL = 3,   /* a bounded mailbox refused or dropped it */
	WARD_REASON_NO_MEMORY = 4,
	WARD_REASON_MISUSE = 5,    /* no type, a wrong size, or a selection without a path */
	WARD_REASON_STALE = 6,     /* an answer that came too late, or a second answer */
	WARD_REASON_LOST = 7,      /* a simulation lost it intentionally */
	WARD_REASON_THREAD = 8,    /* sent into a simulation from a thread other than its own */
	WARD_REASON_NO_ROUTEE = 9, /* the router has no routee */
	/** No actor has the path of a selection; the text names the path. */
	WARD_REASON_NO_MATCH = 10,
	/** It must be copied, but its type has a drop function and no clone. */
	WARD_REASON_UNIQUE = 11,
	/** The child of a back-off supervisor is down and will be started later; or it has not
	 *  started yet, and the stash has no room. */
	WARD_REASON_DOWN = 12,
	/** The system or the process of the receiver is not connected, or its connection was lost.
	 */
	WARD_REASON_UNREACHED = 13,
	/** It was sent to another process, but its type has no table (codec.h). */
	WARD_REASON_LOCAL = 14
} ward_reason;

/** Returns a text for people, such as "the mailbox is full"; never NULL. Threads: any. Cost:
 *  O(1). */
WARD_API const char *ward_reason_text(ward_reason reason);

/** Sizes of the texts and bytes in an event. */
enum {
	WARD_EVENT_PATH = 192, /* longer paths are cut at the front and marked with "..." */
	WARD_EVENT_NAME = 64,
	WARD_EVENT_TEXT = 256,
	WARD_EVENT_CLASSES = 256,
	WARD_EVENT_BYTES = 256,
	WARD_EVENT_JSON = 8192 /* every event as JSON fits, including the terminating 0 */
};

/** One event. Fields that do not apply to its kind are zero or empty. */
struct ward_event {
	uint32_t kind;    /* one ward_event_kind */
	uint32_t level;   /* a ward_level, never the default */
	int64_t wall_ns;  /* since 1970, for stamps; in a simulation its clock, from 0 */
	ward_ref subject; /* the actor that it is about; the recipient of a dead letter */
	/** Of a failure: the actor that failed first, before any escalation to `subject`. */
	ward_ref origin;
	ward_ref sender;
	uint32_t reason;    /* a ward_reason */
	uint32_t directive; /* a ward_directive: what the parent decided, before the limit */
	uint32_t denied;    /* 1: the limit turned the restart into a stop */
	uint32_t incarnation;
	uint32_t restarts;     /* charged to the limit so far, including this one */
	int32_t restarts_left; /* before the limit is reached; -1: no limit */
	uint32_t body_size;    /* of the message; at most WARD_EVENT_BYTES of it are in `bytes` */
	uint32_t bytes_count;
	char path[WARD_EVENT_PATH]; /* of the subject */
	char origin_path[WARD_EVENT_PATH];
	char failure_class[WARD_EVENT_NAME];
	/** The names of the class and of all classes above it, root first, each after a slash:
	 *  "/ward_exception/bank/broke". Cut at the end. */
	char failure_classes[WARD_EVENT_CLASSES];
	char message_type[WARD_EVENT_NAME];
	char sender_path[WARD_EVENT_PATH]; /* of a dead letter; empty: no actor */
	char old_state[16], new_state[16];
	char text[WARD_EVENT_TEXT];
	char follows[WARD_DECISION_TEXT]; /* of a failure: the text of ward_decision_note() */
	unsigned char bytes[WARD_EVENT_BYTES];
};
typedef struct ward_event ward_event;
WARD_API extern const ward_type ward_type_ward_event;

/**
 * Subscribes the running actor to these kinds of events: it gets a ward_event for each from now on.
 * Replaces the previous subscription; 0 ends it.
 *
 * The subscription lasts as long as the actor, and survives restarts. Events about the delivery of
 * an event make no further event. An event for which there is no memory is counted in
 * ward_stats.events_lost, and not sent.
 *
 * Cost       O(subscribers of the system); then for each event O(subscribers), and a message to
 *            each one that wants it.
 * Errors     WARD_EINVAL an unknown kind, or WARD_EVENT_NONE; WARD_ENOMEM. Nothing has changed
 *            then.
 * Contract   S81, S84
 */
WARD_API WARD_MUST_USE ward_err ward_try_subscribe(ward_self *self, uint32_t kinds);
/** Calls ward_try_subscribe(); a refusal makes self fail when the callback returns: see
 *  ward_failed_err(). Cost: the same. */
static inline void ward_subscribe(ward_self *self, uint32_t kinds)
{
	(void)ward_noted_(self, ward_try_subscribe(self, kinds));
}

/**
 * Publishes a WARD_EVENT_NOTE with the path of the running actor and this text, for the log of the
 * system and for subscribers.
 *
 *	ward_note(self, WARD_LEVEL_WARNING, "the cache is full: %zu entries", me->count);
 *	ward_note(self, WARD_LEVEL_WARNING, "accept: %m");	not ISO C: the text of errno
 *
 * The text is formatted as by printf, with errno as the caller has it, and becomes a line
 * (ward_text_line()) of at most WARD_EVENT_TEXT - 1 bytes. The call cannot fail; if there is no
 * memory for a subscriber, ward_stats.events_lost counts it. WARD_LEVEL_DEFAULT stands for INFO, an
 * invalid level for SEVERE. A subscriber to notes must not publish a note for each one it gets.
 *
 * Threads    only inside a callback of self.
 * Cost       O(1) if nobody wants notes; the text is not formatted then. Otherwise the text, the
 *            path, the log on this thread, and a message to each subscriber: see ward_subscribe().
 * Contract   S84
 */
WARD_API WARD_PRINTF(3, 4) void ward_note(ward_self *self, ward_level level, const char *text, ...);

/** Writes the event as one line of text (ward_text_line()), cut to `max` bytes; returns the full
 *  length, as snprintf() does. Threads: any. Cost: O(full length). */
WARD_API size_t ward_event_format(const ward_event *event, char *text, size_t max);

/** Writes the line of ward_event_format() after its time and its level, as ward_log_stderr() does:
 *  "2026-11-23T16:33:57.042Z warning LINE". The time is UTC. Cuts and returns as
 *  ward_event_format(). Threads: any. Cost: O(full length). */
WARD_API size_t ward_event_stamped(const ward_event *event, char *text, size_t max);

/** Writes the line of ward_event_format() after its level, in the form that the journal of systemd
 *  reads from standard error: "<4>LINE"; 7 is debug, 6 info, 4 warning, 3 severe. There is no time:
 *  the journal adds its own. Cuts and returns as ward_event_format(). Threads: any. Cost: O(full
 *  length). */
WARD_API size_t ward_event_journald(const ward_event *event, char *text, size_t max);

/**
 * Writes the event as one JSON object on one line; returns the full length, as snprintf() does.
 *
 *	{"time":"2026-11-23T16:33:57.042Z","level":"warning","kind":"failure", ...}
 *
 * If the object does not fit, the text is "": part of an object is useless. Every event fits in
 * WARD_EVENT_JSON bytes. `time` (RFC 3339, in UTC), `level` and `kind` are always present. The
 * others are present if the event has them: `path` (of the subject), `origin` (the path of the
 * actor that failed first), `class`, `text`, `message` (its type), `sender` (its path), `reason`,
 * `directive`, `follows`, `denied` (true), `restarts`, `restarts_left`, `old_state`, `new_state`
 * and `incarnation`. Kinds are named as in the files of ward-config ("dead-letter"), reasons by the
 * last part of the enumerator ("no-memory"). The bytes of the message are omitted.
 *
 * Characters that may not be on a line (ward_text_line()) are escaped; a byte that is not part of a
 * well-formed character becomes U+FFFD.
 *
 * Threads    any.
 * Cost       O(full length).
 */
WARD_API size_t ward_event_json(const ward_event *event, char *text, size_t max);

/**
 * Writes the event to standard error, in the form of ward_event_stamped(). For options.log; the
 * default log of ward_run().
 *
 * Each line is one write(2), so that the lines of several threads do not mix. Lines that cannot be
 * written are lost. A pipe without a reader does not end the process. A full pipe, or a stopped
 * terminal, blocks the thread on which the event happened. If the log must not block, subscribe an
 * actor of WARD_BLOCKING instead (docs/guide/03-outside-world.md).
 *
 * Ownership  borrows the event for the call. `arg` is not used.
 * Threads    any, several at a time.
 * Cost       O(length), and three system calls.
 */
WARD_API void ward_log_stderr(void *arg, const ward_event *event);

/** Writes the event to standard error as a JSON object on a line of its own, in the form of
 *  ward_event_json(); otherwise as ward_log_stderr(). Cost: the same. */
WARD_API void ward_log_json(void *arg, const ward_event *event);

/** Writes the event to standard error for the journal of systemd, in the form of
 *  ward_event_journald(); otherwise as ward_log_stderr(). Cost: the same. */
WARD_API void ward_log_journald(void *arg, const ward_event *event);

WARD_END
#endif
