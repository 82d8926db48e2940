/* SPDX-License-Identifier: MIT
 *
 * calls.c - the calls of a script: what a supervisor is asked, and what it answers, in OTP's words.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "play.h"

/* ---- calls ------------------------------------------------------------------------------- */

enum what { START, TERMINATE, RESTART, DELETE, WHICH, COUNT, GET, WHATS };
static const char *const whats[WHATS] = {"start", "terminate", "restart", "delete",
					 "which", "count",     "get"};

/* A question's tag tells what it asks, and the line for its answer. */
static uint64_t tag_of(int line, enum what what)
{
	return (uint64_t)line * WHATS + what + 1;
}

static ward_err ask_start(ward_self *self, const ward_question *question, char *const *words)
{
	struct spec spec;

	if (play.simple)
		spec_read_simple(&spec, words);
	else
		spec_read(&spec, words);
	return ward_try_otp_start_child_ask(self, question, &spec.spec);
}

/* By label, or by the ref of the last one of that label. */
static ward_err ask_about(ward_self *self, const ward_question *question, enum what what,
			  char label, bool by_ref)
{
	const struct life *life = by_ref ? life_of(label) : NULL;
	struct ward_otp_terminate_child terminate = {.id = {label}};
	struct ward_otp_get_childspec get = {.id = {label}};

	if (life != NULL)
		terminate.who = get.who = life->who;
	switch (what) {
	case TERMINATE:
		return ward_try_ask_send(self, question,
					 WARD_COPY(ward_otp_terminate_child, &terminate));
	case GET:
		return ward_try_ask_send(self, question, WARD_COPY(ward_otp_get_childspec, &get));
	case RESTART:
		return ward_try_ask_send(self, question,
					 WARD_BODY(ward_otp_restart_child, .id = {label}));
	default:
		return ward_try_ask_send(self, question,
					 WARD_BODY(ward_otp_delete_child, .id = {label}));
	}
}

void ask(ward_self *self, int line, const char *word, char *const *words)
{
	ward_question question = {.to = play.supervisor, .timeout_ms = WARD_FOREVER};
	enum what what = START;

	while (what < WHATS && !is(whats[what], word))
		what++;
	ward_assert(what < WHATS);
	question.tag = tag_of(line, what);
	if (what == START)
		ward_assert_ok(ask_start(self, &question, words));
	else if (what == WHICH)
		ward_assert_ok(
			ward_try_ask_send(self, &question, WARD_BODY(ward_otp_which_children)));
	else if (what == COUNT)
		ward_assert_ok(
			ward_try_ask_send(self, &question, WARD_BODY(ward_otp_count_children)));
	else
		ward_assert_ok(ask_about(self, &question, what, words[0][0],
					 play.simple && line < CALLS_MAX));
}

/* ---- answers ----------------------------------------------------------------------------- */

static char label_of(ward_ref who)
{
	const struct life *life = life_with(who);

	return life != NULL ? life->label : '?';
}

static int compare_rows(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void tell_row(char *row, size_t max, const ward_otp_child_info *info)
{
	static const char *const states[] = {"undefined", "", "restarting"};
	const char *name = info->id[0] != '\0' ? info->id : "t";

	if (info->state != WARD_OTP_CHILD_ALIVE)
		snprintf(row, max, "%.2s:%s", name, states[info->state]);
	else
		snprintf(row, max, "%.2s:%c", name, label_of(info->who));
}

static void tell_rows(char *text, size_t max, const struct ward_otp_children *children)
{
	char rows[LINE / 4][16];
	size_t at = 0;

	ward_assert(children->count < sizeof rows / sizeof rows[0]);
	for (size_t i = 0; i < children->count; i++)
		tell_row(rows[i], sizeof rows[i], &children->rows[i]);
	if (play.simple)
		qsort(rows, children->count, sizeof rows[0], compare_rows);
	text[0] = '\0';
	for (size_t i = 0; i < children->count; i++)
		at += (size_t)snprintf(text + at, max - at, "%s%s", i > 0 ? " " : "", rows[i]);
}

/* Whom the supervisor takes to be alive, when all is quiet. */
static void tell_dead(char *text, size_t max, const struct ward_otp_children *children)
{
	size_t at = strlen(text);

	for (size_t i = 0; i < children->count; i++) {
		const struct life *life = life_with(children->rows[i].who);

		if (life != NULL && !life->alive)
			at += (size_t)snprintf(text + at, max - at, " and dead: %c", life->label);
	}
}

static void tell_done(char *text, size_t max, enum what what, const struct ward_otp_done *done)
{
	static const char *const codes[] = {
		"ok",        "already_started",    "already_present", "running",      "restarting",
		"not_found", "simple_one_for_one", "bad_spec",        "start_failed", "no memory"};
	bool names = done->code == WARD_OTP_ALREADY_STARTED ||
		     (done->code == WARD_OTP_OK && (what == START || what == RESTART));

	if (!names)
		snprintf(text, max, "%s", codes[done->code]);
	else if (ward_ref_is_nobody(done->who))
		snprintf(text, max, "%s none", codes[done->code]);
	else
		snprintf(text, max, "%s %c", codes[done->code], label_of(done->who));
}

static void tell_spec(char *text, size_t max, const struct ward_otp_childspec *spec)
{
	static const char *const restarts[] = {"permanent", "transient", "temporary"};
	char shutdown[24];

	if (spec->code != WARD_OTP_OK) {
		snprintf(text, max,
			 spec->code == WARD_OTP_NOT_FOUND ? "not_found" : "simple_one_for_one");
		return;
	}
	snprintf(shutdown, sizeof shutdown, "%lld", (long long)spec->shutdown_ms);
	snprintf(text, max, "%s %s %s %s %s", spec->id, restarts[spec->restart],
		 spec->significant ? "true" : "false",
		 spec->shutdown_ms == WARD_OTP_BRUTAL     ? "brutal_kill"
		 : spec->shutdown_ms == WARD_OTP_INFINITY ? "infinity"
							  : shutdown,
		 spec->type == WARD_OTP_WORKER ? "worker" : "supervisor");
}

void answered(const ward_msg *msg, uint64_t tag)
{
	enum what what = (enum what)((tag - 1) % WHATS);
	uint64_t line = (tag - 1) / WHATS;
	const struct ward_otp_done *done = ward_match(msg, ward_otp_done);
	const struct ward_otp_children *children = ward_match(msg, ward_otp_children);
	const struct ward_otp_counts *counts = ward_match(msg, ward_otp_counts);
	const struct ward_otp_childspec *spec = ward_match(msg, ward_otp_childspec);
	char text[LINE / 2] = "dead";

	if (done != NULL)
		tell_done(text, sizeof text, what, done);
	else if (children != NULL)
		tell_rows(text, sizeof text, children);
	else if (counts != NULL)
		snprintf(text, sizeof text, "%u %u %u %u", (unsigned)counts->specs,
			 (unsigned)counts->active, (unsigned)counts->supervisors,
			 (unsigned)counts->workers);
	else if (spec != NULL)
		tell_spec(text, sizeof text, spec);
	if (line == LINES_MAX && children != NULL)
		tell_dead(text, sizeof text, children);
	if (line == LINES_MAX)
		snprintf(play.state, sizeof play.state, "%s", text);
	else
		snprintf(play.lines[line], sizeof play.lines[line], "= %s %s", whats[what], text);
}
