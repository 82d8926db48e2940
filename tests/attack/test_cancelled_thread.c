/* SPDX-License-Identifier: MIT
 *
 * test_cancelled_thread.c - a thread outside is cancelled while it is in a call: the call returns,
 * and the system goes on.
 *
 * Method: a thread cancels itself before the call, so that the first cancellation point in there
 * would end it. Where it is to wait, the one worker is held up until it does.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ward/bridge.h>
#include <ward/inbox.h>
#include <ward/testkit.h>
#include <ward/ward.h>

/* The child of a fork starts threads of its own. */
const char *__tsan_default_options(void);

const char *__tsan_default_options(void)
{
	return "die_after_fork=0";
}

WARD_SIGNAL(hold_up);
WARD_SIGNAL(question);
WARD_SIGNAL(answer);

static sem_t held, gate;

static void wait_for(sem_t *sem)
{
	while (sem_wait(sem) != 0)
		continue;
}

static ward_result holder_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (ward_match(msg, hold_up)) {
		sem_post(&held);
		wait_for(&gate);
	} else if (ward_match(msg, question)) {
		ward_reply(self, msg, answer);
	}
	return WARD_DONE;
}
static const ward_behavior holder = {.name = "holder", .receive = holder_receive};

struct scene {
	ward_kit *kit;
	ward_system *system;
	ward_ref holder, other;
	ward_inbox *inbox;
	ward_err (*call)(struct scene *scene);
	_Atomic bool returned;
	ward_err err;
};

/* What a thread that is to be cancelled does. */
static void *be_cancelled(void *arg)
{
	struct scene *scene = arg;

	pthread_cancel(pthread_self());
	scene->err = scene->call(scene);
	atomic_store(&scene->returned, true);
	pthread_testcancel();
	return NULL;
}

static pthread_t begin(struct scene *scene, ward_err (*call)(struct scene *scene))
{
	pthread_t thread;

	scene->call = call;
	atomic_store(&scene->returned, false);
	ward_assert_eq(pthread_create(&thread, NULL, be_cancelled, scene), 0);
	return thread;
}

static void end(struct scene *scene, pthread_t thread, ward_err err)
{
	void *result;

	ward_assert_eq(pthread_join(thread, &result), 0);
	ward_assert(result == PTHREAD_CANCELED);
	ward_assert(atomic_load(&scene->returned));
	ward_assert_err(scene->err, err);
}

static struct scene start(void (*log)(void *arg, const ward_event *event))
{
	struct scene scene = {0};

	sem_init(&held, 0, 0);
	sem_init(&gate, 0, 0);
	scene.kit = ward_kit_start(
		&(ward_kit_options){.real_threads = true, .log = log, .system = {.workers = 1}});
	scene.system = ward_kit_system(scene.kit);
	scene.holder = ward_kit_spawn(scene.kit, &holder);
	scene.other = ward_kit_spawn(scene.kit, &holder);
	ward_kit_run(scene.kit);
	return scene;
}

static bool somebody_waits(void *arg)
{
	return ward_system_waits(arg, NULL, NULL) > 0;
}

/* The call waits, for the one worker, which is held up; then it goes on. */
static void cancel_in(struct scene *scene, ward_err (*call)(struct scene *scene), ward_err err)
{
	pthread_t thread;

	ward_kit_tell(scene->kit, scene->holder, hold_up);
	wait_for(&held);
	thread = begin(scene, call);
	ward_assert(ward_kit_run_until(scene->kit, WARD_MINUTE, somebody_waits, scene->system));
	ward_kit_advance(scene->kit, 2); /* it is asleep */
	sem_post(&gate);
	end(scene, thread, err);
	ward_kit_run(scene->kit);
}

