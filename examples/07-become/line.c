/* SPDX-License-Identifier: MIT
 *
 * line.c - an actor that changes its behaviour, and stashes what it cannot handle yet.
 *
 *	cc examples/07-become/line.c $(pkg-config --cflags --libs ward) -o line
 *
 *	closed -- say --> dialling -- opened --> open -- nobody speaks --> stopped
 *	   ^                 | busy
 *	   +-----------------+ a restart; the stashed messages come again
 *
 * A telephone line. What is said before the line is open waits; the idle line hangs up. Prints each
 * of these steps.
 */
#include <stdio.h>
#include <ward/ward.h>

struct say {
	char text[24];
};
WARD_MESSAGE(say);

/* The answers of the exchange to a call, some time later. */
WARD_SIGNAL(opened);
WARD_SIGNAL(busy);

static const ward_failure_class line_busy = {.name = "line_busy", .parent = &ward_exception};

enum { EXCHANGE = 1, ANSWER_MS = 10, IDLE_MS = 50 };

/* It is busy at the first call. */
static void dial(ward_self *self)
{
	printf("dialling\n");
	if (ward_incarnation(self) == 1)
		ward_after(self, EXCHANGE, ANSWER_MS, busy);
	else
		ward_after(self, EXCHANGE, ANSWER_MS, opened);
}

static ward_result line_open(ward_self *self, void *state, const ward_msg *msg)
{
	const struct say *say;

	(void)state;
	if ((say = ward_match(msg, say))) {
		printf("  %s\n", say->text);
		return WARD_DONE;
	}
	if (!ward_match(msg, ward_receive_timeout))
		return WARD_UNHANDLED;
	printf("hanging up\n");
	return ward_stop_self(self);
}

static ward_result line_dialling(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (ward_match(msg, say))
		return ward_stash(self);
	if (ward_match(msg, busy)) /* the restart un-stashes */
		return ward_failed(self, &line_busy, "busy");
	if (!ward_match(msg, opened))
		return WARD_UNHANDLED;
	ward_receive_timeout_set(self, IDLE_MS);
	printf("open, %zu waited\n", ward_stash_count(self));
	ward_become(self, line_open);
	ward_unstash_all(self);
	return WARD_DONE;
}

static ward_result line_closed(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (!ward_match(msg, say))
		return WARD_UNHANDLED;
	ward_stash(self);
	dial(self);
	ward_become(self, line_dialling);
	return WARD_DONE;
}

static const ward_behavior line = {.name = "line", .receive = line_closed};

static ward_result caller_start(ward_self *self, void *state)
{
	ward_ref to = ward_spawn(self, &line, .stash_max = 100);

	(void)state;
	ward_watch(self, to);
	ward_tell(self, to, say, "Watson, come here");
	ward_tell(self, to, say, "I want to see you");
	return WARD_DONE;
}

static const ward_behavior caller = {
	.name = "caller", .receive = ward_stop_with_children, .pre_start = caller_start};

static void print_failure(void *arg, const ward_event *event)
{
	(void)arg;
	printf("failed: %s\n", event->text);
}

int main(void)
{
	return ward_run(WARD_PROPS(&caller),
			&(ward_options){.log = print_failure, .log_kinds = WARD_EVENT_FAILURE});
}
