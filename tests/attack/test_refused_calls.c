/* SPDX-License-Identifier: MIT
 *
 * test_refused_calls.c - each call of ward into the operating system is refused, once or for ever,
 * in a small but whole run of a system: it neither crashes nor hangs.
 *
 * Method: the linker puts the functions below in place of those of the C library, by the names that
 * these have where files are large. One of them fails
 * at its n-th call. Each run is a process of its own: this program again, told by its environment
 * what is to fail. What it finds out is in a page that both have.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ward/bridge.h>

#include "support/stress.h"
#include "support/whole_run.h"

#define CALLS(CALL)                                                                                \
	CALL(ppoll, EINTR, ENOMEM, EINVAL)                                                         \
	CALL(epoll_wait, EINTR, EPERM)                                                             \
	CALL(epoll_ctl, ENOMEM, ENOSPC, EPERM)                                                     \
	CALL(epoll_create1, EMFILE, ENOMEM)                                                        \
	CALL(eventfd, EMFILE, ENFILE)                                                              \
	CALL(read, EINTR, EAGAIN, EPERM)                                                           \
	CALL(write, EINTR, EAGAIN, EPERM)                                                          \
	CALL(close, EINTR, EIO)                                                                    \
	CALL(fcntl64, EPERM)                                                                       \
	CALL(mmap64, ENOMEM, EPERM)                                                                \
	CALL(munmap, ENOMEM)                                                                       \
	CALL(madvise, EINVAL, ENOMEM)                                                              \
	CALL(pthread_create, EAGAIN, EPERM)                                                        \
	CALL(pthread_attr_init, ENOMEM)                                                            \
	CALL(pthread_sigmask, EPERM)                                                               \
	CALL(pthread_setname_np, EPERM)                                                            \
	CALL(sched_getaffinity, EINVAL, EPERM)                                                     \
	CALL(sched_yield, EPERM)                                                                   \
	CALL(getrandom, EAGAIN, ENOSYS)                                                            \
	CALL(clock_gettime, EPERM, ENOSYS)                                                         \
	CALL(syscall, EPERM, ENOSYS) /* membarrier */

enum {
	ERRORS_MAX = 4,
	RUN_LIMIT_S = 30,
	EACH = 6,
	ALL_ERRORS = 2,
	ALLOWED_S = 300,
	LEFT_BLOCKED = 2
};

enum call {
#define CALL_NUMBER(name, ...) CALL_##name,
	CALLS(CALL_NUMBER) CALL_COUNT
};

static const struct {
	const char *name;
	int errors[ERRORS_MAX]; /* ended by 0 */
} calls[] = {
#define CALL_ROW(name, ...) {#name, {__VA_ARGS__}},
	CALLS(CALL_ROW)};

/* What a run is told, and what came of it. */
struct page {
	enum call call;
	uint32_t nth; /* 0: none */
	int error;
	bool for_ever;     /* and all after it */
	bool when_created; /* calls count from the end of the creation on */
	_Atomic bool on;
	_Atomic uint32_t counts[CALL_COUNT];
	enum whole_end end;
	struct whole_run run;
};
static struct page *page;
static _Atomic bool in_run; /* this process is one */

/* ---- in the run: what fails -------------------------------------------------------------- */

static bool refused(enum call call)
{
	uint32_t count;

	if (!atomic_load(&in_run) || !atomic_load_explicit(&page->on, memory_order_relaxed))
		return false;
	count = 1 + atomic_fetch_add_explicit(&page->counts[call], 1, memory_order_relaxed);
	if (call != page->call || page->nth == 0 || count < page->nth ||
	    (count > page->nth && !page->for_ever))
		return false;
	errno = page->error;
	return true;
}

