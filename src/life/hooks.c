/* SPDX-License-Identifier: MIT
 *
 * hooks.c - failing, by return and by jump; and the save point around hooks.
 *
 * A jump goes to the innermost save point: that of the hook under way, or else that of the worker
 * (turn.c). sigsetjmp(buf, 0) and siglongjmp are the one pair that is right under both compilers
 * and all sanitizers. No local of a function that saves is changed after it saved: all that must
 * survive the jump is in memory behind a pointer.
 *
 * single-threaded: runs only on the holder's worker.
 */
#include "life/hooks.h"

#include <stdarg.h>
#include <stdio.h>

#include "actor/arena.h"
#include "base/assert.h"
#include "base/error.h"
#include "base/foreign_call.h"
#include "simulate/points.h"

static ward_result invoke(struct ward_self *self, struct wardi_call *call)
{
	const ward_behavior *behavior = wardi_behavior(self);
	struct wardi_args *args = self->cell->gear->args;
	void *state = self->cell->memory;
	const ward_msg *msg = self->msg;

	switch (call->kind) {
	case WARDI_HOOK_INIT:
		return behavior->init(self, state, args == NULL ? NULL : args->bytes);
	case WARDI_HOOK_PRE_START:
		return behavior->pre_start(self, state);
	case WARDI_HOOK_POST_STOP:
		return behavior->post_stop(self, state);
	case WARDI_HOOK_PRE_RESTART:
		if (behavior->pre_restart == NULL)
			return ward_default_pre_restart(self);
		return behavior->pre_restart(self, state, call->why, msg);
	case WARDI_HOOK_POST_RESTART:
		if (behavior->post_restart == NULL)
			return ward_default_post_restart(self);
		return behavior->post_restart(self, state, call->why);
	case WARDI_HOOK_DECIDE:
	default:
		call->directive = call->strategy->decide(self, call->child, call->why);
		return WARD_DONE;
	}
}

static __attribute__((noinline)) void call_saved(struct ward_self *self, struct wardi_call *call)
{
	sigjmp_buf *outer = self->save;
	sigjmp_buf save; /* not in the call, which is zeroed: it is large */

	if (sigsetjmp(save, 0) == 0) {
		self->save = &save;
		call->result = invoke(self, call);
	} else {
		wardi_fault_landed(self);
		call->result = WARD_FAILED;
	}
	self->save = outer;
}

/* ---- the points of a simulation ---------------------------------------------------------- */

static ward_point point_of(enum wardi_hook_kind kind)
{
	static const ward_point points[] = {
		[WARDI_HOOK_INIT] = WARD_POINT_INIT,
		[WARDI_HOOK_PRE_START] = WARD_POINT_PRE_START,
		[WARDI_HOOK_POST_STOP] = WARD_POINT_POST_STOP,
		[WARDI_HOOK_PRE_RESTART] = WARD_POINT_PRE_RESTART,
		[WARDI_HOOK_POST_RESTART] = WARD_POINT_POST_RESTART,
		[WARDI_HOOK_DECIDE] = WARD_POINT_DECIDE,
	};

	return points[kind];
}

/* A default hook is the library's, and does not fail by itself: the points are in what it calls. */
static bool is_default(const struct ward_self *self, enum wardi_hook_kind kind)
{
	const ward_behavior *behavior = wardi_behavior(self);

	return (kind == WARDI_HOOK_PRE_RESTART && behavior->pre_restart == NULL) ||
	       (kind == WARDI_HOOK_POST_RESTART && behavior->post_restart == NULL);
}

static void call_simulated(struct ward_self *self, struct wardi_call *call)
{
	ward_point point = point_of(call->kind);

	if (is_default(self, call->kind)) {
		call_saved(self, call);
		wardi_point_jumped(self);
		return;
	}
	call->fault = wardi_point_before(self, point, call->child);
	call->result = WARD_FAILED;
	if (call->fault != WARD_FAULT_FAIL_BEFORE)
		call_saved(self, call);
	call->result = wardi_point_after(self, point, call->child, call->fault, call->result);
}

ward_result wardi_call_within(struct ward_self *self, enum wardi_hook_kind kind)
{
	struct wardi_call call = {.kind = kind};

	if (!wardi_has_hook(wardi_behavior(self), kind))
		return WARD_DONE;
	if (!wardi_has_points(self->system))
		return invoke(self, &call);
	call.result = WARD_FAILED;
	if (wardi_point_before_within(self, point_of(kind)))
		call.result = invoke(self, &call);
	return wardi_point_after_within(self, call.result);
}

bool wardi_guarded(struct ward_self *self, struct wardi_call *call, struct wardi_cause *ret_cause)
{
	wardi_assert(wardi_cause_is_none(self->noted) && !self->callback);
	self->callback = self->hook = true;
	if (wardi_has_points(self->system))
		call_simulated(self, call);
	else
		call_saved(self, call);
	self->callback = self->hook = self->aftermath = false;
	wardi_scratch_reset(self);
	*ret_cause = wardi_take_noted(self, call->result);
	return wardi_cause_is_none(*ret_cause);
}

struct wardi_cause wardi_take_noted(struct ward_self *self, ward_result result)
{
	struct wardi_cause cause = self->noted;

