/* SPDX-License-Identifier: MIT
 *
 * failing.c - failures of callbacks: by their result, and by a jump.
 *
 * Threads: runs only on the holder's worker.
 */
#include "actor/failing.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include <ward/extend.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/foreign_call.h"
#include "base/lock.h"
#include "base/text.h"

struct wardi_failure wardi_take_noted(struct ward_self *self, ward_result result)
{
	struct wardi_failure cause = self->noted;

	self->noted = WARDI_NO_FAILURE;
	if (wardi_failure_is_none(cause) && (unsigned)result > WARD_FAILED)
		return wardi_failure_text(
			self->system, wardi_own_ref(self), &ward_misuse, WARDI_NO_FAILURE,
			"a callback returned %d, which is not a ward_result", (int)result);
	if (wardi_failure_is_none(cause) && result == WARD_FAILED)
		return wardi_failure_text(self->system, wardi_own_ref(self), &ward_misuse,
					  WARDI_NO_FAILURE,
					  "a callback returned WARD_FAILED without ward_failed()");
	return cause;
}

/* A failure whose class is no class: says that first, then the text of the program. */
__attribute__((format(printf, 3, 0))) static struct wardi_failure
misused(struct ward_self *self, const char *what, const char *text, va_list args)
{
	char wanted[WARD_EVENT_TEXT] = "(no text)";

	if (text != NULL)
		ward_text_vformat(wanted, sizeof wanted, text, args);
	return wardi_failure_text(self->system, wardi_own_ref(self), &ward_misuse, WARDI_NO_FAILURE,
				  "%s; the failure was: %s", what, wanted);
}

__attribute__((format(printf, 6, 0))) static void note(struct ward_self *self,
						       const ward_failure_class *failure_class,
						       const ward_type *type, const void *body,
						       size_t size, const char *text, va_list args)
{
	struct wardi_failure cause;
	struct ward_msg *msg = NULL;

	if (type != NULL && wardi_type_check(type, body, size) == WARD_OK) {
		msg = wardi_msg_make(self->from, type, body, size);
		if (msg == NULL)
			wardi_count(&self->system->counters.shortages);
		if (msg == NULL && type->drop != NULL && body != NULL)
			wardi_type_drop(type, (void *)(uintptr_t)body);
	}
	if (!wardi_failure_is_none(self->noted)) { /* the first one counts */
		if (msg != NULL)
			wardi_msg_destroy(self->from, msg);
		return;
	}
	if (failure_class == NULL)
		cause = misused(self, "ward_failed() or ward_fail() with a NULL class", text, args);
	else if (ward_failure_class_check(failure_class) != WARD_OK)
		cause = misused(self, ward_err_detail(), text, args);
	else
		cause = wardi_failure_make(self->system, wardi_own_ref(self), failure_class,
					   WARDI_NO_FAILURE, text == NULL ? "(no text)" : text,
					   args);
	if (msg != NULL && !wardi_failure_set_body(cause, msg))
		wardi_msg_destroy(self->from, msg);
	self->noted = cause;
	self->has_leftovers = true;
}

void wardi_note_misuse(struct ward_self *self, const char *text)
{
	self->has_leftovers = true;
	if (wardi_failure_is_none(self->noted)) /* the first one counts */
		self->noted = wardi_failure_text(self->system, wardi_own_ref(self), &ward_misuse,
						 WARDI_NO_FAILURE, "%s", text);
}

/* A jump needs the right thread and a callback to leave; without them there is no way on. */
static void check_jump(const struct ward_self *self, const char *call)
{
	struct wardi_worker *worker = wardi_worker_current();

	if (self != NULL && worker == NULL) /* whose fatal hook is called */
		wardi_fatal_set(
			&(struct wardi_fatal){self->system->fatal, self->system->fatal_arg});
	/* Nor out of a drop, a clone or an allocator, which the library has called. */
	if (self == NULL || worker == NULL || worker->context != self || !self->callback ||
	    wardi_foreign_calls != 0)
		wardi_fatal("ward: %s outside a callback of the actor, on another thread, or in a "
			    "deferred call, a drop or a clone: there is nothing to jump to",
			    call);
}

static WARD_NORETURN void jump(struct ward_self *self)
{
	wardi_assert(self->save != NULL); /* there is one around each callback */
	wardi_lock_none(WARDI_LOCK_PLACE);
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

static const ward_failure_class *class_of(ward_err err)
{
	switch (err) {
	case WARD_ENOMEM:
		return &ward_out_of_memory;
	case WARD_ESYS:
		return &ward_os_failure;
	case WARD_EINVAL:
	case WARD_ENAME:
	case WARD_ESIZE:
		return &ward_misuse;
	default:
		return &ward_exception;
	}
}

ward_result ward_failed_err(ward_self *self, ward_err err)
{
	if (err == WARD_OK)
		return WARD_DONE;
	return ward_failed(self, class_of(err), "%s", wardi_refusal_words(err));
}

bool ward_has_failed(const ward_self *self)
{
	return wardi_self_usable(self) && !wardi_failure_is_none(self->noted);
}

ward_result ward_failed_errno(ward_self *self, const char *text, ...)
{
	int error = errno;
	char what[WARD_EVENT_TEXT] = "(no text)";
	va_list args;

	if (text != NULL) {
		va_start(args, text);
		ward_text_vformat(what, sizeof what, text, args);
		va_end(args);
	}
	return ward_failed(self, &ward_os_failure, "%s: %s", what, wardi_os_text(error));
}

ward_directive ward_decider_failed(ward_self *self, const ward_failure_class *failure_class,
				   const char *text, ...)
{
	va_list args;

	if (!wardi_self_usable(self))
		return WARD_DECIDER_FAILED;
	va_start(args, text);
	note(self, failure_class, NULL, NULL, 0, text, args);
	va_end(args);
	return WARD_DECIDER_FAILED;
}

ward_result ward_failed_body(ward_self *self, const ward_failure_class *failure_class,
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

void ward_fail_body(ward_self *self, const ward_failure_class *failure_class, const ward_type *type,
		    const void *body, size_t size, const char *text, ...)
{
	va_list args;

	check_jump(self, "ward_fail_body()");
	va_start(args, text);
	note(self, failure_class, type, body, size, text, args);
	va_end(args);
	jump(self);
}
