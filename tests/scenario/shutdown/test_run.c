/* SPDX-License-Identifier: MIT
 *
 * test_run.c - ward_run() as the whole main of a program: what it prints, the signals that end it,
 * the deadline of its end (S76, S77); and the signals of a system that was created.
 *
 * Method: each program is a fork()ed child, whose output goes through pipes. Nobody sleeps: the
 * child writes a byte when it has come so far.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ward/testkit.h>
#include <ward/ward.h>

enum { TEXT = 4096, STATUS_LATE = 3 };

/* A program in a process of its own. */
struct program {
	pid_t pid;
	int printed; /* its standard output */
	int said;    /* its standard error */
	char text[TEXT];
};

static struct program begin(int (*main_of)(void))
{
	struct program program = {0};
	int out[2], err[2];

	fflush(NULL);
	ward_assert_eq(pipe2(out, O_CLOEXEC), 0);
	ward_assert_eq(pipe2(err, O_CLOEXEC), 0);
	program.pid = fork();
	ward_assert(program.pid >= 0);
	if (program.pid == 0) {
		dup2(out[1], STDOUT_FILENO);
		dup2(err[1], STDERR_FILENO);
		_exit(main_of());
	}
	close(out[1]);
	close(err[1]);
	program.printed = out[0];
	program.said = err[0];
	return program;
}

/* Waits for a byte of the program's. */
static void await(const struct program *program, char wanted)
{
	char byte = 0;

	while (read(program->printed, &byte, 1) < 0 && errno == EINTR)
		;
	ward_assert_eq(byte, wanted);
}

static const char *read_all(struct program *program, int fd)
{
	size_t length = 0;
	ssize_t got;

	while (length + 1 < TEXT && (got = read(fd, program->text + length, TEXT - 1 - length)) > 0)
		length += (size_t)got;
	program->text[length] = '\0';
	close(fd);
	return program->text;
}

/* As wait() has it. What was said is in text. */
static int end(struct program *program)
{
	int status;

	read_all(program, program->said);
	ward_assert_eq(waitpid(program->pid, &status, 0), program->pid);
	close(program->printed);
	return status;
}

static void ends_with(struct program *program, int wanted)
{
	int status = end(program);

	ward_assert(WIFEXITED(status));
	ward_assert_eq(WEXITSTATUS(status), wanted);
}

static void dies_of(struct program *program, int wanted)
{
	int status = end(program);

	ward_assert(WIFSIGNALED(status));
	ward_assert_eq(WTERMSIG(status), wanted);
}

static void tell_parent(char byte)
{
	ward_assert_eq(write(STDOUT_FILENO, &byte, 1), 1);
}

/* ---- actors ------------------------------------------------------------------------------ */

static ward_result stop_at_once(ward_self *self, void *state)
{
	(void)state;
	ward_stop_self(self);
	return WARD_DONE;
}

static ward_result ignore(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self, (void)state, (void)msg;
	return WARD_UNHANDLED;
}
static const ward_behavior brief = {.name = "brief", .pre_start = stop_at_once, .receive = ignore};

static ward_result say_path(ward_self *self, void *state)
{
	ward_note(self, WARD_WARNING, "it is warm");
	return stop_at_once(self, state);
}
static const ward_behavior noting = {.name = "a b/$c", .pre_start = say_path, .receive = ignore};

static ward_result fail(ward_self *self, void *state)
{
	(void)state;
	return ward_failed(self, &ward_error, "no paper");
}
static const ward_behavior failing = {.name = "failing", .pre_start = fail, .receive = ignore};

/* Works until its phase comes; then it says why, and is done. */
static ward_result join(ward_self *self, void *state)
{
	(void)state;
	if (ward_shutdown_join(self, "service-stop", "till"))
		return ward_failed(self, &ward_error, "%s", ward_err_detail());
	tell_parent('r');
	return WARD_DONE;
}
static ward_result close_till(ward_self *self, void *state, const ward_msg *msg)
{
	const struct ward_shutdown_task *task = ward_match(msg, ward_shutdown_task);

	(void)state;
	if (task == NULL)
		return WARD_UNHANDLED;
	dprintf(STDOUT_FILENO, "%s", task->reason);
	ward_reply(self, msg, ward_shutdown_done);
	return WARD_DONE;
}
static const ward_behavior till = {.name = "till", .pre_start = join, .receive = close_till};

/* Never is done. */
static ward_result jam_till(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self, (void)state;
	if (ward_match(msg, ward_shutdown_task))
		tell_parent('t');
	return WARD_DONE;
}
static const ward_behavior jammed = {.name = "jammed", .pre_start = join, .receive = jam_till};

/* Never comes back. */
static ward_result hang(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state, (void)msg;
	printf("printed");
	ward_system_shut_down(ward_self_system(self), "of itself");
	for (;;)
		pause();
	return WARD_DONE;
}
static ward_result hang_later(ward_self *self, void *state)
{
	(void)state;
	ward_tell(self, ward_self_ref(self), ward_shutdown_done);
	return WARD_DONE;
}
static const ward_behavior hanging = {.name = "hanging", .pre_start = hang_later, .receive = hang};

/* ---- what it prints ---------------------------------------------------------------------- */

static int run_failing(void)
{
	return ward_run(WARD_PROPS(&failing), &(ward_options){.name = "shop"});
}

WARD_TEST(run_without_a_log_prints_events_with_their_time_and_level, "S76")
{
	struct program program = begin(run_failing);
	int day, month;

	ends_with(&program, 1);
	ward_assert_eq(sscanf(program.text, "20%*2d-%2d-%2dT", &month, &day), 2);
	ward_assert_part(program.text, "Z severe shop/user/failing failed: ");
	ward_assert_part(program.text, "no paper");
	ward_assert_eq(program.text[strlen(program.text) - 1], '\n');
}

