/* SPDX-License-Identifier: MIT
 *
 * stand_in.c - a child of a supervising actor that stands in for an orphan.
 *
 *	pre_start --> the orphanage confirms the link --> it stands in as guests.h says
 *	          --> it refuses, or has ended -------> a message to the supervisor, an end
 *
 * Without memory for news of the orphan that is stopped, since it would wait forever.
 *
 * Threads: runs as an actor.
 */
#include "akka_zero/stand_in.h"

#include <ward/ward.h>

#include "akka_zero/akka_zero.h"

const ward_type wardi_type_zero_stand_in = {.name = "ward_zero_stand_in",
					    .size = sizeof(struct wardi_zero_stand_in)};

/* The copy made by the spawn belongs to this actor alone. */
static struct wardi_zero_stand_in *mine(ward_self *self)
{
	return (struct wardi_zero_stand_in *)(uintptr_t)ward_args(self);
}

static ward_result report(ward_self *self, ward_err err)
{
	ward_tell(self, ward_parent(self), ward_zero_linked, .who = mine(self)->link.guest,
		  .err = err);
	return err == WARD_OK ? WARD_DONE : ward_stop_self(self);
}

static ward_result give_up(ward_self *self, ward_err err)
{
	(void)!ward_try_tell(self, mine(self)->link.host, wardi_zero_let_go,
			     .stand_in = ward_self_ref(self));
	return report(self, err);
}

/* ---- hooks ------------------------------------------------------------------------------- */

/* If the orphanage ends, no answer comes. */
static ward_result start(ward_self *self, void *state)
{
	ward_err err = ward_try_watch(self, mine(self)->link.host);

	(void)state;
	return err == WARD_OK ? WARD_DONE : give_up(self, err);
}

/* Also before the link is confirmed, when the answer may be on its way. */
static ward_result before_restart(ward_self *self, void *state, const ward_failure *why,
				  const ward_msg *msg)
{
	(void)state, (void)msg;
	ward_stand_in_restart(self, &mine(self)->link, why);
	return WARD_DONE;
}

/* Without pre_start: the link exists already. */
static ward_result after_restart(ward_self *self, void *state, const ward_failure *why)
{
	struct wardi_zero_stand_in *me = mine(self);

	(void)state, (void)why;
	if (!me->linked || ward_stand_in_attend(self, &me->link) == WARD_OK)
		return WARD_DONE;
	ward_stop(self, me->link.guest);
	return ward_stop_self(self);
}

/* ---- messages ---------------------------------------------------------------------------- */

static ward_result routed(ward_self *self, ward_err err)
{
	if (err != WARD_OK)
		return report(self, err);
	err = ward_stand_in_attend(self, &mine(self)->link);
	if (err != WARD_OK)
		return give_up(self, err);
	mine(self)->linked = true;
	return report(self, WARD_OK);
}

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct wardi_zero_stand_in *me = mine(self);
	const struct ward_zero_linked *answer;
	ward_result result;
	ward_err err = ward_stand_in_receive(self, &me->link, msg, &result);

	(void)state;
	if (err == WARD_OK)
		return result;
	if ((answer = ward_match(msg, ward_zero_linked)))
		return routed(self, answer->err);
	if (ward_match(msg, ward_terminated))
		return me->linked ? ward_stop_self(self) : report(self, WARD_EDEAD);
	if (err == WARD_ENOENT)
		ward_forward(self, me->link.guest);
	else
		ward_stop(self, me->link.guest);
	return err == WARD_ENOENT ? WARD_DONE : ward_stop_self(self);
}

const ward_behavior wardi_zero_stand_in = {
	.name = "ward_zero_stand_in",
	.args = &wardi_type_zero_stand_in,
	.receive = receive,
	.pre_start = start,
	.pre_restart = before_restart,
	.post_restart = after_restart,
};
