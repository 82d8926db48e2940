/* SPDX-License-Identifier: MIT
 *
 * ward/shutdown.h - the end of a system, in order: phases and their tasks.
 *
 *	1. The phases, one after the other: a table of names. An actor joins one with a task; when
 *	   the phase comes it gets a ward_shutdown_task and answers ward_shutdown_done. The tasks of
 *	   one phase run at the same time; the next phase begins when all are done, or at the
 *	   timeout of the phase.
 *	2. /user stops, and with it all actors of the program.
 *	3. The phase WARD_PHASE_SERVICES: tasks of services, for when no actor of the program is
 *	   left.
 *	4. The services under /system stop, the last started first; then /system, then /.
 *
 * ward_system_shutdown() begins it; so do ward_system_destroy() and the end of ward_run(). Without
 * a task the end begins with the second step. When /user ends without having been asked to, because
 * its guardian gave up, the tasks of those that are left come after it.
 */
#ifndef WARD_SHUTDOWN_H
#define WARD_SHUTDOWN_H

#include <ward/actor.h>

WARD_BEGIN

/** Sizes of names and texts, the 0 at the end included, and of tables. */
enum {
	WARD_PHASE_NAME = 32,
	WARD_PHASES_MAX = 32,
	WARD_TASK_NAME = 64,
	WARD_REASON_TEXT = 128,
	WARD_PHASE_AFTER = 4
};

/** One row of options.phases. A NULL name ends the table. */
typedef struct ward_phase {
	const char *name;                    /* letters, digits and what else names may have */
	const char *after[WARD_PHASE_AFTER]; /* names of other rows that come before it */
	int64_t timeout_ms;                  /* 5 seconds; WARD_FOREVER: waits for all */
	/** At the timeout the phases after it are skipped, but for that of services, and /user
	 *  stops at once. */
	bool abort_on_timeout;
	uintptr_t reserved[2]; /* zero */
} ward_phase;

/**
 * The phases of a system whose options name none, each after the one before:
 *
 *	before-service-unbind         last preparations, while all still works
 *	service-unbind                accept nothing new
 *	service-requests-done         what was accepted is finished
 *	service-stop                  close what is open
 *	before-actor-system-terminate
 *	actor-system-terminate        last, before /user stops; it has 10 seconds
 */
WARD_API extern const ward_phase ward_default_phases[];

/**
 * The phase behind /user. It is there without a row in options.phases, and none may have its name.
 *
 * It comes when /user is gone, and waits for all its tasks, without a timeout; the services under
 * /system stop only then. What an actor sent to a service before it ended comes before the task: a
 * logger that answers it has written all that was said under /user. Actors under /user are gone
 * when it comes, so this is for services (ward_system_spawn_service()).
 *
 * ward_system_destroy() names a task that is not done within its deadline. When /system itself is
 * ended, by a failure that escalates to it, nobody is asked.
 *
 * Contract   S77
 */
#define WARD_PHASE_SERVICES "services"

/** Asks for a task, when its phase has come. */
struct ward_shutdown_task {
	char phase[WARD_PHASE_NAME];
	char task[WARD_TASK_NAME];
	char reason[WARD_REASON_TEXT]; /* why the system ends; cut to fit */
};
WARD_API extern const ward_type ward_type_ward_shutdown_task;
/** The answer to it: ward_reply(self, msg, ward_shutdown_done). */
WARD_SIGNAL(ward_shutdown_done);

/**
 * Joins a phase: the running actor gets a ward_shutdown_task when it comes.
 *
 * The task is done when it is answered, also later and by whom the message was forwarded to, with
 * ward_reply(self, msg, ward_shutdown_done). It also counts as done when the actor stops, and when
 * it restarts after it got the message: the answer would never come. At the timeout of the phase
 * an event (WARD_EVENT_NOTE) names those that are late, and the shutdown goes on; their answers are
 * dead letters then.
 *
 * The registration goes with the actor, not with the incarnation; to join again with the same name
 * changes nothing, also when the task is done, so pre_start may do it. One task for each actor and
 * phase.
 *
 * Ownership  copies both names. All memory that is needed is taken here; the answer needs none.
 * Cost       O(phases), however many actors have joined; an answer as one to a thread outside: see
 *            ward_send().
 * Errors     WARD_ENOENT no such phase; WARD_ENAME the task has no name, or a longer one than
 *            WARD_TASK_NAME - 1; WARD_EEXIST another task of this actor is in the phase;
 *            WARD_ESTOPPING the phase has begun, or is over; WARD_ENOMEM, WARD_EINVAL.
 * Contract   S77
 */
WARD_API WARD_MUST_USE ward_err ward_try_shutdown_join(ward_self *self, const char *phase,
						       const char *task);
/** The same, where a refusal is a failure: see ward_failed_err(). Cost: the same. */
static inline void ward_shutdown_join(ward_self *self, const char *phase, const char *task)
{
	(void)ward_noted_(self, ward_try_shutdown_join(self, phase, task));
}

/**
 * Calls fn(arg) as a task of a phase, on a thread of WARD_BLOCKING: for what is no actor.
 *
 * An actor of its own under /system does it, so it may take its time; one that is still at it when
 * its phase times out holds up the end of /system. Waits until the task has joined.
 *
 * Threads    any outside the system's actors; fn runs on one of the system's threads.
 * Cost       as ward_system_spawn_service(), with a thread of WARD_BLOCKING where there is none
 *            yet; ward_system_ask_send(); and ward_shutdown_join().
 * Errors     those of ward_shutdown_join(); WARD_ETHREAD, WARD_EFORKED, WARD_ELIMIT; WARD_EINVAL no
 *            function. Then fn is never called.
 */
WARD_API WARD_MUST_USE ward_err ward_system_on_shutdown(ward_system *system, const char *phase,
							const char *task,
							void (*fn)(void *arg) WARD_NOEXCEPT,
							void *arg);

/**
 * Begins the end of the system, in order: the tasks of the phases, if there are any; then /user
 * stops, then /system, then /. Returns at once; also from inside an actor.
 *
 * Idempotent: the first reason is the one that the tasks get and that an event tells. NULL: none;
 * the tasks get an empty one, and there is no event. ward_system_wait() waits for the end.
 *
 * Ownership  copies the reason; it is cut to fit.
 * Threads    any.
 * Cost       O(1) here, takes a lock of the system; allocates nothing.
 * Contract   S77, S78
 */
WARD_API void ward_system_shutdown(ward_system *system, const char *reason);

WARD_END
#endif
