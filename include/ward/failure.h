/* SPDX-License-Identifier: MIT
 *
 * ward/failure.h - classes of failures, and failing.
 *
 *	static const ward_failure_class bad_name = {.name = "bad_name", .parent = &ward_exception};
 *
 *	return ward_failed(self, &bad_name, "nobody to greet, after %d", me->count);
 *
 * A class is a constant with a name and a parent, up to one of two roots: ward_exception, what an
 * actor may get over and is restarted for by default, and ward_error, what something above it must
 * look at and is escalated by default. The identity of a class is the chain of its names: one that
 * several files or shared objects declare alike is one class. Names that begin with "ward_" are
 * those of ward's own classes. A class of a program that has such a name is refused in rules; a
 * failure with it becomes ward_misuse.
 *
 *	ward's own			by default	in which library or header, if not here
 *	ward_exception			restart
 *	  ward_initialization		stop
 *	    ward_post_restart		stop
 *	    ward_config_not_started	stop		ward-config
 *	    ward_otp_not_started	stop		ward-otp
 *	    ward_zero_not_started	stop		ward-akka-zero
 *	  ward_killed			stop
 *	  ward_death_pact		stop
 *	  ward_hang			stop
 *	  ward_hardware_fault		stop
 *	    ward_bad_memory		stop
 *	    ward_bad_arithmetic		stop
 *	    ward_bad_instruction	stop
 *	    ward_stack_overflow		stop
 *	  ward_check_failed		restart
 *	  ward_misuse			restart
 *	  ward_os_failure		restart
 *	  ward_out_of_memory		restart
 *	  ward_restart_intensity	restart
 *	  ward_injected			restart		simulation.h
 *	ward_error			escalate
 *
 * Each name is that of the variable. A file may leave out "ward_": "killed" is ward_killed there,
 * and a program's class of that name is written out with its parent, exception-killed. A file knows
 * none of ward-otp or ward-akka-zero.
 *
 * There are two ways to fail. `return ward_failed(...)` leads: it notes the failure and is returned
 * frame by frame. ward_fail() jumps out of the callback at once, from any depth.
 *
 * The rule for jumping: call ward_fail() (or anything that may fail by itself: ward_alloc,
 * ward_scratch, ward_defer, ward_adopt_fd, WARD_CHECK) only where every frame between you and the
 * callback is C of yours that holds nothing but what ward_alloc, ward_defer and ward_adopt_fd know
 * of. Inside a callback of another library, or under a C++ frame, set a flag and return
 * ward_failed(). An exception of C++ may not leave a callback: it is noexcept there, and one that
 * is not caught in it ends the process by std::terminate().
 *
 * A jump where there is nothing to jump to (no callback of that actor under way, another thread, a
 * deferred call) ends the process by abort(). The library prints nothing: options.fatal hears what
 * was wrong, so set it, if only to write the text to stderr.
 *
 * A failure in init or pre_start reaches the parent as ward_initialization, with the one that was
 * noted as its cause; in a restart as ward_post_restart, which is below it. A rule on a class of
 * your own does not match then. By default the child is stopped; to try again, write a row for
 * ward_initialization and a limit, or look at ward_failure_root() in a decide function.
 */
#ifndef WARD_FAILURE_H
#define WARD_FAILURE_H

#include <ward/message.h>

WARD_BEGIN

/** A class of failures. Constant, with static storage; where that is a shared object, it is not
 *  unloaded before the systems have ended in which something failed with the class. */
struct ward_failure_class {
	const char *name;                 /* not one that begins with "ward_" */
	const ward_failure_class *parent; /* NULL only for the two roots */
	uintptr_t reserved[2];            /* zero */
};

/** What ward's own classes have in reserved[0]: no other may have a name like theirs. */
enum { WARD_CLASS_OWN_ = 0x64726177 };

/** Root: what this actor may get over. By default it is restarted. Contract: S16, S20. */
WARD_API extern const ward_failure_class ward_exception;
/** Root: what something above must look at. By default it is escalated. Contract: S16, S20. */
WARD_API extern const ward_failure_class ward_error;
/** An exception: init or pre_start failed. By default the actor is stopped. Contract: S42. */
WARD_API extern const ward_failure_class ward_initialization;
/** An initialization: init or post_restart failed in a restart. Contract: S37. */
WARD_API extern const ward_failure_class ward_post_restart;
/** An exception: the actor was sent ward_kill. By default it is stopped. Contract: S50. */
WARD_API extern const ward_failure_class ward_killed;
/** An exception: a ward_terminated was left unhandled. By default it is stopped. Contract: S66. */
WARD_API extern const ward_failure_class ward_death_pact;
/** An exception: a WARD_CHECK did not hold. */
WARD_API extern const ward_failure_class ward_check_failed;
/** An exception: ward was used in a way that cannot be right. */
WARD_API extern const ward_failure_class ward_misuse;
/** An exception: the operating system said no. */
WARD_API extern const ward_failure_class ward_os_failure;
/** An exception: memory is out for this actor. Contract: S16. */
WARD_API extern const ward_failure_class ward_out_of_memory;

