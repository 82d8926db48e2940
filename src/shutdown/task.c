/* SPDX-License-Identifier: MIT
 *
 * task.c - tasks of a shutdown's phases: joining, asking, answering.
 *
 *	joined:   in the list of its phase, with its message made
 *	asked:    the message is sent; the task waits among those without an answer
 *	done:     answered, or timed out, or its incarnation has ended; the actor keeps it, so that
 *	          a second join finds it
 *	          its actor has ended: forgotten
 *
 * The sender of the message is a waiter, as with a question of a thread outside: a ref that stands
 * for this one task. So an answer identifies its task, whichever actor sends it; and since
 * it only passes here, it needs no memory to count.
 *
 * Threads: all under the shutdown's `mu`, including the list of tasks in an actor's extra record.
 * Messages are sent and freed without it.
 */
#include "shutdown/task.h"

#include <stdio.h>
#include <string.h>

#include <ward/extend.h>

#include "actor/rare.h"
#include "base/error.h"
#include "base/text.h"
#include "cell/path.h"
#include "mail/auto_received.h"
#include "sched/timers.h"
#include "send/deliver.h"
#include "send/waiter.h"
#include "shutdown/shutdown.h"

const ward_type ward_type_ward_shutdown_task = {
	.name = "ward_shutdown_task",
	.size = sizeof(struct ward_shutdown_task),
	.flags = WARDI_AUTO_TYPE(WARDI_AUTO_TASK) | WARD_TYPE_FLAT | WARD_TYPE_QUIET,
};

/* ---- under mu ---------------------------------------------------------------------------- */

/* Ends the wait for a task. */
static void settle(struct wardi_shutdown *shutdown, struct wardi_task *task)
{
	wardi_list_remove(&task->link);
	wardi_hash_remove(&shutdown->numbers, &task->numbered);
	task->done = true;
}

static bool has_id(const struct wardi_hash_link *link, const void *key)
{
	return wardi_container_of(link, struct wardi_task, numbered)->id == *(const uint64_t *)key;
}

/* The system chooses the numbers: no program can make them collide. */
static uint64_t hash_of(uint64_t id)
{
	return wardi_hash_u64(0, id);
}

static struct wardi_task *find_asked(const struct wardi_shutdown *shutdown, uint64_t id)
{
	struct wardi_hash_link *link =
		wardi_hash_find(&shutdown->numbers, hash_of(id), has_id, &id);
	struct wardi_task *task =
		link == NULL ? NULL : wardi_container_of(link, struct wardi_task, numbered);

	return task != NULL && task->msg == NULL ? task : NULL;
}

/* The last answer has arrived. True: the caller notifies /system. */
static bool all_done(struct wardi_shutdown *shutdown)
{
	return wardi_list_empty(&shutdown->asked) && wardi_shutdown_note(shutdown);
}

static void describe(ward_system *system, const struct wardi_task *task, char *text, size_t max)
{
	char path[WARD_EVENT_PATH];

	wardi_path_tail(system, task->who, path, sizeof path);
	ward_text_format(text, max, "%s of %s", task->name, path);
}

bool wardi_tasks_first(ward_system *system, char *text, size_t max)
{
	struct wardi_shutdown *shutdown = system->shutdown;

	if (wardi_list_empty(&shutdown->asked))
		return false;
	describe(system, wardi_container_of(shutdown->asked.next, struct wardi_task, link), text,
		 max);
	return true;
}

/* ---- joining ----------------------------------------------------------------------------- */

static void free_task(ward_system *system, struct wardi_source from, struct wardi_task *task)
{
	if (task->msg != NULL)
		wardi_msg_destroy(from, task->msg);
	wardi_free(&system->alloc, task, sizeof *task);
}

static struct wardi_task *make_task(struct ward_self *self, uint32_t phase, const char *name)
{
	ward_system *system = self->system;
	struct wardi_task *task = wardi_alloc_zeroed(&system->alloc, sizeof *task);

