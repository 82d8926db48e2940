/* SPDX-License-Identifier: MIT
 *
 * ledger.c - the error kernel: knows what is accepted, sent and acknowledged, and no danger.
 *
 * It touches no file and no database. Its children do, and fail; it only decides who tries again,
 * when, and from where. Whatever happens to a line between reader and database, the ledger sees the
 * same: no acknowledgement. Then it goes back to the last one.
 *
 *	writer_started (later after each try in vain, says its keeper) --> open_store
 *	store_opened, mark..., store_ready --> back to what is acknowledged, and on from there
 *	all stored --> open_store once more: only a fresh look at the database ends the work
 */
#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "failures.h"
#include "job.h"
#include "ledger_inside.h"
#include "messages.h"

enum {
	TICK_MS = 100,
	STALL_MS = 5000,     /* without an answer: what is on its way is taken for lost */
	DRAIN_MS = 3000,     /* an interrupt waits no longer for what is on its way */
	DELAY_MS = 100,      /* before the second try, twice that before the third, ... */
	DELAY_MAX_MS = 1000, /* ... but no longer than this */
	VIEW_MS = 1000,      /* the start waits no longer for the view */
	CHAOS_OUT_MAX = 256  /* lines on their way under chaos: then a short input is enough */
};

enum timer { TIMER_TICK = 1, TIMER_OPEN, TIMER_READ };
enum question { THE_VIEW = 1 };

/* Tells its own from one of a ledger before us, whose pre_start failed behind it. */
struct begin_work {
	uint32_t incarnation;
};
WARD_MESSAGE_FLAT(begin_work);

WARD_SIGNAL(tick);
WARD_SIGNAL(time_to_open);
WARD_SIGNAL(time_to_read);
WARD_SIGNAL(view_gone);

static int64_t ms_since(ward_self *self, int64_t ns)
{
	return (ward_now_ns(self) - ns) / 1000000;
}

/* Something went forward. */
static void moved(ward_self *self, struct ledger *me)
{
	me->moved_ns = ward_now_ns(self);
	me->writers = 0;
	me->readers = 0;
}

/* ---- the end ----------------------------------------------------------------------------- */

/* Leaves word of how far each source is. The view may still have something to say; when it is done,
 * we stop with all other children. */
static void leave(ward_self *self, struct ledger *me)
{
	for (uint32_t i = 0; i < me->account.count; i++) {
		const struct place *place = &me->account.places[i];
		struct source *source = &me->job->sources->all[i];
		if (!place->readable)
			continue;
		source->limit = place->limit;
		source->complete = place->complete;
		if (me->account.known)
			source->acked = place->acked;
		if (source->end < place->acked)
			source->end = place->acked;
	}
	me->leaving = true;
	if (me->view_gone)
		ward_stop(self, ward_self_ref(self));
	else if (ward_try_tell(self, me->tree.view, ward_poison_pill) != WARD_OK)
		ward_stop(self, me->tree.view);
}

static void give_up(ward_self *self, struct ledger *me)
{
	me->job->outcome.gave_up = true;
	why_not(&me->job->outcome.why, "nothing could be stored for %" PRId64 " seconds",
		me->job->patience_ms / 1000);
	leave(self, me);
}

static void interrupted(ward_self *self, struct ledger *me, int number)
{
	if (me->leaving)
		return;
	me->job->outcome.interrupted = number;
	if (me->draining) {
		leave(self, me);
		return;
	}
	me->draining = true;
	me->drain_ns = ward_now_ns(self);
	tell_note(self, me->tree.view, "interrupted by SIG%s: %u lines are on their way",
		  sigabbrev_np(number), me->account.window.out);
}

/* ---- what comes next --------------------------------------------------------------------- */

