/* SPDX-License-Identifier: MIT
 *
 * test_signal_process.c - signals of a real process, on threads: from inside and outside, bursts,
 * several systems, options.signals, what the process has when the last watch has ended (S131,
 * S132).
 *
 * Method: each story is a program of its own, a fork()ed child that reports by its exit status.
 */
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "scenario/shutdown/program.h"

/* ThreadSanitizer puts a handler off until its thread makes a call that it knows. So the program's
 * threads block all signals there, and what needs the handler is not built. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HANDLERS_ARE_LATE
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define HANDLERS_ARE_LATE
#endif

enum { BURST = 10000 };

/* ---- an actor that counts ----------------------------------------------------------------- */

struct counter {
	sem_t heard; /* once for each notice, and when it watches */
	_Atomic bool begun;
	_Atomic uint32_t notices, signals;
	_Atomic int from, value;
};

struct watching {
	struct counter *counter;
	int number;
};
static const ward_type watching_type = {.name = "watching", .size = sizeof(struct watching)};
WARD_SIGNAL(unwatch);
WARD_SIGNAL(break_down);

static const struct watching *mine(ward_self *self)
{
	return ward_args(self);
}

static ward_result begin_watch(ward_self *self, void *state)
{
	(void)state;
	ward_signal_watch(self, mine(self)->number);
	if (!atomic_exchange(&mine(self)->counter->begun, true))
		sem_post(&mine(self)->counter->heard);
	return WARD_DONE;
}

static ward_result count(ward_self *self, void *state, const ward_msg *msg)
{
	struct counter *counter = mine(self)->counter;
	const struct ward_signal *signal = ward_match(msg, ward_signal);

	(void)state;
	if (ward_match(msg, unwatch)) {
		ward_signal_unwatch(self, mine(self)->number);
		sem_post(&counter->heard);
		return WARD_DONE;
	}
	if (ward_match(msg, break_down))
		return ward_failed(self, &ward_exception, "as told");
	if (signal == NULL || signal->number != mine(self)->number)
		return WARD_UNHANDLED;
	atomic_store(&counter->from, (int)signal->from);
	atomic_store(&counter->value, signal->value);
	atomic_fetch_add(&counter->notices, 1);
	atomic_fetch_add(&counter->signals, signal->count);
	sem_post(&counter->heard);
	return WARD_DONE;
}
static const ward_behavior counting = {
	.name = "counting", .args = &watching_type, .pre_start = begin_watch, .receive = count};

/* No thread of the program takes a signal then. */
static void block_all(void)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
}

static ward_system *create(ward_signals signals)
{
	ward_system *system;

#ifdef HANDLERS_ARE_LATE
	block_all();
#endif
	ward_assert_ok(
		ward_system_create(&(ward_options){.signals = signals, .workers = 2}, &system));
	return system;
}

static void hear(struct counter *counter)
{
	while (sem_wait(&counter->heard) != 0)
		;
}

/* Returns when it watches. */
static ward_ref begin_counting(ward_system *system, struct counter *counter, int number)
{
	struct watching watching = {counter, number};
	ward_ref ref;

	sem_init(&counter->heard, 0, 0);
	ward_assert_ok(ward_system_spawn(
		system, WARD_PROPS(&counting, .args = {&watching_type, &watching, sizeof watching}),
		&ref));
	hear(counter);
	return ref;
}

static void hear_all(struct counter *counter, uint32_t wanted)
{
	while (atomic_load(&counter->signals) < wanted)
		hear(counter);
}

static void destroy(ward_system *system)
{
	ward_assert_ok(ward_system_destroy(system, WARD_FOREVER));
}

