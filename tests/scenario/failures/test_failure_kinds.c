/* SPDX-License-Identifier: MIT
 *
 * test_failure_kinds.c - what counts as a failure in C, and the classes of failures (S16).
 *
 * Method: each kind happens in `a` of a family; it must be contained, reported with its class, and
 * by default be a reason to restart.
 */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/family_tree.h"

/* ThreadSanitizer would end a child at its first thread, and then nothing is tested. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
	return "die_after_fork=0:report_thread_leaks=0";
}

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};
static const ward_failure_class bad_day = {.name = "bad_day", .parent = &ward_exception};

static __attribute__((noinline)) int fail_deep(ward_self *self, int depth)
{
	if (depth == 0 && self != NULL)
		ward_fail(self, &bad_luck, "at depth %d", depth);
	if (depth == 0)
		return 0;
	return fail_deep(self, depth - 1) + 1;
}

static ward_result jump_from_the_depth(ward_self *self, void *arg)
{
	(void)arg;
	journal_note("depth %d", fail_deep(self, 50));
	return WARD_DONE;
}

static ward_result check_that_pigs_fly(ward_self *self, void *arg)
{
	const bool pigs_fly = arg == self;
	WARD_CHECK(self, pigs_fly);
	journal_note("they do");
	return WARD_DONE;
}

static ward_result answer_failed_without_a_failure(ward_self *self, void *arg)
{
	(void)self;
	(void)arg;
	return WARD_FAILED;
}

static ward_result fail_without_a_class(ward_self *self, void *arg)
{
	(void)arg;
	return ward_failed(self, NULL, "line %d", 7);
}

static ward_result fail_with_an_orphan(ward_self *self, void *arg)
{
	static const ward_failure_class orphan = {.name = "orphan"};

	(void)arg;
	ward_fail(self, &orphan, "line %d", 8);
}

static ward_result allocate_too_much(ward_self *self, void *arg)
{
	ward_kit *kit = arg;
	ward_kit_fail_all_allocations(kit, true);
	ward_assert(ward_try_alloc(self, 1 << 20) == NULL);
	/* Jumps, so the memory must come back elsewhere: p does it, when it decides. */
	ward_alloc(self, 1 << 20);
	journal_note("got it");
	return WARD_DONE;
}

static ward_kit *the_kit;

static ward_directive give_memory_back(ward_self *self, ward_ref child, const ward_failure *failure)
{
	ward_kit_fail_all_allocations(the_kit, false);
	return ward_default_decide(self, child, failure);
}

/* Each is contained, of that class, an exception, and by default a reason to restart. */
static void check_contained(script_call *call, const ward_failure_class *failure_class,
			    const char *text)
{
	struct family f = FAMILY;
	f.p.decide = give_memory_back;
	family_start(&f);
	the_kit = f.kit;
	script_do(f.kit, f.a.ref, call, f.kit);
	script_say(f.kit, f.a.ref, "next");
	ward_kit_run(f.kit);
	assert_journal("p:decide a;a:pre_restart;a:post_stop;a:init;a:post_restart;a:pre_start;"
		       "a:next");
	const ward_event *event = ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*/p/a", 0);
	ward_assert_str(event->failure_class, failure_class->name);
	ward_assert_part(event->text, text);
	ward_assert_eq(event->directive, WARD_RESTART);
	script_finish(f.kit);
}

WARD_TEST(jump_from_any_depth_is_contained, "S16")
{
	check_contained(jump_from_the_depth, &bad_luck, "at depth 0");
}

WARD_TEST(failed_check_is_contained_and_names_its_place, "S16")
{
	check_contained(check_that_pigs_fly, &ward_check_failed, "pigs_fly");
	check_contained(check_that_pigs_fly, &ward_check_failed, "test_failure_kinds.c:");
}

WARD_TEST(failed_result_without_a_failure_is_a_misuse, "S16")
{
	check_contained(answer_failed_without_a_failure, &ward_misuse, "");
}