static ward_err ask(struct scene *scene)
{
	return ward_system_ask_send(scene->system, scene->other, WARD_FOREVER, &ward_type_answer,
				    NULL, &ward_type_question, NULL, 0);
}
static ward_err ask_in_time(struct scene *scene)
{
	return ward_system_ask_send(scene->system, scene->other, WARD_MINUTE, &ward_type_answer,
				    NULL, &ward_type_question, NULL, 0);
}
static ward_err await(struct scene *scene)
{
	ward_system_stop(scene->system, scene->other);
	return ward_system_wait_for(scene->system, scene->other, WARD_MINUTE);
}
static ward_err stop_gracefully(struct scene *scene)
{
	return ward_system_ask_stop(scene->system, scene->other, WARD_MINUTE);
}
static ward_err spawn(struct scene *scene)
{
	return ward_system_spawn(scene->system, WARD_PROPS(&holder), &scene->other);
}
static ward_err spawn_service(struct scene *scene)
{
	return ward_system_spawn_service(scene->system, WARD_PROPS(&holder), NULL);
}
static ward_err resolve(struct scene *scene)
{
	ward_ref ref;

	return ward_system_resolve(scene->system, "/user/nobody", WARD_MINUTE, &ref);
}
static void do_nothing(void *arg)
{
	(void)arg;
}
static ward_err on_shutdown(struct scene *scene)
{
	return ward_system_on_shutdown(scene->system, "service-unbind", "task", do_nothing, NULL);
}
static ward_err create_inbox(struct scene *scene)
{
	return ward_inbox_create(scene->system, NULL, &scene->inbox);
}
static ward_err watch_by_inbox(struct scene *scene)
{
	return ward_inbox_watch(scene->inbox, scene->holder);
}
static ward_err unwatch_by_inbox(struct scene *scene)
{
	return ward_inbox_unwatch(scene->inbox, scene->holder);
}
static ward_err receive(struct scene *scene)
{
	const ward_msg *msg;

	ward_system_send(scene->system, ward_inbox_ref(scene->inbox), &ward_type_answer, NULL, 0);
	return ward_inbox_receive(scene->inbox, WARD_MINUTE, &msg);
}

WARD_TEST(thread_cancelled_while_it_waits_comes_back_and_the_system_goes_on)
{
	struct scene scene = start(NULL);

	cancel_in(&scene, ask, WARD_OK);
	cancel_in(&scene, ask_in_time, WARD_OK);
	cancel_in(&scene, await, WARD_OK);
	cancel_in(&scene, spawn, WARD_OK);
	cancel_in(&scene, stop_gracefully, WARD_OK);
	cancel_in(&scene, spawn_service, WARD_OK);
	cancel_in(&scene, resolve, WARD_ENOENT);
	cancel_in(&scene, on_shutdown, WARD_OK);
	ward_kit_finish(scene.kit);
}

static ward_err wait_for_the_end(struct scene *scene)
{
	ward_system_shutdown(scene->system, NULL);
	return ward_system_wait(scene->system, WARD_FOREVER);
}

WARD_TEST(thread_cancelled_while_it_waits_for_the_end_comes_back)
{
	struct scene scene = start(NULL);

	cancel_in(&scene, wait_for_the_end, WARD_OK);
	ward_kit_finish(scene.kit);
}

static ward_err use_fd(struct scene *scene)
{
	const ward_msg *msg;
	int fd;
	ward_err err = ward_inbox_fd(scene->inbox, &fd);

	return err == WARD_OK ? ward_inbox_receive(scene->inbox, 0, &msg) : err;
}
static ward_err unwatch_other(struct scene *scene)
{
	return ward_inbox_unwatch(scene->inbox, scene->other);
}
static ward_err destroy_inbox(struct scene *scene)
{
	ward_inbox_destroy(scene->inbox);
	return WARD_OK;
}

WARD_TEST(thread_cancelled_in_calls_of_an_inbox_comes_back)
{
	struct scene scene = start(NULL);

	cancel_in(&scene, create_inbox, WARD_OK);
	cancel_in(&scene, watch_by_inbox, WARD_OK);
	cancel_in(&scene, unwatch_by_inbox, WARD_OK);
	cancel_in(&scene, receive, WARD_OK);
	ward_kit_tell(scene.kit, ward_inbox_ref(scene.inbox), answer);
	ward_kit_run(scene.kit);
	end(&scene, begin(&scene, use_fd), WARD_OK); /* made, it is ready at once */
	ward_assert_ok(ward_inbox_watch(scene.inbox, scene.other));
	ward_kit_stop(scene.kit, scene.other);
	ward_kit_run(scene.kit);
	end(&scene, begin(&scene, unwatch_other), WARD_OK); /* it is ready no longer */
	ward_kit_tell(scene.kit, ward_inbox_ref(scene.inbox), answer);
	ward_kit_run(scene.kit);
	end(&scene, begin(&scene, destroy_inbox), WARD_OK);
	ward_kit_finish(scene.kit);
}

/* ---- what does not wait ------------------------------------------------------------------ */

static ward_err tell(struct scene *scene)
{
	ward_system_tell(scene->system, scene->other, answer);
	return WARD_OK;
}

WARD_TEST(thread_cancelled_while_it_wakes_a_worker_comes_back)
{
	struct scene scene = start(NULL);

	for (int i = 0; i < 50; i++) {
		ward_kit_run(scene.kit);
		ward_kit_advance(scene.kit, 2); /* all are asleep */
		end(&scene, begin(&scene, tell), WARD_OK);
	}
	ward_kit_finish(scene.kit);
}

