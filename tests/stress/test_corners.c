/* SPDX-License-Identifier: MIT
 *
 * test_corners.c - rare meetings, brought about on purpose.
 *
 * Method: each case holds actors in their handlers, by a gate that the test opens, until the moment
 * is there that a program meets once in a year.
 */
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/stress.h"

WARD_SIGNAL(nothing);
WARD_SIGNAL(enter);
WARD_SIGNAL(fail);
struct number {
	int64_t value;
};
WARD_MESSAGE(number);
WARD_SIGNAL(question);
WARD_REPLY(question, number);

static ward_kit *kit;

static ward_ref spawn(const ward_props *props)
{
	ward_ref ref;

	ward_assert_ok(ward_system_spawn(ward_kit_system(kit), props, &ref));
	return ref;
}

static ward_result ignore(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)msg;
	return WARD_DONE;
}

static const ward_behavior idle = {.name = "idle", .receive = ignore};

/* ---- a last hook that watches ------------------------------------------------------------ */

static ward_ref dead, alive;

static ward_result watch_in_post_stop(ward_self *self, void *state)
{
	(void)state;
	ward_assert_ok(ward_try_watch(self, dead));
	ward_assert_ok(ward_try_watch(self, alive));
	ward_assert_err(ward_try_spawn(self, WARD_PROPS(&idle), NULL), WARD_ESTOPPING);
	ward_after(self, 1, 0, nothing);
	ward_assert_ok(ward_try_subscribe(self, WARD_EVENT_ALL));
	return WARD_DONE;
}

static const ward_behavior late_watcher = {
	.name = "late_watcher", .receive = ignore, .post_stop = watch_in_post_stop};

WARD_TEST(watches_made_in_post_stop_end_with_the_actor, "S46", "S64", "S69")
{
	ward_ref ref;

	kit = stress_start(&(ward_kit_options){.system.workers = 2, .system.actors_max = 8});
	dead = spawn(WARD_PROPS(&idle));
	ward_system_stop(ward_kit_system(kit), dead);
	ward_assert_ok(ward_system_wait_for(ward_kit_system(kit), dead, WARD_MINUTE));
	alive = spawn(WARD_PROPS(&idle));
	/* Few cells: later lives find what an earlier one left behind. */
	for (int i = 0; i < 100; i++) {
		ref = spawn(WARD_PROPS(&late_watcher));
		ward_system_stop(ward_kit_system(kit), ref);
		ward_assert_ok(ward_system_wait_for(ward_kit_system(kit), ref, WARD_MINUTE));
	}
	ward_kit_finish(kit);
}

/* ---- many orders for one that is busy ---------------------------------------------------- */

static sem_t entered, leave;

static ward_result busy_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	if (ward_match(msg, enter) != NULL) {
		sem_post(&entered);
		while (sem_wait(&leave) != 0)
			;
	}
	return WARD_DONE;
}

static const ward_behavior busy = {.name = "busy", .receive = busy_receive};

static ward_result failing_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	ward_assert(ward_match(msg, fail) != NULL);
	return ward_failed(self, &ward_exception, "as told");
}

static const ward_behavior failing = {.name = "failing", .receive = failing_receive};

static uint32_t incarnation, suspended;
static uint64_t sought;

static void note_incarnation(void *arg, const ward_actor_info *info)
{
	(void)arg;
	if (info->ref.uid != sought)
		return;
	incarnation = info->incarnation;
	suspended = info->suspended;
}

static void look_at(ward_ref ref)
{
	incarnation = suspended = 0;
	sought = ref.uid;
	(void)ward_system_actors(ward_kit_system(kit), note_incarnation, NULL);
}

