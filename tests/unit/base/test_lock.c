/* SPDX-License-Identifier: MIT
 *
 * test_lock.c - the order of locks: its table is that of the page, and a debug build keeps it.
 *
 * Method: a child of this process breaks the rule, and its fatal hook writes what it was told.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ward/testkit.h>

#include "base/assert.h"
#include "base/lock.h"
#include "base/spin.h"
#include "sched/runqueue.h"

/* ---- the table and the page -------------------------------------------------------------- */

static char *page;

static void read_page(void)
{
	const char *path = WARD_SOURCE_ROOT "/docs/internals/locks.md";
	FILE *file = fopen(path, "re");
	size_t max = 64 * 1024;

	ward_assert(file != NULL);
	page = calloc(1, max);
	ward_assert(page != NULL);
	ward_assert(fread(page, 1, max - 1, file) > 0);
	ward_assert(feof(file));
	fclose(file);
}

static int count_rows(void)
{
	int count = 0;

	for (const char *at = page; (at = strstr(at, "\n| ")) != NULL; at++)
		count += at[3] >= '0' && at[3] <= '9';
	return count;
}

WARD_TEST(locks_are_those_of_the_page_in_the_same_order)
{
	static const struct {
		int rank;
		const char *name;
	} locks[] = {
#define ROW(which, rank, name) {rank, name},
		WARDI_LOCKS(ROW)
#undef ROW
	};
	const char *at;

	read_page();
	at = page;
	for (int i = 0; i < WARDI_LOCK_COUNT; i++) {
		char row[80];

		snprintf(row, sizeof row, "\n| %d | `%s` |", locks[i].rank, locks[i].name);
		if ((at = strstr(at, row)) == NULL)
			ward_test_fail(__FILE__, __LINE__, "locks.md has no \"%s\", or not here",
				       row + 1);
		if (i > 0)
			ward_assert(locks[i].rank >= locks[i - 1].rank);
	}
	ward_assert_eq(count_rows(), WARDI_LOCK_COUNT);
	free(page);
}

/* ---- who breaks the rule ----------------------------------------------------------------- */

static struct wardi_mutex first, first_too, second, third;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct wardi_spin spin;

static void init(void)
{
	wardi_mutex_init(&first, WARDI_LOCK_WATCHES);
	wardi_mutex_init(&first_too, WARDI_LOCK_OPENING);
	wardi_mutex_init(&second, WARDI_LOCK_TIMERS);
	wardi_mutex_init(&third, WARDI_LOCK_OUTSIDE);
}

static void keep_the_rule(void)
{
	struct timespec past = {0, 0};

	wardi_lock_none(WARDI_LOCK_PLACE);
	for (int i = 0; i < 3; i++) {
		wardi_mutex_lock(&first);
		wardi_mutex_lock(&second);
		wardi_mutex_lock(&third);
		(void)wardi_cond_timedwait(&changed, &third, &past);
		wardi_spin_take(&spin, WARDI_LOCK_PATH);
		wardi_mutex_unlock(&first); /* in any order */
		wardi_spin_drop(&spin);
		wardi_mutex_unlock(&second);
		wardi_mutex_unlock(&third);
		wardi_lock_none(WARDI_LOCK_PLACE);
	}
}

static void *keep_the_rule_too(void *arg)
{
	(void)arg;
	keep_the_rule();
	return NULL;
}

WARD_TEST(locks_taken_in_their_order_are_no_news)
{
	struct wardi_spin other = {0};
	pthread_t thread;

	init();
	keep_the_rule();
	/* Each thread has a list of its own. */
	wardi_spin_take(&other, WARDI_LOCK_DEADLOG);
	ward_assert_eq(pthread_create(&thread, NULL, keep_the_rule_too, NULL), 0);
	pthread_join(thread, NULL);
	wardi_spin_drop(&other);
}

static void write_to_pipe(void *arg, const char *text)
{
	ssize_t written = write(*(int *)arg, text, strlen(text));

	(void)written;
}

/* Calls it in a child of this process; gives the signal that ended the child, 0 if none did, and
 * what the fatal hook was told. */