struct payload {
	int *drops;
};
static void payload_drop(struct payload *payload)
{
	pthread_testcancel();
	++*payload->drops;
}
WARD_MESSAGE_DROP(payload, payload_drop);

static int drops;
static _Atomic int lines;

static void log_slowly(void *arg, const ward_event *event)
{
	(void)arg, (void)event;
	pthread_testcancel();
	atomic_fetch_add(&lines, 1);
}

static ward_err tell_nobody(struct scene *scene)
{
	ward_system_tell(scene->system, ward_nobody(), payload, .drops = &drops);
	return WARD_OK;
}

static ward_err tell_by_no_inbox(struct scene *scene)
{
	ward_inbox_tell(NULL, scene->other, payload, .drops = &drops);
	return WARD_OK;
}

WARD_TEST(thread_cancelled_in_the_log_and_in_a_drop_comes_back)
{
	struct scene scene = start(log_slowly);
	int before = atomic_load(&lines);

	end(&scene, begin(&scene, tell_nobody), WARD_OK);
	ward_assert_eq(drops, 1);
	ward_assert_eq(atomic_load(&lines), before + 1);
	end(&scene, begin(&scene, tell_by_no_inbox), WARD_OK);
	ward_assert_eq(drops, 2);
	ward_kit_finish(scene.kit);
}

/* As if of the system: for that no dead letter is an event. */
static ward_err tell_event(struct scene *scene)
{
	ward_event event = {.kind = WARD_EVENT_NOTE};

	ward_system_send(scene->system, scene->other, &ward_type_ward_event, &event, sizeof event);
	return WARD_OK;
}

WARD_TEST(thread_cancelled_in_a_drop_of_what_an_event_displaces_comes_back)
{
	struct scene scene = start(NULL);

	drops = 0;
	scene.other = ward_kit_spawn(
		scene.kit, &holder,
		.mailbox = {.messages_max = 1, .overflow = WARD_OVERFLOW_DROP_OLDEST});
	ward_kit_run(scene.kit);
	ward_kit_tell(scene.kit, scene.holder, hold_up);
	wait_for(&held);
	ward_kit_tell(scene.kit, scene.other, payload, .drops = &drops);
	end(&scene, begin(&scene, tell_event), WARD_OK);
	ward_assert_eq(drops, 1);
	sem_post(&gate);
	ward_kit_finish(scene.kit);
}

static void look(void *arg, const ward_actor_info *info)
{
	(void)arg, (void)info;
	pthread_testcancel();
}
static void look_at_wait(void *arg, const ward_wait_info *info)
{
	(void)arg, (void)info;
	pthread_testcancel();
}
static void look_at_line(void *arg, const char *text)
{
	(void)arg, (void)text;
	pthread_testcancel();
}

static ward_err look_at_all(struct scene *scene)
{
	if (ward_system_waits(scene->system, look_at_wait, NULL) != 1)
		return WARD_ENOENT;
	(void)ward_system_actors(scene->system, look, NULL);
	return ward_system_tree(scene->system, look_at_line, NULL);
}

WARD_TEST(thread_cancelled_while_it_looks_at_the_system_comes_back)
{
	struct scene scene = start(NULL), waiting = {.system = scene.system, .other = scene.other};
	pthread_t thread;

	ward_kit_tell(scene.kit, scene.holder, hold_up);
	wait_for(&held);
	thread = begin(&waiting, ask);
	ward_assert(ward_kit_run_until(scene.kit, WARD_MINUTE, somebody_waits, scene.system));
	end(&scene, begin(&scene, look_at_all), WARD_OK);
	sem_post(&gate);
	end(&waiting, thread, WARD_OK);
	ward_kit_finish(scene.kit);
}

static ward_bridge *bridge;

static ward_result take_bridge(ward_self *self, void *state, const void *args, ward_bridge *given)
{
	(void)self, (void)state, (void)args;
	bridge = ward_bridge_ref(given);
	return WARD_DONE;
}
static const ward_subsystem subsystem = {.name = "subsystem", .init = take_bridge};

static ward_err report_death(struct scene *scene)
{
	(void)scene;
	return ward_bridge_ended(bridge, NULL);
}

