/* SPDX-License-Identifier: MIT
 *
 * os_thread.c - a thread as the operating system makes it: its stack and its signal mask.
 *
 * Signals: all asynchronous ones are blocked, for the program's own threads to handle. Signals
 * raised by a fault of the thread itself are not: blocked, they would kill the process silently.
 */
#include "sched/os_thread.h"

#include <signal.h>
#include <unistd.h>

#include "base/error.h"
#include "sched/thread_settings.h"

enum { GUARD_MIN = 64 * 1024, TRIES = 100 };

/* The C library takes the guard out of the stack, so it is added; and it rounds to whole pages, but
 * down. Returns 0, or an errno. */
static int set_stack(pthread_attr_t *attr, size_t stack_bytes)
{
	size_t guard = 0, page = (size_t)sysconf(_SC_PAGESIZE);
	int error = 0;

	pthread_attr_getguardsize(attr, &guard);
	if (guard < GUARD_MIN) {
		guard = GUARD_MIN;
		pthread_attr_setguardsize(attr, guard);
	}
	if (stack_bytes > 0)
		error = pthread_attr_setstacksize(attr,
						  (stack_bytes + guard + page - 1) / page * page);
	return error;
}

int wardi_os_thread_start(const struct wardi_thread_settings *settings, void *(*main)(void *arg),
			  void *arg, pthread_t *ret_id)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
	pthread_attr_t attr;
	sigset_t blocked, before;

	int error = pthread_attr_init(&attr);
	if (error != 0)
		return error;
	error = set_stack(&attr, settings->stack_bytes);
	sigfillset(&blocked);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		sigdelset(&blocked, faults[i]);
	/* The new thread inherits the mask: no signal can reach it in between. */
	if (error == 0)
		error = pthread_sigmask(SIG_SETMASK, &blocked, &before);
	if (error == 0) {
		error = pthread_create(ret_id, &attr, main, arg);
		/* The call was allowed just now; and the program needs its signals. */
		for (int tries = 0; tries < TRIES; tries++)
			if (pthread_sigmask(SIG_SETMASK, &before, NULL) == 0)
				break;
	}
	pthread_attr_destroy(&attr);
	return error;
}

ward_err wardi_os_thread_refused(const struct wardi_thread_settings *settings, int error)
{
	if (settings->stack_bytes == 0)
		return wardi_error(WARD_ESYS, "cannot start a thread: %s", wardi_os_text(error));
	return wardi_error(WARD_ESYS, "cannot start a thread with a stack of %zu bytes: %s",
			   settings->stack_bytes, wardi_os_text(error));
}

/* ---- a try ------------------------------------------------------------------------------- */

struct
try {
	const struct wardi_thread_settings *settings;
	bool refused;
	char text[WARDI_SETTINGS_TEXT];
};

static void *try_main(void *arg)
{
	struct try *try = arg;

	try->refused = !wardi_thread_settings_apply(try->settings, try->text);
	return NULL;
}

ward_err wardi_os_thread_try(const struct wardi_thread_settings *settings)
{
	struct try try = {.settings = settings};
	pthread_t id;
	int error = wardi_os_thread_start(settings, try_main, &try, &id);

	if (error != 0)
		return wardi_os_thread_refused(settings, error);
	pthread_join(id, NULL);
	return try.refused ? wardi_error(WARD_ESYS, "%s", try.text) : WARD_OK;
}
