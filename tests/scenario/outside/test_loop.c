/* SPDX-License-Identifier: MIT
 *
 * test_loop.c - a driven system: its actors run on the thread that made it, in the calls that poll
 * it, and its descriptor is readable whenever there is something to do.
 *
 * Method: the loop is poll() on that descriptor. A wait has a limit only to end a test that hangs.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ward/loop.h>
#include <ward/testkit.h>
#include <ward/ward.h>

enum { HANGS_MS = 20 * 1000, DELAY_MS = 20, PAIR_TURNS = 1000000 };

struct note {
	int number;
};
WARD_MESSAGE(note);
struct reply {
	int number;
};
WARD_MESSAGE(reply);
WARD_REPLY(note, reply);
WARD_SIGNAL(fail);
WARD_SIGNAL(begin);
WARD_SIGNAL(end);

/* What the actors did; all of them run on one thread. */
static pthread_t runs_on;
static int notes[16], note_count, incarnations;

static void create(ward_system **ret_system)
{
	note_count = incarnations = 0;
	runs_on = pthread_self();
	ward_assert_ok(ward_system_create(&(ward_options){.driven = true}, ret_system));
}

static void destroy(ward_system *system)
{
	ward_assert_ok(ward_system_destroy(system, WARD_MINUTE));
}

static bool is_readable(ward_system *system, int timeout_ms)
{
	struct pollfd fd = {.fd = ward_system_fd(system), .events = POLLIN};
	int count;

	do
		count = poll(&fd, 1, timeout_ms);
	while (count < 0 && errno == EINTR);
	return count == 1;
}

/* Polls until nothing is left to do at this moment. */
static void poll_all(ward_system *system)
{
	while (is_readable(system, 0))
		ward_assert_ok(ward_system_poll(system, 0));
}

/* The loop of a program, until the actors have noted so much. */
static void loop_until(ward_system *system, int count)
{
	while (note_count < count) {
		ward_assert(is_readable(system, HANGS_MS));
		ward_assert_ok(ward_system_poll(system, 0));
	}
}

static ward_result start_noter(ward_self *self, void *state)
{
	(void)self;
	(void)state;
	incarnations++;
	ward_assert(pthread_equal(pthread_self(), runs_on));
	return WARD_DONE;
}

static ward_result note_down(ward_self *self, void *state, const ward_msg *msg)
{
	const struct note *note = ward_match(msg, note);

	(void)state;
	ward_assert(pthread_equal(pthread_self(), runs_on));
	if (ward_match(msg, fail) != NULL)
		ward_fail(self, &ward_exception, "as told");
	if (note == NULL)
		return WARD_UNHANDLED;
	notes[note_count++] = note->number;
	ward_answer(self, msg, note, .number = note->number + 1);
	return WARD_DONE;
}

static const ward_behavior noter = {
	.name = "noter", .pre_start = start_noter, .receive = note_down};

static ward_ref spawn(ward_system *system, const ward_behavior *behavior)
{
	ward_ref who;

	ward_assert_ok(ward_system_spawn(system, WARD_PROPS(behavior), &who));
	return who;
}

/* ---- what makes it readable -------------------------------------------------------------- */

WARD_TEST(loop_runs_actors_only_when_it_is_polled)
{
	ward_system *system;
	create(&system);
	ward_ref who = spawn(system, &noter);

	poll_all(system);
	ward_assert(!is_readable(system, 0));
	ward_system_tell(system, who, note, 1);
	ward_system_tell(system, who, note, 2);
	ward_assert_eq(note_count, 0);
	ward_assert(is_readable(system, 0));
	ward_assert_ok(ward_system_poll(system, 0));
	ward_assert_eq(note_count, 2);
	ward_assert_eq(notes[0], 1);
	ward_assert_eq(notes[1], 2);
	ward_assert(!is_readable(system, 0));
	ward_assert_ok(ward_system_poll(system, 0)); /* in vain */
	destroy(system);
}

struct teller {
	ward_system *system;
	ward_ref who;
};

static void *tell_from_another_thread(void *arg)
{
	const struct teller *teller = arg;

	ward_system_tell(teller->system, teller->who, note, 7);
	return NULL;
}