	if (task == NULL)
		return NULL;
	task->msg = wardi_msg_make(self->from, &ward_type_ward_shutdown_task, NULL, 0);
	if (task->msg == NULL) {
		wardi_free(&system->alloc, task, sizeof *task);
		return NULL;
	}
	task->id = wardi_waiter_number(system);
	task->who = wardi_own_ref(self);
	task->phase = phase;
	strcpy(task->name, name);
	task->msg->sender_uid = task->id;
	wardi_msg_set_sender_place(task->msg, system->place | WARDI_PLACE_WAITER);
	return task;
}

/* Reserves the timeout's place among the timers before it is set. Two calls at the same time may
 * reserve two; that does no harm. */
static bool promise_timer(ward_system *system)
{
	struct wardi_shutdown *shutdown = system->shutdown;
	bool promised;

	wardi_mutex_lock(&shutdown->mu);
	promised = shutdown->promised;
	wardi_mutex_unlock(&shutdown->mu);
	if (!promised && !wardi_timer_promise(system->sched))
		return false;
	wardi_mutex_lock(&shutdown->mu);
	shutdown->promised = true;
	wardi_mutex_unlock(&shutdown->mu);
	return true;
}

/* Under mu. *ret_old: the actor has a task there already. */
static ward_err may_join(struct wardi_shutdown *shutdown, struct wardi_list *owned, uint32_t phase,
			 struct wardi_task **ret_old)
{
	*ret_old = NULL;
	for (struct wardi_list *at = owned->next; at != owned; at = at->next) {
		struct wardi_task *task = wardi_container_of(at, struct wardi_task, owned);

		if (task->phase == phase)
			*ret_old = task;
	}
	if (*ret_old != NULL)
		return WARD_EEXIST;
	/* At USER the phase is that of services, which is still to come. */
	if (phase < shutdown->phase ||
	    (phase == shutdown->phase && shutdown->stage == WARDI_SHUTDOWN_PHASES))
		return WARD_ESTOPPING;
	return WARD_OK;
}

/* Takes the task; ret_name[WARD_TASK_NAME] is the name of a task that is there already. */
static ward_err enter(ward_system *system, struct wardi_list *owned, struct wardi_task *task,
		      char *ret_name)
{
	struct wardi_shutdown *shutdown = system->shutdown;
	struct wardi_task *old;
	ward_err err;

	wardi_mutex_lock(&shutdown->mu);
	err = may_join(shutdown, owned, task->phase, &old);
	if (err == WARD_OK &&
	    !wardi_hash_insert(&shutdown->numbers, &task->numbered, hash_of(task->id)))
		err = WARD_ENOMEM;
	if (err == WARD_OK) {
		wardi_list_append(&shutdown->phases[task->phase].tasks, &task->link);
		wardi_list_append(owned, &task->owned);
	} else if (old != NULL) {
		strcpy(ret_name, old->name);
	}
	wardi_mutex_unlock(&shutdown->mu);
	return err;
}

static ward_err join(struct ward_self *self, uint32_t phase, const char *name)
{
	ward_system *system = self->system;
	struct wardi_extra *extra = wardi_extra_of(self);
	struct wardi_task *task = extra == NULL ? NULL : make_task(self, phase, name);
	char old[WARD_TASK_NAME];
	ward_err err;

	if (task == NULL)
		return wardi_no_memory(system, "ward_shutdown_join: no memory");
	if (!wardi_list_linked(&extra->tasks))
		wardi_list_init(&extra->tasks);
	err = promise_timer(system) ? enter(system, &extra->tasks, task, old) : WARD_ENOMEM;
	if (err == WARD_OK)
		return WARD_OK;
	free_task(system, self->from, task);
	if (err == WARD_EEXIST && strcmp(old, name) == 0)
		return WARD_OK;
	if (err == WARD_EEXIST)
		return wardi_error(
			err,
			"ward_shutdown_join: this actor is in phase %s already, with task \"%s\": "
			"it can have one task in each phase",
			system->shutdown->phases[phase].name, old);
	if (err == WARD_ENOMEM)
		return wardi_no_memory(system,
				       "ward_shutdown_join: no memory for a task and a timeout");
	if (err == WARD_ESTOPPING)
		return wardi_error(err, "ward_shutdown_join: it is too late, the shutdown has come "
					"to it already");
	return err;
}

