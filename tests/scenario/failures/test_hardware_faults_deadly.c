/* SPDX-License-Identifier: MIT
 *
 * test_hardware_faults_deadly.c - hardware faults that are not contained: the process dies of them,
 * or whoever handled such signals before is called (S16).
 *
 * Method: what must kill runs in a child of the test's.
 */
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <ucontext.h>

#include "faulting_actor.h"

/* ThreadSanitizer would end a child at its first thread, and then nothing is tested. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
	return "die_after_fork=0:report_thread_leaks=0";
}

/* ---- not contained: the process dies ----------------------------------------------------- */

/* What a process came to, in memory that it shares with the test: exit statuses are sometimes a
 * sanitizer's own. */
enum { DIED = -1, DONE = 0, HANDLED = 42, HANDLED_IN_FULL = 43 };
static volatile int *outcome;

/* Returns what it came to; *ret_status tells how it ended. */
static int outcome_of(void (*what)(void), int *ret_status)
{
	outcome = mmap(NULL, sizeof *outcome, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	ward_assert(outcome != MAP_FAILED);
	*outcome = DIED;
	fflush(NULL);
	pid_t pid = fork();
	ward_assert(pid >= 0);
	if (pid == 0) {
		setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
		alarm(60);
		(void)!freopen("/dev/null", "w", stderr); /* a sanitizer's report */
		what();
		*outcome = DONE;
		_exit(0);
	}
	ward_assert_eq(waitpid(pid, ret_status, 0), pid);
	return *outcome;
}

static void check_outcome(void (*what)(void), int wanted)
{
	int status;
	ward_assert_eq(outcome_of(what, &status), wanted);
}

/* Dies by the signal; a sanitizer reports it and exits. */
static void check_dies(void (*what)(void), int signal)
{
	int status;
	ward_assert_eq(outcome_of(what, &status), DIED);
	if (SANITIZED)
		ward_assert(WIFSIGNALED(status) ? WTERMSIG(status) == signal
						: WEXITSTATUS(status) != 0);
	else
		ward_assert(WIFSIGNALED(status) && WTERMSIG(status) == signal);
}

static void (*chosen)(void); /* before a fork */
static uint32_t chosen_max, chosen_times;
static bool chosen_off;

static void fault_in_an_actor(void)
{
	ward_system *system = chosen_off ? start((ward_options){.user_strategy = &restart})
					 : start_containing(&restart, chosen_max);
	ward_ref who = spawn(system);
	for (uint32_t i = 0; i < chosen_times; i++)
		let(system, who, chosen);
	ask(system, who);
}

static void check_actor_dies(void (*fault)(void), int signal, bool off, uint32_t max,
			     uint32_t times)
{
	chosen = fault;
	chosen_off = off;
	chosen_max = max;
	chosen_times = times;
	check_dies(fault_in_an_actor, signal);
}

WARD_TEST(off_by_default, "S16")
{
	check_actor_dies(bad_store, SIGSEGV, true, 0, 1);
	check_actor_dies(bad_page, SIGBUS, true, 0, 1);
	check_actor_dies(bad_instruction, SIGILL, true, 0, 1);
}

WARD_TEST(one_too_many_ends_the_process, "S16")
{
	check_actor_dies(bad_store, SIGSEGV, false, 3, 4);
	check_actor_dies(bad_store, SIGSEGV, false, 0, 11);
	/* So many are fine. */
	chosen = bad_store;
	chosen_off = false;
	chosen_max = 3;
	chosen_times = 3;
	check_outcome(fault_in_an_actor, DONE);
	chosen_max = 0;
	chosen_times = 10;
	check_outcome(fault_in_an_actor, DONE);
}

static unsigned char data[16];

/* What is fetched from there is no code, though it is the program's own. */
static void jump_into_data(void)
{
	void (*volatile function)(void) = (void (*)(void))(uintptr_t)data;

	function();
}

WARD_TEST(jump_into_data_is_not_contained, "S16")
{
	check_actor_dies(jump_into_data, SIGSEGV, false, 0, 1);
}

WARD_TEST(fault_in_libc_or_in_ward_is_not_contained, "S16")
{
	check_actor_dies(bad_in_libc, SIGSEGV, false, 0, 1);
	check_actor_dies(bad_in_ward, SIGSEGV, false, 0, 1);
}

/* Named is an object above all others: the dynamic linker itself. */
static void fault_below_all_that_is_named(void)
{
	const void *const linker[] = {(const void *)getauxval(AT_BASE), NULL};
	ward_system *system =
		start((ward_options){.faults = WARD_FAULTS_CONTAIN, .faults_in = linker});
	ward_ref who = spawn(system);
	let(system, who, bad_in_ward);
	await(system, who);
}

WARD_TEST(code_that_is_named_permits_no_other, "S16")
{
	ward_assert(getauxval(AT_BASE) > (uintptr_t)ward_system_create);
	check_dies(fault_below_all_that_is_named, SIGSEGV);
}

/* Where all code may fault, also that of raise(). */
static void send_a_signal(void)
{
	const void *const libc[] = {stdout, NULL};
	ward_system *system =
		start((ward_options){.faults = WARD_FAULTS_CONTAIN, .faults_in = libc});
	ward_ref who = spawn(system);
	let(system, who, sent);
	await(system, who);
}

WARD_TEST(signal_that_somebody_sent_is_no_fault, "S16")
{
	check_dies(send_a_signal, SIGSEGV);
}

static void fault_in_deferred_call(void)
{
	ward_system *system = start_containing(NULL, 0);
	fault_in_deferred = bad_store;
	ward_system_stop(system, spawn(system));
	finish(system);
}

static void discard_parcel(void)
{
	ward_system *system = start_containing(NULL, 0);
	fault_in_drop = bad_store;
	ward_ref who = spawn(system);
	ward_system_tell(system, who, parcel, .owned = NULL);
	ask(system, who);
}

/* Stops a stranger, and tells it: a dead letter, whose drop runs inside the callback. */
static void drop_within(ward_self *self)
{
	ward_tell(self, ward_nobody(), parcel, .owned = NULL);
}

static ward_result teller_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	(void)msg;
	drop_within(self);
	return WARD_DONE;
}
static const ward_behavior teller = {.name = "teller", .receive = teller_receive};