/** An exception: its children were restarted more often than its WARD_LIMIT_INTENSITY allows; the
 *  cause is the failure that was too much. Its children are stopped. Contract: S74. */
WARD_API extern const ward_failure_class ward_restart_intensity;

/**
 * An exception: a hardware fault in a callback was contained, see options.faults. By default the
 * actor is stopped. Contract: S16, S20.
 */
WARD_API extern const ward_failure_class ward_hardware_fault;
/** A hardware fault: SIGSEGV or SIGBUS, an address that cannot be used like that. */
WARD_API extern const ward_failure_class ward_bad_memory;
/** A hardware fault: SIGFPE, a division by zero. */
WARD_API extern const ward_failure_class ward_bad_arithmetic;
/** A hardware fault: SIGILL, also __builtin_trap(). */
WARD_API extern const ward_failure_class ward_bad_instruction;
/** A hardware fault: the stack of the thread is used up. */
WARD_API extern const ward_failure_class ward_stack_overflow;
/** An exception, for those who watch over deadlines: a callback did not return in time. By default
 *  the actor is stopped. Contract: S20. */
WARD_API extern const ward_failure_class ward_hang;

/* ---- failing ----------------------------------------------------------------------------- */

/**
 * Notes a failure, to be returned: `return ward_failed(self, &bad_name, "...", ...)`.
 *
 * The text is printf's and becomes a line (ward_text_line()) of 255 bytes at most. The first
 * failure noted in a callback counts.
 *
 * Cost       O(length of the text), and a look at each class above the given one; memory for a
 *            record. When the actor fails of it O(children): each is suspended.
 * Errors     none; always returns WARD_FAILED. When memory is out the class is kept, the text not.
 * Contract   S11, S16
 */
WARD_API WARD_MUST_USE WARD_PRINTF(3, 4) ward_result
	ward_failed(ward_self *self, const ward_failure_class *failure_class, const char *text,
		    ...);

/**
 * Turns a code into a failure: WARD_DONE for WARD_OK; else a failure is noted, as by ward_failed().
 *
 * Its class is ward_out_of_memory for WARD_ENOMEM; ward_os_failure for WARD_ESYS; ward_misuse for
 * WARD_EINVAL, WARD_ENAME and WARD_ESIZE; else ward_exception. Its text is ward_err_detail().
 *
 * One rule for what may be refused inside an actor: the verb with try_ in its name answers a code;
 * the plain verb is that verb and this function. Nothing jumps. The callback runs to its end, with
 * nobody, 0 or NULL in its hands, which all verbs take; then the actor has failed, whatever the
 * callback returned. What it sends to nobody until then makes no dead letter. What must not be done
 * after a refusal belongs behind the try_ verb.
 *
 * Cost       O(1) for WARD_OK; else as ward_failed().
 * Errors     none.
 * Contract   S11, S16
 */
WARD_API WARD_MUST_USE ward_result ward_failed_err(ward_self *self, ward_err err);

/** What plain verbs are made of. Says whether there was no refusal. */
static inline bool ward_noted_(ward_self *self, ward_err err)
{
	return err == WARD_OK || ward_failed_err(self, err) == WARD_DONE;
}

/**
 * Notes a ward_os_failure: the text, ": ", and the words and the name of errno.
 *
 *	return ward_failed_errno(self, "bind %s", host);	bind ::1: Permission denied (EACCES)
 *
 * Unlike strerror() it may be called on any thread.
 *
 * Cost       as ward_failed().
 * Errors     none; always WARD_FAILED.
 * Contract   S11, S16
 */
WARD_API WARD_MUST_USE WARD_PRINTF(2, 3) ward_result
	ward_failed_errno(ward_self *self, const char *text, ...);

/**
 * Notes a failure with a typed body, which a decider, a hook or a later incarnation reads with
 * ward_failure_body(). The plain form of ward_failed_with(), with a text.
 *
 *	return ward_failed_body(self, &jammed, WARD_BODY(page, .number = 3), "page %d", 3);
 *
 * Ownership  takes what the body owns, always. The body may be missing when memory is out.
 * Cost       as ward_failed(), and a message with a copy of the body.
 */