WARD_TEST(orders_for_a_busy_actor_add_up_however_many_there_are, "S24", "S26")
{
	static const ward_strategy all = {.scope = WARD_ALL_FOR_ONE,
					  .rules = {{&ward_exception, WARD_RESTART}},
					  .quiet = true};
	const uint64_t orders = UINT64_C(1) << 16;
	ward_ref slow, quick;

	sem_init(&entered, 0, 0);
	sem_init(&leave, 0, 0);
	kit = stress_start(&(ward_kit_options){.system.workers = 2, .system.user_strategy = &all});
	slow = spawn(WARD_PROPS(&busy, .dispatcher = WARD_PINNED));
	quick = spawn(WARD_PROPS(&failing));
	ward_system_tell(ward_kit_system(kit), slow, enter);
	while (sem_wait(&entered) != 0)
		;
	for (uint64_t i = 0; i < orders; i++)
		ward_system_tell(ward_kit_system(kit), quick, fail);
	STRESS_UNTIL(kit, ward_kit_stats(kit).restarts == orders);
	sem_post(&leave);
	STRESS_UNTIL(kit, (look_at(slow), incarnation == 2 && suspended == 0));
	ward_kit_finish(kit);
}

/* ---- the end of a system, for those who wait --------------------------------------------- */

static void *ask_for_ever(void *arg)
{
	struct number answer;

	ward_assert_err(ward_system_ask(ward_kit_system(kit), *(ward_ref *)arg, WARD_FOREVER,
					&answer, question),
			WARD_EDEAD);
	return NULL;
}

/* Hears the question, and says nothing. */
static ward_result mute_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)msg;
	sem_post(&entered);
	return WARD_DONE;
}

static const ward_behavior mute = {.name = "mute", .receive = mute_receive};

WARD_TEST(question_without_an_answer_ends_with_the_system, "S78")
{
	ward_ref silent;
	pthread_t thread;

	kit = stress_start(&(ward_kit_options){.system.workers = 2});
	sem_init(&entered, 0, 0);
	silent = spawn(WARD_PROPS(&mute));
	thread = stress_thread(ask_for_ever, &silent);
	while (sem_wait(&entered) != 0)
		;
	ward_system_shutdown(ward_kit_system(kit), NULL);
	stress_join(thread);
	ward_kit_finish(kit);
}

/* ---- one descriptor, two actors ---------------------------------------------------------- */

static int ends[2];
static _Atomic uint64_t notices;

static bool is_second; /* set before the second one is told */

/* Refused until the notice of the other one is on its way; then takes the byte that made it. */
static void wait_for_the_other(ward_self *self)
{
	char byte;
	ward_err err;

	while ((err = ward_try_fd_watch(self, ends[0], WARD_FD_READ)) == WARD_EEXIST)
		sched_yield();
	ward_assert_ok(err);
	ward_fd_unwatch(self, ends[0]);
	ward_assert_eq(read(ends[0], &byte, 1), 1);
}

/* Watches when told to `enter`; then stays inside until the test lets it go. */
static ward_result reader_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (ward_match(msg, enter) != NULL) {
		if (is_second)
			wait_for_the_other(self);
		ward_assert_ok(ward_try_fd_watch(self, ends[0], WARD_FD_READ));
		sem_post(&entered);
		while (sem_wait(&leave) != 0)
			;
	}
	if (ward_match(msg, ward_fd_ready) != NULL)
		stress_add(&notices, 1);
	return WARD_DONE;
}

static const ward_behavior reader = {.name = "reader", .receive = reader_receive};

static bool watch_is_free(void *arg)
{
	return stress_get(&notices) == *(uint64_t *)arg;
}

WARD_TEST(late_look_at_readiness_leaves_the_watch_of_another_alone)
{
	/* The first has its notice in the mailbox and is busy; the second watches the same
	 * descriptor meanwhile. When the first gets to its notice, the watch of the second
	 * stays. */
	ward_ref first, second;

	ward_assert_eq(pipe(ends), 0);
	sem_init(&entered, 0, 0);
	sem_init(&leave, 0, 0);
	kit = stress_start(&(ward_kit_options){.system.workers = 2});
	first = spawn(WARD_PROPS(&reader, .dispatcher = WARD_PINNED));
	second = spawn(WARD_PROPS(&reader, .dispatcher = WARD_PINNED));
	ward_system_tell(ward_kit_system(kit), first, enter);
	while (sem_wait(&entered) != 0)
		;
	ward_assert_eq(write(ends[1], "x", 1), 1);
	is_second = true;
	ward_system_tell(ward_kit_system(kit), second, enter);
	while (sem_wait(&entered) != 0)
		;
	sem_post(&leave);
	sem_post(&leave);
	STRESS_UNTIL(kit, watch_is_free(&(uint64_t){1}));
	ward_assert_eq(write(ends[1], "x", 1), 1);
	STRESS_UNTIL(kit, watch_is_free(&(uint64_t){2}));
	ward_kit_finish(kit);
	close(ends[0]);
	close(ends[1]);
}

