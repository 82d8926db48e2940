/* SPDX-License-Identifier: MIT
 *
 * outside.c - threads outside that wait: for an answer, for an actor's end, for a spawn, for the
 * end of the system.
 *
 * Each is a waiter (waiter.c), which another thread completes.
 *
 * Threads: hooks and `down` under outside_mu. Hooks run without it.
 */
#include "outside/outside.h"

#include <string.h>

#include <ward/extend.h>

#include "base/error.h"
#include "base/text.h"
#include "cell/caller.h"
#include "cell/path.h"
#include "cell/places.h"
#include "cell/points.h"
#include "cell/ready.h"
#include "cell/supervision_table.h"
#include "cell/table.h"
#include "common/uncancelled.h"
#include "life/life.h"
#include "life/spawn.h"
#include "send/dead_letter.h"
#include "send/deliver.h"
#include "send/waiter.h"
#include "shutdown/shutdown.h"
#include "watch/watch.h"

struct wardi_hook {
	struct wardi_hook *next;
	void (*fn)(void *arg);
	void *arg;
};

/* ---- asking ------------------------------------------------------------------------------ */

static ward_err check_question(ward_system *system, int64_t timeout_ms,
			       const ward_type *answer_type, const void *ret_answer,
			       const ward_type *type, const void *body, size_t size)
{
	ward_err err = wardi_outside_may_wait(system);

	if (err != WARD_OK)
		return err;
	if (timeout_ms <= 0)
		return wardi_error(WARD_EINVAL,
				   "ward_system_ask: the timeout is %lld ms: it must be above 0",
				   (long long)timeout_ms);
	if (answer_type == NULL)
		return wardi_error(WARD_EINVAL, "ward_system_ask: the type of the answer is NULL");
	if (ret_answer == NULL && answer_type->size > 0)
		return wardi_error(WARD_EINVAL, "ward_system_ask: no room for an answer");
	return wardi_type_refuse(type, body, size);
}

/* Moves the bytes of the answer, and what they own, to the caller. */
static ward_err unpack(ward_system *system, struct ward_msg *answer, const ward_type *answer_type,
		       void *ret_answer)
{
	struct wardi_source from = wardi_outside_source(system);
	const ward_type *type = wardi_msg_type(answer);

	if (!ward_type_same(type, answer_type) || answer_type->size_max != 0) {
		ward_err err =
			wardi_error(WARD_ETYPE, "ward_system_ask: asked for a \"%s\", got a \"%s\"",
				    answer_type->name, type->name);

		wardi_msg_destroy(from, answer);
		return err;
	}
	if (answer_type->size > 0)
		memcpy(ret_answer, wardi_msg_bytes(answer), answer_type->size);
	wardi_msg_hand_over(from, answer);
	return WARD_OK;
}

/* Sends in the name of that sender; an undeliverable message is a dead letter. Takes the
 * message. */
static ward_err send_as(ward_system *system, ward_ref sender, ward_ref to, struct ward_msg *msg)
{
	ward_reason reason;
	ward_err err;

	msg->sender_uid = sender.uid;
	wardi_msg_set_sender_place(msg, wardi_ref_place(sender));
	err = wardi_has_points(system) ? wardi_points.send(system, NULL, to, msg, &reason)
				       : wardi_deliver(system, NULL, to, msg, &reason);
	if (err != WARD_OK) {
		wardi_dead_letter(system, NULL, to, msg, reason);
		wardi_msg_free(wardi_outside_source(system), msg);
	}
	return err;
}

static ward_err unreached(const char *call)
{
	return wardi_error(WARD_EUNREACHED, "%s: %s", call,
			   ward_reason_text(WARD_REASON_UNREACHED));
}

