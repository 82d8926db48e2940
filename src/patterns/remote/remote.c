/* SPDX-License-Identifier: MIT
 *
 * remote.c - a child that stands in for a guest elsewhere.
 *
 *	         a start, to the next node      its host, then it is there
 *	 IDLE ------------------------> STARTING ------------> RUNNING
 *	  ^  ^                             | none has one         |
 *	  |  +---- fails: unreached <------+                      | its host is gone: fails
 *	  |                                                       | its node is unreached
 *	  +------- fails: unreached <---- LOST <------------------+
 *	                      the grace is over
 *
 * While there is a guest, it stands in for that as stand_in.c says. The mailbox is closed in all
 * phases but RUNNING.
 *
 * Threads: runs as an actor.
 */
#include <ward/ask.h>
#include <ward/association.h>
#include <ward/extend.h>
#include <ward/remote.h>
#include <ward/system.h>
#include <ward/timer.h>

#include "patterns/common/kept_body.h"
#include "patterns/remote/places.h"
#include "patterns/remote/remote_args.h"
#include "patterns/remote/wire.h"

enum { TAG_START = 1, TIMER_WAIT = 1 };
enum { START_TIMEOUT_MS = 5000 };
/* WARD_FOREVER, too; the end of such a wait is a number. */
static const int64_t grace_max_ms = WARD_FOREVER / (2 * WARD_NS_PER_MS);

/* What the timer brings. */
WARD_SIGNAL(wardi_remote_tick);

static const struct ward_remote *options(ward_self *self)
{
	return ward_args(self);
}

static struct wardi_stand_in *mine(ward_self *self)
{
	return options(self)->own_;
}

static const char *node_of(ward_self *self, uint32_t number)
{
	const struct ward_remote *remote = options(self);

	return remote->nodes == NULL ? "" : remote->nodes[number];
}

/* Of the node that was asked last. */
static const char *last_node(ward_self *self)
{
	const struct wardi_stand_in *me = mine(self);
	size_t count = me->nodes_count == 0 ? 1 : me->nodes_count;
	const char *node = node_of(self, (uint32_t)((me->next + count - 1) % count));

	return node[0] != '\0' ? node : "this system";
}

static ward_err tick_in(ward_self *self, int64_t after_ms)
{
	return ward_try_timer_start(self, &(ward_timer){.key = TIMER_WAIT, .after_ms = after_ms},
				    WARD_BODY(wardi_remote_tick));
}

/* ---- starting ---------------------------------------------------------------------------- */

static int64_t start_timeout_ms(ward_self *self)
{
	int64_t wanted_ms = options(self)->start_timeout_ms;

	return wanted_ms != 0 ? wanted_ms : START_TIMEOUT_MS;
}

static ward_err send_args(ward_self *self, const struct wardi_stand_in *me)
{
	const ward_body *args = &options(self)->args;
	void *body;
	ward_err err;

	if (args->type == NULL)
		return WARD_OK;
	err = wardi_copy_try(self, args->type, args->bytes, args->size, &body);
	if (err != WARD_OK)
		return err;
	err = ward_try_give_body_from(self, ward_self_ref(self), me->guests, args->type, body);
	if (err != WARD_OK)
		ward_discard(self, body);
	return err;
}

/* The start is on its way, and nobody will send what it promises. */
static void take_back(ward_self *self, const struct wardi_stand_in *me)
{
	ward_ask_cancel(self, TAG_START);
	ward_tell(self, me->guests, wardi_guest_give_up, .token = me->token);
}

static ward_err ask_for_kind(ward_self *self, const struct wardi_stand_in *me,
			     const ward_question *question, struct wardi_guest_start *start)
{
	ward_err err;

	ward_text_format(start->kind, sizeof start->kind, "%s", options(self)->kind);
	err = ward_try_ask_send(self, question, WARD_COPY(wardi_guest_start, start));
	if (err == WARD_OK)
		err = send_args(self, me);
	if (err == WARD_ELOCAL)
		take_back(self, me);
	return err;
}

static ward_err ask_with_props(ward_self *self, const ward_question *question,
			       struct wardi_guest_bring *bring)
{
	ward_err err = ward_props_clone(&bring->props, options(self)->props);

