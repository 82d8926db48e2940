/* SPDX-License-Identifier: MIT
 *
 * chaos.c - makes each fault happen once, in an order drawn from the seed, while lines flow.
 *
 * The faults are real and hit root, too. The ledger says when so many lines have passed, waits
 * until the fault is there, and lets lines flow into it; the next fault comes some hundred lines
 * after this one is over, so the sink has got over it by then. What a fault changes for a time
 * (the folder, the lock) is put back also if we are stopped meanwhile.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dice.h"
#include "failures.h"
#include "job.h"
#include "messages.h"
#include "saboteur.h"
#include "spoil.h"

enum {
	LOCK_MS = 2000,
	FOLDER_MS = 700,
	LINES_MIN = 150, /* between two faults, and up to twice as many more */
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
	ward_tell(self, ward_parent(self), flow);
}

/* The fault is over, as far as we are concerned. */
static void wait_for_next(ward_self *self, struct chaos *me)
{
	if (me->begun == FAULTS)
		ward_tell(self, ward_parent(self), chaos_over);
	else
		ward_tell(self, ward_parent(self), strike_at,
			  .more = LINES_MIN + dice_roll(&me->dice, 2 * LINES_MIN));
}

/* ---- the saboteur ------------------------------------------------------------------------ */

static void end_saboteur(void *arg)
{
	const pid_t *pid = arg;
	kill(*pid, SIGKILL);
	waitpid(*pid, NULL, 0);
}

/* Starts this program once more, with its output in a pipe. Gives an error number, or 0. */
static int spawn_saboteur(char *const argv[], int pipe_end, pid_t *ret_pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, ignored;
	sigemptyset(&none);
	sigemptyset(&ignored);
	sigaddset(&ignored, SIGPIPE);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, pipe_end, STDOUT_FILENO);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &ignored);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	int error = posix_spawn(ret_pid, "/proc/self/exe", &actions, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

static ward_result send_saboteur(ward_self *self, struct chaos *me, const char *what,
				 uint64_t number)
{
	int ends[2];
	char digits[32];
	snprintf(digits, sizeof(digits), "%llu", (unsigned long long)number);
	char *const argv[] = {"ward-sink",       SABOTEUR_OPTION, (char *)what,
			      me->args->job->db, digits,          NULL};
	if (pipe2(ends, O_CLOEXEC) != 0)
		return ward_failed(self, &chaos_failure, "pipe: %s", strerror(errno));
	int error = spawn_saboteur(argv, ends[1], &me->pid);
	close(ends[1]);
	me->pipe = ends[0];
	ward_adopt_fd(self, me->pipe);
	if (error)
		return ward_failed(self, &chaos_failure, "saboteur: %s", strerror(error));
	me->undo = ward_defer(self, end_saboteur, &me->pid);
	me->said_length = 0;
	if (ward_fd_watch(self, me->pipe, WARD_FD_READ) != WARD_OK)
		return ward_failed(self, &chaos_failure, "saboteur: %s", ward_err_detail());
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
		if (ward_fd_watch(self, me->pipe, WARD_FD_READ) != WARD_OK)
			return ward_failed(self, &chaos_failure, "saboteur: %s", ward_err_detail());
		return WARD_DONE;
	}
	/* Its end of the pipe is closed: it has ended, or is about to. */
	ward_undefer(self, me->undo);
	waitpid(me->pid, NULL, 0);
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
	if (ward_after(self, 0, FOLDER_MS, put_back) != WARD_OK)
		return ward_failed(self, &chaos_failure, "%s", ward_err_detail());
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
	ward_tell(self, ward_parent(self), grown, .source = (uint32_t)job->chaos_source,
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
		announce(self, me, "the database may not grow any more");
		ward_tell(self, me->args->writer, squeeze);
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
