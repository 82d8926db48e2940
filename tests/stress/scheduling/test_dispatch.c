/* SPDX-License-Identifier: MIT
 *
 * test_dispatch.c - actors that block, pools, pinned threads; timers while all are busy; destroying
 * a system with a handler that is stuck.
 *
 * Method: actors note on which thread they run and how many of their dispatcher run at once. Those
 * that are stuck wait for a semaphore, which the test posts when it has seen what it wants.
 */
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

#include "support/stress.h"

enum { CREW = 12, POOL_THREADS = 3, PINNED = 3, THREADS_SEEN_MAX = 64 };

WARD_SIGNAL(nap);
WARD_SIGNAL(spin);
WARD_SIGNAL(beat);
WARD_SIGNAL(get_stuck);

static ward_kit *kit;
static sem_t stuck, leave;

/* Where the actors of a dispatcher ran. */
struct place {
	pthread_mutex_t mu;
	uint64_t seen[THREADS_SEEN_MAX]; /* under mu */
	size_t count;                    /* under mu */
	_Atomic int64_t inside, most;
	_Atomic uint64_t naps;
};

struct crew_args {
	struct place *place;
	uint64_t naps;
};
WARD_MESSAGE(crew_args);

/* A number that no other thread has or had: a pthread_t is used again when its thread is gone. */
static uint64_t thread_number(void)
{
	static _Atomic uint64_t threads;
	static _Thread_local uint64_t number;

	if (number == 0)
		number = stress_add(&threads, 1) + 1;
	return number;
}

static void note_thread(struct place *place)
{
	pthread_mutex_lock(&place->mu);
	size_t at = 0;
	while (at < place->count && place->seen[at] != thread_number())
		at++;
	ward_assert(at < THREADS_SEEN_MAX);
	if (at == place->count)
		place->seen[place->count++] = thread_number();
	pthread_mutex_unlock(&place->mu);
}

static uint64_t naps_of(struct place *place)
{
	return atomic_load_explicit(&place->naps, memory_order_acquire);
}

static ward_result crew_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct crew_args *args = ward_args(self);
	struct place *place = args->place;
	uint64_t *done = state;
	int64_t inside, most;

	ward_assert(ward_match(msg, nap) != NULL);
	note_thread(place);
	inside = atomic_fetch_add(&place->inside, 1) + 1;
	most = atomic_load(&place->most);
	while (inside > most && !atomic_compare_exchange_weak(&place->most, &most, inside))
		;
	ward_kit_advance(kit, 1);
	atomic_fetch_sub(&place->inside, 1);
	/* Release: whoever has counted them all reads what they noted. */
	atomic_fetch_add_explicit(&place->naps, 1, memory_order_release);
	if (++*done < args->naps)
		ward_tell(self, ward_self_ref(self), nap);
	else
		ward_stop(self, ward_self_ref(self));
	return WARD_DONE;
}

static const ward_behavior crew = {
	.name = "crew",
	.state_size = sizeof(uint64_t),
	.args = &ward_type_crew_args,
	.receive = crew_receive,
};

static void hire(struct place *place, const char *dispatcher, uint64_t naps)
{
	ward_ref ref;

	ward_assert_ok(ward_system_spawn(ward_kit_system(kit),
					 WARD_PROPS(&crew, .dispatcher = dispatcher,
						    .args = WARD_ARGS(crew_args, place, naps)),
					 &ref));
	ward_system_tell(ward_kit_system(kit), ref, nap);
}

/* ---- a heart that beats beside all that -------------------------------------------------- */

static _Atomic uint64_t beats, periods;

static ward_result heart_start(ward_self *self, void *state)
{
	(void)state;
	return ward_try_timer_start(
		       self, &(ward_timer){.key = 1, .mode = WARD_TIMER_FIXED_RATE, .every_ms = 2},
		       &ward_type_beat, NULL, 0) == WARD_OK
		       ? WARD_DONE
		       : ward_failed(self, &ward_exception, "no timer");
}

static ward_result heart_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	ward_assert(ward_match(msg, beat) != NULL);
	stress_add(&beats, 1);
	stress_add(&periods, ward_timer_periods(self));
	return WARD_DONE;
}

static const ward_behavior heart = {
	.name = "heart",
	.pre_start = heart_start,
	.receive = heart_receive,
};

static ward_result spinner_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	ward_assert(ward_match(msg, spin) != NULL);
	ward_tell(self, ward_self_ref(self), spin);
	return WARD_DONE;
}

static const ward_behavior spinner = {.name = "spinner", .receive = spinner_receive};

static ward_ref start(const ward_behavior *behavior, const char *name, const char *dispatcher)
{
	ward_ref ref;

	ward_assert_ok(ward_system_spawn(
		ward_kit_system(kit), WARD_PROPS(behavior, .name = name, .dispatcher = dispatcher),
		&ref));
	return ref;
}

/* ---- everybody at work ------------------------------------------------------------------- */

