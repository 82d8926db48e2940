/* SPDX-License-Identifier: MIT
 *
 * assert.c - the way out when an invariant of the library itself is broken.
 *
 * The library prints nothing: the text goes to the hook of the system that runs on this thread, and
 * stays in `last_words` for a reader of the core dump.
 *
 * Threads: each has a hook of its own.
 */
#include "base/assert.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static _Thread_local struct wardi_fatal fatal_hook;
static _Thread_local char last_words[512];

void wardi_fatal_set(const struct wardi_fatal *fatal)
{
	fatal_hook = fatal != NULL ? *fatal : (struct wardi_fatal){0};
}

void wardi_fatal(const char *text, ...)
{
	struct wardi_fatal hook = fatal_hook;
	va_list args;

	/* A hook that breaks an invariant itself must not come back here forever. */
	fatal_hook = (struct wardi_fatal){0};
	va_start(args, text);
	vsnprintf(last_words, sizeof(last_words), text, args);
	va_end(args);
	if (hook.fn != NULL)
		hook.fn(hook.arg, last_words);
	abort();
}
