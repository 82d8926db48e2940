/* SPDX-License-Identifier: MIT
 *
 * turn.c - one turn of a cell on a worker: system messages, then user messages, then give it up.
 *
 *	run: drain the system lane; start the actor if it is new;
 *	     while it may have mail: un-stashed or popped, handle, drain the system lane again (S1);
 *	     give the cell up, or go to the back of the queue after a batch of messages, or at the
 *	     deadline of the turn.
 *
 * The save point is set once for each worker, not for each turn or message. A jump out of receive
 * returns to it, settles the failure, and the turn goes on. A simulation steps from outside, and
 * sets one for each turn.
 *
 * This is the general way, which handles every case. Nearly all turns go the plain way as long as
 * they can: plain_turn.c, which compares the two. These cases come here:
 *
 *	look_around     the cell needs a general turn (cell.h), or system messages wait
 *	handle_other    the message is for another life, or auto-received (auto_receive.c)
 *	wardi_settle    receive failed, escalated, left it unhandled, used scratch memory, or took
 *	                the message; the message owns something; or the cell needs a general turn
 *	next_message    the mailbox has a policy, or a push is half done
 *
 * Threads: runs only on the holder's worker.
 */
#include "turn/turn.h"

#include <string.h>

#include "actor/arena.h"
#include "actor/closed_mailbox.h"
#include "actor/failing.h"
#include "actor/hardware_fault.h"
#include "actor/question_record.h"
#include "actor/receive_timeout.h"
#include "actor/represent.h"
#include "actor/stash.h"
#include "base/lock.h"
#include "base/text.h"
#include "cell/path.h"
#include "cell/points.h"
#include "cell/supervision_table.h"
#include "life/late_mail.h"
#include "life/life.h"
#include "life/start.h"
#include "mail/auto_received.h"
#include "mail/ref.h"
#include "sched/grace.h"
#include "send/backpressure.h"
#include "send/dead_letter.h"
#include "send/event.h"
#include "turn/auto_receive.h"

static void unhandled(struct ward_self *self)
{
	ward_event event;

	wardi_count(&self->system->counters.unhandled);
	if (self->msg == NULL || !wardi_event_wanted(self->system, WARD_EVENT_UNHANDLED))
		return;
	/* A listener that leaves events unhandled would get an event about each, forever (S81). */
	if (wardi_msg_type(self->msg) == &ward_type_ward_event)
		return;
	wardi_event_begin(self->system, &event, WARD_EVENT_UNHANDLED, WARD_LEVEL_WARNING,
			  wardi_own_ref(self));
	event.sender = ward_msg_sender(self->msg);
	wardi_text_copy(event.message_type, sizeof event.message_type,
			wardi_msg_type(self->msg)->name);
	event.body_size = (uint32_t)wardi_msg_size(self->msg);
	wardi_event_publish(self->system, self, &event);
}

/* The message was handled. A notice of a limit may be left unhandled without an event (S121). */
static void handled(struct ward_self *self, ward_result result)
{
	if (result == WARD_UNHANDLED &&
	    (self->msg == NULL || wardi_msg_type(self->msg) != &ward_type_ward_restarts_exceeded))
		unhandled(self);
	wardi_self_release_msg(self);
}

/* A notice was left unhandled (S66). The path of the ended actor may be gone as well. */
static struct wardi_failure death_pact(struct ward_self *self, const struct ward_terminated *gone)
{
	const ward_failure_class *failed = gone->failure_class;
	char path[WARD_EVENT_PATH];
	struct wardi_failure cause;
	struct ward_msg *body;
	const char *who;

	wardi_path_tail(self->system, gone->who, path, sizeof path);
	who = path[0] == '?' && gone->name[0] != '\0' ? gone->name : path;
	cause = wardi_failure_text(self->system, wardi_own_ref(self), &ward_death_pact,
				   WARDI_NO_FAILURE, "did not handle the end of %s: %s%s%.*s", who,
				   ward_end_text(gone->end), failed == NULL ? "" : " with ",
				   WARD_TEXT_FIT(failed == NULL ? "" : failed->name, 64));
	body = wardi_msg_make(self->from, &ward_type_ward_terminated, gone, sizeof *gone);
	if (body == NULL)
		wardi_count(&self->system->counters.shortages);
	else if (!wardi_failure_set_body(cause, body))
		wardi_msg_destroy(self->from, body);
	return cause;
}

