/* SPDX-License-Identifier: MIT
 *
 * bridge.c - an actor around a foreign subsystem: starts it, notices its death, stops it.
 *
 *	                 what the incarnation owns, last in first out
 *	subsystem's state, descriptor <- handle, closed before the descriptor is
 *
 * Terminating begins with closing the handle: reports of a subsystem that is being stopped do not
 * count. If a stop or a restart comes before a reported death was handled, terminate is called with
 * `dead` set, and the report is dropped.
 *
 * Threads: runs only in callbacks of the bridge. Only the handle is shared between threads.
 */
#include "patterns/bridge/bridge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include <ward/fd.h>
#include <ward/resource.h>
#include <ward/stash.h>
#include <ward/text.h>

#include "common/arguments.h"
#include "common/refusal.h"
#include "patterns/bridge/bridge_handle.h"

/* ---- arguments --------------------------------------------------------------------------- */

#define REFUSED(...) ward_refused(WARD_EINVAL, "a bridge: " __VA_ARGS__)

static ward_err check_subsystem(const ward_subsystem *subsystem)
{
	if (subsystem == NULL)
		return REFUSED(".subsystem is NULL");
	if (subsystem->name == NULL || subsystem->init == NULL)
		return REFUSED("its subsystem has no %s",
			       subsystem->name == NULL ? "name" : "init");
	for (size_t i = 0; i < sizeof subsystem->reserved / sizeof subsystem->reserved[0]; i++)
		if (subsystem->reserved[i] != 0)
			return REFUSED("a reserved word of its subsystem is not zero");
	return WARD_OK;
}

static ward_err check_args(const struct ward_bridged *bridged)
{
	char whom[96];

	if (bridged->reserved[0] != 0 || bridged->reserved[1] != 0)
		return REFUSED("a reserved word is not zero");
	snprintf(whom, sizeof whom, "the subsystem \"%.*s\"",
		 WARD_TEXT_FIT(bridged->subsystem->name, 64));
	return wardi_arguments_check(bridged->subsystem->args, &bridged->args, whom, ".args");
}

static ward_err clone(void *to, const void *from)
{
	const struct ward_bridged *bridged = from;
	ward_err err = check_subsystem(bridged->subsystem);

	if (err == WARD_OK)
		err = check_args(bridged);
	return err == WARD_OK ? wardi_arguments_copy(bridged->subsystem->args, &bridged->args,
						     &((struct ward_bridged *)to)->args)
			      : err;
}

static void drop(void *body)
{
	wardi_arguments_drop(&((struct ward_bridged *)body)->args);
}

static const ward_type bridged_type = {
	.name = "ward_bridged",
	.size = sizeof(struct ward_bridged),
	.drop = drop,
	.clone = clone,
};

/* ---- an incarnation ---------------------------------------------------------------------- */

struct bridge {
	const ward_subsystem *subsystem;
	void *state; /* of the subsystem; NULL: it has none */
	ward_bridge *handle;
	int fd;
	ward_exit_reason why;
};

/* Also runs after a failed init, which may have passed the handle on. */
static void let_go(void *arg)
{
	wardi_bridge_close(arg);
	ward_bridge_unref(arg);
}

static ward_result open_handle(ward_self *self, struct bridge *me)
{
	me->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (me->fd < 0)
		return ward_failed_errno(self, "a bridge has no descriptor");
	ward_adopt_fd(self, me->fd);
	me->handle = wardi_bridge_create(me->fd);
	if (me->handle == NULL)
		return ward_failed(self, &ward_out_of_memory, "no memory for a bridge");
	(void)ward_defer(self, let_go, me->handle);
	return ward_failed_err(self, ward_try_fd_watch(self, me->fd, WARD_FD_READ));
}

static ward_result init(ward_self *self, void *state, const void *args)
{
	const struct ward_bridged *bridged = args;
	struct bridge *me = state;
	ward_result result;

	ward_trap_exit(self, true);
	me->subsystem = bridged->subsystem;
	me->why.kind = WARD_EXIT_SHUTDOWN;
	if (me->subsystem->state_size > 0)
		me->state = ward_alloc(self, me->subsystem->state_size);
	result = open_handle(self, me);
	if (result != WARD_DONE)
		return result;
	return me->subsystem->init(self, me->state, bridged->args.bytes, me->handle);
}

/* Runs once after each init that succeeded, as for every actor. */
static ward_result post_stop(ward_self *self, void *state)
{
	struct bridge *me = state;
	bool dead = wardi_bridge_close(me->handle);

	if (me->subsystem->terminate == NULL)
		return WARD_DONE;
	return me->subsystem->terminate(self, me->state, &me->why, dead);
}

/* A restart for a failure of its own, unless it restarts along with others. */
static ward_result pre_restart(ward_self *self, void *state, const ward_failure *why,
			       const ward_msg *msg)
{
	struct bridge *me = state;

	(void)msg;
	if (me->why.kind == WARD_EXIT_SHUTDOWN &&
	    ward_ref_equal(ward_failure_actor(why), ward_self_ref(self))) {
		me->why.kind = WARD_EXIT_FAILURE;
		ward_text_line(me->why.name, sizeof me->why.name, ward_failure_class_of(why)->name,
			       WARD_TEXT_ALL);
		ward_text_line(me->why.text, sizeof me->why.text, ward_failure_text(why),
			       WARD_TEXT_ALL);
	}
	return ward_default_pre_restart(self);
}

/* ---- messages ---------------------------------------------------------------------------- */

static ward_result end(ward_self *self, struct bridge *me, const ward_exit_reason *reason)
{
	me->why = *reason;
	if (ward_try_exit_self(self, reason) != WARD_OK)
		ward_stop_self(self); /* no memory for the reason */
	return WARD_DONE;
}

/* Keeps a message that arrives after the death for the next incarnation. Without memory or room the
 * message goes the way of any message at which an actor fails. */
static void keep(ward_self *self)
{
	if (ward_try_stash(self) != WARD_OK)
		return;
}

static ward_result die(ward_self *self, struct bridge *me, const struct wardi_death *death)
{
	if (death->failure_class == NULL)
		return end(self, me, &death->reason);
	me->why = death->reason;
	return ward_failed(self, death->failure_class, "%s", death->text);
}

static ward_result exited(ward_self *self, struct bridge *me, const struct ward_exited *gone)
{
	if (gone->reason.kind == WARD_EXIT_NORMAL)
		return WARD_DONE;
	return end(self, me, &gone->reason);
}

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct ward_fd_ready *ready = ward_match(msg, ward_fd_ready);
	const struct ward_exited *gone = ward_match(msg, ward_exited);
	struct wardi_death death;
	struct bridge *me = state;

	if (gone != NULL)
		return exited(self, me, gone);
	if (wardi_bridge_heard(me->handle, &death)) {
		if (ready == NULL)
			keep(self);
		return die(self, me, &death);
	}
	if (me->subsystem->receive == NULL)
		return WARD_UNHANDLED;
	return me->subsystem->receive(self, me->state, msg);
}

const ward_behavior ward_bridge_behavior = {
	.name = "ward_bridge",
	.state_size = sizeof(struct bridge),
	.args = &bridged_type,
	.init = init,
	.receive = receive,
	.post_stop = post_stop,
	.pre_restart = pre_restart,
};