static void everybody_works(uint32_t workers)
{
	static const ward_dispatcher pools[] = {{.name = "io", .threads = POOL_THREADS}, {0}};
	static struct place blocking, pool, pinned[PINNED];
	uint64_t naps = stress_size(100, 5000);
	uint64_t all = naps * (CREW + CREW + PINNED), done, counted;
	int64_t began_ns, ms;

	/* The spinners never rest. */
	kit = stress_start(&(ward_kit_options){
		.may_leave_mail = true,
		.system = {.workers = workers, .blocking = 5, .dispatchers = pools}});
	began_ns = stress_now_ns();
	(void)start(&heart, "heart", NULL);
	/* More than there are workers: no worker has ever nothing to do. */
	for (uint32_t i = 0; i < 2 * workers; i++)
		ward_system_tell(ward_kit_system(kit), start(&spinner, NULL, NULL), spin);
	for (int i = 0; i < CREW; i++) {
		hire(&blocking, WARD_BLOCKING, naps);
		hire(&pool, "io", naps);
	}
	for (int i = 0; i < PINNED; i++)
		hire(&pinned[i], WARD_PINNED, naps);
	do {
		ward_kit_advance(kit, 1);
		done = naps_of(&blocking) + naps_of(&pool);
		for (int i = 0; i < PINNED; i++)
			done += naps_of(&pinned[i]);
	} while (done < all);
	counted = stress_get(&periods);
	ms = (stress_now_ns() - began_ns) / 1000000;
	printf("%llu beats for %llu periods in %lld ms\n", (unsigned long long)stress_get(&beats),
	       (unsigned long long)counted, (long long)ms);

	ward_assert(blocking.most <= 5 && blocking.count <= 5);
	ward_assert(pool.most <= POOL_THREADS && pool.count <= POOL_THREADS);
	ward_assert(pool.most > 1); /* they are not in each other's way */
	for (int i = 0; i < PINNED; i++) {
		ward_assert_eq(pinned[i].count, 1);
		for (int j = 0; j < i; j++)
			ward_assert(pinned[i].seen[0] != pinned[j].seen[0]);
	}
	/* A tick that came late stands for more than one period; none is forgotten. */
	ward_assert(counted <= (uint64_t)ms / 2 + 1);
	STRESS_UNTIL(kit, stress_get(&periods) >= (uint64_t)ms / 2);
	ward_kit_finish(kit);
}

STRESS_WORKERS(everybody_works, "S87")

/* ---- pinned threads come and go ---------------------------------------------------------- */

WARD_TEST(pinned_threads_end_with_their_actors)
{
	static struct place place[PINNED];
	uint64_t rounds = stress_size(100, 3000);

	kit = stress_start(&(ward_kit_options){.system.workers = 2});
	for (uint64_t i = 0; i < rounds; i++) {
		for (int j = 0; j < PINNED; j++) {
			STRESS_UNTIL(kit, naps_of(&place[j]) == i);
			place[j].count = 0;
			hire(&place[j], WARD_PINNED, 1);
		}
		STRESS_UNTIL(kit, ward_kit_stats(kit).actors == 3);
	}
	/* All but the last to end were joined, and their memory given back. */
	ward_assert(ward_kit_blocks(kit) < 200);
	ward_kit_finish(kit);
}

/* ---- stuck ------------------------------------------------------------------------------- */

static ward_result stuck_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	if (ward_match(msg, get_stuck) == NULL)
		return WARD_UNHANDLED;
	sem_post(&stuck);
	while (sem_wait(&leave) != 0)
		;
	return WARD_DONE;
}

static const ward_behavior stuck_behavior = {.name = "stuck", .receive = stuck_receive};

struct survivors {
	size_t stuck, others;
};

static void note_survivor(void *arg, const ward_actor_info *info)
{
	struct survivors *survivors = arg;

	if (strcmp(info->message, "get_stuck") != 0) {
		ward_assert_str(info->message, "");
		survivors->others++;
		return;
	}
	survivors->stuck++;
	ward_assert_part(info->path, "sim/user/slow-");
	ward_assert_str(info->state, "running");
	ward_assert(info->message_ms >= 50);
	ward_assert(info->message_ms < 60000);
}

WARD_TEST(destroy_past_its_deadline_names_who_is_stuck, "S78")
{
	static const ward_dispatcher pools[] = {{.name = "io", .threads = 1}, {0}};
	const char *const dispatchers[] = {NULL, WARD_BLOCKING, WARD_PINNED, "io"};
	enum { STUCK = sizeof dispatchers / sizeof dispatchers[0] };
	struct survivors survivors = {0, 0};
	char name[] = "slow-0";

	sem_init(&stuck, 0, 0);
	sem_init(&leave, 0, 0);
	kit = stress_start(&(ward_kit_options){.system.workers = 2, .system.dispatchers = pools});
	for (int i = 0; i < STUCK; i++) {
		name[5] = (char)('0' + i);
		ward_system_tell(ward_kit_system(kit), start(&stuck_behavior, name, dispatchers[i]),
				 get_stuck);
	}
	for (int i = 0; i < STUCK; i++)
		while (sem_wait(&stuck) != 0)
			;
	ward_assert_err(ward_system_destroy(ward_kit_system(kit), 100), WARD_ETIMEDOUT);
	ward_assert_part(ward_err_detail(), "sim/user/slow-");
	ward_assert_part(ward_err_detail(), "get_stuck");
	ward_assert_eq(ward_system_actors(ward_kit_system(kit), note_survivor, &survivors),
		       STUCK + 3);
	ward_assert_eq(survivors.stuck, STUCK);
	ward_assert_eq(survivors.others, 3);
	ward_assert_err(ward_system_destroy(ward_kit_system(kit), 1), WARD_ETIMEDOUT);
	for (int i = 0; i < STUCK; i++)
		sem_post(&leave);
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
