/* SPDX-License-Identifier: MIT
 *
 * test_base.c - the small things: clocks, texts of errors, the last words of a broken invariant.
 */
/* A build for coverage does without the invariants; here they are what is tested. */
#undef WARDI_NO_ASSERT

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ward/testkit.h>

#include "base/assert.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/list.h"

WARD_TEST(clock_stepped_goes_only_where_it_is_put_and_never_back)
{
	struct wardi_clock clock;

	wardi_clock_init(&clock, true);
	ward_assert_eq(wardi_clock_now(&clock), 0);
	wardi_clock_step_to(&clock, 50);
	ward_assert_eq(wardi_clock_now(&clock), 50);
	ward_assert_eq(wardi_clock_wall(&clock), 50);
	wardi_clock_step_to(&clock, 20);
	ward_assert_eq(wardi_clock_now(&clock), 50);
}

WARD_TEST(clock_of_the_machine_does_not_go_back)
{
	struct wardi_clock clock;
	int64_t before = 0;

	wardi_clock_init(&clock, false);
	for (int i = 0; i < 1000; i++) {
		int64_t now = wardi_clock_now(&clock);
		ward_assert(now >= before);
		before = now;
	}
	/* In nanoseconds since 1970: it is past 2020. */
	ward_assert(wardi_clock_wall(&clock) > INT64_C(1577836800) * 1000000000);
}

WARD_TEST(error_each_code_has_its_own_text)
{
	for (int i = WARD_OK; i <= WARD_EUNREACHED; i++) {
		ward_assert(ward_err_text((ward_err)i)[0] != '\0');
		for (int k = WARD_OK; k < i; k++)
			ward_assert(strcmp(ward_err_text((ward_err)i),
					   ward_err_text((ward_err)k)) != 0);
	}
	ward_assert_str(ward_err_text((ward_err)(WARD_EUNREACHED + 1)),
			"not an error code of ward");
	ward_assert_str(ward_err_text((ward_err)-1), "not an error code of ward");
}

static void *other_thread(void *arg)
{
	(void)arg;
	ward_assert_str(ward_err_detail(), "");
	ward_assert_eq(wardi_error(WARD_ENOMEM, "mine"), WARD_ENOMEM);
	ward_assert_str(ward_err_detail(), "mine");
	return NULL;
}

WARD_TEST(error_detail_is_the_threads_own_and_may_quote_the_one_before)
{
	char wide[2000];
	pthread_t thread;

	ward_assert_str(ward_err_detail(), "");
	ward_assert_eq(wardi_error(WARD_EINVAL, "bad name \"%s\"", "a/b"), WARD_EINVAL);
	ward_assert_eq(pthread_create(&thread, NULL, other_thread, NULL), 0);
	pthread_join(thread, NULL);
	ward_assert_str(ward_err_detail(), "bad name \"a/b\"");
	ward_assert_eq(wardi_error(WARD_ESYS, "again: %s", ward_err_detail()), WARD_ESYS);
	ward_assert_str(ward_err_detail(), "again: bad name \"a/b\"");
	memset(wide, 'x', sizeof(wide) - 1);
	wide[sizeof(wide) - 1] = '\0';
	ward_assert_eq(wardi_error(WARD_EINVAL, "%s", wide), WARD_EINVAL);
	ward_assert(strlen(ward_err_detail()) > 200 &&
		    strlen(ward_err_detail()) < sizeof(wide) - 1);
}

static void write_to_pipe(void *arg, const char *text)
{
	ssize_t written = write(*(int *)arg, text, strlen(text));

	/* Broken again, in the hook itself: ends at once, does not come back here. */
	wardi_assert(written < 0);
}

/* Breaks an invariant in a child of this process; gives what the hook was told. */
static void last_words(bool with_hook, char *text, size_t max)
{
	int ends[2], status;
	ssize_t length;
	size_t count = 0;

	ward_assert_eq(pipe(ends), 0);
	pid_t child = fork();
	ward_assert(child >= 0);
	if (child == 0) {
		struct wardi_fatal hook = {write_to_pipe, &ends[1]};
		signal(SIGABRT, SIG_DFL);
		wardi_fatal_set(&hook);
		if (!with_hook)
			wardi_fatal_set(NULL);
		wardi_assert(max == 0);
		_exit(0);
	}
	close(ends[1]);
	while ((length = read(ends[0], text + count, max - 1 - count)) > 0)
		count += (size_t)length;
	text[count] = '\0';
	close(ends[0]);
	ward_assert_eq(waitpid(child, &status, 0), child);
	ward_assert(WIFSIGNALED(status));
	ward_assert_eq(WTERMSIG(status), SIGABRT);
}

WARD_TEST(assert_broken_tells_the_hook_once_and_aborts)
{
	char text[1000];

	last_words(true, text, sizeof(text));
	ward_assert(strstr(text, "test_base.c") != NULL);
	ward_assert(strstr(text, "max == 0") != NULL);
	ward_assert(strstr(text, "written < 0") == NULL);
	last_words(false, text, sizeof(text));
	ward_assert_str(text, "");
}

struct item {
	struct wardi_list link;
	int number;
};

static int first_of(const struct wardi_list *head)
{
	return wardi_container_of(head->next, struct item, link)->number;
}

WARD_TEST(list_keeps_order_and_moves_whole)
{
	struct item items[3] = {{.number = 0}, {.number = 1}, {.number = 2}};
	struct wardi_list head, other;

	wardi_list_init(&head);
	ward_assert(wardi_list_empty(&head));
	ward_assert(!wardi_list_linked(&items[0].link));
	wardi_list_append(&head, &items[1].link);
	wardi_list_append(&head, &items[2].link);
	wardi_list_prepend(&head, &items[0].link);
	wardi_list_move(&other, &head);
	ward_assert(wardi_list_empty(&head));
	for (int i = 0; i < 3; i++) {
		ward_assert_eq(first_of(&other), i);
		wardi_list_remove(other.next);
		ward_assert(!wardi_list_linked(&items[i].link));
	}
	ward_assert(wardi_list_empty(&other));
	wardi_list_move(&head, &other);
	ward_assert(wardi_list_empty(&head));
}

WARD_TEST_MAIN
