/* SPDX-License-Identifier: MIT
 *
 * admin.c - the requests to a supervisor of OTP: start, terminate, restart and delete a child;
 * list, count and describe the children.
 *
 * A request is handled only while no job runs. One that takes time becomes a job, which answers
 * when it ends.
 *
 * Threads: in callbacks of the supervisor.
 */
#include "otp/admin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ward/text.h>

#include "common/arguments.h"
#include "otp/jobs.h"
#include "otp/otp_children.h"
#include "otp/otp_supervisor.h"
#include "otp/spec_check.h"

const char *ward_otp_code_text(ward_otp_code code)
{
	static const char *const texts[] = {
		[WARD_OTP_OK] = "ok",
		[WARD_OTP_ALREADY_STARTED] = "already_started",
		[WARD_OTP_ALREADY_PRESENT] = "already_present",
		[WARD_OTP_RUNNING] = "running",
		[WARD_OTP_RESTARTING] = "restarting",
		[WARD_OTP_NOT_FOUND] = "not_found",
		[WARD_OTP_SIMPLE] = "simple_one_for_one",
		[WARD_OTP_BAD_SPEC] = "bad_spec",
		[WARD_OTP_START_FAILED] = "start_failed",
		[WARD_OTP_NO_MEMORY] = "no_memory",
	};

	return (unsigned)code < sizeof texts / sizeof texts[0] ? texts[code] : "unknown";
}

/* ---- answers ----------------------------------------------------------------------------- */

void wardi_otp_done(ward_self *self, ward_ref asker, ward_otp_code code, ward_ref who,
		    const char *text)
{
	struct ward_otp_done done = {.code = code, .who = who};

	if (ward_ref_is_nobody(asker))
		return;
	ward_text_format(done.text, sizeof done.text, "%s", text);
	ward_send(self, asker, WARD_COPY(ward_otp_done, &done));
}

static ward_result done(ward_self *self, const ward_msg *msg, ward_otp_code code, const char *text)
{
	wardi_otp_done(self, ward_msg_sender(msg), code, ward_nobody(), text);
	return WARD_DONE;
}

/* Answers a request that the state of an existing child rules out. */
static ward_result in_the_way(ward_self *self, const ward_msg *msg,
			      const struct wardi_otp_child *child, ward_otp_code code)
{
	bool alive = child->state == WARD_OTP_CHILD_ALIVE;

	wardi_otp_done(self, ward_msg_sender(msg), code, alive ? child->who : ward_nobody(), "");
	return WARD_DONE;
}

/* ---- start_child ------------------------------------------------------------------------- */

static ward_result begin(ward_self *self, struct wardi_otp *me, ward_ref asker,
			 const ward_otp_child_spec *spec, struct ward_otp_start_child *own)
{
	struct wardi_otp_child *child = wardi_otp_child_make(self, me, spec);

	if (child != NULL) {
		child->own = own;
		return wardi_otp_start_child(self, me, child, WARDI_OTP_ADD, asker);
	}
	wardi_otp_done(self, asker, WARD_OTP_NO_MEMORY, ward_nobody(), ward_err_detail());
	ward_discard(self, own);
	return WARD_DONE;
}

/* Keeps the message: the new child refers to the specification in it, or with SIMPLE_ONE_FOR_ONE to
 * the additions to `spec`. spec: NULL: use the one in the message. */
static ward_result add(ward_self *self, struct wardi_otp *me, const ward_msg *msg,
		       const ward_otp_child_spec *spec)
{
	ward_ref asker = ward_msg_sender(msg);
	struct ward_otp_start_child *own = ward_take(self, ward_otp_start_child);

	if (own != NULL)
		return begin(self, me, asker, spec == NULL ? &own->spec : spec, own);
	wardi_otp_done(self, asker, WARD_OTP_NO_MEMORY, ward_nobody(), ward_err_detail());
	return WARD_DONE;
}

