/* SPDX-License-Identifier: MIT
 *
 * test_fds.c - descriptors as a source of messages: one notice for each watch, none of an earlier
 * incarnation.
 *
 * Method: pipes; a byte is written by the test whenever it suits the story.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/script.h"

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};

struct scene {
	ward_kit *kit;
	struct script a, b;
	int ends[2]; /* of a pipe */
};

static ward_result note_ready(ward_self *self, const ward_msg *msg)
{
	const struct ward_fd_ready *ready = ward_match(msg, ward_fd_ready);
	if (ready == NULL)
		return WARD_UNHANDLED;
	journal_note("%s:ready%s%s%s in %u", script_of(self)->name,
		     ready->events & WARD_FD_READ ? " read" : "",
		     ready->events & WARD_FD_WRITE ? " write" : "",
		     ready->events & WARD_FD_HANGUP ? " hangup" : "", ward_incarnation(self));
	return WARD_DONE;
}

static void start(struct scene *scene)
{
	scene->a.name = "a";
	scene->b.name = "b";
	scene->a.receive = scene->b.receive = note_ready;
	ward_assert_eq(pipe2(scene->ends, O_CLOEXEC | O_NONBLOCK), 0);
	scene->kit = script_start(NULL);
	script_spawn(scene->kit, &scene->a);
	script_spawn(scene->kit, &scene->b);
	journal_clear();
}

static void finish(struct scene *scene)
{
	script_finish(scene->kit);
	close(scene->ends[0]);
	close(scene->ends[1]);
}

static void write_byte(struct scene *scene)
{
	ward_assert_eq(write(scene->ends[1], "x", 1), 1);
}

static void do_and_run(struct scene *scene, script_call *call)
{
	script_do(scene->kit, scene->a.ref, call, scene);
	ward_kit_run(scene->kit);
}

static ward_result watch_read(ward_self *self, void *arg)
{
	ward_assert_ok(ward_try_fd_watch(self, ((struct scene *)arg)->ends[0], WARD_FD_READ));
	return WARD_DONE;
}

static ward_result unwatch_read(ward_self *self, void *arg)
{
	ward_fd_unwatch(self, ((struct scene *)arg)->ends[0]);
	return WARD_DONE;
}

WARD_TEST(readiness_is_told_once_for_each_watch)
{
	struct scene scene = {0};
	start(&scene);
	do_and_run(&scene, watch_read);
	assert_journal("");
	ward_assert_eq(ward_kit_stats(scene.kit).fds, 1);
	write_byte(&scene);
	ward_kit_run(scene.kit);
	write_byte(&scene);
	ward_kit_run(scene.kit);
	assert_journal("a:ready read in 1");
	ward_assert_eq(ward_kit_stats(scene.kit).fds, 0);
	do_and_run(&scene, watch_read);
	assert_journal("a:ready read in 1;a:ready read in 1");
	finish(&scene);
}

WARD_TEST(end_of_the_other_side_is_told)
{
	struct scene scene = {0};
	start(&scene);
	do_and_run(&scene, watch_read);
	close(scene.ends[1]);
	ward_kit_run(scene.kit);
	assert_journal("a:ready read hangup in 1");
	scene.ends[1] = -1;
	finish(&scene);
}

static ward_result watch_write(ward_self *self, void *arg)
{
	ward_assert_ok(ward_try_fd_watch(self, ((struct scene *)arg)->ends[1], WARD_FD_WRITE));
	return WARD_DONE;
}

WARD_TEST(room_to_write_is_told)
{
	struct scene scene = {0};
	start(&scene);
	do_and_run(&scene, watch_write);
	assert_journal("a:ready write in 1");
	finish(&scene);
}

/* The notice comes into the mailbox now, behind what waits there. */
static void poll_now(struct scene *scene)
{
	write_byte(scene);
	ward_assert(ward_simulation_poll(ward_kit_system(scene->kit)));
}

WARD_TEST(unwatched_descriptor_gives_no_notice_also_if_it_waits_already)
{
	for (int waits = 0; waits < 2; waits++) {
		struct scene scene = {0};
		start(&scene);
		do_and_run(&scene, watch_read);
		script_do(scene.kit, scene.a.ref, unwatch_read, &scene);
		if (waits)
			poll_now(&scene);
		ward_kit_run(scene.kit);
		assert_journal("");
		ward_assert_eq(ward_kit_stats(scene.kit).fds, 0);
		ward_assert_eq(ward_kit_stats(scene.kit).dead_letters, 0);
		finish(&scene);
	}
}