static void fault_in_a_drop_within_a_callback(void)
{
	ward_system *system = start_containing(NULL, 0);
	ward_ref who;
	fault_in_drop = bad_store;
	ward_assert_ok(ward_system_spawn(system, WARD_PROPS(&teller), &who));
	ward_system_tell(system, who, question, .number = 1);
	await(system, who);
}

static void fault_on_a_thread_of_the_program(void)
{
	ward_system *system = start_containing(NULL, 0);
	ask(system, spawn(system));
	bad_store();
}

WARD_TEST(fault_while_no_callback_runs_is_not_contained, "S16")
{
	check_dies(fault_in_deferred_call, SIGSEGV);
	check_dies(discard_parcel, SIGSEGV);
	check_dies(fault_in_a_drop_within_a_callback, SIGSEGV);
	check_dies(fault_on_a_thread_of_the_program, SIGSEGV);
}

/* Its log gets the new child within its callback. */
static ward_result parent_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	(void)msg;
	fault_in_log = bad_store;
	return ward_try_spawn(self, WARD_PROPS(&teller), NULL) == WARD_OK ? WARD_DONE
									  : WARD_UNHANDLED;
}
static const ward_behavior parent = {.name = "parent", .receive = parent_receive};

static void fault_in_the_log(void)
{
	ward_system *system = start(
		(ward_options){.faults = WARD_FAULTS_CONTAIN, .log_kinds = WARD_EVENT_LIFECYCLE});
	ward_ref who;
	ward_assert_ok(ward_system_spawn(system, WARD_PROPS(&parent), &who));
	ward_system_tell(system, who, question, .number = 1);
	await(system, who);
}

WARD_TEST(fault_in_a_log_hook_is_not_contained, "S16")
{
	check_dies(fault_in_the_log, SIGSEGV);
}

/* ---- other handlers ---------------------------------------------------------------------- */

static void handle(int signal)
{
	(void)signal;
	*outcome = HANDLED;
	_exit(0);
}

static void handle_in_full(int signal, siginfo_t *info, void *context)
{
	(void)context;
	if (signal == SIGSEGV && (uintptr_t)info->si_addr == nowhere)
		*outcome = HANDLED_IN_FULL;
	_exit(0);
}

static void set_handler(void (*plain)(int), void (*full)(int, siginfo_t *, void *))
{
	struct sigaction action = {.sa_flags = full != NULL ? SA_SIGINFO : 0};
	if (full != NULL)
		action.sa_sigaction = full;
	else
		action.sa_handler = plain;
	ward_assert_eq(sigaction(SIGSEGV, &action, NULL), 0);
}

static void have_plain_handler(void)
{
	set_handler(handle, NULL);
	fault_on_a_thread_of_the_program();
}

static void have_full_handler(void)
{
	set_handler(NULL, handle_in_full);
	fault_on_a_thread_of_the_program();
}

static volatile int calls;

static void come_back(int signal)
{
	calls += signal == SIGSEGV;
}

static void come_back_in_full(int signal, siginfo_t *info, void *context)
{
	(void)context;
	calls += signal == SIGSEGV && info->si_code <= 0;
}

/* It is sent, and comes to the handler of before each time. */
static void have_handler_that_returns(void)
{
	ward_system *system = start_containing(NULL, 0);
	for (int i = 1; i <= 2; i++) {
		raise(SIGSEGV);
		if (calls != i)
			_exit(1);
	}
	finish(system);
}

static void have_plain_handler_that_returns(void)
{
	set_handler(come_back, NULL);
	have_handler_that_returns();
}

static void have_full_handler_that_returns(void)
{
	set_handler(NULL, come_back_in_full);
	have_handler_that_returns();
}

/* Each of the four has a handler before it of its own. */
static void have_handler_of_another_signal(void)
{
	struct sigaction action = {.sa_handler = handle};
	ward_assert_eq(sigaction(SIGILL, &action, NULL), 0);
	ward_system *system = start_containing(NULL, 0);
	ask(system, spawn(system));
	bad_instruction();
}

