/* SPDX-License-Identifier: MIT
 *
 * outside.c - threads outside that wait: for an answer, for an actor's end, for a spawn, for the
 * end of the system.
 *
 * A waiter lives on the stack of the thread that waits and has a number; a ref with that number and
 * the waiter's place stands for it, so that an answer to a late question finds nobody instead of a
 * dead stack. In a simulation waiting steps the system.
 *
 * Who touches what: waiters, hooks and `down` under outside_mu. Hooks run without it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "core/deliver.h"
#include "core/life.h"
#include "core/point.h"
#include "core/supervision.h"

enum { NS_PER_MS = 1000000, NS_PER_SECOND = 1000000000 };

struct waiter {
	struct wardi_list link;
	uint64_t id;
	pthread_cond_t cond;
	bool done;
	ward_err err;
	ward_err at_the_end; /* what it is told when the tree is down; WARD_ETIMEDOUT: nothing */
	struct ward_msg *answer;
	/* frozen: for those who look */
	ward_ref who;
	const char *what;       /* a constant */
	const ward_type *asked; /* of a question; NULL: none */
	int64_t since_ns;
};

struct wardi_hook {
	struct wardi_hook *next;
	void (*fn)(void *arg);
	void *arg;
};

static ward_err check_simulated(const ward_system *system)
{
	if (!pthread_equal(pthread_self(), system->thread))
		return wardi_error(WARD_ETHREAD, "a simulation belongs to the thread that made it");
	if (system->seam->asking)
		return wardi_error(WARD_ETHREAD, "a function of options.simulation must not call "
						 "ward");
	return WARD_OK;
}

ward_err wardi_outside_check(const ward_system *system)
{
	if (system == NULL)
		return wardi_error(WARD_EINVAL, "the system is NULL");
	if (!wardi_system_here(system))
		return wardi_error(WARD_EFORKED, "the system lives in the parent of this process");
	return wardi_has_points(system) ? check_simulated(system) : WARD_OK;
}

ward_err wardi_outside_may_wait(const ward_system *system)
{
	struct wardi_worker *worker = wardi_worker_current();
	ward_err err = wardi_outside_check(system);

	if (err == WARD_OK && worker != NULL && worker->sched == system->sched)
		return wardi_error(WARD_ETHREAD,
				   "this thread runs an actor of the system, and would wait for "
				   "itself: in a callback use ward_spawn, ward_watch, or ward_tell "
				   "and handle the answer in receive");
	return err;
}

/* ---- waiting ----------------------------------------------------------------------------- */

/* waiter: who, what and asked are set, the rest is not. */
static void begin(ward_system *system, struct waiter *waiter, ward_err at_the_end)
{
	pthread_condattr_t attr;

	waiter->since_ns = wardi_clock_now(&system->clock);
	waiter->err = WARD_ETIMEDOUT;
	waiter->at_the_end = at_the_end;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&waiter->cond, &attr);
	pthread_condattr_destroy(&attr);
	pthread_mutex_lock(&system->outside_mu);
	waiter->id = ++system->waiter_ids;
	wardi_list_append(&system->waiters, &waiter->link);
	pthread_mutex_unlock(&system->outside_mu);
}

/* Under outside_mu. */
static void complete(struct waiter *waiter, ward_err err)
{
	waiter->done = true;
	waiter->err = err;
	pthread_cond_signal(&waiter->cond);
}

static bool is_done(ward_system *system, struct waiter *waiter)
{
	pthread_mutex_lock(&system->outside_mu);
	bool done = waiter->done;
	pthread_mutex_unlock(&system->outside_mu);
	return done;
}

static int64_t deadline_of(ward_system *system, int64_t timeout_ms)
{
	int64_t now = wardi_clock_now(&system->clock);

	if (timeout_ms < 0)
		timeout_ms = 0;
	if (timeout_ms > (INT64_MAX - now) / NS_PER_MS)
		return INT64_MAX;
	return now + timeout_ms * NS_PER_MS;
}

static void wait_simulated(ward_system *system, struct waiter *waiter, int64_t deadline_ns)
{
	while (!is_done(system, waiter)) {
		/* A jump of the clock ends a wait, whoever is ready still. */
		if (wardi_clock_now(&system->clock) > deadline_ns)
			return;
		wardi_trespasses_publish(system);
		if (wardi_sched_step(system->sched))
			continue;
		if (wardi_sched_advance(system->sched, deadline_ns))
			continue;
		if (deadline_ns != INT64_MAX || !wardi_sched_poll(system->sched))
			return; /* nothing will ever happen again, or not in time */
	}
}

