/* SPDX-License-Identifier: MIT
 *
 * test_thread_settings.c - processors, scheduling and stack of the threads: as the row says, or
 * refused with a text that says what and why.
 *
 * Method: a function inside the actor asks the operating system about its own thread. Rights are
 * given up and taken back by the test's thread, whose threads inherit them. One call into the
 * operating system is this program's own, and is refused when told.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/capability.h>

#include "dispatchers.h"

static _Atomic bool refuses_nice;

/* Instead of the C library's. */
int setpriority(__priority_which_t which, id_t who, int value)
{
	static int (*real)(__priority_which_t which, id_t who, int value);

	if (refuses_nice) {
		errno = EACCES;
		return -1;
	}
	if (real == NULL)
		*(void **)&real = dlsym(RTLD_NEXT, "setpriority");
	return real(which, who, value);
}

static ward_result idle_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self, (void)state, (void)msg;
	return WARD_UNHANDLED;
}
static const ward_behavior idle = {.name = "idle", .receive = idle_receive};

/* ---- a thread as the operating system has it --------------------------------------------- */

struct like {
	cpu_set_t cpus;
	int policy, priority, nice;
	size_t stack_bytes, guard_bytes;
};

static void look(struct like *like)
{
	struct sched_param param;
	pthread_attr_t attr;

	ward_assert_eq(sched_getaffinity(0, sizeof like->cpus, &like->cpus), 0);
	like->policy = sched_getscheduler(0);
	ward_assert_eq(sched_getparam(0, &param), 0);
	like->priority = param.sched_priority;
	like->nice = getpriority(PRIO_PROCESS, 0);
	ward_assert_eq(pthread_getattr_np(pthread_self(), &attr), 0);
	ward_assert_eq(pthread_attr_getstacksize(&attr, &like->stack_bytes), 0);
	ward_assert_eq(pthread_attr_getguardsize(&attr, &like->guard_bytes), 0);
	pthread_attr_destroy(&attr);
}

static ward_result look_inside(ward_self *self, void *state, void *arg)
{
	(void)self, (void)state;
	look(arg);
	return WARD_DONE;
}

static ward_kit *start(const ward_dispatcher *rows)
{
	return ward_kit_start(&(ward_kit_options){.real_threads = true,
						  .system = {.workers = 2, .dispatchers = rows}});
}

static struct like on(ward_kit *kit, const char *dispatcher)
{
	struct like like;

	ward_kit_inside(kit, ward_kit_spawn(kit, &idle, .dispatcher = dispatcher), look_inside,
			&like);
	return like;
}

static void check_refused(const ward_dispatcher *row, const char *text)
{
	const ward_dispatcher rows[] = {*row, {.name = NULL}};
	ward_kit *kit;

	ward_assert_err(ward_kit_try_start(
				&(ward_kit_options){.real_threads = true,
						    .system = {.workers = 1, .dispatchers = rows}},
				&kit),
			WARD_ESYS);
	ward_assert_part(ward_err_detail(), "dispatcher \"");
	ward_assert_part(ward_err_detail(), row->name);
	ward_assert_part(ward_err_detail(), text);
}

/* ---- processors -------------------------------------------------------------------------- */

static int nth_cpu(const cpu_set_t *cpus, int n)
{
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, cpus) && n-- == 0)
			return cpu;
	return -1;
}

static bool is_only(const cpu_set_t *cpus, int cpu)
{
	return CPU_COUNT(cpus) == 1 && CPU_ISSET(cpu, cpus);
}

WARD_TEST(threads_have_the_processors_of_their_row)
{
	struct like here, there;
	char first[16], last[16];

	look(&here);
	int low = nth_cpu(&here.cpus, 0), high = nth_cpu(&here.cpus, CPU_COUNT(&here.cpus) - 1);
	snprintf(first, sizeof first, "%d", low);
	snprintf(last, sizeof last, "%d-%d", high, high);
	const ward_dispatcher rows[] = {{.name = WARD_WORKERS, .cpus = first},
					{.name = WARD_PINNED, .cpus = last},
					{.name = "p", .threads = 2, .cpus = last},
					{.name = NULL}};
	ward_kit *kit = start(rows);
	there = on(kit, NULL);
	ward_assert(is_only(&there.cpus, low));
	there = on(kit, WARD_PINNED);
	ward_assert(is_only(&there.cpus, high));
	there = on(kit, "p");
	ward_assert(is_only(&there.cpus, high));
	/* Started by a worker, which has one processor. */
	there = on(kit, WARD_BLOCKING);
	ward_assert(CPU_EQUAL(&there.cpus, &here.cpus));
	ward_kit_finish(kit);
}

