/* SPDX-License-Identifier: MIT
 *
 * ending.c - waits for signals and for the end of the actors; see ending.h.
 *
 * Signals are read from a descriptor. A thread waits for the actors at the top, then for the
 * system, and wakes the main thread by another descriptor.
 */
#include "ward-command/ending.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

enum { PAUSE_NS = 10 * 1000 * 1000 /* before a refused call is repeated */ };

static void pause_a_little(void)
{
	nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
}

/* Retries until it succeeds: the waiting thread has no other way to learn of the end. A signal can
 * still end the process. */
static void tell(int end)
{
	while (eventfd_write(end, 1) != 0)
		pause_a_little();
}

bool ending_init(struct ending *ending)
{
	sigset_t set;

	*ending = (struct ending){.signals = -1, .down = -1, .stop = -1};
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	ending->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	ending->down = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	ending->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return ending->signals >= 0 && ending->down >= 0 && ending->stop >= 0;
}

void ending_finish(struct ending *ending)
{
	if (ending->watching)
		pthread_join(ending->thread, NULL);
	if (ending->signals >= 0)
		close(ending->signals);
	if (ending->down >= 0)
		close(ending->down);
	if (ending->stop >= 0)
		close(ending->stop);
}

static void *watch(void *arg)
{
	const struct ending *ending = arg;
	bool gone = true;

	for (size_t i = 0; i < ending->top_count; i++)
		gone &= ward_system_wait_for(ending->system, ending->tops[i], WARD_FOREVER) ==
			WARD_OK;
	/* Refused without memory: then only a signal ends the run. */
	if (gone)
		ward_system_shutdown(ending->system, "all actors at the top have ended");
	if (ward_system_wait(ending->system, WARD_FOREVER) == WARD_OK)
		tell(ending->down);
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

/* For a refused poll(), as under a limit of zero descriptors: tries to read each descriptor. */
static void look_without_poll(struct pollfd polled[])
{
	eventfd_t count;

	pause_a_little();
	if (eventfd_read(polled[0].fd, &count) == 0) {
		tell(polled[0].fd);
		polled[0].revents = POLLIN;
	}
	polled[1].revents = POLLIN;
}

enum news ending_wait(struct ending *ending, const struct awaited *awaited, int64_t timeout_ms)
{
	struct pollfd polled[] = {{.fd = awaited->end, .events = POLLIN},
				  {.fd = awaited->signals, .events = POLLIN},
				  {.fd = awaited->output, .events = POLLIN}};
	struct signalfd_siginfo info;
	int timeout = timeout_ms > INT_MAX ? -1 : (int)timeout_ms;

	if (poll(polled, 3, timeout) < 0 && errno != EINTR)
		look_without_poll(polled);
	if (polled[0].revents != 0)
		return NEWS_END;
	if (polled[1].revents == 0 ||
	    read(awaited->signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return NEWS_NONE;
	ending->signal = (int)info.ssi_signo;
	return NEWS_SIGNAL;
}

void ending_stop(struct ending *ending)
{
	tell(ending->stop);
}
