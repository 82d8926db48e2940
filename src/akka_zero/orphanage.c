/* SPDX-License-Identifier: MIT
 *
 * orphanage.c - the parent of actors that were spawned without a link.
 *
 *	a failure --> no stand-in:  stop
 *	          --> a stand-in:   it waits; the stand-in gets an exit, sends a verdict
 *
 * An orphan is restarted also without a failure of its own, when its stand-in is. What waits for
 * which verdict is in common/put_off.h, as for the guests of other systems.
 *
 * Threads: runs as an actor.
 */
#include <stdio.h>

#include <ward/extend.h>
#include <ward/text.h>
#include <ward/ward.h>

#include "akka_zero/akka_zero.h"
#include "akka_zero/table_check.h"
#include "common/put_off.h"
#include "common/records.h"

struct orphan {
	struct wardi_tag tag; /* first; the number of its life */
	struct wardi_put_off life;
	ward_ref stand_in; /* or nobody */
};

struct orphanage {
	struct wardi_tags *orphans;
};

static struct orphan *find(const struct orphanage *me, ward_ref who)
{
	return (struct orphan *)wardi_tags_find(me->orphans, who.uid);
}

static bool is_supervised(ward_self *self, const struct orphan *orphan)
{
	return !ward_ref_is_nobody(orphan->stand_in) &&
	       ward_system_is_alive(ward_self_system(self), orphan->stand_in);
}

/* ---- failures ---------------------------------------------------------------------------- */

static ward_directive decide(ward_self *self, ward_ref child, const ward_failure *failure)
{
	struct orphanage *me = ward_state(self);
	struct orphan *orphan = find(me, child);
	struct wardi_zero_exit why = {.failure_class = ward_failure_class_of(failure)};

	if (orphan == NULL)
		return WARD_STOP;
	if (!is_supervised(self, orphan))
		return WARD_STOP;
	why.number = orphan->life.failures + 1;
	ward_text_format(why.text, sizeof why.text, "%s", ward_failure_text(failure));
	if (ward_try_send(self, orphan->stand_in, WARD_COPY(wardi_zero_exit, &why)) != WARD_OK)
		return WARD_STOP;
	(void)wardi_put_off(&orphan->life);
	return WARD_LATER;
}

/* Only for the orphan's own stand-in. A verdict of another stand-in is about a link that was
 * refused. */
static void carry_out(ward_self *self, struct orphan *orphan, ward_ref stand_in,
		      const struct wardi_zero_verdict *verdict)
{
	if (!ward_ref_equal(orphan->stand_in, stand_in))
		return;
	if (verdict->directive != WARD_STOP) {
		wardi_put_off_verdict(self, &orphan->life, verdict->number, verdict->directive,
				      verdict->failure_class, verdict->text);
		return;
	}
	orphan->stand_in = ward_nobody();
	ward_stop(self, orphan->life.who);
}

/* ---- links ------------------------------------------------------------------------------- */

/* A stand-in that has ended has sent its last verdict, which is still on its way: the orphan ends
 * with that supervisor. */
static ward_err route(ward_self *self, struct orphan *orphan, ward_ref stand_in)
{
	if (orphan == NULL)
		return WARD_ENOENT;
	if (is_supervised(self, orphan))
		return WARD_EEXIST;
	if (!ward_ref_is_nobody(orphan->stand_in)) {
		ward_stop(self, orphan->life.who);
		return WARD_ENOENT;
	}
	orphan->stand_in = stand_in;
	return WARD_OK;
}

static void let_go(ward_self *self, struct orphan *orphan, ward_ref stand_in)
{
	if (!ward_ref_equal(orphan->stand_in, stand_in))
		return;
	orphan->stand_in = ward_nobody();
	if (orphan->life.undecided != 0)
		wardi_put_off_decide(self, &orphan->life, WARD_STOP);
}

/* ---- orphans ----------------------------------------------------------------------------- */

static ward_err spawn(ward_self *self, struct orphanage *me, const ward_zero_component *component,
		      ward_ref *ret_who)
{
	struct orphan *orphan = NULL;
	ward_props props;
	ward_err err = component == NULL ? ward_refused(WARD_EINVAL, "no component to be spawned")
					 : wardi_zero_check_component(component);

	if (err != WARD_OK)
		return err;
	if (wardi_tags_reserve(self, &me->orphans))
		orphan = wardi_record_make(self, sizeof *orphan);
	if (orphan == NULL)
		return WARD_ENOMEM;
	props = wardi_zero_props(component);
	err = ward_try_spawn(self, &props, &orphan->life.who);
	if (err == WARD_OK) {
		err = ward_try_watch(self, orphan->life.who);
		if (err != WARD_OK)
			ward_stop(self, orphan->life.who);
	}
	if (err != WARD_OK) {
		ward_discard(self, orphan);
		return err;
	}
	*ret_who = orphan->life.who;
	wardi_tags_insert(me->orphans, &orphan->tag, orphan->life.who.uid);
	return WARD_OK;
}

static ward_result asked_to_spawn(ward_self *self, struct orphanage *me, const ward_msg *msg,
				  const ward_zero_component *component)
{
	struct ward_zero_spawned spawned = {.err = WARD_OK};

	spawned.err = spawn(self, me, component, &spawned.who);
	if (spawned.err != WARD_OK)
		ward_text_format(spawned.text, sizeof spawned.text, "%s", ward_err_detail());
	ward_send(self, ward_msg_sender(msg), WARD_COPY(ward_zero_spawned, &spawned));
	return WARD_DONE;
}

static ward_result ended(ward_self *self, const struct orphanage *me, ward_ref who)
{
	if (find(me, who) != NULL)
		ward_discard(self, wardi_tags_remove(me->orphans, who.uid));
	return WARD_DONE;
}

/* ---- messages ---------------------------------------------------------------------------- */

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct orphanage *me = state;
	const struct ward_zero_spawn *wanted;
	const struct wardi_zero_route *link;
	const struct wardi_zero_let_go *unlink;
	const struct wardi_zero_verdict *verdict;
	const struct ward_terminated *gone;

	if ((wanted = ward_match(msg, ward_zero_spawn)))
		return asked_to_spawn(self, me, msg, wanted->component);
	if ((gone = ward_match(msg, ward_terminated)))
		return ended(self, me, gone->who);
	if ((link = ward_match(msg, wardi_zero_route))) {
		ward_tell(self, link->stand_in, wardi_zero_routed,
			  .err = route(self, find(me, link->who), link->stand_in));
		return WARD_DONE;
	}
	if ((verdict = ward_match(msg, wardi_zero_verdict)) && find(me, verdict->who) != NULL)
		carry_out(self, find(me, verdict->who), ward_msg_sender(msg), verdict);
	else if ((unlink = ward_match(msg, wardi_zero_let_go)) && find(me, unlink->who) != NULL)
		let_go(self, find(me, unlink->who), unlink->stand_in);
	else if (verdict == NULL && !ward_match(msg, wardi_zero_let_go))
		return WARD_UNHANDLED;
	return WARD_DONE;
}

static const ward_strategy pass_on = {.decide = decide};

const ward_behavior ward_zero_orphanage = {
	.name = "ward_zero_orphanage",
	.state_size = sizeof(struct orphanage),
	.child_strategy = &pass_on,
	.own_strategy = true,
	.receive = receive,
};
