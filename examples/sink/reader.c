/* SPDX-License-Identifier: MIT
 *
 * reader.c - reads what it is asked for, and remembers nothing that matters.
 *
 * Each request says source and offset, so a reader that was restarted, or asked for something
 * again, does just the same. Runs on the blocking dispatcher: a disk may take its time.
 */
#include <errno.h>
#include <string.h>

#include "failures.h"
#include "job.h"
#include "messages.h"

enum {
	REQUEST_BYTES = 1024 * 1024 /* a request ends early when so much was sent */
};

struct reader {
	struct lines lines;
};

static void finish_lines(void *arg)
{
	lines_finish(arg);
}

static ward_result reader_init(ward_self *self, void *state, const void *args)
{
	struct reader *me = state;
	const struct job *job = ((const struct sink_args *)args)->job;
	if (!lines_init(&me->lines, job->line_max))
		return ward_failed(self, &ward_out_of_memory, "no memory for a line of %zu bytes",
				   job->line_max);
	ward_defer(self, finish_lines, &me->lines);
	return WARD_DONE;
}

static ward_result reader_pre_start(ward_self *self, void *state)
{
	(void)state;
	must_tell(self, ward_parent(self), reader_ready);
	return WARD_DONE;
}

/* False: out of memory. */
static bool send_line(ward_self *self, const struct read_lines *request, uint32_t source_id,
		      uint32_t sent, const struct input_line *input)
{
	struct line *line = ward_make(self, line, input->length);
	if (!line)
		return false;
	line->number = request->number + sent;
	line->source = request->source;
	line->source_id = source_id;
	line->offset = input->offset;
	line->span = input->span;
	line->digest = input->digest;
	line->ended = input->ended;
	line->cut = input->cut;
	line->has_nul = input->has_nul;
	line->length = (uint32_t)input->length;
	memcpy(line->text, input->text, input->length);
	ward_give(self, ward_parent(self), line, &line);
	return true;
}

static ward_result read_some(ward_self *self, struct reader *me, const struct read_lines *request)
{
	const struct job *job = ((const struct sink_args *)ward_args(self))->job;
	const struct source *source = &job->sources->all[request->source];
	enum lines_result result = LINES_OK;
	struct input_line input;
	uint32_t sent = 0;
	size_t bytes = 0;

	lines_turn(&me->lines, source->fd, request->offset, request->limit, request->complete);
	while (sent < request->count && bytes < REQUEST_BYTES) {
		result = lines_next(&me->lines, &input);
		if (result != LINES_OK)
			break;
		if (!send_line(self, request, source->id, sent, &input))
			return ward_failed(self, &ward_out_of_memory, "%s: at %lld", source->name,
					   (long long)input.offset);
		sent++;
		bytes += input.length;
	}
	if (result == LINES_ERROR)
		return ward_failed(self, &input_unreadable, "%s: at %lld: %s", source->name,
				   (long long)me->lines.head, strerror(errno));
	must_tell(self, ward_parent(self), read_done, .number = request->number, .sent = sent,
		  .next = me->lines.head, .at_end = result != LINES_OK);
	return WARD_DONE;
}

static ward_result reader_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct read_lines *request;
	if ((request = ward_match(msg, read_lines)))
		return read_some(self, state, request);
	return WARD_UNHANDLED;
}

const ward_behavior reader_behavior = {
	.name = "reader",
	.state_size = sizeof(struct reader),
	.args = &ward_type_sink_args,
	.init = reader_init,
	.receive = reader_receive,
	.pre_start = reader_pre_start,
};
