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
 *                         owns                           the supervisor, in its copy
 *                         the rest                       frozen
 */
#ifndef WARDI_ACTIVE_OBJECT_H
#define WARDI_ACTIVE_OBJECT_H

#include <stdatomic.h>

#include <ward/actor.h>
#include <ward/object.h>

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

extern const ward_type wardi_type_object_call;
/* The type of answers of this size, which has room for a text at least. */
const ward_type *wardi_object_answer_type(uint32_t size);
/* Whether it is one of these. */
const struct wardi_object_head *wardi_object_answer_in(const ward_msg *msg);

uint32_t wardi_object_hash(const ward_object_class *object_class);
/* Where the arguments or the answer begin. */
const void *wardi_object_bytes(const struct wardi_object_head *head);

/* Zeroed, as far as it is sent. */
void wardi_object_answer_begin(struct wardi_object_body *body,
			       const ward_object_class *object_class, uint32_t method);
void wardi_object_answer_send(ward_self *self, ward_ref asker, const struct wardi_object_body *body,
			      uint32_t answer_size);
/* That the call has ended without an answer. */
void wardi_object_answer_failed(ward_self *self, ward_ref asker,
				const ward_object_class *object_class, uint32_t method,
				const char *text);
/* What an answer says: its code, with the detail, or its bytes. */
ward_err wardi_object_read(const struct wardi_object_head *head,
			   const ward_object_class *object_class, uint32_t method, void *ret_answer,
			   size_t answer_size);

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
	ward_strategy strategy; /* the numbers of that one; it decides by asking it */
	struct wardi_objects_args {
		struct ward_objects *objects;
		bool awaited; /* somebody waits for the start, and hears of its failure */
		bool owns;    /* the supervisor: `claimed` is for it, to the end of its life */
	} args[2];
	uint32_t count;
	struct wardi_component at[];
};

/* Whether the component is as it should be. */
ward_err wardi_component_check(const ward_component *component);
/* With things of its own. */
ward_err wardi_component_copy(struct wardi_component *to, const ward_component *from);
void wardi_component_drop(struct wardi_component *component);
/* The method that is to be called around a restart; NULL: none by that name. */
const ward_method *wardi_component_hook(const ward_component *component, const char *name);

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
/* Ends all calls that are held. */
void wardi_object_end_held(ward_self *self, struct wardi_object *me);

/* Asks an object whether it is there; what it answers. */
extern const ward_type wardi_type_object_ping;
extern const ward_type wardi_type_object_there;

extern const ward_behavior wardi_objects_behavior;
extern const ward_type wardi_objects_args_type;
/* Nobody finds an object any more. */
void wardi_objects_hide(struct ward_objects *objects);
ward_directive wardi_objects_decide(ward_self *self, ward_ref child, const ward_failure *failure);
/* Asks the supervisor whether all are there; the answer is a code, and its detail. */
extern const ward_type wardi_type_objects_start;
struct wardi_objects_started {
	ward_err err;
	char text[WARD_ASK_TEXT];
};
extern const ward_type wardi_type_objects_started;

#endif