static void wait_threads(ward_system *system, struct waiter *waiter, int64_t deadline_ns)
{
	struct timespec until = {.tv_sec = (time_t)(deadline_ns / NS_PER_SECOND),
				 .tv_nsec = (long)(deadline_ns % NS_PER_SECOND)};
	int err = 0;

	pthread_mutex_lock(&system->outside_mu);
	while (!waiter->done && err != ETIMEDOUT) {
		if (deadline_ns == INT64_MAX)
			pthread_cond_wait(&waiter->cond, &system->outside_mu);
		else
			err = pthread_cond_timedwait(&waiter->cond, &system->outside_mu, &until);
	}
	pthread_mutex_unlock(&system->outside_mu);
}

/* Waits, and ends the waiter: nobody finds it any more. */
static ward_err finish(ward_system *system, struct waiter *waiter, int64_t timeout_ms)
{
	int64_t deadline_ns = deadline_of(system, timeout_ms);

	if (system->simulation != NULL)
		wait_simulated(system, waiter, deadline_ns);
	else
		wait_threads(system, waiter, deadline_ns);
	pthread_mutex_lock(&system->outside_mu);
	wardi_list_remove(&waiter->link);
	pthread_mutex_unlock(&system->outside_mu);
	pthread_cond_destroy(&waiter->cond);
	return waiter->err;
}

/* Under outside_mu. */
static struct waiter *find(ward_system *system, uint64_t id)
{
	for (struct wardi_list *at = system->waiters.next; at != &system->waiters; at = at->next) {
		struct waiter *waiter = wardi_container_of(at, struct waiter, link);

		if (waiter->id == id && !waiter->done)
			return waiter;
	}
	return NULL;
}

bool wardi_waiter_answer(ward_system *system, ward_ref to, struct ward_msg *msg)
{
	struct waiter *waiter;

	pthread_mutex_lock(&system->outside_mu);
	waiter = find(system, to.uid);
	if (waiter != NULL) {
		waiter->answer = msg;
		complete(waiter, WARD_OK);
	}
	pthread_mutex_unlock(&system->outside_mu);
	return waiter != NULL;
}

static void tell(ward_system *system, uint64_t id, ward_err err)
{
	struct waiter *waiter;

	pthread_mutex_lock(&system->outside_mu);
	waiter = find(system, id);
	if (waiter != NULL)
		complete(waiter, err);
	pthread_mutex_unlock(&system->outside_mu);
}

void wardi_waiter_dead(ward_system *system, ward_ref waiter)
{
	tell(system, waiter.uid, WARD_EDEAD);
}

void wardi_waiter_gone(ward_system *system, uint64_t waiter_id)
{
	tell(system, waiter_id, WARD_OK);
}

/* ---- asking ------------------------------------------------------------------------------ */

static ward_err check_question(ward_system *system, int64_t timeout_ms,
			       const ward_type *answer_type, const void *ret_answer,
			       const ward_type *type, const void *body, size_t size)
{
	ward_err err = wardi_outside_may_wait(system);

	if (err != WARD_OK)
		return err;
	if (timeout_ms <= 0)
		return wardi_error(WARD_EINVAL, "ward_ask_wait: the timeout must be above 0");
	if (answer_type == NULL)
		return wardi_error(WARD_EINVAL, "ward_ask_wait: the type of the answer is NULL");
	if (ret_answer == NULL && answer_type->size > 0)
		return wardi_error(WARD_EINVAL, "ward_ask_wait: no room for an answer");
	return wardi_type_refuse(type, body, size);
}

/* The bytes of the answer, and what they own, become the caller's. */
static ward_err unpack(ward_system *system, struct ward_msg *answer, const ward_type *answer_type,
		       void *ret_answer)
{
	struct wardi_source from = wardi_outside_source(system);
	const ward_type *type = wardi_msg_type(answer);

	if (!ward_type_same(type, answer_type) || answer_type->size_max != 0) {
		ward_err err =
			wardi_error(WARD_ETYPE, "ward_ask_wait: asked for a \"%s\", got a \"%s\"",
				    answer_type->name, type->name);

		wardi_msg_destroy(from, answer);
		return err;
	}
	if (answer_type->size > 0)
		memcpy(ret_answer, wardi_msg_bytes(answer), answer_type->size);
	wardi_msg_hand_over(from, answer);
	return WARD_OK;
}

static ward_err no_answer(ward_system *system, ward_ref to, const ward_type *type,
			  int64_t timeout_ms, ward_err err)
{
	char path[WARD_EVENT_PATH];

	wardi_path_tail(system, to, path, sizeof path);
	if (err == WARD_ETIMEDOUT)
		return wardi_error(err, "%s did not answer \"%s\" within %lld ms", path, type->name,
				   (long long)timeout_ms);
	return wardi_error(err, "%s was gone before it answered \"%s\"", path, type->name);
}

