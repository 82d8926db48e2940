/* SPDX-License-Identifier: MIT
 *
 * create.c - creating and destroying a system.
 *
 * Order of creation: the struct with its locks, the table, the scheduler (no threads yet), the
 * guardians, the threads. Destroying goes back the same way, after the tree is down.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <ward/ward.h>

#include "actor/fd.h"
#include "actor/hardware_fault.h"
#include "base/error.h"
#include "base/text.h"
#include "cell/caller.h"
#include "cell/places.h"
#include "cell/supervision_table.h"
#include "cell/system.h"
#include "cell/table.h"
#include "common/uncancelled.h"
#include "outside/inbox.h"
#include "outside/outside.h"
#include "sched/driven.h"
#include "sched/process_signals.h"
#include "send/dead_letter_log.h"
#include "send/event.h"
#include "shutdown/shutdown.h"
#include "simulate/points.h"
#include "simulate/simulation.h"
#include "system/guardian.h"
#include "system/late_end.h"
#include "system/signals.h"
#include "turn/plain_turn.h"
#include "turn/turn.h"
#include "turn/worker_self.h"

enum { GUARDIANS = 3 };
enum { DEAD_LETTERS_LOGGED = 10, DEAD_LETTERS_PAUSE_MS = 5 * 60 * 1000 };
static const uint32_t log_kinds_default =
	WARD_EVENT_FAILURE | WARD_EVENT_DEAD_LETTER | WARD_EVENT_HOOK_FAILURE | WARD_EVENT_NOTE;

const char *ward_version(void)
{
	return WARD_VERSION;
}

/* ---- options ----------------------------------------------------------------------------- */

static ward_err check_name(const char *name)
{
	size_t length = strlen(name);

	if (length == 0 || length >= sizeof((ward_system *)0)->name)
		return wardi_error(WARD_ENAME, "options.name has %zu bytes, 1 to %zu are allowed",
				   length, sizeof((ward_system *)0)->name - 1);
	for (size_t i = 0; i < length; i++) {
		char c = name[i];
		bool alnum =
			(c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');

		if (!alnum && (i == 0 || (c != '-' && c != '_')))
			return wardi_error(WARD_ENAME,
					   "options.name \"%.*s\" has a forbidden character at "
					   "position %zu: letters, digits, then also '-' and '_'",
					   WARD_TEXT_FIT(name, 40), i);
	}
	return WARD_OK;
}

static ward_err check_options(const ward_options *options)
{
	ward_err err = options->name == NULL ? WARD_OK : check_name(options->name);

	if (err != WARD_OK)
		return err;
	err = wardi_supervision.check_strategy(options->user_strategy);
	if (err != WARD_OK)
		return wardi_error(err, "options.user_strategy: %s", ward_err_detail());
	if (options->actors_max != 0 && options->actors_max < GUARDIANS)
		return wardi_error(
			WARD_EINVAL,
			"options.actors_max is %u, but the guardians alone need %d: raise "
			"it, or leave it 0",
			options->actors_max, GUARDIANS);
	if (options->actors_max > WARDI_ACTORS_MAX)
		return wardi_error(WARD_EINVAL, "options.actors_max is %u, at most %u are possible",
				   options->actors_max, (unsigned)WARDI_ACTORS_MAX);
	if (options->log_kinds != WARD_EVENT_NONE &&
	    (options->log_kinds & ~(uint32_t)WARD_EVENT_ALL) != 0)
		return wardi_error(WARD_EINVAL, "options.log_kinds has unknown kinds: 0x%x",
				   options->log_kinds & ~(uint32_t)WARD_EVENT_ALL);
	if (options->allocator != NULL &&
	    (options->allocator->alloc == NULL || options->allocator->free == NULL))
		return wardi_error(WARD_EINVAL, "options.allocator needs both alloc and free");
	if (options->simulation != NULL && !WARDI_ALL_ZERO(options->simulation->reserved))
		return wardi_error(WARD_EINVAL,
				   "a reserved word of options.simulation is not zero");
	if (options->dead_letters_logged < WARD_DEAD_LETTERS_NONE)
		return wardi_error(WARD_EINVAL,
				   "options.dead_letters_logged is %d: a count, "
				   "WARD_DEAD_LETTERS_ALL or WARD_DEAD_LETTERS_NONE",
				   options->dead_letters_logged);
	if (options->dead_letters_pause_ms < 0)
		return wardi_error(WARD_EINVAL,
				   "options.dead_letters_pause_ms is %lld: it cannot be below 0",
				   (long long)options->dead_letters_pause_ms);
	if (options->deadline_ms < 0)
		return wardi_error(WARD_EINVAL, "options.deadline_ms is %lld: it cannot be below 0",
				   (long long)options->deadline_ms);
	if ((unsigned)options->signals > WARD_SIGNALS_END)
		return wardi_error(WARD_EINVAL,
				   "options.signals is %d: WARD_SIGNALS_DEFAULT, "
				   "WARD_SIGNALS_OFF or WARD_SIGNALS_END",
				   (int)options->signals);
	if (options->driven && options->simulation != NULL)
		return wardi_error(WARD_EINVAL, "options.driven: a simulation is stepped, not "
						"polled; give one of the two");
	if (options->driven && options->workers > 1)
		return wardi_error(
			WARD_EINVAL,
			"options.driven: the program's thread is the one worker, not %u; "
			"leave options.workers 0",
			options->workers);
	if (options->driven && options->faults != WARD_FAULTS_OFF)
		return wardi_error(WARD_EINVAL, "options.driven: faults of the program's own "
						"thread are not contained; leave options.faults "
						"off");
	if (!WARDI_ALL_ZERO(options->reserved))
		return wardi_error(WARD_EINVAL, "a reserved word of the options is not zero");
	return WARD_OK;
}

/* ---- the struct -------------------------------------------------------------------------- */

static void init_locks(ward_system *system)
{
	wardi_mutex_init(&system->selves_mu, WARDI_LOCK_SELVES);
	wardi_mutex_init(&system->outside_mu, WARDI_LOCK_OUTSIDE);
	wardi_mutex_init(&system->events_mu, WARDI_LOCK_EVENTS);
	wardi_mutex_init(&system->holds_mu, WARDI_LOCK_HOLDS);
	wardi_mutex_init(&system->links_mu, WARDI_LOCK_LINKS);
	wardi_mutex_init(&system->statuses_mu, WARDI_LOCK_STATUSES);
	wardi_list_init(&system->selves);
	wardi_list_init(&system->waiters);
	wardi_list_init(&system->inboxes);
	wardi_list_init(&system->subscribers);
}

static void finish_locks(ward_system *system)
{
	wardi_mutex_destroy(&system->selves_mu);
	wardi_mutex_destroy(&system->outside_mu);
	wardi_mutex_destroy(&system->events_mu);
	wardi_mutex_destroy(&system->holds_mu);
	wardi_mutex_destroy(&system->links_mu);
	wardi_mutex_destroy(&system->statuses_mu);
}

/* Maps a page that the kernel zeroes in a fork()ed child, which thus knows that it is one. */
static ward_err map_origin(ward_system *system)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *origin =
		mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (origin == MAP_FAILED)
		return wardi_error(WARD_ENOMEM, "mmap: %s", wardi_os_text(errno));
	if (madvise(origin, page, MADV_WIPEONFORK) != 0) {
		ward_err err = wardi_error(WARD_ESYS, "madvise(MADV_WIPEONFORK): %s",
					   wardi_os_text(errno));

		munmap(origin, page);
		return err;
	}
	*origin = 1;
	system->origin = origin;
	return WARD_OK;
}

