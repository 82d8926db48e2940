/* SPDX-License-Identifier: MIT
 *
 * signal_watch.c - the signals of the process that an actor watches.
 *
 *	signal --> arrived(): adds it to what waits; sends a notice, unless one is on its way
 *	notice --> wardi_signal_due(): the watch of that id gives what waits, and gets the message
 *	           of its next notice
 *
 * So a watch has one notice at most in the mailbox. A watch that has ended has no id that a notice
 * knows, and a restart gives a new one: what a notice has not brought by then still waits, and
 * comes with the next.
 *
 * Threads: the list, and a record's place in it: the holder's. What `arrived` shares with the
 * holder: under the lock of sched/process_signals.c. The rest is frozen.
 */
#include "actor/signal_watch.h"

#include <ward/signal.h>

#include "actor/rare.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/signal_handler.h"
#include "cell/caller.h"
#include "mail/auto_received.h"
#include "sched/process_signals.h"
#include "send/deliver.h"

struct wardi_signal_watch {
	struct wardi_signal_listener listener;
	struct wardi_signal_watch *next; /* of the same actor */
	/* frozen */
	ward_system *system;
	ward_ref owner;
	/* under the lock */
	uint64_t id;
	struct ward_msg *notice;     /* the next one; NULL: no memory yet, or in flight */
	bool in_flight;              /* a notice of this id is on its way */
	bool aside;                  /* between two incarnations */
	struct wardi_signal waiting; /* count 0: none */
};

struct notice {
	struct ward_signal signal;
	uint64_t id;
};
_Static_assert(sizeof(struct notice) <= 48 && sizeof(struct ward_signal) > WARDI_BODY_SMALL,
	       "both have the same form");

static uint64_t ids; /* so far; under the lock */

const ward_type ward_type_ward_signal = {"ward_signal",
					 sizeof(struct ward_signal),
					 0,
					 0,
					 WARD_TYPE_FLAT | WARD_TYPE_QUIET,
					 NULL,
					 NULL,
					 NULL,
					 NULL,
					 NULL,
					 {0, 0}};

static const ward_type notice_type = {"ward.signal",
				      sizeof(struct notice),
				      0,
				      0,
				      WARDI_AUTO_TYPE(WARDI_AUTO_SIGNAL) | WARD_TYPE_QUIET,
				      NULL,
				      NULL,
				      NULL,
				      NULL,
				      NULL,
				      {0, 0}};

/* ---- arriving: under the lock, on any thread ---------------------------------------------- */

static struct ward_msg *make_notice(struct wardi_source from)
{
	return wardi_msg_make(from, &notice_type, NULL, 0);
}

/* False: no memory. */
static bool send_notice(struct wardi_signal_watch *watch)
{
	ward_reason reason;

	if (watch->waiting.count == 0 || watch->in_flight || watch->aside)
		return true;
	if (watch->notice == NULL)
		watch->notice = make_notice(wardi_outside_source(watch->system));
	if (watch->notice == NULL) {
		wardi_count(&watch->system->counters.shortages);
		return false;
	}
	((struct notice *)wardi_msg_bytes(watch->notice))->id = watch->id;
	if (wardi_deliver(watch->system, NULL, watch->owner, watch->notice, &reason) != WARD_OK)
		return true; /* the owner is about to end */
	watch->notice = NULL;
	watch->in_flight = true;
	return true;
}

static bool arrived(struct wardi_signal_listener *listener, const struct wardi_signal *signal)
{
	struct wardi_signal_watch *watch =
		wardi_container_of(listener, struct wardi_signal_watch, listener);
	uint32_t count = watch->waiting.count;

	if (signal != NULL) {
		watch->waiting = *signal;
		watch->waiting.count =
			count > UINT32_MAX - signal->count ? UINT32_MAX : count + signal->count;
	}
	return send_notice(watch);
}

/* ---- the holder --------------------------------------------------------------------------- */

/* The list of the actor. */
static struct wardi_signal_watch **all_of(const struct wardi_cell *cell)
{
	static struct wardi_signal_watch *none;

	return cell->rare->extra == NULL ? &none : &cell->rare->extra->signals;
}

static struct wardi_signal_watch **find(const struct wardi_cell *cell, int number)
{
	struct wardi_signal_watch **at = all_of(cell);

	while (*at != NULL && (*at)->listener.number != number)
		at = &(*at)->next;
	return at;
}

static void discard(struct ward_self *self, struct wardi_signal_watch *watch)
{
	if (watch->notice != NULL)
		wardi_msg_free(self->from, watch->notice);
	wardi_memory_put(self->from, watch, sizeof *watch);
}

static void end(struct ward_self *self, struct wardi_signal_watch **at)
{
	struct wardi_signal_watch *watch = *at;

	*at = watch->next;
	wardi_signals_unlisten(&watch->listener);
	discard(self, watch);
}