WARD_TEST(workers_are_as_many_as_their_processors)
{
	struct like here;
	char one[16];

	look(&here);
	snprintf(one, sizeof one, "%d", nth_cpu(&here.cpus, 0));
	const ward_dispatcher rows[] = {{.name = WARD_WORKERS, .cpus = one}, {.name = NULL}};
	ward_kit *kit = ward_kit_start(
		&(ward_kit_options){.real_threads = true, .system.dispatchers = rows});
	ward_assert_eq(dispatcher_info(kit, WARD_WORKERS).threads, 1);
	ward_kit_finish(kit);
}

/* The kernel would take the set, and leave out the processor that there is not. */
WARD_TEST(processors_that_there_are_not_are_refused_by_their_number)
{
	struct like here;
	char some[32], none[64];

	look(&here);
	ward_assert(!CPU_ISSET(CPU_SETSIZE - 1, &here.cpus));
	snprintf(some, sizeof some, "%d,%d", nth_cpu(&here.cpus, 0), CPU_SETSIZE - 1);
	snprintf(none, sizeof none, "there is no processor %d for this process: cpus can have %d",
		 CPU_SETSIZE - 1, nth_cpu(&here.cpus, 0));
	check_refused(&(ward_dispatcher){.name = WARD_WORKERS, .cpus = some}, none);
	check_refused(&(ward_dispatcher){.name = WARD_BLOCKING, .cpus = some}, none);
	check_refused(&(ward_dispatcher){.name = WARD_PINNED, .cpus = "1023"}, none);
	check_refused(&(ward_dispatcher){.name = "p", .threads = 1, .cpus = "1023"}, none);
}

/* ---- the stack --------------------------------------------------------------------------- */

WARD_TEST(threads_have_the_stack_of_their_row_and_a_guard)
{
	enum { SMALL = 256 * 1024, LARGE = 24 * 1024 * 1024, GUARD = 64 * 1024 };
	const ward_dispatcher rows[] = {{.name = WARD_WORKERS, .stack_bytes = SMALL},
					{.name = WARD_PINNED, .stack_bytes = LARGE},
					{.name = "p", .threads = 1, .stack_bytes = LARGE + 1},
					{.name = NULL}};
	ward_kit *kit = start(rows);
	struct like there = on(kit, NULL);

	ward_assert_eq(there.guard_bytes, GUARD);
	ward_assert(there.stack_bytes >= SMALL + GUARD);
	/* The C library may give a stack again that is at most four times as large. */
	ward_assert(there.stack_bytes <= 4 * (SMALL + GUARD));
	there = on(kit, WARD_PINNED);
	ward_assert(there.stack_bytes >= LARGE + GUARD);
	there = on(kit, "p");
	ward_assert(there.stack_bytes >= LARGE + 1 + GUARD);
	ward_kit_finish(kit);
}

WARD_SIGNAL(fail);

static ward_result failing_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (ward_match(msg, fail) == NULL)
		return WARD_UNHANDLED;
	ward_fail(self, &ward_exception, "%0200d", 1);
}
static const ward_behavior failing = {.name = "failing", .receive = failing_receive};

/* Failures, with their events and restarts, are what needs the most. */
WARD_TEST(smallest_stack_is_enough_for_a_failure)
{
	static const ward_dispatcher rows[] = {{.name = WARD_WORKERS, .stack_bytes = 64 * 1024},
					       {.name = WARD_PINNED, .stack_bytes = 64 * 1024},
					       {.name = NULL}};
	ward_kit *kit = start(rows);
	ward_ref parent = ward_kit_spawn(kit, &failing);
	ward_ref pinned = ward_kit_spawn(kit, &failing, .dispatcher = WARD_PINNED);

	ward_kit_tell(kit, parent, fail);
	ward_kit_tell(kit, pinned, fail);
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_FAILURE, "*"), 2);
	ward_assert_eq(ward_kit_stats(kit).restarts, 2);
	ward_kit_finish(kit);
}

WARD_TEST(stack_that_is_too_large_is_refused)
{
	check_refused(&(ward_dispatcher){.name = WARD_PINNED, .stack_bytes = (size_t)1 << 50},
		      "cannot start a thread with a stack of 1125899906842624 bytes: ");
}

/* ---- classes that need no rights --------------------------------------------------------- */