/* Returns the failure of the callback itself, or none. */
static struct wardi_failure own_failure(struct ward_self *self, ward_result result)
{
	struct wardi_failure cause = wardi_take_noted(self, result);

	if (wardi_failure_is_none(cause) && result == WARD_UNHANDLED && self->msg != NULL &&
	    wardi_msg_type(self->msg) == &ward_type_ward_terminated) {
		cause = death_pact(self, wardi_msg_bytes(self->msg));
	}
	if (!wardi_failure_is_none(cause))
		wardi_failure_set_message(
			cause, atomic_load_explicit(&self->running_type, memory_order_relaxed));
	return cause;
}

/* If receive escalated the failure of a child, the actor fails with that failure now. If receive
 * failed as well, its own failure counts, and the child is still the perpetrator (S19). */
void wardi_settle(struct ward_self *self, ward_result result)
{
	struct wardi_failure escalated = self->escalated;
	struct wardi_cell *perpetrator = self->perpetrator;
	struct wardi_failure cause;

	if (self->out) {
		self->out = false;
		wardi_run_comes_back(self->worker);
	}
	if (wardi_has_points(self->system))
		result = wardi_points.after(self, WARD_POINT_RECEIVE, ward_nobody(), self->fault,
					    result);
	cause = own_failure(self, result);
	if (self->cell->rare->extra != NULL) {
		wardi_receive_timeout_handled(
			self, atomic_load_explicit(&self->running_type, memory_order_relaxed));
		if (wardi_represents(self->cell))
			wardi_represent_handled(self, !wardi_failure_is_none(cause) ||
							      !wardi_failure_is_none(escalated));
	}
	self->escalated = WARDI_NO_FAILURE;
	self->perpetrator = NULL;
	self->callback = self->has_leftovers = false;
	if (wardi_failure_is_none(cause)) {
		handled(self, result);
		cause = escalated;
	} else {
		wardi_self_keep_failed_msg(self);
		wardi_failure_unref(escalated);
	}
	if (!wardi_failure_is_none(cause))
		wardi_supervision.fail(self, cause, perpetrator);
	wardi_scratch_reset(self);
}

/* Whether a simulation lets receive fail instead of calling it. */
static bool fails_before(struct ward_self *self)
{
	self->fault = wardi_points.before(self, WARD_POINT_RECEIVE, ward_nobody());
	return self->fault == WARD_FAULT_FAIL_BEFORE;
}

/* Before receive, of a cell that needs a general turn. */
static bool may_receive(struct ward_self *self)
{
	if (self->cell->blocks) { /* its threads may wait: the age is worth a clock read */
		atomic_store_explicit(&self->running_since_ns,
				      wardi_clock_now(&self->system->clock), memory_order_relaxed);
		self->out = true;
		wardi_run_goes_out(self->worker);
	}
	return !wardi_has_points(self->system) || !fails_before(self);
}

static void receive(struct ward_self *self)
{
	struct wardi_cell *cell = self->cell;
	struct ward_msg *msg = self->msg;
	ward_result result = WARD_FAILED;

	self->callback = true;
	if (!wardi_cell_needs_general_turn(cell) || may_receive(self))
		result = cell->receive(self, cell->memory, msg);
	if (self->owns_block || wardi_msg_form(msg) == WARDI_OUTSIDE ||
	    wardi_cell_needs_general_turn(cell) ||
	    !wardi_leaves_nothing(self, msg, (uintptr_t)wardi_msg_type(msg)->drop | result)) {
		wardi_settle(self, result);
		return;
	}
	self->callback = false;
	self->msg = NULL;
}

/* Forgets the details of an auto-received message, which belong to that message alone. */
static void special_is_over(struct ward_self *self)
{
	self->periods = self->answers = 0;
	if (self->kept_question != NULL)
		wardi_question_rest(self);
}

/* Handles mail for an earlier life, or an auto-received message. False: the cell is gone. */
static inline __attribute__((always_inline)) bool handle_other(struct ward_self *self,
							       struct ward_msg *msg)
{
	struct wardi_cell *cell = self->cell;
	bool gone = false;

