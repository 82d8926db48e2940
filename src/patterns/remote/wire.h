/* SPDX-License-Identifier: MIT
 *
 * wire.h - what a stand-in, the guests of a system and the host of one guest tell each other.
 *
 *	stand-in                     guests                       host ----- guest
 *	    start, with its token ------> makes a host ------------> is there
 *	    <------------------------------------------------------ started: the host
 *	    make --------------------------------------------------> starts it
 *	    <------------------------------------------------------ started: the host and the guest
 *	    watch -------------------------------------------------> keeps the question
 *	    <------------------------------------------------------- ready, failed, ended; ask again
 *	    verdict -----------------------------------------------> decides
 *	    ward_represented ----------> passes it on -------------> suspends, resumes, stops it
 *	                                 (until there is an answer; then to the host)
 *
 * What the host answers ends a question, so it passes a closed mailbox and is never refused by a
 * full one. A failure is told again with each question until there is a verdict, so an answer that
 * finds no memory, or comes to a later incarnation, which drops it, does no harm.
 *
 * Arguments follow the start as a message of their own, so that whatever carries messages carries
 * them; so does the body of a failure, which is an answer.
 *
 * All that is said across has a table, except the start that brings props, which are of one
 * process. A table may get rows (ward/codec.h); what changes their meaning is another
 * WARDI_REMOTE_PROTOCOL, by which guests refuse a start.
 */
#ifndef WARDI_REMOTE_WIRE_H
#define WARDI_REMOTE_WIRE_H

#include <ward/codec.h>
#include <ward/event.h>
#include <ward/guests.h>
#include <ward/link.h>
#include <ward/supervise.h>
#include <ward/watch.h>

enum { WARDI_REMOTE_PROTOCOL = 1, WARDI_REMOTE_CHAIN = 160, WARDI_REMOTE_TEXT = 256 };

/* A class and a text, across: the pointer is good in this process only, has no row, and is NULL
 * elsewhere. */
struct wardi_remote_why {
	const ward_failure_class *failure_class;
	char chain[WARDI_REMOTE_CHAIN]; /* of the names of the class, from the root: "/a/b" */
	char text[WARDI_REMOTE_TEXT];
};
WARD_FIELDS(wardi_remote_why, WARD_FIELD(TEXT, wardi_remote_why, chain),
	    WARD_FIELD(TEXT, wardi_remote_why, text));

/* To the guests: a question. A later start of the same stand-in has a higher token; what the
 * earlier ones have started is stopped first. The ref of a stand-in has another place with each
 * connection, so `life` says that it is the same one. */
struct wardi_guest_start {
	uint32_t protocol; /* WARDI_REMOTE_PROTOCOL */
	ward_ref stand_in, parent;
	uint64_t life; /* drawn at the first start of the stand-in */
	uint64_t token;
	bool has_args; /* they come next */
	char kind[WARD_KIND_NAME];
};
WARD_MESSAGE_FIELDS_FLAGS(wardi_guest_start, 1, WARD_TYPE_FLAT,
			  WARD_FIELD(UINT, wardi_guest_start, protocol, .min = 1),
			  WARD_FIELD(REF, wardi_guest_start, stand_in),
			  WARD_FIELD(REF, wardi_guest_start, parent),
			  WARD_FIELD(UINT, wardi_guest_start, life),
			  WARD_FIELD(UINT, wardi_guest_start, token, .min = 1),
			  WARD_FIELD(BOOL, wardi_guest_start, has_args),
			  WARD_FIELD(TEXT, wardi_guest_start, kind));

/* The same by value, within a process. */
struct wardi_guest_bring {
	struct wardi_guest_start start;
	ward_props props; /* a clone */
};
extern const ward_type ward_type_wardi_guest_bring;

/* The answer of the host, at first without a guest; or of the guests if there is no host. */
struct wardi_guest_started {
	ward_ref host, guest;
	uint32_t err; /* a ward_err */
	char text[WARDI_REMOTE_TEXT];
};
WARD_MESSAGE_FIELDS_FLAGS(wardi_guest_started, 1, WARD_TYPE_FLAT | WARD_TYPE_QUIET,
			  WARD_FIELD(REF, wardi_guest_started, host),
			  WARD_FIELD(REF, wardi_guest_started, guest),
			  WARD_FIELD(UINT, wardi_guest_started, err),
			  WARD_FIELD(TEXT, wardi_guest_started, text));

/* To the host: a question, behind its first answer. From then on a stop of the stand-in waits for
 * the host, so that there never is a guest for which it would not wait. */
WARD_SIGNAL(wardi_guest_make);

/* To a host that waits, from the guests: all earlier ones of its stand-in have ended. */
WARD_SIGNAL_FLAGS(wardi_guest_go, WARD_TYPE_QUIET);

