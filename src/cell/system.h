/* SPDX-License-Identifier: MIT
 *
 * system.h - a tree of actors with its scheduler, memory and counters.
 *
 * The order of its locks is in base/lock.h. No callback of the user runs under any.
 */
#ifndef WARDI_SYSTEM_H
#define WARDI_SYSTEM_H

#include <pthread.h>
#include <stdatomic.h>

#include <ward/system.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/line.h"
#include "base/list.h"
#include "base/lock.h"
#include "base/pool.h"
#include "base/random.h"
#include "base/spin.h"
#include "cell/counters.h"
#include "mail/message.h"
#include "mail/ref.h"
#include "sched/sched.h"

struct wardi_hook;
struct wardi_segment;
struct wardi_sched;
struct wardi_seam;

struct wardi_cell;
struct wardi_bounded;
struct wardi_shutdown;
struct wardi_hardware_faults;
struct wardi_signals;
struct ward_self;

enum { WARDI_PATH_LOCKS = 64, WARDI_ACTORS_MAX = 1 << 24 };

enum { WARDI_NEAR = 64 /* groups of 16 slots with a shorter path to their cells */ };

/* The stage of the segments that leave (segments.c). */
enum wardi_segments_stage { WARDI_SEGMENTS_QUIET, WARDI_SEGMENTS_WAITING, WARDI_SEGMENTS_LOOKING };

struct wardi_gone;
struct wardi_places;

/* The cells of a system (table.c), and their segments (segments.c). */
struct wardi_table {
	/* frozen */
	uint32_t max;       /* options.actors_max */
	uint32_t cells_max; /* with spares */
	uint32_t segments_max;
	_Atomic(struct wardi_segment *) *segments; /* of cells; published with release */
	/* atomic, read by each tell */
	_Atomic uint32_t published; /* == used, for readers */
	/* The first cell of each group of 16 in the segments that grow: saves a tell the arithmetic
	 * of segments. Written before `published`. */
	_Atomic(struct wardi_cell *) near[WARDI_NEAR];
	char apart[WARDI_LINE]; /* keeps what workers write in turn off these */
	struct wardi_mutex mu;
	/* under mu */
	uint32_t used;             /* slots that have or had a cell */
	struct wardi_list some;    /* segments with free cells; the next to use first */
	struct wardi_list whole;   /* segments with all cells free */
	struct wardi_list leaving; /* segments that can no longer be found */
	struct wardi_list spares;  /* cells that were put aside (table.c) */
	uint32_t whole_count;
	uint32_t whole_least;    /* the least length of `whole` in this period */
	struct wardi_gone *gone; /* freed segments */
	int64_t period_end_ns;   /* INT64_MAX: no period runs */
	int64_t due_ns;          /* the next check, while a period runs */
	/* Atomic, between table and workers (free_cells.c): how often cells were sent, and
	 * arrived. */
	_Atomic uint32_t set_out, arrived;
	_Atomic bool tidying; /* a thread is tidying */
	/* the tidying thread only */
	enum wardi_segments_stage stage;
	int64_t wait_ns;      /* until grace is checked again */
	int64_t took_back_ns; /* when the workers' stocks were taken back last */
	char apart_too[WARDI_LINE];
};

_Static_assert(WARDI_APART(struct wardi_table, near, mu), "a tell reads no line of mu or a count");

struct wardi_counters {
	_Atomic uint64_t dead_letters, unhandled, events_lost;
	_Atomic uint64_t fds_adopted;
	_Atomic uint64_t shortages;
};

/* Which dead letters and unhandled messages the log gets (dead_letter_log.c). */
struct wardi_deadlog {
	/* frozen */
	uint64_t max; /* before a pause; UINT64_MAX: no pauses */
	int64_t pause_ms;
	bool at_shutdown;
	/* under spin */
	struct wardi_spin spin;
	uint64_t logged;   /* since the last pause */
	uint64_t unlogged; /* in this pause */
	int64_t until_ns;  /* of this pause */
};

/* In a line of its own: workers that spawn take them in turn. */
struct wardi_path_lock {
	struct wardi_spin spin;
	char apart[WARDI_LINE - sizeof(struct wardi_spin)];
};

_Static_assert(sizeof(struct wardi_path_lock) == WARDI_LINE, "no two are in one line");

struct ward_system {
	/* frozen */
	struct wardi_alloc alloc;
	struct wardi_clock clock;
	struct wardi_pool pool;
	struct wardi_sched *sched;
	char name[64];
	uint64_t seed;
	uint32_t place;
	const ward_simulation *simulation; /* NULL: on threads */
	pthread_t thread;                  /* simulated: the thread that made the system */
	struct wardi_seam *seam;           /* simulated: its points; else NULL */
	ward_ref root, user, system_guardian;
	struct wardi_cell *root_cell, *user_cell, *system_cell;
	ward_strategy user_strategy;
	void (*log)(void *arg, const ward_event *event);
	void *log_arg;
	uint32_t log_kinds;
	void (*fatal)(void *arg, const char *text);
	void *fatal_arg;
	struct wardi_hardware_faults *faults; /* NULL: faults are not contained */
	uint8_t *origin; /* a page that reads 1 here and 0 in a fork()ed child */

