/* SPDX-License-Identifier: MIT
 *
 * test_cancelled_simulation.c - the thread of a simulation is cancelled while it sends to it or
 * moves it: the call returns, and the simulation goes on.
 *
 * Method: the thread cancels itself before the first call; all functions of the program have a
 * cancellation point.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include <ward/testkit.h>
#include <ward/ward.h>

WARD_SIGNAL(answer);

static _Atomic int lines;

static void log_slowly(void *arg, const ward_event *event)
{
	(void)arg, (void)event;
	pthread_testcancel();
	atomic_fetch_add(&lines, 1);
}

static size_t choose_first(void *arg, ward_system *system, size_t count)
{
	(void)arg, (void)system, (void)count;
	pthread_testcancel();
	return 0;
}

static ward_fault no_fault(void *arg, ward_system *system, const ward_occasion *occasion)
{
	(void)arg, (void)system, (void)occasion;
	pthread_testcancel();
	return (ward_fault){.kind = WARD_FAULT_NONE};
}
static void note_done(void *arg, ward_system *system, const ward_occasion *occasion)
{
	(void)arg, (void)system, (void)occasion;
	pthread_testcancel();
}

static int pipe_ends[2];
static _Atomic int readiness;

static ward_result watcher_pre_start(ward_self *self, void *state)
{
	(void)state;
	ward_assert_ok(ward_try_fd_watch(self, pipe_ends[0], WARD_FD_READ));
	return WARD_DONE;
}
static ward_result watcher_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self, (void)state;
	atomic_fetch_add(&readiness, ward_match(msg, ward_fd_ready) != NULL);
	return WARD_DONE;
}
static const ward_behavior watcher = {
	.name = "watcher", .pre_start = watcher_pre_start, .receive = watcher_receive};

static void *tell_system(void *arg)
{
	ward_system_tell(arg, ward_nobody(), answer);
	return NULL;
}

/* It is refused; the thread of the simulation logs that at its next move. */
static void tell_from_another_thread(ward_system *system)
{
	pthread_t thread;
	int before;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	if (pthread_create(&thread, NULL, tell_system, system) == 0)
		pthread_join(thread, NULL);
	pthread_setcancelstate(before, NULL);
}

static ward_err move(void)
{
	static const ward_simulation driver = {
		.choose = choose_first, .fault = no_fault, .done = note_done};
	ward_system *system;
	ward_ref who;
	ward_err err = ward_system_create(&(ward_options){.simulation = &driver, .log = log_slowly},
					  &system);

	if (err == WARD_OK)
		err = ward_system_spawn(system, WARD_PROPS(&watcher), &who);
	if (err != WARD_OK)
		return err;
	ward_system_tell(system, who, answer);
	tell_from_another_thread(system);
	(void)ward_simulation_advance(system, 1);
	/* Where no actor is ready a step would look at the descriptors, too. */
	while (atomic_load(&readiness) == 0)
		if (ward_simulation_count(system) > 0)
			(void)ward_simulation_step(system);
		else if (!ward_simulation_poll(system))
			break;
	return ward_system_destroy(system, WARD_MINUTE);
}

static _Atomic bool returned;
static ward_err result;

static void *be_cancelled(void *arg)
{
	pthread_cancel(pthread_self());
	result = move();
	atomic_store(&returned, true);
	pthread_testcancel();
	return arg;
}

WARD_TEST(thread_cancelled_while_it_moves_a_simulation_comes_back)
{
	pthread_t thread;
	void *end;

	ward_assert_eq(pipe(pipe_ends), 0);
	ward_assert_eq(write(pipe_ends[1], "x", 1), 1);
	ward_assert_eq(pthread_create(&thread, NULL, be_cancelled, NULL), 0);
	ward_assert_eq(pthread_join(thread, &end), 0);
	ward_assert(end == PTHREAD_CANCELED);
	ward_assert(atomic_load(&returned));
	ward_assert_ok(result);
	ward_assert_eq(atomic_load(&readiness), 1);
	ward_assert_eq(atomic_load(&lines), 1);
	close(pipe_ends[0]);
	close(pipe_ends[1]);
}

WARD_TEST_MAIN