WARD_API WARD_MUST_USE WARD_PRINTF(6, 7) ward_result
	ward_failed_body(ward_self *self, const ward_failure_class *failure_class,
			 const ward_type *type, const void *body, size_t size, const char *text,
			 ...);

/**
 * Ends the callback here and now: jumps to the runtime, from any depth. See the rule above.
 *
 * Threads    the one that runs the callback; elsewhere the process ends with a text, since there
 *            is nothing to jump to. The same holds inside a deferred call.
 * Cost       as ward_failed(); the jump O(1), from any depth.
 * Contract   S11, S16
 */
WARD_API WARD_NORETURN WARD_PRINTF(3, 4) void ward_fail(ward_self *self,
							const ward_failure_class *failure_class,
							const char *text, ...);

/** Jumps like ward_fail(), with a typed body like ward_failed_body(). The plain form of
 *  ward_fail_with(). Cost: as both. */
WARD_API WARD_NORETURN WARD_PRINTF(6,
				   7) void ward_fail_body(ward_self *self,
							  const ward_failure_class *failure_class,
							  const ward_type *type, const void *body,
							  size_t size, const char *text, ...);

/** Fails the actor with ward_check_failed, naming place and condition, when it does not hold. */
#define WARD_CHECK(self, condition)                                                                \
	((condition) ? (void)0                                                                     \
		     : ward_fail((self), &ward_check_failed, "%s:%d: %s", __FILE__, __LINE__,      \
				 #condition))

/* ---- reading one. All borrow for the callback -------------------------------------------- */

/** Says whether a class is `above` or one below it; false where one of the two is NULL. Threads:
 *  any. Cost: O(classes above the first). Contract: S16. */
WARD_API bool ward_failure_class_is(const ward_failure_class *failure_class,
				    const ward_failure_class *above);
/** Returns the class, never NULL. Cost: O(1). */
WARD_API const ward_failure_class *ward_failure_class_of(const ward_failure *failure);
/** Says whether the failure is of this class or of one below it. Cost: O(classes above its own). */
static inline bool ward_failure_is(const ward_failure *failure,
				   const ward_failure_class *failure_class)
{
	return failure != NULL &&
	       ward_failure_class_is(ward_failure_class_of(failure), failure_class);
}
/** Returns the text, never NULL. Cost: O(1). */
WARD_API const char *ward_failure_text(const ward_failure *failure);
/** Returns the body if there is one of this type, else NULL. The plain form of ward_failure_body().
 *  Cost: as ward_type_same(). */
WARD_API const void *ward_failure_body_of(const ward_failure *failure, const ward_type *type);
/** Returns the actor that failed first, before any escalation. Cost: O(1). */
WARD_API ward_ref ward_failure_actor(const ward_failure *failure);
/** Returns the failure behind this one, or NULL. Cost: O(1). Contract: S37. */
WARD_API const ward_failure *ward_failure_cause(const ward_failure *failure);
/** Returns the first failure of the chain of causes; itself if there is no other. Cost: O(causes).
 *  Contract: S37. */
static inline const ward_failure *ward_failure_root(const ward_failure *failure)
{
	while (ward_failure_cause(failure) != NULL)
		failure = ward_failure_cause(failure);
	return failure;
}

WARD_END

#ifndef __cplusplus
/** return ward_failed_with(self, &jammed, page, .number = 3): notes a failure with a body; its text
 *  is the name of the type. See ward_failed_body(). Cost: the same. */
#define ward_failed_with(self, failure_class, ...)                                                 \
	ward_failed_body((self), (failure_class), WARD_BODY(__VA_ARGS__), "%s",                    \
			 WARD_NAME_(__VA_ARGS__, 0))
/** ward_fail_with(self, &jammed, page, .number = 3): jumps with a body. See ward_fail_body(). Cost:
 *  the same. */
#define ward_fail_with(self, failure_class, ...)                                                   \
	ward_fail_body((self), (failure_class), WARD_BODY(__VA_ARGS__), "%s",                      \
		       WARD_NAME_(__VA_ARGS__, 0))
#define WARD_NAME_(T, ...) #T
/** const struct T * if the failure has a body that is a T, else NULL. Cost: as ward_type_same(). */
#define ward_failure_body(failure, T)                                                              \
	((const struct T *)ward_failure_body_of((failure), &ward_type_##T))
#endif
#endif