static ward_err unsent(ward_err err, ward_ref to)
{
	if (err == WARD_EFULL)
		return wardi_error(err, "ward_system_ask: the mailbox is full");
	if (err == WARD_ENOMEM)
		return wardi_error(err, "ward_system_ask: no memory for its place in the mailbox");
	if (ward_ref_is_nobody(to))
		return wardi_error(err, "ward_system_ask: nobody cannot be asked");
	if (err == WARD_EFOREIGN)
		return wardi_error(err, "ward_system_ask: the asked is of another system");
	if (err == WARD_EUNREACHED)
		return unreached("ward_system_ask");
	if (err == WARD_ELOCAL)
		return wardi_error(err, "ward_system_ask: %s", ward_reason_text(WARD_REASON_LOCAL));
	return wardi_error(err, "ward_system_ask: the asked has ended");
}

/* Of another system only the watch knows. */
static bool may_live(ward_system *system, ward_ref who)
{
	return ward_system_is_alive(system, who) ||
	       (!wardi_ref_is_here(system->place, who) && wardi_place_has_actor(system, who));
}

static ward_err unanswered(const struct wardi_waiter *waiter, ward_err err, const char *path,
			   int64_t timeout_ms)
{
	const char *asked = waiter->asked->name;

	if (err == WARD_ETIMEDOUT)
		return wardi_error(err, "%s did not answer \"%s\" within %lld ms", path, asked,
				   (long long)timeout_ms);
	if (err == WARD_EUNREACHED)
		return wardi_error(err, "%s did not answer \"%s\": %s", path, asked,
				   ward_reason_text(WARD_REASON_UNREACHED));
	if (waiter->reason != WARD_REASON_NONE && waiter->reason != WARD_REASON_DEAD)
		return wardi_error(err, "%s did not answer \"%s\": %s", path, asked,
				   ward_reason_text(waiter->reason));
	return wardi_error(err,
			   "%s was gone before it answered \"%s\", or there was no memory for its "
			   "answer",
			   path, asked);
}

/* Takes the question. On WARD_OK the waiter has the answer. The end of the asked actor completes
 * the wait, too, after any answer that it has sent before. */
static ward_err ask(ward_system *system, struct wardi_waiter *waiter, ward_ref to,
		    struct ward_msg *msg, int64_t timeout_ms)
{
	struct wardi_watch *watch = NULL;
	char path[WARD_EVENT_PATH]; /* kept: an ended actor has none */
	ward_ref sender;
	ward_err err = WARD_OK;

	wardi_path_tail(system, to, path, sizeof path);
	wardi_waiter_begin(system, waiter, WARD_EDEAD);
	sender = wardi_ref_make(waiter->id, system->place | WARDI_PLACE_WAITER);
	/* If the actor is gone already the message itself fails. */
	if (may_live(system, to))
		err = wardi_supervision.watch_outside(system, to, waiter->id, &watch);
	if (err != WARD_OK) {
		wardi_msg_destroy(wardi_outside_source(system), msg);
		(void)wardi_waiter_finish(system, waiter, 0);
		return err;
	}
	err = send_as(system, sender, to, msg);
	if (err != WARD_OK) {
		/* ward_identify is answered anyway (S58). */
		err = wardi_waiter_finish(system, waiter, 0) == WARD_OK ? WARD_OK : unsent(err, to);
	} else {
		err = wardi_waiter_finish(system, waiter, timeout_ms);
		if (err != WARD_OK)
			err = unanswered(waiter, err, path, timeout_ms);
	}
	if (watch != NULL)
		wardi_supervision.unwatch_outside(system, watch);
	return err;
}

ward_err ward_system_ask_send(ward_system *system, ward_ref to, int64_t timeout_ms,
			      const ward_type *answer_type, void *ret_answer, const ward_type *type,
			      const void *body, size_t size)
{
	WARDI_UNCANCELLED;
	struct wardi_waiter waiter = {.who = to, .what = "an answer to", .asked = type};
	struct ward_msg *msg = NULL;
	ward_err err =
		check_question(system, timeout_ms, answer_type, ret_answer, type, body, size);

	if (err == WARD_OK)
		msg = wardi_msg_make(wardi_outside_source(system), type, body, size);
	if (msg == NULL) {
		wardi_body_drop(type, body, size);
		return err != WARD_OK
			       ? err
			       : wardi_no_memory(system, "ward_system_ask: no memory for the "
							 "question");
	}
	err = ask(system, &waiter, to, msg, timeout_ms);
	return err == WARD_OK ? unpack(system, waiter.answer, answer_type, ret_answer) : err;
}