#define WRAP(type, name, params, args, failed)                                                     \
	type __real_##name params;                                                                 \
	type __wrap_##name params;                                                                 \
	type __wrap_##name params                                                                  \
	{                                                                                          \
		return refused(CALL_##name) ? (failed) : __real_##name args;                       \
	}

WRAP(int, epoll_wait, (int fd, struct epoll_event *events, int max, int timeout),
     (fd, events, max, timeout), -1)
WRAP(int, epoll_ctl, (int poller, int what, int fd, struct epoll_event *event),
     (poller, what, fd, event), -1)
WRAP(int, epoll_create1, (int flags), (flags), -1)
WRAP(int, eventfd, (unsigned count, int flags), (count, flags), -1)
WRAP(ssize_t, read, (int fd, void *bytes, size_t size), (fd, bytes, size), -1)
WRAP(ssize_t, write, (int fd, const void *bytes, size_t size), (fd, bytes, size), -1)
WRAP(void *, mmap64, (void *at, size_t size, int prot, int flags, int fd, off_t offset),
     (at, size, prot, flags, fd, offset), MAP_FAILED)
WRAP(int, munmap, (void *at, size_t size), (at, size), -1)
WRAP(int, madvise, (void *at, size_t size, int advice), (at, size, advice), -1)
WRAP(int, pthread_create,
     (pthread_t * thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg),
     (thread, attr, start, arg), page->error)
WRAP(int, pthread_attr_init, (pthread_attr_t * attr), (attr), page->error)
WRAP(int, pthread_sigmask, (int how, const sigset_t *set, sigset_t *before), (how, set, before),
     page->error)
WRAP(int, pthread_setname_np, (pthread_t thread, const char *name), (thread, name), page->error)
WRAP(int, sched_getaffinity, (pid_t pid, size_t size, cpu_set_t *set), (pid, size, set), -1)
WRAP(int, sched_yield, (void), (), -1)
WRAP(ssize_t, getrandom, (void *bytes, size_t size, unsigned flags), (bytes, size, flags), -1)
WRAP(int, clock_gettime, (clockid_t id, struct timespec *time), (id, time), -1)

/* The worker sleeps without a limit, or is about to. */
static _Atomic bool asleep;
static _Atomic int slept_on = -1;

int __real_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
		 const sigset_t *mask);
int __wrap_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
		 const sigset_t *mask);
int __wrap_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
		 const sigset_t *mask)
{
	int rc;

	if (refused(CALL_ppoll))
		return -1;
	atomic_store(&slept_on, fds[0].fd);
	atomic_store(&asleep, timeout == NULL);
	rc = __real_ppoll(fds, count, timeout, mask);
	atomic_store(&asleep, false);
	return rc;
}

/* On Linux it is closed all the same. */
int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
	int rc = __real_close(fd);

	return refused(CALL_close) ? -1 : rc;
}

int __real_fcntl64(int fd, int what, ...);
int __wrap_fcntl64(int fd, int what, ...);
int __wrap_fcntl64(int fd, int what, ...)
{
	va_list args;
	long arg;

	va_start(args, what);
	arg = va_arg(args, long);
	va_end(args);
	return refused(CALL_fcntl64) ? -1 : __real_fcntl64(fd, what, arg);
}

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
	va_list args;
	long one, two, three;

	va_start(args, number);
	one = va_arg(args, long);
	two = va_arg(args, long);
	three = va_arg(args, long);
	va_end(args);
	return refused(CALL_syscall) ? -1 : __real_syscall(number, one, two, three);
}

/* ---- in the run: the rest ---------------------------------------------------------------- */

static void begin_to_count(void)
{
	for (int i = 0; i < CALL_COUNT; i++)
		atomic_store(&page->counts[i], 0);
	atomic_store(&page->on, true);
}

