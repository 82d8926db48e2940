/* SPDX-License-Identifier: MIT
 *
 * backoff_args.c - checks and copies the options of a back-off supervisor.
 *
 *	struct ward_backoff, the copy
 *	  child ---------------> props, with a copy of their arguments
 *	  reply_while_stopped -> a copy of its body
 *
 * A clone that fails makes the spawn fail, with the text noted here. Each kind of supervisor has an
 * argument type of its own, so that options of the other kind are refused, too.
 *
 * Threads: the clone runs in the spawn, the drop after the life of the supervisor.
 */
#include "patterns/backoff/backoff_args.h"

#include <stdlib.h>
#include <string.h>

#include <ward/actor.h>
#include <ward/backoff.h>
#include <ward/extend.h>
#include <ward/supervise.h>

#include "common/bodies.h"
#include "common/name.h"

enum { NAME_BYTES = 256 };

/* ---- numbers ----------------------------------------------------------------------------- */

bool wardi_backoff_max(const struct ward_backoff *args, uint32_t *ret_max)
{
	int32_t max = args->retries_max;

	if (max == 0 && args->strategy != NULL)
		max = args->strategy->restarts_max;
	*ret_max = max > 0 ? (uint32_t)max : 0;
	return max != 0;
}

int64_t wardi_backoff_window_ms(const struct ward_backoff *args)
{
	int64_t window_ms = args->window_ms;

	if (args->default_stopping_strategy)
		return 0;
	if (window_ms == 0 && args->strategy != NULL)
		window_ms = args->strategy->window_ms;
	return window_ms > 0 && window_ms < WARD_FOREVER ? window_ms : 0;
}

/* ---- checks ------------------------------------------------------------------------------ */

#define REFUSED(...) ward_refused(WARD_EINVAL, "a back-off supervisor: " __VA_ARGS__)

static ward_err check_child(const struct ward_backoff *args)
{
	if (args->child.behavior == NULL)
		return REFUSED(".child has no behavior: it needs the props of the child");
	return WARD_OK;
}

static ward_err check_delays(const struct ward_backoff *args)
{
	long long min_ms = args->min_backoff_ms, max_ms = args->max_backoff_ms;
	long long reset_ms = args->auto_reset_ms;

	if (min_ms <= 0)
		return REFUSED(".min_backoff_ms is %lld: it must be above 0", min_ms);
	if (max_ms < min_ms)
		return REFUSED(".max_backoff_ms %lld is less than .min_backoff_ms %lld", max_ms,
			       min_ms);
	/* Written so that it refuses a NaN, too. */
	if (!(args->random_factor >= 0 && args->random_factor <= 1))
		return REFUSED(".random_factor is %g: it must be from 0 to 1", args->random_factor);
	if (args->manual_reset && reset_ms != 0)
		return REFUSED(".manual_reset and .auto_reset_ms exclude each other");
	if (reset_ms != 0 && (reset_ms < min_ms || reset_ms > max_ms))
		return REFUSED(".auto_reset_ms is %lld: it must be between .min_backoff_ms %lld "
			       "and .max_backoff_ms %lld",
			       reset_ms, min_ms, max_ms);
	return WARD_OK;
}

static ward_err check_strategy(const struct ward_backoff *args)
{
	if (args->strategy == NULL)
		return WARD_OK;
	if (args->default_stopping_strategy)
		return REFUSED(".strategy and .default_stopping_strategy exclude each other");
	if (ward_strategy_check(args->strategy) != WARD_OK)
		return REFUSED(".strategy is wrong: %s", ward_err_detail());
	if (args->strategy->limit != WARD_LIMIT_PER_CHILD)
		return REFUSED(".strategy.limit is not WARD_LIMIT_PER_CHILD: the supervisor has "
			       "one child, and counts its restarts");
	return WARD_OK;
}

static ward_err check_limits(const struct ward_backoff *args)
{
	if (args->retries_max < WARD_RESTARTS_NONE)
		return REFUSED(
			".retries_max is %d: 0 means no limit, WARD_RESTARTS_NONE no retries",
			(int)args->retries_max);
	if (args->window_ms < 0)
		return REFUSED(".window_ms is %lld: 0 means no window", (long long)args->window_ms);
	return WARD_OK;
}