WARD_TEST(loop_is_woken_by_a_message_of_another_thread)
{
	struct teller teller;
	pthread_t thread;

	create(&teller.system);
	teller.who = spawn(teller.system, &noter);
	poll_all(teller.system);
	ward_assert_eq(pthread_create(&thread, NULL, tell_from_another_thread, &teller), 0);
	loop_until(teller.system, 1);
	ward_assert_eq(notes[0], 7);
	pthread_join(thread, NULL);
	destroy(teller.system);
}

static ward_result arm_at_start(ward_self *self, void *state)
{
	(void)state;
	ward_after(self, 1, 2 * DELAY_MS, note, 2);
	ward_after(self, 2, DELAY_MS, note, 1);
	return WARD_DONE;
}

static const ward_behavior sleeper = {
	.name = "sleeper", .pre_start = arm_at_start, .receive = note_down};

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

WARD_TEST(loop_is_woken_by_each_timer_and_not_before)
{
	int64_t begin_ms = now_ms();
	ward_system *system;
	create(&system);

	(void)spawn(system, &sleeper);
	poll_all(system);
	loop_until(system, 1);
	ward_assert(now_ms() - begin_ms >= DELAY_MS);
	loop_until(system, 2);
	ward_assert(now_ms() - begin_ms >= 2 * DELAY_MS);
	ward_assert_eq(notes[0], 1);
	ward_assert_eq(notes[1], 2);
	destroy(system);
}

static int ends[2]; /* of a pipe */

static ward_result watch_at_start(ward_self *self, void *state)
{
	(void)state;
	ward_fd_watch(self, ends[0], WARD_FD_READ);
	return WARD_DONE;
}

static ward_result read_when_ready(ward_self *self, void *state, const ward_msg *msg)
{
	char byte;

	(void)state;
	if (ward_match(msg, ward_fd_ready) == NULL)
		return WARD_UNHANDLED;
	ward_assert_eq(read(ends[0], &byte, 1), 1);
	notes[note_count++] = byte;
	ward_fd_watch(self, ends[0], WARD_FD_READ);
	return WARD_DONE;
}

static const ward_behavior reader = {
	.name = "reader", .pre_start = watch_at_start, .receive = read_when_ready};

WARD_TEST(loop_is_woken_by_a_watched_descriptor)
{
	ward_system *system;
	create(&system);

	ward_assert_eq(pipe(ends), 0);
	(void)spawn(system, &reader);
	poll_all(system);
	for (int i = 0; i < 3; i++) {
		ward_assert(!is_readable(system, 0));
		ward_assert_eq(write(ends[1], &"abc"[i], 1), 1);
		ward_assert(is_readable(system, 0));
		loop_until(system, i + 1);
		ward_assert_eq(notes[i], 'a' + i);
		poll_all(system);
	}
	destroy(system);
	close(ends[0]);
	close(ends[1]);
}

/* ---- the time of a poll ------------------------------------------------------------------ */

/* Closes a descriptor of its own without ward's knowledge; a duplicate lives on. */
static ward_result close_it(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	(void)msg;
	close(ends[0]);
	ward_fd_unwatch(self, ends[0]);
	return WARD_DONE;
}

static ward_result adopt_at_start(ward_self *self, void *state)
{
	(void)state;
	ward_adopt_fd(self, ends[0]);
	ward_fd_watch(self, ends[0], WARD_FD_READ);
	return WARD_DONE;
}

static const ward_behavior closer = {
	.name = "closer", .pre_start = adopt_at_start, .receive = close_it};

WARD_TEST(loop_goes_on_where_a_closed_descriptor_was_forgotten)
{
	ward_system *system;
	int duplicate, lost;

	create(&system);
	ward_assert_eq(pipe(ends), 0);
	duplicate = dup(ends[0]);
	lost = ends[1];
	ward_ref who = spawn(system, &closer);
	poll_all(system);
	ward_system_tell(system, who, fail);
	poll_all(system);
	/* The kernel reports it now, whoever asks, until its set is a new one. */
	ward_assert_eq(write(lost, "x", 1), 1);
	for (int i = 0; i < 10 && is_readable(system, 0); i++)
		ward_assert_ok(ward_system_poll(system, 0));
	ward_assert(!is_readable(system, 0));
	/* The number that the closer closes at its end. */
	ward_assert_eq(dup(duplicate), ends[0]);
	ward_assert_eq(pipe(ends), 0);
	(void)spawn(system, &reader);
	poll_all(system);
	ward_assert(!is_readable(system, 0));
	ward_assert_eq(write(ends[1], "y", 1), 1);
	ward_assert(is_readable(system, 0));
	loop_until(system, 1);
	destroy(system);
	close(duplicate);
	close(lost);
	close(ends[0]);
	close(ends[1]);
}

