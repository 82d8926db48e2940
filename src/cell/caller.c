/* SPDX-License-Identifier: MIT
 *
 * caller.c - whether a thread outside may call, and whether it may wait.
 *
 * Threads: calls may run at the same time.
 */
#include "cell/caller.h"

#include "base/error.h"
#include "cell/points.h"
#include "sched/worker.h"

static ward_err check_simulated(const ward_system *system)
{
	if (!pthread_equal(pthread_self(), system->thread))
		return wardi_error(WARD_ETHREAD, "a simulation belongs to the thread that made it");
	if (system->seam->asking)
		return wardi_error(WARD_ETHREAD, "a function of options.simulation must not call "
						 "ward");
	return WARD_OK;
}

ward_err wardi_outside_check(const ward_system *system)
{
	if (system == NULL)
		return wardi_error(WARD_EINVAL, "the system is NULL");
	if (!wardi_system_here(system))
		return wardi_error(WARD_EFORKED, "the system lives in the parent of this process");
	return wardi_has_points(system) ? check_simulated(system) : WARD_OK;
}

ward_err wardi_outside_may_wait(const ward_system *system)
{
	struct wardi_worker *worker = wardi_worker_current();
	ward_err err = wardi_outside_check(system);

	if (err == WARD_OK && worker != NULL && worker->sched == system->sched)
		return wardi_error(WARD_ETHREAD,
				   "this thread runs an actor of the system, and would wait for "
				   "itself: in a callback use ward_spawn, ward_watch, or ward_ask, "
				   "and handle the answer in receive");
	return err;
}
