/* SPDX-License-Identifier: MIT
 *
 * late_end.c - a system that is not down in time: what it waits for, and the way out.
 *
 * A callback that does not return cannot be ended, and exit() would run the destructors of the
 * program under the feet of its thread: so the process ends without them, by _exit().
 *
 * Threads: all functions may run at the same time.
 */
#include "system/late_end.h"

#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include <ward/text.h>

#include "base/error.h"
#include "cell/system.h"
#include "send/waiter.h"
#include "shutdown/shutdown.h"

enum { STATUS_LATE = 3 };

struct left {
	char text[256];
	size_t count;
	/* of the one in the text */
	int weight;
	uint64_t born;
};

/* An actor that is busy explains more than one that waits; and a child, which is born after its
 * parent, explains more than the parent that waits for it. */
static int weight_of(const ward_actor_info *info)
{
	if (info->message[0] != '\0')
		return 3;
	return info->ready ? 2 : 1;
}

static void note_left(void *arg, const ward_actor_info *info)
{
	struct left *left = arg;
	int weight = weight_of(info);

	left->count++;
	if (weight < left->weight || (weight == left->weight && info->born < left->born))
		return;
	left->weight = weight;
	left->born = info->born;
	if (info->message[0] != '\0')
		ward_text_format(left->text, sizeof left->text,
				 "%.*s (%s, handling %s for %lld ms)",
				 WARD_TEXT_FIT(info->path, 120), info->state, info->message,
				 (long long)info->message_ms);
	else
		ward_text_format(left->text, sizeof left->text, "%s (%s)", info->path, info->state);
}

ward_err wardi_still_up(ward_system *system, int64_t deadline_ms)
{
	struct left left = {.count = 0};
	char waits[256];

	ward_system_actors(system, note_left, &left);
	wardi_shutdown_text(system, waits, sizeof waits);
	return wardi_error(WARD_ETIMEDOUT,
			   "system %s is not down after %lld ms%s%s%s; %zu actors are left, one is "
			   "%s",
			   system->name, (long long)deadline_ms, wardi_waiter_advice(deadline_ms),
			   waits[0] == '\0' ? "" : ": ", waits, left.count, left.text);
}

/* Flushes what the program has printed so far, unless that would wait for an actor that is
 * printing, or for the reader of a pipe. */
static void flush_output(void)
{
	struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};

	if (ftrylockfile(stdout) != 0)
		return;
	if (poll(&output, 1, 0) == 1 && (output.revents & POLLOUT) != 0)
		fflush(stdout);
	funlockfile(stdout);
}

void wardi_end_late(ward_system *system)
{
	/* Two threads may find the deadline passed at the same moment. Relaxed: it orders
	 * nothing. */
	while (atomic_exchange_explicit(&system->late, true, memory_order_relaxed))
		pause();
	(void)wardi_still_up(system, system->deadline_ms);
	if (system->fatal != NULL)
		system->fatal(system->fatal_arg, ward_err_detail());
	flush_output();
	_exit(STATUS_LATE);
}