static ward_result add_simple(ward_self *self, struct wardi_otp *me, const ward_msg *msg,
			      const ward_props *more)
{
	const ward_otp_child_spec *spec = me->table->children;

	if (more->behavior != NULL && more->behavior != wardi_otp_behavior(spec))
		return done(self, msg, WARD_OTP_BAD_SPEC,
			    "its behaviour is not that of the supervisor's specification");
	if (!wardi_arguments_given(&more->args) && more->name == NULL) /* maybe thousands */
		return begin(self, me, ward_msg_sender(msg), spec, NULL);
	return add(self, me, msg, spec);
}

static ward_result start_child(ward_self *self, struct wardi_otp *me, const ward_msg *msg)
{
	const ward_otp_child_spec *spec = &ward_match(msg, ward_otp_start_child)->spec;
	const struct wardi_otp_child *child;

	if (wardi_otp_is_simple(me))
		return add_simple(self, me, msg, &spec->props);
	if (wardi_otp_check_spec(me->table, spec) != WARD_OK)
		return done(self, msg, WARD_OTP_BAD_SPEC, ward_err_detail());
	child = wardi_otp_by_id(me, spec->id);
	if (child == NULL)
		return add(self, me, msg, NULL);
	return in_the_way(self, msg, child,
			  child->state == WARD_OTP_CHILD_UNDEFINED ? WARD_OTP_ALREADY_PRESENT
								   : WARD_OTP_ALREADY_STARTED);
}

/* ---- terminate, restart, delete ---------------------------------------------------------- */

/* Copies an id from a message, which may lack its terminator. */
static const char *text_of(char *room, const char *id)
{
	snprintf(room, WARD_OTP_ID, "%.*s", WARD_OTP_ID - 1, id);
	return room;
}

/* As in OTP, a dead actor that is no child is "found", with *ret_child NULL: there is nothing to
 * do. */
static ward_otp_code find_ref(ward_self *self, const struct wardi_otp *me, ward_ref who,
			      struct wardi_otp_child **ret_child)
{
	if (ward_ref_is_nobody(who))
		return WARD_OTP_SIMPLE;
	*ret_child = wardi_otp_by_ref(me, who);
	if (*ret_child == NULL)
		*ret_child = wardi_otp_by_old_ref(me, who);
	if (*ret_child == NULL && ward_system_is_alive(ward_self_system(self), who))
		return WARD_OTP_NOT_FOUND;
	return WARD_OTP_OK;
}

static ward_otp_code find_id(const struct wardi_otp *me, const char *id,
			     struct wardi_otp_child **ret_child)
{
	char room[WARD_OTP_ID];

	*ret_child = wardi_otp_by_id(me, text_of(room, id));
	return *ret_child == NULL ? WARD_OTP_NOT_FOUND : WARD_OTP_OK;
}

/* Finds a child by its id; with SIMPLE_ONE_FOR_ONE by its ref, *ret_child NULL: a dead child. */
static ward_otp_code find(ward_self *self, const struct wardi_otp *me, const char *id, ward_ref who,
			  struct wardi_otp_child **ret_child)
{
	if (wardi_otp_is_simple(me))
		return find_ref(self, me, who, ret_child);
	return find_id(me, id, ret_child);
}

static ward_result terminate_child(ward_self *self, struct wardi_otp *me, const ward_msg *msg)
{
	const struct ward_otp_terminate_child *which = ward_match(msg, ward_otp_terminate_child);
	struct wardi_otp_child *child = NULL;
	ward_otp_code code = find(self, me, which->id, which->who, &child);

	if (code != WARD_OTP_OK || child == NULL)
		return done(self, msg, code, "");
	return wardi_otp_terminate(self, me, child, ward_msg_sender(msg));
}

/* Finds a child that has no actor, and will not get one by itself. */
static ward_otp_code find_off(const struct wardi_otp *me, const char *id,
			      struct wardi_otp_child **ret_child)
{
	ward_otp_code code;

