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
 *	    <------------------------------------------------------- ready, failed or ended
 *	    verdict -----------------------------------------------> decides
 *	    ward_represented ----------> passes it on -------------> suspends, resumes, stops it
 *	                                 (until there is an answer; then to the host)
 *
 * What the host answers ends a question, so it passes a closed mailbox and is never refused by a
 * full one. A failure is told again with each question until there is a verdict, so an answer that
 * finds no memory, or comes to a later incarnation, which drops it, does no harm.
 *
 * Arguments follow the start as a message of their own, so that whatever carries messages carries
 * them.
 */
#ifndef WARDI_REMOTE_WIRE_H
#define WARDI_REMOTE_WIRE_H

#include <ward/event.h>
#include <ward/guests.h>
#include <ward/link.h>
#include <ward/supervise.h>

enum { WARDI_REMOTE_CHAIN = 160, WARDI_REMOTE_TEXT = 256 };

/* A class and a text, across: the pointer is good in this process only, and NULL elsewhere. */
struct wardi_remote_why {
	const ward_failure_class *failure_class;
	char chain[WARDI_REMOTE_CHAIN]; /* of the names of the class, from the root: "/a/b" */
	char text[WARDI_REMOTE_TEXT];
};

/* To the guests: a question. A later start of the same stand-in has a higher token; what the
 * earlier ones have started is stopped first. */
struct wardi_guest_start {
	ward_ref stand_in, parent;
	uint64_t token;
	bool has_args; /* they come next */
	char kind[WARD_KIND_NAME];
};
WARD_MESSAGE_FLAT(wardi_guest_start);

/* The same by value, within a process. */
struct wardi_guest_bring {
	struct wardi_guest_start start;
	ward_props props; /* a clone */
};
extern const ward_type ward_type_wardi_guest_bring;

/* The answer of the host, at first without a guest; or of the guests if there is no host. */
struct wardi_guest_started {
	ward_ref host, guest;
	ward_err err;
	char text[WARDI_REMOTE_TEXT];
};
WARD_MESSAGE_FLAT(wardi_guest_started);

/* To the host: a question, behind its first answer. From then on a stop of the stand-in waits for
 * the host, so that there never is a guest for which it would not wait. */
WARD_SIGNAL(wardi_guest_make);

/* To a host that waits, from the guests: all earlier ones of its stand-in have ended. */
WARD_SIGNAL_FLAGS(wardi_guest_go, WARD_TYPE_QUIET);

/* To the guests: nobody waits for the guest of this start. */
struct wardi_guest_give_up {
	uint64_t token;
};
WARD_MESSAGE_FLAT(wardi_guest_give_up);

/* To the host: a question, open until there is news of the guest. */
struct wardi_guest_watch {
	ward_ref stand_in; /* of a question from another node only its number is known */
	bool knows_ready;
};
WARD_MESSAGE_FLAT(wardi_guest_watch);

/* The answers to it, quiet since a restart of the stand-in ends its question. Ready: init and
 * pre_start have succeeded. */
WARD_SIGNAL_FLAGS(wardi_guest_ready, WARD_TYPE_QUIET);
struct wardi_guest_failed {
	uint64_t number; /* of the failure, from 1 */
	bool has_body;   /* to be asked for */
	bool answered;   /* a restart, which was not about it, has answered it */
	struct wardi_remote_why why;
};
WARD_MESSAGE_FLAGS(wardi_guest_failed, WARD_TYPE_QUIET);
struct wardi_guest_ended {
	uint32_t end; /* a ward_end */
	ward_exit_reason reason;
};
WARD_MESSAGE_FLAT(wardi_guest_ended);
/* With which reason the stand-in ends. */
ward_exit_reason wardi_guest_end_reason(const struct wardi_guest_ended *ended);

/* To the host: a question for the body of that failure, which is the answer. Without one it is a
 * wardi_guest_no_body. */
struct wardi_guest_body {
	ward_ref stand_in;
	uint64_t number;
};
WARD_MESSAGE_FLAT(wardi_guest_body);
WARD_SIGNAL(wardi_guest_no_body);

/* To the host. */
struct wardi_guest_verdict {
	uint64_t number; /* of the failure; 0: a restart that is not about one */
	uint32_t directive;
	struct wardi_remote_why why; /* of a restart that is not about one */
};
WARD_MESSAGE_FLAGS(wardi_guest_verdict, WARD_TYPE_QUIET);

void wardi_remote_why_of(struct wardi_remote_why *to, const ward_failure_class *failure_class,
			 const char *text);
/* Returns the class: that of the pointer; else the one of `known` (ended by NULL, or NULL), or of
 * ward's own, with this chain; NULL: none has it. */
const ward_failure_class *wardi_remote_class(const struct wardi_remote_why *why,
					     const ward_failure_class *const *known);

#endif