ward_err wardi_outside_ask(ward_system *system, const ward_type *asked, int64_t timeout_ms,
			   void (*send)(ward_system *system, ward_ref asker, void *arg), void *arg,
			   struct ward_msg **ret_answer)
{
	struct wardi_waiter waiter = {.who = system->root, .what = "an answer to", .asked = asked};
	ward_err err;

	wardi_waiter_begin(system, &waiter, WARD_EDEAD);
	send(system, wardi_ref_make(waiter.id, system->place | WARDI_PLACE_WAITER), arg);
	err = wardi_waiter_finish(system, &waiter, timeout_ms);
	*ret_answer = waiter.answer;
	return err;
}

/* ---- awaiting an end --------------------------------------------------------------------- */

static ward_err check_end(const ward_system *system, const char *call, ward_ref who)
{
	ward_err err = wardi_outside_may_wait(system);

	if (err != WARD_OK)
		return err;
	if (ward_ref_is_nobody(who))
		return wardi_error(WARD_EINVAL, "%s: the ref is nobody, which never ends", call);
	if (!wardi_place_has_actor(system, who))
		return wardi_error(WARD_EFOREIGN, "%s: an actor of another system", call);
	return WARD_OK;
}

/* Takes msg, which makes it end; NULL: it ends by itself. */
static ward_err await(ward_system *system, const char *call, ward_ref who, int64_t timeout_ms,
		      struct ward_msg *msg)
{
	struct wardi_waiter waiter = {.who = who, .what = "its end"};
	struct wardi_watch *watch;
	char path[WARD_EVENT_PATH];
	ward_err err;

	wardi_waiter_begin(system, &waiter, WARD_OK);
	err = wardi_supervision.watch_outside(system, who, waiter.id, &watch);
	if (err != WARD_OK) {
		if (msg != NULL)
			wardi_msg_destroy(wardi_outside_source(system), msg);
		(void)wardi_waiter_finish(system, &waiter, 0);
		return err;
	}
	/* A message to an actor that is gone is no error: the watch reports the end. */
	if (msg != NULL)
		(void)send_as(system, ward_nobody(), who, msg);
	err = wardi_waiter_finish(system, &waiter, timeout_ms);
	wardi_supervision.unwatch_outside(system, watch);
	if (err == WARD_EUNREACHED)
		return unreached(call);
	if (err != WARD_ETIMEDOUT)
		return err;
	wardi_path_tail(system, who, path, sizeof path);
	return wardi_error(err, "%s is still there after %lld ms%s", path, (long long)timeout_ms,
			   wardi_waiter_advice(timeout_ms));
}

ward_err ward_system_wait_for(ward_system *system, ward_ref who, int64_t timeout_ms)
{
	WARDI_UNCANCELLED;
	ward_err err = check_end(system, "ward_system_wait_for", who);

	return err == WARD_OK ? await(system, "ward_system_wait_for", who, timeout_ms, NULL) : err;
}

ward_err wardi_outside_await_end(ward_system *system, ward_ref who, bool or_its_stop,
				 int64_t timeout_ms)
{
	struct wardi_waiter waiter = {
		.who = who,
		.what = "its end",
		.waits_for = or_its_stop ? WARDI_WAIT_TOP_STOP : WARDI_WAIT_END,
	};
	struct wardi_watch *watch;
	ward_err err;

	wardi_waiter_begin(system, &waiter, WARD_OK);
	err = wardi_supervision.watch_outside(system, who, waiter.id, &watch);
	if (err != WARD_OK) {
		(void)wardi_waiter_finish(system, &waiter, 0);
		return err;
	}
	/* It may have begun before. */
	if (atomic_load_explicit(&system->going_down, memory_order_relaxed) ||
	    (or_its_stop && atomic_load_explicit(&system->top_stops, memory_order_relaxed)) ||
	    wardi_shutdown_has_begun(system))
		wardi_waiters_begun(system, waiter.waits_for);
	err = wardi_waiter_finish(system, &waiter, timeout_ms);
	wardi_supervision.unwatch_outside(system, watch);
	return err;
}