static struct page *map_page(int fd)
{
	void *at =
		__real_mmap64(NULL, sizeof(struct page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return at == MAP_FAILED ? NULL : at;
}

/* The signals that the program has for itself must come to its threads as before. */
static bool is_blocked(int signal)
{
	sigset_t blocked;

	sigemptyset(&blocked);
	(void)__real_pthread_sigmask(SIG_BLOCK, NULL, &blocked);
	return sigismember(&blocked, signal) == 1;
}

static int child(const char *fd)
{
	bool blocked = is_blocked(SIGTERM);

	page = map_page(atoi(fd));
	if (page == NULL)
		return 1;
	in_run = true;
	alarm(RUN_LIMIT_S); /* one that hangs is ended by SIGALRM */
	if (page->when_created)
		page->run.created = begin_to_count;
	else
		begin_to_count();
	page->end = whole_run(&page->run);
	atomic_store(&page->on, false);
	return is_blocked(SIGTERM) == blocked ? 0 : LEFT_BLOCKED;
}

/* ---- the runs ---------------------------------------------------------------------------- */

static int page_fd;

static void make_page(void)
{
	page_fd = memfd_create("page", 0);
	ward_assert(page_fd >= 0 && ftruncate(page_fd, sizeof(struct page)) == 0);
	page = map_page(page_fd);
	ward_assert(page != NULL);
}

/* Fails the case, and says which run it was. */
static void fail(const char *what, int number)
{
	ward_test_fail(__FILE__, __LINE__, "%s: call %u%s%s, errno %d (%s): %s %d: %s %s",
		       calls[page->call].name, page->nth, page->for_ever ? " and all after it" : "",
		       page->when_created ? ", counted from the creation" : "", page->error,
		       strerror(page->error), what, number, page->run.text, page->run.fatal);
}

static void run_once(void)
{
	char fd[16];
	int status;
	pid_t pid;

	snprintf(fd, sizeof fd, "%d", page_fd);
	pid = vfork();
	ward_assert(pid >= 0);
	if (pid == 0) {
		execl("/proc/self/exe", "run", "--refused", fd, (char *)NULL);
		_exit(127);
	}
	ward_assert_eq(waitpid(pid, &status, 0), pid);
	if (WIFSIGNALED(status))
		fail(WTERMSIG(status) == SIGALRM ? "it hangs: ended by signal" : "ended by signal",
		     WTERMSIG(status));
	if (WEXITSTATUS(status) == LEFT_BLOCKED)
		fail("it left signals blocked: exit status", LEFT_BLOCKED);
	if (WEXITSTATUS(status) != 0)
		fail("exit status", WEXITSTATUS(status));
	if (page->end == WHOLE_WRONG)
		fail("it went wrong", 0);
	if (page->end == WHOLE_NOT_CREATED && page->when_created)
		fail("not created", 0);
}

static void set_up(enum call call, uint32_t nth, int error, bool for_ever, bool when_created)
{
	memset(page, 0, sizeof *page);
	page->call = call;
	page->nth = nth;
	page->error = error;
	page->for_ever = for_ever;
	page->when_created = when_created;
}

/* Each of the first, and then fewer and fewer. */
static uint32_t next(uint32_t nth)
{
	if (STRESS_SANITIZED)
		return 4 * nth;
	return nth < EACH ? nth + 1 : 2 * nth;
}

/* With each of its errors, or with the first alone. */
static void refuse(enum call call, uint32_t nth, bool for_ever, bool when_created, bool all)
{
	for (int i = 0; calls[call].errors[i] != 0 && (i == 0 || all); i++) {
		set_up(call, nth, calls[call].errors[i], for_ever, when_created);
		page->run.few_threads = for_ever && (call == CALL_pthread_create ||
						     call == CALL_pthread_attr_init ||
						     call == CALL_pthread_sigmask);
		page->run.no_descriptors = for_ever && call == CALL_epoll_wait;
		page->run.no_inbox_fd = for_ever && call == CALL_write;
		run_once();
	}
}

static void refuse_each(enum call call, bool when_created)
{
	uint32_t count;

	set_up(call, 0, 0, false, when_created);
	run_once();
	count = atomic_load(&page->counts[call]);
	/* Else it is made by another name; but nobody need wait, or lean. */
	if (count == 0 && !when_created && call != CALL_sched_yield && call != CALL_syscall)
		fail("the call is never made", 0);
	for (uint32_t nth = 1; nth <= count; nth = next(nth))
		refuse(call, nth, false, when_created, nth <= ALL_ERRORS && !STRESS_SANITIZED);
}

WARD_TEST(call_that_is_refused_once_while_a_system_is_made_is_a_code_or_does_no_harm)
{
	ward_test_allow_s(ALLOWED_S);
	make_page();
	for (int call = 0; call < CALL_COUNT; call++)
		refuse_each((enum call)call, false);
}

WARD_TEST(call_that_is_refused_once_while_a_system_runs_does_no_harm)
{
	ward_test_allow_s(ALLOWED_S);
	make_page();
	for (int call = 0; call < CALL_COUNT; call++)
		refuse_each((enum call)call, true);
}

WARD_TEST(call_that_is_refused_for_ever_does_no_harm)
{
	ward_test_allow_s(ALLOWED_S);
	make_page();
	for (int call = 0; call < CALL_COUNT; call++)
		refuse((enum call)call, 1, true, true, !STRESS_SANITIZED);
}

static struct rlimit before;

static void forbid_descriptors(void)
{
	ward_assert_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	ward_assert_eq(setrlimit(RLIMIT_NOFILE, &(struct rlimit){0, before.rlim_max}), 0);
}

WARD_TEST(limit_of_descriptors_lowered_to_none_while_a_system_runs_does_no_harm)
{
	struct whole_run run = {.created = forbid_descriptors};

	enum whole_end end = whole_run(&run);

	ward_assert_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
	if (end != WHOLE_DONE)
		ward_test_fail(__FILE__, __LINE__, "%s %s", run.text, run.fatal);
}

/* ---- a wake ------------------------------------------------------------------------------ */

enum { WAKE_LIMIT_MS = 30 * 1000 };

WARD_SIGNAL(question);
WARD_SIGNAL(answer);

static ward_result answerer_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	ward_reply(self, msg, answer);
	return WARD_DONE;
}

static ward_err ask(ward_system *system, ward_ref who)
{
	return ward_system_ask_send(system, who, WAKE_LIMIT_MS, &ward_type_answer, NULL,
				    &ward_type_question, NULL, 0);
}

/* Nothing ends the sleep: what this thread has written was read before that sleep began. */
static bool sleeps_soundly(void)
{
	struct pollfd sleeper = {.fd = atomic_load(&slept_on), .events = POLLIN};

	return sleeper.fd >= 0 && poll(&sleeper, 1, 0) == 0 && atomic_load(&asleep);
}

/* The one worker sleeps without a limit: no other wake comes. */
WARD_TEST(wake_that_cannot_be_written_ends_a_sleep_without_a_limit)
{
	static const ward_behavior answerer = {.name = "answerer", .receive = answerer_receive};
	ward_system *system;
	ward_ref who;

	make_page();
	ward_assert_ok(ward_system_create(&(ward_options){.workers = 1}, &system));
	ward_assert_ok(ward_system_spawn(system, WARD_PROPS(&answerer), &who));
	ward_assert_ok(ask(system, who));
	while (!sleeps_soundly())
		(void)__real_sched_yield();
	set_up(CALL_write, 1, EPERM, true, false);
	begin_to_count();
	atomic_store(&in_run, true);
	ward_assert_ok(ask(system, who));
	atomic_store(&in_run, false);
	ward_assert(atomic_load(&page->counts[CALL_write]) > 0);
	ward_assert_ok(ward_system_destroy(system, WAKE_LIMIT_MS));
}

/* ---- a bridge ---------------------------------------------------------------------------- */

static const ward_failure_class seized = {.name = "seized", .parent = &ward_exception};
WARD_SIGNAL(go);
static ward_bridge *handle;
static bool told_dead;

static ward_result engine_init(ward_self *self, void *state, const void *args, ward_bridge *bridge)
{
	(void)self;
	(void)state;
	(void)args;
	ward_bridge_unref(handle);
	handle = ward_bridge_ref(bridge);
	return WARD_DONE;
}

static ward_result engine_terminate(ward_self *self, void *state, const ward_exit_reason *reason,
				    bool dead)
{
	(void)self;
	(void)state;
	(void)reason;
	told_dead |= dead;
	return WARD_DONE;
}

static const ward_subsystem engine = {
	.name = "engine", .init = engine_init, .terminate = engine_terminate};

/* The subsystem is dead, and write() is refused. Returns what is said to that. */
static ward_err report_death(ward_kit *kit, uint32_t nth, bool for_ever)
{
	ward_err err;

	set_up(CALL_write, nth, EPERM, for_ever, false);
	in_run = true;
	begin_to_count();
	err = ward_bridge_died(handle, &seized, "at 6000 rpm");
	in_run = false;
	ward_kit_run(kit);
	return err;
}

WARD_TEST(bridge_that_cannot_be_woken_hears_of_a_death_with_its_next_message, "S117")
{
	ward_props props = *WARD_PROPS(&ward_bridge_behavior,
				       .args = WARD_ARGS(ward_bridged, .subsystem = &engine));
	ward_kit *kit;
	ward_ref ref;

	make_page(); /* it stays open: before the kit looks what is */
	kit = ward_kit_start(NULL);
	ref = ward_kit_spawn_props(kit, &props);
	ward_kit_run(kit);
	ward_assert_ok(report_death(kit, 1, false)); /* it is tried again */
	ward_assert(told_dead);
	told_dead = false;
	ward_assert_err(report_death(kit, 1, true), WARD_ESYS);
	ward_assert(!told_dead);
	ward_system_tell(ward_kit_system(kit), ref, go);
	ward_kit_run(kit);
	ward_assert(told_dead);
	ward_bridge_unref(handle);
	ward_kit_finish(kit);
}

/* ---- a descriptor ------------------------------------------------------------------------ */

WARD_SIGNAL(look);
static int pipe_ends[2];

/* By a filter of system calls, which answers as the kernel does for files that are always ready. */
static ward_result watch_filtered(ward_self *self, void *state, const ward_msg *msg)
{
	FILE *file = tmpfile();

	(void)state;
	(void)msg;
	ward_assert(file != NULL);
	set_up(CALL_epoll_ctl, 1, EPERM, true, false);
	in_run = true;
	begin_to_count();
	ward_assert_err(ward_try_fd_watch(self, pipe_ends[0], WARD_FD_READ), WARD_ESYS);
	ward_assert_part(ward_err_detail(), "Operation not permitted (EPERM)");
	ward_assert_err(ward_try_fd_watch(self, fileno(file), WARD_FD_READ), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "always ready");
	in_run = false;
	fclose(file);
	return WARD_DONE;
}

WARD_TEST(watch_that_a_filter_refuses_is_not_taken_for_one_of_a_file)
{
	static const ward_behavior watcher = {.name = "watcher", .receive = watch_filtered};
	ward_kit *kit;
	ward_ref ref;

	make_page();
	ward_assert_eq(pipe(pipe_ends), 0);
	kit = ward_kit_start(NULL);
	ref = ward_kit_spawn(kit, &watcher);
	ward_system_tell(ward_kit_system(kit), ref, look);
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_FAILURE, "*"), 0);
	ward_kit_finish(kit);
	close(pipe_ends[0]);
	close(pipe_ends[1]);
}