	return err == WARD_OK
		       ? ward_try_ask_send(self, question, WARD_COPY(wardi_guest_bring, bring))
		       : err;
}

static ward_err ask_for_guest(ward_self *self, struct wardi_stand_in *me)
{
	const struct ward_remote *remote = options(self);
	const ward_question question = {
		.to = me->guests, .tag = TAG_START, .timeout_ms = start_timeout_ms(self)};
	struct wardi_guest_bring bring = {.start = {.protocol = WARDI_REMOTE_PROTOCOL,
						    .stand_in = ward_self_ref(self),
						    .parent = ward_parent(self),
						    .token = ++me->token,
						    .has_args = remote->args.type != NULL}};

	while (me->life == 0)
		me->life = ward_random(self);
	bring.start.life = me->life;
	return remote->props == NULL ? ask_for_kind(self, me, &question, &bring.start)
				     : ask_with_props(self, &question, &bring);
}

static void note_why(struct wardi_stand_in *me, const char *node, const char *why)
{
	ward_text_format(me->why, sizeof me->why, "%s: %s", node[0] != '\0' ? node : "this system",
			 why);
}

/* Finds the guests of a node, and how long to wait when it is lost. */
static ward_err look_up(ward_self *self, struct wardi_stand_in *me, const char *node)
{
	int64_t wanted_ms = options(self)->grace_ms, least_ms;
	ward_err err = ward_remote_guests(ward_self_system(self), node, &me->guests, &least_ms);

	if (err != WARD_OK)
		return err;
	if (wanted_ms != 0 && wanted_ms < least_ms)
		return ward_refused(WARD_EINVAL,
				    ".grace_ms is %lld: less than %lld, after which its guests "
				    "have stopped themselves",
				    (long long)wanted_ms, (long long)least_ms);
	me->grace_ms = wanted_ms != 0 ? wanted_ms : least_ms;
	if (me->grace_ms > grace_max_ms)
		me->grace_ms = grace_max_ms;
	return WARD_OK;
}

/* Asks the next node that is connected, and to which all can be sent that the guest needs.
 * *ret_asked: there is one that was not tried. */
static ward_err ask_next(ward_self *self, struct wardi_stand_in *me, bool *ret_asked)
{
	uint32_t count = me->nodes_count == 0 ? 1 : (uint32_t)me->nodes_count;
	ward_err err;

	*ret_asked = false;
	while (me->tried < count) {
		const char *node = node_of(self, me->next);

		me->next = (me->next + 1) % count;
		me->tried++;
		err = look_up(self, me, node);
		*ret_asked = err == WARD_OK;
		if (err == WARD_OK) {
			me->is_asked = true;
			me->link.host = ward_nobody();
			err = ward_try_represent(self, me->guests, me->link.until);
		}
		if (*ret_asked && err == WARD_OK)
			err = ask_for_guest(self, me);
		if (*ret_asked && err != WARD_ELOCAL)
			return err;
		*ret_asked = me->is_asked = false;
		me->link.until = ward_nobody();
		note_why(me, node, ward_err_detail());
		me->refused += err == WARD_EINVAL || err == WARD_ELOCAL;
	}
	return WARD_OK;
}

/* Whether each node that was asked has said no. */
static bool is_refused(const struct wardi_stand_in *me)
{
	return me->phase == WARDI_REMOTE_STARTING && me->refused == me->tried;
}

/* Fails in a receive only: a failure in a hook would be another one. */
static ward_result fail_unreached(ward_self *self, struct wardi_stand_in *me)
{
	const ward_failure_class *why = is_refused(me) ? &ward_initialization : &ward_unreached;
	bool many = me->phase == WARDI_REMOTE_STARTING && me->tried > 1;

	me->phase = WARDI_REMOTE_IDLE;
	if (many)
		return ward_failed(self, why, "none of %u nodes; the last is %s", me->tried,
				   me->why);
	return ward_failed(self, why, "%s", me->why);
}

/* An incarnation that ended before the answer of the node that it asked: there may be a guest. A
 * later start stops that one first, but only if it goes to the same guests. False: it cannot. */
static bool go_back(ward_self *self, struct wardi_stand_in *me)
{
	uint32_t count = me->nodes_count == 0 ? 1 : (uint32_t)me->nodes_count;
	uint32_t last = (me->next + count - 1) % count;
	ward_ref asked = me->guests;

	if (look_up(self, me, node_of(self, last)) != WARD_OK || !ward_ref_equal(me->guests, asked))
		return false;
	me->next = last;
	return true;
}