	if (msg->target_gen != wardi_uid_gen(cell->uid)) {
		/* The message was on its way when an earlier life of this cell ended. */
		uint64_t meant = (uint64_t)msg->target_gen << 32 | wardi_cell_slot(cell);

		wardi_dead_letter(self->system, self, wardi_ref_make(meant, self->system->place),
				  msg, WARD_REASON_DEAD);
		return true;
	}
	if (wardi_auto_receive(self, msg, &gone))
		receive(self);
	special_is_over(self);
	return !gone;
}

/* False: the cell is gone. */
static bool handle(struct ward_self *self, struct ward_msg *msg)
{
	if (msg->target_gen != wardi_uid_gen(self->cell->uid) || wardi_msg_is_auto_received(msg))
		return handle_other(self, msg);
	wardi_self_hold_msg(self, msg, false);
	receive(self);
	return true;
}

/* Handles a message that was stashed: its checks were made when it arrived. */
static void handle_again(struct ward_self *self, struct ward_msg *msg)
{
	wardi_self_hold_msg(self, msg, true);
	receive(self);
}

static struct ward_msg *next_in_bounded(struct ward_self *self, struct wardi_bounded *bounded)
{
	struct ward_msg *msg;
	bool drained;

	msg = wardi_bounded_pop(bounded, self->from, &drained);
	if (drained)
		wardi_backpressure_drained(self, bounded);
	return msg;
}

/* Returns the next user message, or NULL; *ret_busy: a push is half done. */
static struct ward_msg *next_message(struct ward_self *self, bool *ret_busy)
{
	struct wardi_mailbox *mailbox = &self->cell->mailbox;
	struct ward_msg *msg = NULL;
	struct wardi_bounded *bounded;
	enum wardi_pop pop = wardi_mailbox_pop(mailbox, wardi_self_source(self), &msg);

	*ret_busy = pop == WARDI_POP_BUSY;
	if (pop == WARDI_POP_MESSAGE)
		return msg;
	bounded = atomic_load_explicit(&mailbox->bounded, memory_order_relaxed);
	return bounded == NULL ? NULL : next_in_bounded(self, bounded);
}

/* Whether a message came to the bounded mailbox, perhaps that of a later life, before the cell was
 * given up. True: the caller makes the cell ready. */
static bool bounded_came(struct wardi_cell *cell)
{
	/* Acquire, as in deliver: the thread that opened a later life may have made it. */
	struct wardi_bounded *bounded =
		atomic_load_explicit(&cell->mailbox.bounded, memory_order_acquire); /* [P5] */

	return bounded != NULL && !wardi_bounded_empty(bounded) &&
	       wardi_mailbox_wake(&cell->mailbox);
}

static void again(struct ward_self *self)
{
	wardi_sched_ready(self->system->sched, self->worker, &self->cell->runnable);
}

/* True: the turn is over. Inlined, so that `may_read` is a constant. */
static inline __attribute__((always_inline)) bool turn_ends(struct ward_self *self, bool may_read)
{
	struct wardi_cell *cell = self->cell;

	if (!may_read)
		wardi_mailbox_give_up_unread(&cell->mailbox);
	else if (!wardi_mailbox_give_up(&cell->mailbox, wardi_self_source(self)))
		return false;
	/* Any thread may hold the cell now. If it must be woken it goes to a queue of its
	 * dispatcher: its life may be over, or a new life may belong on other threads. */
	if (wardi_mailbox_take_back(&cell->mailbox) || (may_read && bounded_came(cell)))
		again(self);
	return true;
}

/* After the receive that asked for it, and after all that is in the system lane: as if the stop had
 * been sent there, except that what came later is carried out, too; a stop wins over it (command.c,
 * exit.c). False: the cell is gone. */
static bool stop_itself(struct ward_self *self)
{
	self->stops = false;
	return wardi_stop(self);
}

static void take_into_batch(struct ward_self *self, uint32_t messages)
{
	self->left = messages < self->more ? messages : self->more;
	self->more -= self->left;
}

/* Whether another message waits; one that comes now may be missed. */
static bool has_message(const struct wardi_cell *cell)
{
	const struct wardi_mailbox *mailbox = &cell->mailbox;

	return wardi_mailbox_after(wardi_mailbox_tail(mailbox)) != NULL ||
	       wardi_cell_unstashed(cell) ||
	       atomic_load_explicit(&mailbox->bounded, memory_order_relaxed) != NULL;
}

