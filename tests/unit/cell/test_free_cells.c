/* SPDX-License-Identifier: MIT
 *
 * test_free_cells.c - free cells that a worker has at hand: none of them is missing where one is
 * needed.
 *
 * Method: two parents, each on a thread of its own and so with free cells of its own, make children
 * and end them; then the other one makes as many as there may be. A worker that sleeps has no free
 * cells, so one that is to have some is kept in a callback meanwhile.
 */
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "cell/self.h"
#include "support/script.h"

enum { ACTORS_MAX = 100, GUARDIANS = 3 };

struct breed {
	int count;
};
WARD_MESSAGE(breed);
WARD_SIGNAL(cull);
WARD_SIGNAL(linger);

struct breeder {
	ward_ref children[ACTORS_MAX];
	int count;
};

static _Atomic int bred;
static _Atomic int refused; /* by what code the last one was */
static sem_t done, release; /* of one that lingers, and of one that breeds meanwhile */

static ward_result ignore(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)msg;
	return WARD_UNHANDLED;
}

static const ward_behavior child = {.name = "child", .receive = ignore};

static ward_result breeder_receive(ward_self *self, void *state, const ward_msg *msg)
{
	ward_err err = WARD_OK;
	struct breeder *me = state;
	const struct breed *order = ward_match(msg, breed);

	if (ward_match(msg, cull)) {
		while (me->count > 0)
			ward_stop(self, me->children[--me->count]);
		return WARD_DONE;
	}
	if (ward_match(msg, linger)) {
		err = ward_try_spawn(self, WARD_PROPS(&child), &me->children[me->count++]);
		ward_assert_ok(err);
		sem_post(&done);
		sem_wait(&release);
		return WARD_DONE;
	}
	if (order == NULL)
		return WARD_UNHANDLED;
	for (int i = 0; i < order->count && err == WARD_OK; i++) {
		err = ward_try_spawn(self, WARD_PROPS(&child), &me->children[me->count]);
		me->count += err == WARD_OK;
	}
	/* Relaxed, both: read when all is quiet. */
	atomic_store_explicit(&refused, (int)err, memory_order_relaxed);
	atomic_store_explicit(&bred, me->count, memory_order_relaxed);
	sem_post(&done);
	return WARD_DONE;
}

static const ward_behavior breeder = {
	.name = "breeder",
	.state_size = sizeof(struct breeder),
	.receive = breeder_receive,
};

static ward_ref start(ward_kit *kit)
{
	return ward_kit_spawn(kit, &breeder, .dispatcher = WARD_PINNED);
}

/* Has it make so many, and as many as there may be; says how many there are. */
static int breed_some(ward_kit *kit, ward_ref who, int count)
{
	ward_kit_tell(kit, who, breed, count);
	ward_kit_run(kit);
	return atomic_load_explicit(&bred, memory_order_relaxed);
}

static int breed_all(ward_kit *kit, ward_ref who)
{
	int count = breed_some(kit, who, ACTORS_MAX);

	ward_assert_eq(atomic_load_explicit(&refused, memory_order_relaxed), WARD_ELIMIT);
	return count;
}

static void end_all(ward_kit *kit, ward_ref who)
{
	ward_kit_tell(kit, who, cull);
	ward_kit_run(kit);
}

/* How many cells all workers have at hand. */
static int stocked(ward_system *system)
{
	int count = 0;

	wardi_mutex_lock(&system->selves_mu);
	for (struct wardi_list *at = system->selves.next; at != &system->selves; at = at->next) {
		struct ward_self *self = wardi_container_of(at, struct ward_self, link);

		count += (int)wardi_free_cells_count(&self->free_cells);
	}
	wardi_mutex_unlock(&system->selves_mu);
	return count;
}

static ward_kit *begin(void)
{
	return ward_kit_start(&(ward_kit_options){
		.real_threads = true, .system = {.actors_max = ACTORS_MAX, .workers = 1}});
}

/* One fills the stock of its worker, and lingers; the other one takes all there is. */
static void take_from_busy(const char *dispatcher)
{
	ward_kit *kit = begin();
	ward_system *system = ward_kit_system(kit);
	ward_ref a = ward_kit_spawn(kit, &breeder, .dispatcher = dispatcher), b = start(kit);

	sem_init(&done, 0, 0);
	sem_init(&release, 0, 0);
	ward_kit_tell(kit, a, linger);
	sem_wait(&done);
	ward_assert(stocked(system) > 0);
	ward_kit_tell(kit, b, breed, ACTORS_MAX);
	sem_wait(&done);
	ward_assert_eq(atomic_load_explicit(&bred, memory_order_relaxed),
		       ACTORS_MAX - GUARDIANS - 3);
	ward_assert_eq(atomic_load_explicit(&refused, memory_order_relaxed), WARD_ELIMIT);
	ward_assert_eq(stocked(system), 0);
	sem_post(&release);
	end_all(kit, a);
	end_all(kit, b);
	/* Each may be the last one, from now on. */
	ward_assert_eq(stocked(system), 0);
	ward_kit_finish(kit);
}

WARD_TEST(stock_of_another_worker_is_no_reason_to_refuse_a_spawn)
{
	take_from_busy(NULL);
}

WARD_TEST(stock_of_another_thread_is_no_reason_to_refuse_a_spawn)
{
	take_from_busy(WARD_PINNED);
}

WARD_TEST(stock_is_at_hand_again_from_round_to_round)
{
	ward_kit *kit = begin();
	ward_ref a = start(kit), b = start(kit);

	for (int round = 0; round < 3; round++) {
		ward_assert_eq(breed_some(kit, a, 40), 40);
		end_all(kit, a);
		ward_assert_eq(breed_all(kit, b), ACTORS_MAX - GUARDIANS - 2);
		end_all(kit, b);
		ward_assert_eq(breed_all(kit, a), ACTORS_MAX - GUARDIANS - 2);
		end_all(kit, a);
	}
	ward_kit_finish(kit);
}

WARD_TEST(worker_that_sleeps_has_no_stock)
{
	ward_kit *kit = begin();
	ward_system *system = ward_kit_system(kit);
	ward_ref a = ward_kit_spawn(kit, &breeder);

	ward_assert_eq(breed_some(kit, a, 40), 40);
	end_all(kit, a);
	while (stocked(system) > 0)
		sched_yield();
	ward_kit_finish(kit);
}

WARD_TEST(stock_of_a_worker_that_ends_is_given_back)
{
	ward_kit *kit = begin();
	ward_system *system = ward_kit_system(kit);
	ward_ref a = start(kit), b = start(kit);

	ward_assert_eq(breed_some(kit, a, 40), 40);
	end_all(kit, a);
	ward_system_stop(system, a);
	ward_assert_ok(ward_system_wait_for(system, a, WARD_MINUTE));
	ward_kit_run(kit);
	ward_assert_eq(breed_all(kit, b), ACTORS_MAX - GUARDIANS - 1);
	end_all(kit, b);
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