WARD_TEST(threads_have_the_class_of_their_row)
{
	static const ward_dispatcher rows[] = {
		{.name = WARD_WORKERS, .scheduling = WARD_SCHEDULING_OTHER, .nice = 3},
		{.name = WARD_BLOCKING, .nice = 4},
		{.name = "b", .threads = 1, .scheduling = WARD_SCHEDULING_BATCH, .nice = 5},
		{.name = "i", .threads = 1, .scheduling = WARD_SCHEDULING_IDLE},
		{.name = NULL}};
	ward_kit *kit = start(rows);
	struct like there = on(kit, NULL);

	ward_assert_eq(there.policy, SCHED_OTHER);
	ward_assert_eq(there.nice, 3);
	there = on(kit, WARD_BLOCKING);
	ward_assert_eq(there.policy, SCHED_OTHER);
	ward_assert_eq(there.nice, 4);
	there = on(kit, "b");
	ward_assert_eq(there.policy, SCHED_BATCH);
	ward_assert_eq(there.nice, 5);
	there = on(kit, "i");
	ward_assert_eq(there.policy, SCHED_IDLE);
	ward_kit_finish(kit);
}

/* ---- rights ------------------------------------------------------------------------------ */

struct rights {
	struct __user_cap_data_struct caps[2];
	struct rlimit realtime, nice;
};

static struct __user_cap_header_struct cap_header = {_LINUX_CAPABILITY_VERSION_3, 0};

/* Gives up the right to a higher priority, until take_back(). */
static void give_up(struct rights *rights)
{
	struct __user_cap_data_struct less[2];

	ward_assert_eq(syscall(SYS_capget, &cap_header, rights->caps), 0);
	memcpy(less, rights->caps, sizeof less);
	less[CAP_SYS_NICE / 32].effective &= ~(1U << CAP_SYS_NICE % 32);
	ward_assert_eq(syscall(SYS_capset, &cap_header, less), 0);
	ward_assert_eq(getrlimit(RLIMIT_RTPRIO, &rights->realtime), 0);
	ward_assert_eq(getrlimit(RLIMIT_NICE, &rights->nice), 0);
	ward_assert_eq(setrlimit(RLIMIT_RTPRIO, &(struct rlimit){0, rights->realtime.rlim_max}), 0);
	ward_assert_eq(setrlimit(RLIMIT_NICE, &(struct rlimit){0, rights->nice.rlim_max}), 0);
}

static void take_back(const struct rights *rights)
{
	ward_assert_eq(syscall(SYS_capset, &cap_header, rights->caps), 0);
	ward_assert_eq(setrlimit(RLIMIT_RTPRIO, &rights->realtime), 0);
	ward_assert_eq(setrlimit(RLIMIT_NICE, &rights->nice), 0);
}

WARD_TEST(without_rights_a_higher_priority_is_refused_with_what_it_needs)
{
	static const ward_dispatcher fifo = {
		.name = WARD_WORKERS, .scheduling = WARD_SCHEDULING_FIFO, .priority = 7};
	static const ward_dispatcher rr = {
		.name = "p", .threads = 1, .scheduling = WARD_SCHEDULING_RR};
	static const ward_dispatcher nicer = {.name = WARD_PINNED, .nice = -5};
	struct rights rights;

	give_up(&rights);
	check_refused(
		&fifo,
		"scheduling fifo with priority 7 is refused: Operation not permitted (EPERM); "
		"it needs CAP_SYS_NICE, or RLIMIT_RTPRIO of at least 7");
	check_refused(&rr, "scheduling rr with priority 1 is refused: Operation not permitted "
			   "(EPERM); it needs CAP_SYS_NICE, or RLIMIT_RTPRIO of at least 1");
	check_refused(&nicer, "nice -5 is refused: Permission denied (EACCES); it needs "
			      "CAP_SYS_NICE, or RLIMIT_NICE of at least 25");
	take_back(&rights);
}

/* A thread with a nice value could not give a thread that it starts the usual one back. */
WARD_TEST(threads_do_not_inherit_from_the_one_that_needs_them)
{
	static const ward_dispatcher rows[] = {
		{.name = WARD_WORKERS, .scheduling = WARD_SCHEDULING_BATCH, .nice = 3},
		{.name = "b", .threads = 1, .nice = 6},
		{.name = NULL}};
	struct like here, there;
	struct rights rights;

	look(&here);
	give_up(&rights);
	ward_kit *kit = start(rows);
	there = on(kit, NULL);
	ward_assert_eq(there.policy, SCHED_BATCH);
	ward_assert_eq(there.nice, 3);
	there = on(kit, WARD_PINNED);
	ward_assert_eq(there.policy, here.policy);
	ward_assert_eq(there.nice, here.nice);
	there = on(kit, WARD_BLOCKING);
	ward_assert_eq(there.policy, here.policy);
	there = on(kit, "b");
	ward_assert_eq(there.policy, here.policy);
	ward_assert_eq(there.nice, 6);
	ward_kit_finish(kit);
	take_back(&rights);
}

