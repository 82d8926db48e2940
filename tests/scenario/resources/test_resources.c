/* SPDX-License-Identifier: MIT
 *
 * test_resources.c - what an incarnation owns: memory and deferred calls, in order and in full
 * (S35, S46).
 *
 * Method: releases are noted. The memory is checked by script_finish(), and by a sanitizer where
 * one runs: each piece is then an allocation of its own.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "support/script.h"

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};

struct scene {
	ward_kit *kit;
	struct script a;
};

static void start(struct scene *scene)
{
	scene->a.name = "a";
	scene->kit = script_start(NULL);
	script_spawn(scene->kit, &scene->a);
	journal_clear();
}

static void do_and_run(struct scene *scene, script_call *call, void *arg)
{
	script_do(scene->kit, scene->a.ref, call, arg);
	ward_kit_run(scene->kit);
}

static void note(void *arg)
{
	journal_note("%s", (const char *)arg);
}

static void check_no_failure(struct scene *scene)
{
	ward_assert_eq(ward_kit_count(scene->kit, WARD_EVENT_FAILURE, "*"), 0);
}

/* ---- deferred calls ---------------------------------------------------------------------- */

static ward_result defer_three(ward_self *self, void *arg)
{
	(void)arg;
	ward_defer(self, note, "one");
	ward_defer(self, note, "two");
	ward_defer(self, note, "three");
	return WARD_DONE;
}

WARD_TEST(deferred_calls_run_last_first_after_post_stop, "S46", "S35")
{
	const char *ends[] = {"a:post_stop;three;two;one",
			      "a:break;a:pre_restart;a:post_stop;three;two;one;a:init;"
			      "a:post_restart;a:pre_start"};
	for (int restarts = 0; restarts < 2; restarts++) {
		struct scene scene = {0};
		start(&scene);
		do_and_run(&scene, defer_three, NULL);
		if (restarts)
			script_break(scene.kit, scene.a.ref, &bad_luck);
		else
			ward_system_stop(ward_kit_system(scene.kit), scene.a.ref);
		ward_kit_run(scene.kit);
		assert_journal(ends[restarts]);
		journal_clear();
		script_finish(scene.kit);
		assert_journal(restarts ? "a:post_stop" : "");
	}
}

static ward_deferred kept[3];

static ward_result defer_and_keep(ward_self *self, void *arg)
{
	(void)arg;
	kept[0] = ward_defer(self, note, "one");
	kept[1] = ward_defer(self, note, "two");
	ward_assert_ok(ward_try_defer(self, note, "three", &kept[2]));
	return WARD_DONE;
}

static ward_result take_back(ward_self *self, void *arg)
{
	(void)arg;
	ward_run_deferred(self, kept[1]);
	journal_note("ran");
	ward_run_deferred(self, kept[1]); /* gone: nothing happens */
	ward_undefer(self, kept[1]);
	ward_undefer(self, kept[2]);
	ward_run_deferred(self, kept[2]);
	ward_undefer(self, (ward_deferred){0});
	ward_run_deferred(self, (ward_deferred){0});
	ward_assert_err(ward_try_defer(self, NULL, NULL, NULL), WARD_EINVAL);
	return WARD_DONE;
}

WARD_TEST(deferred_call_can_be_run_early_or_forgotten)
{
	struct scene scene = {0};
	start(&scene);
	do_and_run(&scene, defer_and_keep, NULL);
	do_and_run(&scene, take_back, NULL);
	assert_journal("two;ran");
	ward_system_stop(ward_kit_system(scene.kit), scene.a.ref);
	ward_kit_run(scene.kit);
	assert_journal("two;ran;a:post_stop;one");
	check_no_failure(&scene);
	script_finish(scene.kit);
}

static void count(void *arg)
{
	++*(int *)arg;
}