bool wardi_signal_due(struct ward_self *self, struct ward_msg *msg)
{
	const struct notice *notice = wardi_msg_bytes(msg);
	struct wardi_signal_watch *watch = *all_of(self->cell);
	struct wardi_signal due;

	if (watch == NULL)
		return false;
	wardi_signals_lock();
	while (watch != NULL && watch->id != notice->id)
		watch = watch->next;
	if (watch == NULL) {
		wardi_signals_unlock();
		return false;
	}
	due = watch->waiting;
	watch->waiting.count = 0;
	watch->in_flight = false;
	watch->notice = make_notice(self->from);
	wardi_signals_unlock();
	*(struct ward_signal *)wardi_msg_bytes(msg) =
		(struct ward_signal){due.number, due.count, due.from, due.uid, due.value};
	msg->type = wardi_msg_tagged(&ward_type_ward_signal, wardi_msg_form(msg));
	return true;
}

void wardi_signals_put_aside(struct wardi_cell *cell)
{
	struct wardi_signal_watch *watch = *all_of(cell);

	if (watch == NULL)
		return;
	wardi_signals_lock();
	for (; watch != NULL; watch = watch->next) {
		watch->aside = true;
		watch->in_flight = false;
		watch->id = ++ids;
	}
	wardi_signals_unlock();
}

void wardi_signals_restarted(struct ward_self *self)
{
	struct wardi_signal_watch **at = all_of(self->cell);

	while (*at != NULL)
		if ((*at)->aside) /* the holder alone writes it */
			end(self, at);
		else
			at = &(*at)->next;
}

void wardi_signals_unwatch_all(struct ward_self *self)
{
	struct wardi_signal_watch **at = all_of(self->cell);

	while (*at != NULL)
		end(self, at);
}

/* ---- the running actor -------------------------------------------------------------------- */

static ward_err no_memory(struct ward_self *self, int number)
{
	return wardi_no_memory(self->system, "no memory to watch signal %d", number);
}

/* The watch was one of the last incarnation. What has not been noticed then is noticed now. */
static ward_err take_up(struct ward_self *self, struct wardi_signal_watch *watch)
{
	ward_err err = WARD_OK;

	wardi_signals_lock();
	if (watch->notice == NULL)
		watch->notice = make_notice(self->from);
	if (watch->notice == NULL) {
		err = no_memory(self, watch->listener.number);
	} else {
		watch->aside = false;
		(void)send_notice(watch);
	}
	wardi_signals_unlock();
	return err;
}

static struct wardi_signal_watch *make(struct ward_self *self, int number)
{
	struct wardi_signal_watch *watch = wardi_memory_get(self->from, sizeof *watch);

	if (watch == NULL)
		return NULL;
	watch->listener = (struct wardi_signal_listener){
		.number = number,
		.system = self->system,
		.simulated = self->system->simulation != NULL,
		.arrived = arrived,
	};
	watch->system = self->system;
	watch->owner = wardi_own_ref(self);
	watch->notice = make_notice(self->from);
	if (watch->notice != NULL)
		return watch;
	discard(self, watch);
	return NULL;
}

static ward_err listen(struct ward_self *self, struct wardi_signal_watch *watch)
{
	ward_err err = WARD_OK;

	wardi_signals_lock();
	watch->id = ++ids;
	wardi_signals_unlock();
	if (!watch->listener.simulated)
		err = wardi_signals_join(&self->system->uses_signals);
	return err == WARD_OK ? wardi_signals_listen(&watch->listener) : err;
}

static ward_err check_number(int number)
{
	const char *refusal = wardi_signal_refusal(number);

	return refusal == NULL ? WARD_OK
			       : wardi_error(WARD_EINVAL, "signal %d cannot be watched: %s", number,
					     refusal);
}

ward_err ward_try_signal_watch(ward_self *self, int number)
{
	struct wardi_signal_watch *watch;
	struct wardi_extra *extra;
	ward_err err;

	if (!wardi_self_usable(self))
		return WARD_EINVAL;
	err = check_number(number);
	if (err != WARD_OK)
		return err;
	watch = *find(self->cell, number);
	if (watch != NULL)
		return watch->aside ? take_up(self, watch) : WARD_OK;
	extra = wardi_extra_for_asks(self);
	watch = extra == NULL ? NULL : make(self, number);
	if (watch == NULL)
		return no_memory(self, number);
	err = listen(self, watch);
	if (err != WARD_OK) {
		discard(self, watch);
		return err;
	}
	watch->next = extra->signals;
	extra->signals = watch;
	return WARD_OK;
}

void ward_signal_unwatch(ward_self *self, int number)
{
	struct wardi_signal_watch **at;

	if (!wardi_self_usable(self))
		return;
	at = find(self->cell, number);
	if (*at != NULL)
		end(self, at);
}

/* ---- a test ------------------------------------------------------------------------------- */

ward_err ward_system_signal(ward_system *system, const struct ward_signal *signal)
{
	struct wardi_signal raised;
	ward_err err = wardi_outside_check(system);

	if (err == WARD_OK && signal == NULL)
		err = wardi_error(WARD_EINVAL, "ward_system_signal: the signal is NULL");
	if (err == WARD_OK)
		err = check_number(signal->number);
	if (err != WARD_OK)
		return err;
	raised = (struct wardi_signal){signal->number, signal->count > 0 ? signal->count : 1,
				       signal->from, signal->uid, signal->value};
	if (wardi_signals_raise(system, &raised) > 0)
		return WARD_OK;
	return wardi_error(WARD_ENOENT, "ward_system_signal: no actor of %s watches signal %d",
			   system->name, raised.number);
}
