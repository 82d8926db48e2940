/* SPDX-License-Identifier: MIT
 *
 * test_orders.c - the orders of turns: even, by priorities, all of them.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <ward/testkit.h>
#include <ward/ward.h>

#include "testkit/simulate/replay.h"
#include "testkit/simulate/schedule.h"
#include "testkit/simulate/schedule_exhaustive.h"

/* What the runs of a simulation leave for the test: they are in other processes. */
struct shared {
	unsigned runs;
	unsigned orders[24]; /* how often each order of four was seen */
	unsigned others;
};

static struct shared *make_shared(void)
{
	void *shared = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ward_assert(shared != MAP_FAILED);
	return shared;
}

/* ---- random ------------------------------------------------------------------------------- */

WARD_TEST(random_order_is_even)
{
	enum { CHOICES = 5, DRAWS = 100 * 1000 };
	struct wardi_schedule order;
	unsigned counts[CHOICES] = {0}, pairs[CHOICES][CHOICES] = {{0}};
	size_t last = 0;

	wardi_schedule_init(&order, WARD_ORDER_RANDOM, 0);
	wardi_schedule_begin(&order, ward_test_seed());
	for (int i = 0; i < DRAWS; i++) {
		size_t one = wardi_schedule_choose(&order, NULL, CHOICES);
		ward_assert(one < CHOICES);
		counts[one]++;
		pairs[last][one]++;
		last = one;
	}
	/* Chi-squared; with 4 and 24 degrees of freedom one in a million exceeds these. */
	double sum = 0, pair_sum = 0;
	for (int i = 0; i < CHOICES; i++) {
		double off = counts[i] - (double)DRAWS / CHOICES;
		sum += off * off / ((double)DRAWS / CHOICES);
		for (int j = 0; j < CHOICES; j++) {
			double pair_off = pairs[i][j] - (double)DRAWS / CHOICES / CHOICES;
			pair_sum += pair_off * pair_off / ((double)DRAWS / CHOICES / CHOICES);
		}
	}
	ward_assert(sum < 33);
	ward_assert(pair_sum < 75);
}

WARD_TEST(mixed_order_is_random_for_odd_seeds_and_pct_for_even_ones)
{
	struct wardi_schedule order;

	wardi_schedule_init(&order, WARD_ORDER_MIXED, 0);
	wardi_schedule_begin(&order, 41);
	ward_assert_eq(order.current, WARD_ORDER_RANDOM);
	wardi_schedule_begin(&order, 42);
	ward_assert_eq(order.current, WARD_ORDER_PCT);
}

/* ---- actors ------------------------------------------------------------------------------- */

struct throw
{
	int left;
};
WARD_MESSAGE_FLAT(throw);
WARD_SIGNAL(mark);

static struct {
	int throws;            /* of the two who play */
	int marks;             /* of the one who is late */
	int throws_at_mark[2]; /* how many throws there had been at each */
} seen;

static ward_result player_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct throw *one = ward_match(msg, throw);

	(void)state;
	if (one == NULL)
		return WARD_UNHANDLED;
	seen.throws++;
	if (one->left > 0)
		ward_tell(self, ward_msg_sender(msg), throw, .left = one->left - 1);
	return WARD_DONE;
}

static ward_result marker_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)msg;
	seen.throws_at_mark[seen.marks++] = seen.throws;
	return WARD_DONE;
}

static const ward_behavior player = {.name = "player", .receive = player_receive};
static const ward_behavior marker = {.name = "marker", .receive = marker_receive};

static ward_result captain_receive(ward_self *self, void *state, const ward_msg *msg)
{
	ward_ref other;

	(void)state;
	if (ward_match(msg, mark) == NULL)
		return player_receive(self, state, msg);
	ward_assert_ok(ward_try_spawn(self, WARD_PROPS(&player), &other));
	ward_tell(self, other, throw, .left = 40);
	return WARD_DONE;
}

static const ward_behavior captain = {.name = "captain", .receive = captain_receive};

/* Two throw a ball, the marker has two messages. It must not be that the first comes before all
 * throws and the second after all of them. */
static void late_marker(ward_kit *kit, void *arg)
{
	ward_system *system = ward_kit_system(kit);
	ward_ref first = ward_kit_spawn(kit, &captain);
	ward_ref second = ward_kit_spawn(kit, &marker);

	(void)arg;
	memset(&seen, 0, sizeof(seen));
	ward_kit_run(kit);
	ward_system_tell(system, first, mark);
	ward_system_tell(system, second, mark);
	ward_system_tell(system, second, mark);
	ward_simulation_eventually_idle(kit, WARD_SECOND);
	ward_assert_eq(seen.throws, 41);
	ward_assert(seen.throws_at_mark[0] > 0 || seen.throws_at_mark[1] < 41);
}