static int balls;

static ward_result play(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (ward_match(msg, begin) == NULL)
		return WARD_UNHANDLED;
	if (++balls < PAIR_TURNS)
		ward_tell(self, ward_self_ref(self), begin);
	return WARD_DONE;
}

static const ward_behavior player = {.name = "player", .receive = play};

WARD_TEST(loop_goes_on_between_two_polls_of_busy_actors)
{
	ward_system *system;
	int polls = 0;

	create(&system);
	balls = 0;
	ward_system_tell(system, spawn(system, &player), begin);
	ward_assert_ok(ward_system_poll(system, 0));
	ward_assert(balls > 0 && balls < PAIR_TURNS);
	for (; balls < PAIR_TURNS; polls++) {
		ward_assert(is_readable(system, 0));
		ward_assert_ok(ward_system_poll(system, WARD_FOREVER));
	}
	ward_assert(polls > 3);
	destroy(system);
}

/* ---- calls that wait --------------------------------------------------------------------- */

WARD_TEST(loop_is_run_by_the_calls_of_its_thread_that_wait)
{
	struct reply reply = {0};
	ward_system *system;
	create(&system);
	ward_ref who = spawn(system, &noter);

	ward_assert_ok(ward_system_ask(system, who, HANGS_MS, &reply, note, 4));
	ward_assert_eq(reply.number, 5);
	ward_assert_ok(ward_system_ask_stop(system, who, HANGS_MS));
	ward_assert_eq(ward_system_wait_for(system, spawn(system, &noter), DELAY_MS),
		       WARD_ETIMEDOUT);
	destroy(system);
}

static ward_result answer(ward_self *self, void *state, const ward_msg *msg)
{
	const struct note *note = ward_match(msg, note);

	(void)state;
	if (note == NULL)
		return WARD_UNHANDLED;
	ward_answer(self, msg, note, .number = note->number);
	return WARD_DONE;
}

static const ward_behavior blocked = {.name = "blocked", .receive = answer};

/* An answer from a thread of a pool reaches this thread without the default dispatcher. */
WARD_TEST(loop_waits_for_actors_that_run_elsewhere)
{
	int64_t begin_ms = now_ms();
	struct reply reply;
	ward_system *system;
	ward_ref who;

	create(&system);
	ward_assert_ok(
		ward_system_spawn(system, WARD_PROPS(&blocked, .dispatcher = WARD_BLOCKING), &who));
	for (int i = 0; i < 200; i++) {
		ward_assert_ok(ward_system_ask(system, who, HANGS_MS, &reply, note, i));
		ward_assert_eq(reply.number, i);
	}
	ward_assert(now_ms() - begin_ms < HANGS_MS); /* none was found by chance, later */
	destroy(system);
}

static void *ask_from_another_thread(void *arg)
{
	struct teller *teller = arg;
	struct reply reply = {0};
	ward_ref other;

	ward_assert_ok(ward_system_ask(teller->system, teller->who, HANGS_MS, &reply, note, 8));
	ward_assert_eq(reply.number, 9);
	ward_assert_ok(ward_system_spawn(teller->system, WARD_PROPS(&noter), &other));
	ward_system_tell(teller->system, other, note, 3);
	return NULL;
}

WARD_TEST(loop_answers_threads_that_wait)
{
	struct teller teller;
	pthread_t thread;

	create(&teller.system);
	teller.who = spawn(teller.system, &noter);
	ward_assert_eq(pthread_create(&thread, NULL, ask_from_another_thread, &teller), 0);
	loop_until(teller.system, 2);
	pthread_join(thread, NULL);
	ward_assert_eq(notes[0], 8);
	ward_assert_eq(notes[1], 3);
	destroy(teller.system);
}

/* ---- supervision and the end ------------------------------------------------------------- */

WARD_TEST(loop_restarts_an_actor_that_fails)
{
	ward_system *system;
	create(&system);
	ward_ref who = spawn(system, &noter);

	ward_system_tell(system, who, note, 1);
	ward_system_tell(system, who, fail);
	ward_system_tell(system, who, note, 2);
	loop_until(system, 2);
	ward_assert_eq(incarnations, 2);
	destroy(system);
}