static ward_err check_while_stopped(const struct ward_backoff *args)
{
	const ward_constant *reply = &args->reply_while_stopped;

	if (reply->type == NULL && (reply->body != NULL || reply->size != 0))
		return REFUSED(".reply_while_stopped has no type: {WARD_BODY(busy)} sets all three "
			       "fields");
	if (reply->type == NULL)
		return WARD_OK;
	if (!ward_ref_is_nobody(args->handler_while_stopped))
		return REFUSED(
			".reply_while_stopped and .handler_while_stopped exclude each other");
	if (reply->type->drop != NULL)
		return REFUSED(".reply_while_stopped is a \"%s\", which owns things: it cannot be "
			       "sent many times",
			       reply->type->name);
	if (!wardi_fits(reply->type, reply->body, reply->size))
		return ward_refused(WARD_ESIZE,
				    "a back-off supervisor: .reply_while_stopped of %zu bytes does "
				    "not fit \"%s\"",
				    reply->size, reply->type->name);
	return WARD_OK;
}

static ward_err check(const struct ward_backoff *args)
{
	ward_err err = check_child(args);

	if (err == WARD_OK)
		err = check_delays(args);
	if (err == WARD_OK)
		err = check_strategy(args);
	if (err == WARD_OK)
		err = check_limits(args);
	if (err == WARD_OK)
		err = check_while_stopped(args);
	for (size_t i = 0; err == WARD_OK && i < sizeof args->reserved / sizeof args->reserved[0];
	     i++)
		if (args->reserved[i] != 0)
			err = REFUSED("a reserved word is not zero");
	return err;
}

static ward_err check_on_stop(const struct ward_backoff *args)
{
	uint32_t max;

	if (wardi_backoff_window_ms(args) != 0 && !wardi_backoff_max(args, &max))
		return REFUSED(".window_ms is %lld, but .retries_max is not set: on stop the "
			       "window only limits retries",
			       (long long)wardi_backoff_window_ms(args));
	return WARD_OK;
}

static ward_err check_on_failure(const struct ward_backoff *args)
{
	if (args->final_stop != NULL)
		return REFUSED(".final_stop is for ward_backoff_on_stop(): on failure a child that "
			       "stops by itself always ends the supervisor");
	return WARD_OK;
}

/* ---- the copy ---------------------------------------------------------------------------- */

static ward_err copy_reply(struct ward_backoff *to, const ward_constant *reply)
{
	void *body;

	if (reply->body == NULL || reply->size == 0)
		return WARD_OK;
	body = malloc(reply->size);
	if (body == NULL)
		return ward_refused(WARD_ENOMEM, "no memory for the options of a back-off "
						 "supervisor");
	to->reply_while_stopped.body = memcpy(body, reply->body, reply->size);
	return WARD_OK;
}

/* All children, one after the other, have the same name; without one, that of the behaviour. */
static ward_err copy_child(struct ward_backoff *to, const ward_props *from)
{
	char name[NAME_BYTES];
	ward_props child = *from;

	if (child.name == NULL) {
		wardi_name_from(child.behavior->name, name, sizeof name);
		child.name = name[0] != '\0' ? name : "actor";
	}
	return ward_props_clone(&to->child, &child);
}

static ward_err copy(struct ward_backoff *to, const struct ward_backoff *from)
{
	ward_err err = copy_child(to, &from->child);

	if (err != WARD_OK)
		return err;
	err = copy_reply(to, &from->reply_while_stopped);
	if (err != WARD_OK)
		ward_props_drop(&to->child);
	return err;
}

static ward_err clone_on_stop(void *to, const void *from)
{
	ward_err err = check(from);

	if (err == WARD_OK)
		err = check_on_stop(from);
	return err == WARD_OK ? copy(to, from) : err;
}

static ward_err clone_on_failure(void *to, const void *from)
{
	ward_err err = check(from);

	if (err == WARD_OK)
		err = check_on_failure(from);
	return err == WARD_OK ? copy(to, from) : err;
}

static void drop(void *body)
{
	struct ward_backoff *args = body;

	ward_props_drop(&args->child);
	if (args->reply_while_stopped.size != 0) /* owned, so the const is not */
		free((void *)(uintptr_t)args->reply_while_stopped.body);
}

const ward_type wardi_type_backoff_on_stop = {
	.name = "ward_backoff",
	.size = sizeof(struct ward_backoff),
	.drop = drop,
	.clone = clone_on_stop,
};
const ward_type wardi_type_backoff_on_failure = {
	.name = "ward_backoff",
	.size = sizeof(struct ward_backoff),
	.drop = drop,
	.clone = clone_on_failure,
};
