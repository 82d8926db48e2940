/* SPDX-License-Identifier: MIT
 *
 * requester.c - the actor that asks several routees on behalf of a sender to the router.
 *
 *	question --> all at once, or one, and one more every interval_ms
 *	  answer, the first      --> forwarded to the asker, from its routee
 *	  answer, a later one    --> dropped, while more may come
 *	  all have answered      --> stops, if the number is known
 *	  timeout_ms have passed --> stops
 *	stops without an answer  --> ward_ask_failed to the asker
 *
 * It is a child of the router, but no routee. No code in it may fail: in a pool that would count as
 * a failure of the pool.
 *
 * Threads: runs as an actor.
 */
#include "patterns/router/requester.h"

#include <inttypes.h>
#include <stdio.h>

#include <ward/ask.h>
#include <ward/text.h>
#include <ward/timer.h>

#include "patterns/common/kept_body.h"
#include "patterns/router/routee.h"

enum { OVER = 1, NEXT = 2 };

#define TICK(name_)                                                                                \
	{                                                                                          \
		name_, 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL,                                   \
		{                                                                                  \
			0, 0                                                                       \
		}                                                                                  \
	}

static const ward_type over = TICK("ward.request_over");
static const ward_type next = TICK("ward.request_next");
const ward_type wardi_type_request = {
	.name = "ward.request", .size = sizeof(struct wardi_request), .size_max = UINT32_MAX};

struct requester {
	const ward_type *type; /* NULL: the question has not arrived yet */
	void *question;        /* NULL: moved to the last routee */
	size_t size;
	ward_ref asker;
	uint64_t asked, answers;
	ward_err why; /* why there is no answer; WARD_OK: not known yet */
	bool told;    /* the asker has its answer */
};

/* ---- asking ------------------------------------------------------------------------------ */

static uint64_t left(const struct requester *me, const struct wardi_request *request)
{
	return request->count - me->asked;
}

/* Sends the question itself to the last routee, and copies to the others. */
static bool ask_one(struct requester *me, ward_self *self, const struct wardi_request *request)
{
	const struct wardi_routee *routee = &wardi_request_routees(request)[me->asked];
	void *body = left(me, request) == 1 ? me->question
					    : wardi_copy_of(self, me->type, me->question, me->size);

	if (body == NULL)
		return false;
	me->asked++;
	if (body == me->question)
		me->question = NULL;
	wardi_routee_give(self, ward_self_ref(self), routee, me->type, body);
	return true;
}

/* Without memory a routee is not asked; those asked before may still answer. */
static void ask_next(struct requester *me, ward_self *self, const struct wardi_request *request)
{
	const ward_timer timer = {.key = NEXT, .after_ms = request->interval_ms};

	if (ask_one(me, self, request) && left(me, request) > 0)
		(void)!ward_try_timer_start(self, &timer, &next, NULL, 0);
}

static void ask_all(struct requester *me, ward_self *self, const struct wardi_request *request)
{
	while (left(me, request) > 0 && ask_one(me, self, request))
		;
}

static void begin(struct requester *me, ward_self *self, const ward_msg *msg)
{
	const struct wardi_request *request = ward_args(self);
	const ward_timer timer = {.key = OVER, .after_ms = request->timeout_ms};

	me->asker = ward_msg_sender(msg);
	me->type = ward_msg_type(msg);
	me->size = ward_msg_size(msg);
	if (ward_try_timer_start(self, &timer, &over, NULL, 0) == WARD_OK)
		me->question = ward_take_body(self, me->type);
	if (me->question == NULL) {
		/* This notifies the asker, too, if it waits for an answer. */
		wardi_router_dead(self, WARD_REASON_NO_MEMORY);
		me->told = true;
	} else if (request->interval_ms > 0) {
		ask_next(me, self, request);
	} else {
		ask_all(me, self, request);
	}
	if (me->asked == 0) {
		me->why = WARD_ENOMEM;
		ward_stop_self(self);
	}
}

/* ---- ending ------------------------------------------------------------------------------ */

static void answered(struct requester *me, ward_self *self, const struct wardi_request *request)
{
	if (!me->told) {
		me->told = true;
		ward_timer_cancel(self, NEXT);
		ward_forward(self, me->asker);
	}
	if (++me->answers >= me->asked && !request->patterns)
		ward_stop_self(self);
}

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct requester *me = state;

	if (me->type == NULL) {
		begin(me, self, msg);
	} else if (ward_msg_body(msg, &next) != NULL) {
		ask_next(me, self, ward_args(self));
	} else if (ward_msg_body(msg, &over) != NULL) {
		me->why = WARD_ETIMEDOUT;
		ward_stop_self(self);
	} else {
		answered(me, self, ward_args(self));
	}
	return WARD_DONE;
}

/* After each end without an answer: timeout, no memory, or a router that stops or restarts. */
static ward_result tell_failed(ward_self *self, void *state)
{
	const struct requester *me = state;
	const struct wardi_request *request = ward_args(self);
	struct ward_ask_failed failed = {.to = request->router,
					 .why = me->why != WARD_OK ? me->why : WARD_EDEAD,
					 .timeout_ms = request->timeout_ms};

	if (me->told || me->type == NULL || ward_ref_is_nobody(me->asker))
		return WARD_DONE;
	ward_text_format(failed.text, sizeof failed.text,
			 "%.*s to a router, which asked %" PRIu64 " of %" PRIu64
			 " routees: no answer within %" PRId64 " ms, %s",
			 WARD_TEXT_FIT(me->type->name, 64), me->asked, request->count,
			 request->timeout_ms, ward_err_text(failed.why));
	ward_send(self, me->asker, WARD_COPY(ward_ask_failed, &failed));
	return WARD_DONE;
}

/* In a restart of the router: post_stop has notified the asker, and the question is gone. */
static ward_result end(ward_self *self, void *state, const ward_failure *why)
{
	(void)state, (void)why;
	ward_stop_self(self);
	return WARD_DONE;
}

const ward_behavior wardi_requester = {
	.name = "ward_request",
	.state_size = sizeof(struct requester),
	.args = &wardi_type_request,
	.receive = receive,
	.post_stop = tell_failed,
	.post_restart = end,
};