/* After the batch of a turn with a deadline: takes the next message into it if there is time; in a
 * paced turn twice as many as before, and without a look at the clock if there are none. So a turn
 * without a deadline pays nothing until its batch is used up. */
static __attribute__((noinline, cold)) bool goes_on_in_time(struct ward_self *self)
{
	if (self->paced && !has_message(self->cell)) {
		take_into_batch(self, 1);
		return true;
	}
	if (wardi_clock_now(&self->system->clock) >= self->until_ns)
		return false;
	if (self->paced)
		self->step *= 2;
	take_into_batch(self, self->step);
	return true;
}

static inline bool batch_is_over(struct ward_self *self)
{
	return self->left == 0 && (self->more == 0 || !goes_on_in_time(self));
}

enum next { NEXT_OVER, NEXT_AGAIN, NEXT_READ };

/* The same as turn_ends(), of a closed mailbox. */
static bool closed_turn_ends(struct ward_self *self)
{
	struct wardi_cell *cell = self->cell;

	if (!wardi_closed_give_up(self))
		return false;
	if (wardi_mailbox_take_back(&cell->mailbox) ||
	    (wardi_closed_passing_came(cell) && wardi_mailbox_wake(&cell->mailbox)))
		again(self);
	return true;
}

/* The actor has closed its mailbox: what passes is handled, all else waits, also what was
 * un-stashed. */
static __attribute__((noinline, cold)) enum next look_past_closed(struct ward_self *self)
{
	struct ward_msg *msg;
	bool busy;

	if (batch_is_over(self)) {
		if (!closed_turn_ends(self))
			again(self);
		return NEXT_OVER;
	}
	msg = wardi_closed_next(self, &busy);
	if (msg != NULL) {
		self->left--;
		return handle_other(self, msg) ? NEXT_AGAIN : NEXT_OVER;
	}
	if (busy)
		again(self);
	return busy || closed_turn_ends(self) ? NEXT_OVER : NEXT_AGAIN;
}

/* Does what is due before the lane is read, for a cell that needs a general turn or has system
 * messages. */
static enum next look_around(struct ward_self *self)
{
	struct wardi_cell *cell = self->cell;
	struct ward_msg *msg;

	wardi_self_show(self, NULL);
	if (wardi_cell_state(cell) == WARDI_STARTING)
		wardi_start(self);
	if (wardi_mailbox_has_system(&cell->mailbox) && !wardi_sys_drain(self))
		return NEXT_OVER;
	if (self->stops && !stop_itself(self))
		return NEXT_OVER;
	if (!wardi_cell_runs_mail(cell)) {
		(void)turn_ends(self, false);
		return NEXT_OVER;
	}
	if (wardi_cell_reads_lane_at_once(cell))
		return NEXT_READ;
	if (wardi_represents(cell))
		wardi_represent_changed(self);
	if (wardi_cell_is_closed(cell))
		return look_past_closed(self);
	wardi_closed_read_on(cell);
	if (!wardi_cell_unstashed(cell))
		return NEXT_READ;
	if (batch_is_over(self)) {
		again(self);
		return NEXT_OVER;
	}
	msg = wardi_unstashed_next(self);
	self->left--;
	handle_again(self, msg);
	return NEXT_AGAIN;
}

static void run(struct ward_self *self)
{
	struct wardi_cell *cell = self->cell;
	struct ward_msg *msg;
	bool busy;

	for (;;) {
		if (wardi_cell_needs_general_turn(cell) ||
		    wardi_mailbox_has_system(&cell->mailbox)) {
			enum next next = look_around(self);

			if (next == NEXT_OVER)
				return;
			if (next == NEXT_AGAIN)
				continue;
		}
		if (batch_is_over(self)) {
			if (!turn_ends(self, true))
				again(self);
			return;
		}
		msg = next_message(self, &busy);
		if (msg != NULL) {
			self->left--;
			if (!handle(self, msg))
				return;
		} else if (busy) {
			again(self);
			return;
		} else if (turn_ends(self, true)) {
			return;
		}
	}
}

/* ---- turns ------------------------------------------------------------------------------- */

__attribute__((noinline)) void wardi_turn_goes_on(struct ward_self *self)
{
	run(self);
	wardi_self_show(self, NULL);
}

static void turn(struct ward_self *self, uint32_t messages)
{
	self->left = messages;
	wardi_turn_goes_on(self);
}

