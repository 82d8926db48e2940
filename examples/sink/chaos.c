/* SPDX-License-Identifier: MIT
 *
 * chaos.c - makes each fault happen once, in an order drawn from the seed, while lines flow.
 *
 * The faults are real and hit root, too. The ledger says when so many lines have passed, waits
 * until the fault is there, and lets lines flow into it; the next fault comes some hundred lines
 * after this one is over, so the sink has got over it by then. What a fault changes for a time
 * (the folder, the lock) is put back also if we are stopped before then.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dice.h"
#include "failures.h"
#include "job.h"
#include "messages.h"
#include "saboteur.h"
#include "spoil.h"

enum {
	LOCK_MS = 3000, /* the keeper has come to its longest delay by then */
	FOLDER_MS = 700,
};

enum fault {
	FAULT_LOCK,
	FAULT_FOLDER,
	FAULT_MAIN,
	FAULT_WAL,
	FAULT_ROOM,
	FAULT_MALFORMED,
	FAULT_POISON,
	FAULTS
};

WARD_SIGNAL(put_back);

/* A folder with a file in its place. */
struct hidden {
	char *folder, *away;
};

struct chaos {
	const struct sink_args *args;
	struct dice dice;
	enum fault order[FAULTS];
	uint32_t begun;
	ward_deferred undo;
	/* The saboteur's, while there is one. */
	int pipe;
	pid_t pid;
	char said[240];
	size_t said_length;
};

static void announce(ward_self *self, const struct chaos *me, const char *text)
{
	tell_note(self, me->args->view, "chaos %u/%d: %s", me->begun, FAULTS, text);
}

/* The fault is there: lines may flow into it. */
static void let_flow(ward_self *self)
{
	must_tell(self, ward_parent(self), flow);
}

/* The fault is over, as far as we are concerned. */
static void wait_for_next(ward_self *self, struct chaos *me)
{
	uint64_t gap = me->args->job->chaos_gap;
	if (me->begun == FAULTS)
		must_tell(self, ward_parent(self), chaos_over);
	else
		must_tell(self, ward_parent(self), strike_at,
			  .more = gap + dice_roll(&me->dice, 2 * gap));
}

/* ---- the saboteur ------------------------------------------------------------------------ */

static void end_saboteur(void *arg)
{
	const struct chaos *me = arg;
	if (me->pid > 0)
		saboteur_kill(me->pid);
}

static ward_result send_saboteur(ward_self *self, struct chaos *me, const char *what,
				 uint64_t number)
{
	/* Before the process starts: without memory this fails the actor, which would leave it
	 * behind. */
	me->pid = 0;
	me->undo = ward_defer(self, end_saboteur, me);
	me->said_length = 0;
	int error = saboteur_start(what, me->args->job->db, number, &me->pid, &me->pipe);
	if (error)
		return ward_failed(self, &chaos_failure, "saboteur: %s", strerror(error));
	ward_adopt_fd(self, me->pipe);
	ward_fd_watch(self, me->pipe, WARD_FD_READ);
	return WARD_DONE;
}

/* Reads what the saboteur says, line by line, until it ends. */
static ward_result hear_saboteur(ward_self *self, struct chaos *me)
{
	ssize_t got =
		read(me->pipe, me->said + me->said_length, sizeof(me->said) - 1 - me->said_length);
	if (got > 0) {
		me->said_length += (size_t)got;
		me->said[me->said_length] = '\0';
		char *newline = strchr(me->said, '\n');
		if (newline || me->said_length == sizeof(me->said) - 1) {
			if (newline)
				*newline = '\0';
			announce(self, me, me->said);
			let_flow(self);
			me->said_length = 0;
		}
		ward_fd_watch(self, me->pipe, WARD_FD_READ);
		return WARD_DONE;
	}
	/* Its end of the pipe is closed: it has ended, or is about to. */
	ward_undefer(self, me->undo);
	saboteur_wait(me->pid);
	if (ward_close_fd(self, me->pipe) != WARD_OK)
		return ward_failed(self, &chaos_failure, "pipe: %s", ward_err_detail());
	wait_for_next(self, me);
	return WARD_DONE;
}

/* ---- the folder -------------------------------------------------------------------------- */

