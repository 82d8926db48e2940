/* SPDX-License-Identifier: MIT
 *
 * lock.h - the order of all locks, and mutexes that keep it. What each lock protects is in
 * docs/internals/locks.md.
 *
 * The rule: a thread takes a lock only if the rank of each lock that it holds is lower. So it never
 * has two of the same rank, nor the same lock twice. A wait on a condition takes its mutex again
 * when it ends, so no other lock of that rank or a higher one may be held then. There is no
 * trylock; a thief that finds another thief at a run queue turns back, but may have to wait for the
 * owner, and keeps the rule.
 *
 * In a debug build each thread keeps a list of the locks that it holds, and where it took them; a
 * thread that breaks the rule ends the process with a text that names both locks and both places
 * (lock.c). A release build has none of that: no code, and no space in a lock.
 */
#ifndef WARDI_LOCK_H
#define WARDI_LOCK_H

#include <pthread.h>

/* Each lock with its rank and name. A test compares the list with docs/internals/locks.md. */
#define WARDI_LOCKS(LOCK)                                                                          \
	LOCK(WATCHES, 1, "watches.mu")                                                             \
	LOCK(OPENING, 1, "sched.opening_mu")                                                       \
	LOCK(SIGNALS_OPENING, 1, "signals.opening_mu")                                             \
	LOCK(TIMERS, 2, "timers.mu")                                                               \
	LOCK(HOLDS, 2, "system.holds_mu")                                                          \
	LOCK(SIGNALS, 2, "signals.mu")                                                             \
	LOCK(BOUNDED, 3, "bounded.mu")                                                             \
	LOCK(DISPATCHER, 3, "dispatcher.mu")                                                       \
	LOCK(RUNQUEUE, 4, "runqueue.lock")                                                         \
	LOCK(THREADS, 4, "threads.mu")                                                             \
	LOCK(OUTSIDE, 4, "system.outside_mu")                                                      \
	LOCK(INBOX, 4, "inbox.mu")                                                                 \
	LOCK(EVENTS, 4, "system.events_mu")                                                        \
	LOCK(LINKS, 4, "system.links_mu")                                                          \
	LOCK(STATUSES, 4, "system.statuses_mu")                                                    \
	LOCK(SELVES, 4, "system.selves_mu")                                                        \
	LOCK(SHUTDOWN, 4, "shutdown.mu")                                                           \
	LOCK(FAULTS, 4, "hardware_fault.mu")                                                       \
	LOCK(FOREIGN_SENDS, 4, "foreign_sends.mu")                                                 \
	LOCK(TABLE, 4, "table.mu")                                                                 \
	LOCK(PLACES, 4, "places.mu")                                                               \
	LOCK(BOUNDED_POOL, 4, "system.bounded_mu")                                                 \
	LOCK(GRACE, 4, "grace.mu")                                                                 \
	LOCK(POLLER, 5, "poller.mu")                                                               \
	LOCK(FREE_CELLS, 5, "free_cells.lock")                                                     \
	LOCK(STARTER, 5, "starter.mu")                                                             \
	LOCK(COMMANDS, 5, "commands.spin")                                                         \
	LOCK(DEADLOG, 5, "deadlog.spin")                                                           \
	LOCK(PATH, 5, "system.path_locks")                                                         \
	LOCK(SHARD, 6, "pool.shards")                                                              \
	LOCK(DEPOT, 7, "depot.mu")                                                                 \
	LOCK(ALLOC, 8, "alloc.spin")

enum wardi_lock {
#define WARDI_LOCK_(which, rank, name) WARDI_LOCK_##which,
	WARDI_LOCKS(WARDI_LOCK_) WARDI_LOCK_COUNT
#undef WARDI_LOCK_
};

/* Not for coverage, which builds without invariants. */
#if defined(WARDI_SLOW_ASSERTS) && !defined(WARDI_NO_ASSERT)
#define WARDI_LOCKS_CHECKED 1
#define WARDI_PLACE_TEXT_(line) #line
#define WARDI_PLACE_AT_(line) WARDI_PLACE_TEXT_(line)
#define WARDI_LOCK_PLACE __FILE__ ":" WARDI_PLACE_AT_(__LINE__)

/* Call before the lock is taken, with the place. */
void wardi_lock_take(const void *lock, enum wardi_lock which, const char *place);
/* Call before it is released. */
void wardi_lock_drop(const void *lock, const char *place);
/* Call before a wait, which releases it and takes it again. */
void wardi_lock_wait(const void *lock, const char *place);
/* Call before a callback or a jump, which must not happen under a lock. */
void wardi_lock_none(const char *place);
#else
#define WARDI_LOCKS_CHECKED 0
#define wardi_lock_take(lock, which, place) ((void)0)
#define wardi_lock_drop(lock, place) ((void)0)
#define wardi_lock_wait(lock, place) ((void)0)
#define wardi_lock_none(place) ((void)0)
#endif

struct wardi_mutex {
	pthread_mutex_t mutex;
#if WARDI_LOCKS_CHECKED
	enum wardi_lock which; /* frozen */
#endif
};

#if WARDI_LOCKS_CHECKED
#define WARDI_MUTEX_INIT(which)                                                                    \
	{                                                                                          \
		PTHREAD_MUTEX_INITIALIZER, which                                                   \
	}
#define wardi_mutex_init_as(mu, which_, attr)                                                      \
	((mu)->which = (which_), (void)pthread_mutex_init(&(mu)->mutex, attr))
#else
#define WARDI_MUTEX_INIT(which)                                                                    \
	{                                                                                          \
		PTHREAD_MUTEX_INITIALIZER                                                          \
	}
#define wardi_mutex_init_as(mu, which, attr) ((void)pthread_mutex_init(&(mu)->mutex, attr))
#endif
#define wardi_mutex_init(mu, which) wardi_mutex_init_as(mu, which, NULL)
#define wardi_mutex_destroy(mu) ((void)pthread_mutex_destroy(&(mu)->mutex))

/* Macros, for the place; `mu` is evaluated more than once. */
#define wardi_mutex_lock(mu)                                                                       \
	(wardi_lock_take(mu, (mu)->which, WARDI_LOCK_PLACE), (void)pthread_mutex_lock(&(mu)->mutex))
#define wardi_mutex_unlock(mu)                                                                     \
	(wardi_lock_drop(mu, WARDI_LOCK_PLACE), (void)pthread_mutex_unlock(&(mu)->mutex))
#define wardi_cond_wait(cond, mu)                                                                  \
	(wardi_lock_wait(mu, WARDI_LOCK_PLACE), (void)pthread_cond_wait(cond, &(mu)->mutex))
/* Returns what pthread_cond_timedwait() returns. */
#define wardi_cond_timedwait(cond, mu, until)                                                      \
	(wardi_lock_wait(mu, WARDI_LOCK_PLACE), pthread_cond_timedwait(cond, &(mu)->mutex, until))

#endif
