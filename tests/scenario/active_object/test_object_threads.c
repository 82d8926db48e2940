/* SPDX-License-Identifier: MIT
 *
 * test_object_threads.c - active objects, where two threads must be at it at once.
 *
 * Method: real threads, held up by semaphores until each is where the story wants it.
 */
#include <pthread.h>
#include <semaphore.h>

#include <ward/akka_zero.h>
#include <ward/testkit.h>
#include <ward/ward.h>

#define LAMP(TELL, ASK) ASK(lamp, shine, bool, (bool, waits))
WARD_OBJECT(lamp, LAMP);

struct lamp {
	int none;
};

static sem_t waiting, go_on, plugged, unplug, made_anew;

static ward_result lamp_do_shine(ward_self *self, struct lamp *me, bool waits, bool *ret_answer)
{
	(void)me, (void)ret_answer;
	if (waits) {
		sem_post(&waiting);
		sem_wait(&go_on);
	}
	return ward_failed(self, &ward_exception, "burnt out");
}

static ward_result lamp_post_restart(ward_self *self, void *object, const ward_failure *why)
{
	(void)self, (void)object, (void)why;
	sem_post(&made_anew);
	return WARD_DONE;
}

WARD_OBJECT_CLASS(lamp, LAMP, .post_restart = lamp_post_restart);

/* Has the only worker for itself. */
static ward_result plug_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self, (void)state, (void)msg;
	sem_post(&plugged);
	sem_wait(&unplug);
	return WARD_DONE;
}
static const ward_behavior plug = {.name = "plug", .receive = plug_receive};
WARD_SIGNAL(nudge);

struct caller {
	lamp_ref lamp;
	ward_err err;
};

static void *call_main(void *arg)
{
	struct caller *me = arg;
	bool shone;

	me->err = lamp_shine(me->lamp, true, &shone);
	return NULL;
}

static const ward_strategy all_for_one = {.scope = WARD_ALL_FOR_ONE,
					  .rules = {{&ward_exception, WARD_RESTART}}};
static const ward_component lamps[] = {{.object_class = &lamp_class, .id = "fails"},
				       {.object_class = &lamp_class,
					.id = "waits",
					.timeout_ms = 20 * WARD_SECOND,
					.dispatcher = WARD_PINNED},
				       {0}};

static ward_result burnt_create(ward_self *self, void *object, const void *args)
{
	(void)object, (void)args;
	return ward_failed(self, &ward_exception, "burnt out");
}

/* The end is notified while the parent, on another thread, has yet to free the supervisor. */
WARD_TEST(objects_may_be_supervised_again_as_soon_as_a_start_has_failed, "S124")
{
	ward_kit *kit =
		ward_kit_start(&(ward_kit_options){.real_threads = true, .system.workers = 2});
	ward_object_class burnt_class = lamp_class;
	const ward_component burnt[] = {{.object_class = &burnt_class}, {0}};
	ward_objects *objects;

	burnt_class.create = burnt_create;
	ward_assert_ok(ward_objects_configure(NULL, burnt, &objects));
	for (int i = 0; i < 300; i++)
		ward_assert_err(
			ward_objects_supervise(objects, ward_kit_system(kit), 20 * WARD_SECOND),
			WARD_EFAILED);
	ward_objects_release(objects);
	ward_kit_finish(kit);
}

/* `waits` is in a method when `fails` does, which is to restart both. Its own failure is decided
 * when it has been restarted already. */
WARD_TEST(caller_of_one_that_was_restarted_before_its_own_failure_is_told, "S124")
{
	ward_kit *kit =
		ward_kit_start(&(ward_kit_options){.real_threads = true, .system.workers = 1});
	ward_ref plug_ref = ward_kit_spawn(kit, &plug);
	struct caller caller;
	ward_objects *objects;
	pthread_t thread;
	lamp_ref fails;
	bool shone;

	sem_init(&waiting, 0, 0), sem_init(&go_on, 0, 0), sem_init(&made_anew, 0, 0);
	sem_init(&plugged, 0, 0), sem_init(&unplug, 0, 0);
	ward_assert_ok(ward_objects_configure(&all_for_one, lamps, &objects));
	ward_assert_ok(ward_objects_supervise(objects, ward_kit_system(kit), WARD_FOREVER));
	ward_assert_ok(lamp_instance(objects, "fails", &fails));
	ward_assert_ok(lamp_instance(objects, "waits", &caller.lamp));
	pthread_create(&thread, NULL, call_main, &caller);
	sem_wait(&waiting);
	ward_assert_err(lamp_shine(fails, false, &shone), WARD_EFAILED);
	sem_wait(&made_anew); /* so it is decided, and `waits` told to restart */
	ward_kit_tell(kit, plug_ref, nudge);
	sem_wait(&plugged);
	sem_post(&go_on);
	sem_wait(&made_anew);
	sem_post(&unplug);
	pthread_join(thread, NULL);
	ward_assert_eq(caller.err, WARD_EFAILED);
	ward_objects_release(objects);
	ward_kit_finish(kit);
}

/* ---- a start that takes too long --------------------------------------------------------- */

static ward_result sleeper_create(ward_self *self, void *object, const void *args)
{
	(void)self, (void)object, (void)args;
	sem_wait(&go_on);
	return WARD_DONE;
}

static const ward_object_class sleeper = {
	.name = "sleeper",
	.methods = lamp_table_,
	.methods_count = 1,
	.create = sleeper_create,
};

WARD_TEST(start_that_takes_too_long_is_undone, "S124")
{
	static const ward_component sleepers[] = {{.object_class = &sleeper}, {0}};
	ward_kit *kit = ward_kit_start(&(ward_kit_options){.real_threads = true});
	ward_objects *objects;

	sem_init(&go_on, 0, 0);
	ward_assert_ok(ward_objects_configure(NULL, sleepers, &objects));
	ward_assert_err(ward_objects_supervise(objects, ward_kit_system(kit), 5), WARD_ETIMEDOUT);
	ward_assert_part(ward_err_detail(), "not all objects have started");
	sem_post(&go_on);
	while (!ward_ref_is_nobody(ward_objects_ref(objects)))
		ward_kit_advance(kit, 1);
	ward_objects_release(objects);
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
