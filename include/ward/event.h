/* SPDX-License-Identifier: MIT
 *
 * ward/event.h - what a system says about itself: failures, dead letters, life-cycle changes.
 *
 * An event is a flat struct of copies: names, texts, refs, at most WARD_EVENT_BYTES of a message's
 * body if its type is flat; nothing in it points anywhere. Each text is one line, see ward/text.h.
 * Actors subscribe with a mask of kinds; so does the log sink of a system (options.log).
 */
#ifndef WARD_EVENT_H
#define WARD_EVENT_H

#include <ward/supervise.h>

WARD_BEGIN

/** Kinds of events; a subscription is a mask of them. Contract: S84. */
typedef enum ward_event_kind {
	WARD_EVENT_FAILURE = 1, /* a child failed and its parent decided; once per failure (S30),
				 * and once more, before that, for an answer of WARD_LATER */
	WARD_EVENT_DEAD_LETTER = 2, /* a message did not arrive; `reason` says why (S81) */
	WARD_EVENT_UNHANDLED = 4, /* a receive answered WARD_UNHANDLED (S83); a log is given no more
				   * of them than of dead letters, see ward_options */
	WARD_EVENT_LIFECYCLE = 8, /* an actor changed its state: `old_state` -> `new_state` (S85) */
	WARD_EVENT_HOOK_FAILURE =
		16,           /* an error in pre_restart or post_stop, only reported (S33, S46) */
	WARD_EVENT_NOTE = 32, /* anything else worth a line: shutdown, emergency stop, ... */
	WARD_EVENT_SUPPRESSED = 64, /* as DEAD_LETTER, of a type that is WARD_TYPE_QUIET (S81) */
	WARD_EVENT_WATCH = 128, /* `sender` watches the subject from now on, or no longer; or the
				 * subject has linked itself with it, or unlinked (S85) */
	WARD_EVENT_ALL = 255,
	WARD_EVENT_NONE = 256 /* for options.log_kinds, by itself: nothing is logged */
} ward_event_kind;

/** Why a message became a dead letter. */
typedef enum ward_reason {
	WARD_REASON_NONE = 0,
	WARD_REASON_NOBODY = 1, /* sent to nobody, or to an unknown or foreign ref */
	WARD_REASON_DEAD = 2,   /* the receiver is gone, or went with the message unread */
	WARD_REASON_FULL = 3,   /* a bounded mailbox refused or dropped it */
	WARD_REASON_NO_MEMORY = 4,
	WARD_REASON_MISUSE = 5,    /* no type, a size that does not fit it, or no path */
	WARD_REASON_STALE = 6,     /* an answer that came too late, or a second one */
	WARD_REASON_LOST = 7,      /* a simulation lost it on purpose */
	WARD_REASON_THREAD = 8,    /* sent into a simulation by another thread than its own */
	WARD_REASON_NO_ROUTEE = 9, /* the router has no routee */
	WARD_REASON_NO_MATCH = 10, /* no actor is at the path of a selection; the text has it */
	WARD_REASON_UNIQUE = 11,   /* it has to be copied, owns things, and its type has no clone */
	WARD_REASON_DOWN = 12      /* a back-off supervisor's child is down, to be started later */
} ward_reason;

/** Returns what happened, for people: "the receiver is gone"; never NULL. Threads: any. Cost:
 *  O(1). */
WARD_API const char *ward_reason_text(ward_reason reason);

/** Sizes of the texts and bytes in an event. */
enum {
	WARD_EVENT_PATH = 192, /* longer paths are cut at the front, marked "..." */
	WARD_EVENT_NAME = 64,
	WARD_EVENT_TEXT = 256,
	WARD_EVENT_CLASSES = 256,
	WARD_EVENT_BYTES = 256,
	WARD_EVENT_JSON = 8192 /* no event is longer as JSON, its 0 included */
};

/** One event. Fields that do not apply to its kind are zero or empty. */
struct ward_event {
	uint32_t kind;    /* one ward_event_kind */
	uint32_t level;   /* a ward_level, never the default */
	int64_t wall_ns;  /* since 1970, for stamps */
	ward_ref subject; /* whom it is about; a dead letter's recipient */
	ward_ref origin;  /* of a failure: who failed first, before any escalation to `subject` */
	ward_ref sender;
	uint32_t reason;    /* a ward_reason */
	uint32_t directive; /* a ward_directive: what the parent decided, before the limit */
	uint32_t denied;    /* 1: the limit turned the restart into a stop */
	uint32_t incarnation;
	uint32_t restarts;     /* charged to the limit so far, this one included */
	int32_t restarts_left; /* of the retry budget; -1: no limit */
	uint32_t body_size;    /* of the message; at most WARD_EVENT_BYTES of it are in `bytes` */
	uint32_t bytes_count;
	char path[WARD_EVENT_PATH]; /* of the subject */
	char origin_path[WARD_EVENT_PATH];
	char failure_class[WARD_EVENT_NAME];
	/** The names of the class and of those above it, from its root on, each behind a slash:
	 *  "/ward_exception/bank/broke". Cut at the end. */
	char failure_classes[WARD_EVENT_CLASSES];
	char message_type[WARD_EVENT_NAME];
	char sender_path[WARD_EVENT_PATH]; /* of a dead letter; "": no actor */
	char old_state[16], new_state[16];
	char text[WARD_EVENT_TEXT];
	char follows[WARD_DECISION_TEXT]; /* of a failure: what ward_decision_note() said */
	unsigned char bytes[WARD_EVENT_BYTES];
};
typedef struct ward_event ward_event;
WARD_API extern const ward_type ward_type_ward_event;