static int64_t left_ms(ward_self *self, const struct wardi_stand_in *me)
{
	int64_t left_ns = me->until_ns - ward_now_ns(self);

	return me->until_ns == 0 || left_ns <= 0 ? 0 : left_ns / WARD_NS_PER_MS + 1;
}

/* Whether the node that was asked last has a host that was told to make a guest. */
static bool may_have_guest(const struct wardi_stand_in *me)
{
	return me->is_asked && !ward_ref_is_nobody(me->link.until);
}

/* Asks for a guest, or waits as long as an earlier one may still run. Where no node is connected, a
 * timer waits as long as for an answer, so that restarts do not follow each other at once. */
static ward_result begin(ward_self *self, struct wardi_stand_in *me)
{
	int64_t wait_ms;
	bool asked;
	ward_err err = ward_try_mailbox_close(self);

	if (err == WARD_OK && me->is_asked && left_ms(self, me) == 0 && !go_back(self, me)) {
		me->until_ns = ward_now_ns(self) + me->grace_ms * WARD_NS_PER_MS;
		me->is_asked = false;
	}
	wait_ms = left_ms(self, me);
	ward_ask_cancel(self, TAG_START); /* one may be open if it was resumed */
	me->link = (struct ward_stand_in){
		.failure_classes = options(self)->failure_classes,
		.until = may_have_guest(me) ? me->link.until : ward_nobody(),
	};
	me->is_lost = false;
	if (err == WARD_OK && wait_ms > 0) {
		me->phase = WARDI_REMOTE_LOST;
		return ward_failed_err(self, tick_in(self, wait_ms));
	}
	me->phase = WARDI_REMOTE_STARTING;
	(void)ward_trap_exit(self, true); /* for the guest, which may trap exits */
	me->tried = me->refused = 0;
	me->until_ns = 0;
	if (err == WARD_OK)
		err = ask_next(self, me, &asked);
	if (err == WARD_OK && !asked)
		err = tick_in(self, is_refused(me) ? 0 : start_timeout_ms(self));
	return ward_failed_err(self, err);
}

/* The last node has no guest for it. */
static ward_result try_next(ward_self *self, struct wardi_stand_in *me)
{
	bool asked;
	ward_err err;

	me->link.until = ward_nobody();
	err = ask_next(self, me, &asked);
	if (err != WARD_OK)
		return ward_failed_err(self, err);
	return asked ? WARD_DONE : fail_unreached(self, me);
}

/* ---- running ----------------------------------------------------------------------------- */

/* There is a guest, perhaps one that an earlier incarnation had. */
static ward_result attend(ward_self *self, struct wardi_stand_in *me)
{
	ward_err err = ward_try_join_paths(self, me->link.guest, ward_nobody());

	if (err == WARD_OK)
		err = ward_stand_in_attend(self, &me->link);
	if (err != WARD_OK)
		return ward_failed_err(self, err);
	ward_status_set(self, "on %s", last_node(self));
	return WARD_DONE;
}

/* Whether the actor is of the node that was asked. */
static bool is_of_node(const struct wardi_stand_in *me, ward_ref who)
{
	return ward_ref_kind_of(who) == WARD_REF_ACTOR &&
	       ward_ref_place(who) == ward_ref_place(me->guests);
}

/* What that node may have started nobody wants, nor waits for. */
static ward_result no_answer(ward_self *self, struct wardi_stand_in *me)
{
	(void)!ward_try_represent(self, me->guests, ward_nobody());
	ward_tell(self, me->guests, wardi_guest_give_up, .token = me->token);
	note_why(me, last_node(self), "its answer is none to the start of a guest");
	me->is_asked = false;
	me->refused++;
	return try_next(self, me);
}

static ward_result refused(ward_self *self, struct wardi_stand_in *me,
			   const struct wardi_guest_started *started)
{
	/* Where there is no memory, an earlier guest may not have ended, or not been stopped. */
	me->is_asked = may_have_guest(me) && started->err == (uint32_t)WARD_ENOMEM;
	me->refused++;
	note_why(me, last_node(self), started->text);
	if (started->err == (uint32_t)WARD_ENOMEM)
		return ward_failed(self, &ward_out_of_memory, "%s", me->why);
	return try_next(self, me);
}

