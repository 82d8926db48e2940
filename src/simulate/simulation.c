/* SPDX-License-Identifier: MIT
 *
 * simulation.c - a system that moves only step by step, on the thread that made it.
 *
 * Threads: the simulation's own.
 */
#include "simulate/simulation.h"

#include "base/foreign_call.h"
#include "cell/caller.h"
#include "cell/points.h"
#include "common/uncancelled.h"
#include "life/late_mail.h"
#include "sched/sim.h"
#include "simulate/foreign_send.h"

static size_t choose(struct wardi_worker *worker, size_t count)
{
	ward_system *system = wardi_sched_arg(worker->sched);
	const ward_simulation *simulation = system->simulation;
	size_t index;

	system->seam->asking = true;
	index = simulation->choose(simulation->arg, system, count);
	system->seam->asking = false;
	return index < count ? index : count - 1;
}

size_t (*wardi_simulation_chooser(const ward_system *system))(struct wardi_worker *worker,
							      size_t count)
{
	return system->simulation != NULL && system->simulation->choose != NULL ? choose : NULL;
}

/* ---- moving ------------------------------------------------------------------------------ */

/* Whether the caller may step the simulation: on its own thread, outside all callbacks. Also
 * publishes what other threads did in between. */
static bool may_move(ward_system *system)
{
	if (wardi_outside_may_wait(system) != WARD_OK || !wardi_has_points(system))
		return false;
	wardi_foreign_sends_publish(system);
	return true;
}

bool ward_simulation_step(ward_system *system)
{
	WARDI_UNCANCELLED;

	return may_move(system) && wardi_sched_step(system->sched);
}

bool ward_simulation_advance(ward_system *system, int64_t until_ns)
{
	WARDI_UNCANCELLED;

	return may_move(system) && wardi_sched_advance(system->sched, until_ns);
}

bool ward_simulation_poll(ward_system *system)
{
	WARDI_UNCANCELLED;

	return may_move(system) && wardi_sched_poll(system->sched);
}

ward_self *ward_simulation_self(ward_system *system, bool *ret_moving)
{
	struct wardi_worker *worker = wardi_worker_current();
	bool moving = system != NULL && wardi_system_here(system) && wardi_has_points(system) &&
		      worker != NULL && worker->sched == system->sched;
	ward_self *self = moving ? worker->context : NULL;

	if (ret_moving != NULL)
		*ret_moving = moving;
	/* Nor in a log or drop function that the library has called from there. */
	return self != NULL && self->cell != NULL && self->callback && wardi_foreign_calls == 0
		       ? self
		       : NULL;
}

/* ---- looking ----------------------------------------------------------------------------- */

/* Whether the caller is the simulation's own thread; also for functions of the driver that may call
 * nothing else. */
static bool may_look(const ward_system *system)
{
	return system != NULL && wardi_system_here(system) && wardi_has_points(system) &&
	       pthread_equal(pthread_self(), system->thread);
}

size_t ward_simulation_count(const ward_system *system)
{
	return may_look(system) ? wardi_sched_count(system->sched) : 0;
}

ward_ref ward_simulation_ready(const ward_system *system, size_t index)
{
	const struct wardi_cell *cell;

	if (!may_look(system) || index >= wardi_sched_count(system->sched))
		return ward_nobody();
	cell = wardi_container_of(wardi_sched_peek(system->sched, index), struct wardi_cell,
				  runnable);
	/* A cell whose life is over is ready for mail that came too late. */
	return wardi_cell_is_over(cell) ? ward_nobody() : wardi_cell_ref(cell);
}

int64_t ward_simulation_now_ns(const ward_system *system)
{
	return system == NULL ? 0 : wardi_clock_now((struct wardi_clock *)&system->clock);
}

/* ---- several systems --------------------------------------------------------------------- */

bool ward_simulation_others(ward_system *system, bool (*others)(void *arg, int64_t until_ns),
			    void *arg)
{
	if (!may_look(system))
		return false;
	wardi_sched_others(system->sched, others, arg);
	return true;
}

bool ward_simulation_spawns(ward_system *system, const ward_spawns *spawns)
{
	if (!may_look(system))
		return false;
	system->seam->spawns = spawns != NULL ? *spawns : (ward_spawns){.replace = NULL};
	return true;
}

int64_t ward_simulation_next_ns(const ward_system *system)
{
	return may_look(system) ? wardi_sched_next(system->sched) : INT64_MAX;
}
