/* SPDX-License-Identifier: MIT
 *
 * checks.c - the checks, and how a failed check reaches the framework.
 */
#include <ward/testkit/check.h>

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testkit/check/case_result.h"
#include "testkit/check/text.h"

/* Both under mu, so that no failure meets the handler of one and the argument of another. */
static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static ward_test_failure_handler *handler_set;
static void *handler_arg;

void ward_test_on_failure(ward_test_failure_handler *handler, void *arg)
{
	pthread_mutex_lock(&mu);
	handler_set = handler;
	handler_arg = arg;
	pthread_mutex_unlock(&mu);
}

static void print_replay(void)
{
	struct wardi_testkit_run *run = wardi_testkit_run;
	const char *name = atomic_load_explicit(&run->case_name, memory_order_relaxed);

	fprintf(stderr, "replay: WARD_SEED=%" PRIu64,
		atomic_load_explicit(&run->seed, memory_order_relaxed));
	if (name != NULL)
		fprintf(stderr, " %s --here %s", program_invocation_name, name);
	fprintf(stderr, "\n");
}

void ward_test_fail(const char *file, int line, const char *format, ...)
{
	char text[2048];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);

	pthread_mutex_lock(&mu);
	ward_test_failure_handler *handler = handler_set;
	void *arg = handler_arg;
	pthread_mutex_unlock(&mu);
	/* Without the lock: it jumps away. */
	if (handler != NULL)
		handler(arg, file, line, text);
	/* One call, so that lines of several threads stay apart. */
	fprintf(stderr, "%s:%d: %s%s\n", file, line, text,
		handler != NULL ? " (and the failure handler returned)" : "");
	/* If a handler leaves, the runner's replay line has the seed. */
	if (atomic_load_explicit(&wardi_testkit_run->seed_used, memory_order_relaxed))
		print_replay();
	fflush(stdout);
	abort();
}

void ward_test_check_eq(const char *file, int line, const char *what, intmax_t got, intmax_t wanted)
{
	if (got != wanted)
		ward_test_fail(file, line, "%s: got %" PRIdMAX ", wanted %" PRIdMAX, what, got,
			       wanted);
}

/* Both texts on lines of their own, whatever is in them. */
static void fail_texts(const char *file, int line, const char *what, const char *got_word,
		       const char *text, const char *wanted_word, const char *wanted)
{
	char texts[2][960];

	ward_text_line(texts[0], sizeof(texts[0]), text != NULL ? text : "(NULL)", WARD_TEXT_ALL);
	ward_text_line(texts[1], sizeof(texts[1]), wanted, WARD_TEXT_ALL);
	ward_test_fail(file, line, "%s\n  %s \"%s\"\n  %s \"%s\"", what, got_word, texts[0],
		       wanted_word, texts[1]);
}

void ward_test_check_str(const char *file, int line, const char *what, const char *got,
			 const char *wanted)
{
	if (got == NULL || strcmp(got, wanted) != 0)
		fail_texts(file, line, what, "got   ", got, "wanted", wanted);
}

void ward_test_check_part(const char *file, int line, const char *what, const char *text,
			  const char *part)
{
	if (text == NULL || strstr(text, part) == NULL)
		fail_texts(file, line, what, "got        ", text, "wanted part", part);
}

void ward_test_check_err(const char *file, int line, const char *what, ward_err got,
			 ward_err wanted)
{
	if (got != wanted)
		ward_test_fail(file, line, "%s: got %s (%s%s%s), wanted %s", what,
			       wardi_code_name(got), ward_err_text(got), got != WARD_OK ? ": " : "",
			       got != WARD_OK ? ward_err_detail() : "", wardi_code_name(wanted));
}
