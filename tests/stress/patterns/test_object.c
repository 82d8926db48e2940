/* SPDX-License-Identifier: MIT
 *
 * test_object.c - active objects on real threads: called by threads, actors and inboxes at once,
 * while their methods fail and all of them are restarted.
 *
 * Method: each caller makes its calls by dice: some wait for the answer, some do not, some make the
 * method fail, by return or by a jump. An object runs one method at a time, or it would see itself
 * entered twice; an answer carries what was asked, and comes once. Then the books: each question
 * has ended, and each object has counted what it was told.
 */
#include <string.h>

#include <ward/akka_zero.h>

#include "support/stress.h"

enum { OBJECTS = 3, THREADS = 3, ACTORS = 3 };

#define TILL(TELL, ASK)                                                                            \
	TELL(till, add, (uint64_t, dice))                                                          \
	ASK(till, twice, uint64_t, (uint64_t, dice))
WARD_OBJECT(till, TILL);

struct till {
	_Atomic uint32_t inside;
};

static struct {
	ward_kit *kit;
	ward_objects *objects;
	till_ref tills[OBJECTS];
	_Atomic uint64_t told, added, asked, answered, failed, broken, done;
	_Atomic uint64_t entered_twice, wrong, refused;
} shop;

static void enter(struct till *me)
{
	if (atomic_exchange_explicit(&me->inside, 1, memory_order_relaxed) != 0)
		stress_add(&shop.entered_twice, 1);
}

static void leave(struct till *me)
{
	atomic_store_explicit(&me->inside, 0, memory_order_relaxed);
}

static ward_result till_do_add(ward_self *self, struct till *me, uint64_t dice)
{
	(void)self, (void)dice;
	enter(me);
	stress_add(&shop.added, 1);
	leave(me);
	return WARD_DONE;
}

static ward_result till_do_twice(ward_self *self, struct till *me, uint64_t dice,
				 uint64_t *ret_answer)
{
	enter(me);
	*ret_answer = dice * 2;
	leave(me);
	if (dice % 32 == 0) {
		stress_add(&shop.broken, 1);
		return ward_failed(self, &ward_exception, "%d", 0);
	}
	if (dice % 32 == 1) {
		stress_add(&shop.broken, 1);
		ward_fail(self, &ward_exception, "%d", 1);
	}
	return WARD_DONE;
}

WARD_OBJECT_CLASS(till, TILL);

/* What came of a question. */
static void ended(uint64_t dice, ward_err err, uint64_t answer)
{
	if (err == WARD_OK) {
		stress_add(&shop.answered, 1);
		stress_add(&shop.wrong, answer != dice * 2 || dice % 32 < 2);
	} else {
		stress_add(&shop.failed, 1);
		stress_add(&shop.wrong, err != WARD_EFAILED || dice % 32 >= 2);
	}
}

/* ---- threads ----------------------------------------------------------------------------- */

static void *thread_main(void *arg)
{
	uint64_t dice = (uint64_t)(uintptr_t)arg, calls = stress_size(2000, 200000);

	for (uint64_t i = 0; i < calls; i++) {
		uint64_t number = stress_random(&dice), answer = 0;
		till_ref till = shop.tills[number / 64 % OBJECTS];

		if (number / 1024 % 2 == 0) {
			stress_add(&shop.told, 1);
			till_add(till, number);
		} else {
			ward_err err;

			stress_add(&shop.asked, 1);
			err = till_twice(till, number, &answer);
			ended(number, err, answer);
		}
	}
	return NULL;
}

static void *inbox_main(void *arg)
{
	uint64_t dice = 7, calls = stress_size(2000, 200000), answer = 0;
	const ward_msg *msg;
	ward_inbox *inbox;

	(void)arg;
	ward_assert_ok(ward_inbox_create(ward_kit_system(shop.kit), NULL, &inbox));
	for (uint64_t i = 0; i < calls; i++) {
		uint64_t number = stress_random(&dice);
		ward_err err;

		stress_add(&shop.asked, 1);
		ward_assert_ok(till_twice_inbox(inbox, shop.tills[i % OBJECTS], number));
		ward_assert_ok(ward_inbox_receive(inbox, WARD_MINUTE, &msg));
		err = till_twice_answered(msg, &answer);
		ended(number, err, answer);
	}
	ward_inbox_destroy(inbox);
	return NULL;
}