static ward_result watch_other_end(ward_self *self, void *arg)
{
	ward_assert_ok(ward_try_fd_watch(self, ((struct scene *)arg)->ends[1], WARD_FD_READ));
	return WARD_DONE;
}

WARD_TEST(second_watch_replaces_the_events_of_the_first_also_if_its_notice_waits)
{
	for (int waits = 0; waits < 2; waits++) {
		struct scene scene = {0};
		start(&scene);
		close(scene.ends[0]);
		close(scene.ends[1]);
		ward_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0,
					  scene.ends),
			       0);
		do_and_run(&scene, watch_other_end);
		script_do(scene.kit, scene.a.ref, watch_write, &scene);
		if (waits) {
			ward_assert_eq(write(scene.ends[0], "x", 1), 1);
			ward_assert(ward_simulation_poll(ward_kit_system(scene.kit)));
		}
		ward_kit_run(scene.kit);
		assert_journal("a:ready write in 1");
		ward_assert_eq(ward_kit_stats(scene.kit).fds, 0);
		finish(&scene);
	}
}

static ward_result watch_again(ward_self *self, const ward_failure *why)
{
	(void)why;
	return watch_read(self, script_of(self)->arg);
}

WARD_TEST(watch_goes_with_the_incarnation)
{
	/* Alone, and where the new instance watches the same descriptor again. */
	for (int again = 0; again < 2; again++) {
		struct scene scene = {0};
		if (again)
			scene.a.post_restart = watch_again;
		scene.a.arg = &scene;
		start(&scene);
		do_and_run(&scene, watch_read);
		script_break(scene.kit, scene.a.ref, &bad_luck);
		ward_kit_run(scene.kit);
		ward_assert_eq(ward_kit_stats(scene.kit).fds, again);
		journal_clear();
		write_byte(&scene);
		ward_kit_run(scene.kit);
		assert_journal(again ? "a:ready read in 2" : "");
		finish(&scene);
	}
}

WARD_TEST(notice_of_an_earlier_incarnation_is_never_seen)
{
	/* Also where the new one watches the same descriptor: it gets its own notice, once. */
	for (int again = 0; again < 2; again++) {
		struct scene scene = {0};
		if (again)
			scene.a.post_restart = watch_again;
		scene.a.arg = &scene;
		start(&scene);
		do_and_run(&scene, watch_read);
		script_break(scene.kit, scene.a.ref, &bad_luck);
		poll_now(&scene);
		ward_kit_run(scene.kit);
		ward_assert_str(strstr(journal_text(), "a:pre_start"),
				again ? "a:pre_start;a:ready read in 2" : "a:pre_start");
		ward_assert_eq(ward_kit_stats(scene.kit).dead_letters, 0);
		ward_assert_eq(ward_kit_stats(scene.kit).unhandled, 0);
		finish(&scene);
	}
}

WARD_TEST(watch_ends_with_the_actor)
{
	struct scene scene = {0};
	start(&scene);
	do_and_run(&scene, watch_read);
	ward_system_stop(ward_kit_system(scene.kit), scene.a.ref);
	ward_kit_run(scene.kit);
	ward_assert_eq(ward_kit_stats(scene.kit).fds, 0);
	write_byte(&scene);
	ward_kit_run(scene.kit);
	assert_journal("a:post_stop");
	/* And another actor may watch it. */
	script_do(scene.kit, scene.b.ref, watch_read, &scene);
	ward_kit_run(scene.kit);
	assert_journal("a:post_stop;b:ready read in 1");
	finish(&scene);
}

static ward_result watch_wrong(ward_self *self, void *arg)
{
	(void)arg;
	FILE *stream = tmpfile();
	int null = open("/dev/null", O_RDONLY);
	ward_assert(stream != NULL);
	int file = fileno(stream);
	ward_assert_err(ward_try_fd_watch(self, -1, WARD_FD_READ), WARD_EINVAL);
	ward_assert_err(ward_try_fd_watch(self, 0, 0), WARD_EINVAL);
	ward_assert_err(ward_try_fd_watch(self, 0, WARD_FD_KEPT), WARD_EINVAL);
	ward_assert_err(ward_try_fd_watch(self, 0, WARD_FD_READ | 16), WARD_EINVAL);
	ward_assert_err(ward_try_fd_watch(self, file, WARD_FD_READ), WARD_EINVAL);
	ward_assert_err(ward_try_fd_watch(self, null, WARD_FD_READ), WARD_EINVAL);
	ward_assert_err(ward_try_fd_watch(self, 100000, WARD_FD_READ), WARD_ESYS);
	ward_fd_unwatch(self, 12345);
	ward_fd_unwatch(self, -1);
	fclose(stream);
	close(null);
	return WARD_DONE;
}