ward_err ward_system_ask_stop(ward_system *system, ward_ref who, int64_t timeout_ms)
{
	WARDI_UNCANCELLED;
	struct ward_msg *msg = NULL;
	ward_err err = check_end(system, "ward_system_ask_stop", who);

	if (err != WARD_OK)
		return err;
	/* No message to an ended actor; but one that is stopping is awaited. */
	if (may_live(system, who)) {
		msg = wardi_msg_make(wardi_outside_source(system), &ward_type_ward_poison_pill,
				     NULL, 0);
		if (msg == NULL)
			return wardi_no_memory(system,
					       "ward_system_ask_stop: no memory for the pill");
	}
	return await(system, "ward_system_ask_stop", who, timeout_ms, msg);
}

/* ---- an actor under a guardian ----------------------------------------------------------- */

struct spawn_request {
	struct wardi_addressed way;
	const ward_props *props;
	ward_ref ref;
	ward_err err;
	char detail[256];
	uint64_t waiter_id;
};

void wardi_spawn_requested(struct ward_self *self, struct wardi_sysmsg *msg)
{
	struct spawn_request *request = wardi_container_of(msg, struct spawn_request, way.node);
	struct wardi_cell *child;

	request->err = wardi_spawn(self->system, self, self->cell, request->props, &child);
	if (request->err == WARD_OK) {
		request->ref = wardi_cell_ref(child);
		wardi_cell_ready_here(self, child);
	} else {
		wardi_text_copy(request->detail, sizeof request->detail, ward_err_detail());
	}
	wardi_waiter_gone(self->system, request->waiter_id);
}

void wardi_spawn_refused(ward_system *system, struct wardi_sysmsg *msg)
{
	struct spawn_request *request = wardi_container_of(msg, struct spawn_request, way.node);

	request->err = WARD_ESTOPPING;
	wardi_waiter_gone(system, request->waiter_id);
}

/* Asks a guardian for an actor. */
static ward_err request_spawn(ward_system *system, ward_ref guardian, const ward_props *props,
			      ward_ref *ret_ref)
{
	struct spawn_request request = {.props = props, .err = WARD_ESTOPPING};
	struct wardi_waiter waiter = {.who = guardian, .what = "an actor to be made"};
	struct wardi_cell *cell;

	request.way.node.kind = WARDI_SYS_SPAWN;
	wardi_waiter_begin(system, &waiter, WARD_ETIMEDOUT);
	request.waiter_id = waiter.id;
	cell = wardi_table_open(system, guardian.uid);
	if (cell == NULL ||
	    !wardi_sys_send(NULL, cell, wardi_uid_gen(guardian.uid), &request.way.node))
		wardi_waiter_gone(system, waiter.id);
	/* The request is on this stack: a guardian always answers, also while it stops. */
	(void)wardi_waiter_finish(system, &waiter, WARD_FOREVER);
	if (request.err == WARD_ESTOPPING)
		return wardi_error(WARD_ESTOPPING, "the system is going down");
	if (request.err != WARD_OK)
		return wardi_error(request.err, "%s", request.detail);
	*ret_ref = request.ref;
	return WARD_OK;
}

/* The guardian is read only after the check of its system. */
static ward_err spawn_under(ward_system *system, bool service, const ward_props *props,
			    ward_ref *ret_ref)
{
	WARDI_UNCANCELLED;
	ward_ref child = ward_nobody();
	ward_err err = wardi_outside_may_wait(system);

	if (err != WARD_OK)
		return err;
	if (wardi_has_points(system) && wardi_points.refuses_spawn(system, NULL))
		err = WARD_ELIMIT;
	else
		err = request_spawn(system, service ? system->system_guardian : system->user, props,
				    &child);
	if (wardi_has_points(system))
		wardi_points.spawned(system, NULL, child);
	if (err == WARD_OK && ret_ref != NULL)
		*ret_ref = child;
	return err;
}