static void take_deadlog(ward_system *system, const ward_options *options)
{
	struct wardi_deadlog *log = &system->deadlog;

	if (options->dead_letters_logged > 0)
		log->max = (uint64_t)options->dead_letters_logged;
	else if (options->dead_letters_logged == WARD_DEAD_LETTERS_ALL)
		log->max = UINT64_MAX;
	else
		log->max = options->dead_letters_logged == 0 ? DEAD_LETTERS_LOGGED : 0;
	log->pause_ms = options->dead_letters_pause_ms == 0 ? DEAD_LETTERS_PAUSE_MS
							    : options->dead_letters_pause_ms;
	log->at_shutdown = options->dead_letters_at_shutdown;
}

static void take_options(ward_system *system, const ward_options *options)
{
	snprintf(system->name, sizeof system->name, "%s",
		 options->name == NULL ? "ward" : options->name);
	system->user_strategy =
		options->user_strategy == NULL ? ward_default_strategy : *options->user_strategy;
	system->log = options->log;
	system->log_arg = options->log_arg;
	system->log_kinds = options->log_kinds == 0 ? log_kinds_default : options->log_kinds;
	take_deadlog(system, options);
	system->fatal = options->fatal;
	system->fatal_arg = options->fatal_arg;
	system->deadline_ms = options->deadline_ms == 0 ? WARD_FOREVER : options->deadline_ms;
	system->seed = options->seed;
	if (system->seed == 0)
		system->seed = system->simulation != NULL ? 1 : wardi_random_seed();
	system->place = wardi_place_next();
	wardi_event_set_kinds(system);
}

/* ---- the scheduler ----------------------------------------------------------------------- */

static ward_err make_sched(ward_system *system, const ward_options *options)
{
	struct wardi_sched_options sched = {
		.alloc = &system->alloc,
		.clock = &system->clock,
		.shards = system->pool.shards,
		.hooks = {.worker_begin = wardi_self_begin,
			  .worker_end = wardi_self_end,
			  .attend = wardi_self_attend,
			  .serve = wardi_plain_turns,
			  .run = wardi_cell_turns,
			  .touches = wardi_cell_touches,
			  .fd_ready = wardi_fd_ready,
			  .fd_stale = wardi_fd_stale,
			  .choose = wardi_simulation_chooser(system),
			  .stole = wardi_self_stole,
			  .note = wardi_self_note,
			  .rest = wardi_self_rest,
			  .tidy = wardi_self_tidy},
		.arg = system,
		.name = system->name,
		.workers = options->driven ? 1 : options->workers,
		.driven = options->driven,
		.blocking = options->blocking,
		.dispatchers = options->dispatchers,
		.seed = system->seed,
		.simulated = system->simulation != NULL,
		.fatal = system->fatal,
		.fatal_arg = system->fatal_arg,
	};

	return wardi_sched_create(&sched, &system->sched);
}