static int run_noting(void)
{
	return ward_main(&noting);
}

WARD_TEST(run_of_an_actor_without_a_name_takes_that_of_its_behaviour)
{
	struct program program = begin(run_noting);

	ends_with(&program, 0);
	ward_assert_part(program.text, " warning ward/user/a_b__c: it is warm\n");
}

static int run_few_actors(void)
{
	return ward_run(WARD_PROPS(&brief), &(ward_options){.name = "shop", .actors_max = 2});
}

static int run_wrong_name(void)
{
	return ward_run(WARD_PROPS(&brief, .name = "a/b"), &(ward_options){.name = "shop"});
}

static int run_nothing(void)
{
	return ward_run(NULL, NULL);
}

WARD_TEST(run_that_is_refused_says_why_in_one_line_and_what_to_do)
{
	struct program program = begin(run_few_actors);

	ends_with(&program, 2);
	ward_assert_str(program.text, "shop: not started: options.actors_max is 2, but the "
				      "guardians alone need 3: raise it, or leave it 0\n");
	program = begin(run_wrong_name);
	ends_with(&program, 2);
	ward_assert_part(program.text, "shop: not started: the name \"a/b\" has a forbidden");
	ward_assert_part(program.text, "are fine\n");
	program = begin(run_nothing);
	ends_with(&program, 2);
	/* Without a name of the system it is that of the program. */
	ward_assert_part(program.text, "test_run: not started: ");
}

static int run_silently(void)
{
	const ward_options quiet = {.log_kinds = WARD_EVENT_NONE};
	const ward_options few = {.log_kinds = WARD_EVENT_NONE, .actors_max = 2};

	if (ward_run(WARD_PROPS(&failing), &quiet) != 1)
		return 9;
	return ward_run(WARD_PROPS(&brief), &few);
}

WARD_TEST(run_with_no_kind_of_event_prints_nothing)
{
	struct program program = begin(run_silently);

	ends_with(&program, 2);
	ward_assert_str(program.text, "");
}

WARD_TEST(kind_none_is_refused_beside_others)
{
	const ward_options options = {.log_kinds = WARD_EVENT_NONE | WARD_EVENT_NOTE};
	ward_system *system;

	ward_assert_err(ward_system_create(&options, &system), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "options.log_kinds");
}

static void count_event(void *arg, const ward_event *event)
{
	(void)event;
	++*(int *)arg;
}

WARD_TEST(system_with_kind_none_logs_nothing)
{
	int events = 0;
	const ward_options options = {
		.log_kinds = WARD_EVENT_NONE, .log = count_event, .log_arg = &events};

	ward_assert_eq(ward_run(WARD_PROPS(&failing), &options), 1);
	ward_assert_eq(events, 0);
}

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

static bool same_mask(const sigset_t *before)
{
	sigset_t now;

	pthread_sigmask(SIG_SETMASK, NULL, &now);
	for (int number = 1; number < SIGRTMIN; number++)
		if (sigismember(&now, number) != sigismember(before, number))
			return false;
	return true;
}

/* ---- the mask, the owner ----------------------------------------------------------------- */

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

WARD_TEST(fork_of_the_owner_of_signals_may_have_its_own)
{
	ward_system *system;

	ward_assert_ok(ward_system_create(&(ward_options){.signals = WARD_SIGNALS_END}, &system));
	struct program program = begin(create_with_signals);
	await(&program, 'r');
	kill(program.pid, SIGINT);
	ends_with(&program, 0);
	ward_assert_ok(ward_system_destroy(system, WARD_FOREVER));
}

static void *destroy(void *system)
{
	return ward_system_destroy(system, WARD_FOREVER) ? system : NULL;
}

WARD_TEST(system_that_another_thread_destroys_leaves_the_mask_of_that_alone)
{
	sigset_t mask, set;
	ward_system *system;
	pthread_t thread;
	void *left;

	ward_assert_ok(ward_system_create(&(ward_options){.signals = WARD_SIGNALS_END}, &system));
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	ward_assert_eq(pthread_create(&thread, NULL, destroy, system), 0);
	pthread_join(thread, &left);
	ward_assert(left == NULL);
	ward_assert(same_mask(&mask));
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	ward_assert_eq(sigismember(&mask, SIGTERM), 1);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

WARD_TEST(options_of_signals_that_make_no_sense_are_refused)
{
	static const ward_simulation driver;
	const ward_options simulated = {.simulation = &driver, .signals = WARD_SIGNALS_END};
	ward_system *system;

	ward_assert_err(ward_system_create(&simulated, &system), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "WARD_SIGNALS_OFF");
	ward_assert_err(ward_system_create(&(ward_options){.signals = (ward_signals)7}, &system),
			WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "options.signals is 7");
	ward_assert_err(ward_system_create(&(ward_options){.deadline_ms = -1}, &system),
			WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "options.deadline_ms is -1");
	ward_assert_eq(ward_run(WARD_PROPS(&brief), &(ward_options){.simulation = &driver}), 0);
}

/* ---- the deadline ------------------------------------------------------------------------ */

static int run_hanging(void)
{
	return ward_run(
		WARD_PROPS(&hanging),
		&(ward_options){.name = "shop", .deadline_ms = 50, .signals = WARD_SIGNALS_OFF});
}

WARD_TEST(run_that_is_late_names_who_is_left_and_ends_the_process, "S77")
{
	struct program program = begin(run_hanging);
	int printed = dup(program.printed);

	ends_with(&program, STATUS_LATE);
	ward_assert_part(program.text, "system shop is not down after 50 ms");
	ward_assert_part(program.text, "shop/user/hanging");
	ward_assert_str(read_all(&program, printed), "printed");
}

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
