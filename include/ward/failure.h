/* SPDX-License-Identifier: MIT
 *
 * ward/failure.h - classes of failures, and how an actor fails.
 *
 *	static const ward_failure_class bad_name = {.name = "bad_name", .parent = &ward_exception};
 *
 *	return ward_failed(self, &bad_name, "nobody to greet, after %d", me->count);
 *
 * A class is a constant with a name and a parent. Two classes are roots: ward_exception, a failure
 * that a restart may cure, for which the actor is restarted by default; and ward_error, a failure
 * that an actor further up must handle, which is escalated by default. A class is identified by the
 * chain of its names: equal declarations in several files or shared objects are one class. Names
 * that begin with "ward_" are reserved for ward's own classes. A program's class with such a name
 * is refused in rules, and a failure of it becomes ward_misuse.
 *
 *	ward's own classes		by default	library or header, if not here
 *	ward_exception			restart
 *	  ward_initialization		stop
 *	    ward_post_restart		stop
 *	    ward_config_not_started	stop		ward-config
 *	    ward_otp_not_started	stop		ward-otp
 *	    ward_zero_not_started	stop		ward-akka-zero
 *	    ward_not_connected		stop		ward-net
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
 * Each name is that of the variable. A configuration file may omit "ward_": there "killed" is
 * ward_killed, and a program's class of that name is written with its parent, exception-killed. A
 * configuration file does not know the classes of ward-otp and ward-akka-zero.
 *
 * There are two ways to fail. Prefer `return ward_failed(...)`, which notes the failure and returns
 * it frame by frame. ward_fail() leaves the callback at once by a jump, from any depth.
 *
 * The rule for jumps: call ward_fail() (or a function that may jump by itself: ward_alloc,
 * ward_strdup, ward_scratch, ward_defer, ward_adopt_fd, ward_adopt_fd_copy, WARD_CHECK) only where
 * every frame between the call and the callback is C code of yours that holds nothing except what
 * ward owns: memory, deferred calls and descriptors of resource.h, and bodies from ward_make() and
 * ward_take(). Inside a callback of another library, or below a C++ frame, set a flag and return
 * ward_failed() later. A C++ exception may not leave a callback of an actor: the callback is
 * noexcept, so an exception that it does not catch ends the process by std::terminate().
 *
 * A jump without a target (no callback of that actor is running, another thread, a deferred call)
 * ends the process by abort(). The library prints nothing: options.fatal (system.h) gets the text,
 * so set it, if only to write the text to stderr.
 *
 * A failure in init or pre_start reaches the parent as ward_initialization, with the noted failure
 * as its cause; in a restart as ward_post_restart, a class below it. A rule for your own class does
 * not match then. By default the child is stopped. To try again, write a rule for
 * ward_initialization and a limit, or examine ward_failure_root() in a `decide` function.
 */
#ifndef WARD_FAILURE_H
#define WARD_FAILURE_H

#include <ward/message.h>

WARD_BEGIN

/** A class of failures. Constant, with static storage. A shared object that contains it must not be
 *  unloaded while a system exists in which an actor failed with the class. */
struct ward_failure_class {
	const char *name;                 /* may not begin with "ward_" */
	const ward_failure_class *parent; /* NULL only for the two roots */
	uintptr_t reserved[2];            /* zero */
};

/** The value of reserved[0] in ward's own classes; no other class may have a name like theirs. */
enum { WARD_CLASS_OWN_ = 0x64726177 };

/** Root: a failure that a restart may cure. Default: restart. Contract: S16, S20. */
WARD_API extern const ward_failure_class ward_exception;
/** Root: a failure that an actor further up must handle. Default: escalate. Contract: S16, S20. */
WARD_API extern const ward_failure_class ward_error;
/** An exception: init or pre_start failed. Default: stop. Contract: S42. */
WARD_API extern const ward_failure_class ward_initialization;
/** A ward_initialization: init or post_restart failed in a restart. Default: stop. Contract: S37.
 */
WARD_API extern const ward_failure_class ward_post_restart;
/** An exception: the actor received ward_kill. Default: stop. Contract: S50. */
WARD_API extern const ward_failure_class ward_killed;
/** An exception: the actor left a ward_terminated unhandled. Default: stop. Contract: S66. */
WARD_API extern const ward_failure_class ward_death_pact;
/** An exception: the condition of a WARD_CHECK was false. Default: restart. */
WARD_API extern const ward_failure_class ward_check_failed;
/** An exception: ward was used incorrectly. Default: restart. */
WARD_API extern const ward_failure_class ward_misuse;
/** An exception: a call into the operating system failed. Default: restart. */
WARD_API extern const ward_failure_class ward_os_failure;
/** An exception: there was no memory for this actor. Default: restart. Contract: S16. */
WARD_API extern const ward_failure_class ward_out_of_memory;

