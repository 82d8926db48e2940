/* SPDX-License-Identifier: MIT
 *
 * orphanage.c - the parent of actors that were spawned without a link.
 *
 * An orphan that was linked is a guest (guests.h): its stand-in is a child of the supervisor. One
 * that was not is stopped when it fails.
 *
 * Threads: runs as an actor.
 */
#include <stddef.h>

#include <ward/extend.h>
#include <ward/guests.h>
#include <ward/text.h>
#include <ward/ward.h>

#include "akka_zero/akka_zero.h"
#include "akka_zero/table_check.h"
#include "common/records.h"

struct orphan {
	struct wardi_tag tag;    /* first; the number of its life */
	struct wardi_tag linked; /* the number of its stand-in */
	struct ward_guest guest;
};

struct orphanage {
	struct wardi_tags *orphans, *linked;
};

static struct orphan *find(const struct orphanage *me, ward_ref who)
{
	struct orphan *orphan = (struct orphan *)wardi_tags_find(me->orphans, ward_ref_number(who));

	return orphan != NULL && ward_ref_equal(orphan->guest.who, who) ? orphan : NULL;
}

static struct orphan *find_linked(const struct orphanage *me, ward_ref stand_in)
{
	char *tag = (char *)wardi_tags_find(me->linked, ward_ref_number(stand_in));
	struct orphan *orphan =
		tag == NULL ? NULL : (struct orphan *)(tag - offsetof(struct orphan, linked));

	return orphan != NULL && ward_ref_equal(orphan->guest.stand_in, stand_in) ? orphan : NULL;
}

static ward_directive decide(ward_self *self, ward_ref child, const ward_failure *failure)
{
	struct orphan *orphan = find(ward_state(self), child);

	return orphan == NULL ? WARD_STOP : ward_guest_failed(self, &orphan->guest, failure);
}

/* ---- links ------------------------------------------------------------------------------- */

static ward_err route(ward_self *self, struct orphanage *me, ward_ref who, ward_ref stand_in)
{
	struct orphan *orphan = find(me, who);
	ward_err err;

	if (orphan == NULL || orphan->guest.stops)
		return WARD_ENOENT;
	if (!ward_ref_is_nobody(orphan->guest.stand_in))
		return WARD_EEXIST;
	if (!wardi_tags_reserve(self, &me->linked))
		return WARD_ENOMEM;
	err = ward_try_watch(self, stand_in);
	if (err != WARD_OK)
		return err;
	wardi_tags_insert(me->linked, &orphan->linked, ward_ref_number(stand_in));
	ward_guest_set_stand_in(self, &orphan->guest, stand_in);
	return WARD_OK;
}

static void let_go(ward_self *self, struct orphanage *me, ward_ref stand_in)
{
	struct orphan *orphan = find_linked(me, stand_in);

	if (orphan == NULL)
		return;
	ward_unwatch(self, stand_in);
	(void)wardi_tags_remove(me->linked, ward_ref_number(stand_in));
	ward_guest_set_stand_in(self, &orphan->guest, ward_nobody());
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
	err = ward_try_spawn(self, &props, ret_who);
	if (err == WARD_OK)
		err = ward_try_watch(self, *ret_who);
	if (err != WARD_OK) {
		ward_stop(self, *ret_who);
		ward_discard(self, orphan);
		return err;
	}
	orphan->guest.keeps_bodies = true;
	ward_guest_set_child(self, &orphan->guest, *ret_who);
	wardi_tags_insert(me->orphans, &orphan->tag, ward_ref_number(*ret_who));
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

/* An orphan, or a stand-in, with whose supervisor its orphan ends. */
static void ended(ward_self *self, struct orphanage *me, ward_ref who)
{
	struct orphan *orphan = find(me, who), *linked = find_linked(me, who);

	if (linked != NULL)
		ward_guest_stop(self, &linked->guest);
	if (orphan == NULL)
		return;
	ward_stop(self, orphan->guest.stand_in);
	let_go(self, me, orphan->guest.stand_in);
	ward_discard(self, wardi_tags_remove(me->orphans, ward_ref_number(who)));
}

/* ---- messages ---------------------------------------------------------------------------- */

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct orphanage *me = state;
	struct orphan *linked = find_linked(me, ward_guest_sender(msg));
	const struct ward_zero_spawn *wanted;
	const struct wardi_zero_route *link;
	const struct wardi_zero_let_go *unlink;
	const struct ward_terminated *gone;

	if ((wanted = ward_match(msg, ward_zero_spawn)))
		return asked_to_spawn(self, me, msg, wanted->component);
	if ((gone = ward_match(msg, ward_terminated)))
		ended(self, me, gone->who);
	else if ((link = ward_match(msg, wardi_zero_route)))
		ward_tell(self, link->stand_in, ward_zero_linked, .who = link->who,
			  .err = route(self, me, link->who, link->stand_in));
	else if ((unlink = ward_match(msg, wardi_zero_let_go)))
		let_go(self, me, unlink->stand_in);
	else if (!ward_guest_receive(self, linked == NULL ? NULL : &linked->guest, msg))
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
