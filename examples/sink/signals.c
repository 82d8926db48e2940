/* SPDX-License-Identifier: MIT
 *
 * signals.c - turns SIGINT, SIGTERM and SIGHUP into messages for the ledger.
 *
 * main() has blocked them for all threads, so they wait in the descriptor until we read them.
 */
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "job.h"
#include "messages.h"

struct signals {
	int fd;
};

static ward_result watch(ward_self *self, const struct signals *me)
{
	ward_fd_watch(self, me->fd, WARD_FD_READ);
	return WARD_DONE;
}

static ward_result signals_init(ward_self *self, void *state, const void *args)
{
	struct signals *me = state;
	(void)args;
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	me->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (me->fd < 0)
		return ward_failed_errno(self, "signalfd");
	ward_adopt_fd(self, me->fd);
	return watch(self, me);
}

static ward_result signals_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct signals *me = state;
	struct signalfd_siginfo info;
	if (!ward_match(msg, ward_fd_ready))
		return WARD_UNHANDLED;
	while (read(me->fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		must_tell(self, ward_parent(self), interrupt, .number = (int)info.ssi_signo);
	return watch(self, me);
}

const ward_behavior signals_behavior = {
	.name = "signals",
	.state_size = sizeof(struct signals),
	.args = &ward_type_sink_args,
	.init = signals_init,
	.receive = signals_receive,
};