/** An exception: children were restarted more often than WARD_LIMIT_INTENSITY allows. The cause is
 *  the failure that exceeded the limit. The children are stopped. Default: restart. Contract: S74.
 */
WARD_API extern const ward_failure_class ward_restart_intensity;

/** An exception: a hardware fault in a callback was contained, see options.faults. Default: stop.
 *  Contract: S16, S20. */
WARD_API extern const ward_failure_class ward_hardware_fault;
/** A hardware fault, SIGSEGV or SIGBUS: an invalid use of an address. */
WARD_API extern const ward_failure_class ward_bad_memory;
/** A hardware fault, SIGFPE: such as a division by zero. */
WARD_API extern const ward_failure_class ward_bad_arithmetic;
/** A hardware fault, SIGILL; also __builtin_trap(). */
WARD_API extern const ward_failure_class ward_bad_instruction;
/** A hardware fault: the stack of the thread overflowed. As all hardware faults only with
 *  WARD_FAULTS_CONTAIN; without it the process ends. */
WARD_API extern const ward_failure_class ward_stack_overflow;
/** An exception: a callback did not return in time. Ward does not raise it: it is for programs that
 *  enforce deadlines. Default: stop. Contract: S20. */
WARD_API extern const ward_failure_class ward_hang;

/* ---- failing ----------------------------------------------------------------------------- */

/**
 * Notes a failure, and returns WARD_FAILED for the callback to return: `return ward_failed(self,
 * &bad_name, "...", ...)`.
 *
 * The text is formatted as by printf and becomes a line (ward_text_line()) of at most 255 bytes. If
 * a callback notes several failures, the first one counts. A noted failure counts whatever the
 * callback returns. A NULL or invalid class is ward_misuse; a NULL text is "(no text)".
 *
 * Cost       O(length of the text), a look at each class above the given one, and memory for a
 *            record. When the actor then fails: O(children), each of which is suspended.
 * Errors     none; always returns WARD_FAILED. If memory runs out, the class is kept without the
 *            text.
 * Contract   S11, S16
 */
WARD_API WARD_MUST_USE WARD_PRINTF(3, 4) ward_result
	ward_failed(ward_self *self, const ward_failure_class *failure_class, const char *text,
		    ...);

/**
 * Turns an error code into a failure: returns WARD_DONE for WARD_OK, otherwise notes a failure as
 * ward_failed() does and returns WARD_FAILED.
 *
 * The class is ward_out_of_memory for WARD_ENOMEM; ward_os_failure for WARD_ESYS; ward_misuse for
 * WARD_EINVAL, WARD_ENAME and WARD_ESIZE; otherwise ward_exception. The text is ward_err_detail().
 *
 * Most calls that may be refused inside an actor come in two forms. The form with try_ in its name
 * returns an error code. The form without try_ calls that form and passes its code to this
 * function; it does not jump. The callback continues to its end, with nobody, 0 or NULL as the
 * result of the refused call; all calls accept these. Then the actor fails, whatever the callback
 * returned. Until then, messages to nobody are dropped without a dead letter. If something must not
 * be done after a refusal, use the try_ form and check the code.
 *
 * Cost       O(1) for WARD_OK; otherwise as ward_failed().
 * Errors     none.
 * Contract   S11, S16
 */
WARD_API WARD_MUST_USE ward_result ward_failed_err(ward_self *self, ward_err err);

/** The second half of the calls without try_. Returns true if there was no refusal. */
static inline bool ward_noted_(ward_self *self, ward_err err)
{
	return err == WARD_OK || ward_failed_err(self, err) == WARD_DONE;
}

/**
 * Notes a ward_os_failure: the text, ": ", and the text and the name of errno.
 *
 *	return ward_failed_errno(self, "bind %s", host);	bind ::1: Permission denied (EACCES)
 *
 * Unlike strerror(), it may be called on any thread.
 *
 * Cost       as ward_failed().
 * Errors     none; always returns WARD_FAILED.
 * Contract   S11, S16
 */
WARD_API WARD_MUST_USE WARD_PRINTF(2, 3) ward_result
	ward_failed_errno(ward_self *self, const char *text, ...);