WARD_TEST(what_cannot_be_watched_is_refused)
{
	struct scene scene = {0};
	start(&scene);
	do_and_run(&scene, watch_wrong);
	ward_assert_eq(ward_kit_count(scene.kit, WARD_EVENT_FAILURE, "*"), 0);
	ward_assert_eq(ward_kit_stats(scene.kit).fds, 0);
	finish(&scene);
}

/* Each allocation of a watch in turn finds no memory. */
static ward_result watch_without_memory(ward_self *self, void *arg)
{
	struct scene *scene = arg;
	ward_err err = WARD_ENOMEM;
	int tries = 0;
	while (err == WARD_ENOMEM) {
		ward_kit_fail_allocation(scene->kit, (uint64_t)++tries);
		err = ward_try_fd_watch(self, scene->ends[0], WARD_FD_READ);
		ward_kit_fail_allocation(scene->kit, 0);
		ward_assert_eq(ward_kit_stats(scene->kit).fds, err == WARD_OK);
	}
	ward_assert_ok(err);
	ward_assert_eq(tries, 2); /* one of them failed */
	return WARD_DONE;
}

WARD_TEST(watch_without_memory_is_refused_and_leaves_nothing)
{
	struct scene scene = {0};
	start(&scene);
	do_and_run(&scene, watch_without_memory);
	ward_assert(ward_kit_stats(scene.kit).shortages == 1);
	write_byte(&scene);
	ward_kit_run(scene.kit);
	assert_journal("a:ready read in 1");
	finish(&scene);
}

static ward_err second_watch;

static ward_result watch_too(ward_self *self, void *arg)
{
	second_watch = ward_try_fd_watch(self, ((struct scene *)arg)->ends[0], WARD_FD_READ);
	ward_assert_part(ward_err_detail(), "by another actor: did that actor close it");
	return WARD_DONE;
}

WARD_TEST(descriptor_is_watched_by_one_actor_at_a_time)
{
	struct scene scene = {0};
	start(&scene);
	do_and_run(&scene, watch_read);
	script_do(scene.kit, scene.b.ref, watch_too, &scene);
	ward_kit_run(scene.kit);
	ward_assert_err(second_watch, WARD_EEXIST);
	write_byte(&scene);
	ward_kit_run(scene.kit);
	assert_journal("a:ready read in 1");
	finish(&scene);
}

static ward_result forge_ready(ward_self *self, void *arg)
{
	struct scene *scene = arg;
	/* In blocks that have carried other bytes before. */
	for (int i = 0; i < 8; i++)
		ward_tell(self, scene->a.ref, ward_fd_ready, .fd = scene->ends[0],
			  .events = WARD_FD_READ);
	return WARD_DONE;
}

WARD_TEST(forged_notice_is_dropped_in_silence)
{
	struct scene scene = {0};
	start(&scene);
	do_and_run(&scene, watch_read);
	script_do(scene.kit, scene.b.ref, forge_ready, &scene);
	ward_kit_run(scene.kit);
	assert_journal("");
	ward_assert_eq(ward_kit_stats(scene.kit).fds, 1);
	ward_assert_eq(
		ward_kit_count(scene.kit, WARD_EVENT_DEAD_LETTER | WARD_EVENT_UNHANDLED, "*"), 0);
	finish(&scene);
}

static ward_result forward_ready(ward_self *self, const ward_msg *msg)
{
	if (ward_match(msg, ward_fd_ready) == NULL)
		return WARD_UNHANDLED;
	journal_note("%s:forwards", script_of(self)->name);
	ward_forward(self, ((struct scene *)script_of(self)->arg)->b.ref);
	/* Watched again, under the next number, before the forwarded one is read. */
	return watch_read(self, script_of(self)->arg);
}

WARD_TEST(forwarded_notice_is_dropped_in_silence)
{
	struct scene scene = {0};
	start(&scene);
	scene.a.receive = forward_ready;
	scene.a.arg = &scene;
	do_and_run(&scene, watch_read);
	write_byte(&scene);
	for (int i = 0; i < 20; i++)
		ward_kit_step(scene.kit);
	assert_journal_of("b", "");
	ward_assert_part(journal_text(), "a:forwards");
	ward_system_stop(ward_kit_system(scene.kit), scene.a.ref);
	ward_kit_run(scene.kit);
	finish(&scene);
}