ward_err ward_ask_send(ward_system *system, int64_t timeout_ms, ward_ref to,
		       const ward_type *answer_type, void *ret_answer, const ward_type *type,
		       const void *body, size_t size)
{
	struct waiter waiter = {.who = to, .what = "an answer to", .asked = type};
	struct wardi_source from;
	struct ward_msg *msg;
	ward_reason reason;
	ward_err err =
		check_question(system, timeout_ms, answer_type, ret_answer, type, body, size);

	if (err != WARD_OK)
		goto refuse;
	from = wardi_outside_source(system);
	msg = wardi_msg_make(from, type, body, size);
	if (msg == NULL) {
		err = wardi_no_memory(system, "ward_ask_wait: no memory for the question");
		goto refuse;
	}
	begin(system, &waiter, WARD_EDEAD);
	msg->sender_uid = waiter.id;
	msg->sender_place = system->place | WARDI_PLACE_WAITER;
	err = wardi_has_points(system) ? wardi_point_send(system, NULL, to, msg, &reason)
				       : wardi_deliver(system, NULL, to, msg, &reason);
	if (err != WARD_OK) {
		wardi_dead_letter(system, NULL, to, msg, reason);
		wardi_msg_free(from, msg);
		(void)finish(system, &waiter, 0);
		return wardi_error(err, "ward_ask_wait: %s",
				   err == WARD_EFULL ? "the mailbox is full"
						     : "the receiver is gone, nobody, or foreign");
	}
	err = finish(system, &waiter, timeout_ms);
	if (err != WARD_OK)
		return no_answer(system, to, type, timeout_ms, err);
	return unpack(system, waiter.answer, answer_type, ret_answer);

refuse:
	wardi_body_drop(type, body, size);
	return err;
}

/* ---- awaiting an end --------------------------------------------------------------------- */

ward_err ward_system_await(ward_system *system, ward_ref who, int64_t timeout_ms)
{
	struct waiter waiter = {.who = who, .what = "its end"};
	struct wardi_watch *watch;
	ward_err err = wardi_outside_may_wait(system);

	if (err != WARD_OK)
		return err;
	if (ward_ref_is_nobody(who))
		return wardi_error(WARD_EINVAL, "ward_system_await: nobody cannot be awaited");
	if (who.place != system->place)
		return wardi_error(WARD_EFOREIGN, "ward_system_await: an actor of another system");
	begin(system, &waiter, WARD_OK);
	err = system->supervision->watch_outside(system, who, waiter.id, &watch);
	if (err != WARD_OK) {
		(void)finish(system, &waiter, 0);
		return err;
	}
	err = finish(system, &waiter, timeout_ms);
	system->supervision->unwatch_outside(system, watch);
	if (err == WARD_ETIMEDOUT) {
		char path[WARD_EVENT_PATH];

		wardi_path_tail(system, who, path, sizeof path);
		return wardi_error(err, "%s is still there after %lld ms", path,
				   (long long)timeout_ms);
	}
	return err;
}

/* ---- an actor at the top ----------------------------------------------------------------- */

struct spawn_request {
	struct wardi_sysmsg node;
	const ward_props *props;
	ward_ref ref;
	ward_err err;
	char detail[256];
	uint64_t waiter_id;
};

void wardi_spawn_requested(struct ward_self *self, struct wardi_sysmsg *msg)
{
	struct spawn_request *request = wardi_container_of(msg, struct spawn_request, node);
	struct wardi_cell *child;

	request->err = wardi_spawn(self->system, self, self->cell, request->props, &child);
	if (request->err == WARD_OK)
		request->ref = wardi_cell_ref(child);
	else
		wardi_event_name(request->detail, sizeof request->detail, ward_err_detail());
	wardi_waiter_gone(self->system, request->waiter_id);
}

void wardi_spawn_refused(ward_system *system, struct wardi_sysmsg *msg)
{
	struct spawn_request *request = wardi_container_of(msg, struct spawn_request, node);

	request->err = WARD_ESTOPPING;
	wardi_waiter_gone(system, request->waiter_id);
}

/* Asks /user for an actor. */
static ward_err request_spawn(ward_system *system, const ward_props *props, ward_ref *ret_ref)
{
	struct spawn_request request = {.props = props, .err = WARD_ESTOPPING};
	struct waiter waiter = {.who = system->user, .what = "an actor to be made"};
	struct wardi_cell *user;

	request.node.kind = WARDI_SYS_SPAWN;
	begin(system, &waiter, WARD_ETIMEDOUT);
	request.waiter_id = waiter.id;
	user = wardi_slot_open(system, system->user.uid);
	if (user == NULL ||
	    !wardi_sys_send(NULL, user, wardi_uid_gen(system->user.uid), &request.node))
		wardi_waiter_gone(system, waiter.id);
	/* The request is on this stack: /user always answers, also while it stops. */
	(void)finish(system, &waiter, WARD_FOREVER);
	if (request.err == WARD_ESTOPPING)
		return wardi_error(WARD_ESTOPPING, "the system is going down");
	if (request.err != WARD_OK)
		return wardi_error(request.err, "%s", request.detail);
	*ret_ref = request.ref;
	return WARD_OK;
}

