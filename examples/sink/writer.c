/* SPDX-License-Identifier: MIT
 *
 * writer.c - owns the connection to the database; everything dangerous happens here.
 *
 *	        open_store                      a failure: a new writer, after a while
 *	WAITING ----------> check, marks --> OPEN ------------------> WAITING
 *	                     ^  | no room    ^  | no room: resumed, makes some
 *	                     +--+            +--+
 *
 * A line is acknowledged after the commit that holds it, never before. Lines that come while no
 * database is open are let go: the ledger repeats what is not acknowledged. Runs on the blocking
 * dispatcher.
 */
#include <string.h>

#include "failures.h"
#include "job.h"
#include "messages.h"
#include "salvage.h"
#include "store.h"

enum {
	COMMIT_MS = 20, /* a line waits no longer for others of its transaction */
	ROOM_MS = 200   /* until room is made, or looked for again */
};

enum timer { TIMER_COMMIT = 1, TIMER_ROOM };

WARD_SIGNAL(commit_now);
WARD_SIGNAL(make_room);

struct writer {
	struct job *job;
	ward_ref view;
	struct store *store; /* NULL: waiting */
	ward_deferred closing;
	bool ready; /* it is open and checked, and the ledger was told */
	bool no_room;
	bool proven;    /* something was committed, and the keeper was told */
	uint32_t count; /* lines in the open transaction */
	uint64_t numbers[BATCH_MAX];
};

static ward_result fail(ward_self *self, struct writer *me, enum store_result result,
			const struct why *why)
{
	static const ward_failure_class *const classes[] = {
		[STORE_LOCKED] = &database_locked,       [STORE_DAMAGED] = &database_damaged,
		[STORE_DISPLACED] = &database_displaced, [STORE_FULL] = &database_full,
		[STORE_FAILED] = &store_failure,
	};
	if (result == STORE_DAMAGED)
		me->job->condemned = true;
	return ward_failed(self, classes[result], "%s", why->text);
}

/* ---- opening ----------------------------------------------------------------------------- */

static void close_store(void *arg)
{
	store_close(arg);
}

/* How it goes to tell marks. The store is at work above us, so we must not jump. */
struct telling {
	ward_self *self;
	ward_err err;
};

static void tell_mark(void *arg, const struct store_mark *mark)
{
	struct telling *telling = arg;
	ward_self *self = telling->self;
	if (telling->err == WARD_OK)
		telling->err =
			ward_try_tell(self, ward_parent(self), mark, .source_id = mark->source,
				      .end = mark->end, .tail = mark->tail);
}

static enum store_result name_sources(struct writer *me, struct why *why)
{
	enum store_result result = STORE_OK;
	for (size_t i = 0; i < me->job->sources->count && result == STORE_OK; i++)
		result = store_name_source(me->store, me->job->sources->all[i].id,
					   me->job->sources->all[i].name, why);
	return result == STORE_OK ? store_commit(me->store, why) : result;
}

/* There is no room, so we are resumed, and look again after a while: the timer lives. */
static ward_result wait_for_room(ward_self *self, struct writer *me, const struct why *why)
{
	me->no_room = true;
	ward_after(self, TIMER_ROOM, ROOM_MS, make_room);
	return fail(self, me, STORE_FULL, why);
}

/* The connection goes, if there is one. */
static void forget_store(ward_self *self, struct writer *me)
{
	if (me->store)
		ward_run_deferred(self, me->closing);
	me->store = NULL;
	me->ready = false;
	me->no_room = false;
	me->count = 0;
	ward_timer_cancel(self, TIMER_COMMIT);
	ward_timer_cancel(self, TIMER_ROOM);
}

/* Opens the database and says what it holds. */
static enum store_result open_database(ward_self *self, struct writer *me, struct why *why)
{
	int64_t saved = 0;
	enum store_result result = store_open(me->job->db, &me->store, why);
	if (result != STORE_OK)
		return result;
	me->closing = ward_defer(self, close_store, me->store);
	must_tell(self, ward_parent(self), store_opened);
	struct telling telling = {self, WARD_OK};
	result = store_check(me->store, tell_mark, &telling, why);
	if (telling.err != WARD_OK)
		ward_fail(self, &ward_out_of_memory, "the marks of the sources");
	if (result == STORE_OK)
		result = name_sources(me, why);
	if (result == STORE_OK)
		result = salvage(me->store, me->job->db, me->job->sources, &saved, why);
	if (saved > 0)
		tell_note(self, me->view, "%lld lines whose input is gone were saved from it",
			  (long long)saved);
	return result;
}

/* If it is open already, that connection goes first: the last look before the end must be a fresh
 * one. */
static ward_result open_and_check(ward_self *self, struct writer *me)
{
	struct why why;
	forget_store(self, me);
	if (me->job->condemned) {
		if (!store_set_aside(me->job->db, &why))
			return ward_failed(self, &database_displaced, "%s", why.text);
		tell_note(self, me->view, "the damaged database is set aside: %s", why.text);
		me->job->condemned = false;
	}
	enum store_result result = open_database(self, me, &why);
	if (result == STORE_FULL)
		return wait_for_room(self, me, &why);
	if (result != STORE_OK)
		return fail(self, me, result, &why);
	me->ready = true;
	must_tell(self, ward_parent(self), store_ready);
	return WARD_DONE;
}

/* ---- storing ----------------------------------------------------------------------------- */