/* ---- an interruption --------------------------------------------------------------------- */

static bool became_ready;

static ward_result watch_pipe(ward_self *self, void *state)
{
	(void)state;
	ward_assert_ok(ward_try_fd_watch(self, pipe_ends[0], WARD_FD_READ));
	return WARD_DONE;
}

static ward_result note_ready(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	became_ready = ward_match(msg, ward_fd_ready) != NULL;
	return WARD_DONE;
}

/* A signal comes while a simulation, whose clock is years ahead, waits for a descriptor. */
WARD_TEST(wait_of_a_simulation_that_is_interrupted_goes_on)
{
	static const ward_behavior watcher = {
		.name = "watcher", .pre_start = watch_pipe, .receive = note_ready};
	ward_kit *kit;

	make_page();
	ward_assert_eq(pipe(pipe_ends), 0);
	kit = ward_kit_start(NULL);
	(void)ward_kit_spawn(kit, &watcher);
	while (ward_simulation_step(ward_kit_system(kit)))
		;
	(void)ward_simulation_advance(ward_kit_system(kit), INT64_MAX / 4);
	ward_assert_eq(write(pipe_ends[1], "x", 1), 1);
	set_up(CALL_epoll_wait, 1, EINTR, false, false);
	in_run = true;
	begin_to_count();
	(void)ward_simulation_poll(ward_kit_system(kit));
	ward_assert_eq(ward_simulation_count(ward_kit_system(kit)), 1);
	in_run = false;
	while (ward_simulation_step(ward_kit_system(kit)))
		;
	ward_assert(became_ready);
	ward_kit_finish(kit);
	close(pipe_ends[0]);
	close(pipe_ends[1]);
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "--refused") == 0)
		return child(argv[2]);
	return ward_test_main(argc, argv);
}
