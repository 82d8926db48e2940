/* SPDX-License-Identifier: MIT
 *
 * test_throughput.c - how many messages an actor handles in a turn, and for how long.
 *
 * Method: actors write a letter for each message. On threads a gate holds the only thread until all
 * messages wait; a slow message lasts until the clock has moved. A time limit of the runner ends a
 * case that waits for ever.
 */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "dispatchers.h"

enum { SLOW_NS = 3 * 1000 * 1000 /* longer than the deadline of 1 ms */ };

struct letter {
	char text;
	bool slow, fails, stashed;
};
WARD_MESSAGE(letter);
WARD_SIGNAL(hold);
WARD_SIGNAL(unstash);

static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static bool held, open;
static char seen[256];

static void write_letter(char letter)
{
	size_t length = strlen(seen);

	pthread_mutex_lock(&mu);
	seen[length] = letter;
	seen[length + 1] = '\0';
	pthread_mutex_unlock(&mu);
}

static int64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void wait_for_gate(void)
{
	pthread_mutex_lock(&mu);
	held = true;
	pthread_cond_broadcast(&opened);
	while (!open)
		pthread_cond_wait(&opened, &mu);
	pthread_mutex_unlock(&mu);
}

struct writer {
	bool done_stashing;
};

static ward_result writer_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct writer *me = state;
	const struct letter *letter = ward_match(msg, letter);

	if (ward_match(msg, hold) != NULL) {
		wait_for_gate();
		return WARD_DONE;
	}
	if (ward_match(msg, unstash) != NULL) {
		me->done_stashing = true;
		ward_unstash_all(self);
		return WARD_DONE;
	}
	if (letter == NULL)
		return WARD_UNHANDLED;
	if (letter->stashed && !me->done_stashing) {
		ward_stash(self);
		return WARD_DONE;
	}
	write_letter(letter->text);
	for (int64_t until_ns = clock_ns() + SLOW_NS; letter->slow && clock_ns() < until_ns;)
		;
	if (letter->fails)
		ward_fail(self, &ward_exception, "%c", letter->text);
	return WARD_DONE;
}
static const ward_strategy resuming = {.otherwise = WARD_RESUME};
static const ward_behavior writer = {
	.name = "writer", .state_size = sizeof(struct writer), .receive = writer_receive};

/* ---- in a simulation --------------------------------------------------------------------- */

/* Returns what is written, with a bar between the turns that wrote something. */
static const char *turns(const ward_dispatcher *rows, const char *dispatcher, const char *text)
{
	ward_kit *kit = ward_kit_start(&(ward_kit_options){
		.seed = 1, .system = {.dispatchers = rows, .user_strategy = &resuming}});
	ward_ref who = ward_kit_spawn(kit, &writer, .dispatcher = dispatcher);

	ward_kit_run(kit);
	seen[0] = '\0';
	for (; *text != '\0'; text++)
		ward_kit_tell(kit, who, letter, .text = *text, .fails = *text == '!');
	for (size_t before = 0; ward_kit_step(kit); before = strlen(seen))
		if (strlen(seen) > before)
			write_letter('|');
	ward_kit_finish(kit);
	return seen;
}

WARD_TEST(simulated_turn_has_one_message_or_as_many_as_the_row_says)
{
	static const ward_dispatcher rows[] = {{.name = WARD_WORKERS, .throughput = 2},
					       {.name = WARD_PINNED, .throughput = 100},
					       {.name = "p", .threads = 1, .throughput = 3},
					       {.name = "q", .threads = 1, .throughput = 1},
					       {.name = NULL}};

	ward_assert_str(turns(NULL, NULL, "abcd"), "a|b|c|d|");
	ward_assert_str(turns(rows, NULL, "abcd"), "ab|cd|");
	ward_assert_str(turns(rows, WARD_WORKERS, "abcde"), "ab|cd|e|");
	ward_assert_str(turns(rows, WARD_PINNED, "abcd"), "abcd|");
	ward_assert_str(turns(rows, "p", "abcdefg"), "abc|def|g|");
	ward_assert_str(turns(rows, "q", "abc"), "a|b|c|");
	ward_assert_str(turns(rows, WARD_BLOCKING, "abc"), "a|b|c|");
}