/**
 * Sends the running actor a ward_event for each event of these kinds from now on; 0 ends it.
 *
 * The subscription goes with the actor, not with the incarnation. Events that are about the
 * delivery of an event make no event. One that finds no memory is counted, not sent.
 *
 * Cost       O(subscribers of the system); then for an event a message to each that wants it, and
 *            O(subscribers) to find each.
 * Errors     WARD_EINVAL an unknown kind; WARD_ENOMEM.
 * Contract   S81, S84
 */
WARD_API WARD_MUST_USE ward_err ward_try_subscribe(ward_self *self, uint32_t kinds);
/** The same, where a refusal is a failure: see ward_failed_err(). Cost: the same. */
static inline void ward_subscribe(ward_self *self, uint32_t kinds)
{
	(void)ward_noted_(self, ward_try_subscribe(self, kinds));
}

/**
 * Says something of the running actor: a WARD_EVENT_NOTE with its path and this text, for the log
 * of the system and for who has subscribed.
 *
 *	ward_note(self, WARD_LEVEL_WARNING, "the cache is full: %zu entries", me->count);
 *	ward_note(self, WARD_LEVEL_WARNING, "accept: %m");	not ISO C: the words of errno
 *
 * The text is printf's, with errno as the caller has it, and becomes a line (ward_text_line()) of
 * WARD_EVENT_TEXT - 1 bytes at most. It cannot fail: for a subscriber for whom there is no memory
 * it is counted in ward_stats.events_lost. The default level is INFO, one that is none is SEVERE. A
 * subscriber to notes must not make one of each that it gets.
 *
 * Threads    only inside a callback of self.
 * Cost       O(1) where nobody wants notes: the text is not made then. Else the text, the path, the
 *            log sink on this thread, and a message to each subscriber, as ward_subscribe() says.
 * Contract   S84
 */
WARD_API WARD_PRINTF(3, 4) void ward_note(ward_self *self, ward_level level, const char *text, ...);

/** Writes the event as one line of text (ward_text_line()), cut at `max`; returns the full length,
 *  as snprintf does. Cost: O(full length). */
WARD_API size_t ward_event_format(const ward_event *event, char *text, size_t max);

/** The same line with its time and its level in front, as ward_log_stderr() writes it:
 *  "2026-11-23T16:33:57.042Z warning LINE". The time is UTC. Cost: O(full length). */
WARD_API size_t ward_event_stamped(const ward_event *event, char *text, size_t max);

/** The same line with its level in front, as the journal of systemd reads it from standard error:
 *  "<4>LINE"; 7 is debug, 6 info, 4 warning and 3 severe. Without a time: the journal has its own.
 *  Cost: O(full length). */
WARD_API size_t ward_event_journald(const ward_event *event, char *text, size_t max);

/**
 * Writes the event as one object of JSON, on one line; returns its full length, as snprintf does.
 *
 *	{"time":"2026-11-23T16:33:57.042Z","level":"warning","kind":"failure", ...}
 *
 * A part of an object is none: where it does not fit, the text is "". In WARD_EVENT_JSON bytes each
 * fits. Always there are `time` (RFC 3339, in UTC), `level` and `kind`. What the event has besides:
 * `path` (of the subject), `origin` (the path of what failed first), `class`, `text`, `message`
 * (its type), `sender` (its path), `reason`, `directive`, `follows`, `denied` (true), `restarts`,
 * `restarts_left`, `old_state`, `new_state` and `incarnation`. A kind is named as in the files of
 * ward-config ("dead-letter"), a reason by the last part of its enumerator ("no-memory"). The bytes
 * of the message are left out.
 *
 * What does not belong on a line (ward_text_line()) is escaped; a byte that is not of a well-formed
 * character becomes U+FFFD.
 *
 * Cost       O(full length).
 */
WARD_API size_t ward_event_json(const ward_event *event, char *text, size_t max);

/**
 * For options.log: writes the event to standard error, as ward_event_stamped() makes it. The log of
 * ward_run() where the options have none.
 *
 * Each line is one write(2), so that lines of several threads do not mix. What cannot be written is
 * lost. A pipe without a reader does not end the process; one that is full, as a terminal that is
 * stopped, holds the thread up where the thing happened: see the guide for logs that must not.
 *
 * Ownership  borrows the event for the call. `arg` is not used.
 * Threads    any; also several at a time.
 * Cost       O(length), and three system calls.
 */
WARD_API void ward_log_stderr(void *arg, const ward_event *event);

/** The same with an object of JSON on each line, as ward_event_json() makes it. Cost: the same. */
WARD_API void ward_log_json(void *arg, const ward_event *event);

/** The same with lines for the journal of systemd, as ward_event_journald() makes them. Cost: the
 *  same. */
WARD_API void ward_log_journald(void *arg, const ward_event *event);

WARD_END
#endif
