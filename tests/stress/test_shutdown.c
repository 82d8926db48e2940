/* SPDX-License-Identifier: MIT
 *
 * test_shutdown.c - the ordered end on threads: many actors with tasks, which answer,
 * fail or stop while the end goes on, and threads that begin it together (S77, S78).
 *
 * Method: many short systems. That each of them ends, with nothing left, says that no notice for
 * /system is lost and no answer is counted twice; the counters say that each was asked.
 */
#include <string.h>

#include "support/stress.h"

enum { ACTORS = 24, THREADS = 2, PHASES = 6 };

static ward_kit *kit;
static _Atomic uint64_t asked, called, asked_last;

/* What an actor does with a question; by its number. */
static ward_result answer(ward_self *self, const ward_msg *msg, uint64_t way)
{
	if (way % 4 == 0)
		return ward_failed(self, &ward_exception, "on purpose");
	if (way % 4 == 1)
		ward_stop_self(self);
	else
		ward_reply(self, msg, ward_shutdown_done);
	return WARD_DONE;
}

static ward_result join(ward_self *self, void *state)
{
	(void)state;
	/* An actor that restarts meanwhile may come too late for some. */
	for (int i = 0; i < PHASES; i++) {
		ward_err err = ward_try_shutdown_join(self, ward_default_phases[i].name, "task");
		ward_assert(err == WARD_OK || err == WARD_ESTOPPING);
	}
	ward_err err = ward_try_shutdown_join(self, WARD_PHASE_SERVICES, "task");
	ward_assert(err == WARD_OK || err == WARD_ESTOPPING);
	return WARD_DONE;
}

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct ward_shutdown_task *task = ward_match(msg, ward_shutdown_task);

	(void)state;
	if (task == NULL)
		return WARD_UNHANDLED;
	stress_add(strcmp(task->phase, WARD_PHASE_SERVICES) == 0 ? &asked_last : &asked, 1);
	return answer(self, msg, ward_random(self));
}

static const ward_behavior joining = {.name = "joining", .pre_start = join, .receive = receive};

static void call(void *arg)
{
	stress_add(arg, 1);
}

static void *begin(void *arg)
{
	(void)arg;
	ward_err err = ward_system_on_shutdown(ward_kit_system(kit), "service-stop", "count", call,
					       &called);
	ward_system_shutdown(ward_kit_system(kit), "stress");
	ward_assert(err == WARD_OK || err == WARD_ESTOPPING);
	ward_assert_ok(ward_system_wait(ward_kit_system(kit), WARD_MINUTE));
	return NULL;
}

static void one_end(uint32_t workers)
{
	pthread_t threads[THREADS];
	const ward_props props = {.behavior = &joining};
	uint64_t called_before = stress_get(&called);
	kit = stress_start(&(ward_kit_options){.system.workers = workers});
	ward_assert_ok(ward_system_on_shutdown(ward_kit_system(kit), "service-unbind", "count",
					       call, &called));
	for (int i = 0; i < ACTORS; i++)
		ward_assert_ok(
			i % 2 == 0 ? ward_system_spawn(ward_kit_system(kit), &props, NULL)
				   : ward_system_spawn_service(ward_kit_system(kit), &props, NULL));
	for (int i = 0; i < THREADS; i++)
		threads[i] = stress_thread(begin, NULL);
	for (int i = 0; i < THREADS; i++)
		stress_join(threads[i]);
	ward_assert(stress_get(&called) > called_before);
	ward_kit_finish(kit);
}

static void ends(uint32_t workers)
{
	uint64_t rounds = stress_size(60, 5000);
	for (uint64_t i = 0; i < rounds; i++)
		one_end(workers);
	ward_assert(stress_get(&asked) > rounds);
	ward_assert(stress_get(&asked_last) > rounds);
}

STRESS_WORKERS(ends, "S77", "S78")

WARD_TEST_MAIN