static void ask_to_open(ward_self *self, struct ledger *me)
{
	me->writer_ready = false;
	me->asked = true;
	me->asked_ns = ward_now_ns(self);
	/* Refused only while the mailbox is full of lines that a waiting writer lets go. */
	if (ward_try_tell(self, me->tree.writer, open_store) != WARD_OK)
		ward_after(self, TIMER_OPEN, DELAY_MS, time_to_open);
}

static void finish_or_look(ward_self *self, struct ledger *me)
{
	if (me->last_look) {
		me->job->outcome.finished = true;
		leave(self, me);
		return;
	}
	me->last_look = true;
	ask_to_open(self, me);
}

static void ask_reader(ward_self *self, struct ledger *me)
{
	struct request request;
	if (account_ask(&me->account, me->job->chaos_source, &request))
		must_tell(self, me->tree.reader, read_lines, .number = request.number,
			  .source = request.source, .count = request.count,
			  .offset = request.offset, .limit = request.limit,
			  .complete = request.complete);
}

static void strike(ward_self *self, struct ledger *me)
{
	me->chaos_state = CHAOS_STRIKING;
	must_tell(self, me->tree.chaos, strike);
}

/* Called after whatever may have changed what is to be done. */
static void go_on(ward_self *self, struct ledger *me)
{
	if (me->leaving)
		return;
	if (me->draining) {
		if (me->account.window.out == 0 || !me->writer_ready)
			leave(self, me);
		return;
	}
	if (!me->writer_ready || !me->reader_ready)
		return;
	if (me->chaos_state == CHAOS_WAITING && me->lines >= me->strike_at)
		strike(self, me);
	if (me->chaos_state != CHAOS_STRIKING)
		ask_reader(self, me);
	if (!account_is_idle(&me->account)) {
		me->last_look = false;
		return;
	}
	moved(self, me);
	if (me->chaos_state == CHAOS_WAITING)
		strike(self, me);
	if (me->chaos_state == CHAOS_OVER && account_is_done(&me->account))
		finish_or_look(self, me);
}

/* How long the next of so many waits. */
static int64_t delay_ms(uint32_t started)
{
	int64_t delay = 0;
	if (started > 1)
		delay = DELAY_MS << (started > 6 ? 4 : started - 2);
	return delay < DELAY_MAX_MS ? delay : DELAY_MAX_MS;
}

/* What was asked may be lost behind us, at the keeper, which has to pass it on. */
static void ask_again(ward_self *self, struct ledger *me)
{
	if (me->asked && ms_since(self, me->asked_ns) > STALL_MS)
		ask_to_open(self, me);
}

static void take_tick(ward_self *self, struct ledger *me)
{
	if (me->leaving)
		return;
	if (me->draining) {
		if (ms_since(self, me->drain_ns) > DRAIN_MS)
			leave(self, me);
		return;
	}
	if ((me->writers > 1 || me->readers > 1) &&
	    ms_since(self, me->moved_ns) > me->job->patience_ms) {
		give_up(self, me);
		return;
	}
	ask_again(self, me);
	if (me->writer_ready && me->account.window.out > 0 &&
	    ms_since(self, me->moved_ns) > STALL_MS) {
		tell_note(self, me->tree.view, "%u lines got lost on their way and are repeated",
			  me->account.window.out);
		moved(self, me);
		account_rewind(&me->account);
		go_on(self, me);
	}
}

/* ---- what the children say --------------------------------------------------------------- */

static void take_line(ward_self *self, struct ledger *me, const struct line *line)
{
	/* A parser died of it: it goes around the parsers, if it is still on its way. */
	if (line->condemned) {
		if (window_is_out(&me->account.window, line->number))
			ward_forward(self, me->tree.writer);
	} else if (account_line(&me->account, line->number, line->source, line->length,
				line->offset + line->span)) {
		ward_forward(self, me->tree.crew);
	}
}

static void take_stored(ward_self *self, struct ledger *me, const struct stored *stored)
{
	for (uint32_t i = 0; i < stored->count; i++)
		me->lines += account_stored(&me->account, stored->numbers[i]);
	moved(self, me);
	ward_tell(self, me->tree.view, progress, .lines = me->lines);
	go_on(self, me);
}