/* ---- asking ------------------------------------------------------------------------------ */

/* Returns the message of the next task of the phase, which is asked from now on; NULL: all are. */
static struct ward_msg *next_question(struct wardi_shutdown *shutdown, uint32_t phase,
				      ward_ref *ret_to)
{
	struct wardi_list *tasks = &shutdown->phases[phase].tasks;
	struct ward_shutdown_task *body;
	struct ward_msg *msg = NULL;

	wardi_mutex_lock(&shutdown->mu);
	if (!wardi_list_empty(tasks)) {
		struct wardi_task *task = wardi_container_of(tasks->next, struct wardi_task, link);

		wardi_list_remove(&task->link);
		wardi_list_append(&shutdown->asked, &task->link);
		msg = task->msg;
		task->msg = NULL;
		*ret_to = task->who;
		body = wardi_msg_bytes(msg);
		strcpy(body->phase, shutdown->phases[phase].name);
		strcpy(body->task, task->name);
		strcpy(body->reason, shutdown->reason);
	}
	wardi_mutex_unlock(&shutdown->mu);
	return msg;
}

void wardi_tasks_ask(struct ward_self *self, uint32_t phase)
{
	ward_system *system = self->system;
	struct ward_msg *msg;
	ward_reason reason;
	ward_ref to;

	while ((msg = next_question(system->shutdown, phase, &to)) != NULL)
		/* An actor forgets its tasks before it closes its mailbox. */
		if (wardi_deliver(system, self, to, msg, &reason) != WARD_OK)
			wardi_msg_destroy(self->from, msg);
}

void wardi_tasks_give_up(struct ward_self *self, char *text, size_t max)
{
	struct wardi_shutdown *shutdown = self->system->shutdown;
	struct wardi_task *task;
	size_t length = 0;

	do {
		task = NULL;
		wardi_mutex_lock(&shutdown->mu);
		if (!wardi_list_empty(&shutdown->asked)) {
			task = wardi_container_of(shutdown->asked.next, struct wardi_task, link);
			if (length < max) {
				char one[WARDI_TASK_TEXT];

				describe(self->system, task, one, sizeof one);
				length += (size_t)snprintf(text + length, max - length, "%s%s",
							   length == 0 ? "" : ", ", one);
			}
			settle(shutdown, task);
		}
		wardi_mutex_unlock(&shutdown->mu);
	} while (task != NULL);
}

/* ---- the end of a task that was asked ---------------------------------------------------- */

void wardi_task_arrived(struct ward_self *self, const struct ward_msg *msg)
{
	struct wardi_shutdown *shutdown = self->system->shutdown;
	struct wardi_task *task;

	if (wardi_msg_sender_place(msg) != (self->system->place | WARDI_PLACE_WAITER))
		return; /* the program's own */
	wardi_mutex_lock(&shutdown->mu);
	task = find_asked(shutdown, msg->sender_uid);
	if (task != NULL) /* another actor gets it only after its own */
		task->handed = true;
	wardi_mutex_unlock(&shutdown->mu);
}

/* NULL type: ended without an answer. */
static bool finish(ward_system *system, ward_ref asker, const ward_type *type)
{
	struct wardi_shutdown *shutdown = system->shutdown;
	struct wardi_task *task;
	bool send = false;

	wardi_mutex_lock(&shutdown->mu);
	task = find_asked(shutdown, asker.uid);
	if (task != NULL && type != NULL && !ward_type_same(type, &ward_type_ward_shutdown_done))
		task = NULL;
	if (task != NULL) {
		settle(shutdown, task);
		send = all_done(shutdown);
	}
	wardi_mutex_unlock(&shutdown->mu);
	if (send)
		wardi_shutdown_send(system, NULL);
	return task != NULL;
}

bool wardi_task_answer(ward_system *system, ward_ref to, const ward_type *type)
{
	return finish(system, to, type);
}

void wardi_task_undelivered(ward_system *system, ward_ref asker)
{
	(void)finish(system, asker, NULL);
}

/* ---- the end of an incarnation, and of a life -------------------------------------------- */