/* ---- actors ------------------------------------------------------------------------------ */

struct caller {
	uint64_t dice, left, open[4];
};

static const ward_type seed_type = {.name = "seed", .size = sizeof(uint64_t)};

static ward_result call_on(ward_self *self, struct caller *me, uint64_t tag)
{
	uint64_t number = stress_random(&me->dice);
	till_ref till = shop.tills[number / 64 % OBJECTS];

	if (me->left == 0)
		return WARD_DONE;
	me->left--;
	stress_add(&shop.told, 1);
	till_add_from(self, till, number);
	me->open[tag - 1] = number;
	stress_add(&shop.asked, 1);
	if (till_twice_ask_try(self, till, tag, number) != WARD_OK)
		stress_add(&shop.refused, 1);
	return WARD_DONE;
}

static ward_result caller_init(ward_self *self, void *state, const void *args)
{
	struct caller *me = state;

	me->dice = *(const uint64_t *)args;
	me->left = stress_size(2000, 200000);
	for (uint64_t tag = 1; tag <= 4; tag++)
		if (call_on(self, me, tag) == WARD_FAILED)
			return WARD_FAILED;
	return WARD_DONE;
}

static ward_result caller_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct caller *me = state;
	uint64_t tag = ward_ask_tag(self), answer = 0;
	ward_err err;

	if (tag == 0)
		return WARD_UNHANDLED;
	err = till_twice_answered(msg, &answer);
	ended(me->open[tag - 1], err, answer);
	me->open[tag - 1] = 0;
	if (me->left == 0 && me->open[0] + me->open[1] + me->open[2] + me->open[3] == 0) {
		stress_add(&shop.done, 1);
		ward_stop_self(self);
	}
	return call_on(self, me, tag);
}

static const ward_behavior caller = {.name = "caller",
				     .state_size = sizeof(struct caller),
				     .args = &seed_type,
				     .init = caller_init,
				     .receive = caller_receive};

/* ---- the books --------------------------------------------------------------------------- */

static void open_shop(uint32_t workers, ward_scope scope)
{
	static ward_component components[OBJECTS + 1] = {
		{.object_class = &till_class, .id = "a", .timeout_ms = WARD_FOREVER},
		{.object_class = &till_class, .id = "b", .timeout_ms = WARD_FOREVER},
		{.object_class = &till_class, .id = "c", .timeout_ms = WARD_FOREVER},
	};
	static ward_strategy strategy;

	memset(&shop, 0, sizeof shop);
	strategy = (ward_strategy){
		.scope = scope, .rules = {{&ward_exception, WARD_RESTART}}, .quiet = true};
	shop.kit = stress_start(&(ward_kit_options){.system.workers = workers});
	ward_assert_ok(ward_objects_configure(&strategy, components, &shop.objects));
	ward_assert_ok(
		ward_objects_supervise(shop.objects, ward_kit_system(shop.kit), WARD_FOREVER));
	for (size_t i = 0; i < OBJECTS; i++)
		ward_assert_ok(till_instance(shop.objects, components[i].id, &shop.tills[i]));
}

static void close_shop(void)
{
	ward_kit_run(shop.kit);
	ward_assert_eq(stress_get(&shop.entered_twice), 0);
	ward_assert_eq(stress_get(&shop.wrong), 0);
	ward_assert_eq(stress_get(&shop.refused), 0);
	ward_assert_eq(stress_get(&shop.added), stress_get(&shop.told));
	ward_assert_eq(stress_get(&shop.failed), stress_get(&shop.broken));
	ward_assert_eq(stress_get(&shop.answered) + stress_get(&shop.failed),
		       stress_get(&shop.asked));
	ward_assert(stress_get(&shop.failed) > 0);
	ward_objects_release(shop.objects);
	ward_kit_finish(shop.kit);
}

