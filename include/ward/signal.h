/* SPDX-License-Identifier: MIT
 *
 * ward/signal.h - signals of the process as messages.
 *
 *	ward_signal_watch(self, SIGHUP);			in pre_start
 *
 *	if (ward_match(msg, ward_signal))			in receive
 *		reload(state);
 *
 * Any number of actors, also of several systems in the process, may watch a number: each gets it.
 * A burst never fills a mailbox: at most one notice of a watch waits, and its count says how many
 * signals it stands for. A standard signal that comes while one of its number is pending is merged
 * by the kernel, and is not counted; real-time signals are queued, so their count is exact.
 *
 * While somebody watches a number, ward has a handler for it. The handler only counts, so no thread
 * has to block anything; it may run on any thread of the program that does not block the signal.
 * Calls there are restarted (SA_RESTART), but some return EINTR nevertheless, such as poll(). The
 * last watch of the process that ends gives the previous disposition back. An exec resets it, and a
 * watch changes no mask, so a program that is started gets the mask of the thread that starts it.
 * In a child process after fork(), until the exec, the signal does what it did before the watch.
 *
 * A watched signal no longer has its default action: a program whose actor watches SIGTERM goes on
 * until that actor ends it. If the system has options.signals, what one of its actors watches does
 * not begin the shutdown, and does not kill the process either; when the last of these watches has
 * ended, it does again.
 *
 * A signal that was ignored can be watched, too: then it is no longer ignored. To respect nohup and
 * the like look at the disposition first: sigaction() shows SIG_IGN.
 *
 * These cannot be watched: SIGKILL and SIGSTOP, which no process can take; SIGSEGV, SIGBUS, SIGFPE,
 * SIGILL, SIGTRAP, SIGSYS and SIGABRT, faults of a thread, some of which options.faults contains;
 * SIGPIPE, SIGXFSZ, SIGTTIN and SIGTTOU, answers to a call, which returns an error on the threads
 * of a system; and a signal that has a handler of the program, to which it is left.
 *
 * The watch of SIGCHLD does not report children that stop or go on, and not each child that ends
 * either, since the kernel merges: call waitpid() with WNOHANG until it finds none.
 *
 * A simulation has no signals of the process: a test raises them by ward_system_signal().
 */
#ifndef WARD_SIGNAL_H
#define WARD_SIGNAL_H

#include <sys/types.h>

#include <ward/failure.h>

WARD_BEGIN

/** The notice of a watched signal. It has no sender, and may be sent on like any message. `from`,
 *  `uid` and `value` are those of the last signal that it stands for. Contract: S131. */
struct ward_signal {
	int number;     /* such as SIGHUP */
	uint32_t count; /* how many have come since the last notice of this watch; at least 1 */
	/** The process that sent it by kill() or the like; with SIGCHLD, the child. 0: the kernel
	 *  sent it. */
	pid_t from;
	uid_t uid; /* the user of that process */
	int value; /* of sigqueue(); else 0 */
};
WARD_API extern const ward_type ward_type_ward_signal;

/**
 * Watches a signal of the process: each one that comes is noticed by a ward_signal, until the watch
 * ends with ward_signal_unwatch() or with the incarnation. If self watches it already, nothing
 * happens.
 *
 * A restart loses no signal of an actor that watches it again in its start: what comes in between,
 * or was not handled before, is noticed then. Until the start has succeeded the signal does not get
 * its default action back. After a stop it does, at once if nobody else watches it.
 *
 * A notice is accepted by any mailbox, and is not counted by its policy. If the actor ends first it
 * is not a dead letter. The memory of the first notice is reserved here, and that of the next one
 * when self gets one; if there is none then, the next one comes as soon as there is.
 *
 * Threads    the process gets a thread for its signals with the first watch, until the last system
 *            that watches is destroyed.
 * Cost       O(watches of self), memory for a record and a message, a lock of the process; the
 *            first of a number a few system calls, and the first of a system a thread. A signal:
 *            O(watches of the process).
 * Errors     WARD_EINVAL a number that cannot be watched; WARD_EEXIST the program has a handler;
 *            WARD_ESYS; WARD_ENOMEM. There is no watch then.
 * Contract   S131, S132
 */
WARD_API WARD_MUST_USE ward_err ward_try_signal_watch(ward_self *self, int number);
/** Calls ward_try_signal_watch(); a refusal makes self fail when the callback returns: see
 *  ward_failed_err(). Cost: the same. */
static inline void ward_signal_watch(ward_self *self, int number)
{
	(void)ward_noted_(self, ward_try_signal_watch(self, number));
}

/** Ends a watch: no ward_signal of this number is noticed for self after this call, not even one
 *  that is already in the mailbox. A number that is not watched is ignored. Cost: O(watches of
 *  self), a lock of the process; the last of a number a few system calls, and a short wait for the
 *  thread of the signals. Contract: S131, S132. */
WARD_API void ward_signal_unwatch(ward_self *self, int number);

/**
 * Acts for the actors of one system that watch the number as if such a signal had come, with these
 * values; a count of 0 counts as 1. Meant for tests: it is how a simulation gets a signal. Nothing
 * else happens, so no shutdown begins.
 *
 *	ward_system_signal(system, &(struct ward_signal){.number = SIGHUP});
 *
 * Threads    any outside; not in a handler of signals.
 * Cost       O(watches of the process), and a lock of it.
 * Errors     WARD_EINVAL a number that cannot be watched; WARD_ENOENT none of its actors watches
 *            it; WARD_EFORKED; WARD_ETHREAD a simulation of another thread.
 * Contract   S131
 */
WARD_API ward_err ward_system_signal(ward_system *system, const struct ward_signal *signal);

WARD_END
#endif