static int open_null(void)
{
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* Each way to end a call or a descriptor early, a thousand times. */
static ward_result defer_and_take_back(ward_self *self, void *arg)
{
	for (int i = 0; i < 1000; i++) {
		ward_deferred forgotten = ward_defer(self, count, arg);
		ward_deferred early = ward_defer(self, count, arg);
		int released = open_null(), closed = open_null();

		ward_adopt_fd(self, released);
		ward_adopt_fd(self, closed);
		ward_undefer(self, forgotten);
		ward_assert_ok(ward_close_fd(self, closed));
		ward_run_deferred(self, early);
		ward_run_deferred(self, early);
		ward_assert_ok(ward_release_fd(self, released));
		close(released);
	}
	return WARD_DONE;
}

WARD_TEST(calls_that_are_gone_leave_no_memory_behind)
{
	struct scene scene = {0};
	int counted = 0;
	start(&scene);
	do_and_run(&scene, defer_three, NULL);
	do_and_run(&scene, defer_and_take_back, &counted);
	uint64_t bytes = ward_kit_bytes(scene.kit);
	do_and_run(&scene, defer_and_take_back, &counted);
	ward_assert_eq(counted, 2000);
	ward_assert_eq(ward_kit_bytes(scene.kit), bytes);
	do_and_run(&scene, defer_three, NULL);
	check_no_failure(&scene);
	ward_system_stop(ward_kit_system(scene.kit), scene.a.ref);
	ward_kit_run(scene.kit);
	assert_journal("a:post_stop;three;two;one;three;two;one");
	script_finish(scene.kit);
}

static ward_result defer_again(ward_self *self, const ward_failure *why)
{
	(void)why;
	ward_undefer(self, kept[0]); /* of the old incarnation: not one of this */
	ward_defer(self, note, "new");
	ward_run_deferred(self, kept[1]);
	return WARD_DONE;
}

WARD_TEST(handle_of_an_old_incarnation_reaches_nothing_of_the_new_one)
{
	struct scene scene = {.a = {.post_restart = defer_again}};
	start(&scene);
	do_and_run(&scene, defer_and_keep, NULL);
	script_break(scene.kit, scene.a.ref, &bad_luck);
	ward_kit_run(scene.kit);
	journal_clear();
	ward_system_stop(ward_kit_system(scene.kit), scene.a.ref);
	ward_kit_run(scene.kit);
	assert_journal("a:post_stop;new");
	script_finish(scene.kit);
}

WARD_TEST(deferred_call_that_finds_no_memory_runs_at_once_and_fails_the_actor)
{
	struct scene scene = {0};
	start(&scene);
	script_do(scene.kit, scene.a.ref, defer_three, NULL);
	ward_kit_fail_all_allocations(scene.kit, true);
	ward_kit_run(scene.kit);
	ward_kit_fail_all_allocations(scene.kit, false);
	assert_journal("one;a:pre_restart;a:post_stop;a:init;a:post_restart;a:pre_start");
	ward_assert_str(ward_kit_event(scene.kit, WARD_EVENT_FAILURE, "*", 0)->failure_class,
			"ward_out_of_memory");
	script_finish(scene.kit);
}

static ward_result defer_without_a_handle(ward_self *self, void *arg)
{
	(void)arg;
	ward_assert_ok(ward_try_defer(self, note, "deferred", NULL));
	return WARD_DONE;
}

WARD_TEST(deferred_call_needs_no_handle)
{
	struct scene scene = {0};
	start(&scene);
	do_and_run(&scene, defer_without_a_handle, NULL);
	check_no_failure(&scene);
	ward_system_stop(ward_kit_system(scene.kit), scene.a.ref);
	ward_kit_run(scene.kit);
	assert_journal("a:post_stop;deferred");
	script_finish(scene.kit);
}

static ward_result defer_nothing(ward_self *self, void *arg)
{
	(void)arg;
	ward_defer(self, NULL, NULL);
	journal_note("deferred");
	return WARD_DONE;
}

WARD_TEST(deferred_call_without_a_function_is_a_misuse, "S16")
{
	struct scene scene = {0};
	start(&scene);
	do_and_run(&scene, defer_nothing, NULL);
	assert_journal("a:pre_restart;a:post_stop;a:init;a:post_restart;a:pre_start");
	const ward_event *event = ward_kit_event(scene.kit, WARD_EVENT_FAILURE, "*", 0);
	ward_assert_str(event->failure_class, "ward_misuse");
	ward_assert_str(event->text, "ward_defer: no function to call");
	ward_assert_eq(ward_kit_stats(scene.kit).shortages, 0);
	script_finish(scene.kit);
}

static ward_result defer_then_fail(ward_self *self, void *arg)
{
	(void)arg;
	ward_defer(self, note, "in init");
	ward_fail(self, &bad_luck, "in the middle of init");
}

WARD_TEST(deferred_calls_of_a_failed_factory_run, "S42")
{
	struct scene scene = {.a = {.init = defer_then_fail}};
	start(&scene); /* the default strategy stops what cannot start */
	ward_assert_state(scene.kit, scene.a.ref, WARD_STATE_GONE);
	script_finish(scene.kit);
}

/* ---- memory ------------------------------------------------------------------------------ */

static ward_result alloc_many(ward_self *self, void *arg)
{
	(void)arg;
	unsigned char *last = NULL;
	for (size_t size = 1; size < 300 * 1024; size = size * 3 + 1) {
		unsigned char *piece = ward_alloc(self, size);
		ward_assert(piece != last);
		ward_assert_eq((uintptr_t)piece % 16, 0);
		for (size_t i = 0; i < size; i++)
			ward_assert_eq(piece[i], 0);
		memset(piece, 0xff, size);
		last = piece;
	}
	char *text = ward_strdup(self, "hello");
	ward_assert_str(text, "hello");
	ward_assert(ward_try_alloc(self, SIZE_MAX) == NULL);
	ward_assert(ward_try_alloc(self, SIZE_MAX - 64) == NULL);
	return WARD_DONE;
}

WARD_TEST(memory_is_zeroed_aligned_and_released_at_each_end)
{
	for (int pooled = 0; pooled < 2; pooled++) {
		struct scene scene = {.a = {.name = "a"}};
		scene.kit = script_start(&(ward_kit_options){.pooled = pooled != 0});
		script_spawn(scene.kit, &scene.a);
		do_and_run(&scene, alloc_many, NULL);
		check_no_failure(&scene);
		script_break(scene.kit, scene.a.ref, &bad_luck);
		ward_kit_run(scene.kit);
		uint64_t bytes = ward_kit_bytes(scene.kit);
		for (int i = 0; i < 5; i++) {
			do_and_run(&scene, alloc_many, NULL);
			ward_assert(ward_kit_bytes(scene.kit) > bytes);
			script_break(scene.kit, scene.a.ref, &bad_luck);
			ward_kit_run(scene.kit);
			ward_assert_eq(ward_kit_bytes(scene.kit), bytes);
		}
		script_finish(scene.kit);
	}
}

static ward_result fill_quota(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	(void)msg;
	ward_assert(ward_try_alloc(self, 600) != NULL);
	ward_assert(ward_try_alloc(self, 600) == NULL);
	ward_assert(ward_try_alloc(self, SIZE_MAX) == NULL);
	ward_assert(ward_try_alloc(self, 400) != NULL);
	ward_assert(ward_try_alloc(self, 1) == NULL);
	journal_note("full in %u", ward_incarnation(self));
	ward_alloc(self, 1);
	return WARD_DONE;
}

WARD_TEST(quota_is_that_of_one_incarnation)
{
	static const ward_behavior greedy = {.name = "greedy", .receive = fill_quota};
	ward_kit *kit = script_start(NULL);
	ward_ref ref = ward_kit_spawn(kit, &greedy, .memory_max = 1000);
	script_say(kit, ref, "fill");
	script_say(kit, ref, "fill");
	ward_kit_run(kit);
	assert_journal("full in 1;full in 2");
	const ward_event *event = ward_kit_event(kit, WARD_EVENT_FAILURE, "*", 0);
	ward_assert_str(event->failure_class, "ward_out_of_memory");
	ward_assert_str(event->text, "no memory for 1 bytes: props.memory_max is 1000, of which "
				     "1000 are used");
	script_finish(kit);
}

static ward_kit *short_kit;

static ward_result want_what_is_not_there(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state, (void)msg;
	ward_kit_fail_allocation(short_kit, 1);
	ward_alloc(self, 100);
	return WARD_DONE;
}

WARD_TEST(shortage_without_a_quota_names_no_quota)
{
	static const ward_behavior modest = {.name = "modest", .receive = want_what_is_not_there};
	ward_kit *kit = short_kit = script_start(NULL);
	ward_ref ref = ward_kit_spawn(kit, &modest, .name = "modest");
	script_say(kit, ref, "want");
	ward_kit_run(kit);
	ward_assert_str(ward_kit_event(kit, WARD_EVENT_FAILURE, "*", 0)->text,
			"no memory for 100 bytes");
	script_finish(kit);
}

static ward_result use_scratch(ward_self *self, void *arg)
{
	(void)arg;
	for (int i = 0; i < 10; i++) {
		unsigned char *piece = ward_scratch(self, 1000);
		ward_assert_eq(piece[0], 0);
		ward_assert_eq(piece[999], 0);
		memset(piece, 0xff, 1000);
	}
	return WARD_DONE;
}

WARD_TEST(scratch_is_gone_when_the_callback_returns)
{
	for (int pooled = 0; pooled < 2; pooled++) {
		struct scene scene = {.a = {.name = "a"}};
		scene.kit = script_start(&(ward_kit_options){.pooled = pooled != 0});
		script_spawn(scene.kit, &scene.a);
		uint64_t bytes = 0;
		for (int i = 0; i < 40; i++) {
			do_and_run(&scene, use_scratch, NULL);
			if (i == 20) /* by now there are slabs for all else */
				bytes = ward_kit_bytes(scene.kit);
		}
		ward_assert_eq(ward_kit_bytes(scene.kit), bytes);
		check_no_failure(&scene);
		script_finish(scene.kit);
	}
}

/* ---- a kept handle ----------------------------------------------------------------------- */

static ward_self *kept_self;

static ward_result keep_self(ward_self *self, void *arg)
{
	(void)arg;
	kept_self = self;
	return WARD_DONE;
}

static void call_from_release(void *arg)
{
	(void)arg;
	/* A deferred call must not call ward; what can be refused is. */
	ward_assert(ward_try_alloc(kept_self, 1) == NULL);
	ward_assert_err(ward_try_defer(kept_self, note, "no", NULL), WARD_EINVAL);
	ward_assert(ward_ref_is_nobody(ward_self_ref(kept_self)));
	journal_note("refused");
}

static ward_result defer_call(ward_self *self, void *arg)
{
	(void)arg;
	kept_self = self;
	ward_defer(self, call_from_release, NULL);
	return WARD_DONE;
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static ward_result adopt_and_close(ward_self *self, void *arg)
{
	int *fds = arg;

	for (int i = 0; i < 3; i++) {
		ward_adopt_fd(self, fds[i]);
		ward_defer(self, note, "deferred");
	}
	ward_assert_ok(ward_close_fd(self, fds[1]));
	ward_assert(is_open(fds[0]) && !is_open(fds[1]) && is_open(fds[2]));
	ward_assert_err(ward_close_fd(self, fds[1]), WARD_ENOENT);
	ward_assert_ok(ward_release_fd(self, fds[0]));
	ward_assert(is_open(fds[0]));
	ward_assert_err(ward_close_fd(self, fds[0]), WARD_ENOENT);
	return WARD_DONE;
}

WARD_TEST(one_of_many_descriptors_is_closed_and_one_released)
{
	struct scene scene = {0};
	int fds[3];
	for (int i = 0; i < 3; i++) {
		fds[i] = dup(STDOUT_FILENO);
		ward_assert(fds[i] >= 0);
	}
	start(&scene);
	do_and_run(&scene, adopt_and_close, fds);
	check_no_failure(&scene);
	assert_journal("");
	ward_system_stop(ward_kit_system(scene.kit), scene.a.ref);
	ward_kit_run(scene.kit);
	assert_journal("a:post_stop;deferred;deferred;deferred");
	ward_assert(is_open(fds[0]) && !is_open(fds[2]));
	ward_assert_eq(close(fds[0]), 0);
	script_finish(scene.kit);
}

static ward_result close_behind_its_back(ward_self *self, void *arg)
{
	int fd = *(int *)arg;

	ward_adopt_fd(self, fd);
	ward_assert_eq(close(fd), 0);
	ward_assert_err(ward_close_fd(self, fd), WARD_ESYS);
	ward_assert_part(ward_err_detail(), "close ");
	/* It is not adopted any more, whatever close() said. */
	ward_assert_err(ward_close_fd(self, fd), WARD_ENOENT);
	return WARD_DONE;
}

WARD_TEST(close_that_fails_is_told)
{
	struct scene scene = {0};
	int fd = dup(STDOUT_FILENO);
	ward_assert(fd >= 0);
	start(&scene);
	do_and_run(&scene, close_behind_its_back, &fd);
	check_no_failure(&scene);
	ward_assert_eq(ward_kit_stats(scene.kit).fds, 0);
	script_finish(scene.kit);
}

WARD_TEST(handle_outside_of_a_callback_is_refused)
{
	struct scene scene = {0};
	start(&scene);
	do_and_run(&scene, keep_self, NULL);
	ward_assert(ward_try_alloc(kept_self, 1) == NULL);
	ward_assert_part(ward_err_detail(), "kept");
	ward_assert_err(ward_try_spawn(kept_self, NULL, NULL), WARD_EINVAL);
	ward_assert_err(ward_try_watch(kept_self, scene.a.ref), WARD_EINVAL);
	ward_assert_err(ward_try_subscribe(kept_self, WARD_EVENT_ALL), WARD_EINVAL);
	ward_assert_err(ward_try_fd_watch(kept_self, 0, WARD_FD_READ), WARD_EINVAL);
	ward_assert_err(ward_try_send(kept_self, scene.a.ref, &ward_type_ward_kill, NULL, 0),
			WARD_EINVAL);
	ward_assert_err(ward_try_timer_start(kept_self, &(ward_timer){.key = 1},
					     &ward_type_ward_kill, NULL, 0),
			WARD_EINVAL);
	ward_stop(kept_self, scene.a.ref);
	ward_send(kept_self, scene.a.ref, &ward_type_ward_kill, NULL, 0);
	ward_assert(ward_ref_is_nobody(ward_parent(kept_self)));
	ward_assert(ward_state(kept_self) == NULL);
	ward_assert_eq(ward_incarnation(kept_self), 0);
	ward_assert(ward_ref_is_nobody(ward_self_ref(NULL)));
	ward_kit_run(scene.kit);
	ward_assert_state(scene.kit, scene.a.ref, WARD_STATE_RUNNING);
	do_and_run(&scene, defer_call, NULL);
	ward_system_stop(ward_kit_system(scene.kit), scene.a.ref);
	ward_kit_run(scene.kit);
	assert_journal("a:post_stop;refused");
	script_finish(scene.kit);
}

WARD_TEST_MAIN