static ward_result end_system(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (ward_match(msg, end) == NULL)
		return WARD_UNHANDLED;
	ward_system_shutdown(ward_self_system(self), NULL);
	return WARD_DONE;
}

static const ward_behavior ender = {.name = "ender", .receive = end_system};

WARD_TEST(loop_says_that_the_system_has_ended)
{
	ward_system *system;
	ward_err err;
	create(&system);

	ward_system_tell(system, spawn(system, &ender), end);
	while ((err = ward_system_poll(system, HANGS_MS)) == WARD_OK)
		continue;
	ward_assert_eq(err, WARD_ESTOPPING);
	ward_assert_eq(ward_system_poll(system, WARD_FOREVER), WARD_ESTOPPING);
	destroy(system);
}

WARD_TEST(loop_has_room_for_several_systems)
{
	ward_system *systems[2];
	ward_ref who[2];

	create(&systems[0]);
	create(&systems[1]);
	for (int i = 0; i < 2; i++)
		who[i] = spawn(systems[i], &noter);
	for (int i = 0; i < 2; i++)
		poll_all(systems[i]);
	ward_system_tell(systems[1], who[1], note, 1);
	ward_assert(!is_readable(systems[0], 0));
	loop_until(systems[1], 1);
	ward_system_tell(systems[0], who[0], note, 2);
	loop_until(systems[0], 2);
	destroy(systems[0]);
	destroy(systems[1]);
}

/* ---- what is refused --------------------------------------------------------------------- */

static ward_err polled_inside, destroyed_inside;

static ward_result poll_inside(ward_self *self, void *state, const ward_msg *msg)
{
	ward_system *system = ward_self_system(self);

	(void)state;
	(void)msg;
	polled_inside = ward_system_poll(system, 0);
	destroyed_inside = ward_system_destroy(system, 0);
	note_count++;
	return WARD_DONE;
}

static const ward_behavior meddler = {.name = "meddler", .receive = poll_inside};

WARD_TEST(loop_is_not_polled_by_its_actors)
{
	ward_system *system;
	create(&system);

	ward_system_tell(system, spawn(system, &meddler), begin);
	loop_until(system, 1);
	ward_assert_eq(polled_inside, WARD_ETHREAD);
	ward_assert_eq(destroyed_inside, WARD_ETHREAD);
	destroy(system);
}

static void *poll_from_another_thread(void *arg)
{
	ward_system *system = arg;

	ward_assert_eq(ward_system_poll(system, 0), WARD_ETHREAD);
	ward_assert_str(ward_err_detail(),
			"a driven system is polled by the thread that created it");
	ward_assert_eq(ward_system_destroy(system, 0), WARD_ETHREAD);
	ward_assert(ward_system_fd(system) >= 0);
	return NULL;
}

WARD_TEST(loop_is_polled_by_the_thread_that_made_it_alone)
{
	ward_system *system;
	pthread_t thread;

	create(&system);
	ward_assert_eq(pthread_create(&thread, NULL, poll_from_another_thread, system), 0);
	pthread_join(thread, NULL);
	destroy(system);
}

WARD_TEST(loop_of_a_system_with_threads_is_refused)
{
	ward_system *system;

	ward_assert_ok(ward_system_create(NULL, &system));
	ward_assert_eq(ward_system_fd(system), -1);
	ward_assert_eq(ward_system_poll(system, 0), WARD_EINVAL);
	ward_assert_str(ward_err_detail(), "the system has threads of its own: create it with "
					   ".driven = true in its options to poll it");
	destroy(system);
	ward_assert_eq(ward_system_fd(NULL), -1);
	ward_assert_eq(ward_system_poll(NULL, 0), WARD_EINVAL);
}

WARD_TEST(loop_options_that_contradict_each_other_are_refused)
{
	static const ward_simulation simulation;
	static const struct {
		ward_options options;
		const char *text;
	} rows[] = {
		{{.driven = true, .workers = 2}, "leave options.workers 0"},
		{{.driven = true, .simulation = &simulation}, "give one of the two"},
		{{.driven = true, .faults = WARD_FAULTS_CONTAIN}, "leave options.faults off"},
	};
	ward_system *system;

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		ward_assert_eq(ward_system_create(&rows[i].options, &system), WARD_EINVAL);
		ward_assert(strstr(ward_err_detail(), rows[i].text) != NULL);
	}
}

WARD_TEST_MAIN
