/* SPDX-License-Identifier: MIT
 *
 * test_visits.c - who may have found a cell by an old ref keeps the segment that it lies in, for as
 * long as that can be; on threads.
 *
 * Method: a crowd has ended, and its segment may go; the test holds up somebody, and says what the
 * time is.
 */
#include <semaphore.h>

#include "cell/self.h"
#include "cell/table.h"
#include "cell/visit.h"
#include "mail/bounded.h"
#include "sched/state.h"
#include "support/stress.h"
#include "unit/cell/segments.h"

WARD_SIGNAL(greeting);

static ward_result ignore(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)msg;
	return WARD_UNHANDLED;
}

static const ward_behavior idle = {.name = "idle", .receive = ignore};

static ward_ref crowd[CROWD];
static ward_ref old; /* of the crowd, in the segment */
static int64_t now_ns;

static void count_line(void *arg, const char *text)
{
	(void)text;
	++*(int *)arg;
}

/* ---- long runs --------------------------------------------------------------------------- */

static sem_t entered, may_leave;

/* Stays until it may leave, and then tells somebody who is long gone. */
static ward_result stay(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	(void)msg;
	sem_post(&entered);
	sem_wait(&may_leave);
	ward_tell(self, old, greeting);
	ward_stop(self, old);
	ward_assert_ok(ward_try_watch(self, old));
	ward_stop_self(self);
	return WARD_DONE;
}

static const ward_behavior stayer = {.name = "stayer", .receive = stay};

static ward_kit *begin_with(const ward_behavior *behavior, const char *dispatcher)
{
	ward_kit *kit = stress_start(&(ward_kit_options){.system = {.workers = 2}});
	ward_system *system = ward_kit_system(kit);
	ward_ref who;

	sem_init(&entered, 0, 0);
	sem_init(&may_leave, 0, 0);
	ward_assert_ok(
		ward_system_spawn(system, WARD_PROPS(behavior, .dispatcher = dispatcher), &who));
	old = spawn_crowd(system, &idle, crowd);
	ward_system_tell(system, who, greeting);
	sem_wait(&entered);
	for (int i = 0; i < CROWD; i++)
		ward_system_stop(system, crowd[i]);
	STRESS_UNTIL(kit, ward_kit_stats(kit).actors == GUARDIANS + 1);
	now_ns = wardi_clock_now(&system->clock);
	return kit;
}

/* A moment of much later. */
static bool goes_some_time(ward_system *system)
{
	now_ns += WARDI_SEGMENTS_PERIOD_NS;
	tidy(system, now_ns);
	return is_gone(system);
}

static bool leaves_some_time(ward_system *system)
{
	(void)goes_some_time(system);
	return is_leaving(system);
}

static void finish(ward_kit *kit)
{
	STRESS_UNTIL(kit, ward_kit_stats(kit).actors == GUARDIANS);
	ward_assert_eq(ward_kit_stats(kit).dead_letters, 1);
	ward_kit_finish(kit);
	sem_destroy(&entered);
	sem_destroy(&may_leave);
}

WARD_TEST(threads_worker_in_a_long_run_keeps_what_it_may_have_found)
{
	ward_kit *kit = begin_with(&stayer, NULL);
	ward_system *system = ward_kit_system(kit);

	STRESS_UNTIL(kit, leaves_some_time(system));
	for (int looks = 0; looks < 100; looks++)
		ward_assert(!goes_some_time(system));
	sem_post(&may_leave);
	STRESS_UNTIL(kit, goes_some_time(system));
	finish(kit);
}

WARD_TEST(threads_actor_that_blocks_keeps_nothing, "S49")
{
	ward_kit *kit = begin_with(&stayer, WARD_PINNED);
	ward_system *system = ward_kit_system(kit);

	STRESS_UNTIL(kit, goes_some_time(system));
	sem_post(&may_leave);
	finish(kit);
}

/* Looks, as what it calls there would do, and in that look once more; then stays. */
static ward_result look_and_stay(ward_self *self, void *state, const ward_msg *msg)
{
	uint32_t visit = wardi_visit(self->system, self);

	wardi_visited(self->system, self, wardi_visit(self->system, self));
	stay(self, state, msg);
	wardi_visited(self->system, self, visit);
	sem_post(&entered);
	sem_wait(&may_leave);
	return WARD_DONE;
}

static const ward_behavior looker = {.name = "looker", .receive = look_and_stay};

WARD_TEST(threads_actor_that_blocks_keeps_what_it_looks_at)
{
	ward_kit *kit = begin_with(&looker, WARD_PINNED);
	ward_system *system = ward_kit_system(kit);

	STRESS_UNTIL(kit, leaves_some_time(system));
	for (int looks = 0; looks < 100; looks++)
		ward_assert(!goes_some_time(system));
	sem_post(&may_leave);
	sem_wait(&entered);
	STRESS_UNTIL(kit, goes_some_time(system));
	sem_post(&may_leave);
	finish(kit);
}

/* ---- visitors ---------------------------------------------------------------------------- */

