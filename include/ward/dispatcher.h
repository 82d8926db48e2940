/* SPDX-License-Identifier: MIT
 *
 * ward/dispatcher.h - the threads that run actors: how many there are, what they are like, and how
 * long one actor has a thread.
 *
 * A dispatcher is a set of threads with the actors that are ready to run on them. Each system has
 * three: the workers, a pool for actors that block, and a thread of its own for each pinned actor.
 * A program may add pools. props.dispatcher says where an actor runs; options.dispatchers says what
 * the threads are like:
 *
 *	static const ward_dispatcher dispatchers[] = {
 *		{.name = WARD_WORKERS, .throughput_deadline_ms = 1, .cpus = "2-7"},
 *		{.name = WARD_BLOCKING, .threads = 64, .keep_alive_ms = 10 * WARD_SECOND},
 *		{.name = "reports", .threads = 2, .scheduling = WARD_SCHEDULING_BATCH, .nice = 10},
 *		{.name = NULL},
 *	};
 *	const ward_options options = {.dispatchers = dispatchers};
 *
 * A pool starts a thread when more actors are ready than threads are idle, up to `threads`. A
 * thread that has been idle for keep_alive_ms ends, unless no more than threads_min are left.
 *
 * Settings of threads are tried when the system is created: ward_system_create() returns WARD_ESYS
 * if the operating system refuses one, and ward_err_detail() says which, and what to do. If it
 * refuses a later thread, because the process has given up rights since, a spawn that needs the
 * thread fails; if the thread would only have helped others, an event of kind WARD_EVENT_NOTE says
 * so, and the start is tried again. Where any row has `cpus`, `scheduling` or `nice`, threads
 * without such a setting are like the thread that created the system, wherever they are started.
 *
 * With options.driven the worker is a thread of the program: a row for WARD_WORKERS can limit turns
 * there, but not say what the thread is like.
 *
 * In a simulation there are no threads. `throughput` has an effect there, and all names and values
 * are checked; nothing else has an effect.
 */
#ifndef WARD_DISPATCHER_H
#define WARD_DISPATCHER_H

#include <ward/types.h>

WARD_BEGIN

/** The dispatcher of actors that name none: workers, which take ready actors from each other. */
#define WARD_WORKERS "ward.workers"
/**
 * For props.dispatcher: a pool of threads for actors that block.
 *
 * A callback that blocks (on a disk, a database, a lock) occupies the worker that runs it. The
 * other workers take over the actors that are queued behind it. But when all workers are blocked,
 * nothing else runs: no actor, no timer, no socket. So an actor that may block belongs here, or on
 * a thread of its own.
 */
#define WARD_BLOCKING "ward.blocking"
/** For props.dispatcher: a thread that only this actor uses. */
#define WARD_PINNED "ward.pinned"

/**
 * The scheduling class of threads, see sched(7).
 *
 * A thread of FIFO or RR runs until it waits, before all threads of other classes on its processor.
 * Give it processors that no other thread of the system uses (`cpus` in both rows): the runtime
 * waits for other threads in a few places, for some instructions, and on the same processor they
 * would not get to run.
 */
typedef enum ward_scheduling {
	WARD_SCHEDULING_DEFAULT = 0, /* that of the thread that creates the system */
	WARD_SCHEDULING_OTHER = 1,   /* SCHED_OTHER, with `nice` */
	WARD_SCHEDULING_BATCH = 2,   /* SCHED_BATCH, with `nice` */
	WARD_SCHEDULING_IDLE = 3,    /* SCHED_IDLE: runs when nothing else does */
	WARD_SCHEDULING_FIFO = 4,    /* SCHED_FIFO, with `priority`; needs rights */
	WARD_SCHEDULING_RR = 5       /* SCHED_RR, with `priority`; needs rights */
} ward_scheduling;

/** A dispatcher: one of the library's own, described by a row, or a pool of the program. Zero is
 *  the default in every field. */
typedef struct ward_dispatcher {
	/** WARD_WORKERS, WARD_BLOCKING, WARD_PINNED, or the name of a pool: 1 to 64 bytes, not with
	 *  "ward." at the front. */
	const char *name;
	/** The maximum number of threads. A pool of the program: at least 1. WARD_BLOCKING: by
	 *  default options.blocking, or 16. WARD_WORKERS: all of them run from the start to the
	 *  end; by default options.workers, or the number of processors in `cpus`, or of those that
	 *  the process may use. Not for WARD_PINNED. */
	uint32_t threads;
	/** Pools: threads that do not end although they are idle, once started; default: 1. */
	uint32_t threads_min;
	/** Pools: how long a thread is idle before it ends; default: a minute; WARD_FOREVER: it
	 *  stays. The thread that went idle last gets the next actor, so that the others can
	 *  end. */
	int64_t keep_alive_ms;
	/** Messages that an actor handles in one turn, before another has the thread; default: 100.
	 *  Few are fair to other actors, many are fast. In a simulation a turn has this many
	 *  messages; by default one, so that any order of messages is possible there. */
	uint32_t throughput;
	/** The time after which a turn ends although messages are left: the clock is read before
	 *  and after each message. A message that takes longer is not interrupted. Default: no
	 *  limit. */
	int64_t throughput_deadline_ms;
	/** The processors that the threads may use, as in taskset(1): "0-3,8". NULL: those of the
	 *  thread that creates the system. */
	const char *cpus;
	ward_scheduling scheduling;
	int32_t priority; /* FIFO and RR: 1 to 99; default: 1 */
	/** OTHER and BATCH: -20 to 19, absolute; below that of the process it needs rights. 0: as
	 *  the thread that creates the system. */
	int32_t nice;
	/** Of each thread, in bytes, at least 64 KiB; default: that of the process (ulimit -s). The
	 *  guard at its end, 64 KiB, is added. */
	size_t stack_bytes;
	uintptr_t reserved[4]; /* zero */
} ward_dispatcher;

/**
 * Checks a row as ward_system_create() does, without asking the operating system: the name, the
 * ranges, and which settings go together. For programs that read rows from elsewhere.
 *
 * Cost       O(length of the texts).
 * Errors     WARD_EINVAL; WARD_EEXIST the name begins with "ward." but is none of the library's.
 */
WARD_API WARD_MUST_USE ward_err ward_dispatcher_check(const ward_dispatcher *dispatcher);

/** The threads of a dispatcher at one moment. */
typedef struct ward_dispatcher_info {
	const char *name;     /* borrowed for the call */
	uint32_t threads;     /* there are, or are starting; 0 in a simulation */
	uint32_t threads_max; /* WARD_PINNED: as many as there are */
	/** Of them, that run an actor, look for the next one after it, or are starting. */
	uint32_t threads_busy;
	uint64_t threads_started; /* since the creation of the system */
	uintptr_t reserved[4];
} ward_dispatcher_info;

/**
 * Calls `each` for every dispatcher of a system: WARD_WORKERS, WARD_BLOCKING, the pools of the
 * program, and WARD_PINNED (all pinned actors together); returns their number.
 *
 * The system does not stop for it: each row is correct by itself, but the rows are not of the same
 * moment. `each` must not call ward.
 *
 * Threads    any.
 * Cost       O(dispatchers and pinned actors), with a lock of each.
 */
WARD_API size_t ward_system_dispatchers(ward_system *system,
					void (*each)(void *arg, const ward_dispatcher_info *info)
						WARD_NOEXCEPT,
					void *arg);

WARD_END

#endif
