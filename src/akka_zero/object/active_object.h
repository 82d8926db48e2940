/* SPDX-License-Identifier: MIT
 *
 * active_object.h - active objects: what the manager, its objects and their callers share.
 *
 *	struct ward_objects, shared by the program and the supervisor
 *	  at[] -> component -> its actor, which has the component as its argument
 *
 * Threads                 claimed, owner, place, system, uid: any thread: atomic
 *                         component.asker, running       the object while it runs, the supervisor
 *                                                        while it decides: the object is suspended
 *                         why                            the supervisor; others after its end
 *                         the rest                       frozen
 */
#ifndef WARDI_ACTIVE_OBJECT_H
#define WARDI_ACTIVE_OBJECT_H

#include <stdatomic.h>

#include <ward/actor.h>
#include <ward/object.h>

struct wardi_held;

/* The argument type of wardi_object_behavior: the address of its component. */
extern const ward_type wardi_type_object_args;

/* ---- calls and answers, as they are sent ------------------------------------------------- */

/* Precedes the arguments, and the answer. */
struct wardi_object_head {
	uint32_t class_hash; /* of the name of the class */
	uint32_t method;
	uint32_t size;
	uint32_t err; /* in an answer; if not WARD_OK, a text follows instead of the answer */
};

struct wardi_object_body {
	struct wardi_object_head head;
	_Alignas(16) unsigned char bytes[WARD_METHOD_BYTES];
};

/* ---- components -------------------------------------------------------------------------- */

struct wardi_component {
	ward_component with; /* id, dispatcher and args are copies */
	/* The call that runs, if its caller waits for an answer. */
	ward_ref asker;
	uint32_t running;
	_Atomic uint64_t uid; /* of the actor; 0: none */
};

/* Shared by the program and the supervisor. */
struct ward_objects {
	_Atomic uint32_t shares;
	_Atomic bool claimed;   /* a supervisor exists, or is starting */
	_Atomic uint64_t owner; /* the uid of the supervisor; 0: none */
	_Atomic uint32_t place; /* the same in all refs */
	_Atomic(ward_system *) system;
	struct {
		ward_err err; /* WARD_OK: it did start */
		char text[WARD_ASK_TEXT];
	} why; /* why it did not start */
	const ward_strategy *asked;
	ward_strategy trapping; /* a copy that escalates what no rule covers */
	ward_strategy strategy; /* the limits of `asked`; it decides by asking that strategy */
	uint32_t count;
	struct wardi_component at[];
};

/* In its copy of a ward_supervised, the index of the reserved word with the uid of this supervisor
 * from when it has set `claimed` to the end of its life; otherwise 0. */
enum { WARDI_OBJECTS_OWNS = 0 };

/* ---- actors ------------------------------------------------------------------------------ */

/* The state of the actor of an object. */
struct wardi_object {
	struct wardi_component *component;
	void *instance;
	struct wardi_held *held; /* calls to be answered later */
	uint64_t numbers;        /* the number of the last held call */
};

/* Takes a struct wardi_component * as its argument. */
extern const ward_behavior wardi_object_behavior;

/* Asks an object whether it has started, and its answer. */
extern const ward_type wardi_type_object_ping;
extern const ward_type wardi_type_object_there;

struct wardi_objects_started {
	ward_err err;
	char text[WARD_ASK_TEXT];
};

#endif
