/* SPDX-License-Identifier: MIT
 *
 * test_run_signals.c - the signals that end a program: of ward_run(), and of a system that was
 * created (S77).
 */
#include <dirent.h>
#include <stdlib.h>

#include "program.h"

/* ---- signals ----------------------------------------------------------------------------- */

static int run_till(void)
{
	return ward_main(&till);
}

WARD_TEST(run_at_a_signal_ends_in_order_with_its_name_as_the_reason, "S77")
{
	static const struct {
		int number;
		const char *name;
	} rows[] = {{SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"}};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct program program = begin(run_till);
		int printed = dup(program.printed);

		await(&program, 'r');
		kill(program.pid, rows[i].number);
		ends_with(&program, 0);
		ward_assert_part(program.text, "ward/system: shutting down: SIG");
		ward_assert_part(program.text, "dead letter: lost from ward/user/till");
		ward_assert_str(read_all(&program, printed), rows[i].name);
	}
}

static int run_jammed(void)
{
	return ward_main(&jammed);
}

WARD_TEST(run_at_a_second_signal_dies_of_it)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};

	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
		struct program program = begin(run_jammed);

		await(&program, 'r');
		kill(program.pid, SIGTERM);
		await(&program, 't');
		/* Right after the first one it does not count, so it is sent until it does. */
		while (is_running(&program))
			kill(program.pid, numbers[i]);
		dies_of(&program, numbers[i]);
	}
}

static int run_without_signals(void)
{
	return ward_run(WARD_PROPS(&till), &(ward_options){.signals = WARD_SIGNALS_OFF});
}

WARD_TEST(run_with_signals_off_dies_of_the_first)
{
	struct program program = begin(run_without_signals);

	await(&program, 'r');
	kill(program.pid, SIGTERM);
	dies_of(&program, SIGTERM);
}

static int run_without_hangup(void)
{
	signal(SIGHUP, SIG_IGN);
	return ward_main(&till);
}

/* As nohup wants it. */
WARD_TEST(run_leaves_a_signal_ignored_that_is)
{
	struct program program = begin(run_without_hangup);
	int printed = dup(program.printed);

	await(&program, 'r');
	kill(program.pid, SIGHUP);
	kill(program.pid, SIGTERM);
	ends_with(&program, 0);
	ward_assert_str(read_all(&program, printed), "SIGTERM");
}

/* ThreadSanitizer puts a handler off until its thread makes a call that it knows: none does
 * here. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HANDLERS_ARE_LATE
#endif
#endif
#if !defined(__SANITIZE_THREAD__) && !defined(HANDLERS_ARE_LATE)
static void note_signal(int number)
{
	(void)number;
	tell_parent('h');
}

static int run_with_handler(void)
{
	signal(SIGINT, note_signal);
	return ward_main(&till);
}

WARD_TEST(run_leaves_a_signal_to_the_handler_of_the_program)
{
	struct program program = begin(run_with_handler);

	await(&program, 'r');
	kill(program.pid, SIGINT);
	await(&program, 'h');
	kill(program.pid, SIGTERM);
	ends_with(&program, 0);
}
#endif

/* ---- the mask, the owner ----------------------------------------------------------------- */

static bool same_mask(const sigset_t *before)
{
	sigset_t now;

	pthread_sigmask(SIG_SETMASK, NULL, &now);
	for (int number = 1; number < SIGRTMIN; number++)
		if (sigismember(&now, number) != sigismember(before, number))
			return false;
	return true;
}

WARD_TEST(run_returns_with_the_mask_of_signals_that_was)
{
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGHUP);
	sigaddset(&mask, SIGUSR1);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	ward_assert_eq(ward_run(WARD_PROPS(&brief), NULL), 0);
	ward_assert(same_mask(&mask));
	ward_assert_eq(ward_run(WARD_PROPS(&brief, .name = "a/b"), NULL), 2);
	ward_assert(same_mask(&mask));
	ward_assert_eq(ward_run(WARD_PROPS(&brief), &(ward_options){.actors_max = 2}), 2);
	ward_assert(same_mask(&mask));
}

static void wait_in_order(void *arg)
{
	(void)arg;
	tell_parent('e');
}

/* A system of a program that has a main of its own. */
static int create_with_signals(void)
{
	const ward_options options = {.signals = WARD_SIGNALS_END, .name = "own"};
	ward_system *system;

	if (ward_system_create(&options, &system) ||
	    ward_system_on_terminate(system, wait_in_order, NULL) ||
	    ward_system_spawn(system, WARD_PROPS(&till), NULL))
		return 9;
	if (ward_system_wait(system, WARD_FOREVER))
		return 8;
	return ward_system_destroy(system, WARD_FOREVER) ? 7 : 0;
}

WARD_TEST(system_that_asks_for_signals_is_ended_by_one)
{
	struct program program = begin(create_with_signals);
	int printed = dup(program.printed);

	await(&program, 'r');
	kill(program.pid, SIGTERM);
	ends_with(&program, 0);
	ward_assert_str(program.text, ""); /* it has no log of its own */
	ward_assert_str(read_all(&program, printed), "SIGTERMe");
}

WARD_TEST(system_that_does_not_ask_for_signals_leaves_them_alone)
{
	ward_system *system;
	sigset_t mask;

	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	ward_assert_ok(ward_system_create(NULL, &system));
	ward_assert(same_mask(&mask));
	ward_assert_ok(ward_system_destroy(system, WARD_FOREVER));
}