static void show_folder(void *arg)
{
	const struct hidden *hidden = arg;
	unlink(hidden->folder);
	rename(hidden->away, hidden->folder);
}

static ward_result hide_folder(ward_self *self, struct chaos *me)
{
	struct hidden *hidden = ward_alloc(self, sizeof(*hidden));
	hidden->folder = dirname(ward_strdup(self, me->args->job->db));
	size_t room = strlen(hidden->folder) + sizeof(CHAOS_AWAY);
	hidden->away = ward_alloc(self, room);
	snprintf(hidden->away, room, "%s" CHAOS_AWAY, hidden->folder);
	if (rename(hidden->folder, hidden->away) != 0)
		return ward_failed(self, &chaos_failure, "%s: cannot be renamed: %s",
				   hidden->folder, strerror(errno));
	me->undo = ward_defer(self, show_folder, hidden);
	int fd = open(hidden->folder, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return ward_failed(self, &chaos_failure, "%s: %s", hidden->folder, strerror(errno));
	close(fd);
	announce(self, me, "the folder of the database is a file now");
	let_flow(self);
	ward_after(self, 1, FOLDER_MS, put_back);
	return WARD_DONE;
}

/* ---- one after the other ----------------------------------------------------------------- */

static ward_result bad_line(ward_self *self, struct chaos *me, bool poison)
{
	struct job *job = me->args->job;
	struct why why;
	int64_t size;
	if (!spoil_line(job->sources, job->chaos_source, poison ? job->poison : NULL,
			dice_roll(&me->dice, 100), &size, &why))
		return ward_failed(self, &chaos_failure, "%s", why.text);
	announce(self, me, poison ? "a line that kills its parser" : "a malformed line");
	must_tell(self, ward_parent(self), grown, .source = (uint32_t)job->chaos_source,
		  .size = size);
	wait_for_next(self, me);
	return WARD_DONE;
}

static ward_result begin_fault(ward_self *self, struct chaos *me)
{
	switch (me->order[me->begun++]) {
	case FAULT_LOCK:
		return send_saboteur(self, me, "lock", LOCK_MS);
	case FAULT_MAIN:
		return send_saboteur(self, me, "main", dice_roll(&me->dice, UINT32_MAX));
	case FAULT_WAL:
		return send_saboteur(self, me, "wal", dice_roll(&me->dice, UINT32_MAX));
	case FAULT_FOLDER:
		return hide_folder(self, me);
	case FAULT_ROOM:
		announce(self, me, "the database may no longer grow");
		must_tell(self, me->args->writer, squeeze);
		wait_for_next(self, me);
		return WARD_DONE;
	case FAULT_MALFORMED:
		return bad_line(self, me, false);
	case FAULT_POISON:
	case FAULTS:
		break;
	}
	return bad_line(self, me, true);
}

/* What a chaos before us put into the spool; the ledger is new, too. */
static void tell_size(ward_self *self, const struct job *job)
{
	struct stat status;
	if (fstat(job->sources->all[job->chaos_source].fd, &status) == 0 && status.st_size > 0)
		must_tell(self, ward_parent(self), grown, .source = (uint32_t)job->chaos_source,
			  .size = status.st_size);
}

static ward_result chaos_init(ward_self *self, void *state, const void *args)
{
	struct chaos *me = state;
	me->args = args;
	me->dice.state = me->args->job->seed;
	for (int i = 0; i < FAULTS; i++) {
		int j = (int)dice_roll(&me->dice, (uint64_t)i + 1);
		me->order[i] = me->order[j];
		me->order[j] = (enum fault)i;
	}
	tell_size(self, me->args->job);
	wait_for_next(self, me);
	return WARD_DONE;
}

static ward_result chaos_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct chaos *me = state;
	if (ward_match(msg, strike))
		return begin_fault(self, me);
	if (ward_match(msg, ward_fd_ready))
		return hear_saboteur(self, me);
	if (ward_match(msg, put_back)) {
		ward_run_deferred(self, me->undo);
		wait_for_next(self, me);
		return WARD_DONE;
	}
	return WARD_UNHANDLED;
}

const ward_behavior chaos_behavior = {
	.name = "chaos",
	.state_size = sizeof(struct chaos),
	.args = &ward_type_sink_args,
	.init = chaos_init,
	.receive = chaos_receive,
};
