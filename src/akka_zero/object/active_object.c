/* SPDX-License-Identifier: MIT
 *
 * active_object.c - an active object: an actor that has an instance of a class, and calls its
 * methods.
 *
 *	call -> `asker` is noted -> the method -> answered, or held, and `asker` is cleared
 *	               |
 *	               +-> it fails: the supervisor answers the asker, when it decides
 *
 * Before a call and after its answer there is no asker, so other failures are reported to nobody.
 * The supervisor answers for a failed call since a method may fail by a jump, or be resumed: no
 * code of the object runs after that.
 *
 * Threads: runs as an actor.
 */
#include "akka_zero/object/active_object.h"

#include <ward/extend.h>
#include <ward/resource.h>

#include "akka_zero/object/call_wire.h"
#include "akka_zero/object/component.h"
#include "akka_zero/object/held_call.h"

#define SIGNAL(name_)                                                                              \
	{                                                                                          \
		.name = (name_), .flags = WARD_TYPE_FLAT | WARD_TYPE_QUIET                         \
	}
const ward_type wardi_type_object_ping = SIGNAL("ward.object_ping");
const ward_type wardi_type_object_there = SIGNAL("ward.object_there");

const ward_type wardi_type_object_args = {.name = "ward.object",
					  .size = sizeof(struct wardi_component *)};

/* ---- an instance ------------------------------------------------------------------------- */

static const ward_object_class *class_of(const struct wardi_object *me)
{
	return me->component->with.object_class;
}

static ward_result init(ward_self *self, void *state, const void *args)
{
	struct wardi_object *me = state;
	const ward_object_class *object_class;

	me->component = *(struct wardi_component *const *)args;
	/* In later incarnations the asker may belong to a failure that is still undecided: a
	 * restart for another failure can come first. */
	if (ward_incarnation(self) == 1)
		me->component->asker = ward_nobody();
	object_class = class_of(me);
	me->instance =
		ward_try_alloc(self, object_class->state_size != 0 ? object_class->state_size : 1);
	if (me->instance == NULL)
		return ward_failed(self, &ward_out_of_memory, "no memory for an instance of %s",
				   object_class->name);
	if (object_class->create == NULL)
		return WARD_DONE;
	return object_class->create(self, me->instance, me->component->with.args.bytes);
}

static ward_result post_stop(ward_self *self, void *state)
{
	struct wardi_object *me = state;

	wardi_object_end_held(self, me);
	if (class_of(me)->destroy == NULL)
		return WARD_DONE;
	return class_of(me)->destroy(self, me->instance);
}

/* ---- around a restart -------------------------------------------------------------------- */

/* Calls the hook of the component, given by pointer or by name; else that of the class. */
static ward_result call_hook(struct wardi_object *me, ward_self *self, ward_object_hook by_pointer,
			     const char *by_name, ward_object_hook of_class,
			     const ward_failure *why)
{
	if (by_pointer != NULL)
		return by_pointer(self, me->instance, why);
	if (by_name != NULL)
		return wardi_component_hook(&me->component->with, by_name)
			->call(self, me->instance, NULL, NULL);
	return of_class == NULL ? WARD_DONE : of_class(self, me->instance, why);
}

static ward_result pre_restart(ward_self *self, void *state, const ward_failure *why,
			       const ward_msg *msg)
{
	struct wardi_object *me = state;
	const ward_component *with = &me->component->with;
	ward_result result, other;

	(void)msg;
	wardi_object_end_held(self, me);
	result = call_hook(me, self, with->pre_restart, with->pre_restart_method,
			   class_of(me)->pre_restart, why);
	other = ward_default_pre_restart(self);
	return result == WARD_FAILED ? result : other;
}

static ward_result post_restart(ward_self *self, void *state, const ward_failure *why)
{
	struct wardi_object *me = state;
	const ward_component *with = &me->component->with;

	return call_hook(me, self, with->post_restart, with->post_restart_method,
			 class_of(me)->post_restart, why);
}

/* ---- calls ------------------------------------------------------------------------------- */

/* NULL: not a method of this class. */
static const ward_method *method_of(const struct wardi_object *me,
				    const struct wardi_object_head *call, size_t size)
{
	const ward_object_class *object_class = class_of(me);

	if (call->class_hash != wardi_object_hash(object_class) ||
	    call->method >= object_class->methods_count ||
	    call->size != object_class->methods[call->method].args_size ||
	    call->size != size - sizeof *call)
		return NULL;
	return &object_class->methods[call->method];
}

static ward_result run(struct wardi_object *me, ward_self *self, const ward_method *method,
		       const struct wardi_object_head *call, void *ret_answer)
{
	const void *args = call->size > 0 ? wardi_object_bytes(call) : NULL;
	ward_result result = method->call(self, me->instance, args, ret_answer);

	if (result == WARD_UNHANDLED)
		return ward_failed(self, &ward_misuse,
				   "%s.%s returned WARD_UNHANDLED, not WARD_DONE or WARD_FAILED",
				   class_of(me)->name, method->name);
	return result;
}

static ward_result run_for_answer(struct wardi_object *me, ward_self *self,
				  const ward_method *method, const ward_msg *msg,
				  const struct wardi_object_head *call)
{
	struct wardi_object_body answer;
	ward_result result;

	wardi_object_answer_begin(&answer, class_of(me), call->method);
	me->component->asker = ward_msg_sender(msg);
	me->component->running = call->method;
	result = run(me, self, method, call, answer.bytes);
	if (result == WARD_FAILED || ward_has_failed(self))
		return result;
	if (!ward_ref_is_nobody(me->component->asker))
		wardi_object_answer_send(self, me->component->asker, &answer, method->answer_size);
	me->component->asker = ward_nobody();
	return result;
}

static ward_result call_method(struct wardi_object *me, ward_self *self, const ward_msg *msg,
			       const struct wardi_object_head *call)
{
	const ward_method *method = method_of(me, call, ward_msg_size(msg));

	if (method == NULL) {
		/* This notifies the asker, too. */
		ward_dead_letter(self, ward_self_ref(self), WARD_REASON_MISUSE);
		return WARD_DONE;
	}
	if (method->answer_size > 0)
		return run_for_answer(me, self, method, msg, call);
	return run(me, self, method, call, NULL);
}

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct wardi_object *me = state;
	const struct wardi_object_head *call = ward_msg_body(msg, &wardi_type_object_call);

	if (call != NULL)
		return call_method(me, self, msg, call);
	if (ward_msg_body(msg, &wardi_type_object_ping) != NULL) {
		ward_send(self, ward_msg_sender(msg), &wardi_type_object_there, NULL, 0);
		return WARD_DONE;
	}
	if (class_of(me)->receive == NULL)
		return WARD_UNHANDLED;
	return class_of(me)->receive(self, me->instance, msg);
}

const ward_behavior wardi_object_behavior = {
	.name = "ward_object",
	.state_size = sizeof(struct wardi_object),
	.args = &wardi_type_object_args,
	.init = init,
	.receive = receive,
	.post_stop = post_stop,
	.pre_restart = pre_restart,
	.post_restart = post_restart,
};