	if (wardi_otp_is_simple(me))
		return WARD_OTP_SIMPLE;
	code = find_id(me, id, ret_child);
	if (code == WARD_OTP_OK && (*ret_child)->state == WARD_OTP_CHILD_ALIVE)
		return WARD_OTP_RUNNING;
	if (code == WARD_OTP_OK && (*ret_child)->state == WARD_OTP_CHILD_RESTARTING)
		return WARD_OTP_RESTARTING;
	return code;
}

static ward_result not_off(ward_self *self, const ward_msg *msg,
			   const struct wardi_otp_child *child, ward_otp_code code)
{
	return child == NULL ? done(self, msg, code, "") : in_the_way(self, msg, child, code);
}

static ward_result restart_child(ward_self *self, struct wardi_otp *me, const ward_msg *msg)
{
	struct wardi_otp_child *child = NULL;
	ward_otp_code code = find_off(me, ward_match(msg, ward_otp_restart_child)->id, &child);

	if (code != WARD_OTP_OK)
		return not_off(self, msg, child, code);
	return wardi_otp_start_child(self, me, child, WARDI_OTP_START, ward_msg_sender(msg));
}

static ward_result delete_child(ward_self *self, struct wardi_otp *me, const ward_msg *msg)
{
	struct wardi_otp_child *child = NULL;
	ward_otp_code code = find_off(me, ward_match(msg, ward_otp_delete_child)->id, &child);

	if (code != WARD_OTP_OK)
		return not_off(self, msg, child, code);
	wardi_otp_child_delete(self, me, child);
	return done(self, msg, WARD_OTP_OK, "");
}

/* ---- which, how many, how ---------------------------------------------------------------- */

static ward_otp_type type_of(const ward_otp_child_spec *spec)
{
	return wardi_otp_is_supervisor(spec) ? WARD_OTP_SUPERVISOR : WARD_OTP_WORKER;
}

static ward_otp_child_info info_of(const struct wardi_otp *me, const struct wardi_otp_child *child)
{
	ward_otp_child_info info = {.who = child->who,
				    .state = child->state,
				    .type = type_of(child->spec),
				    .behavior = wardi_otp_behavior(child->spec)};

	if (info.state != WARD_OTP_CHILD_ALIVE)
		info.who = ward_nobody();
	if (!wardi_otp_is_simple(me))
		snprintf(info.id, sizeof info.id, "%s", child->spec->id);
	return info;
}

static size_t count_all(const struct wardi_otp *me)
{
	size_t count = 0;

	for (const struct wardi_otp_child *at = wardi_otp_first(me); at != NULL;
	     at = wardi_otp_after(me, at))
		count++;
	return count;
}

static ward_result which_children(ward_self *self, struct wardi_otp *me, const ward_msg *msg)
{
	size_t count = count_all(me);
	struct ward_otp_children all = {.rows = calloc(count + 1, sizeof all.rows[0])};

	if (all.rows == NULL)
		all.code = WARD_OTP_NO_MEMORY;
	else
		for (const struct wardi_otp_child *at = wardi_otp_last(me); at != NULL;
		     at = wardi_otp_before(me, at))
			all.rows[all.count++] = info_of(me, at);
	ward_send(self, ward_msg_sender(msg), WARD_COPY(ward_otp_children, &all));
	return WARD_DONE;
}

static ward_result count_children(ward_self *self, struct wardi_otp *me, const ward_msg *msg)
{
	struct ward_otp_counts counts = {0};
	ward_system *system = ward_self_system(self);

	for (const struct wardi_otp_child *at = wardi_otp_first(me); at != NULL;
	     at = wardi_otp_after(me, at)) {
		counts.specs++;
		/* As in OTP: a child that has ended but is not yet handled is not active, except
		 * with SIMPLE_ONE_FOR_ONE. */
		if (at->state == WARD_OTP_CHILD_ALIVE &&
		    (wardi_otp_is_simple(me) || ward_system_is_alive(system, at->who)))
			counts.active++;
		if (wardi_otp_is_supervisor(at->spec))
			counts.supervisors++;
		else
			counts.workers++;
	}
	if (wardi_otp_is_simple(me))
		counts.specs = 1;
	ward_send(self, ward_msg_sender(msg), WARD_COPY(ward_otp_counts, &counts));
	return WARD_DONE;
}