static struct store_field part_of(const struct line *line, struct slice slice)
{
	return (struct store_field){line->text + slice.at, slice.length};
}

static struct store_row row_of(const struct line *line)
{
	struct store_row row = {
		.table = line->verdict == VERDICT_STORE ? STORE_LINES : STORE_QUARANTINE,
		.source = line->source_id,
		.offset = line->offset,
		.span = line->span,
		.ended = line->ended,
		.digest = line->digest,
	};
	struct store_field text = {line->text, line->length};
	if (row.table == STORE_QUARANTINE) {
		row.fields[QUARANTINE_REASON] =
			(struct store_field){line->reason, strlen(line->reason)};
		row.fields[QUARANTINE_LINE] = text;
		return row;
	}
	const char *format = format_name(line->parsed.format);
	row.fields[LINES_FORMAT] = (struct store_field){format, strlen(format)};
	row.fields[LINES_TIME] = (struct store_field){line->parsed.time, strlen(line->parsed.time)};
	row.fields[LINES_SUBJECT] = part_of(line, line->parsed.subject);
	row.fields[LINES_ACTION] = part_of(line, line->parsed.action);
	row.fields[LINES_DETAIL] = part_of(line, line->parsed.detail);
	row.fields[LINES_LINE] = text;
	return row;
}

/* The transaction did not come about. The connection is sound unless the result says otherwise. */
static ward_result give_up_batch(ward_self *self, struct writer *me, enum store_result result,
				 const struct why *why)
{
	me->count = 0;
	ward_timer_cancel(self, TIMER_COMMIT);
	if (result != STORE_FULL)
		return fail(self, me, result, why);
	store_rollback(me->store);
	return wait_for_room(self, me, why);
}

static ward_result commit(ward_self *self, struct writer *me)
{
	struct why why;
	ward_timer_cancel(self, TIMER_COMMIT);
	if (!me->ready || me->no_room || me->count == 0)
		return WARD_DONE;
	enum store_result result = store_commit(me->store, &why);
	if (result != STORE_OK)
		return give_up_batch(self, me, result, &why);
	struct stored stored = {.count = me->count};
	memcpy(stored.numbers, me->numbers, me->count * sizeof(*me->numbers));
	must_send(self, ward_parent(self), &ward_type_stored, &stored, sizeof(stored));
	if (!me->proven)
		must_tell(self, ward_parent(self), ward_backoff_reset);
	me->proven = true;
	me->count = 0;
	return WARD_DONE;
}

static ward_result store_line(ward_self *self, struct writer *me, const struct line *line)
{
	struct why why;
	if (!me->ready || me->no_room)
		return WARD_DONE;
	struct store_row row = row_of(line);
	enum store_result result = store_put(me->store, &row, &why);
	if (result != STORE_OK)
		return give_up_batch(self, me, result, &why);
	me->numbers[me->count++] = line->number;
	if (me->count == BATCH_MAX)
		return commit(self, me);
	const ward_timer timer = {.key = TIMER_COMMIT, .after_ms = COMMIT_MS};
	if (me->count == 1 && ward_try_timer_start(self, &timer, WARD_BODY(commit_now)) != WARD_OK)
		return commit(self, me);
	return WARD_DONE;
}

/* ---- room -------------------------------------------------------------------------------- */

static ward_result squeeze_store(ward_self *self, struct writer *me)
{
	struct why why;
	enum store_result result = me->store ? store_squeeze(me->store, &why) : STORE_OK;
	return result == STORE_OK ? WARD_DONE : fail(self, me, result, &why);
}

static ward_result find_room(ward_self *self, struct writer *me)
{
	struct why why;
	me->no_room = false;
	if (!me->ready)
		return open_and_check(self, me);
	enum store_result result = store_relax(me->store, &why);
	if (result != STORE_OK)
		return fail(self, me, result, &why);
	must_tell(self, ward_parent(self), store_ready);
	return WARD_DONE;
}

/* ---- the actor --------------------------------------------------------------------------- */

static ward_result writer_init(ward_self *self, void *state, const void *args)
{
	struct writer *me = state;
	const struct sink_args *given = args;
	(void)self;
	me->job = given->job;
	me->view = given->view;
	return WARD_DONE;
}

static ward_result writer_pre_start(ward_self *self, void *state)
{
	(void)state;
	must_tell(self, ward_parent(self), writer_started);
	return WARD_DONE;
}

/* After a failure: the ledger asks for no more lines until there is a new one. */
static ward_result writer_post_stop(ward_self *self, void *state)
{
	(void)state;
	ward_tell(self, ward_parent(self), writer_gone);
	return WARD_DONE;
}

static ward_result writer_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct writer *me = state;
	const struct line *line;

	if ((line = ward_match(msg, line)))
		return store_line(self, me, line);
	if (ward_match(msg, commit_now))
		return commit(self, me);
	if (ward_match(msg, open_store))
		return open_and_check(self, me);
	if (ward_match(msg, squeeze))
		return squeeze_store(self, me);
	if (ward_match(msg, make_room))
		return find_room(self, me);
	return WARD_UNHANDLED;
}

const ward_behavior writer_behavior = {
	.name = "writer",
	.state_size = sizeof(struct writer),
	.args = &ward_type_sink_args,
	.init = writer_init,
	.receive = writer_receive,
	.pre_start = writer_pre_start,
	.post_stop = writer_post_stop,
};