WARD_TEST(thread_cancelled_while_it_reports_a_death_comes_back)
{
	struct scene scene = start(NULL);
	ward_ref who = ward_kit_spawn(scene.kit, &ward_bridge_behavior,
				      .args = WARD_ARGS(ward_bridged, .subsystem = &subsystem));

	ward_kit_run(scene.kit);
	end(&scene, begin(&scene, report_death), WARD_OK);
	ward_bridge_unref(bridge);
	ward_assert_ok(ward_system_wait_for(scene.system, who, WARD_MINUTE));
	ward_kit_finish(scene.kit);
}

/* ---- whole systems ----------------------------------------------------------------------- */

static ward_err create_and_destroy(struct scene *scene)
{
	ward_err err = ward_system_create(NULL, &scene->system);

	return err == WARD_OK ? ward_system_destroy(scene->system, WARD_MINUTE) : err;
}

static ward_result brief_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	pthread_testcancel();
	ward_reply(self, msg, answer);
	return WARD_DONE;
}
static ward_result brief_pre_start(ward_self *self, void *state)
{
	(void)state;
	pthread_testcancel();
	ward_stop_self(self);
	return WARD_DONE;
}
static const ward_behavior brief = {
	.name = "brief", .pre_start = brief_pre_start, .receive = brief_receive};
static const ward_behavior replier = {.name = "replier", .receive = brief_receive};

static ward_err run(struct scene *scene)
{
	(void)scene;
	return ward_run(WARD_PROPS(&brief), NULL) == 0 ? WARD_OK : WARD_EINVAL;
}

static ward_err simulate(struct scene *scene)
{
	static const ward_simulation driver;
	ward_err err = ward_system_create(&(ward_options){.simulation = &driver}, &scene->system);

	if (err == WARD_OK)
		err = ward_system_spawn(scene->system, WARD_PROPS(&replier), &scene->other);
	if (err == WARD_OK)
		err = ask(scene);
	if (err != WARD_OK)
		return err;
	ward_system_tell(scene->system, scene->other, question);
	while (ward_simulation_step(scene->system))
		continue;
	return ward_system_destroy(scene->system, WARD_MINUTE);
}

WARD_TEST(thread_cancelled_while_it_makes_runs_and_ends_a_system_comes_back)
{
	struct scene scene = {0};

	end(&scene, begin(&scene, create_and_destroy), WARD_OK);
	end(&scene, begin(&scene, run), WARD_OK);
	end(&scene, begin(&scene, simulate), WARD_OK);
}

/* ---- threads of the system --------------------------------------------------------------- */

static ward_result cancelled_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	pthread_cancel(pthread_self());
	pthread_testcancel();
	ward_reply(self, msg, answer);
	return WARD_DONE;
}
static const ward_behavior cancelled = {.name = "cancelled", .receive = cancelled_receive};

WARD_TEST(callback_whose_thread_is_cancelled_goes_on)
{
	static const char *const dispatchers[] = {NULL, WARD_BLOCKING, WARD_PINNED};
	struct scene scene = start(NULL);

	for (size_t i = 0; i < sizeof dispatchers / sizeof dispatchers[0]; i++) {
		scene.other = ward_kit_spawn(scene.kit, &cancelled, .dispatcher = dispatchers[i]);
		ward_assert_ok(ask(&scene));
		ward_kit_stop(scene.kit, scene.other);
		ward_kit_run(scene.kit);
	}
	ward_kit_finish(scene.kit);
}

static ward_result leaver_pre_start(ward_self *self, void *state)
{
	(void)self, (void)state;
	pthread_exit(NULL);
}
static const ward_behavior leaver = {
	.name = "leaver", .pre_start = leaver_pre_start, .receive = brief_receive};

static int said[2];

static void say(void *arg, const char *text)
{
	(void)arg;
	dprintf(said[1], "%s", text);
	_exit(3);
}

WARD_TEST(callback_that_ends_its_thread_ends_the_process_with_a_text)
{
	for (int i = 0; i < 2; i++) {
		char text[256] = "";
		int status;
		pid_t child;

		fflush(NULL);
		ward_assert_eq(pipe(said), 0);
		child = fork();
		if (child == 0) {
			ward_props props = {.behavior = &leaver,
					    .dispatcher = i == 0 ? NULL : WARD_BLOCKING};

			_exit(ward_run(&props, &(ward_options){.fatal = say}));
		}
		ward_assert_eq(waitpid(child, &status, 0), child);
		ward_assert(WIFEXITED(status));
		ward_assert_eq(WEXITSTATUS(status), 3);
		ward_assert(read(said[0], text, sizeof text - 1) > 0);
		ward_assert_part(text, "pthread_exit");
		close(said[0]);
		close(said[1]);
	}
}

WARD_TEST_MAIN
