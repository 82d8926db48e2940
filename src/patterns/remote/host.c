/* SPDX-License-Identifier: MIT
 *
 * host.c - the parent of one guest, which decides about it on the word of its stand-in.
 *
 *	start --> the stand-in knows it, earlier hosts gone, arguments here? --> guest
 *
 *	guest fails   --> it waits; the stand-in is told ------> verdict --> ward_decide()
 *	guest ends    --> the stand-in is told; ends
 *	stand-in      --> suspended, resumed: the guest, too
 *	                  restarted without a failure: ward_restart_child()
 *	                  stops, has ended, is unreached: stops the guest, ends
 *
 * What is not of the protocol goes to the parent of the stand-in: it is what the guest tells its
 * parent.
 *
 * All that is in guest.c. A host whose guest has ended stays until the stand-in asks for news.
 *
 * Threads: runs as an actor.
 */
#include "patterns/remote/host.h"

#include <string.h>

#include <ward/ask.h>
#include <ward/extend.h>
#include <ward/selection.h>
#include <ward/watch.h>

enum { READY = 1 }; /* the tag of a question */
enum { ASK_AGAIN_MS = 10000 };

struct host {
	struct ward_guest guest;
	struct wardi_guest_start start;
	ward_props *props; /* brought, in a body that the incarnation owns; NULL: a kind is named */
	struct wardi_guest_bring *bring; /* that body */
	ward_ref asker;                  /* the question that waits; or nobody */
	bool waits;                      /* for the end of earlier hosts */
	bool is_known;                   /* the start was read */
	bool lacks_args;                 /* that follow the start */
	bool is_wanted;                  /* the stand-in knows the host */
	bool has_ended;                  /* the guest, and so: */
	ward_end end;
	ward_exit_reason reason;
	const ward_type *args_type;
	void *args; /* of the guest, until it was made */
	size_t args_size;
};

static ward_directive decide(ward_self *self, ward_ref child, const ward_failure *failure)
{
	struct host *me = ward_state(self);

	if (!ward_ref_equal(child, me->guest.who) ||
	    ward_guest_failed(self, &me->guest, failure) != WARD_LATER)
		return WARD_STOP;
	ward_decision_note(self, WARD_LEVEL_DEBUG, "the parent of its stand-in decides");
	return WARD_LATER;
}

/* The failure is published where it is decided, in the name of the stand-in. */
static const ward_strategy pass_on = {
	.decide = decide,
	.restart_level = WARD_LEVEL_DEBUG,
	.stop_level = WARD_LEVEL_DEBUG,
};

/* ---- the end ----------------------------------------------------------------------------- */

/* Ends when the guest has ended, and that is known; without one, when those of earlier hosts have:
 * its stand-in ends behind it. */
static ward_result settle(ward_self *self, struct host *me)
{
	bool over = me->guest.stops && ward_ref_is_nobody(me->guest.who) && !me->waits;

	if (me->has_ended)
		over = me->guest.stops || ward_guest_ended(self, &me->guest, me->end, &me->reason);
	return over ? ward_stop_self(self) : WARD_DONE;
}

/* ---- the start --------------------------------------------------------------------------- */

static ward_result refuse(ward_self *self, struct host *me, ward_err err)
{
	struct wardi_guest_started answer = {.err = (uint32_t)err};

	ward_text_format(answer.text, sizeof answer.text, "%s", ward_err_detail());
	if (!ward_ref_is_nobody(me->asker))
		ward_send(self, me->asker, WARD_COPY(wardi_guest_started, &answer));
	return ward_stop_self(self);
}

static ward_err find_kind(const struct host *me, const ward_kind *kinds, ward_props *ret_props)
{
	if (me->props != NULL) {
		*ret_props = *me->props;
		return WARD_OK;
	}
	for (; kinds != NULL && kinds->name != NULL; kinds++) {
		if (strcmp(kinds->name, me->start.kind) == 0) {
			*ret_props = *kinds->props;
			return WARD_OK;
		}
	}
	return ward_refused(WARD_ENOENT,
			    "there is no kind \"%s\" here: it is not in the table of "
			    "ward_guests_start()",
			    me->start.kind);
}

