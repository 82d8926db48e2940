/* SPDX-License-Identifier: MIT
 *
 * parser.c - a parser and its crew: lines in, verdicts out.
 *
 * The crew deals lines out in turn and supervises. A parser that a line kills hands that line back
 * to the ledger in its last breath, before it is restarted: the line never meets a parser again.
 */
#include <stdio.h>
#include <string.h>

#include "failures.h"
#include "job.h"
#include "messages.h"

/* ---- a parser ---------------------------------------------------------------------------- */

/* Somewhere deep in a parser, the line that it cannot survive. */
static void taste(ward_self *self, const struct job *job, const struct line *line)
{
	if (job->poison && memmem(line->text, line->length, job->poison, strlen(job->poison)))
		ward_fail(self, &poison_line, "%s: the line at %lld is poison",
			  job->sources->all[line->source].name, (long long)line->offset);
}

/* Returns why the line cannot be stored, or "". */
static const char *judge(ward_self *self, const struct job *job, const struct line *line,
			 struct parsed *ret_parsed)
{
	memset(ret_parsed, 0, sizeof(*ret_parsed));
	if (line->cut)
		return "longer than --line-max; only its beginning is kept";
	taste(self, job, line);
	if (line->has_nul)
		return "a NUL byte";
	format_parse(line->text, line->length, ret_parsed);
	return ret_parsed->problem;
}

static ward_result parse(ward_self *self, const struct line *line)
{
	const struct sink_args *args = ward_args(self);
	struct parsed parsed;
	const char *reason = judge(self, args->job, line, &parsed);

	/* Taken only now: had the line killed us, it would still be there for pre_restart. */
	struct line *mine = ward_take(self, line);
	if (!mine)
		return ward_failed_err(self, WARD_ENOMEM);
	mine->parsed = parsed;
	mine->verdict = reason[0] ? VERDICT_QUARANTINE : VERDICT_STORE;
	snprintf(mine->reason, sizeof(mine->reason), "%s", reason);
	ward_give(self, args->writer, line, &mine);
	return WARD_DONE;
}

static ward_result parser_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	const struct line *line;
	if ((line = ward_match(msg, line)))
		return parse(self, line);
	return WARD_UNHANDLED;
}

static ward_result parser_pre_restart(ward_self *self, void *state, const ward_failure *why,
				      const ward_msg *msg)
{
	(void)state;
	const struct sink_args *args = ward_args(self);
	/* Out of memory is not a fault of the line: it is repeated in time. */
	if (!msg || !ward_match(msg, line) || !ward_failure_is(why, &poison_line))
		return WARD_DONE;
	struct line *mine = ward_take(self, line);
	if (!mine)
		return WARD_DONE;
	mine->condemned = true;
	mine->verdict = VERDICT_QUARANTINE;
	snprintf(mine->reason, sizeof(mine->reason), "it killed its parser");
	ward_give(self, args->ledger, line, &mine);
	return WARD_DONE;
}

const ward_behavior parser_behavior = {
	.name = "parser",
	.args = &ward_type_sink_args,
	.receive = parser_receive,
	.pre_restart = parser_pre_restart,
};

/* ---- the crew ---------------------------------------------------------------------------- */

enum {
	PARSERS_MAX = 64,
	/* Never reached by the lines of one window; a limit, lest a mistake eats all memory. */
	PARSER_MAILBOX = 2048
};

struct crew {
	uint32_t count, next;
	ward_ref parsers[PARSERS_MAX];
};

/* Makes as many parsers as the job wants, or fails. */
static void make_parsers(ward_self *self, const struct sink_args *given)
{
	for (uint32_t i = 0; i < given->job->parsers; i++) {
		char name[32];
		snprintf(name, sizeof(name), "parser-%u", i + 1);
		ward_props props = {.behavior = &parser_behavior,
				    .name = name,
				    .args = {WARD_COPY(sink_args, given)},
				    .mailbox = {.messages_max = PARSER_MAILBOX}};
		if (ward_try_spawn(self, &props, NULL) != WARD_OK)
			ward_fail(self, &ward_misuse, "%s: %s", name, ward_err_detail());
	}
}

static ward_result crew_init(ward_self *self, void *state, const void *args)
{
	struct crew *me = state;
	const struct sink_args *given = args;

	if (!given->spawn_children)
		make_parsers(self, given);
	else if (given->spawn_children(self, given->children) != WARD_OK)
		return ward_failed(self, &ward_misuse, "%s", ward_err_detail());
	size_t count = ward_children(self, me->parsers, PARSERS_MAX);
	if (count == 0 || count > PARSERS_MAX)
		return ward_failed(self, &ward_misuse, "%zu parsers: from 1 to %d may be there",
				   count, PARSERS_MAX);
	me->count = (uint32_t)count;
	return WARD_DONE;
}

static ward_result crew_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct crew *me = state;
	if (!ward_match(msg, line))
		return WARD_UNHANDLED;
	return ward_forward(self, me->parsers[me->next++ % me->count]);
}

const ward_behavior crew_behavior = {
	.name = "parsers",
	.state_size = sizeof(struct crew),
	.args = &ward_type_sink_args,
	.child_strategy = &crew_strategy,
	.init = crew_init,
	.receive = crew_receive,
};