static void all_call(uint32_t workers, ward_scope scope)
{
	pthread_t threads[THREADS + 1];

	open_shop(workers, scope);
	for (uint64_t i = 0; i < ACTORS; i++) {
		uint64_t seed = i + 100;

		(void)ward_kit_spawn(shop.kit, &caller, .args = {&seed_type, &seed, sizeof seed});
	}
	for (uintptr_t i = 0; i < THREADS; i++)
		threads[i] = stress_thread(thread_main, (void *)(i + 1));
	threads[THREADS] = stress_thread(inbox_main, NULL);
	for (size_t i = 0; i <= THREADS; i++)
		stress_join(threads[i]);
	STRESS_UNTIL(shop.kit, stress_get(&shop.done) == ACTORS);
	close_shop();
}

static void objects_are_called_from_everywhere(uint32_t workers)
{
	all_call(workers, WARD_ONE_FOR_ONE);
}

static void objects_are_called_and_all_restarted(uint32_t workers)
{
	all_call(workers, WARD_ALL_FOR_ONE);
}

STRESS_WORKERS(objects_are_called_from_everywhere, "S124")
STRESS_WORKERS(objects_are_called_and_all_restarted, "S124")

/* ---- the end, while there are calls ------------------------------------------------------ */

static void *call_until_gone(void *arg)
{
	uint64_t dice = (uint64_t)(uintptr_t)arg, answer;
	ward_err err;

	do {
		uint64_t number = stress_random(&dice) | 2;

		till_add(shop.tills[0], number);
		err = till_twice(shop.tills[0], number, &answer);
		if (err == WARD_OK)
			stress_add(&shop.wrong, answer != number * 2);
	} while (err == WARD_OK);
	stress_add(&shop.wrong, err != WARD_EDEAD);
	stress_add(&shop.done, 1);
	return NULL;
}

WARD_TEST(callers_of_an_object_that_ends_are_all_told, "S124")
{
	for (uint64_t round = 0; round < stress_size(20, 500); round++) {
		pthread_t threads[THREADS];

		open_shop(2, WARD_ONE_FOR_ONE);
		for (uintptr_t i = 0; i < THREADS; i++)
			threads[i] = stress_thread(call_until_gone, (void *)(i + 1));
		ward_kit_advance(shop.kit, (int64_t)(round % 3));
		ward_system_stop(ward_kit_system(shop.kit), ward_objects_ref(shop.objects));
		for (size_t i = 0; i < THREADS; i++)
			stress_join(threads[i]);
		ward_assert_eq(stress_get(&shop.wrong), 0);
		ward_assert_eq(stress_get(&shop.done), THREADS);
		ward_objects_release(shop.objects);
		ward_kit_finish(shop.kit);
	}
}

/* ---- starts that fail -------------------------------------------------------------------- */

static ward_result create_by_chance(ward_self *self, void *object, const void *args)
{
	(void)object, (void)args;
	if (ward_random(self) % 4 == 0)
		return ward_failed(self, &ward_exception, "not today");
	return WARD_DONE;
}

/* Above, some start again at once what has failed, while the failure is reported. */
static void starts_fail(uint32_t workers)
{
	static const ward_strategy up = {.rules = {{&ward_exception, WARD_ESCALATE}},
					 .quiet = true};
	static const ward_strategy again = {.otherwise = WARD_RESTART, .quiet = true};
	static ward_object_class fickle;
	static ward_component components[OBJECTS + 1];
	uint64_t failed = 0;
	ward_kit *kit = stress_start(
		&(ward_kit_options){.system.workers = workers, .system.user_strategy = &again});

	fickle = till_class;
	fickle.create = create_by_chance;
	for (size_t i = 0; i < OBJECTS; i++)
		components[i] = (ward_component){.object_class = &fickle,
						 .id = (const char *[]){"a", "b", "c"}[i]};
	for (uint64_t round = 0; round < stress_size(200, 20000); round++) {
		ward_objects *objects;
		ward_err err;

		ward_assert_ok(
			ward_objects_configure(round % 2 ? &up : NULL, components, &objects));
		err = ward_objects_supervise(objects, ward_kit_system(kit), WARD_FOREVER);
		if (err != WARD_OK) {
			ward_assert_err(err, WARD_EFAILED);
			ward_assert_part(ward_err_detail(), "not today");
			failed++;
		}
		ward_system_stop(ward_kit_system(kit), ward_objects_ref(objects));
		ward_objects_release(objects);
	}
	ward_assert(failed > 0);
	ward_kit_finish(kit);
}

STRESS_WORKERS(starts_fail, "S124")

WARD_TEST_MAIN