WARD_TEST(failure_of_no_class_is_a_misuse_that_keeps_its_text, "S16")
{
	check_contained(fail_without_a_class, &ward_misuse,
			"with a NULL class; the failure was: line 7");
	check_contained(fail_with_an_orphan, &ward_misuse,
			"failure class \"orphan\" has no parent");
	check_contained(fail_with_an_orphan, &ward_misuse, "the failure was: line 8");
}

WARD_TEST(memory_that_is_out_is_a_failure_of_the_one_actor, "S16")
{
	check_contained(allocate_too_much, &ward_out_of_memory, "");
}

static ward_result glutton_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (ward_msg_body(msg, &ward_type_script_word) == NULL)
		return WARD_UNHANDLED;
	ward_assert(ward_try_alloc(self, 5000) == NULL);
	ward_alloc(self, 2000);
	journal_note("incarnation %u has 2000", ward_incarnation(self));
	ward_alloc(self, 3000);
	journal_note("and 3000");
	return WARD_DONE;
}

WARD_TEST(quota_of_memory_is_a_failure_of_the_one_actor, "S16")
{
	static const ward_behavior glutton = {.name = "glutton", .receive = glutton_receive};
	ward_kit *kit = script_start(NULL);
	ward_ref ref = ward_kit_spawn(kit, &glutton, .name = "glutton", .memory_max = 4096);
	script_say(kit, ref, "eat");
	script_say(kit, ref, "eat");
	ward_kit_run(kit);
	/* The restart gave back what the first incarnation had. */
	assert_journal("incarnation 1 has 2000;incarnation 2 has 2000");
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_FAILURE, "*/glutton"), 2);
	ward_assert_str(ward_kit_event(kit, WARD_EVENT_FAILURE, "*/glutton", 1)->failure_class,
			ward_out_of_memory.name);
	script_finish(kit);
}

static ward_directive note_kinship(ward_self *self, ward_ref child, const ward_failure *failure)
{
	static const ward_failure_class twin = {.name = "bad_luck", .parent = &ward_exception};
	static const ward_failure_class cousin = {.name = "bad_luck", .parent = &ward_error};
	(void)self;
	(void)child;
	journal_note("%d%d%d%d%d", ward_failure_is(failure, &twin),
		     ward_failure_is(failure, &cousin), ward_failure_is(failure, &ward_exception),
		     ward_failure_is(failure, &ward_error), ward_failure_is(failure, &bad_day));
	return WARD_RESUME;
}

WARD_TEST(failure_classes_are_chains_of_names, "S16")
{
	struct family f = FAMILY;
	f.p.decide = note_kinship;
	family_start(&f);
	script_break(f.kit, f.a.ref, &bad_luck);
	ward_kit_run(f.kit);
	assert_journal("a:break;p:decide a;10100");
	script_finish(f.kit);
}

WARD_TEST(roots_and_what_is_below_them, "S16", "S37")
{
	ward_assert(ward_exception.parent == NULL);
	ward_assert(ward_error.parent == NULL);
	const ward_failure_class *exceptions[] = {
		&ward_initialization, &ward_killed,     &ward_death_pact,   &ward_check_failed,
		&ward_misuse,         &ward_os_failure, &ward_out_of_memory};
	for (size_t i = 0; i < sizeof(exceptions) / sizeof(exceptions[0]); i++)
		ward_assert(exceptions[i]->parent == &ward_exception);
	ward_assert(ward_post_restart.parent == &ward_initialization);
}

/* Behind pointers, since a compiler knows that there should be a text. */
static ward_result (*fail_by_return)(ward_self *, const ward_failure_class *, const char *,
				     ...) = ward_failed;
static ward_result (*fail_with_body)(ward_self *, const ward_failure_class *, const ward_type *,
				     const void *, size_t, const char *, ...) = ward_failed_body;

static ward_result fail_without_a_text(ward_self *self, void *arg)
{
	(void)arg;
	return fail_by_return(self, &bad_luck, NULL);
}