ward_err ward_system_spawn(ward_system *system, const ward_props *props, ward_ref *ret_ref)
{
	ward_ref child = ward_nobody();
	ward_err err = wardi_outside_may_wait(system);

	if (err != WARD_OK)
		return err;
	if (wardi_has_points(system) && wardi_point_refuses_spawn(system, NULL))
		err = WARD_ELIMIT;
	else
		err = request_spawn(system, props, &child);
	if (wardi_has_points(system))
		wardi_point_spawned(system, NULL, child);
	if (err == WARD_OK && ret_ref != NULL)
		*ret_ref = child;
	return err;
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
	pthread_mutex_lock(&system->outside_mu);
	if (system->hooks_closed) {
		err = WARD_ESTOPPING;
	} else {
		hook->next = system->hooks;
		system->hooks = hook;
	}
	pthread_mutex_unlock(&system->outside_mu);
	if (err == WARD_OK)
		return WARD_OK;
	wardi_free(&system->alloc, hook, sizeof *hook);
	return wardi_error(err, "ward_system_on_terminate: the system is down already");
}

/* The next hook; with none left, closes registration and releases who waits, in one step. */
static struct wardi_hook *next_hook(ward_system *system)
{
	struct wardi_hook *hook;

	pthread_mutex_lock(&system->outside_mu);
	hook = system->hooks;
	if (hook != NULL) {
		system->hooks = hook->next;
	} else {
		system->hooks_closed = true;
		system->down = true;
		for (struct wardi_list *at = system->waiters.next; at != &system->waiters;
		     at = at->next) {
			struct waiter *waiter = wardi_container_of(at, struct waiter, link);

			if (!waiter->done && waiter->at_the_end != WARD_ETIMEDOUT)
				complete(waiter, waiter->at_the_end);
		}
	}
	pthread_mutex_unlock(&system->outside_mu);
	return hook;
}

void wardi_system_tree_down(ward_system *system)
{
	struct wardi_hook *hook;

	while ((hook = next_hook(system)) != NULL) {
		hook->fn(hook->arg);
		wardi_free(&system->alloc, hook, sizeof *hook);
	}
}

ward_err ward_system_wait(ward_system *system, int64_t timeout_ms)
{
	struct waiter waiter = {.what = "the end of the system"};
	ward_err err = wardi_outside_may_wait(system);

	if (err != WARD_OK)
		return err;
	waiter.who = system->root;
	begin(system, &waiter, WARD_OK);
	pthread_mutex_lock(&system->outside_mu);
	if (system->down)
		complete(&waiter, WARD_OK);
	pthread_mutex_unlock(&system->outside_mu);
	err = finish(system, &waiter, timeout_ms);
	if (err == WARD_ETIMEDOUT)
		return wardi_error(err, "system %s is still up after %lld ms", system->name,
				   (long long)timeout_ms);
	return err;
}

void ward_system_terminate(ward_system *system)
{
	if (system == NULL || !wardi_system_here(system))
		return;
	ward_system_stop(system, system->user);
}

/* ---- looking at those who wait ----------------------------------------------------------- */

/* The next one after `id`, copied; false: there is none. So nobody is called under the lock. */
static bool next_wait(ward_system *system, uint64_t *id, ward_wait_info *info)
{
	bool found = false;

	pthread_mutex_lock(&system->outside_mu);
	for (struct wardi_list *at = system->waiters.next; at != &system->waiters && !found;
	     at = at->next) {
		const struct waiter *waiter = wardi_container_of(at, struct waiter, link);

		found = waiter->id > *id;
		if (!found)
			continue;
		*id = waiter->id;
		info->who = waiter->who;
		info->since_ns = waiter->since_ns;
		snprintf(info->what, sizeof info->what, "%s%s%.63s", waiter->what,
			 waiter->asked == NULL ? "" : " ",
			 waiter->asked == NULL ? "" : waiter->asked->name);
	}
	pthread_mutex_unlock(&system->outside_mu);
	return found;
}

size_t ward_system_waits(ward_system *system, void (*each)(void *arg, const ward_wait_info *info),
			 void *arg)
{
	ward_wait_info info = {.since_ns = 0};
	uint64_t id = 0;
	size_t count = 0;

	if (system == NULL || !wardi_system_here(system))
		return 0;
	for (; next_wait(system, &id, &info); count++) {
		info.waited_ms = (wardi_clock_now(&system->clock) - info.since_ns) / NS_PER_MS;
		wardi_path_tail(system, info.who, info.path, sizeof info.path);
		if (each != NULL)
			each(arg, &info);
	}
	return count;
}