WARD_TEST(pct_order_finds_what_an_even_one_misses)
{
	ward_simulation_test test = {.name = "late_marker", .run = late_marker, .seeds = 3000};

	test.order = WARD_ORDER_RANDOM;
	ward_simulation_result result = ward_simulate(&test);
	ward_assert_eq(result.violations, 0);
	ward_assert_eq(result.seeds, 3000);
	test.order = WARD_ORDER_PCT;
	result = ward_simulate(&test);
	ward_assert_eq(result.violations, 1);
	ward_assert_part(result.replay, "order=pct");
	/* The mixed order has it, too. */
	test.order = WARD_ORDER_MIXED;
	ward_assert_eq(ward_simulate(&test).violations, 1);
}

static bool marked_twice(void *arg)
{
	(void)arg;
	return seen.marks == 2;
}

static ward_result busy_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	(void)msg;
	ward_tell(self, ward_self_ref(self), mark);
	return WARD_DONE;
}

static const ward_behavior busy = {.name = "busy", .receive = busy_receive};

/* Somebody always has something to do. */
static void endless(ward_kit *kit, void *arg)
{
	ward_system *system = ward_kit_system(kit);
	ward_ref first = ward_kit_spawn(kit, &busy);
	ward_ref second = ward_kit_spawn(kit, &marker);

	(void)arg;
	memset(&seen, 0, sizeof(seen));
	ward_system_tell(system, first, mark);
	ward_system_tell(system, second, mark);
	ward_system_tell(system, second, mark);
	ward_simulation_eventually(kit, WARD_SECOND, marked_twice, NULL, "both marks");
}

WARD_TEST(no_order_leaves_one_out_for_ever)
{
	ward_simulation_test test = {.name = "endless", .run = endless, .seeds = 200};

	test.kit.may_leave_mail = true;
	test.order = WARD_ORDER_PCT;
	ward_assert_eq(ward_simulate(&test).violations, 0);
}

/* ---- exhaustive --------------------------------------------------------------------------- */

static char started[5];
static size_t started_count;

static ward_result starter_init(ward_self *self, void *state, const void *args)
{
	(void)self;
	(void)state;
	started[started_count++] = (char)('a' + *(const unsigned char *)args);
	return WARD_DONE;
}

static ward_result ignore(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)msg;
	return WARD_DONE;
}

struct number {
	unsigned char value;
};
WARD_MESSAGE_FLAT(number);

static const ward_behavior starter = {
	.name = "starter", .args = &ward_type_number, .init = starter_init, .receive = ignore};

static ward_result four_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	(void)msg;
	for (unsigned char i = 0; i < 4; i++) {
		ward_err err = ward_try_spawn(
			self, WARD_PROPS(&starter, .args = WARD_ARGS(number, .value = i)), NULL);
		ward_assert_ok(err);
	}
	return WARD_DONE;
}

static const ward_behavior four = {.name = "four", .receive = four_receive};

/* The number of an order of "abcd", in the order of the alphabet; 24: it is none. */
static unsigned order_number(const char *order)
{
	unsigned number = 0;

	if (strlen(order) != 4)
		return 24;
	for (int i = 0; i < 4; i++) {
		unsigned smaller = 0;
		for (int j = i + 1; j < 4; j++)
			smaller += order[j] < order[i];
		number = number * (unsigned)(4 - i) + smaller;
	}
	return number;
}

/* Four actors start at once: the order of the starts is the run. */
static void four_start(ward_kit *kit, void *arg)
{
	struct shared *shared = arg;
	ward_ref ref = ward_kit_spawn(kit, &four);

	memset(started, 0, sizeof(started));
	started_count = 0;
	ward_kit_run(kit);
	ward_system_tell(ward_kit_system(kit), ref, mark);
	ward_kit_run(kit);
	shared->runs++;
	unsigned number = order_number(started);
	if (number < 24)
		shared->orders[number]++;
	else
		shared->others++;
}

WARD_TEST(exhaustive_order_takes_each_path_exactly_once)
{
	struct shared *shared = make_shared();
	ward_simulation_test test = {.name = "four_start",
				     .run = four_start,
				     .arg = shared,
				     .order = WARD_ORDER_EXHAUSTIVE,
				     .check_every = UINT32_MAX};

	ward_simulation_result result = ward_simulate(&test);
	ward_assert_eq(result.violations, 0);
	ward_assert_eq(result.seeds, 24);
	ward_assert(result.exhausted);
	ward_assert_eq(shared->runs, 24);
	ward_assert_eq(shared->others, 0);
	for (int i = 0; i < 24; i++)
		ward_assert_eq(shared->orders[i], 1);
}

