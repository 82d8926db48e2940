/* SPDX-License-Identifier: MIT
 *
 * test_biased_lock.c - the lock that leans to its owner, and the run queue under it, with real
 * threads.
 *
 * Method: an owner and guests count with plain increments under the lock, so that two inside at
 * once lose a count; guests come at once, after a while, and while the owner is away, so that both
 * ways in are taken: the owner's acknowledgement, and the barrier. Once as the machine allows, once
 * without leaning, and once with a kernel that refuses the barrier from the middle on. Then a queue
 * that is pushed to, popped and stolen from at the same time.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <ward/testkit.h>

#include "base/biased_lock.h"
#include "base/random.h"
#include "base/spin.h"
#include "sched/runqueue.h"
#include "support/filter.h"
#include "support/stress.h"

enum { GUESTS = 3 };

struct house {
	struct wardi_biased_lock lock;
	char apart[64];
	volatile uint64_t inside; /* under the lock */
	_Atomic bool over;
	uint64_t rounds;
};

struct guest {
	struct house *house;
	uint64_t seed;
	_Atomic uint64_t visits;
	pthread_t thread;
};

static uint64_t visits_of(const struct guest *guests)
{
	uint64_t visits = 0;

	for (int i = 0; i < GUESTS; i++)
		visits += atomic_load(&guests[i].visits);
	return visits;
}

static void loiter(uint64_t pauses)
{
	for (uint64_t i = 0; i < pauses; i++)
		wardi_pause();
}

static void *visit(void *arg)
{
	struct guest *guest = arg;
	struct house *house = guest->house;
	struct wardi_random random;

	wardi_random_init(&random, guest->seed);
	while (!atomic_load(&house->over)) {
		if (wardi_biased_lock_visit(&house->lock)) {
			house->inside++;
			atomic_fetch_add(&guest->visits, 1);
			wardi_biased_lock_depart(&house->lock);
		}
		loiter(wardi_random_below(&random, 300));
	}
	return NULL;
}

/* When the owner has been in so often, `then` is called. It goes on until a guest has come after
 * that, too, however late the threads of the guests get a processor. */
static void check_house(bool leans, uint64_t often, void (*then)(void))
{
	static struct house house;
	struct guest guests[GUESTS];
	struct wardi_random random;
	uint64_t least = stress_size(2000000, 100000000), rounds = 0, before = 0;

	memset(&house, 0, sizeof(house));
	if (leans)
		wardi_biased_lock_lean(&house.lock);
	wardi_random_init(&random, ward_test_seed());
	for (uint64_t i = 0; i < GUESTS; i++) {
		guests[i] = (struct guest){.house = &house, .seed = ward_test_seed() + i};
		ward_assert_eq(pthread_create(&guests[i].thread, NULL, visit, &guests[i]), 0);
	}
	for (; rounds < least || visits_of(guests) <= before; rounds++) {
		if (rounds == often && then != NULL) {
			then();
			before = visits_of(guests);
		}
		wardi_biased_lock_enter(&house.lock);
		house.inside++;
		wardi_biased_lock_leave(&house.lock);
		if (rounds % 50000 == 0) /* away for longer than a guest waits for an answer */
			loiter(wardi_random_below(&random, 20000));
	}
	atomic_store(&house.over, true);
	for (int i = 0; i < GUESTS; i++)
		ward_assert_eq(pthread_join(guests[i].thread, NULL), 0);
	ward_assert_eq(house.inside, rounds + visits_of(guests));
}

WARD_TEST(owner_and_guests_are_never_inside_at_once)
{
	check_house(wardi_biased_lock_possible(), 0, NULL);
}

WARD_TEST(lock_that_does_not_lean_is_a_lock)
{
	check_house(false, 0, NULL);
}

/* What the owner did not see by then it sees while guests wait for it, are inside, or come. */
WARD_TEST(lock_leans_no_longer_when_the_kernel_takes_back_its_barrier)
{
	bool leans = wardi_biased_lock_possible();

	check_house(leans, stress_size(1000000, 50000000), filter_refuse_membarrier);
	ward_assert(!leans || wardi_biased_lock_refused());
	ward_assert(!leans || !wardi_biased_lock_possible());
}

/* ---- the run queue ----------------------------------------------------------------------- */

struct item {
	struct wardi_runnable runnable; /* first */
	uint32_t taken;                 /* by whoever took it from the queue */
};

struct market {
	struct wardi_runqueue queue;
	_Atomic bool over;
};

struct thief {
	struct market *market;
	uint64_t stolen;
	pthread_t thread;
};

static uint64_t take_all(struct wardi_fifo *batch)
{
	struct wardi_runnable *runnable;
	uint64_t count = 0;

	while ((runnable = wardi_fifo_take(batch)) != NULL) {
		((struct item *)(void *)runnable)->taken++;
		count++;
	}
	ward_assert_eq(batch->count, 0);
	return count;
}

static void *steal(void *arg)
{
	struct thief *thief = arg;
	struct market *market = thief->market;
	struct wardi_fifo batch = {0};

	while (!atomic_load(&market->over)) {
		wardi_runqueue_steal(&market->queue, 1 + thief->stolen % 7, &batch);
		thief->stolen += take_all(&batch);
		loiter(thief->stolen % 200);
	}
	return NULL;
}

static void check_market(bool leans, void (*then)(void))
{
	static struct market market;
	struct thief thieves[GUESTS];
	uint64_t count = stress_size(300000, 5000000), got = 0;
	struct item *items = calloc(count, sizeof(*items));
	struct wardi_runnable *runnable;

	ward_assert(items != NULL);
	memset(&market, 0, sizeof(market));
	if (leans)
		wardi_biased_lock_lean(&market.queue.lock);
	for (int i = 0; i < GUESTS; i++) {
		thieves[i] = (struct thief){.market = &market};
		ward_assert_eq(pthread_create(&thieves[i].thread, NULL, steal, &thieves[i]), 0);
	}
	for (uint64_t i = 0; i < count; i++) {
		if (i == count / 2 && then != NULL)
			then();
		wardi_runqueue_push(&market.queue, &items[i].runnable);
		for (uint64_t j = 0; j < i % 3; j++) {
			runnable = wardi_runqueue_pop(&market.queue);
			if (runnable == NULL)
				continue;
			((struct item *)(void *)runnable)->taken++;
			got++;
		}
	}
	atomic_store(&market.over, true);
	for (int i = 0; i < GUESTS; i++) {
		ward_assert_eq(pthread_join(thieves[i].thread, NULL), 0);
		got += thieves[i].stolen;
	}
	while ((runnable = wardi_runqueue_pop(&market.queue)) != NULL) {
		((struct item *)(void *)runnable)->taken++;
		got++;
	}
	ward_assert_eq(got, count);
	for (uint64_t i = 0; i < count; i++)
		ward_assert_eq(items[i].taken, 1);
	free(items);
}

WARD_TEST(queue_gives_each_runnable_once_to_owner_or_thief)
{
	check_market(wardi_biased_lock_possible(), NULL);
}

WARD_TEST(queue_that_does_not_lean_gives_each_runnable_once)
{
	check_market(false, NULL);
}

WARD_TEST(queue_that_leans_no_longer_gives_each_runnable_once)
{
	check_market(wardi_biased_lock_possible(), filter_refuse_membarrier);
}

WARD_TEST_MAIN
