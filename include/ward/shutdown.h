/* SPDX-License-Identifier: MIT
 *
 * ward/shutdown.h - the ordered end of a system: phases and their tasks.
 *
 *	1. The phases run one after the other. They are rows of a table. An actor joins a phase
 *	   with a task: when the phase begins, the actor gets a ward_shutdown_task and answers
 *	   ward_shutdown_done. The tasks of one phase run at the same time. The next phase begins
 *	   when all tasks are done, or at the timeout of the phase.
 *	2. /user stops, and with it all actors of the program.
 *	3. The phase WARD_PHASE_SERVICES runs: tasks of services, after the program's actors.
 *	4. The services under /system stop, in reverse order of their start; then /system, then /.
 *
 * ward_system_shutdown() starts the end; so do ward_system_destroy() and the end of ward_run(). If
 * no actor has joined a phase, step 2 is the first. If /user ends before a shutdown, because its
 * guardian gave up, the phases run after it, with the tasks of the services under /system.
 */
#ifndef WARD_SHUTDOWN_H
#define WARD_SHUTDOWN_H

#include <ward/actor.h>

WARD_BEGIN

/** Sizes of names and texts, including the terminating 0, and of tables. */
enum {
	WARD_PHASE_NAME = 32,
	WARD_PHASES_MAX = 32,
	WARD_TASK_NAME = 64,
	WARD_REASON_TEXT = 128,
	WARD_PHASE_AFTER = 4
};

/** One row of options.phases. A NULL name ends the table. */
typedef struct ward_phase {
	/** Letters, digits and the other characters of actor names. */
	const char *name;
	/** Names of phases that run before it; their rows may be anywhere in the table. Phases run
	 *  one at a time: the next is the first row whose predecessors have all run. */
	const char *after[WARD_PHASE_AFTER];
	/** Default: 5 seconds; WARD_FOREVER: waits for all tasks. Longer than the longest back-off
	 *  of what the phase drains: messages of a child that is down wait for its next start. */
	int64_t timeout_ms;
	/** true: at the timeout the later phases are skipped, except WARD_PHASE_SERVICES, and /user
	 *  stops at once. */
	bool abort_on_timeout;
	uintptr_t reserved[2]; /* zero */
} ward_phase;

/**
 * The phases of a system whose options name none, each after the previous one:
 *
 *	before-service-unbind         last preparations, while everything still works
 *	service-unbind                accept nothing new
 *	service-requests-done         finish what was accepted
 *	service-stop                  close what is open
 *	before-actor-system-terminate
 *	actor-system-terminate        last, before /user stops; timeout 10 seconds
 */
WARD_API extern const ward_phase ward_default_phases[];

/**
 * The phase after the end of /user. It exists without a row in options.phases, which may not
 * contain its name.
 *
 * It begins when /user is gone and waits for all its tasks, without a timeout; only then do the
 * services under /system stop. Messages that actors sent to a service before they ended arrive
 * before the task: a logger that answers the task has written everything that was logged under
 * /user. Since actors under /user are gone by then, this phase is for services
 * (ward_system_spawn_service()).
 *
 * ward_system_destroy() names a task that is not done within its deadline. If /system itself ends
 * through an escalated failure, the tasks are not run.
 *
 * Contract   S77
 */
#define WARD_PHASE_SERVICES "services"

/** The message that starts a task, when its phase begins. */
struct ward_shutdown_task {
	char phase[WARD_PHASE_NAME];
	char task[WARD_TASK_NAME];
	char reason[WARD_REASON_TEXT]; /* the reason of the shutdown; cut to fit */
};
WARD_API extern const ward_type ward_type_ward_shutdown_task;
/** The answer to a ward_shutdown_task: `ward_reply(self, msg, ward_shutdown_done)`. */
WARD_SIGNAL(ward_shutdown_done);