WARD_TEST(second_system_that_asks_for_signals_is_refused_until_the_first_is_destroyed)
{
	const ward_options options = {.signals = WARD_SIGNALS_END};
	ward_system *first, *second;
	sigset_t mask;

	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	ward_assert_ok(ward_system_create(&options, &first));
	ward_assert(!same_mask(&mask));
	ward_assert_err(ward_system_create(&options, &second), WARD_EEXIST);
	ward_assert_part(ward_err_detail(), "another system of this process");
	ward_assert_part(ward_err_detail(), "WARD_SIGNALS_OFF");
	ward_assert_eq(ward_run(WARD_PROPS(&brief), NULL), 2);
	ward_assert_eq(ward_run(WARD_PROPS(&brief), &(ward_options){.signals = WARD_SIGNALS_OFF}),
		       0);
	ward_assert_ok(ward_system_destroy(first, WARD_FOREVER));
	ward_assert(same_mask(&mask));
	ward_assert_ok(ward_system_create(&options, &second));
	ward_assert_ok(ward_system_destroy(second, WARD_FOREVER));
	ward_assert(same_mask(&mask));
}

static bool is_asleep(const char *thread)
{
	char path[300], text[256] = "";

	snprintf(path, sizeof path, "/proc/self/task/%s/stat", thread);
	FILE *file = fopen(path, "r");
	if (file == NULL)
		return true; /* it has ended */
	size_t length = fread(text, 1, sizeof text - 1, file);
	fclose(file);
	text[length] = '\0';
	const char *state = strrchr(text, ')');
	return state != NULL && state[1] == ' ' && state[2] == 'S';
}

static bool others_sleep(void)
{
	DIR *threads = opendir("/proc/self/task");
	struct dirent *entry;
	bool asleep = true;

	ward_assert(threads != NULL);
	while (asleep && (entry = readdir(threads)) != NULL)
		asleep = entry->d_name[0] == '.' || atoi(entry->d_name) == getpid() ||
			 is_asleep(entry->d_name);
	closedir(threads);
	return asleep;
}

WARD_TEST(fork_of_the_owner_of_signals_may_have_its_own)
{
	ward_system *system;

	ward_assert_ok(ward_system_create(&(ward_options){.signals = WARD_SIGNALS_END}, &system));
	/* ASan's allocator has locks that no fork releases: nobody may be in there. */
	while (!others_sleep())
		sched_yield();
	struct program program = begin(create_with_signals);
	await(&program, 'r');
	kill(program.pid, SIGINT);
	ends_with(&program, 0);
	ward_assert_ok(ward_system_destroy(system, WARD_FOREVER));
}

static void *destroy(void *system)
{
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR2);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	return ward_system_destroy(system, WARD_FOREVER) || !same_mask(&mask) ? system : NULL;
}

WARD_TEST(system_that_another_thread_destroys_leaves_the_mask_of_that_alone)
{
	sigset_t mask;
	ward_system *system;
	pthread_t thread;
	void *left;

	ward_assert_ok(ward_system_create(&(ward_options){.signals = WARD_SIGNALS_END}, &system));
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	ward_assert_eq(pthread_create(&thread, NULL, destroy, system), 0);
	pthread_join(thread, &left);
	ward_assert(left == NULL);
	ward_assert(same_mask(&mask));
	ward_assert_eq(sigismember(&mask, SIGTERM), 1);
}

WARD_TEST(options_of_signals_that_make_no_sense_are_refused)
{
	static const ward_simulation driver;
	const ward_options simulated = {.simulation = &driver, .signals = WARD_SIGNALS_END};
	ward_system *system;

	ward_assert_err(ward_system_create(&simulated, &system), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "WARD_SIGNALS_OFF");
	ward_assert_err(ward_system_create(&(ward_options){.signals = 7}, &system), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "options.signals is 7");
	ward_assert_err(ward_system_create(&(ward_options){.deadline_ms = -1}, &system),
			WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "options.deadline_ms is -1");
	ward_assert_eq(ward_run(WARD_PROPS(&brief), &(ward_options){.simulation = &driver}), 0);
}

/* ---- the deadline ------------------------------------------------------------------------ */

static int run_jammed_in_time(void)
{
	return ward_run(WARD_PROPS(&jammed), &(ward_options){.deadline_ms = 50});
}

WARD_TEST(run_that_is_late_after_a_signal_ends_the_process)
{
	struct program program = begin(run_jammed_in_time);

	await(&program, 'r');
	kill(program.pid, SIGTERM);
	ends_with(&program, STATUS_LATE);
	ward_assert_part(program.text, "phase service-stop waits for till of ward/user/jammed");
}

static int create_with_deadline(void)
{
	const ward_options options = {.signals = WARD_SIGNALS_END, .deadline_ms = 50};
	ward_system *system;

	if (ward_system_create(&options, &system) ||
	    ward_system_spawn(system, WARD_PROPS(&jammed), NULL))
		return 9;
	return ward_system_wait(system, WARD_FOREVER) ? 8 : 7;
}

WARD_TEST(system_that_is_late_after_a_signal_ends_the_process_without_a_word)
{
	struct program program = begin(create_with_deadline);

	await(&program, 'r');
	kill(program.pid, SIGTERM);
	ends_with(&program, STATUS_LATE);
	ward_assert_str(program.text, "");
}

WARD_TEST_MAIN