/* ---- adopted descriptors ----------------------------------------------------------------- */

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static ward_result adopt_both(ward_self *self, void *arg)
{
	struct scene *scene = arg;
	ward_adopt_fd(self, scene->ends[0]);
	ward_adopt_fd(self, scene->ends[1]);
	ward_assert_ok(ward_try_fd_watch(self, scene->ends[0], WARD_FD_READ));
	return WARD_DONE;
}

WARD_TEST(adopted_descriptors_are_closed_with_the_incarnation)
{
	for (int stops = 0; stops < 2; stops++) {
		struct scene scene = {0};
		start(&scene);
		do_and_run(&scene, adopt_both);
		ward_assert_eq(ward_kit_stats(scene.kit).fds, 3);
		ward_assert(is_open(scene.ends[0]));
		if (stops)
			ward_system_stop(ward_kit_system(scene.kit), scene.a.ref);
		else
			script_break(scene.kit, scene.a.ref, &bad_luck);
		ward_kit_run(scene.kit);
		ward_assert(!is_open(scene.ends[0]));
		ward_assert(!is_open(scene.ends[1]));
		ward_assert_eq(ward_kit_stats(scene.kit).fds, 0);
		script_finish(scene.kit);
	}
}

static ward_result close_and_release(ward_self *self, void *arg)
{
	struct scene *scene = arg;
	ward_assert_ok(ward_close_fd(self, scene->ends[0]));
	ward_assert(!is_open(scene->ends[0]));
	ward_assert_ok(ward_release_fd(self, scene->ends[1]));
	ward_assert(is_open(scene->ends[1]));
	ward_assert_err(ward_close_fd(self, scene->ends[0]), WARD_ENOENT);
	ward_assert_err(ward_release_fd(self, scene->ends[1]), WARD_ENOENT);
	return WARD_DONE;
}

WARD_TEST(adopted_descriptor_can_be_closed_early_or_taken_back)
{
	struct scene scene = {0};
	start(&scene);
	do_and_run(&scene, adopt_both);
	do_and_run(&scene, close_and_release);
	ward_assert_eq(ward_kit_stats(scene.kit).fds, 0);
	ward_system_stop(ward_kit_system(scene.kit), scene.a.ref);
	ward_kit_run(scene.kit);
	ward_assert(is_open(scene.ends[1]));
	script_finish(scene.kit);
	close(scene.ends[1]);
}

static ward_result adopt_one(ward_self *self, void *arg)
{
	ward_adopt_fd(self, ((struct scene *)arg)->ends[0]);
	return WARD_DONE;
}

WARD_TEST(descriptor_that_finds_no_memory_is_closed_and_fails_the_actor)
{
	struct scene scene = {0};
	start(&scene);
	script_do(scene.kit, scene.a.ref, adopt_one, &scene);
	ward_kit_fail_all_allocations(scene.kit, true);
	ward_kit_run(scene.kit);
	ward_kit_fail_all_allocations(scene.kit, false);
	ward_assert(!is_open(scene.ends[0]));
	ward_assert_str(ward_kit_event(scene.kit, WARD_EVENT_FAILURE, "*", 0)->failure_class,
			"ward_out_of_memory");
	ward_assert_eq(ward_kit_stats(scene.kit).fds, 0);
	script_finish(scene.kit);
	close(scene.ends[1]);
}

static ward_result stop_when_ready(ward_self *self, const ward_msg *msg)
{
	if (ward_match(msg, ward_fd_ready) == NULL)
		return WARD_UNHANDLED;
	ward_stop_self(self);
	return WARD_DONE;
}

WARD_TEST(wait_for_ever_goes_on_with_a_descriptor)
{
	struct scene scene = {0};
	start(&scene);
	scene.a.receive = stop_when_ready;
	do_and_run(&scene, watch_read);
	/* Nobody will ever write, and nothing else is due. */
	ward_assert_err(ward_system_wait_for(ward_kit_system(scene.kit), scene.a.ref, WARD_MINUTE),
			WARD_ETIMEDOUT);
	write_byte(&scene);
	ward_assert_ok(ward_system_wait_for(ward_kit_system(scene.kit), scene.a.ref, WARD_FOREVER));
	finish(&scene);
}

WARD_TEST_MAIN