/* The same; takes given arguments always. */
static ward_err spawn_or_drop(ward_system *system, bool service, const ward_props *props,
			      ward_ref *ret_ref)
{
	ward_err err = spawn_under(system, service, props, ret_ref);

	if (err != WARD_OK)
		ward_given_drop_(props);
	return err;
}

ward_err ward_system_spawn(ward_system *system, const ward_props *props, ward_ref *ret_ref)
{
	return spawn_or_drop(system, false, props, ret_ref);
}

ward_err ward_system_spawn_service(ward_system *system, const ward_props *props, ward_ref *ret_ref)
{
	return spawn_or_drop(system, true, props, ret_ref);
}

/* ---- the end of the system --------------------------------------------------------------- */

ward_err ward_system_on_terminate(ward_system *system, void (*fn)(void *arg), void *arg)
{
	struct wardi_hook *hook;
	ward_err err = wardi_outside_check(system);

	if (err != WARD_OK)
		return err;
	if (fn == NULL)
		return wardi_error(WARD_EINVAL, "ward_system_on_terminate: no function to call");
	hook = wardi_alloc(&system->alloc, sizeof *hook);
	if (hook == NULL)
		return wardi_no_memory(system, "ward_system_on_terminate: no memory");
	*hook = (struct wardi_hook){NULL, fn, arg};
	wardi_mutex_lock(&system->outside_mu);
	if (system->hooks_closed) {
		err = WARD_ESTOPPING;
	} else {
		hook->next = system->hooks;
		system->hooks = hook;
	}
	wardi_mutex_unlock(&system->outside_mu);
	if (err == WARD_OK)
		return WARD_OK;
	wardi_free(&system->alloc, hook, sizeof *hook);
	return wardi_error(err, "ward_system_on_terminate: the system is down already");
}

/* Returns the next hook; without one, closes registration and releases the waiters, in one step. */
static struct wardi_hook *next_hook(ward_system *system)
{
	struct wardi_hook *hook;

	wardi_mutex_lock(&system->outside_mu);
	hook = system->hooks;
	if (hook != NULL) {
		system->hooks = hook->next;
	} else {
		system->hooks_closed = true;
		system->down = true;
		wardi_waiters_end(system);
	}
	wardi_mutex_unlock(&system->outside_mu);
	return hook;
}

static void tree_down(ward_system *system)
{
	struct wardi_hook *hook;

	while ((hook = next_hook(system)) != NULL) {
		hook->fn(hook->arg);
		wardi_free(&system->alloc, hook, sizeof *hook);
	}
	/* For the loop of the program: nothing else makes its descriptor readable. */
	if (wardi_driven_here(system->sched))
		wardi_driven_wake(system->sched);
}

const struct wardi_tree_end wardi_tree_end = {.down = tree_down};

bool wardi_outside_is_down(ward_system *system)
{
	wardi_mutex_lock(&system->outside_mu);
	bool down = system->down;
	wardi_mutex_unlock(&system->outside_mu);
	return down;
}

ward_err ward_system_wait(ward_system *system, int64_t timeout_ms)
{
	WARDI_UNCANCELLED;
	struct wardi_waiter waiter = {.what = "the end of the system"};
	ward_err err = wardi_outside_may_wait(system);

	if (err != WARD_OK)
		return err;
	waiter.who = system->root;
	wardi_waiter_begin(system, &waiter, WARD_OK);
	wardi_mutex_lock(&system->outside_mu);
	if (system->down)
		wardi_waiter_complete(&waiter, WARD_OK);
	wardi_mutex_unlock(&system->outside_mu);
	err = wardi_waiter_finish(system, &waiter, timeout_ms);
	if (err == WARD_ETIMEDOUT)
		return wardi_error(err, "system %s is still up after %lld ms%s", system->name,
				   (long long)timeout_ms, wardi_waiter_advice(timeout_ms));
	return err;
}