/* What a thread outside does with an actor, and the lock that it needs for that. */
static void call_tell(ward_system *system, ward_ref who)
{
	ward_system_tell(system, who, greeting);
}

static void call_stop(ward_system *system, ward_ref who)
{
	ward_system_stop(system, who);
}

static void call_path(ward_system *system, ward_ref who)
{
	char path[64];

	(void)ward_system_path(system, who, path, sizeof path);
}

static void call_actors(ward_system *system, ward_ref who)
{
	(void)who;
	(void)ward_system_actors(system, NULL, NULL);
}

static void call_tree(ward_system *system, ward_ref who)
{
	int lines = 0;

	(void)who;
	ward_assert_ok(ward_system_tree(system, count_line, &lines));
}

/* Past the order of locks: whoever comes to it later must wait, and this thread goes on. */
static void hold_box(struct wardi_cell *cell, bool hold)
{
	struct wardi_bounded *bounded = atomic_load(&cell->mailbox.bounded);

	if (hold)
		pthread_mutex_lock(&bounded->mu.mutex);
	else
		pthread_mutex_unlock(&bounded->mu.mutex);
}

enum { TAKEN = 1, TAKEN_UNTRIED = 2 };

/* The spin lock that is held, if any. Whoever tries to take it leaves TAKEN there. */
static struct wardi_spin *held;

static void hold_spin(struct wardi_spin *spin, bool hold)
{
	if (hold) {
		wardi_spin_take_(spin);
		atomic_store(&spin->taken, TAKEN_UNTRIED);
	} else {
		wardi_spin_drop_(spin);
	}
	held = hold ? spin : NULL;
}

static bool somebody_waits(void)
{
	return held == NULL || atomic_load(&held->taken) == TAKEN;
}

static void hold_commands(struct wardi_cell *cell, bool hold)
{
	hold_spin(&cell->commands.spin, hold);
}

static void hold_path(struct wardi_cell *cell, bool hold)
{
	hold_spin(wardi_path_lock(wardi_cell_system(cell), wardi_cell_slot(cell)), hold);
}

/* Who looks at all comes to the root first. */
static void hold_first_path(struct wardi_cell *cell, bool hold)
{
	hold_path(wardi_cell_system(cell)->root_cell, hold);
}

struct visit {
	void (*call)(ward_system *system, ward_ref who);
	void (*hold)(struct wardi_cell *cell, bool hold);
	ward_system *system;
	ward_ref who;
};

static void *pay_visit(void *arg)
{
	const struct visit *visit = arg;

	visit->call(visit->system, visit->who);
	return NULL;
}

static uint64_t visitors(const ward_system *system)
{
	uint64_t sum = 0;

	for (int i = 0; i < WARDI_SHARDS; i++)
		for (int side = 0; side < 2; side++)
			sum += atomic_load(&system->pool.shards[i].visitors[side]);
	return sum;
}

/* While the call waits for its lock nothing goes that it may have found. */
static void check_visit(struct visit visit)
{
	ward_kit *kit = stress_start(&(ward_kit_options){.system = {.workers = 2}});
	ward_system *system = visit.system = ward_kit_system(kit);
	struct wardi_cell *cell;
	pthread_t thread;

	ward_assert_ok(ward_system_spawn(system, WARD_PROPS(&idle, .mailbox.messages_max = 4),
					 &visit.who));
	cell = wardi_table_cell(system, wardi_uid_slot(visit.who.uid));
	old = spawn_crowd(system, &idle, crowd);
	for (int i = 0; i < CROWD; i++)
		ward_system_stop(system, crowd[i]);
	STRESS_UNTIL(kit, ward_kit_stats(kit).actors == GUARDIANS + 1);
	visit.hold(cell, true);
	thread = stress_thread(pay_visit, &visit);
	/* A call may look without a lock first. */
	STRESS_UNTIL(kit, somebody_waits() && visitors(system) == 1);
	now_ns = wardi_clock_now(&system->clock);
	STRESS_UNTIL(kit, leaves_some_time(system));
	for (int looks = 0; looks < 20; looks++)
		ward_assert(!goes_some_time(system));
	visit.hold(cell, false);
	stress_join(thread);
	STRESS_UNTIL(kit, goes_some_time(system));
	ward_assert_eq(visitors(system), 0);
	ward_kit_finish(kit);
}

WARD_TEST(threads_who_sends_from_outside_is_a_visitor)
{
	check_visit((struct visit){.call = call_tell, .hold = hold_box});
}

WARD_TEST(threads_who_stops_from_outside_is_a_visitor)
{
	check_visit((struct visit){.call = call_stop, .hold = hold_commands});
}

WARD_TEST(threads_who_asks_for_a_path_is_a_visitor)
{
	check_visit((struct visit){.call = call_path, .hold = hold_path});
}

WARD_TEST(threads_who_looks_at_all_actors_is_a_visitor)
{
	check_visit((struct visit){.call = call_actors, .hold = hold_first_path});
}

WARD_TEST(threads_who_looks_at_the_tree_is_a_visitor)
{
	check_visit((struct visit){.call = call_tree, .hold = hold_first_path});
}

WARD_TEST_MAIN