/* From now on a stop waits for the host, so it may make the guest. */
static ward_result has_host(ward_self *self, struct wardi_stand_in *me, ward_ref host)
{
	const ward_question question = {
		.to = host, .tag = TAG_START, .timeout_ms = start_timeout_ms(self)};
	ward_err err;

	if (!is_of_node(me, host))
		return no_answer(self, me);
	me->link.host = me->link.until = host;
	err = ward_try_represent(self, host, host);
	if (err == WARD_OK)
		err = ward_try_ask_send(self, &question, &ward_type_wardi_guest_make, NULL, 0);
	return ward_failed_err(self, err);
}

static ward_result has_started(ward_self *self, struct wardi_stand_in *me,
			       const struct wardi_guest_started *started)
{
	if (started->err != (uint32_t)WARD_OK)
		return refused(self, me, started);
	if (ward_ref_is_nobody(me->link.host))
		return has_host(self, me, started->host);
	if (!is_of_node(me, started->guest))
		return no_answer(self, me);
	me->link.guest = started->guest;
	if (attend(self, me) == WARD_FAILED) /* then it is started again, as without an answer */
		return WARD_FAILED;
	me->is_asked = false;
	me->phase = WARDI_REMOTE_RUNNING;
	ward_mailbox_open(self);
	return WARD_DONE;
}

static ward_result lost(ward_self *self, struct wardi_stand_in *me, bool may_run);

/* A node that did not answer may have started it. */
static bool may_have_started(const struct ward_ask_failed *failed)
{
	return failed->why == WARD_EUNREACHED || failed->why == WARD_ETIMEDOUT;
}

/* Whether the next start has to go to the same node, which stops what this one may have started,
 * and what was started before. */
static bool has_to_go_back(const struct wardi_stand_in *me, const struct ward_ask_failed *failed)
{
	switch (failed->why) {
	case WARD_ENOMEM: /* the answer may be what found none */
		return true;
	case WARD_EUNREACHED: /* then the grace is enough */
		return false;
	case WARD_EDEAD: /* all guests of the node; or a host, and those before it may end still */
		return may_have_guest(me) && !ward_ref_is_nobody(me->link.host);
	default:
		return may_have_guest(me);
	}
}

static ward_result not_started(ward_self *self, struct wardi_stand_in *me,
			       const struct ward_ask_failed *failed)
{
	note_why(me, last_node(self), failed->text);
	me->is_asked = has_to_go_back(me, failed);
	if (!me->is_asked)
		ward_tell(self, me->guests, wardi_guest_give_up, .token = me->token);
	if (failed->why == WARD_ENOMEM)
		return ward_failed(self, &ward_out_of_memory, "%s", me->why);
	if (failed->why == WARD_ELOCAL) {
		me->refused++;
		note_why(me, last_node(self),
			 ".props are for the nodes of this process, the others need a .kind");
	}
	if (may_have_started(failed) &&
	    ward_ref_place(me->guests) != ward_ref_place(ward_self_ref(self)))
		return lost(self, me, true);
	return me->is_asked ? fail_unreached(self, me) : try_next(self, me);
}

/* The host is gone, and its guest with it; or nobody knows. */
static ward_result lost(ward_self *self, struct wardi_stand_in *me, bool may_run)
{
	note_why(me, last_node(self), may_run ? "unreached" : "its guests have ended");
	if (!may_run)
		return fail_unreached(self, me);
	me->phase = WARDI_REMOTE_LOST;
	me->is_lost = true;
	(void)ward_trap_exit(self, false);
	me->until_ns = ward_now_ns(self) + me->grace_ms * WARD_NS_PER_MS;
	ward_mailbox_close(self);
	return ward_failed_err(self, tick_in(self, me->grace_ms));
}

static ward_result on_start(ward_self *self, struct wardi_stand_in *me, const ward_msg *msg)
{
	const struct wardi_guest_started *started = ward_match(msg, wardi_guest_started);
	const struct ward_ask_failed *failed = ward_match(msg, ward_ask_failed);

	if (started != NULL)
		return has_started(self, me, started);
	return failed != NULL ? not_started(self, me, failed) : no_answer(self, me);
}

