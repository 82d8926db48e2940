/* SPDX-License-Identifier: MIT
 *
 * active_object.h - active objects: what the manager, its objects and those who call them share.
 *
 *	struct ward_objects, shared by the program and the supervisor
 *	  at[] -> component -> its actor, which has the component as its argument
 *
 * Who touches what        claimed, owner, place, system, uid: any thread: atomic
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

/* Of wardi_object_behavior: the address of its component. */
extern const ward_type wardi_type_object_args;

/* ---- calls and answers, as they are sent ------------------------------------------------- */

/* In front of the arguments, and of the answer. */
struct wardi_object_head {
	uint32_t class_hash; /* of its name */
	uint32_t method;
	uint32_t size;
	uint32_t err; /* of an answer; not WARD_OK: a text follows, and no answer */
};

struct wardi_object_body {
	struct wardi_object_head head;
	_Alignas(16) unsigned char bytes[WARD_METHOD_BYTES];
};

/* ---- components -------------------------------------------------------------------------- */

struct wardi_component {
	ward_component with; /* id, dispatcher and args are its own */
	/* The call that runs, if somebody waits for its answer. */
	ward_ref asker;
	uint32_t running;
	_Atomic uint64_t uid; /* of the actor; 0: none */
};

/* Of the program, and of the supervisor. */
struct ward_objects {
	_Atomic uint32_t shares;
	_Atomic bool claimed;   /* there is a supervisor, or one begins */
	_Atomic uint64_t owner; /* the uid of the supervisor; 0: none */
	_Atomic uint32_t place; /* of all the refs */
	_Atomic(ward_system *) system;
	struct {
		ward_err err; /* WARD_OK: it did */
		char text[WARD_ASK_TEXT];
	} why; /* it did not start */
	const ward_strategy *asked;
	ward_strategy trapping; /* what `asked` is, if rules are all that it has */
	ward_strategy strategy; /* the numbers of that one; it decides by asking it */
	uint32_t count;
	struct wardi_component at[];
};

/* The reserved word in which a supervisor notes, in its copy of a ward_supervised, that `claimed`
 * is for it, to the end of its life. */
enum { WARDI_OBJECTS_OWNS = 0 };

/* ---- actors ------------------------------------------------------------------------------ */

/* The state of an object's actor. */
struct wardi_object {
	struct wardi_component *component;
	void *instance;
	struct wardi_held *held; /* calls to be answered later */
	uint64_t numbers;        /* of held calls, so far */
};

/* Its argument is a struct wardi_component *. */
extern const ward_behavior wardi_object_behavior;

/* Asks an object whether it is there; what it answers. */
extern const ward_type wardi_type_object_ping;
extern const ward_type wardi_type_object_there;

struct wardi_objects_started {
	ward_err err;
	char text[WARD_ASK_TEXT];
};

#endif
