/* SPDX-License-Identifier: MIT
 *
 * object_manager.c - the supervisor of active objects.
 *
 *	init: spawn each -> ask each whether it has started -> all answered: started
 *	                                          |
 *	                                          +-> one has ended: not started, all stop
 *
 * A question to an object is answered after its constructor, or ends with the object. So the start
 * always comes to an end, without a message that might find no memory.
 *
 * Threads: runs as an actor.
 */
#include "akka_zero/object/object_manager.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <ward/extend.h>
#include <ward/text.h>
#include <ward/watch.h>

#include "akka_zero/object/active_object.h"
#include "akka_zero/object/call_wire.h"
#include "akka_zero/object/objects.h"

#define RELEASE memory_order_release

const ward_type wardi_type_objects_start = {.name = "ward.objects_start"};
const ward_type wardi_type_objects_started = {.name = "ward.objects_started",
					      .size = sizeof(struct wardi_objects_started)};

struct manager {
	struct ward_objects *objects;
	bool awaited;
	bool failed;      /* the start has failed; the thread that waits has yet to ask */
	bool late;        /* the objects already had another supervisor */
	ward_ref starter; /* waits for the result of the start */
	uint32_t there;   /* objects that have started */
	uint32_t left;    /* objects that have not ended */
};

/* ---- the start --------------------------------------------------------------------------- */

static const char already[] = "these objects already have a supervisor";

/* A late supervisor records nothing: the objects belong to the other one. */
static void note_why(struct manager *me, ward_err err, const char *text)
{
	if (me->late)
		return;
	me->objects->why.err = err;
	ward_text_format(me->objects->why.text, sizeof me->objects->why.text, "%s", text);
}

static void tell_starter(struct manager *me, ward_self *self, ward_err err)
{
	struct wardi_objects_started started = {.err = err};
	ward_ref starter = me->starter;

	ward_text_format(started.text, sizeof started.text, "%s",
			 me->late ? already : me->objects->why.text);
	me->starter = ward_nobody();
	if (ward_ref_is_nobody(starter) || ward_try_send(self, starter, &wardi_type_objects_started,
							 &started, sizeof started) != WARD_ENOMEM)
		return;
	/* The end of the supervisor notifies the starter. */
	note_why(me, WARD_ENOMEM, ward_err_detail());
	ward_stop_self(self);
}

/* Answers the thread that waits, now or when it asks; if there is none, fails. All objects end with
 * the supervisor. */
static ward_result not_started(struct manager *me, ward_self *self)
{
	me->failed = true;
	if (!me->awaited)
		return ward_failed(self,
				   me->objects->why.err == WARD_ENOMEM ? &ward_out_of_memory
								       : &ward_initialization,
				   "%s", me->objects->why.text);
	if (!ward_ref_is_nobody(me->starter)) {
		tell_starter(me, self, me->objects->why.err);
		ward_stop_self(self);
	}
	return WARD_DONE;
}

static ward_err ask_if_there(ward_self *self, ward_ref object, uint64_t tag)
{
	const ward_question question = {.to = object, .timeout_ms = WARD_FOREVER, .tag = tag};

	return ward_try_ask_send(self, &question, &wardi_type_object_ping, NULL, 0);
}

static ward_err start(struct manager *me, ward_self *self, uint32_t number)
{
	struct wardi_component *component = &me->objects->at[number];
	ward_props props = {.behavior = &wardi_object_behavior,
			    .name = component->with.id,
			    .args = {&wardi_type_object_args, &component, sizeof component},
			    .mailbox = component->with.mailbox,
			    .dispatcher = component->with.dispatcher};
	ward_ref object;
	ward_err err = ward_try_spawn(self, &props, &object);

	if (err != WARD_OK)
		return err;
	me->left++;
	err = ward_try_watch(self, object);
	if (err == WARD_OK)
		err = ask_if_there(self, object, number + 1);
	/* Last: until the uid is public nobody else can send, so there is room for the question. */
	atomic_store_explicit(&component->uid, object.uid, RELEASE);
	return err;
}

/* The copy made by the spawn belongs to this actor alone. */
static struct ward_supervised *own_args(ward_self *self)
{
	return (void *)(uintptr_t)ward_args(self);
}

