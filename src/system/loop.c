/* SPDX-License-Identifier: MIT
 *
 * loop.c - ward_system_fd() and ward_system_poll(): a system inside the loop of a program.
 *
 * Threads: poll: the thread that made the system.
 */
#include <errno.h>

#include <ward/loop.h>

#include "base/error.h"
#include "cell/caller.h"
#include "cell/system.h"
#include "common/uncancelled.h"
#include "outside/outside.h"
#include "sched/driven.h"

static ward_err check_driven(const ward_system *system)
{
	ward_err err = wardi_outside_check(system);

	if (err == WARD_OK && wardi_driven_fd(system->sched) < 0)
		return wardi_error(WARD_EINVAL, "the system has threads of its own: create it with "
						".driven = true in its options to poll it");
	return err;
}

int ward_system_fd(ward_system *system)
{
	return check_driven(system) == WARD_OK ? wardi_driven_fd(system->sched) : -1;
}

static ward_err check_poll(const ward_system *system)
{
	ward_err err = check_driven(system);

	if (err == WARD_OK)
		err = wardi_outside_may_wait(system);
	if (err == WARD_OK && !wardi_driven_here(system->sched))
		return wardi_error(WARD_ETHREAD,
				   "a driven system is polled by the thread that created it");
	return err;
}

/* Waits until there is something to do. */
static ward_err wait(ward_system *system, int64_t timeout_ms)
{
	int64_t now_ns = wardi_clock_now(&system->clock), until_ns = INT64_MAX;

	if (timeout_ms <= 0)
		return WARD_OK;
	if (timeout_ms <= (INT64_MAX - now_ns) / WARD_NS_PER_MS)
		until_ns = now_ns + timeout_ms * WARD_NS_PER_MS;
	if (wardi_driven_sleep(system->sched, until_ns))
		return WARD_OK;
	return wardi_error(WARD_ESYS, "ward_system_poll: cannot wait: %s", wardi_os_text(errno));
}

ward_err ward_system_poll(ward_system *system, int64_t timeout_ms)
{
	WARDI_UNCANCELLED;
	ward_err err = check_poll(system);

	if (err != WARD_OK)
		return err;
	if (wardi_outside_is_down(system))
		return wardi_error(WARD_ESTOPPING, "the system has ended");
	err = wait(system, timeout_ms);
	if (err != WARD_OK)
		return err;
	(void)wardi_driven_poll(system->sched);
	return WARD_OK;
}