/**
 * Joins a phase of the shutdown: the running actor gets a ward_shutdown_task when the phase begins.
 *
 * The task is done when the message is answered with ward_reply(self, msg, ward_shutdown_done), now
 * or later, by this actor or by one to which it was forwarded. It also counts as done when the
 * actor stops, or restarts after it got the message, since no answer would come. At the timeout of
 * the phase a WARD_EVENT_NOTE names the late tasks, and the shutdown goes on; their answers become
 * dead letters.
 *
 * The registration belongs to the actor, not to the incarnation. To join again with the same name
 * is WARD_OK and has no effect, even when the task is done, so pre_start may do it. An actor may
 * have one task in each phase.
 *
 * Ownership  copies both names. All memory is allocated here; the answer needs none.
 * Cost       O(phases), regardless of the number of actors; an answer as to a thread outside: see
 *            ward_send().
 * Errors     WARD_ENOENT no such phase; WARD_ENAME the task has no name, or one longer than
 *            WARD_TASK_NAME - 1; WARD_EEXIST the actor has another task in this phase;
 *            WARD_ESTOPPING the phase has begun, or is over; WARD_EINVAL phase is NULL;
 *            WARD_ENOMEM.
 * Contract   S77
 */
WARD_API WARD_MUST_USE ward_err ward_try_shutdown_join(ward_self *self, const char *phase,
						       const char *task);
/** Calls ward_try_shutdown_join(); a refusal makes self fail when the callback returns: see
 *  ward_failed_err(). Cost: the same. */
static inline void ward_shutdown_join(ward_self *self, const char *phase, const char *task)
{
	(void)ward_noted_(self, ward_try_shutdown_join(self, phase, task));
}

/** Returns the timeout of a phase in milliseconds, or WARD_FOREVER; 0: there is no such phase. For
 *  a task that has to be done within it. Threads: only inside a callback of self. Cost: O(phases).
 *  Contract: S77. */
WARD_API int64_t ward_shutdown_timeout(const ward_self *self, const char *phase);

/**
 * Registers fn as a task of a phase: it is called as fn(arg) on a thread of WARD_BLOCKING. For code
 * that is not an actor. Waits until the task has joined. Each call adds a task, even under a name
 * that is in use.
 *
 * A service under /system runs fn in a callback. So fn may block and may send to actors, but calls
 * that wait for the system, such as ward_system_ask(), return WARD_ETHREAD. If fn still runs at the
 * timeout of its phase, it delays the end of /system.
 *
 * Ownership  copies the names; borrows arg until fn has returned or, if its phase is skipped, until
 *            the system has ended.
 * Threads    any outside the system's actors; fn runs on one of the system's threads.
 * Cost       as ward_system_spawn_service(), with a thread of WARD_BLOCKING if there is none yet;
 *            ward_system_ask_send(); and ward_shutdown_join().
 * Errors     those of ward_try_shutdown_join(); WARD_ETHREAD, WARD_EFORKED, WARD_ELIMIT;
 *            WARD_EINVAL no function. fn is never called then.
 */
WARD_API WARD_MUST_USE ward_err ward_system_on_shutdown(ward_system *system, const char *phase,
							const char *task,
							void (*fn)(void *arg) WARD_NOEXCEPT,
							void *arg);

/**
 * Starts the ordered end of the system: the tasks of the phases, if there are any; then /user
 * stops, then /system, then /. Returns at once; may be called inside an actor. ward_system_wait()
 * waits for the end.
 *
 * Idempotent: only the first call counts, and its reason is in the tasks and in an event. NULL: no
 * reason; the tasks get an empty one, and there is no event, even if a later call has a reason.
 *
 * Ownership  copies the reason; it is cut to fit.
 * Threads    any.
 * Cost       O(1) here, takes a lock of the system; allocates nothing.
 * Contract   S77, S78
 */
WARD_API void ward_system_shutdown(ward_system *system, const char *reason);

WARD_END
#endif
