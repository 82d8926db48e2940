/* SPDX-License-Identifier: MIT
 *
 * test_flooded_places.c - mail that comes too late for the actors that had a place takes no place
 * from those that come.
 *
 * Method: a parent at options.actors_max ends its children and makes others as soon as it is told,
 * while threads outside tell those whose places they get, dying and dead.
 */
#include <pthread.h>
#include <stdatomic.h>

#include <ward/extend.h>
#include <ward/testkit.h>
#include <ward/ward.h>

/* ThreadSanitizer makes each tell some fifty times slower, and the threads that flood leave one
 * worker little of two processors. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define LIVES 2000
#endif
#endif
#ifndef LIVES
#define LIVES 20000
#endif

enum { GUARDIANS = 3, CHILDREN = 4, THREADS = 4 };

WARD_SIGNAL(noise);

static ward_system *system_;
static _Atomic uint64_t known[CHILDREN]; /* refs of this or an earlier life */
static _Atomic uint32_t place_of_all;
static _Atomic int lives, refused;
static _Atomic bool over;

static ward_result child_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self, (void)state, (void)msg;
	return WARD_DONE;
}
static const ward_behavior child = {.name = "child", .receive = child_receive};

struct parent {
	ward_ref children[CHILDREN];
};

static ward_result replace(ward_self *self, struct parent *me, int i)
{
	ward_err err = ward_try_spawn(self, WARD_PROPS(&child), &me->children[i]);

	if (err != WARD_OK) {
		atomic_fetch_add(&refused, 1);
		return ward_failed(self, &ward_exception, "%s", ward_err_detail());
	}
	ward_assert_ok(ward_try_watch(self, me->children[i]));
	atomic_store(&place_of_all, ward_ref_place(me->children[i]));
	atomic_store(&known[i], me->children[i].uid);
	ward_stop(self, me->children[i]);
	return WARD_DONE;
}

static ward_result parent_pre_start(ward_self *self, void *state)
{
	struct parent *me = state;
	ward_result result = WARD_DONE;

	for (int i = 0; i < CHILDREN && result == WARD_DONE; i++)
		result = replace(self, me, i);
	return result;
}

static ward_result parent_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct ward_terminated *gone = ward_match(msg, ward_terminated);
	struct parent *me = state;

	if (gone == NULL)
		return WARD_UNHANDLED;
	if (atomic_fetch_add(&lives, 1) >= LIVES)
		return WARD_DONE;
	for (int i = 0; i < CHILDREN; i++)
		if (ward_ref_equal(me->children[i], gone->who))
			return replace(self, me, i);
	return WARD_DONE;
}

static const ward_behavior parent = {
	.name = "parent",
	.state_size = sizeof(struct parent),
	.pre_start = parent_pre_start,
	.receive = parent_receive,
};

static void *make_noise(void *arg)
{
	(void)arg;
	while (!atomic_load(&over))
		for (int i = 0; i < CHILDREN; i++) {
			ward_ref ref = ward_ref_at(atomic_load(&place_of_all), WARD_REF_ACTOR,
						   atomic_load(&known[i]));

			ward_system_tell(system_, ref, noise);
		}
	return NULL;
}

static bool is_done(void *arg)
{
	(void)arg;
	return atomic_load(&lives) >= LIVES || atomic_load(&refused) > 0;
}

WARD_TEST(place_of_a_dead_actor_that_is_told_all_the_time_is_free)
{
	pthread_t threads[THREADS];
	ward_kit *kit = ward_kit_start(&(ward_kit_options){
		.real_threads = true,
		.pooled = true,
		.keeps_no_events = true,
		.may_leave_mail = true,
		.system = {.workers = 1, .actors_max = GUARDIANS + 1 + CHILDREN},
	});

	system_ = ward_kit_system(kit);
	for (int i = 0; i < THREADS; i++)
		ward_assert_eq(pthread_create(&threads[i], NULL, make_noise, NULL), 0);
	(void)ward_kit_spawn(kit, &parent);
	ward_assert(ward_kit_run_until(kit, WARD_MINUTE, is_done, NULL));
	atomic_store(&over, true);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	ward_assert_eq(atomic_load(&refused), 0);
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