/* ---- messages ---------------------------------------------------------------------------- */

static ward_result on_tick(ward_self *self, struct wardi_stand_in *me)
{
	if (me->phase == WARDI_REMOTE_LOST)
		return me->is_lost ? fail_unreached(self, me) : begin(self, me);
	if (me->phase == WARDI_REMOTE_STARTING && !ward_ask_open(self, TAG_START))
		return fail_unreached(self, me);
	return me->phase == WARDI_REMOTE_IDLE ? begin(self, me) : WARD_DONE;
}

/* It has no guest. If its parent resumes it, it begins again: a timer shows that, or, without
 * memory for one, the next message. */
static ward_result begin_when_resumed(ward_self *self, struct wardi_stand_in *me)
{
	me->phase = WARDI_REMOTE_IDLE;
	if (tick_in(self, 0) != WARD_OK)
		ward_mailbox_open(self);
	return WARD_FAILED;
}

/* To the guest, whose name on its node is another one: what it has told itself is from itself. */
static void pass_on(ward_self *self, const struct wardi_stand_in *me, const ward_msg *msg)
{
	const ward_type *type = ward_msg_type(msg);
	ward_ref guest = me->link.guest;
	void *body;

	if (!ward_ref_equal(ward_msg_sender(msg), ward_self_ref(self))) {
		ward_forward(self, guest);
		return;
	}
	body = ward_take_body(self, type);
	if (body == NULL)
		ward_dead_letter(self, guest, WARD_REASON_NO_MEMORY);
	else
		ward_give_body_from(self, guest, guest, type, body);
}

static ward_result other(ward_self *self, struct wardi_stand_in *me, const ward_msg *msg)
{
	if (ward_ask_tag(self) == TAG_START)
		return on_start(self, me, msg);
	if (ward_match(msg, wardi_remote_tick))
		return on_tick(self, me);
	if (me->phase == WARDI_REMOTE_RUNNING) {
		pass_on(self, me, msg);
		return WARD_DONE;
	}
	ward_dead_letter(self, ward_self_ref(self), WARD_REASON_UNREACHED);
	return me->phase == WARDI_REMOTE_IDLE ? begin(self, me) : WARD_DONE;
}

static ward_result handle(ward_self *self, struct wardi_stand_in *me, const ward_msg *msg)
{
	ward_result result;
	ward_err err = ward_stand_in_receive(self, &me->link, msg, &result);

	switch (err) {
	case WARD_OK:
		return result;
	case WARD_ENOENT:
		return other(self, me, msg);
	case WARD_EDEAD:
	case WARD_EUNREACHED:
		return lost(self, me, err == WARD_EUNREACHED);
	default:
		return ward_failed_err(self, err);
	}
}

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct wardi_stand_in *me = mine(self);
	ward_result result = handle(self, me, msg);

	(void)state;
	return result == WARD_FAILED && me->phase != WARDI_REMOTE_RUNNING
		       ? begin_when_resumed(self, me)
		       : result;
}

/* ---- hooks ------------------------------------------------------------------------------- */

static ward_result start(ward_self *self, void *state)
{
	(void)state;
	return begin(self, mine(self));
}

static ward_result before_restart(ward_self *self, void *state, const ward_failure *why,
				  const ward_msg *msg)
{
	struct wardi_stand_in *me = mine(self);

	(void)state, (void)msg;
	if (me->phase == WARDI_REMOTE_RUNNING)
		ward_stand_in_restart(self, &me->link, why);
	return WARD_DONE;
}

static ward_result after_restart(ward_self *self, void *state, const ward_failure *why)
{
	struct wardi_stand_in *me = mine(self);

	(void)state, (void)why;
	return me->phase == WARDI_REMOTE_RUNNING ? attend(self, me) : begin(self, me);
}

static const ward_behavior stand_in = {
	.name = "ward_remote",
	.args = &wardi_type_remote,
	.receive = receive,
	.pre_start = start,
	.pre_restart = before_restart,
	.post_restart = after_restart,
};

ward_props ward_remote_props(const struct ward_remote *remote)
{
	return (ward_props){.behavior = &stand_in,
			    .args = {&wardi_type_remote, remote, sizeof *remote}};
}
