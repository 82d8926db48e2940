/* SPDX-License-Identifier: MIT
 *
 * collector.c - collects rows, and has them written BATCH_MAX at a time, or after WAIT_MS.
 *
 * It holds each row until the writer, its child, confirms it. The writer does what may fail; its
 * restarts lose nothing, since a batch without an answer is sent again. New rows are accepted while
 * a batch is being written. At a shutdown the rest is written before the collector stops: it has
 * five seconds, the time of a phase.
 */
#include <string.h>

#include "batch.h"

enum { WRITE = 1, WAIT = 1 };
WARD_SIGNAL(waited);

struct collector {
	ward_ref writer;
	struct row rows[HELD_MAX]; /* the first ones are in the batch that is being written */
	int count;
	struct batch batch; /* its count is 0 when no batch is being written */
	ward_ref shutdown;  /* gets the answer when all is written, or nobody */
};

static ward_result collector_start(ward_self *self, void *state)
{
	struct collector *me = state;

	me->writer = ward_spawn(self, &writer, .name = "writer", .dispatcher = WARD_BLOCKING,
				.args = {WARD_COPY(store_args, ward_args(self))});
	ward_shutdown_join(self, "service-requests-done", "write the rest");
	return WARD_DONE;
}

static void send_batch(ward_self *self, struct collector *me)
{
	const struct ward_question write = {.to = me->writer, .timeout_ms = RETRY_MS, .tag = WRITE};

	ward_ask_send(self, &write, WARD_COPY(batch, &me->batch));
}

/* Begins a batch of the rows that wait, unless a batch is being written. */
static ward_result begin_batch(ward_self *self, struct collector *me)
{
	if (me->count == 0 || me->batch.count > 0)
		return WARD_DONE;
	me->batch.number++;
	me->batch.count = me->count < BATCH_MAX ? me->count : BATCH_MAX;
	memcpy(me->batch.rows, me->rows, (size_t)me->batch.count * sizeof *me->rows);
	send_batch(self, me);
	return WARD_DONE;
}

static ward_result batch_is_written(ward_self *self, struct collector *me)
{
	me->count -= me->batch.count;
	memmove(me->rows, me->rows + me->batch.count, (size_t)me->count * sizeof *me->rows);
	me->batch.count = 0;
	if (me->count == 0 && !ward_ref_is_nobody(me->shutdown))
		ward_tell(self, me->shutdown, ward_shutdown_done);
	else if (me->count >= BATCH_MAX || !ward_ref_is_nobody(me->shutdown))
		return begin_batch(self, me);
	else if (me->count > 0)
		ward_after(self, WAIT, WAIT_MS, waited);
	return WARD_DONE;
}

static ward_result add_row(ward_self *self, struct collector *me, const ward_msg *msg)
{
	if (me->count == HELD_MAX)
		return ward_reply(self, msg, row_refused);
	me->rows[me->count++] = *ward_match(msg, row);
	if (me->count >= BATCH_MAX)
		return begin_batch(self, me);
	if (me->count == 1)
		ward_after(self, WAIT, WAIT_MS, waited);
	return WARD_DONE;
}

static ward_result collector_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct collector *me = state;

	if (ward_match(msg, row))
		return add_row(self, me, msg);
	if (ward_match(msg, waited))
		return begin_batch(self, me);
	if (ward_match(msg, ward_shutdown_task)) {
		me->shutdown = ward_msg_sender(msg);
		return me->count > 0 ? begin_batch(self, me)
				     : ward_reply(self, msg, ward_shutdown_done);
	}
	if (ward_ask_tag(self) != WRITE)
		return WARD_UNHANDLED;
	if (ward_match(msg, written))
		return batch_is_written(self, me);
	send_batch(self, me); /* no answer in time: the writer has failed, or is slow */
	return WARD_DONE;
}

/* The writer is restarted as often as it fails: RETRY_MS limits how often that is. */
static const ward_strategy restart = {.rules = {{&ward_exception, WARD_RESTART}}};
const ward_behavior collector = {.name = "collector",
				 .state_size = sizeof(struct collector),
				 .args = &ward_type_store_args,
				 .child_strategy = &restart,
				 .pre_start = collector_start,
				 .receive = collector_receive};