static ward_result get_childspec(ward_self *self, struct wardi_otp *me, const ward_msg *msg)
{
	const struct ward_otp_get_childspec *which = ward_match(msg, ward_otp_get_childspec);
	struct wardi_otp_child *child = NULL;
	struct ward_otp_childspec answer = {0};

	answer.code = find(self, me, which->id, which->who, &child);
	if (answer.code == WARD_OTP_OK) {
		const ward_otp_child_spec *spec = child == NULL ? me->table->children : child->spec;

		answer.restart = spec->restart;
		answer.type = type_of(spec);
		answer.significant = spec->significant;
		answer.shutdown_ms = wardi_otp_shutdown_ms(spec);
		answer.behavior = wardi_otp_behavior(spec);
		snprintf(answer.id, sizeof answer.id, "%s", spec->id);
	}
	ward_send(self, ward_msg_sender(msg), WARD_COPY(ward_otp_childspec, &answer));
	return WARD_DONE;
}

/* ---- the answer to which_children -------------------------------------------------------- */

void ward_otp_children_drop(struct ward_otp_children *children)
{
	free(children->rows);
	children->rows = NULL;
	children->count = 0;
}

static void drop_children(void *body)
{
	ward_otp_children_drop(body);
}

const ward_type ward_type_ward_otp_children = {
	.name = "ward_otp_children",
	.size = sizeof(struct ward_otp_children),
	.drop = drop_children,
};

/* ---- table of the requests --------------------------------------------------------------- */

static void no_done(ward_self *self, const ward_msg *msg)
{
	(void)done(self, msg, WARD_OTP_NO_MEMORY, ward_err_detail());
}

static void no_children(ward_self *self, const ward_msg *msg)
{
	ward_reply(self, msg, ward_otp_children, .code = WARD_OTP_NO_MEMORY);
}

static void no_counts(ward_self *self, const ward_msg *msg)
{
	ward_reply(self, msg, ward_otp_counts, .code = WARD_OTP_NO_MEMORY);
}

static void no_childspec(ward_self *self, const ward_msg *msg)
{
	ward_reply(self, msg, ward_otp_childspec, .code = WARD_OTP_NO_MEMORY);
}

struct question {
	const ward_type *type;
	ward_result (*answer)(ward_self *self, struct wardi_otp *me, const ward_msg *msg);
	void (*turn_away)(ward_self *self, const ward_msg *msg);
};

static const struct question questions[] = {
	{&ward_type_ward_otp_start_child, start_child, no_done},
	{&ward_type_ward_otp_terminate_child, terminate_child, no_done},
	{&ward_type_ward_otp_restart_child, restart_child, no_done},
	{&ward_type_ward_otp_delete_child, delete_child, no_done},
	{&ward_type_ward_otp_which_children, which_children, no_children},
	{&ward_type_ward_otp_count_children, count_children, no_counts},
	{&ward_type_ward_otp_get_childspec, get_childspec, no_childspec},
};

static const struct question *question_of(const ward_msg *msg)
{
	for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++)
		if (ward_type_same(ward_msg_type(msg), questions[i].type))
			return &questions[i];
	return NULL;
}

bool wardi_otp_is_question(const ward_msg *msg)
{
	return question_of(msg) != NULL;
}

ward_result wardi_otp_asked(ward_self *self, struct wardi_otp *me, const ward_msg *msg)
{
	return question_of(msg)->answer(self, me, msg);
}

void wardi_otp_turned_away(ward_self *self, const ward_msg *msg)
{
	question_of(msg)->turn_away(self, msg);
}
