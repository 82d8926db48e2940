/* SPDX-License-Identifier: MIT
 *
 * test_descriptors.c - descriptors on several workers: no notice is lost, none comes without a
 * reason, whatever is closed and opened in between.
 *
 * Method: reads that would wait for ever if a notice were false, and numbers that are used again.
 */
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/stress.h"

enum { PIPES = 8 };

static ward_kit *kit;
static _Atomic uint64_t bytes_read;

static void make_pipe(int ends[2], int flags)
{
	ward_assert_eq(pipe2(ends, O_CLOEXEC | flags), 0);
}

/* ---- reads that would wait --------------------------------------------------------------- */

struct reader {
	int fd;
};

static ward_result reader_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct reader *me = state;
	char bytes[3];
	ssize_t got;

	if (ward_match(msg, ward_fd)) {
		me->fd = ward_fd_take(self);
	} else {
		ward_assert(ward_match(msg, ward_fd_ready) != NULL);
		got = read(me->fd, bytes, sizeof bytes); /* waits if there is nothing */
		if (got <= 0)
			return ward_stop_self(self);
		stress_add(&bytes_read, (uint64_t)got);
	}
	ward_fd_watch(self, me->fd, WARD_FD_READ);
	return WARD_DONE;
}

static const ward_behavior reader = {
	.name = "reader", .state_size = sizeof(struct reader), .receive = reader_receive};

static void *write_all(void *arg)
{
	const int *ends = arg;
	uint64_t count = stress_size(20000, 2000000);

	for (uint64_t i = 0; i < count; i++)
		ward_assert_eq(write(ends[i % PIPES], "x", 1), 1);
	return NULL;
}

/* Each pipe has its own reader, and each descriptor is given to it. */
static void read_all(uint32_t workers)
{
	uint64_t count = stress_size(20000, 2000000);
	int writing[PIPES];
	ward_ref refs[PIPES];
	pthread_t thread;

	atomic_store(&bytes_read, 0);
	kit = stress_start(&(ward_kit_options){.system.workers = workers});
	for (int i = 0; i < PIPES; i++) {
		int ends[2];

		make_pipe(ends, 0);
		writing[i] = ends[1];
		ward_assert_ok(
			ward_system_spawn(ward_kit_system(kit), WARD_PROPS(&reader), &refs[i]));
		ward_system_tell(ward_kit_system(kit), refs[i], ward_fd, ends[0]);
	}
	thread = stress_thread(write_all, writing);
	STRESS_UNTIL(kit, stress_get(&bytes_read) == count);
	stress_join(thread);
	for (int i = 0; i < PIPES; i++) {
		close(writing[i]);
		ward_assert_ok(ward_system_wait_for(ward_kit_system(kit), refs[i], WARD_MINUTE));
	}
	ward_kit_finish(kit);
}

WARD_TEST(blocking_reads_never_wait_on_1_worker)
{
	read_all(1);
}

WARD_TEST(blocking_reads_never_wait_on_3_workers)
{
	read_all(3);
}

/* ---- descriptors that are kept ----------------------------------------------------------- */

static _Atomic uint64_t calls; /* of epoll_ctl() */

/* Instead of the C library's. */
int epoll_ctl(int epoll_fd, int op, int fd, struct epoll_event *event)
{
	stress_add(&calls, 1);
	return (int)syscall(SYS_epoll_ctl, epoll_fd, op, fd, event);
}

static ward_result keeper_init(ward_self *self, void *state, const void *args)
{
	(void)state;
	ward_fd_watch(self, ((const struct reader *)args)->fd, WARD_FD_READ | WARD_FD_KEPT);
	return WARD_DONE;
}

/* Its descriptor is never its own: it is in the arguments, over all restarts. */
static ward_result keeper_receive(ward_self *self, void *state, const ward_msg *msg)
{
	int fd = ((const struct reader *)ward_args(self))->fd;
	char byte;

	(void)state;
	ward_assert(ward_match(msg, ward_fd_ready) != NULL);
	if (read(fd, &byte, 1) <= 0) /* waits if there is nothing */
		return ward_stop_self(self);
	if (stress_add(&bytes_read, 1) % 1000 == 999)
		return ward_failed(self, &ward_exception, "now and then");
	ward_fd_watch(self, fd, WARD_FD_READ | WARD_FD_KEPT);
	return WARD_DONE;
}

WARD_MESSAGE(reader);
static const ward_behavior keeper = {.name = "keeper",
				     .args = &ward_type_reader,
				     .init = keeper_init,
				     .receive = keeper_receive};

WARD_TEST(kept_descriptor_is_watched_again_without_a_call_in_all_incarnations, "S130")
{
	uint64_t count = stress_size(20000, 1000000), before;
	struct reader args;
	int ends[2];
	ward_ref ref;

	make_pipe(ends, 0);
	args.fd = ends[0];
	atomic_store(&bytes_read, 0);
	kit = stress_start(&(ward_kit_options){.system.workers = 2});
	ref = ward_kit_spawn(kit, &keeper, .args = {WARD_COPY(reader, &args)});
	before = stress_get(&calls);
	for (uint64_t i = 0; i < count; i++)
		ward_assert_eq(write(ends[1], "x", 1), 1);
	STRESS_UNTIL(kit, stress_get(&bytes_read) == count);
	ward_assert(stress_get(&calls) - before < count / 10);
	close(ends[1]);
	ward_assert_ok(ward_system_wait_for(ward_kit_system(kit), ref, WARD_MINUTE));
	ward_kit_finish(kit);
	close(ends[0]);
}

/* ---- a hub that closes and opens --------------------------------------------------------- */

struct hub {
	int ends[2];
	uint64_t rounds;
	bool owns;
};
WARD_MESSAGE(hub);

