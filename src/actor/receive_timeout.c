/* SPDX-License-Identifier: MIT
 *
 * receive_timeout.c - the receive timeout: a message when no other message was handled for a time.
 *
 *	a message is handled:  until = now + timeout, a store
 *	the timer is due:      until is later? armed again for then; else a message to the mailbox,
 *	                       and armed again for another timeout
 *	the message arrives:   until is later, or it is off? dropped; else it is handled
 *
 * So messages move a number, not the timer: its lock is taken once per timeout. The timer stays in
 * the heap as long as it is on, so nothing can be refused later. The message is made in advance,
 * when the one before it arrives; without memory it comes a timeout later.
 *
 * Threads: see the struct.
 */
#include "actor/receive_timeout.h"

#include "actor/rare.h"
#include "base/error.h"
#include "sched/timers.h"
#include "send/deliver.h"

/* Longer timeouts would overflow, and are cut to this. */
static const int64_t ms_max = INT64_MAX / WARD_NS_PER_MS / 4;

static struct wardi_receive_timeout *idle_of(const struct ward_self *self)
{
	return self->cell->rare->extra == NULL ? NULL : &self->cell->rare->extra->receive_timeout;
}

/* Relaxed, as all accesses: a number that orders nothing. If fire() reads an old value it sends a
 * message that is found to be early when it arrives. */
static void set_until(struct wardi_receive_timeout *idle, int64_t until_ns)
{
	atomic_store_explicit(&idle->until_ns, until_ns, memory_order_relaxed);
}

static int64_t until(const struct wardi_receive_timeout *idle)
{
	return atomic_load_explicit(&idle->until_ns, memory_order_relaxed);
}

static void begin_again(struct ward_self *self, struct wardi_receive_timeout *idle)
{
	set_until(idle, wardi_clock_later(wardi_clock_now(&self->system->clock), idle->timeout_ns));
}

static struct ward_msg *make(struct ward_self *self)
{
	return wardi_msg_make(self->from, &ward_type_ward_receive_timeout, NULL, 0);
}

/* Under the timers' lock, on any worker. */
static void fire(struct wardi_worker *worker, struct wardi_timer_node *node, int64_t now_ns)
{
	struct wardi_receive_timeout *idle =
		wardi_container_of(node, struct wardi_receive_timeout, node);
	struct ward_self *self = worker->context;
	ward_system *system = self->system;
	int64_t until_ns = until(idle);
	ward_reason reason;

	if (until_ns > now_ns) {
		wardi_timer_rearm(system->sched, node, until_ns);
		return;
	}
	wardi_timer_rearm(system->sched, node, wardi_clock_later(now_ns, idle->timeout_ns));
	if (idle->in_flight)
		return;
	if (idle->ahead == NULL)
		idle->ahead = make(self);
	if (idle->ahead == NULL) { /* the next time brings it */
		wardi_count(&system->counters.shortages);
		return;
	}
	if (wardi_deliver(system, self, wardi_cell_ref(idle->cell), idle->ahead, &reason) ==
	    WARD_OK) {
		idle->ahead = NULL;
		idle->in_flight = true;
	}
	/* Else the actor has closed its mailbox, and has switched this off or is about to. */
}

bool wardi_receive_timeout_due(struct ward_self *self)
{
	struct wardi_receive_timeout *idle = idle_of(self);
	ward_system *system = self->system;

	if (idle == NULL || idle->cell == NULL)
		return false; /* forged: it was never on */
	wardi_timers_lock(system->sched, &idle->node);
	idle->in_flight = false;
	if (idle->on && idle->ahead == NULL)
		idle->ahead = make(self);
	wardi_timers_unlock(system->sched, &idle->node);
	return until(idle) <= wardi_clock_now(&system->clock);
}

void wardi_receive_timeout_handled(struct ward_self *self, const ward_type *type)
{
	struct wardi_receive_timeout *idle = &self->cell->rare->extra->receive_timeout;

	if (idle->on && (type->flags & WARD_TYPE_NOT_INFLUENCING) == 0)
		begin_again(self, idle);
}

void wardi_receive_timeout_restarted(struct ward_self *self)
{
	struct wardi_receive_timeout *idle = idle_of(self);

	if (idle != NULL && idle->on)
		begin_again(self, idle);
}

void wardi_receive_timeout_cancel(struct ward_self *self)
{
	struct wardi_receive_timeout *idle = idle_of(self);

	if (idle == NULL || !idle->on)
		return;
	wardi_timer_disarm(self->system->sched, &idle->node);
	idle->on = false;
	set_until(idle, INT64_MAX);
}

void wardi_receive_timeout_finish(struct ward_self *self)
{
	struct wardi_receive_timeout *idle = idle_of(self);

	if (idle == NULL || idle->ahead == NULL)
		return;
	wardi_msg_free(self->from, idle->ahead); /* disarmed: this thread alone has it */
	idle->ahead = NULL;
}

/* ---- for the user ------------------------------------------------------------------------ */

/* Takes what the next timeout needs. False: no memory; nothing has changed. */
static bool prepare(struct ward_self *self, struct wardi_receive_timeout *idle, int64_t timeout_ns)
{
	ward_system *system = self->system;
	bool prepared;

	if (idle->cell == NULL) {
		idle->cell = self->cell;
		idle->node.fire = fire;
		idle->node.owner = self->cell->uid;
		set_until(idle, INT64_MAX);
	}
	wardi_timers_lock(system->sched, &idle->node);
	if (idle->ahead == NULL && !idle->in_flight)
		idle->ahead = make(self);
	prepared = idle->ahead != NULL || idle->in_flight;
	if (prepared)
		idle->timeout_ns = timeout_ns;
	wardi_timers_unlock(system->sched, &idle->node);
	return prepared;
}

ward_err ward_try_receive_timeout_set(ward_self *self, int64_t timeout_ms)
{
	struct wardi_extra *extra;
	struct wardi_receive_timeout *idle;

	if (!wardi_self_usable(self))
		return WARD_EINVAL;
	if (timeout_ms < 0)
		return wardi_error(WARD_EINVAL,
				   "ward_receive_timeout_set: timeout_ms is %lld: it must not be "
				   "negative; 0 switches it off",
				   (long long)timeout_ms);
	if (timeout_ms == 0) {
		wardi_receive_timeout_cancel(self);
		return WARD_OK;
	}
	extra = wardi_extra_of(self);
	if (timeout_ms > ms_max)
		timeout_ms = ms_max;
	idle = extra == NULL ? NULL : &extra->receive_timeout;
	if (idle == NULL || !prepare(self, idle, timeout_ms * WARD_NS_PER_MS))
		return wardi_no_memory(self->system, "no memory for a receive timeout");
	begin_again(self, idle);
	/* A timeout that is on is in the heap already, so it cannot be refused. */
	idle->on = wardi_timer_arm(self->system->sched, &idle->node, until(idle));
	if (idle->on)
		return WARD_OK;
	set_until(idle, INT64_MAX);
	return wardi_no_memory(self->system, "no memory for a receive timeout");
}
