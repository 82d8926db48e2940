/* SPDX-License-Identifier: MIT
 *
 * retry.c - questions that are repeated, after growing delays, until answered.
 *
 *	asked -> it ends: again? -> delay -> asked -> ... -> the actor gets the last end
 *
 * An open question is a record with a copy of the body. The delay is a timer whose key is the
 * address of the record.
 *
 * Threads: runs only in callbacks of its actor.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <ward/actor.h>
#include <ward/extend.h>
#include <ward/retry.h>
#include <ward/system.h>
#include <ward/timer.h>

#include "common/records.h"
#include "patterns/backoff/pauses.h"
#include "patterns/common/kept_body.h"

enum { TRIES_MAX = 5, DELAY_MIN_MS = 100 };
#define TRY_TIMEOUT_MS (5 * WARD_SECOND)
#define DELAY_MAX_MS (10 * WARD_SECOND)
#define FACTOR 2.0

struct question {
	struct wardi_tag tag;
	ward_question asked;
	const ward_type *type;
	void *body; /* NULL: all zero */
	size_t size;
	ward_deadline until;
	uint32_t tries;
	bool delayed; /* the timer runs; else a try is open */
};

/* The end of a delay. */
struct tick {
	ward_retry *retry;
	uint64_t tag;
};
static const ward_type tick_type = {
	.name = "ward.retry_due", .size = sizeof(struct tick), .flags = WARD_TYPE_NOT_INFLUENCING};

/* ---- options ----------------------------------------------------------------------------- */

static int64_t or_else(int64_t value, int64_t otherwise)
{
	return value != 0 ? value : otherwise;
}

static int64_t delay_min_ms(const ward_retry_options *options)
{
	return or_else(options->delay_min_ms, DELAY_MIN_MS);
}

static int64_t delay_max_ms(const ward_retry_options *options)
{
	int64_t min_ms = delay_min_ms(options);

	return or_else(options->delay_max_ms, min_ms > DELAY_MAX_MS ? min_ms : DELAY_MAX_MS);
}

static int64_t delay_ms(ward_self *self, const ward_retry_options *options, uint32_t tries)
{
	return wardi_pause_ms(delay_min_ms(options), delay_max_ms(options),
			      options->factor > 0 ? options->factor : FACTOR, tries - 1,
			      options->random_factor, wardi_random(self, options->random));
}

#define REFUSED(...) ward_refused(WARD_EINVAL, "a ward_retry: " __VA_ARGS__)

static ward_err check_times(const ward_retry_options *options)
{
	long long try_ms = options->try_timeout_ms, within_ms = options->within_ms;
	long long min_ms = delay_min_ms(options), max_ms = delay_max_ms(options);

	if (try_ms < 0)
		return REFUSED(".try_timeout_ms is %lld: it must not be negative", try_ms);
	if (min_ms < 0)
		return REFUSED(".delay_min_ms is %lld: it must not be negative", min_ms);
	if (within_ms < 0)
		return REFUSED(".within_ms is %lld: it must not be negative", within_ms);
	if (max_ms < min_ms)
		return REFUSED(".delay_max_ms %lld is less than .delay_min_ms %lld", max_ms,
			       min_ms);
	return WARD_OK;
}

static ward_err check_options(const ward_retry_options *options)
{
	if (options->factor != 0 && !(options->factor >= 1))
		return REFUSED(".factor is %g: it must be at least 1", options->factor);
	if (!wardi_is_share(options->random_factor))
		return REFUSED(".random_factor is %g: it must be from 0 to 1",
			       options->random_factor);
	if (options->reserved[0] != 0 || options->reserved[1] != 0)
		return REFUSED("a reserved word is not zero");
	return check_times(options);
}

ward_result ward_retry_init(ward_self *self, ward_retry *retry, const ward_retry_options *options)
{
	ward_err err = options == NULL ? REFUSED("its options are NULL: {0} is all defaults")
				       : check_options(options);

	if (err != WARD_OK)
		return ward_failed(self, &ward_misuse, "%s", ward_err_detail());
	retry->options = options; /* open questions continue */
	retry->tries = 0;
	return WARD_DONE;
}

/* ---- one question ------------------------------------------------------------------------ */

static uint64_t key_of(const struct question *question)
{
	return (uint64_t)(uintptr_t)question;
}

static struct question *find(const ward_retry *retry, uint64_t tag)
{
	return (struct question *)wardi_tags_find(retry->questions, tag);
}

static void discard(ward_self *self, struct question *question)
{
	ward_discard(self, question->body);
	ward_discard(self, question);
}