static ward_result forger_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (ward_match(msg, enter) != NULL)
		ward_assert_ok(ward_try_fd_watch(self, ends[0], WARD_FD_READ));
	if (ward_match(msg, number) != NULL)
		ward_tell(self, ward_self_ref(self), ward_fd_ready, .fd = ends[0],
			  .events = WARD_FD_READ);
	if (ward_match(msg, ward_fd_ready) != NULL)
		stress_add(&notices, 1);
	return WARD_DONE;
}

static const ward_behavior forger = {.name = "forger", .receive = forger_receive};

struct two_numbers {
	int64_t first, second;
};
WARD_MESSAGE(two_numbers);

WARD_TEST(forged_readiness_is_never_seen)
{
	/* The blocks of earlier messages hold small numbers where a number might be looked for. */
	ward_ref ref;

	ward_assert_eq(pipe(ends), 0);
	kit = stress_start(&(ward_kit_options){.system.workers = 1});
	ref = spawn(WARD_PROPS(&forger));
	ward_system_tell(ward_kit_system(kit), ref, enter);
	for (int64_t i = 0; i < 2000; i++) {
		ward_system_tell(ward_kit_system(kit), ref, two_numbers, .first = 1, .second = 1);
		ward_system_tell(ward_kit_system(kit), ref, number, .value = i);
		if (i % 100 == 0)
			ward_system_tell(ward_kit_system(kit), ref, ward_fd_ready, .fd = ends[0]);
	}
	ward_system_stop(ward_kit_system(kit), ref);
	ward_assert_ok(ward_system_wait_for(ward_kit_system(kit), ref, WARD_MINUTE));
	ward_assert_eq(stress_get(&notices), 0);
	ward_kit_finish(kit);
	close(ends[0]);
	close(ends[1]);
}

/* ---- late messages ----------------------------------------------------------------------- */

static _Atomic uint64_t target_uid;
static ward_ref target_shape;
static _Atomic bool enough;

static void *ask_the_dying(void *arg)
{
	struct number answer;
	uint64_t *asked = arg;

	while (!atomic_load_explicit(&enough, memory_order_relaxed)) {
		ward_ref to = target_shape;
		ward_err err;

		to.uid = stress_get(&target_uid);
		err = ward_system_ask(ward_kit_system(kit), to, 20 * WARD_SECOND, &answer,
				      question);
		ward_assert(err == WARD_OK || err == WARD_EDEAD);
		++*asked;
	}
	return NULL;
}

static ward_result answer_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	ward_assert(ward_match(msg, question) != NULL);
	ward_answer(self, msg, question, .value = 1);
	return WARD_DONE;
}

static const ward_behavior answers = {.name = "answers", .receive = answer_receive};

WARD_TEST(question_to_the_dying_is_answered_or_refused, "S49")
{
	uint64_t asked[2] = {0, 0};
	pthread_t threads[2];

	kit = stress_start(&(ward_kit_options){.system.workers = 2});
	target_shape = spawn(WARD_PROPS(&answers));
	atomic_store(&target_uid, target_shape.uid);
	for (int i = 0; i < 2; i++)
		threads[i] = stress_thread(ask_the_dying, &asked[i]);
	for (uint64_t i = 0; i < stress_size(20000, 1000000); i++) {
		ward_ref old = target_shape, next;

		old.uid = stress_get(&target_uid);
		next = spawn(WARD_PROPS(&answers));
		ward_system_stop(ward_kit_system(kit), old);
		atomic_store_explicit(&target_uid, next.uid, memory_order_relaxed);
	}
	atomic_store_explicit(&enough, true, memory_order_relaxed);
	for (int i = 0; i < 2; i++)
		stress_join(threads[i]);
	printf("asked %llu times\n", (unsigned long long)(asked[0] + asked[1]));
	ward_kit_finish(kit);
}

