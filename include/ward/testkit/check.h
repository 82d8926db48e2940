/* SPDX-License-Identifier: MIT
 *
 * ward/testkit/check.h - checks for tests; a failure shows the actual and the expected value.
 *
 *	ward_assert(stats.actors > 0);
 *	ward_assert_eq(stats.restarts, 3);
 *	ward_assert_ok(ward_system_spawn(system, &props, &ref));
 *
 * Each check evaluates its arguments once, works on any thread, and is not disabled by NDEBUG. A
 * check that does not hold calls the failure handler of the process, and never returns. The runner
 * of runner.h has a handler of its own; under another framework, pass the failure on to that:
 *
 *	static void to_framework(void *arg, const char *file, int line, const char *text)
 *	{
 *		framework_fail(file, line, text);
 *	}
 *	...
 *	ward_test_on_failure(to_framework, NULL);
 */
#ifndef WARD_TESTKIT_CHECK_H
#define WARD_TESTKIT_CHECK_H

#include <ward/types.h>

WARD_BEGIN

/** Checks that the condition holds. */
#define ward_assert(condition)                                                                     \
	((condition) ? (void)0                                                                     \
		     : ward_test_fail(__FILE__, __LINE__, "does not hold: %s", #condition))

/** Checks that two integers of any type are equal, as 64 bits. */
#define ward_assert_eq(got, wanted)                                                                \
	ward_test_check_eq(__FILE__, __LINE__, #got " == " #wanted, (intmax_t)(got),               \
			   (intmax_t)(wanted))

/** Checks that two texts are equal. */
#define ward_assert_str(got, wanted) ward_test_check_str(__FILE__, __LINE__, #got, (got), (wanted))

/** Checks that `part` occurs in `text`. */
#define ward_assert_part(text, part) ward_test_check_part(__FILE__, __LINE__, #text, (text), (part))

/** Checks the return value of a call; a wrong ward_err is printed by name, with its detail. */
#define ward_assert_err(call, wanted)                                                              \
	ward_test_check_err(__FILE__, __LINE__, #call, (call), (wanted))
#define ward_assert_ok(call) ward_assert_err(call, WARD_OK)

/**
 * Ends the test as failed, with a text.
 *
 * Threads    any; the handler runs on the calling one.
 */
WARD_API WARD_NORETURN WARD_PRINTF(3, 4) void ward_test_fail(const char *file, int line,
							     const char *format, ...);

/**
 * Passes a failure on to the test framework.
 *
 * It must not return: it jumps, throws or ends the process. If it returns, abort() follows.
 *
 * Ownership  borrows the texts until the handler returns or jumps.
 * Threads    that of the check; in a callback it may be one of the system's.
 */
typedef void ward_test_failure_handler(void *arg, const char *file, int line, const char *text);

/**
 * Sets the failure handler of this process. NULL, as at the start: the text goes to stderr, and
 * abort() follows.
 *
 * Ownership  borrows arg until another handler is set.
 * Threads    any.
 */
WARD_API void ward_test_on_failure(ward_test_failure_handler *handler, void *arg);

/* ---- behind the macros: for checks of your own with another place ------------------------ */

/** Fails unless the integers are equal; `what` names the comparison. Threads: any. */
WARD_API void ward_test_check_eq(const char *file, int line, const char *what, intmax_t got,
				 intmax_t wanted);

/** Fails unless the texts are equal; a `got` of NULL always fails, `wanted` must be a text.
 *  Threads: any. */
WARD_API void ward_test_check_str(const char *file, int line, const char *what, const char *got,
				  const char *wanted);

/** Fails unless `part` occurs in `text`; nothing occurs in NULL. Threads: any. */
WARD_API void ward_test_check_part(const char *file, int line, const char *what, const char *text,
				   const char *part);

/** Fails unless the codes are equal; prints ward_err_detail() of this thread. Threads: any. */
WARD_API void ward_test_check_err(const char *file, int line, const char *what, ward_err got,
				  ward_err wanted);

WARD_END
#endif
