/* SPDX-License-Identifier: MIT
 *
 * shop.c - a shop that closes in order at SIGTERM.
 *
 * It finishes the orders that it has accepted, and its log has every line.
 */
#include "shop.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

WARD_SIGNAL(ready);

ward_ref logger_ref;

/* ---- the log: a service, so it works until all others are gone -------------------------- */

static ward_result logger_start(ward_self *self, void *state)
{
	(void)state;
	ward_shutdown_join(self, WARD_PHASE_SERVICES, "write");
	return WARD_DONE;
}

static ward_result logger_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct line *line = ward_match(msg, line);

	(void)state;
	if (line) {
		puts(line->text);
		return WARD_DONE;
	}
	if (!ward_match(msg, ward_shutdown_task)) /* it comes after all messages of /user */
		return WARD_UNHANDLED;
	puts("log: all is written");
	return ward_reply(self, msg, ward_shutdown_done);
}

const ward_behavior logger = {
	.name = "logger", .pre_start = logger_start, .receive = logger_receive};

/* ---- the counter: finishes what it has accepted ------------------------------------------ */

struct counter {
	int open;       /* orders */
	ward_ref asker; /* gets an answer when the last order has ended; or nobody */
};

static ward_result counter_start(ward_self *self, void *state)
{
	(void)state;
	ward_shutdown_join(self, "service-requests-done", "orders");
	return WARD_DONE;
}

static ward_result counter_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct counter *me = state;
	const struct ward_shutdown_task *task = ward_match(msg, ward_shutdown_task);
	struct line line;

	if (task) {
		snprintf(line.text, sizeof line.text, "closing (%.40s), %d open", task->reason,
			 me->open);
		ward_send(self, logger_ref, WARD_COPY(line, &line));
		me->asker = ward_msg_sender(msg);
	} else if (ward_match(msg, order)) {
		ward_after(self, (uint64_t)++me->open, 50, ready);
		ward_reply(self, msg, accepted);
	} else if (ward_match(msg, ready)) {
		ward_tell(self, logger_ref, line, "an order is ready");
		me->open--;
	} else
		return WARD_UNHANDLED;
	if (!ward_ref_is_nobody(me->asker) && me->open == 0)
		ward_tell(self, me->asker, ward_shutdown_done);
	return WARD_DONE;
}

const ward_behavior counter = {.name = "counter",
			       .state_size = sizeof(struct counter),
			       .pre_start = counter_start,
			       .receive = counter_receive};

/* ---- SIGTERM, as a descriptor ------------------------------------------------------------ */

static ward_result signals_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct ward_fd_ready *fd = ward_match(msg, ward_fd_ready);
	struct signalfd_siginfo info;

	(void)state;
	if (!fd || read(fd->fd, &info, sizeof info) != sizeof info)
		return WARD_UNHANDLED;
	ward_system_shutdown(ward_self_system(self), strsignal((int)info.ssi_signo));
	return WARD_DONE;
}

static ward_result signals_init(ward_self *self, void *state, const void *args)
{
	sigset_t term;
	int fd;

	(void)state, (void)args;
	sigemptyset(&term), sigaddset(&term, SIGTERM);
	fd = ward_adopt_fd(self, signalfd(-1, &term, SFD_CLOEXEC | SFD_NONBLOCK));
	ward_fd_watch(self, fd, WARD_FD_READ);
	return WARD_DONE;
}

const ward_behavior signals = {.name = "signals", .init = signals_init, .receive = signals_receive};
