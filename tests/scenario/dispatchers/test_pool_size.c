/* SPDX-License-Identifier: MIT
 *
 * test_pool_size.c - a pool grows while work waits, and shrinks when its threads are idle.
 *
 * Method: actors meet at a barrier, so each needs a thread. Keep-alive times are short, and the
 * test waits until the threads are gone.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "dispatchers.h"

enum { CREW = 4 };

static pthread_barrier_t barrier;
static _Atomic unsigned handled;

WARD_SIGNAL(meet);
WARD_SIGNAL(count);

static ward_result member_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self, (void)state;
	if (ward_match(msg, meet) != NULL)
		pthread_barrier_wait(&barrier);
	else if (ward_match(msg, count) == NULL)
		return WARD_UNHANDLED;
	handled++;
	return WARD_DONE;
}
static const ward_behavior member = {.name = "member", .receive = member_receive};

struct crew {
	ward_kit *kit;
	const char *name;
	ward_ref refs[CREW];
	uint32_t wanted; /* threads */
};

static bool has_wanted(void *arg)
{
	const struct crew *crew = arg;

	return dispatcher_info(crew->kit, crew->name).threads == crew->wanted;
}

static void wait_for_threads(struct crew *crew, uint32_t wanted)
{
	crew->wanted = wanted;
	if (!ward_kit_run_until(crew->kit, WARD_MINUTE, has_wanted, crew))
		ward_assert_eq(dispatcher_info(crew->kit, crew->name).threads, wanted);
}

static void hire(struct crew *crew, ward_kit *kit, const char *name)
{
	*crew = (struct crew){.kit = kit, .name = name};
	for (int i = 0; i < CREW; i++)
		crew->refs[i] = ward_kit_spawn(kit, &member, .dispatcher = name);
}

/* Returns when all of them have met: each had a thread. */
static void let_meet(struct crew *crew)
{
	pthread_barrier_init(&barrier, NULL, CREW);
	for (int i = 0; i < CREW; i++)
		ward_kit_tell(crew->kit, crew->refs[i], meet);
	ward_kit_run(crew->kit);
	pthread_barrier_destroy(&barrier);
}

static ward_kit *start(const ward_dispatcher *rows)
{
	return ward_kit_start(&(ward_kit_options){.real_threads = true,
						  .system = {.workers = 1, .dispatchers = rows}});
}

WARD_TEST(idle_threads_of_a_pool_end_down_to_the_minimum)
{
	static const ward_dispatcher rows[] = {
		{.name = WARD_BLOCKING, .threads = CREW, .keep_alive_ms = 1},
		{.name = "two", .threads = CREW, .threads_min = 2, .keep_alive_ms = 1},
		{.name = "stay", .threads = CREW, .keep_alive_ms = WARD_FOREVER},
		{.name = "usual", .threads = CREW},
		{.name = NULL}};
	ward_kit *kit = start(rows);
	struct crew crews[4];

	for (int i = 3; i >= 0; i--) {
		hire(&crews[i], kit, rows[i].name);
		let_meet(&crews[i]);
		ward_assert(dispatcher_info(kit, rows[i].name).threads_started >= CREW);
	}
	wait_for_threads(&crews[0], 1);
	wait_for_threads(&crews[1], 2);
	ward_assert_eq(dispatcher_info(kit, "stay").threads, CREW);
	ward_assert_eq(dispatcher_info(kit, "usual").threads, CREW);
	ward_kit_finish(kit);
}

WARD_TEST(pool_that_has_shrunk_grows_again)
{
	static const ward_dispatcher rows[] = {{.name = "p", .threads = CREW, .keep_alive_ms = 1},
					       {.name = NULL}};
	ward_kit *kit = start(rows);
	struct crew crew;

	hire(&crew, kit, "p");
	for (unsigned i = 1; i <= 3; i++) {
		let_meet(&crew);
		wait_for_threads(&crew, 1);
		ward_assert(dispatcher_info(kit, "p").threads_started >= i * (CREW - 1) + 1);
	}
	ward_kit_finish(kit);
}

static bool has_shrunk_while_called(void *arg)
{
	struct crew *crew = arg;
	unsigned before = handled;

	ward_kit_tell(crew->kit, crew->refs[0], count);
	while (handled == before)
		sched_yield();
	return has_wanted(crew);
}

/* One thread is enough for one call at a time: the others must not take turns with it. */
WARD_TEST(pool_shrinks_although_it_is_called_all_the_time)
{
	static const ward_dispatcher rows[] = {{.name = "p", .threads = CREW, .keep_alive_ms = 100},
					       {.name = NULL}};
	ward_kit *kit = start(rows);
	struct crew crew;

	hire(&crew, kit, "p");
	let_meet(&crew);
	crew.wanted = 1;
	ward_assert(ward_kit_run_until(kit, WARD_MINUTE, has_shrunk_while_called, &crew));
	ward_kit_finish(kit);
}

/* A thread that ends and a call that comes may meet at any point. */
WARD_TEST(pool_whose_threads_end_all_the_time_loses_nothing)
{
	enum { ROUNDS = 200 };
	static const ward_dispatcher rows[] = {{.name = "p", .threads = CREW, .keep_alive_ms = 1},
					       {.name = NULL}};
	ward_kit *kit = start(rows);
	struct crew crew;

	handled = 0;
	hire(&crew, kit, "p");
	for (int i = 0; i < ROUNDS; i++) {
		int64_t until_ns = ward_kit_now_ns(kit) + 1000 * (800 + 2 * i);

		for (int j = 0; j < CREW; j++)
			ward_kit_tell(kit, crew.refs[j], count);
		while (ward_kit_now_ns(kit) < until_ns)
			sched_yield();
	}
	ward_kit_run(kit);
	ward_assert_eq(handled, ROUNDS * CREW);
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