static void forget(ward_self *self, ward_retry *retry, struct question *question)
{
	wardi_tags_remove(retry->questions, question->tag.tag);
	discard(self, question);
}

static void end(ward_self *self, ward_retry *retry, struct question *question)
{
	retry->tries = question->tries;
	forget(self, retry, question);
}

/* Not open if its try was cancelled without the ward_retry. */
static bool is_open(const ward_self *self, const struct question *question)
{
	return question->delayed || ward_ask_open(self, question->tag.tag);
}

/* Returns the time for the next try, at least 1 ms even if the delay ended late, so that the
 * question ends. */
static int64_t try_ms(ward_self *self, const ward_retry *retry, const struct question *question)
{
	int64_t timeout_ms = or_else(question->asked.timeout_ms,
				     or_else(retry->options->try_timeout_ms, TRY_TIMEOUT_MS));
	int64_t left_ms = ward_deadline_left_ms(self, question->until);

	if (left_ms == 0)
		return 1;
	return timeout_ms < left_ms ? timeout_ms : left_ms;
}

/* Asks with this body, and takes its contents. */
static ward_err try_with(ward_self *self, const ward_retry *retry, struct question *question,
			 const void *body)
{
	ward_question asked = question->asked;

	asked.timeout_ms = try_ms(self, retry, question);
	question->tries++;
	return ward_try_ask_send(self, &asked, question->type, body, question->size);
}

static bool owns(const struct question *question)
{
	return question->body != NULL && question->type->drop != NULL;
}

static ward_err try_with_copy(ward_self *self, const ward_retry *retry, struct question *question,
			      void *copy)
{
	ward_err err = try_with(self, retry, question, copy);

	memset(copy, 0, question->size); /* its contents were taken */
	ward_discard(self, copy);
	return err;
}

/* ---- asking for the first time ----------------------------------------------------------- */

static ward_err check(const ward_self *self, const ward_retry *retry, const ward_question *question,
		      const ward_type *type)
{
	const struct question *before = question == NULL ? NULL : find(retry, question->tag);

	if (question == NULL)
		return ward_refused(WARD_EINVAL, "ward_retry_ask: the question is NULL");
	if (retry->options == NULL)
		return ward_refused(WARD_EINVAL, "ward_retry_ask before ward_retry_init");
	if (!ward_ref_is_nobody(question->answer_to))
		return ward_refused(
			WARD_EINVAL,
			"ward_retry_ask: .answer_to is set, and a retry could not see the answer");
	if (question->timeout_ms < 0)
		return ward_refused(WARD_EINVAL,
				    "ward_retry_ask: the timeout is %" PRId64
				    " ms: it must not be negative; 0 means .try_timeout_ms",
				    question->timeout_ms);
	if (type != NULL && !wardi_copyable(type))
		return ward_refused(
			WARD_EUNIQUE,
			"ward_retry_ask: message \"%s\" owns things and has no clone, so it cannot "
			"be sent again: declare it with WARD_MESSAGE_CLONE",
			type->name);
	if (before != NULL && is_open(self, before))
		return ward_refused(WARD_EEXIST,
				    "ward_retry_ask: a question with tag %" PRIu64 " is open",
				    question->tag);
	return WARD_OK;
}

/* Copies the body, unless ward_ask_send() will refuse it. */
static ward_err make(ward_self *self, ward_retry *retry, const ward_question *asked,
		     const ward_type *type, const void *body, size_t size,
		     struct question **ret_question)
{
	struct question *question = NULL;
	ward_err err = WARD_OK;
	bool has_copy = type != NULL && body != NULL && wardi_fits(type, body, size);
	int64_t within_ms = retry->options->within_ms;

	if (wardi_tags_reserve(self, &retry->questions))
		question = wardi_record_make(self, sizeof *question);
	if (question == NULL)
		return WARD_ENOMEM;
	question->asked = *asked;
	question->type = type;
	question->size = size;
	question->until = ward_deadline_in(self, within_ms != 0 ? within_ms : WARD_FOREVER);
	if (has_copy)
		err = wardi_copy_try(self, type, body, size, &question->body);
	if (err == WARD_OK)
		*ret_question = question;
	else
		ward_discard(self, question);
	return err;
}