static int last_words(void (*breaks)(void), char *text, size_t max)
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
		init();
		breaks();
		_exit(0);
	}
	close(ends[1]);
	while ((length = read(ends[0], text + count, max - 1 - count)) > 0)
		count += (size_t)length;
	text[count] = '\0';
	close(ends[0]);
	ward_assert_eq(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void take_against_the_order(void)
{
	wardi_mutex_lock(&second);
	wardi_mutex_lock(&first);
}
enum { SECOND_LINE = __LINE__ - 3, FIRST_LINE = __LINE__ - 2 };

#if WARDI_LOCKS_CHECKED

static void take_the_same_twice(void)
{
	wardi_mutex_lock(&third);
	wardi_mutex_lock(&third);
}

static void take_two_of_a_rank(void)
{
	wardi_mutex_lock(&first);
	wardi_mutex_lock(&first_too);
}

static void take_under_a_spin_lock(void)
{
	wardi_spin_take(&spin, WARDI_LOCK_PATH);
	wardi_mutex_lock(&third);
}

static void take_a_spin_lock(void)
{
	struct wardi_mutex depot;

	wardi_mutex_init(&depot, WARDI_LOCK_DEPOT);
	wardi_mutex_lock(&depot);
	wardi_spin_take(&spin, WARDI_LOCK_PATH);
}

static void push_under_a_lock_of_its_rank(void)
{
	struct wardi_runqueue queue = {0};
	struct wardi_runnable runnable = {0};

	wardi_runqueue_push(&queue, &runnable); /* alone it may */
	wardi_mutex_lock(&third);
	wardi_runqueue_push(&queue, &runnable);
}

static void steal_under_a_lock_of_its_rank(void)
{
	struct wardi_runqueue queue = {0};
	struct wardi_fifo batch = {0};

	wardi_runqueue_steal(&queue, 1, &batch);
	wardi_mutex_lock(&third);
	wardi_runqueue_steal(&queue, 1, &batch);
}

static void wait_under_a_later_lock(void)
{
	struct timespec past = {0, 0};

	wardi_mutex_lock(&second);
	wardi_mutex_lock(&third);
	(void)wardi_cond_timedwait(&changed, &second, &past);
}

static void drop_what_it_has_not(void)
{
	wardi_mutex_lock(&first);
	wardi_mutex_unlock(&first);
	wardi_mutex_unlock(&first);
}

static void hold_where_none_may_be(void)
{
	wardi_mutex_lock(&first);
	wardi_lock_none(WARDI_LOCK_PLACE);
}

WARD_TEST(locks_against_their_order_end_it_with_both_names_and_both_places)
{
	char text[1000], from[60], to[60];

	ward_assert_eq(last_words(take_against_the_order, text, sizeof text), SIGABRT);
	snprintf(from, sizeof from, "test_lock.c:%d", SECOND_LINE);
	snprintf(to, sizeof to, "test_lock.c:%d", FIRST_LINE);
	ward_assert(strstr(text, "watches.mu (rank 1)") != NULL);
	ward_assert(strstr(text, "timers.mu (rank 2)") != NULL);
	ward_assert(strstr(text, from) != NULL);
	ward_assert(strstr(text, to) != NULL);
	ward_assert(strstr(text, "watches.mu") < strstr(text, "timers.mu"));
	ward_assert(strstr(text, to) < strstr(text, from));
}

WARD_TEST(locks_of_each_kind_that_break_the_rule_end_it)
{
	static const struct {
		void (*breaks)(void);
		const char *one, *other;
	} ways[] = {
		{take_the_same_twice, "system.outside_mu is taken at",
		 "by the thread that holds it since"},
		{take_two_of_a_rank, "sched.opening_mu", "watches.mu"},
		{take_under_a_spin_lock, "system.outside_mu", "system.path_locks"},
		{take_a_spin_lock, "system.path_locks", "depot.mu"},
		{push_under_a_lock_of_its_rank, "runqueue.lock", "system.outside_mu"},
		{steal_under_a_lock_of_its_rank, "runqueue.lock", "system.outside_mu"},
		{wait_under_a_later_lock, "timers.mu (rank 2) is taken again after a wait",
		 "system.outside_mu"},
		{drop_what_it_has_not, "is dropped at", "by a thread that does not hold it"},
		{hold_where_none_may_be, "watches.mu", "where no lock may be"},
	};

	for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
		char text[1000];

		ward_assert_eq(last_words(ways[i].breaks, text, sizeof text), SIGABRT);
		ward_assert(strstr(text, ways[i].one) != NULL);
		ward_assert(strstr(text, ways[i].other) != NULL);
	}
}

#else

WARD_TEST(locks_of_a_release_are_the_bare_ones_and_nobody_looks)
{
	char text[1000];

	ward_assert_eq(sizeof(struct wardi_mutex), sizeof(pthread_mutex_t));
	ward_assert_eq(last_words(take_against_the_order, text, sizeof text), 0);
	ward_assert_str(text, "");
}

#endif

WARD_TEST_MAIN
