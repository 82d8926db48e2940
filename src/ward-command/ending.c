/* SPDX-License-Identifier: MIT
 *
 * ending.c - signals, and a thread that waits for the actors; see ending.h.
 *
 * The main thread reads signals from a descriptor. The other one waits for the actors at the top,
 * then for the system, and writes to another descriptor: that is how the first one hears of it.
 */
#include "ward-command/ending.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

bool ending_init(struct ending *ending)
{
	sigset_t set;

	*ending = (struct ending){.signals = -1, .down = -1, .output = -1};
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	ending->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	ending->down = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return ending->signals >= 0 && ending->down >= 0;
}

void ending_finish(struct ending *ending)
{
	if (ending->watching)
		pthread_join(ending->thread, NULL);
	if (ending->signals >= 0)
		close(ending->signals);
	if (ending->down >= 0)
		close(ending->down);
}

static void *watch(void *arg)
{
	const struct ending *ending = arg;
	bool gone = true;

	for (size_t i = 0; i < ending->top_count; i++)
		gone &= ward_system_await(ending->system, ending->tops[i], WARD_FOREVER) == WARD_OK;
	/* Refused for want of memory: then a signal is the end. */
	if (gone)
		ward_system_shut_down(ending->system, "all actors at the top have ended");
	if (ward_system_wait(ending->system, WARD_FOREVER) == WARD_OK)
		eventfd_write(ending->down, 1);
	return NULL;
}

bool ending_watch(struct ending *ending, ward_system *system, const ward_ref *tops, size_t count)
{
	ending->system = system;
	ending->tops = tops;
	ending->top_count = count;
	errno = pthread_create(&ending->thread, NULL, watch, ending);
	ending->watching = errno == 0;
	return ending->watching;
}

enum news ending_wait(struct ending *ending, int64_t timeout_ms)
{
	struct pollfd polled[] = {{.fd = ending->down, .events = POLLIN},
				  {.fd = ending->signals, .events = POLLIN},
				  {.fd = ending->output, .events = POLLIN}};
	struct signalfd_siginfo info;
	int timeout = timeout_ms > INT_MAX ? -1 : (int)timeout_ms;

	if (poll(polled, 3, timeout) <= 0)
		return NEWS_NONE;
	if (polled[0].revents != 0)
		return NEWS_DOWN;
	if (polled[1].revents == 0 ||
	    read(ending->signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return NEWS_NONE;
	ending->signal = (int)info.ssi_signo;
	return NEWS_SIGNAL;
}

void ending_stop_waiting(struct ending *ending)
{
	eventfd_write(ending->down, 1);
}

void ending_begin_waiting(struct ending *ending)
{
	eventfd_t count;
	(void)!eventfd_read(ending->down, &count);
}