/* ---- creating and destroying ------------------------------------------------------------- */

/* The struct itself comes from the hooks, and the hooks are in the struct. */
static void free_system(ward_system *system)
{
	struct wardi_alloc alloc;

	if (system->origin != NULL)
		munmap(system->origin, (size_t)sysconf(_SC_PAGESIZE));
	wardi_seam_destroy(system);
	wardi_shutdown_destroy(system);
	wardi_hardware_faults_destroy(system);
	wardi_places_finish(system);
	wardi_hash_finish(&system->holds);
	wardi_hash_finish(&system->links);
	wardi_hash_finish(&system->statuses);
	wardi_pool_finish(&system->pool);
	finish_locks(system);
	wardi_alloc_move(&alloc, &system->alloc);
	wardi_free(&alloc, system, sizeof *system);
}

static void tear_down(ward_system *system)
{
	wardi_inboxes_finish(system);
	wardi_sched_destroy(system->sched);
	wardi_table_finish(system);
	free_system(system);
}

static ward_system *make_system(const ward_options *options)
{
	struct wardi_alloc alloc;
	ward_system *system;

	wardi_alloc_init(&alloc, options->allocator, options->separate_allocations);
	system = wardi_alloc_zeroed(&alloc, sizeof *system);
	if (system == NULL) {
		(void)wardi_error(WARD_ENOMEM, "no memory for a system");
		return NULL;
	}
	wardi_alloc_move(&system->alloc, &alloc);
	return system;
}

/* Ends what runs already, and keeps the error for the caller. */
static ward_err undo(ward_system *system, ward_err err)
{
	char detail[512];

	wardi_text_copy(detail, sizeof detail, ward_err_detail());
	(void)!ward_system_destroy(system, WARD_FOREVER);
	return wardi_error(err, "%s", detail);
}

ward_err ward_system_create(const ward_options *options, ward_system **ret_system)
{
	WARDI_UNCANCELLED;
	static const ward_options defaults;
	ward_system *system;
	ward_err err;

	if (ret_system == NULL)
		return wardi_error(WARD_EINVAL, "ward_system_create: no room for the system");
	if (options == NULL)
		options = &defaults;
	err = check_options(options);
	if (err != WARD_OK)
		return err;
	system = make_system(options);
	if (system == NULL)
		return WARD_ENOMEM;
	system->simulation = options->simulation;
	system->thread = pthread_self();
	wardi_clock_init(&system->clock, system->simulation != NULL);
	wardi_pool_init(&system->pool, &system->alloc);
	system->pool.counts_owners = options->separate_allocations || system->simulation != NULL;
	wardi_hash_init(&system->holds, &system->alloc);
	wardi_hash_init(&system->links, &system->alloc);
	wardi_hash_init(&system->statuses, &system->alloc);
	init_locks(system);
	take_options(system, options);
	err = map_origin(system);
	if (err == WARD_OK)
		err = wardi_seam_create(system);
	if (err == WARD_OK)
		err = wardi_shutdown_create(system, options->phases);
	if (err == WARD_OK)
		err = wardi_hardware_faults_create(system, options);
	if (err == WARD_OK)
		err = wardi_table_init(system, options->actors_max == 0 ? WARDI_ACTORS_MAX
									: options->actors_max);
	if (err == WARD_OK)
		err = make_sched(system, options);
	if (err == WARD_OK)
		err = wardi_guardians_create(system);
	if (err == WARD_OK)
		err = wardi_sched_start(system->sched);
	if (err != WARD_OK) {
		wardi_guardians_abandon(system);
		tear_down(system);
		return err;
	}
	wardi_guardians_start(system);
	if (options->signals == WARD_SIGNALS_END)
		err = wardi_signals_take(system);
	if (err != WARD_OK)
		return undo(system, err);
	*ret_system = system;
	return WARD_OK;
}

ward_err ward_system_destroy(ward_system *system, int64_t deadline_ms)
{
	WARDI_UNCANCELLED;
	ward_err err;

	if (system == NULL)
		return WARD_OK;
	err = wardi_outside_may_wait(system);
	if (err == WARD_OK && wardi_driven_fd(system->sched) >= 0 &&
	    !wardi_driven_here(system->sched))
		err = wardi_error(WARD_ETHREAD, "a driven system is destroyed by the thread that "
						"created it");
	if (err != WARD_OK)
		return err;
	ward_system_shutdown(system, NULL);
	/* On a thread that may wait only the deadline is an error. */
	if (ward_system_wait(system, deadline_ms) != WARD_OK)
		return wardi_still_up(system, deadline_ms);
	wardi_signals_give_back(system);
	wardi_signals_leave(&system->uses_signals);
	wardi_sched_stop(system->sched);
	tear_down(system);
	return WARD_OK;
}
