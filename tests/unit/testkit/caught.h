/* SPDX-License-Identifier: MIT
 *
 * caught.h - for tests of what fails tests: a failure that must come, and what it must say.
 *
 *	CAUGHT(ward_expect(probe, 10, balance), "nothing came within 10 ms");
 */
#ifndef CAUGHT_H
#define CAUGHT_H

#include <setjmp.h>
#include <stdio.h>

#include <ward/testkit.h>

struct caught {
	jmp_buf back;
	int line;
	char file[256];
	char text[2048];
};
static struct caught caught;

WARD_UNUSED static void catch_failure(void *arg, const char *file, int line, const char *text)
{
	(void)arg;
	caught.line = line;
	snprintf(caught.file, sizeof(caught.file), "%s", file);
	snprintf(caught.text, sizeof(caught.text), "%s", text);
	longjmp(caught.back, 1);
}

/* That the statement fails the test, with that text as part of what it says; and names a line of
 * the test, not of the testkit. */
#define CAUGHT(statement, part) CAUGHT_AT("tests/", statement, part)
/* The same for one that names a place in the library: what is wrong there has no line of a test. */
#define CAUGHT_AT(place, statement, part)                                                          \
	do {                                                                                       \
		if (setjmp(caught.back) == 0) {                                                    \
			ward_test_on_failure(catch_failure, NULL);                                 \
			(void)(statement);                                                         \
			ward_test_on_failure(NULL, NULL);                                          \
			ward_test_fail(__FILE__, __LINE__, "this did not fail: %s", #statement);   \
		}                                                                                  \
		ward_test_on_failure(NULL, NULL);                                                  \
		ward_assert_part(caught.file, place);                                              \
		ward_assert_part(caught.text, part);                                               \
	} while (0)

/* BOTH(name) { ... kit_options(real) ... }: the cases name_simulated and name_on_threads. */
#define BOTH(name)                                                                                 \
	static void name(bool real);                                                               \
	WARD_TEST(name##_simulated)                                                                \
	{                                                                                          \
		name(false);                                                                       \
	}                                                                                          \
	WARD_TEST(name##_on_threads)                                                               \
	{                                                                                          \
		name(true);                                                                        \
	}                                                                                          \
	static void name(bool real)

#endif