static ward_result take_from_writer(ward_self *self, struct ledger *me, const ward_msg *msg)
{
	const struct mark *mark;
	const struct stored *stored;

	if ((stored = ward_match(msg, stored))) {
		take_stored(self, me, stored);
	} else if ((mark = ward_match(msg, mark))) {
		account_mark(&me->account, mark->source_id, mark->end, mark->tail);
	} else if (ward_match(msg, writer_started)) {
		me->last_look = false;
		me->writers++;
		ask_to_open(self, me);
	} else if (ward_match(msg, writer_gone)) {
		me->writer_ready = false;
		me->asked = false; /* the next one says that it has started */
		me->last_look = false;
		go_on(self, me);
	} else if (ward_match(msg, store_opened)) {
		me->asked = false;
		account_open(&me->account);
	} else if (ward_match(msg, store_ready)) {
		me->writer_ready = true;
		account_rewind(&me->account);
		go_on(self, me);
	} else {
		return WARD_UNHANDLED;
	}
	return WARD_DONE;
}

static ward_result take_from_reader(ward_self *self, struct ledger *me, const ward_msg *msg)
{
	const struct read_done *done;
	const struct grown *grown;

	if ((done = ward_match(msg, read_done))) {
		if (account_read(&me->account, done->number, done->sent, done->next, done->at_end))
			go_on(self, me);
	} else if ((grown = ward_match(msg, grown))) {
		account_grow(&me->account, grown->source, grown->size, grown->complete);
		me->job->outcome.input_broken |= grown->broken;
		go_on(self, me);
	} else if (ward_match(msg, reader_ready)) {
		me->reader_ready = false;
		me->readers++;
		ward_after(self, TIMER_READ, delay_ms(me->readers), time_to_read);
	} else {
		return WARD_UNHANDLED;
	}
	return WARD_DONE;
}

static ward_result take_from_chaos(ward_self *self, struct ledger *me, const ward_msg *msg)
{
	const struct strike_at *at;

	if ((at = ward_match(msg, strike_at))) {
		me->chaos_state = CHAOS_WAITING;
		/* What is on its way may be past the place of the fault already. */
		me->strike_at = me->lines + me->account.window.out + at->more;
	} else if (ward_match(msg, flow)) {
		me->chaos_state = CHAOS_ON;
	} else if (ward_match(msg, chaos_over)) {
		me->chaos_state = CHAOS_OVER;
		account_complete(&me->account, (uint32_t)me->job->chaos_source);
	} else {
		return WARD_UNHANDLED;
	}
	go_on(self, me);
	return WARD_DONE;
}

static ward_result take_the_rest(ward_self *self, struct ledger *me, const ward_msg *msg)
{
	const struct interrupt *interrupt;

	if (ward_match(msg, tick)) {
		take_tick(self, me);
	} else if (ward_match(msg, time_to_open)) {
		ask_to_open(self, me);
	} else if (ward_match(msg, time_to_read)) {
		me->reader_ready = true;
		account_rewind(&me->account);
		go_on(self, me);
	} else if (ward_match(msg, view_gone)) {
		me->view_gone = true;
		if (me->leaving)
			ward_stop(self, ward_self_ref(self));
	} else if ((interrupt = ward_match(msg, interrupt))) {
		interrupted(self, me, interrupt->number);
		go_on(self, me);
	} else {
		return WARD_UNHANDLED;
	}
	return WARD_DONE;
}

/* All children are there. */
static ward_result begin_work(ward_self *self, struct ledger *me)
{
	/* Should chaos itself come to grief, there are no faults left. */
	ward_watch_with(self, me->tree.view, view_gone);
	if (me->job->chaos)
		ward_watch_with(self, me->tree.chaos, chaos_over);
	ward_every(self, TIMER_TICK, TICK_MS, tick);
	me->begun = true;
	if (me->job->outcome.interrupted) {
		interrupted(self, me, me->job->outcome.interrupted);
		go_on(self, me);
	}
	return WARD_DONE;
}