static ward_result fail_without_anything(ward_self *self, void *arg)
{
	(void)arg;
	return fail_by_return(self, NULL, NULL);
}

WARD_TEST(failure_without_a_text_says_so, "S16")
{
	check_contained(fail_without_a_text, &bad_luck, "(no text)");
	check_contained(fail_without_anything, &ward_misuse, "the failure was: (no text)");
}

/* How many words there are more after a failure than before it. */
static int64_t words_kept;

static ward_result fail_with_half_a_word(ward_self *self, void *arg)
{
	int64_t before = script_words_left();
	char half[sizeof(struct script_word) / 2] = {0};
	(void)arg;
	(void)fail_with_body(self, &bad_luck, &ward_type_script_word, half, sizeof half, "half");
	words_kept = script_words_left() - before;
	return WARD_FAILED;
}

static ward_result fail_with_a_typeless_body(ward_self *self, void *arg)
{
	int64_t before = script_words_left();
	(void)arg;
	(void)fail_with_body(self, &bad_luck, NULL, "x", 1, "typeless");
	words_kept = script_words_left() - before;
	return WARD_FAILED;
}

/* The second failure is ignored, and its body dropped. */
static ward_result fail_twice_with_words(ward_self *self, void *arg)
{
	int64_t before = script_words_left();
	struct script_word words[2] = {script_word("first", &(struct script_word){0}),
				       script_word("second", &(struct script_word){0})};
	(void)arg;
	for (int i = 0; i < 2; i++)
		(void)fail_with_body(self, &bad_luck, &ward_type_script_word, &words[i],
				     sizeof words[i], "%s", i == 0 ? "one" : "two");
	words_kept = script_words_left() - before;
	return WARD_FAILED;
}

static const void *body_seen;

static ward_directive look_at_body(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)self;
	(void)child;
	body_seen = ward_failure_body_of(failure, &ward_type_script_word);
	if (body_seen != NULL)
		ward_assert_str(((const struct script_word *)body_seen)->text, "first");
	return WARD_RESTART;
}

static void check_body(script_call *call, const char *text, bool has_body)
{
	struct family f = FAMILY;
	f.p.decide = look_at_body;
	family_start(&f);
	script_do(f.kit, f.a.ref, call, NULL);
	ward_kit_run(f.kit);
	ward_assert_str(ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*/p/a", 0)->text, text);
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_FAILURE, "*"), 1);
	ward_assert_eq(body_seen != NULL, has_body);
	ward_assert_eq(words_kept, has_body);
	script_finish(f.kit);
}

WARD_TEST(body_that_does_not_fit_is_left_out_of_a_failure, "S16")
{
	check_body(fail_with_half_a_word, "half", false);
	check_body(fail_with_a_typeless_body, "typeless", false);
}

WARD_TEST(body_of_a_second_failure_is_dropped_at_once, "S13")
{
	check_body(fail_twice_with_words, "one", true);
}

static ward_result want_too_much_scratch(ward_self *self, void *arg)
{
	(void)arg;
	ward_scratch(self, SIZE_MAX);
	journal_note("got it");
	return WARD_DONE;
}

WARD_TEST(scratch_that_nothing_has_room_for_is_a_failure_of_the_one_actor, "S16")
{
	check_contained(want_too_much_scratch, &ward_out_of_memory, "no memory for 18446744");
}

static ward_self *kept_self;

static ward_result keep_self(ward_self *self, void *arg)
{
	(void)arg;
	kept_self = self;
	return WARD_DONE;
}

static void fail_too_late(void)
{
	ward_fail(kept_self, &bad_luck, "too late");
}

static void fail_with_too_late(void)
{
	ward_fail_body(kept_self, &bad_luck, NULL, NULL, 0, "too late");
}

static void fail_for_nobody(void)
{
	ward_fail(NULL, &bad_luck, "nobody");
}

static void take_scratch_too_late(void)
{
	ward_scratch(kept_self, 8);
}

static int adopted;

