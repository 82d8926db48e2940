/* SPDX-License-Identifier: MIT
 *
 * test_closed_descriptor.c - a descriptor that is closed before it is unwatched, while a duplicate
 * of it lives: the kernel goes on to say that it is ready, under a number that is nobody's.
 *
 * Method: sleeps in the poller are counted: one that a descriptor ends for which nobody looks
 * begins again at once.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <ward/testkit.h>
#include <ward/ward.h>

static _Atomic int sleeps;

/* Instead of the C library's, which only the poller calls. */
int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
	struct timespec left = timeout == NULL ? (struct timespec){0} : *timeout;

	atomic_fetch_add(&sleeps, 1);
	return (int)syscall(SYS_ppoll, fds, count, timeout == NULL ? NULL : &left, mask,
			    (size_t)_NSIG / 8);
}

enum { ENOUGH = 200 };

struct pipes {
	int read_end, write_end, duplicate;
};
static struct pipes pipes;
static bool adopts; /* then the kernel reports it as long as it is ready, not once */
static _Atomic int notices;

WARD_SIGNAL(close_then_unwatch);
WARD_SIGNAL(watch_its_number);

static ward_result holder_init(ward_self *self, void *state, const void *args)
{
	(void)state, (void)args;
	if (adopts)
		ward_adopt_fd(self, pipes.read_end);
	ward_assert_ok(ward_try_fd_watch(self, pipes.read_end, WARD_FD_READ));
	return WARD_DONE;
}

static ward_result holder_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (ward_match(msg, close_then_unwatch)) {
		close(pipes.read_end);
		ward_fd_unwatch(self, pipes.read_end);
	} else if (ward_match(msg, watch_its_number)) {
		ward_assert_ok(ward_try_fd_watch(self, pipes.read_end, WARD_FD_READ));
	} else if (ward_match(msg, ward_fd_ready)) {
		atomic_fetch_add(&notices, 1);
	}
	return WARD_DONE;
}

static const ward_behavior holder = {
	.name = "holder", .init = holder_init, .receive = holder_receive};

static _Atomic int notes;
static char last_path[WARD_EVENT_PATH], last_text[WARD_EVENT_TEXT];

static void hear(void *arg, const ward_event *event)
{
	(void)arg;
	if (event->kind != WARD_EVENT_NOTE)
		return;
	snprintf(last_path, sizeof last_path, "%s", event->path);
	snprintf(last_text, sizeof last_text, "%s", event->text);
	atomic_fetch_add(&notes, 1);
}

struct scene {
	ward_kit *kit;
	ward_ref holder;
};

static struct scene start(void)
{
	struct scene scene;
	int ends[2];

	ward_assert_eq(pipe2(ends, O_CLOEXEC), 0);
	pipes = (struct pipes){ends[0], ends[1], fcntl(ends[0], F_DUPFD_CLOEXEC, 0)};
	ward_assert(pipes.duplicate >= 0);
	scene.kit = ward_kit_start(
		&(ward_kit_options){.real_threads = true, .log = hear, .system = {.workers = 1}});
	scene.holder = ward_kit_spawn(scene.kit, &holder, .name = "holder");
	ward_kit_run(scene.kit);
	return scene;
}

static void finish(const struct scene *scene)
{
	ward_kit_finish(scene->kit);
	close(pipes.write_end);
	close(pipes.duplicate);
}

static void write_byte(void)
{
	ward_assert_eq(write(pipes.write_end, "x", 1), 1);
}

static bool is_told(void *arg)
{
	(void)arg;
	return atomic_load(&notes) > 0;
}

/* Nobody has anything to do: sleeps for a second do not end. */
static void assert_idle(ward_kit *kit)
{
	int before = atomic_load(&sleeps);

	ward_kit_advance(kit, 1000);
	ward_assert(atomic_load(&sleeps) > 0);
	ward_assert(atomic_load(&sleeps) - before < ENOUGH);
}

static void assert_told(const struct scene *scene)
{
	char number[64];

	assert_idle(scene->kit);
	ward_assert(ward_kit_run_until(scene->kit, WARD_MINUTE, is_told, NULL));
	ward_assert_eq(atomic_load(&notes), 1);
	ward_assert_str(last_path, "sim/user/holder");
	snprintf(number, sizeof number, "descriptor %d ", pipes.read_end);
	ward_assert_part(last_text, number);
	ward_assert_eq(atomic_load(&notices), 0);
}

WARD_TEST(descriptor_closed_before_it_is_unwatched_is_told_and_leaves_the_worker_idle)
{
	struct scene scene = start();

	ward_kit_tell(scene.kit, scene.holder, close_then_unwatch);
	ward_kit_run(scene.kit);
	ward_assert_eq(atomic_load(&notes), 0);
	write_byte();
	assert_told(&scene);
	finish(&scene);
}

WARD_TEST(adopted_descriptor_closed_before_it_is_unwatched_is_told_and_leaves_the_worker_idle)
{
	adopts = true;
	struct scene scene = start();

	ward_kit_tell(scene.kit, scene.holder, close_then_unwatch);
	ward_kit_run(scene.kit);
	write_byte();
	assert_told(&scene);
	finish(&scene);
}

WARD_TEST(number_of_a_closed_descriptor_that_is_watched_anew_is_told_and_works)
{
	struct scene scene = start();
	int ends[2];

	ward_kit_tell(scene.kit, scene.holder, close_then_unwatch);
	ward_kit_run(scene.kit);
	ward_assert_eq(pipe2(ends, O_CLOEXEC), 0);
	ward_assert_eq(ends[0], pipes.read_end);
	ward_kit_tell(scene.kit, scene.holder, watch_its_number);
	ward_kit_run(scene.kit);
	write_byte();
	assert_told(&scene);
	ward_assert_eq(write(ends[1], "x", 1), 1);
	ward_kit_run(scene.kit);
	while (atomic_load(&notices) == 0)
		ward_kit_advance(scene.kit, 1);
	ward_assert_eq(atomic_load(&notes), 1);
	close(ends[0]);
	close(ends[1]);
	finish(&scene);
}

WARD_TEST_MAIN