	self->noted = WARDI_NO_CAUSE;
	if (wardi_cause_is_none(cause) && (unsigned)result > WARD_FAILED)
		return wardi_cause_text(self->system, wardi_own_ref(self), &ward_misuse,
					WARDI_NO_CAUSE, "a callback gave %d, which is no result",
					(int)result);
	if (wardi_cause_is_none(cause) && result == WARD_FAILED)
		return wardi_cause_text(self->system, wardi_own_ref(self), &ward_misuse,
					WARDI_NO_CAUSE,
					"a callback gave WARD_FAILED without ward_failed()");
	return cause;
}

/* ---- failing ----------------------------------------------------------------------------- */

/* A failure of a class that is none: that comes first, then what the program wanted to say. */
__attribute__((format(printf, 3, 0))) static struct wardi_cause
misused(struct ward_self *self, const char *what, const char *text, va_list args)
{
	char wanted[WARD_EVENT_TEXT] = "(no text)";

	if (text != NULL)
		vsnprintf(wanted, sizeof wanted, text, args);
	return wardi_cause_text(self->system, wardi_own_ref(self), &ward_misuse, WARDI_NO_CAUSE,
				"%s; the failure was: %s", what, wanted);
}

__attribute__((format(printf, 6, 0))) static void note(struct ward_self *self,
						       const ward_failure_class *failure_class,
						       const ward_type *type, const void *body,
						       size_t size, const char *text, va_list args)
{
	struct wardi_cause cause;
	struct ward_msg *msg = NULL;

	if (type != NULL && wardi_type_check(type, body, size) == WARD_OK) {
		msg = wardi_msg_make(self->from, type, body, size);
		if (msg == NULL)
			wardi_count(&self->system->counters.shortages);
		if (msg == NULL && type->drop != NULL && body != NULL)
			wardi_type_drop(type, (void *)(uintptr_t)body);
	}
	if (!wardi_cause_is_none(self->noted)) { /* the first one counts */
		if (msg != NULL)
			wardi_msg_destroy(self->from, msg);
		return;
	}
	if (failure_class == NULL)
		cause = misused(self, "ward_failed() or ward_fail() with a NULL class", text, args);
	else if (wardi_class_check(failure_class) != WARD_OK)
		cause = misused(self, ward_err_detail(), text, args);
	else
		cause = wardi_cause_make(self->system, wardi_own_ref(self), failure_class,
					 WARDI_NO_CAUSE, text == NULL ? "(no text)" : text, args);
	if (msg != NULL && !wardi_cause_set_body(cause, msg))
		wardi_msg_destroy(self->from, msg);
	self->noted = cause;
	self->aftermath = true;
}

void wardi_note_misuse(struct ward_self *self, const char *text)
{
	self->aftermath = true;
	if (wardi_cause_is_none(self->noted)) /* the first one counts */
		self->noted = wardi_cause_text(self->system, wardi_own_ref(self), &ward_misuse,
					       WARDI_NO_CAUSE, "%s", text);
}

/* A jump needs the right thread and a callback to leave; without them there is no way on. */
static void check_jump(const struct ward_self *self, const char *call)
{
	struct wardi_worker *worker = wardi_worker_current();

	if (self != NULL && worker == NULL) /* whose hook is to hear it, if not the worker's */
		wardi_fatal_set(
			&(struct wardi_fatal){self->system->fatal, self->system->fatal_arg});
	/* Nor over what the library was about when it called a drop, a clone or an allocator. */
	if (self == NULL || worker == NULL || worker->context != self || !self->callback ||
	    wardi_callouts != 0)
		wardi_fatal("ward: %s outside a callback of the actor, on another thread, or in a "
			    "deferred call, a drop or a clone: there is nothing to jump to",
			    call);
}

static WARD_NORETURN void jump(struct ward_self *self)
{
	wardi_assert(self->save != NULL); /* there is one around each callback */
	siglongjmp(*self->save, 1);
}

ward_result ward_failed(ward_self *self, const ward_failure_class *failure_class, const char *text,
			...)
{
	va_list args;

	if (!wardi_self_usable(self))
		return WARD_FAILED;
	va_start(args, text);
	note(self, failure_class, NULL, NULL, 0, text, args);
	va_end(args);
	return WARD_FAILED;
}

ward_result ward_failed_with(ward_self *self, const ward_failure_class *failure_class,
			     const ward_type *type, const void *body, size_t size, const char *text,
			     ...)
{
	va_list args;

	if (!wardi_self_usable(self))
		return WARD_FAILED;
	va_start(args, text);
	note(self, failure_class, type, body, size, text, args);
	va_end(args);
	return WARD_FAILED;
}

void ward_fail(ward_self *self, const ward_failure_class *failure_class, const char *text, ...)
{
	va_list args;

	check_jump(self, "ward_fail()");
	va_start(args, text);
	note(self, failure_class, NULL, NULL, 0, text, args);
	va_end(args);
	jump(self);
}

void ward_fail_with(ward_self *self, const ward_failure_class *failure_class, const ward_type *type,
		    const void *body, size_t size, const char *text, ...)
{
	va_list args;

	check_jump(self, "ward_fail_with()");
	va_start(args, text);
	note(self, failure_class, type, body, size, text, args);
	va_end(args);
	jump(self);
}
