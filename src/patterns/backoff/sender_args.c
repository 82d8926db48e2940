/* SPDX-License-Identifier: MIT
 *
 * sender_args.c - checks and copies the arguments of a back-off sender.
 *
 * A clone that fails makes the spawn fail, with the text noted here.
 *
 * Threads: the clone runs in the spawn, the drop after the life of the sender.
 */
#include "patterns/backoff/sender_args.h"

#include <ward/actor.h>
#include <ward/backoff_sender.h>
#include <ward/exponential.h>
#include <ward/extend.h>
#include <ward/supervise.h>
#include <ward/types.h>

static ward_err check_numbers(const struct ward_backoff_sender *args)
{
	ward_exponential unused;

	if (args->retries_max < WARD_RESTARTS_NONE)
		return ward_refused(WARD_EINVAL,
				    "a back-off sender: .retries_max is %d: 0 means no limit, "
				    "WARD_RESTARTS_NONE no retries",
				    (int)args->retries_max);
	if (args->patience_ms < 0)
		return ward_refused(WARD_EINVAL,
				    "a back-off sender: .patience_ms is %lld: it must not be "
				    "negative; 0 means forever",
				    (long long)args->patience_ms);
	for (size_t i = 0; i < sizeof args->reserved / sizeof args->reserved[0]; i++)
		if (args->reserved[i] != 0)
			return ward_refused(WARD_EINVAL,
					    "a back-off sender: a reserved word is not zero");
	return ward_try_exponential_init(&unused, &args->back_off);
}

static ward_err clone(void *to_, const void *from_)
{
	const struct ward_backoff_sender *from = from_;
	struct ward_backoff_sender *to = to_;
	ward_err err;

	if (from->child.behavior == NULL)
		return ward_refused(WARD_EINVAL,
				    "a back-off sender needs .child: the props of the receiver");
	if (from->id == NULL)
		return ward_refused(WARD_EINVAL, "a back-off sender needs .id, the function that "
						 "returns the id of a message");
	err = check_numbers(from);
	return err == WARD_OK ? ward_props_clone(&to->child, &from->child) : err;
}

static void drop(void *body)
{
	ward_props_drop(&((struct ward_backoff_sender *)body)->child);
}

const ward_type wardi_type_backoff_sender = {.name = "ward_backoff_sender",
					     .size = sizeof(struct ward_backoff_sender),
					     .drop = drop,
					     .clone = clone};
