/* SPDX-License-Identifier: MIT
 *
 * state.h - the inside of a scheduler, for the files of this folder.
 */
#ifndef WARDI_STATE_H
#define WARDI_STATE_H

#include "base/assert.h"
#include "base/list.h"
#include "base/lock.h"
#include "sched/dispatcher_row.h"
#include "sched/driven.h"
#include "sched/grace.h"
#include "sched/poller.h"
#include "sched/sched.h"
#include "sched/sim.h"
#include "sched/starter.h"
#include "sched/thread.h"
#include "sched/timers.h"

struct wardi_sched {
	/* frozen */
	struct wardi_alloc *alloc;
	struct wardi_clock *clock;
	struct wardi_sched_hooks hooks;
	void *arg;
	uint64_t seed;
	bool simulated;
	bool is_driven;
	bool queues_lean;    /* wardi_biased_lock_possible() */
	uint32_t processors; /* processors that this process may use */
	int64_t patience_ns; /* wardi_sched_patience() */
	struct wardi_fatal fatal;
	char name[16];
	struct wardi_list dispatchers; /* all except pinned; the default dispatcher first */
	struct wardi_dispatcher_settings pinned_settings;
	bool starts_apart; /* threads are started by the starter (starter.c) */
	/* under opening_mu */
	struct wardi_mutex opening_mu;
	struct wardi_list pinned; /* dispatchers with a thread */
	uint64_t pinned_started;
	/* each with a lock of its own, or none */
	struct wardi_threads threads;
	struct wardi_starter starter;
	struct wardi_timers timers;
	struct wardi_poller poller;
	struct wardi_grace grace;
	struct wardi_sim sim;       /* simulated only */
	struct wardi_driven driven; /* driven only */
	/* atomic */
	_Atomic bool upright; /* queues lean no longer (steal.c) */
	/* When to start threads that pools lack (blocking.c); INT64_MAX: none lacks one. */
	_Atomic int64_t recruit_ns;
};

#endif