/* At most one supervisor at a time, over all systems and over its restarts. */
static bool own(const struct manager *me, ward_self *self)
{
	struct ward_supervised *args = own_args(self);
	ward_ref own = ward_self_ref(self);

	if (args->reserved[WARDI_OBJECTS_OWNS] != 0)
		return true;
	/* Acquire: sees what the previous supervisor wrote. */
	if (atomic_exchange_explicit(&me->objects->claimed, true, memory_order_acquire))
		return false;
	args->reserved[WARDI_OBJECTS_OWNS] = ward_ref_number(own);
	atomic_store_explicit(&me->objects->system, ward_self_system(self), memory_order_relaxed);
	atomic_store_explicit(&me->objects->place, ward_ref_place(own), memory_order_relaxed);
	atomic_store_explicit(&me->objects->owner, ward_ref_number(own), RELEASE);
	return true;
}

/* An init that fails has no post_stop. */
static ward_result init_failed(struct manager *me, ward_self *self)
{
	ward_result result = not_started(me, self);

	if (result == WARD_FAILED)
		wardi_objects_hide(me->objects);
	return result;
}

static ward_result begin(struct manager *me, ward_self *self)
{
	ward_err err;

	if (!own(me, self)) {
		me->late = me->failed = true;
		return me->awaited ? WARD_DONE : ward_failed(self, &ward_misuse, "%s", already);
	}
	note_why(me, WARD_OK, "");
	err = ward_try_child_strategy_set(self, &me->objects->strategy);
	for (uint32_t i = 0; i < me->objects->count && err == WARD_OK; i++)
		err = start(me, self, i);
	if (err == WARD_OK)
		return WARD_DONE;
	note_why(me, err, ward_err_detail());
	return init_failed(me, self);
}

static ward_result init(ward_self *self, void *state, const void *args)
{
	struct manager *me = state;

	me->objects = ((const struct ward_supervised *)args)->objects;
	return begin(me, self);
}

/* A thread waits for the first start only: later incarnations fail. */
static ward_result init_awaited(ward_self *self, void *state, const void *args)
{
	struct manager *me = state;

	me->awaited = ward_incarnation(self) == 1;
	return init(self, state, args);
}

/* A failure of the object is recorded already. */
static ward_result ended_early(struct manager *me, ward_self *self)
{
	if (me->failed)
		return WARD_DONE;
	if (me->objects->why.err == WARD_OK)
		note_why(me, WARD_EFAILED, "an object ended before all had started");
	return not_started(me, self);
}

/* A full mailbox has dropped the question in favour of a later call. */
static ward_result ask_again(struct manager *me, ward_self *self, uint64_t tag)
{
	const struct wardi_component *component = &me->objects->at[tag - 1];
	const ward_ref object = ward_ref_at(
		atomic_load_explicit(&me->objects->place, memory_order_relaxed), WARD_REF_ACTOR,
		atomic_load_explicit(&component->uid, memory_order_relaxed));
	ward_err err = ask_if_there(self, object, tag);

	if (err == WARD_OK)
		return WARD_DONE;
	note_why(me, err, ward_err_detail());
	return not_started(me, self);
}

static ward_result is_there(struct manager *me, ward_self *self, const ward_msg *msg)
{
	const struct ward_ask_failed *failed = ward_match(msg, ward_ask_failed);

	if (failed == NULL) {
		me->there++;
		if (me->there == me->objects->count)
			tell_starter(me, self, WARD_OK);
		return WARD_DONE;
	}
	if (failed->why == WARD_EDEAD)
		return ended_early(me, self);
	if (me->failed)
		return WARD_DONE;
	if (failed->why == WARD_EFULL)
		return ask_again(me, self, ward_ask_tag(self));
	note_why(me, failed->why, failed->text);
	return not_started(me, self);
}

static void asked_to_start(struct manager *me, ward_self *self, const ward_msg *msg)
{
	me->starter = ward_msg_sender(msg);
	if (me->failed) {
		tell_starter(me, self, me->late ? WARD_EEXIST : me->objects->why.err);
		ward_stop_self(self);
	} else if (me->there == me->objects->count) {
		tell_starter(me, self, WARD_OK);
	}
}

/* ---- failures ---------------------------------------------------------------------------- */

/* NULL: not an object of this manager. */
static struct wardi_component *component_of(struct ward_objects *objects, ward_ref ref)
{
	for (uint32_t i = 0; i < objects->count; i++)
		if (atomic_load_explicit(&objects->at[i].uid, memory_order_relaxed) == ref.uid)
			return &objects->at[i];
	return NULL;
}

/* Names the root cause, without the texts that the start of an actor adds. */
static void describe(const ward_failure *failure, char *text, size_t size)
{
	const ward_failure *root = ward_failure_root(failure);

	ward_text_format(text, size, "%s: %s", ward_failure_class_of(root)->name,
			 ward_failure_text(root));
}