static bool has_joined(const struct wardi_cell *cell)
{
	return cell->rare->extra != NULL && wardi_list_linked(&cell->rare->extra->tasks);
}

static struct wardi_list *tasks_of(struct ward_self *self)
{
	return &self->cell->rare->extra->tasks;
}

void wardi_tasks_incarnation_ended(struct ward_self *self)
{
	struct wardi_shutdown *shutdown = self->system->shutdown;
	bool send = false;

	if (!has_joined(self->cell))
		return;
	wardi_mutex_lock(&shutdown->mu);
	for (struct wardi_list *at = tasks_of(self)->next; at != tasks_of(self); at = at->next) {
		struct wardi_task *task = wardi_container_of(at, struct wardi_task, owned);

		if (!task->handed || task->done)
			continue;
		settle(shutdown, task);
		send = all_done(shutdown) || send;
	}
	wardi_mutex_unlock(&shutdown->mu);
	if (send)
		wardi_shutdown_send(self->system, self);
}

/* Returns the next task, to be freed without the lock; NULL: there is none. */
static struct wardi_task *forget_one(struct ward_self *self, bool *send)
{
	struct wardi_shutdown *shutdown = self->system->shutdown;
	struct wardi_task *task = NULL;

	wardi_mutex_lock(&shutdown->mu);
	if (!wardi_list_empty(tasks_of(self))) {
		task = wardi_container_of(tasks_of(self)->next, struct wardi_task, owned);
		wardi_list_remove(&task->owned);
		if (!task->done) {
			settle(shutdown, task);
			*send = all_done(shutdown) || *send;
		}
	}
	wardi_mutex_unlock(&shutdown->mu);
	return task;
}

void wardi_tasks_life_ended(struct ward_self *self)
{
	struct wardi_task *task;
	bool send = false;

	if (!has_joined(self->cell))
		return;
	while ((task = forget_one(self, &send)) != NULL)
		free_task(self->system, self->from, task);
	if (send)
		wardi_shutdown_send(self->system, self);
}

/* ---- for the user ------------------------------------------------------------------------ */

static ward_err check_phase(const struct wardi_shutdown *shutdown, const char *phase,
			    uint32_t *ret_phase)
{
	char known[192] = "";
	size_t length = 0;

	if (phase == NULL)
		return wardi_error(WARD_EINVAL, "ward_shutdown_join: the phase is NULL");
	for (uint32_t i = 0; i <= shutdown->count; i++) {
		if (strcmp(shutdown->phases[i].name, phase) == 0) {
			*ret_phase = i;
			return WARD_OK;
		}
		if (length < sizeof known)
			length += (size_t)snprintf(known + length, sizeof known - length, "%s%s",
						   i == 0 ? "" : ", ", shutdown->phases[i].name);
	}
	return wardi_error(WARD_ENOENT, "ward_shutdown_join: no phase \"%.*s\"; there are: %s",
			   WARD_TEXT_FIT(phase, 40), known);
}

int64_t ward_shutdown_timeout(const ward_self *self, const char *phase)
{
	const struct wardi_shutdown *shutdown;

	if (!wardi_self_usable(self) || phase == NULL)
		return 0;
	shutdown = self->system->shutdown;
	for (uint32_t i = 0; i <= shutdown->count; i++)
		if (strcmp(shutdown->phases[i].name, phase) == 0)
			return shutdown->phases[i].timeout_ms;
	return 0;
}

ward_err ward_try_shutdown_join(ward_self *self, const char *phase, const char *task)
{
	uint32_t number = 0;
	ward_err err;

	if (!wardi_self_usable(self))
		return WARD_EINVAL;
	err = check_phase(self->system->shutdown, phase, &number);
	if (err != WARD_OK)
		return err;
	if (task == NULL || task[0] == '\0')
		return wardi_error(WARD_ENAME, "ward_shutdown_join: the task has no name, by which "
					       "an event could tell that it is late");
	if (strlen(task) >= WARD_TASK_NAME)
		return wardi_error(
			WARD_ENAME,
			"ward_shutdown_join: the name of the task has %zu bytes, at most "
			"%d are allowed",
			strlen(task), WARD_TASK_NAME - 1);
	return join(self, number, task);
}
