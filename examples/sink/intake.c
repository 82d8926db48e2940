/* SPDX-License-Identifier: MIT
 *
 * intake.c - copies standard input to its spool, which is synced before anybody reads from it.
 *
 * When there is no room for the spool it fails, is resumed, and tries again. What was taken from
 * standard input and is not in the spool yet lies in the job: it outlives an intake that has to be
 * replaced, and the actors, so that no byte is let go. Runs on the blocking dispatcher.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "failures.h"
#include "job.h"
#include "messages.h"

enum { AGAIN = 1, AGAIN_MS = 500 };

WARD_SIGNAL(begin_intake);
WARD_SIGNAL(take_more);  /* standard input is a file, always ready */
WARD_SIGNAL(flush_more); /* after a while without room */

struct intake {
	uint32_t source;
	bool over; /* standard input has ended */
	struct taken *taken;
};

/* Nothing more comes; earlier lines are stored anyway. */
static ward_result broken(ward_self *self, struct intake *me, const char *text)
{
	must_tell(self, ward_parent(self), grown, .source = me->source,
		  .size = me->taken->spool.size, .complete = true, .broken = true);
	return ward_failed(self, &intake_broken, "standard input: %s", text);
}

static ward_result wait_for_more(ward_self *self, struct intake *me)
{
	ward_err err = ward_try_fd_watch(self, STDIN_FILENO, WARD_FD_READ);
	if (err == WARD_OK || err == WARD_ENOMEM)
		return ward_failed_err(self, err);
	if (err != WARD_EINVAL)
		return broken(self, me, ward_err_detail());
	must_tell(self, ward_self_ref(self), take_more);
	return WARD_DONE;
}

static ward_result flush(ward_self *self, struct intake *me)
{
	if (!spool_flush(&me->taken->spool)) {
		int error = errno;
		ward_after(self, AGAIN, AGAIN_MS, flush_more);
		return ward_failed(self, &spool_full, "the spool: %s", strerror(error));
	}
	must_tell(self, ward_parent(self), grown, .source = me->source,
		  .size = me->taken->spool.size, .complete = me->over);
	return me->over ? WARD_DONE : wait_for_more(self, me);
}

static ward_result take(ward_self *self, struct intake *me)
{
	ssize_t got;
	do
		got = read(STDIN_FILENO, me->taken->bytes, sizeof(me->taken->bytes));
	while (got < 0 && errno == EINTR);
	if (got < 0 && errno == EAGAIN)
		return wait_for_more(self, me);
	if (got < 0)
		return broken(self, me, strerror(errno));
	me->over = got == 0;
	me->taken->spool.end = (size_t)got;
	return flush(self, me);
}

static ward_result begin(ward_self *self, struct intake *me)
{
	struct job *job = ((const struct sink_args *)ward_args(self))->job;
	me->source = (uint32_t)job->intake_source;
	me->taken = &job->taken;
	if (!me->taken->begun && !spool_init(&me->taken->spool, job->sources->all[me->source].fd,
					     me->taken->bytes, sizeof(me->taken->bytes)))
		return broken(self, me, strerror(errno));
	me->taken->begun = true;
	/* What an intake before us had taken; the ledger may be new, too, and not know of it. */
	return flush(self, me);
}

size_t intake_finish(struct job *job)
{
	struct spool *spool = &job->taken.spool;
	if (!job->taken.begun || spool->begin == spool->end)
		return 0;
	spool_flush(spool);
	/* There is more of it than the ledger knew: what was stored is not all. */
	job->sources->all[job->intake_source].limit = spool->size;
	return spool->end - spool->begin;
}

static ward_result intake_pre_start(ward_self *self, void *state)
{
	(void)state;
	must_tell(self, ward_self_ref(self), begin_intake);
	return WARD_DONE;
}

static ward_result intake_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct intake *me = state;
	if (ward_match(msg, ward_fd_ready) || ward_match(msg, take_more))
		return take(self, me);
	if (ward_match(msg, flush_more))
		return flush(self, me);
	if (ward_match(msg, begin_intake))
		return begin(self, me);
	return WARD_UNHANDLED;
}

const ward_behavior intake_behavior = {
	.name = "intake",
	.state_size = sizeof(struct intake),
	.args = &ward_type_sink_args,
	.receive = intake_receive,
	.pre_start = intake_pre_start,
};