/**
 * Notes a failure with a typed body, which a decider, a hook or a later incarnation can read with
 * ward_failure_body(). The plain form of ward_failed_with(), also with a text.
 *
 *	return ward_failed_body(self, &jammed, WARD_BODY(page, .number = 3), "page %d", 3);
 *
 * Ownership  takes what the body owns, always.
 * Cost       as ward_failed(), and a message with a copy of the body.
 * Errors     none; always returns WARD_FAILED. If memory runs out, the body may be missing.
 */
WARD_API WARD_MUST_USE WARD_PRINTF(6, 7) ward_result
	ward_failed_body(ward_self *self, const ward_failure_class *failure_class,
			 const ward_type *type, const void *body, size_t size, const char *text,
			 ...);

/**
 * Fails the actor and leaves the callback at once, by a jump from any depth. See the rule for jumps
 * above.
 *
 * Threads    the one that runs the callback. On another thread, and inside a deferred call, it ends
 *            the process with a text for options.fatal, since there is no target to jump to.
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

/** Fails the actor by a jump if the condition is false: ward_check_failed, with the place and the
 *  condition as its text. */
#define WARD_CHECK(self, condition)                                                                \
	((condition) ? (void)0                                                                     \
		     : ward_fail((self), &ward_check_failed, "%s:%d: %s", __FILE__, __LINE__,      \
				 #condition))

/* ---- reading a failure. Everything returned is borrowed for the callback ------------------ */

/** Returns true if a class is `above` or below it; false if either is NULL. Threads: any. Cost:
 *  O(classes above the first). Contract: S16. */
WARD_API bool ward_failure_class_is(const ward_failure_class *failure_class,
				    const ward_failure_class *above);
/** Returns the class of a failure, never NULL. Here and in all functions below, except
 *  ward_failure_is(), the failure must not be NULL. Cost: O(1). */
WARD_API const ward_failure_class *ward_failure_class_of(const ward_failure *failure);
/** Returns true if the failure has this class or one below it; false for NULL. Cost: O(classes
 *  above its own). */
static inline bool ward_failure_is(const ward_failure *failure,
				   const ward_failure_class *failure_class)
{
	return failure != NULL &&
	       ward_failure_class_is(ward_failure_class_of(failure), failure_class);
}
/** Returns the text of a failure, never NULL. Cost: O(1). */
WARD_API const char *ward_failure_text(const ward_failure *failure);
/** Returns the body if the failure has one of this type, otherwise NULL. The plain form of
 *  ward_failure_body(). Cost: as ward_type_same(). */
WARD_API const void *ward_failure_body_of(const ward_failure *failure, const ward_type *type);
/** Returns the actor that failed first, before any escalation. Cost: O(1). */
WARD_API ward_ref ward_failure_actor(const ward_failure *failure);
/** Returns the cause of a failure, or NULL. Cost: O(1). Contract: S37. */
WARD_API const ward_failure *ward_failure_cause(const ward_failure *failure);
/** Returns the last failure in the chain of causes; the failure itself if it has no cause. Cost:
 *  O(causes). Contract: S37. */
static inline const ward_failure *ward_failure_root(const ward_failure *failure)
{
	while (ward_failure_cause(failure) != NULL)
		failure = ward_failure_cause(failure);
	return failure;
}

WARD_END

/* ---- the macros (C only) ----------------------------------------------------------------- */

#ifndef __cplusplus
/** Notes a failure with a body: `return ward_failed_with(self, &jammed, page, .number = 3)`. Its
 *  text is the name of the type. See ward_failed_body(). Cost: as ward_failed_body(). */
#define ward_failed_with(self, failure_class, ...)                                                 \
	ward_failed_body((self), (failure_class), WARD_BODY(__VA_ARGS__), "%s",                    \
			 WARD_NAME_(__VA_ARGS__, 0))
/** Fails by a jump, with a body: `ward_fail_with(self, &jammed, page, .number = 3)`. See
 *  ward_fail_body(). Cost: as ward_fail_body(). */
#define ward_fail_with(self, failure_class, ...)                                                   \
	ward_fail_body((self), (failure_class), WARD_BODY(__VA_ARGS__), "%s",                      \
		       WARD_NAME_(__VA_ARGS__, 0))
#define WARD_NAME_(T, ...) #T
/** Returns the body as a const struct T * if the failure has a body of type T, otherwise NULL.
 *  Cost: as ward_type_same(). */
#define ward_failure_body(failure, T)                                                              \
	((const struct T *)ward_failure_body_of((failure), &ward_type_##T))
#endif
#endif
