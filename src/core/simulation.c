/* SPDX-License-Identifier: MIT
 *
 * simulation.c - a system that moves only when it is told to, on the thread that made it.
 *
 * single-threaded: the simulation's own.
 */
#include "core/simulation.h"

#include "base/error.h"
#include "core/life.h"

static size_t choose(struct wardi_worker *worker, size_t count)
{
	ward_system *system = wardi_sched_arg(worker->sched);
	const ward_simulation *simulation = system->simulation;
	size_t index = simulation->choose(simulation->arg, system, count);

	return index < count ? index : count - 1;
}

size_t (*wardi_simulation_chooser(const ward_system *system))(struct wardi_worker *worker,
							      size_t count)
{
	return system->simulation != NULL && system->simulation->choose != NULL ? choose : NULL;
}

/* ---- moving ------------------------------------------------------------------------------ */

/* Whether the caller may move it: its own thread, outside all callbacks. */
static bool may_move(const ward_system *system)
{
	return wardi_outside_may_wait(system) == WARD_OK && system->simulation != NULL;
}

bool ward_simulation_step(ward_system *system)
{
	return may_move(system) && wardi_sched_step(system->sched);
}

bool ward_simulation_advance(ward_system *system, int64_t until_ns)
{
	return may_move(system) && wardi_sched_advance(system->sched, until_ns);
}

bool ward_simulation_poll(ward_system *system)
{
	return may_move(system) && wardi_sched_poll(system->sched);
}

/* ---- looking ----------------------------------------------------------------------------- */

static bool may_look(const ward_system *system)
{
	return wardi_outside_check(system) == WARD_OK && system->simulation != NULL;
}

size_t ward_simulation_count(const ward_system *system)
{
	return may_look(system) ? wardi_sched_count(system->sched) : 0;
}

ward_ref ward_simulation_ready(const ward_system *system, size_t index)
{
	if (!may_look(system) || index >= wardi_sched_count(system->sched))
		return ward_nobody();
	return wardi_cell_ref(wardi_container_of(wardi_sched_peek(system->sched, index),
						 struct wardi_cell, runnable));
}

int64_t ward_simulation_now_ns(const ward_system *system)
{
	return system == NULL ? 0 : wardi_clock_now((struct wardi_clock *)&system->clock);
}