/* Its batch has one message after the other, or grows: see goes_on_in_time(). */
static void timed_turn(struct ward_self *self)
{
	/* Relaxed: this worker's own. */
	int64_t begin_ns =
		self->paced ? atomic_load_explicit(&self->worker->clock_ns, memory_order_relaxed)
			    : wardi_clock_now(&self->system->clock);

	self->until_ns = begin_ns + self->deadline_ns;
	self->more = self->throughput - 1;
	self->step = 1;
	turn(self, 1);
}

/* After a jump out of receive: settles it, and goes on with the turn. */
static __attribute__((noinline)) void land(struct ward_self *self)
{
	wardi_lock_none(WARDI_LOCK_PLACE);
	wardi_hardware_fault_landed(self);
	wardi_settle(self, WARD_FAILED);
	special_is_over(self);
	wardi_turn_goes_on(self);
}

static __attribute__((noinline)) void attend_saved(struct ward_self *self, sigjmp_buf *save,
						   void (*work)(struct wardi_worker *worker))
{
	if (sigsetjmp(*save, 0) != 0)
		land(self);
	work(self->worker);
}

void wardi_self_attend(struct wardi_worker *worker, void (*work)(struct wardi_worker *worker))
{
	struct ward_self *self = worker->context;
	sigjmp_buf save;

	self->save = &save;
	attend_saved(self, &save, work);
	self->save = NULL;
}

static __attribute__((noinline)) void turn_saved(struct ward_self *self, sigjmp_buf *save,
						 uint32_t messages)
{
	if (sigsetjmp(*save, 0) != 0)
		land(self);
	else
		turn(self, messages);
}

/* One message, so that a simulation can choose any order; more only if the program asks for it. */
static uint32_t simulated_messages(const struct wardi_cell *cell)
{
	uint32_t throughput = cell->runnable.dispatcher->settings.throughput;

	return throughput != 0 ? throughput : 1;
}

static void simulated_turn(struct ward_self *self)
{
	ward_ref who = wardi_own_ref(self);
	uint32_t incarnation = atomic_load_explicit(&self->cell->incarnation, memory_order_relaxed);
	sigjmp_buf save;

	if (!wardi_points.turn(self))
		return;
	self->save = &save;
	turn_saved(self, &save, simulated_messages(self->cell));
	self->save = NULL;
	wardi_points.turned(self->system, who, incarnation);
}

void wardi_turn(struct ward_self *self)
{
	wardi_lock_none(WARDI_LOCK_PLACE);
	if (wardi_cell_is_over(self->cell))
		wardi_late_mail(self, self->cell);
	else
		turn(self, WARDI_BATCH);
}

void wardi_limited_turn(struct ward_self *self)
{
	wardi_lock_none(WARDI_LOCK_PLACE);
	if (wardi_cell_is_over(self->cell))
		wardi_late_mail(self, self->cell);
	else if (wardi_has_points(self->system))
		simulated_turn(self);
	else if (self->deadline_ns != 0)
		timed_turn(self);
	else
		turn(self, self->throughput);
}

void wardi_cell_touches(const struct wardi_runnable *runnable,
			const void *ret_places[WARDI_TOUCHES])
{
	const struct wardi_cell *cell =
		wardi_container_of(runnable, const struct wardi_cell, runnable);
	/* Acquire: the message may have come after the one that made the cell ready. [P2] */
	const wardi_next *last =
		wardi_link_of(atomic_load_explicit(&cell->mailbox.head, memory_order_acquire));
	const struct ward_msg *msg = (const void *)last;

	if (last == &cell->mailbox.stub)
		return; /* a system message */
	ret_places[0] = msg;
	if (wardi_msg_type(msg) == &wardi_type_answer)
		ret_places[1] = ((const struct wardi_token *)wardi_msg_bytes(msg))->record;
}

void wardi_cell_turns(struct wardi_worker *worker, struct wardi_runnable *runnable)
{
	struct ward_self *self = worker->context;

	wardi_self_take_cell(self, wardi_container_of(runnable, struct wardi_cell, runnable));
	wardi_self_count_turn(self, 1 + atomic_load_explicit(&self->turns, memory_order_relaxed));
	wardi_limited_turn(self);
	wardi_self_take_cell(self, NULL);
}