WARD_TEST(simulated_turn_that_fails_ends_and_the_next_one_has_the_rest)
{
	static const ward_dispatcher rows[] = {{.name = "p", .threads = 1, .throughput = 4},
					       {.name = NULL}};

	ward_assert_str(turns(rows, "p", "a!bcdef"), "a!|bcde|f|");
}

/* ---- on threads -------------------------------------------------------------------------- */

struct race {
	ward_kit *kit;
	ward_ref a, b;
};

/* Both actors are on the dispatcher, which has one thread; a third one holds it. */
static void start(struct race *race, const ward_dispatcher *row)
{
	const ward_dispatcher rows[] = {*row, {.name = NULL}};
	ward_ref gate;

	held = open = false;
	seen[0] = '\0';
	race->kit = ward_kit_start(&(ward_kit_options){
		.real_threads = true, .system = {.dispatchers = rows, .user_strategy = &resuming}});
	gate = ward_kit_spawn(race->kit, &writer, .dispatcher = row->name);
	race->a = ward_kit_spawn(race->kit, &writer, .dispatcher = row->name);
	race->b = ward_kit_spawn(race->kit, &writer, .dispatcher = row->name);
	ward_kit_run(race->kit);
	ward_kit_tell(race->kit, gate, hold);
	pthread_mutex_lock(&mu);
	while (!held)
		pthread_cond_wait(&opened, &mu);
	pthread_mutex_unlock(&mu);
}

static const char *finish(struct race *race)
{
	pthread_mutex_lock(&mu);
	open = true;
	pthread_cond_broadcast(&opened);
	pthread_mutex_unlock(&mu);
	ward_kit_run(race->kit);
	ward_kit_finish(race->kit);
	return seen;
}

/* Calls the actor that was first a, and the other one b: which is first does not matter. */
static const char *from_a(const char *letters)
{
	bool swapped = letters[0] == 'b';

	for (char *at = seen; swapped && *at != '\0'; at++)
		*at = *at == 'a' ? 'b' : 'a';
	return seen;
}

/* Four messages to each. */
static const char *order(const ward_dispatcher *row, bool slow)
{
	struct race race;

	start(&race, row);
	for (int i = 0; i < 4; i++)
		ward_kit_tell(race.kit, race.a, letter, .text = 'a', .slow = slow);
	for (int i = 0; i < 4; i++)
		ward_kit_tell(race.kit, race.b, letter, .text = 'b', .slow = slow);
	return from_a(finish(&race));
}

WARD_TEST(turn_has_as_many_messages_as_the_row_says)
{
	static const char *const names[] = {WARD_WORKERS, WARD_BLOCKING, "p"};

	for (size_t i = 0; i < 3; i++) {
		const ward_dispatcher usual = {.name = names[i], .threads = 1};
		const ward_dispatcher three = {.name = names[i], .threads = 1, .throughput = 3};
		const ward_dispatcher one = {.name = names[i], .threads = 1, .throughput = 1};

		ward_assert_str(order(&usual, false), "aaaabbbb");
		ward_assert_str(order(&three, false), "aaabbbab");
		ward_assert_str(order(&one, false), "abababab");
	}
}

WARD_TEST(turn_ends_at_its_deadline)
{
	static const char *const names[] = {WARD_WORKERS, WARD_BLOCKING, "p"};

	for (size_t i = 0; i < 3; i++) {
		const ward_dispatcher usual = {.name = names[i], .threads = 1};
		const ward_dispatcher timed = {
			.name = names[i], .threads = 1, .throughput_deadline_ms = 1};
		const ward_dispatcher never = {
			.name = names[i],
			.threads = 1,
			.throughput_deadline_ms = WARD_FOREVER,
		};

		ward_assert_str(order(&usual, true), "aaaabbbb");
		ward_assert_str(order(&never, true), "aaaabbbb");
		ward_assert_str(order(&timed, true), "abababab");
	}
}