/* A pipe with a byte in it. The numbers are those of the one before. */
static void open_another(ward_self *self, struct hub *me)
{
	make_pipe(me->ends, O_NONBLOCK);
	if (me->owns)
		ward_adopt_fd(self, me->ends[0]);
	ward_assert_eq(write(me->ends[1], "x", 1), 1);
	ward_fd_watch(self, me->ends[0], WARD_FD_READ);
}

static ward_result hub_init(ward_self *self, void *state, const void *args)
{
	struct hub *me = state;

	*me = *(const struct hub *)args;
	open_another(self, me);
	return WARD_DONE;
}

static ward_result hub_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct hub *me = state;
	char byte;

	ward_assert(ward_match(msg, ward_fd_ready) != NULL);
	ward_assert_eq(read(me->ends[0], &byte, 1), 1);
	if (me->owns)
		ward_assert_ok(ward_close_fd(self, me->ends[0]));
	else
		close(me->ends[0]);
	close(me->ends[1]);
	if (me->rounds-- == 0)
		return ward_stop_self(self);
	open_another(self, me);
	return WARD_DONE;
}

static const ward_behavior hub = {.name = "hub",
				  .state_size = sizeof(struct hub),
				  .args = &ward_type_hub,
				  .init = hub_init,
				  .receive = hub_receive};

static void close_and_open(uint32_t workers)
{
	ward_ref refs[4];

	kit = stress_start(&(ward_kit_options){.system.workers = workers});
	for (int i = 0; i < 4; i++)
		ward_assert_ok(ward_system_spawn(
			ward_kit_system(kit),
			WARD_PROPS(&hub, .args = WARD_ARGS(hub, .rounds = stress_size(5000, 500000),
							   .owns = i % 2 == 1)),
			&refs[i]));
	for (int i = 0; i < 4; i++)
		ward_assert_ok(ward_system_wait_for(ward_kit_system(kit), refs[i],
						    stress_patience_ns() / 1000000));
	ward_kit_finish(kit);
}

WARD_TEST(numbers_that_are_closed_and_opened_are_watched_on_1_worker)
{
	close_and_open(1);
}

WARD_TEST(numbers_that_are_closed_and_opened_are_watched_on_3_workers)
{
	close_and_open(3);
}

/* ---- another process has it, too --------------------------------------------------------- */

WARD_SIGNAL(close_it);

struct sharer {
	int fd;
	int told[2]; /* a byte for each notice */
};
WARD_MESSAGE(sharer);

static ward_result sharer_init(ward_self *self, void *state, const void *args)
{
	struct sharer *me = state;

	*me = *(const struct sharer *)args;
	ward_fd_watch(self, ward_adopt_fd(self, me->fd), WARD_FD_READ);
	return WARD_DONE;
}

static ward_result sharer_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct sharer *me = state;
	char byte;

	if (ward_match(msg, close_it)) {
		ward_assert_ok(ward_close_fd(self, me->fd));
	} else {
		if (read(me->fd, &byte, 1) == 0)
			return ward_stop_self(self);
		ward_fd_watch(self, me->fd, WARD_FD_READ);
	}
	ward_assert_eq(write(me->told[1], "x", 1), 1);
	return WARD_DONE;
}

static const ward_behavior sharer = {.name = "sharer",
				     .state_size = sizeof(struct sharer),
				     .args = &ward_type_sharer,
				     .init = sharer_init,
				     .receive = sharer_receive};

static void await_byte(int ends[2])
{
	char byte;

	ward_assert_eq(read(ends[0], &byte, 1), 1);
}

/* A child process that lives until the pipe is closed. */
static pid_t fork_one(int ends[2])
{
	pid_t child = fork();
	char byte;

	if (child != 0)
		return child;
	close(ends[1]);
	(void)!read(ends[0], &byte, 1);
	_exit(0);
}

WARD_TEST(descriptor_that_a_child_process_keeps_is_closed_here_and_its_number_works_again)
{
	int leave[2], told[2], ends[2], again[2];
	struct sharer args;
	ward_ref ref, next;

	make_pipe(leave, 0);
	make_pipe(told, 0);
	make_pipe(ends, 0);
	kit = stress_start(&(ward_kit_options){.system.workers = 2});
	args = (struct sharer){ends[0], {told[0], told[1]}};
	ward_assert_ok(ward_system_spawn(ward_kit_system(kit),
					 WARD_PROPS(&sharer, .args = {WARD_COPY(sharer, &args)}),
					 &ref));
	ward_assert_eq(write(ends[1], "x", 1), 1);
	await_byte(told);
	pid_t child = fork_one(leave);
	ward_assert(child > 0);
	ward_assert_eq(write(ends[1], "x", 1), 1); /* works on, beside the other process */
	await_byte(told);
	ward_system_tell(ward_kit_system(kit), ref, close_it);
	await_byte(told);
	make_pipe(again, 0);
	ward_assert_eq(again[0], ends[0]);
	args.fd = again[0];
	ward_assert_ok(ward_system_spawn(ward_kit_system(kit),
					 WARD_PROPS(&sharer, .args = {WARD_COPY(sharer, &args)}),
					 &next));
	/* The old pipe has a reader only there: nobody here gets its events. */
	ward_assert_eq(write(ends[1], "x", 1), 1);
	ward_assert_eq(write(again[1], "y", 1), 1);
	await_byte(told);
	close(leave[1]);
	ward_assert_eq(waitpid(child, NULL, 0), child);
	close(again[1]);
	ward_assert_ok(ward_system_wait_for(ward_kit_system(kit), next, WARD_MINUTE));
	ward_kit_finish(kit);
	close(leave[0]);
	close(told[0]);
	close(told[1]);
	close(ends[1]);
}

WARD_TEST_MAIN