WARD_TEST(exhaustive_order_stops_at_its_limit_and_says_so)
{
	ward_simulation_test test = {.name = "four_start",
				     .run = four_start,
				     .arg = make_shared(),
				     .order = WARD_ORDER_EXHAUSTIVE,
				     .runs_max = 7};

	ward_simulation_result result = ward_simulate(&test);
	ward_assert_eq(result.seeds, 7);
	ward_assert(!result.exhausted);
}

WARD_TEST(exhaustive_order_does_not_claim_what_is_too_deep_for_it)
{
	for (int more = 0; more < 2; more++) {
		struct wardi_schedule order;

		wardi_schedule_init(&order, WARD_ORDER_EXHAUSTIVE, 0);
		wardi_schedule_begin(&order, 1);
		for (int i = 0; i < WARDI_CHOICES_MAX + more; i++)
			ward_assert_eq(wardi_schedule_choose(&order, NULL, 2), 0);
		ward_assert_eq(wardi_schedule_exhausted(&order), more == 0);
		ward_assert(wardi_schedule_next(&order));
	}
}

static void not_backwards(ward_kit *kit, void *arg)
{
	four_start(kit, arg);
	if (strcmp(started, "dbca") == 0)
		ward_test_fail(__FILE__, __LINE__, "it was %s", started);
}

WARD_TEST(exhaustive_violation_is_replayed_by_its_choices)
{
	ward_simulation_test test = {.name = "not_backwards",
				     .run = not_backwards,
				     .arg = make_shared(),
				     .order = WARD_ORDER_EXHAUSTIVE};

	ward_simulation_result result = ward_simulate(&test);
	ward_assert_eq(result.violations, 1);
	ward_assert_part(result.text, "it was dbca");
	ward_assert_part(result.replay, "order=exhaustive:3");
	setenv("WARD_REPLAY", result.replay, 1);
	ward_simulation_result again = ward_simulate(&test);
	ward_assert_eq(again.violations, 1);
	ward_assert_str(again.text, result.text);
	ward_assert_eq(again.hash, result.hash);
}

/* ---- as words ----------------------------------------------------------------------------- */

static void check_word(const char *word)
{
	struct wardi_schedule order;
	char text[WARDI_CHOICES_MAX * 8];

	wardi_schedule_init(&order, WARD_ORDER_MIXED, 5);
	ward_assert(wardi_schedule_parse(&order, word));
	wardi_schedule_begin(&order, 2);
	/* Goes along the path. */
	if (order.kind == WARD_ORDER_EXHAUSTIVE) {
		for (uint32_t i = 0; i < order.choices.count; i++)
			wardi_schedule_choose(&order, NULL, 1000);
	}
	wardi_schedule_text(&order, text, sizeof(text));
	ward_assert_str(text, word);
}

WARD_TEST(words_there_and_back)
{
	check_word("random");
	check_word("pct");
	check_word("exhaustive:");
	check_word("exhaustive:0021z(36)(999)1");
}

WARD_TEST(longest_path_fits_into_a_replay_line)
{
	ward_simulation_test test = {.name = "a_name_of_a_length_that_nobody_minds_to_read",
				     .order = WARD_ORDER_EXHAUSTIVE};
	struct wardi_replay replay = {.seed = UINT64_MAX}, again;
	char text[WARD_REPLAY_TEXT];
	const char *why;

	wardi_schedule_init(&replay.order, WARD_ORDER_EXHAUSTIVE, 0);
	replay.order.choices.depth = WARDI_CHOICES_MAX;
	for (uint32_t i = 0; i < WARDI_CHOICES_MAX; i++)
		replay.order.choices.taken[i] = UINT16_MAX;
	ward_assert(wardi_replay_text(&replay, test.name, text, sizeof(text)) < sizeof(text));
	ward_assert_eq(wardi_replay_parse(text, &test, &again, &why), WARDI_REPLAY_THIS);
	ward_assert_eq(again.order.choices.count, WARDI_CHOICES_MAX);
	ward_assert_eq(again.order.choices.taken[WARDI_CHOICES_MAX - 1], UINT16_MAX);
}

WARD_TEST(words_that_are_no_order_are_refused)
{
	static const char *const wrong[] = {
		"",
		"mixed",
		"exhaustive",
		"exhaustive:A",
		"exhaustive:(1",
		"exhaustive:()",
		"exhaustive:(99999)",
		"random ",
	};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct wardi_schedule order;
		wardi_schedule_init(&order, WARD_ORDER_MIXED, 0);
		if (wardi_schedule_parse(&order, wrong[i]))
			ward_test_fail(__FILE__, __LINE__, "taken for an order: \"%s\"", wrong[i]);
	}
}

WARD_TEST_MAIN