static void adopt_too_late(void)
{
	ward_adopt_fd(kept_self, adopted);
}

static void fail_for_another(ward_self *self)
{
	(void)self;
	fail_too_late();
}

static ward_result fail_by_a_stranger(ward_self *self, void *arg)
{
	(void)arg;
	fail_for_another(self);
	return WARD_DONE;
}

static void fail_from_a_release(void *arg)
{
	(void)arg;
	fail_too_late();
}

static ward_result defer_a_failure(ward_self *self, void *arg)
{
	(void)arg;
	ward_defer(self, fail_from_a_release, NULL);
	return ward_failed(self, &bad_luck, "and its release fails");
}

/* On the worker of the actor, but in none of its callbacks. */
static void fail_in_a_deferred_call(void)
{
	struct script last = {.name = "last"};
	script_spawn(the_kit, &last);
	script_do(the_kit, last.ref, defer_a_failure, NULL);
	ward_kit_run(the_kit);
}

static void write_text(void *arg, const char *text)
{
	(void)arg;
	(void)!write(STDERR_FILENO, text, strlen(text));
}

/* On a worker, with the handle of an actor of another system. */
static void fail_from_elsewhere(void)
{
	ward_system *system;
	ward_assert_ok(ward_system_create(&(ward_options){.fatal = write_text}, &system));
	ward_ref ref;
	struct script stranger = {.name = "stranger"};
	struct script_word word =
		script_word("", &(struct script_word){.call = fail_by_a_stranger});
	ward_assert_ok(ward_system_spawn(system, script_props(&stranger), &ref));
	ward_system_send(system, ref, WARD_COPY(script_word, &word));
	ward_assert_ok(ward_system_wait_for(system, ref, WARD_FOREVER));
}

/* The process ends, and says why where there is a system whose hook may hear it. */
static void check_ends(void (*call)(void), const char *said)
{
	int out[2];
	ward_assert_eq(pipe(out), 0);
	pid_t pid = fork();
	ward_assert(pid >= 0);
	if (pid == 0) {
		alarm(60);
		dup2(out[1], STDERR_FILENO);
		struct family f = FAMILY;
		family_start(&f);
		script_do(f.kit, f.a.ref, keep_self, NULL);
		ward_kit_run(f.kit);
		ward_assert(kept_self != NULL);
		the_kit = f.kit;
		signal(SIGABRT, SIG_DFL);
		call();
		ward_assert(!"it ends before it gets here");
	}
	close(out[1]);
	char text[4096];
	size_t length = 0;
	for (ssize_t got; (got = read(out[0], text + length, sizeof(text) - 1 - length)) > 0;)
		length += (size_t)got;
	text[length] = '\0';
	close(out[0]);
	int status;
	ward_assert_eq(waitpid(pid, &status, 0), pid);
	ward_assert(WIFSIGNALED(status));
	ward_assert_eq(WTERMSIG(status), SIGABRT);
	ward_assert_part(text, said);
}

WARD_TEST(jump_outside_of_a_callback_ends_the_process_with_a_text, "S16")
{
	/* Not a restart: nothing could be jumped to. */
	check_ends(fail_too_late, "ward_fail() outside a callback");
	check_ends(fail_with_too_late, "ward_fail_body() outside a callback");
	check_ends(fail_for_nobody, "");
	check_ends(fail_in_a_deferred_call, "ward_fail() outside a callback");
	check_ends(take_scratch_too_late, "ward_fail() outside a callback");
	check_ends(fail_from_elsewhere, "ward_fail() outside a callback");
}

WARD_TEST(descriptor_that_is_adopted_outside_of_a_callback_is_closed_first)
{
	int ends[2];
	char byte;
	ward_assert_eq(pipe(ends), 0);
	adopted = ends[1];
	check_ends(adopt_too_late, "ward_fail() outside a callback");
	close(ends[1]);
	ward_assert_eq(read(ends[0], &byte, 1), 0);
	close(ends[0]);
}

WARD_TEST_MAIN