/* To the guests: nobody waits for the guest of this start. */
struct wardi_guest_give_up {
	uint64_t token;
};
WARD_MESSAGE_FIELDS_FLAGS(wardi_guest_give_up, 1, WARD_TYPE_FLAT,
			  WARD_FIELD(UINT, wardi_guest_give_up, token));

/* To the host: a question, open until there is news of the guest. */
struct wardi_guest_watch {
	ward_ref stand_in; /* of a question from another node only its number is known */
	bool knows_ready;
};
WARD_MESSAGE_FIELDS_FLAGS(wardi_guest_watch, 1, WARD_TYPE_FLAT,
			  WARD_FIELD(BOOL, wardi_guest_watch, knows_ready));

/* The answers to it, quiet since a restart of the stand-in ends its question. Ready: init and
 * pre_start have succeeded. */
WARD_SIGNAL_FLAGS(wardi_guest_ready, WARD_TYPE_QUIET);
/* There is news, and was no memory for it. */
WARD_SIGNAL_FLAGS(wardi_guest_ask_again, WARD_TYPE_QUIET);
struct wardi_guest_failed {
	uint64_t number; /* of the failure, from 1 */
	bool has_body;   /* to be asked for */
	bool answered;   /* a restart, which was not about it, has answered it */
	struct wardi_remote_why why;
};
WARD_MESSAGE_FIELDS_FLAGS(wardi_guest_failed, 1, WARD_TYPE_QUIET,
			  WARD_FIELD(UINT, wardi_guest_failed, number, .min = 1),
			  WARD_FIELD(BOOL, wardi_guest_failed, has_body),
			  WARD_FIELD(GROUP, wardi_guest_failed, why,
				     .fields = ward_fields_wardi_remote_why));
WARD_FIELDS(ward_exit_reason, WARD_FIELD(UINT, ward_exit_reason, kind),
	    WARD_FIELD(TEXT, ward_exit_reason, name), WARD_FIELD(TEXT, ward_exit_reason, text));
struct wardi_guest_ended {
	uint32_t end; /* a ward_end */
	ward_exit_reason reason;
};
WARD_MESSAGE_FIELDS_FLAGS(wardi_guest_ended, 1, WARD_TYPE_FLAT | WARD_TYPE_QUIET,
			  WARD_FIELD(UINT, wardi_guest_ended, end),
			  WARD_FIELD(GROUP, wardi_guest_ended, reason,
				     .fields = ward_fields_ward_exit_reason));
/* With which reason the stand-in ends. */
ward_exit_reason wardi_guest_end_reason(const struct wardi_guest_ended *ended);

/* To the host: a question for the body of that failure, which is the answer. Without one it is a
 * wardi_guest_no_body. */
struct wardi_guest_body {
	ward_ref stand_in;
	uint64_t number;
};
WARD_MESSAGE_FIELDS_FLAGS(wardi_guest_body, 1, WARD_TYPE_FLAT,
			  WARD_FIELD(UINT, wardi_guest_body, number));
WARD_SIGNAL(wardi_guest_no_body);
/* That of a death pact: a ward_terminated comes with a notice only, and not as an answer. The class
 * has no row, as above. */
struct wardi_guest_pact {
	struct ward_terminated gone;
};
WARD_FIELDS(ward_terminated, WARD_FIELD(REF, ward_terminated, who),
	    WARD_FIELD(UINT, ward_terminated, end, .max = WARD_END_UNREACHED),
	    WARD_FIELD(TEXT, ward_terminated, name));
WARD_MESSAGE_FIELDS_FLAGS(wardi_guest_pact, 1, WARD_TYPE_FLAT,
			  WARD_FIELD(GROUP, wardi_guest_pact, gone,
				     .fields = ward_fields_ward_terminated));

/* To the host. */
struct wardi_guest_verdict {
	uint64_t number; /* of the failure; 0: a restart that is not about one */
	uint32_t directive;
	struct wardi_remote_why why; /* of a restart that is not about one */
};
WARD_MESSAGE_FIELDS_FLAGS(wardi_guest_verdict, 1, WARD_TYPE_QUIET | WARD_TYPE_CERTAIN_,
			  WARD_FIELD(UINT, wardi_guest_verdict, number),
			  WARD_FIELD(UINT, wardi_guest_verdict, directive, .min = WARD_RESUME,
				     .max = WARD_ESCALATE),
			  WARD_FIELD(GROUP, wardi_guest_verdict, why,
				     .fields = ward_fields_wardi_remote_why));

void wardi_remote_why_of(struct wardi_remote_why *to, const ward_failure_class *failure_class,
			 const char *text);
/* Returns the class: that of the pointer; else the one of `known` (ended by NULL, or NULL), or of
 * ward's own, with this chain; NULL: none has it. */
const ward_failure_class *wardi_remote_class(const struct wardi_remote_why *why,
					     const ward_failure_class *const *known);

#endif