	/* atomic, seldom written, read for each failure and each end */
	_Atomic uint32_t event_kinds; /* with a listener (event.c) */
	_Atomic bool links_begun;     /* there was a link: else nobody looks (link.c) */

	struct wardi_table table;
	struct wardi_path_lock path_locks[WARDI_PATH_LOCKS];
	struct wardi_counters counters;
	_Atomic uint64_t life_numbers; /* numbers given out */

	struct wardi_mutex bounded_mu;
	struct wardi_bounded *bounded_free, *bounded_all; /* under bounded_mu */

	struct wardi_mutex selves_mu;
	struct wardi_list selves; /* under selves_mu */
	uint64_t turns_ended;     /* under selves_mu: of threads that have ended */
	struct wardi_life_counters
		life_counters; /* under selves_mu: likewise; at first of no thread */

	/* Threads that wait outside (outside.c). */
	struct wardi_mutex outside_mu;
	/* under outside_mu */
	struct wardi_list waiters;
	uint64_t waiter_ids;
	struct wardi_list inboxes; /* inbox.c */
	struct wardi_hook *hooks;  /* last registered first */
	bool down;                 /* the tree is down, and hooks have run */
	bool hooks_closed;

	struct wardi_shutdown *shutdown;

	/* The event stream (event.c). */
	struct wardi_mutex events_mu;
	struct wardi_list subscribers; /* under events_mu */
	uint64_t subscriber_ids;       /* under events_mu */

	/* Senders that full mailboxes hold back (backpressure.c). */
	struct wardi_mutex holds_mu;
	/* under holds_mu */
	struct wardi_hash holds; /* records, by the held actor */
	uint64_t hold_searches;  /* for circles, so far */
	int64_t hold_told_ns;    /* of the last event about a circle, if hold_told */
	uint64_t hold_untold;    /* circles since then */
	bool hold_told;

	/* Links between actors (link.c). */
	struct wardi_mutex links_mu;
	struct wardi_hash links; /* by pair; under links_mu */

	/* Statuses that actors publish (status.c). */
	struct wardi_mutex statuses_mu;
	struct wardi_hash statuses; /* by uid; under statuses_mu */

	struct wardi_deadlog deadlog; /* dead_letter_log.c */

	/* Set when /user stops. Relaxed everywhere: events at that moment may count as before or
	 * after. */
	_Atomic bool going_down;
	/* The same for the one actor of ward_run(). */
	_Atomic bool top_stops;
	bool ends_with_top; /* frozen: of ward_run() */
	_Atomic uint64_t timer_ids;
	_Atomic bool gave_up; /* a guardian stopped, or could not keep, an actor at the top */

	int64_t deadline_ms;           /* frozen: of the end; WARD_FOREVER: none */
	_Atomic bool late;             /* a thread ends the process for it (late_end.c) */
	struct wardi_signals *signals; /* of the process (signals.c); NULL: it has none */
	bool uses_signals;             /* under the lock of sched/process_signals.c */

	_Atomic(struct wardi_places *) places; /* of other systems (places.c); NULL: none yet */
};

/* False in a fork()ed child. */
static inline bool wardi_system_here(const ward_system *system)
{
	return *(const volatile uint8_t *)system->origin == 1;
}

static inline struct wardi_source wardi_outside_source(ward_system *system)
{
	return (struct wardi_source){&system->pool, NULL};
}

static inline void wardi_count(_Atomic uint64_t *counter)
{
	atomic_fetch_add_explicit(counter, 1, memory_order_relaxed); /* a statistic */
}

/* For a call that found no memory: counts, notes the text, returns WARD_ENOMEM. */
#define wardi_no_memory(system, ...)                                                               \
	(wardi_count(&(system)->counters.shortages), wardi_error(WARD_ENOMEM, __VA_ARGS__))

/* ---- path.c ------------------------------------------------------------------------------ */

static inline struct wardi_spin *wardi_path_lock(ward_system *system, uint32_t slot)
{
	return &system->path_locks[slot % WARDI_PATH_LOCKS].spin;
}

/* ---- event.c, dead_letter.c --------------------------------------------------------------- */

/* A message that did not arrive, and why. */
struct wardi_dead {
	ward_ref sender;
	ward_ref to;
	const char *path; /* its destination; NULL: the path of `to` */
	const char *text; /* NULL: the text of the reason */
	const ward_type *type;
	const void *body; /* NULL: none */
	size_t size;
	ward_reason reason;
	bool keeps_body; /* the body is not dropped: it may not fit its type */
};

struct ward_msg;

#endif