/* The messages that were put aside come before those of the mailbox, in turns like others. */
WARD_TEST(turn_ends_at_its_deadline_among_unstashed_messages)
{
	const ward_dispatcher timed = {
		.name = WARD_WORKERS, .threads = 1, .throughput_deadline_ms = 1};
	struct race race;

	start(&race, &timed);
	for (int i = 0; i < 3; i++)
		ward_kit_tell(race.kit, race.a, letter, .text = 'a', .slow = true, .stashed = true);
	ward_kit_tell(race.kit, race.a, unstash);
	for (int i = 0; i < 10; i++)
		ward_kit_tell(race.kit, race.b, letter, .text = 'b', .slow = true);
	finish(&race);
	ward_assert_eq(strlen(seen), 13);
	ward_assert(strstr(seen, "aa") == NULL);
}

/* A jump out of receive leaves the loop of the thread, which goes on with the same turn. */
WARD_TEST(turn_with_limits_goes_on_after_a_failure)
{
	const ward_dispatcher rows[] = {
		{.name = WARD_WORKERS, .threads = 1, .throughput = 2},
		{.name = WARD_WORKERS, .threads = 1, .throughput_deadline_ms = 1},
		{.name = WARD_BLOCKING, .threads = 1, .throughput_deadline_ms = 1}};

	for (size_t i = 0; i < 3; i++) {
		struct race race;

		start(&race, &rows[i]);
		ward_kit_tell(race.kit, race.a, letter, .text = 'x', .slow = true, .fails = true);
		ward_kit_tell(race.kit, race.a, letter, .text = 'y');
		ward_kit_tell(race.kit, race.b, letter, .text = 'z');
		finish(&race);
		ward_assert_eq(strlen(seen), 3);
		ward_assert(strchr(seen, 'y') > strchr(seen, 'x'));
		ward_assert(strchr(seen, 'z') != NULL);
	}
}

/* ---- timers ------------------------------------------------------------------------------ */

enum { ROLLS = 200 * 1000 /* much longer than the timer takes */ };

WARD_SIGNAL(roll);
WARD_SIGNAL(tick);

struct roller {
	uint64_t rolls;
};

static uint64_t rolls_at_tick;

/* Rolls on by itself, so that its worker is never idle; fails once, and sets a timer then. */
static ward_result roller_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct roller *me = state;

	if (ward_match(msg, tick) != NULL) {
		pthread_mutex_lock(&mu);
		rolls_at_tick = me->rolls;
		open = true;
		pthread_cond_broadcast(&opened);
		pthread_mutex_unlock(&mu);
		return WARD_DONE;
	}
	if (open)
		return WARD_DONE;
	ward_tell(self, ward_self_ref(self), roll);
	if (++me->rolls != ROLLS)
		return WARD_DONE;
	ward_after(self, 1, 1, tick);
	ward_fail(self, &ward_exception, "once");
}
static const ward_behavior roller = {
	.name = "roller", .state_size = sizeof(struct roller), .receive = roller_receive};

/* Before the jump out of receive the worker has counted many runs. */
WARD_TEST(turns_with_a_deadline_let_timers_through_after_a_failure)
{
	static const ward_dispatcher rows[] = {
		{.name = WARD_WORKERS, .threads = 1, .throughput_deadline_ms = 1}, {.name = NULL}};
	ward_kit *kit = ward_kit_start(&(ward_kit_options){
		.real_threads = true, .system = {.dispatchers = rows, .user_strategy = &resuming}});

	open = false;
	ward_kit_tell(kit, ward_kit_spawn(kit, &roller), roll);
	pthread_mutex_lock(&mu);
	while (!open)
		pthread_cond_wait(&opened, &mu);
	pthread_mutex_unlock(&mu);
	ward_assert(rolls_at_tick < ROLLS + ROLLS / 2);
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