static bool is_default(int number)
{
	struct sigaction now = {.sa_flags = 0};

	ward_assert_eq(sigaction(number, NULL, &now), 0);
	return (now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler == SIG_DFL;
}

static void passes(int (*main_of)(void))
{
	struct program program = begin(main_of);
	int status = end(&program);

	ward_assert_str(program.text, ""); /* what failed in it */
	ward_assert_eq(status, 0);
}

/* ---- arriving ----------------------------------------------------------------------------- */

#ifndef HANDLERS_ARE_LATE
static int count_burst(void)
{
	static struct counter counter;
	ward_system *system = create(WARD_SIGNALS_OFF);

	begin_counting(system, &counter, SIGHUP);
	/* Each is handled here before raise() returns. */
	for (int i = 0; i < BURST; i++)
		raise(SIGHUP);
	hear_all(&counter, BURST);
	ward_assert_eq(atomic_load(&counter.signals), BURST);
	ward_assert_eq(atomic_load(&counter.from), getpid());
	destroy(system);
	ward_assert(is_default(SIGHUP));
	return 0;
}

WARD_TEST(burst_from_inside_is_counted_exactly, "S131")
{
	passes(count_burst);
}
#endif

static int number_wanted;
static struct counter the_counter;

static int count_for_parent(void)
{
	ward_system *system = create(WARD_SIGNALS_OFF);

	begin_counting(system, &the_counter, number_wanted);
	block_all();
	tell_parent('r');
	hear_all(&the_counter, number_wanted < SIGRTMIN ? 1 : BURST);
	if (number_wanted >= SIGRTMIN) {
		ward_assert_eq(atomic_load(&the_counter.signals), BURST);
		ward_assert_eq(atomic_load(&the_counter.value), BURST - 1);
	}
	ward_assert_eq(atomic_load(&the_counter.from), getppid());
	destroy(system);
	return 0;
}

WARD_TEST(queued_signals_of_another_process_are_counted_exactly, "S131")
{
	struct program program;

	number_wanted = SIGRTMIN + 2;
	program = begin(count_for_parent);
	await(&program, 'r');
	for (int i = 0; i < BURST; i++)
		while (sigqueue(program.pid, number_wanted, (union sigval){.sival_int = i}) != 0)
			sched_yield();
	ends_with(&program, 0);
}

WARD_TEST(burst_of_another_process_is_noticed, "S131")
{
	struct program program;

	number_wanted = SIGUSR1;
	program = begin(count_for_parent);
	await(&program, 'r');
	for (int i = 0; i < BURST; i++)
		kill(program.pid, number_wanted);
	ends_with(&program, 0);
}

#ifndef HANDLERS_ARE_LATE
static void *stay(void *ready)
{
	sem_post(ready);
	for (;;)
		pause();
	return NULL;
}

/* It blocks nothing, and is there until the program ends. */
static pthread_t begin_thread(void)
{
	static sem_t ready;
	pthread_t thread;

	sem_init(&ready, 0, 0);
	ward_assert_eq(pthread_create(&thread, NULL, stay, &ready), 0);
	while (sem_wait(&ready) != 0)
		;
	return thread;
}

static int hear_from_a_thread(void)
{
	static struct counter counter;
	pthread_t thread = begin_thread();
	ward_system *system = create(WARD_SIGNALS_OFF);

	begin_counting(system, &counter, SIGUSR2);
	ward_assert_eq(pthread_kill(thread, SIGUSR2), 0);
	hear(&counter);
	destroy(system);
	return 0;
}

WARD_TEST(signal_to_a_thread_that_was_there_before_is_noticed, "S131")
{
	passes(hear_from_a_thread);
}
#endif

static int hear_of_child(void)
{
	static struct counter counter;
	ward_system *system = create(WARD_SIGNALS_OFF);
	pid_t child;

	begin_counting(system, &counter, SIGCHLD);
	block_all();
	child = fork();
	if (child == 0)
		_exit(0);
	hear(&counter);
	ward_assert_eq(atomic_load(&counter.from), child);
	ward_assert_eq(waitpid(child, NULL, 0), child);
	destroy(system);
	return 0;
}

WARD_TEST(end_of_a_child_is_noticed_with_its_pid)
{
	passes(hear_of_child);
}

/* ---- one owner ---------------------------------------------------------------------------- */

static int two_systems(void)
{
	static struct counter counters[3];
	ward_system *first = create(WARD_SIGNALS_OFF), *second = create(WARD_SIGNALS_OFF);
	ward_ref last;

	begin_counting(first, &counters[0], SIGHUP);
	begin_counting(second, &counters[1], SIGHUP);
	last = begin_counting(second, &counters[2], SIGHUP);
	kill(getpid(), SIGHUP);
	for (int i = 0; i < 3; i++)
		hear(&counters[i]);
	destroy(first);
	ward_assert(!is_default(SIGHUP));
	kill(getpid(), SIGHUP);
	hear(&counters[1]);
	hear(&counters[2]);
	ward_system_tell(second, last, unwatch);
	hear(&counters[2]);
	kill(getpid(), SIGHUP);
	hear(&counters[1]);
	destroy(second);
	ward_assert(is_default(SIGHUP));
	ward_assert_eq(atomic_load(&counters[0].signals), 1);
	ward_assert_eq(atomic_load(&counters[2].signals), 2);
	return 0;
}

WARD_TEST(actors_of_two_systems_get_each_signal_until_the_last_watch_ends, "S132")
{
	passes(two_systems);
}

static int ignored_before(void)
{
	static struct counter counter;
	struct sigaction now = {.sa_flags = 0};
	ward_system *system;

	signal(SIGHUP, SIG_IGN);
	system = create(WARD_SIGNALS_OFF);
	begin_counting(system, &counter, SIGHUP);
	kill(getpid(), SIGHUP);
	hear(&counter);
	destroy(system);
	ward_assert_eq(sigaction(SIGHUP, NULL, &now), 0);
	return now.sa_handler == SIG_IGN ? 0 : 1;
}

WARD_TEST(ignored_signal_that_is_watched_is_ignored_again_in_the_end, "S132")
{
	passes(ignored_before);
}

static void handle(int number)
{
	(void)number;
}

static ward_result try_to_watch(ward_self *self, void *state)
{
	(void)state;
	ward_assert_err(ward_try_signal_watch(self, SIGUSR1), WARD_EEXIST);
	ward_assert_part(ward_err_detail(), "has a handler of the program");
	tell_parent('x');
	ward_stop_self(self);
	return WARD_DONE;
}
static const ward_behavior trying = {
	.name = "trying", .pre_start = try_to_watch, .receive = ignore};

static int handled_by_program(void)
{
	struct sigaction now = {.sa_flags = 0};

	signal(SIGUSR1, handle);
	if (ward_run(WARD_PROPS(&trying), NULL) != 0)
		return 1;
	ward_assert_eq(sigaction(SIGUSR1, NULL, &now), 0);
	return now.sa_handler == handle ? 0 : 2;
}

WARD_TEST(signal_with_a_handler_of_the_program_is_left_to_it, "S132")
{
	struct program program = begin(handled_by_program);

	await(&program, 'x');
	ends_with(&program, 0);
}

static int later_handler(void)
{
	static struct counter counter;
	ward_system *system = create(WARD_SIGNALS_OFF);
	struct sigaction now = {.sa_flags = 0};

	begin_counting(system, &counter, SIGUSR1);
	kill(getpid(), SIGUSR1);
	hear(&counter);
	signal(SIGUSR1, handle);
	destroy(system);
	ward_assert_eq(sigaction(SIGUSR1, NULL, &now), 0);
	return now.sa_handler == handle ? 0 : 1;
}

WARD_TEST(handler_that_the_program_installs_later_stays, "S132")
{
	passes(later_handler);
}

/* ---- restarts ----------------------------------------------------------------------------- */

static int restarted_again_and_again(void)
{
	enum { RESTARTS = 200 };
	static struct counter counter;
	const ward_strategy forever = {.otherwise = WARD_RESTART};
	ward_system *system;
	ward_ref ref;

#ifdef HANDLERS_ARE_LATE
	block_all();
#endif
	ward_assert_ok(ward_system_create(&(ward_options){.user_strategy = &forever}, &system));
	ref = begin_counting(system, &counter, SIGTERM);
	for (int i = 0; i < RESTARTS; i++) {
		ward_system_tell(system, ref, break_down);
		kill(getpid(), SIGTERM); /* by default it ends the process */
		hear(&counter);
	}
	ward_assert_eq(atomic_load(&counter.signals), RESTARTS);
	destroy(system);
	ward_assert(is_default(SIGTERM));
	return 0;
}

WARD_TEST(restarts_of_the_watcher_neither_lose_a_signal_nor_let_it_through, "S131")
{
	passes(restarted_again_and_again);
}

/* ---- options.signals ---------------------------------------------------------------------- */

static struct counter termination;
static sem_t joined;

/* What the program says next is behind what `till` says. */
static ward_result join_first(ward_self *self, void *state)
{
	ward_result result = join(self, state);

	sem_post(&joined);
	return result;
}
static const ward_behavior till_joined = {
	.name = "till", .pre_start = join_first, .receive = close_till};

static int watch_beside_options(void)
{
	ward_system *system = create(WARD_SIGNALS_END);
	ward_ref ref = begin_counting(system, &termination, SIGTERM);

	sem_init(&joined, 0, 0);
	ward_assert_ok(ward_system_spawn(system, WARD_PROPS(&till_joined), NULL));
	while (sem_wait(&joined) != 0)
		;
	for (int i = 0; i < 3; i++) {
		kill(getpid(), SIGTERM);
		hear(&termination);
	}
	ward_system_tell(system, ref, unwatch);
	hear(&termination);
	tell_parent('u');
	kill(getpid(), SIGTERM);
	ward_assert_ok(ward_system_wait(system, WARD_FOREVER));
	destroy(system);
	return is_default(SIGTERM) ? 0 : 1;
}

WARD_TEST(signal_that_an_actor_of_the_system_watches_ends_it_when_the_watch_is_over, "S132")
{
	struct program program = begin(watch_beside_options);
	int printed = dup(program.printed);

	await(&program, 'r');
	await(&program, 'u');
	ends_with(&program, 0);
	ward_assert_str(read_all(&program, printed), "SIGTERM");
}

static int watch_in_another_system(void)
{
	ward_system *ended = create(WARD_SIGNALS_END), *other = create(WARD_SIGNALS_OFF);

	begin_counting(other, &termination, SIGTERM);
	kill(getpid(), SIGTERM);
	ward_assert_ok(ward_system_wait(ended, WARD_FOREVER));
	hear(&termination);
	destroy(ended);
	kill(getpid(), SIGTERM);
	hear(&termination);
	destroy(other);
	return is_default(SIGTERM) ? 0 : 1;
}

WARD_TEST(signal_that_another_system_watches_ends_the_one_of_the_options_too, "S132")
{
	passes(watch_in_another_system);
}

#ifndef HANDLERS_ARE_LATE
static int unblocked_thread_before(void)
{
	pthread_t thread = begin_thread();
	ward_system *system = create(WARD_SIGNALS_END);

	ward_assert_eq(pthread_kill(thread, SIGTERM), 0);
	ward_assert_ok(ward_system_wait(system, WARD_FOREVER));
	destroy(system);
	return 0;
}

WARD_TEST(thread_that_does_not_block_a_signal_of_the_options_does_no_harm, "S132")
{
	passes(unblocked_thread_before);
}
#endif

/* ---- children ----------------------------------------------------------------------------- */

/* What grep finds of the status of a process that was started. */
static void masks_of_new_program(char *text, size_t max)
{
	FILE *grep = popen("exec grep -E '^Sig(Blk|Ign|Cgt):' /proc/self/status", "r");
	size_t length;

	ward_assert(grep != NULL);
	length = fread(text, 1, max - 1, grep);
	text[length] = '\0';
	pclose(grep);
}

static int start_program(void)
{
	static struct counter counters[2];
	char before[256], text[256];
	ward_system *system;

#ifdef HANDLERS_ARE_LATE
	block_all();
#endif
	masks_of_new_program(before, sizeof before);
	system = create(WARD_SIGNALS_OFF);
	begin_counting(system, &counters[0], SIGHUP);
	begin_counting(system, &counters[1], SIGUSR1);
	kill(getpid(), SIGHUP);
	kill(getpid(), SIGUSR1);
	hear(&counters[0]);
	hear(&counters[1]);
	masks_of_new_program(text, sizeof text);
	ward_assert_str(text, before);
	destroy(system);
	return 0;
}

WARD_TEST(program_that_is_started_gets_the_mask_and_dispositions_as_before, "S132")
{
	passes(start_program);
}

#ifndef HANDLERS_ARE_LATE
static int fork_while_watched(void)
{
	static struct counter counter;
	ward_system *system = create(WARD_SIGNALS_OFF);
	int status;
	pid_t child;

	begin_counting(system, &counter, SIGHUP);
	kill(getpid(), SIGHUP);
	hear(&counter);
	child = fork();
	if (child == 0) {
		sigset_t none;

		sigemptyset(&none);
		pthread_sigmask(SIG_SETMASK, &none, NULL);
		raise(SIGHUP);
		_exit(9);
	}
	ward_assert_eq(waitpid(child, &status, 0), child);
	ward_assert(WIFSIGNALED(status));
	ward_assert_eq(WTERMSIG(status), SIGHUP);
	kill(getpid(), SIGHUP);
	hear(&counter);
	destroy(system);
	return 0;
}

WARD_TEST(child_of_fork_has_the_disposition_of_before_and_the_parent_gets_none_of_it, "S132")
{
	passes(fork_while_watched);
}
#endif

WARD_TEST_MAIN