static void *try_fifo(void *arg)
{
	const struct sched_param param = {.sched_priority = 2};

	*(bool *)arg = sched_setscheduler(0, SCHED_FIFO, &param) == 0;
	return NULL;
}

/* Whether this process has the right to the class, asked on a thread that ends. */
static bool may_be_fifo(void)
{
	pthread_t id;
	bool may = false;

	ward_assert_eq(pthread_create(&id, NULL, try_fifo, &may), 0);
	ward_assert_eq(pthread_join(id, NULL), 0);
	return may;
}

WARD_TEST(with_rights_threads_have_the_priority_of_their_row)
{
	static const ward_dispatcher rows[] = {
		{.name = WARD_PINNED, .scheduling = WARD_SCHEDULING_FIFO, .priority = 2},
		{.name = WARD_BLOCKING, .scheduling = WARD_SCHEDULING_RR},
		{.name = NULL}};
	struct like here, there;
	ward_kit *kit;

	if (!may_be_fifo()) {
		check_refused(&rows[0], "scheduling fifo with priority 2 is refused: ");
		return;
	}
	look(&here);
	kit = start(rows);
	there = on(kit, NULL);
	ward_assert_eq(there.policy, here.policy);
	there = on(kit, WARD_PINNED);
	ward_assert_eq(there.policy, SCHED_FIFO);
	ward_assert_eq(there.priority, 2);
	there = on(kit, WARD_BLOCKING);
	ward_assert_eq(there.policy, SCHED_RR);
	ward_assert_eq(there.priority, 1);
	ward_kit_finish(kit);
}

/* ---- refused later ----------------------------------------------------------------------- */

WARD_TEST(pinned_actor_whose_thread_is_refused_later_is_not_spawned)
{
	static const ward_dispatcher rows[] = {{.name = WARD_PINNED, .nice = 1}, {.name = NULL}};
	const ward_props props = {.behavior = &idle, .dispatcher = WARD_PINNED};
	ward_kit *kit = start(rows);
	ward_ref ref;

	refuses_nice = true;
	ward_assert_err(ward_system_spawn(ward_kit_system(kit), &props, &ref), WARD_ESYS);
	ward_assert_str(ward_err_detail(),
			"nice 1 is refused: Permission denied (EACCES); it needs "
			"CAP_SYS_NICE, or RLIMIT_NICE of at least 19");
	refuses_nice = false;
	ward_assert_ok(ward_system_spawn(ward_kit_system(kit), &props, &ref));
	ward_kit_finish(kit);
}

static pthread_barrier_t both;

WARD_SIGNAL(meet);

static ward_result meet_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self, (void)state;
	if (ward_match(msg, meet) == NULL)
		return WARD_UNHANDLED;
	pthread_barrier_wait(&both);
	return WARD_DONE;
}
static const ward_behavior meeting = {.name = "meeting", .receive = meet_receive};

static bool is_noted(void *arg)
{
	return ward_kit_count(arg, WARD_EVENT_NOTE, "*") > 0;
}

static bool is_one(void *arg)
{
	return dispatcher_info(arg, "p").threads == 1;
}

WARD_TEST(thread_of_a_pool_that_is_refused_later_is_noted_and_tried_again)
{
	static const ward_dispatcher rows[] = {
		{.name = "p", .threads = 2, .keep_alive_ms = 1, .nice = 1}, {.name = NULL}};
	ward_kit *kit = start(rows);
	ward_ref one = ward_kit_spawn(kit, &meeting, .dispatcher = "p");
	ward_ref other = ward_kit_spawn(kit, &meeting, .dispatcher = "p");

	pthread_barrier_init(&both, NULL, 2);
	ward_assert(ward_kit_run_until(kit, WARD_MINUTE, is_one, kit));
	refuses_nice = true;
	ward_kit_tell(kit, one, meet);
	ward_kit_tell(kit, other, meet);
	ward_assert(ward_kit_run_until(kit, WARD_MINUTE, is_noted, kit));
	ward_assert_part(ward_kit_event(kit, WARD_EVENT_NOTE, "*", 0)->text,
			 "dispatcher \"p\" has no thread for waiting work, retried every 100 ms: "
			 "nice 1 is refused: Permission denied (EACCES)");
	refuses_nice = false;
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_NOTE, "*"), 1);
	ward_kit_finish(kit);
	pthread_barrier_destroy(&both);
}

WARD_TEST_MAIN