/* The runtime has taken what the arguments own. */
static void forget_args(ward_self *self, struct host *me)
{
	if (me->args == NULL)
		return;
	memset(me->args, 0, me->args_size);
	ward_discard(self, me->args);
	me->args = NULL;
}

/* Only an actor that has started answers. The answer may find no memory, so there is a timeout. */
static ward_err ask_whether_ready(ward_self *self, const struct host *me)
{
	return ward_try_ask(self, me->guest.who, READY, ASK_AGAIN_MS, ward_identify);
}

/* The answer. None: it has ended before it had started, which is reported by a notice. */
static ward_result asked_whether_ready(ward_self *self, struct host *me, const ward_msg *msg)
{
	const struct ward_ask_failed *failed = ward_match(msg, ward_ask_failed);
	const struct ward_identity *identity = ward_match(msg, ward_identity);

	if ((failed != NULL && failed->why == WARD_EDEAD) || (identity != NULL && !identity->found))
		return WARD_DONE;
	if (failed != NULL && (failed->why == WARD_ENOMEM || failed->why == WARD_ETIMEDOUT) &&
	    ask_whether_ready(self, me) == WARD_OK)
		return WARD_DONE;
	ward_guest_set_ready(self, &me->guest);
	return WARD_DONE;
}

static ward_err make_guest(ward_self *self, struct host *me)
{
	const struct wardi_host *args = ward_args(self);
	ward_props props;
	ward_ref guest;
	ward_err err = find_kind(me, args->kinds, &props);

	if (err != WARD_OK)
		return err;
	if (me->args != NULL) {
		props.args = (ward_body){me->args_type, me->args, me->args_size};
		props.args_given = true;
	}
	err = ward_try_spawn_guest(self, &props, me->start.stand_in, &guest);
	if (err != WARD_OK)
		return err;
	ward_guest_set_child(self, &me->guest, guest);
	forget_args(self, me);
	err = ward_try_join_paths(self, ward_nobody(), me->start.parent);
	/* In this order: the signal, with the reason, comes before the notice. */
	if (err == WARD_OK)
		err = ward_try_link(self, guest);
	if (err == WARD_OK)
		err = ward_try_watch(self, guest);
	return err == WARD_OK ? ask_whether_ready(self, me) : err;
}

/* The host is there; and the guest, if it was made. */
static ward_result answer_asker(ward_self *self, struct host *me)
{
	ward_ref to = me->asker;

	me->asker = ward_nobody();
	ward_tell(self, to, wardi_guest_started, .host = ward_self_ref(self),
		  .guest = me->guest.who);
	return WARD_DONE;
}

/* When nothing is missing. */
static ward_result go_on(ward_self *self, struct host *me)
{
	ward_err err;

	if (me->guest.stops)
		return settle(self, me);
	if (!me->is_wanted || me->lacks_args || me->waits)
		return WARD_DONE;
	err = make_guest(self, me);
	if (err != WARD_OK)
		return refuse(self, me, err);
	ward_discard(self, me->bring);
	me->bring = NULL;
	me->props = NULL;
	return answer_asker(self, me);
}

static ward_result begin(ward_self *self, struct host *me, const struct wardi_guest_start *start)
{
	const struct wardi_host *args = ward_args(self);
	ward_err err;

	me->start = *start;
	me->is_known = true;
	me->lacks_args = start->has_args;
	me->waits = args->waits;
	me->guest.parent = start->parent;
	me->guest.failure_classes = args->failure_classes;
	ward_guest_set_stand_in(self, &me->guest, start->stand_in);
	(void)ward_trap_exit(self, true);
	err = ward_try_watch(self, start->stand_in);
	return err == WARD_OK ? answer_asker(self, me) : refuse(self, me, err);
}

static ward_result begin_with_props(ward_self *self, struct host *me, const ward_msg *msg)
{
	me->asker = ward_msg_sender(msg);
	me->bring = ward_take_body(self, &ward_type_wardi_guest_bring);
	if (me->bring == NULL)
		return refuse(self, me, WARD_ENOMEM);
	me->props = &me->bring->props;
	return begin(self, me, &me->bring->start);
}