static char *closed_page;

static void open_page(int signal)
{
	(void)signal;
	if (mprotect(closed_page, 4096, PROT_READ | PROT_WRITE) != 0)
		_exit(1);
}

static void store_in_page(void)
{
	*(volatile char *)closed_page = 1;
}

/* The handler of before takes the reason away; so the second fault is none in the end. */
static void mend_what_is_above_the_limit(void)
{
	closed_page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	set_handler(open_page, NULL);
	ward_system *system = start_containing(&restart, 1);
	ward_ref who = spawn(system);
	let(system, who, bad_store);
	let(system, who, store_in_page);
	ask(system, who);
	if (stats_of(system).faults != 1 || closed_page[0] != 1)
		_exit(1);
	finish(system);
}

static void ignore_what_is_sent(void)
{
	set_handler(SIG_IGN, NULL);
	ward_system *system = start_containing(NULL, 0);
	raise(SIGSEGV);
	finish(system);
}

static void ignore_a_fault(void)
{
	set_handler(SIG_IGN, NULL);
	fault_on_a_thread_of_the_program();
}

WARD_TEST(handler_before_ours_gets_what_is_not_ours, "S16")
{
	check_outcome(have_plain_handler, HANDLED);
	check_outcome(have_full_handler, HANDLED_IN_FULL);
	check_outcome(have_plain_handler_that_returns, DONE);
	check_outcome(have_full_handler_that_returns, DONE);
	check_outcome(have_handler_of_another_signal, HANDLED);
	check_outcome(mend_what_is_above_the_limit, DONE);
	check_outcome(ignore_what_is_sent, DONE);
	check_dies(ignore_a_fault, SIGSEGV); /* which nobody can ignore */
}

WARD_TEST(last_system_puts_the_handlers_back, "S16")
{
	struct sigaction now;
	set_handler(handle, NULL);
	ward_system *first = start_containing(NULL, 0), *second = start_containing(NULL, 0);
	finish(first);
	sigaction(SIGSEGV, NULL, &now);
	ward_assert(now.sa_handler != handle);
	finish(second);
	sigaction(SIGSEGV, NULL, &now);
	ward_assert(now.sa_handler == handle);
}

/* A handler that was installed after ours, and passes on to it. */
static struct sigaction under;

static void pass(int signal, siginfo_t *info, void *context)
{
	under.sa_sigaction(signal, info, context);
}

static void stand_before_ours(void)
{
	set_handler(handle, NULL);
	ward_system *first = start_containing(NULL, 0);
	struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
	action.sa_sigaction = pass;
	ward_assert_eq(sigaction(SIGSEGV, &action, &under), 0);
	finish(first); /* ours cannot be taken out from under it */
	ward_system *second = start_containing(NULL, 0);
	ward_ref who = spawn(second);
	let(second, who, bad_store);
	await(second, who);
	ward_assert_eq(stats_of(second).faults, 1);
	finish(second);
	bad_store();
}

/* A system comes and goes; before it goes, the program sets that handler. */
static void leave_behind(void (*plain)(int))
{
	ward_system *system = start_containing(NULL, 0);
	ward_assert_eq(sigaction(SIGSEGV, NULL, &under), 0);
	set_handler(plain, NULL);
	finish(system);
}

/* The next system contains a fault, and then goes. */
static void contain_one(void)
{
	ward_system *system = start_containing(NULL, 0);
	ward_ref who = spawn(system);
	let(system, who, bad_store);
	await(system, who);
	ward_assert_eq(stats_of(system).faults, 1);
	finish(system);
}

static void take_ours_out_by_force(void)
{
	leave_behind(SIG_DFL);
	contain_one();
	leave_behind(SIG_IGN);
	contain_one();
}

static void put_ours_back(void)
{
	leave_behind(handle);
	ward_assert_eq(sigaction(SIGSEGV, &under, NULL), 0);
	contain_one();
}

/* The one on top does not pass on: so it gets all. */
static void stay_on_top(void)
{
	leave_behind(handle);
	contain_one();
}

static void pass_on_another_signal(void)
{
	siginfo_t info = {.si_signo = SIGUSR1};
	ucontext_t context;
	ward_system *system = start_containing(NULL, 0);
	ward_assert_eq(sigaction(SIGSEGV, NULL, &under), 0);
	ward_assert_eq(getcontext(&context), 0);
	under.sa_sigaction(SIGUSR1, &info, &context);
	finish(system);
}

WARD_TEST(handler_after_ours_may_pass_on_to_it_for_ever, "S16")
{
	/* The handler that was there before all of them has the last word. */
	check_outcome(stand_before_ours, HANDLED);
	check_outcome(stay_on_top, HANDLED);
	check_outcome(take_ours_out_by_force, DONE);
	check_outcome(put_ours_back, DONE);
	/* One that it was never installed for goes nowhere. */
	check_outcome(pass_on_another_signal, DONE);
}

WARD_TEST_MAIN