ward_err ward_try_retry_ask_send(ward_self *self, ward_retry *retry, const ward_question *asked,
				 const ward_type *type, const void *body, size_t size)
{
	struct question *question = NULL;
	ward_err err = check(self, retry, asked, type);

	if (err == WARD_OK) {
		if (find(retry, asked->tag) != NULL)
			forget(self, retry, find(retry, asked->tag));
		err = make(self, retry, asked, type, body, size, &question);
		if (err == WARD_ENOMEM)
			err = ward_refused(err, "no memory for a question with retries");
	}
	if (err != WARD_OK) {
		wardi_drop_unsent(type, body, size);
		return err;
	}
	err = try_with(self, retry, question, body);
	if (err == WARD_OK)
		wardi_tags_insert(retry->questions, &question->tag, asked->tag);
	else
		discard(self, question);
	return err;
}

/* ---- asking again ------------------------------------------------------------------------ */

static bool is_tried_again(ward_self *self, const ward_retry *retry, const ward_msg *msg)
{
	const struct ward_ask_failed *failed = ward_match(msg, ward_ask_failed);

	if (retry->options->again != NULL)
		return retry->options->again(msg);
	return failed != NULL && (failed->why != WARD_EDEAD ||
				  ward_system_is_alive(ward_self_system(self), failed->to));
}

/* Starts the delay before the next try. False: there is none. */
static bool delay(ward_self *self, ward_retry *retry, struct question *question)
{
	const ward_retry_options *options = retry->options;
	struct tick tick = {retry, question->tag.tag};
	ward_timer timer = {.key = key_of(question)};

	if (question->tries >= (options->tries_max != 0 ? options->tries_max : TRIES_MAX))
		return false;
	timer.after_ms = delay_ms(self, options, question->tries);
	if (timer.after_ms >= ward_deadline_left_ms(self, question->until))
		return false;
	question->delayed =
		ward_try_timer_start(self, &timer, &tick_type, &tick, sizeof tick) == WARD_OK;
	return question->delayed;
}

/* Fails the actor: no message could report this end. */
static ward_result give_up(ward_self *self, ward_retry *retry, struct question *question,
			   const ward_failure_class *why, const char *text)
{
	uint64_t tag = question->tag.tag;

	end(self, retry, question);
	return ward_failed(self, why, "question %" PRIu64 " could not be asked again: %s", tag,
			   text);
}

static ward_result no_copy(ward_self *self, ward_retry *retry, struct question *question,
			   ward_err err)
{
	char text[256];

	snprintf(text, sizeof text, "%s: %s", ward_err_text(err), ward_err_detail());
	return give_up(self, retry, question, &ward_exception, text);
}

static ward_result is_due(ward_self *self, ward_retry *retry, uint64_t tag)
{
	struct question *question = find(retry, tag);
	void *copy = NULL;
	ward_err err = WARD_OK;

	if (question == NULL)
		return WARD_DONE;
	question->delayed = false;
	if (owns(question))
		err = wardi_copy_try(self, question->type, question->body, question->size, &copy);
	if (err != WARD_OK)
		question->tries++;
	if (err != WARD_OK && err != WARD_ENOMEM) /* the clone refuses for good */
		return no_copy(self, retry, question, err);
	if (err == WARD_OK)
		err = copy != NULL ? try_with_copy(self, retry, question, copy)
				   : try_with(self, retry, question, question->body);
	if (err == WARD_OK || (err == WARD_ENOMEM && delay(self, retry, question)))
		return WARD_DONE;
	return give_up(self, retry, question,
		       err == WARD_ENOMEM ? &ward_out_of_memory : &ward_misuse, ward_err_detail());
}

ward_result ward_retry_receive(ward_self *self, ward_retry *retry, const ward_msg *msg)
{
	const struct tick *tick = ward_msg_body(msg, &tick_type);
	struct question *question;

	if (tick != NULL)
		return tick->retry == retry ? is_due(self, retry, tick->tag) : WARD_UNHANDLED;
	question = find(retry, ward_ask_tag(self));
	if (question == NULL || question->delayed)
		return WARD_UNHANDLED;
	if (is_tried_again(self, retry, msg) && delay(self, retry, question))
		return WARD_DONE;
	end(self, retry, question);
	return WARD_UNHANDLED;
}

void ward_retry_cancel(ward_self *self, ward_retry *retry, uint64_t tag)
{
	struct question *question = find(retry, tag);

	if (question == NULL)
		return;
	if (question->delayed)
		ward_timer_cancel(self, key_of(question));
	else
		ward_ask_cancel(self, tag);
	end(self, retry, question);
}

/* ---- looking ----------------------------------------------------------------------------- */

bool ward_retry_open(const ward_retry *retry, uint64_t tag)
{
	return find(retry, tag) != NULL;
}

uint32_t ward_retry_tries(const ward_retry *retry)
{
	return retry->tries;
}