/* Answers the caller of the method that failed. The object does not run now. */
static void end_call(ward_self *self, struct wardi_component *component,
		     const ward_failure *failure)
{
	char text[WARD_ASK_TEXT];

	if (ward_ref_is_nobody(component->asker))
		return;
	describe(failure, text, sizeof text);
	wardi_object_answer_failed(self, component->asker, component->with.object_class,
				   component->running, text);
	component->asker = ward_nobody();
}

/* Records why an object failed to start, for the starter. */
static void note_failure(struct manager *me, const struct wardi_component *component,
			 const ward_failure *failure)
{
	char text[WARD_ASK_TEXT], reason[WARD_ASK_TEXT - 80];

	if (me->there == me->objects->count || me->failed)
		return;
	describe(failure, reason, sizeof reason);
	ward_text_format(text, sizeof text, "%.*s did not start: %s",
			 WARD_TEXT_FIT(component->with.id, 64), reason);
	note_why(me, WARD_EFAILED, text);
}

/* Where others are restarted, temporary objects are stopped; a stop wins (S41). */
static ward_directive restart(const struct manager *me, ward_self *self,
			      const struct wardi_component *component)
{
	if (me->objects->strategy.scope == WARD_ONE_FOR_ONE)
		return component->with.temporary ? WARD_STOP : WARD_RESTART;
	for (uint32_t i = 0; i < me->objects->count; i++)
		if (me->objects->at[i].with.temporary)
			ward_stop(self, ward_child(self, me->objects->at[i].with.id));
	return WARD_RESTART;
}

ward_directive wardi_objects_decide(ward_self *self, ward_ref child, const ward_failure *failure)
{
	struct manager *me = ward_state(self);
	struct wardi_component *component = component_of(me->objects, child);
	ward_directive directive;

	if (component != NULL) {
		end_call(self, component, failure);
		note_failure(me, component, failure);
	}
	/* It may fail by a jump, and skip the rest. */
	directive = ward_strategy_decide(self, me->objects->asked, child, failure);
	if (component == NULL)
		return directive;
	if (directive == WARD_RESTART)
		return restart(me, self, component);
	/* No code here could decide later. */
	return directive == WARD_LATER ? WARD_UNDECIDED : directive;
}

/* ---- the rest ---------------------------------------------------------------------------- */

static ward_result has_ended(struct manager *me, ward_self *self, ward_ref who)
{
	struct wardi_component *component = component_of(me->objects, who);

	if (component == NULL)
		return WARD_DONE;
	atomic_store_explicit(&component->uid, 0, RELEASE);
	me->left--;
	if (me->there < me->objects->count)
		return ended_early(me, self);
	if (me->left == 0)
		ward_stop_self(self);
	return WARD_DONE;
}

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct manager *me = state;
	const struct ward_terminated *terminated = ward_match(msg, ward_terminated);

	if (ward_ask_tag(self) != 0)
		return is_there(me, self, msg);
	if (terminated != NULL)
		return has_ended(me, self, terminated->who);
	if (ward_msg_body(msg, &wardi_type_objects_start) != NULL)
		asked_to_start(me, self, msg);
	else
		return WARD_UNHANDLED;
	return WARD_DONE;
}

/* In a restart, too: the next incarnation spawns all objects again. At its end the objects are free
 * before its watchers are notified, so that a thread may supervise them again at once. */
static ward_result post_stop(ward_self *self, void *state)
{
	struct manager *me = state;

	if (me->late)
		return WARD_DONE; /* the thread that waits is notified of its end */
	if (me->objects->why.err == WARD_OK)
		note_why(me, WARD_EFAILED, "the supervisor was stopped, or has failed");
	tell_starter(me, self, me->objects->why.err);
	if (ward_stop_reason(self, NULL) == WARD_END_RESTARTED)
		wardi_objects_hide(me->objects);
	else
		wardi_objects_disown(own_args(self));
	return WARD_DONE;
}

#define SUPERVISOR                                                                                 \
	.name = "ward_objects", .state_size = sizeof(struct manager),                              \
	.args = &wardi_objects_args_type, .own_strategy = true, .receive = receive,                \
	.post_stop = post_stop

const ward_behavior ward_objects_supervisor = {SUPERVISOR, .init = init};
const ward_behavior wardi_objects_awaited = {SUPERVISOR, .init = init_awaited};