/* ---- a notice taken back in a full mailbox --------------------------------------------------- */

WARD_SIGNAL(step);

struct fickle {
	ward_ref child;
	uint64_t steps;
};

/* Each notice waits, or is about to, when it is taken back. */
static ward_result fickle_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct fickle *me = state;

	if (ward_match(msg, step) == NULL)
		return WARD_DONE; /* a notice that came in time */
	ward_unwatch(self, me->child);
	ward_assert_ok(ward_try_spawn(self, WARD_PROPS(&idle), &me->child));
	ward_assert_ok(ward_try_watch(self, me->child));
	ward_stop(self, me->child);
	if (++me->steps == stress_size(3000, 100000))
		ward_stop_self(self);
	return WARD_DONE;
}

WARD_TEST(notice_is_taken_back_while_senders_make_room_in_the_box, "S63")
{
	static const ward_behavior fickle = {
		.name = "fickle", .state_size = sizeof(struct fickle), .receive = fickle_receive};
	const ward_mailbox four = {.messages_max = 4, .overflow = WARD_OVERFLOW_DROP_OLDEST};
	ward_ref ref;

	kit = stress_start(&(ward_kit_options){
		.system.workers = 3, .system.dead_letters_logged = WARD_DEAD_LETTERS_NONE});
	ref = spawn(WARD_PROPS(&fickle, .mailbox = four));
	while (ward_system_is_alive(ward_kit_system(kit), ref)) {
		for (int i = 0; i < 40; i++)
			ward_system_tell(ward_kit_system(kit), ref, step);
		sched_yield();
	}
	ward_kit_finish(kit);
}

/* ---- many that spawn at once, near the limit ----------------------------------------------- */

enum { PARENTS = 6, KIDS = 4, ACTORS_MAX = 60 };

static _Atomic int parents_ready, parents_done, spawns_refused;

/* All at the same time, as far as that can be had. */
static ward_result breed(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	ward_assert(ward_match(msg, step) != NULL);
	atomic_fetch_add(&parents_ready, 1);
	for (int looks = 0; looks < 20000 && atomic_load(&parents_ready) < PARENTS; looks++)
		;
	for (int i = 0; i < KIDS; i++)
		if (ward_try_spawn(self, WARD_PROPS(&idle), NULL) != WARD_OK)
			atomic_fetch_add(&spawns_refused, 1);
	atomic_fetch_add(&parents_done, 1);
	return WARD_DONE;
}

WARD_TEST(spawn_is_not_refused_while_free_cells_are_on_their_way)
{
	static const ward_behavior parent = {.name = "parent", .receive = breed};

	for (uint64_t round = 0; round < stress_size(60, 5000); round++) {
		ward_ref parents[PARENTS];

		kit = stress_start(
			&(ward_kit_options){.system.workers = 2, .system.actors_max = ACTORS_MAX});
		parents_ready = parents_done = spawns_refused = 0;
		for (int i = 0; i < PARENTS; i++)
			parents[i] = spawn(WARD_PROPS(&parent, .dispatcher = WARD_PINNED));
		for (int i = 0; i < PARENTS; i++)
			ward_system_tell(ward_kit_system(kit), parents[i], step);
		STRESS_UNTIL(kit, atomic_load(&parents_done) == PARENTS);
		ward_assert_eq(atomic_load(&spawns_refused), 0);
		ward_kit_finish(kit);
	}
}

/* ---- no memory --------------------------------------------------------------------------- */

WARD_TEST(system_that_finds_no_memory_leaves_nothing_behind)
{
	ward_err err = WARD_ENOMEM;
	uint64_t at;

	for (at = 1; err == WARD_ENOMEM && at < 10000; at++) {
		/* One that is refused checks that nothing is left. */
		err = ward_kit_try_start(&(ward_kit_options){.real_threads = true,
							     .pooled = true,
							     .system.workers = 2,
							     .fail_allocation = at},
					 &kit);
		ward_assert(err == WARD_OK || err == WARD_ENOMEM);
	}
	ward_kit_finish(kit);
	ward_assert(at > 10);
	printf("%llu allocations failed, one after the other\n", (unsigned long long)at - 2);
}

WARD_TEST_MAIN