static ward_result args_came(ward_self *self, struct host *me, const ward_msg *msg)
{
	me->args_size = ward_msg_size(msg);
	me->args_type = ward_msg_type(msg);
	me->args = ward_take_body(self, me->args_type);
	if (me->args == NULL)
		return refuse(self, me, WARD_ENOMEM);
	me->lacks_args = false;
	return go_on(self, me);
}

/* ---- messages ---------------------------------------------------------------------------- */

static ward_result ended(ward_self *self, struct host *me, const struct ward_terminated *gone)
{
	if (ward_ref_equal(gone->who, me->guest.who)) {
		me->has_ended = true;
		me->end = gone->end;
	} else if (ward_ref_equal(gone->who, me->start.stand_in)) {
		ward_guest_stop(self, &me->guest);
	}
	return settle(self, me);
}

/* Whether its stand-in has sent the message, itself or as a question. */
static bool is_of_stand_in(const struct host *me, const ward_msg *msg)
{
	ward_ref sender = ward_msg_sender(msg);

	if (!me->is_known || ward_ref_kind_of(sender) != WARD_REF_QUESTION)
		return me->is_known && ward_ref_equal(sender, me->start.stand_in);
	return ward_ref_place(sender) == ward_ref_place(me->start.stand_in);
}

/* In the name of the stand-in, unless a question waits for an answer. */
static ward_result tell_parent(ward_self *self, const struct host *me, const ward_msg *msg)
{
	const ward_type *type = ward_msg_type(msg);
	void *body;

	if (!ward_ref_equal(ward_msg_sender(msg), me->guest.who)) {
		ward_forward(self, me->start.parent);
		return WARD_DONE;
	}
	body = ward_take_body(self, type);
	if (body == NULL)
		ward_dead_letter(self, me->start.parent, WARD_REASON_NO_MEMORY);
	else
		ward_give_body_from(self, me->start.stand_in, me->start.parent, type, body);
	return WARD_DONE;
}

static bool control(ward_self *self, struct host *me, const ward_msg *msg, ward_result *ret_result)
{
	const struct ward_terminated *gone;
	const struct ward_exited *exited;
	const struct wardi_guest_start *start;

	*ret_result = WARD_DONE;
	if (is_of_stand_in(me, msg) && ward_guest_receive(self, &me->guest, msg)) {
		*ret_result = settle(self, me);
	} else if (is_of_stand_in(me, msg) && ward_match(msg, wardi_guest_make)) {
		me->asker = ward_msg_sender(msg);
		me->is_wanted = true;
		*ret_result = go_on(self, me);
	} else if ((gone = ward_match(msg, ward_terminated))) {
		*ret_result = ended(self, me, gone);
	} else if ((exited = ward_match(msg, ward_exited)) &&
		   ward_ref_equal(exited->who, me->guest.who)) {
		me->reason = exited->reason;
	} else if (ward_match(msg, wardi_guest_go) &&
		   ward_ref_equal(ward_msg_sender(msg), ward_parent(self))) {
		me->waits = false;
		*ret_result = go_on(self, me);
	} else if (!me->is_known && (start = ward_match(msg, wardi_guest_start))) {
		me->asker = ward_msg_sender(msg);
		*ret_result = begin(self, me, start);
	} else if (!me->is_known && ward_match(msg, wardi_guest_bring)) {
		*ret_result = begin_with_props(self, me, msg);
	} else {
		return false;
	}
	return true;
}

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct host *me = state;
	ward_result result;

	if (ward_ask_tag(self) == READY)
		return asked_whether_ready(self, me, msg);
	if (control(self, me, msg, &result))
		return result;
	if (!me->is_known)
		return WARD_UNHANDLED;
	if (me->lacks_args && ward_ref_equal(ward_msg_sender(msg), me->start.stand_in))
		return args_came(self, me, msg);
	return tell_parent(self, me, msg);
}

const ward_behavior wardi_host_behavior = {
	.name = "ward_guest_host",
	.state_size = sizeof(struct host),
	.args = &ward_type_wardi_host,
	.child_strategy = &pass_on,
	.own_strategy = true,
	.receive = receive,
};