/* The view comes first, and answers when it is subscribed to failures: it misses none of the
 * others. It may be blocked by its terminal, so they do not wait for it for long. */
static ward_result begin_with_view(ward_self *self, struct ledger *me)
{
	me->tree.view = tree_spawn_view(self, me->job);
	ward_ask(self, me->tree.view, THE_VIEW, VIEW_MS, ward_identify);
	return WARD_DONE;
}

static ward_result begin_others(ward_self *self, struct ledger *me)
{
	me->tree = tree_spawn_others(self, me->job, me->tree.view);
	return begin_work(self, me);
}

/* What still comes from the children of the ledger before us does not concern our account. What the
 * user said does. */
static ward_result before_work(ward_self *self, struct ledger *me, const ward_msg *msg)
{
	const struct sink_args *args = ward_args(self);
	const struct begin_work *begin;
	const struct interrupt *interrupt;

	if ((begin = ward_match(msg, begin_work)) && begin->incarnation == ward_incarnation(self))
		return args->spawn_children ? begin_work(self, me) : begin_with_view(self, me);
	if (ward_ask_tag(self) == THE_VIEW)
		return begin_others(self, me);
	if ((interrupt = ward_match(msg, interrupt)))
		me->job->outcome.interrupted = interrupt->number;
	return WARD_DONE;
}

static ward_result ledger_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct ledger *me = state;
	const struct line *line;

	if (!me->begun)
		return before_work(self, me, msg);
	if ((line = ward_match(msg, line))) {
		take_line(self, me, line);
		return WARD_DONE;
	}
	ward_result result = take_from_writer(self, me, msg);
	if (result == WARD_UNHANDLED)
		result = take_from_reader(self, me, msg);
	if (result == WARD_UNHANDLED)
		result = take_from_chaos(self, me, msg);
	if (result == WARD_UNHANDLED)
		result = take_the_rest(self, me, msg);
	return result;
}

/* ---- the actor --------------------------------------------------------------------------- */

/* A ledger before us may have left word already, and have failed then: it holds no more. */
static void take_back(struct job *job)
{
	job->outcome.finished = job->outcome.gave_up = false;
	for (size_t i = 0; i < job->sources->count; i++)
		job->sources->all[i].acked = SOURCE_UNKNOWN;
}

static ward_result ledger_init(ward_self *self, void *state, const void *args)
{
	struct ledger *me = state;

	me->job = ((const struct sink_args *)args)->job;
	me->chaos_state = me->job->chaos ? CHAOS_ON : CHAOS_OVER;
	me->moved_ns = ward_now_ns(self);
	take_back(me->job);
	account_init(&me->account, ward_alloc(self, me->job->sources->count * sizeof(struct place)),
		     me->job->sources);
	if (me->job->chaos)
		me->account.out_max = CHAOS_OUT_MAX;
	return WARD_DONE;
}

/* The children come with the first messages. Were they made by the factory, those of one that fails
 * halfway in a restart would be left to the next try, which wants their names. But who starts a
 * file waits for them, and knows no first message; what they say lies behind that in any case. */
static ward_result ledger_pre_start(ward_self *self, void *state)
{
	struct ledger *me = state;
	const struct sink_args *args = ward_args(self);
	must_tell(self, ward_self_ref(self), begin_work, .incarnation = ward_incarnation(self));
	if (args->spawn_children)
		me->tree = tree_spawn_given(self, args);
	return WARD_DONE;
}

const ward_behavior ledger_behavior = {
	.name = "ledger",
	.state_size = sizeof(struct ledger),
	.args = &ward_type_sink_args,
	.child_strategy = &kernel_strategy,
	.init = ledger_init,
	.receive = ledger_receive,
	.pre_start = ledger_pre_start,
};
