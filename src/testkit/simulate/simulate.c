/* SPDX-License-Identifier: MIT
 *
 * simulate.c - a simulation over its seeds: batches of runs, the first that fails, its replay line.
 *
 *	batches of seeds, each in a process     ended badly: the board has the seed
 *	that run by itself, with its faults     it must fail again
 *	shrink: the same with fewer faults
 *	run once more: the report
 *
 * After the first failure every run is made from the replay line, so the line is sure to reproduce
 * the failure.
 *
 * With --shortages the runner repeats the case for each allocation, and needs the same allocations
 * each time: then one run is made, in the process of the case, which a violation ends.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ward/testkit/runner.h>

#include "testkit/check/case_result.h"
#include "testkit/check/seed.h"
#include "testkit/check/text.h"
#include "testkit/kit/kit.h"
#include "testkit/simulate/batch.h"
#include "testkit/simulate/replay.h"
#include "testkit/simulate/shrink.h"

enum { SEEDS = 100, BATCH = 256, NAME_LENGTH_MAX = 100 };

/* A simulation under way. */
struct work {
	const ward_simulation_test *test;
	struct wardi_location place; /* of the call */
	struct wardi_board *board;
	ward_simulation_result *result;
	struct wardi_replay replay; /* of the violation */
};

/* ---- what the environment says ------------------------------------------------------------ */

static const char *environment(const char *name)
{
	const char *text = getenv(name);
	return text != NULL && *text != '\0' ? text : NULL;
}

static void choose_seeds(const struct work *work, uint64_t *ret_first, uint64_t *ret_count)
{
	*ret_first = 1;
	*ret_count = work->test->seeds != 0 ? work->test->seeds : SEEDS;
	if (!wardi_testkit_seeds_read(ret_first, ret_count))
		ward_test_fail(work->place.file, work->place.line,
			       "WARD_SEEDS=%s: not COUNT or FIRST:COUNT, both from 1 on",
			       environment("WARD_SEEDS"));
}

/* ---- a violation --------------------------------------------------------------------------- */

/* Puts the replay on the board. Returns the task that runs it alone. */
static struct wardi_batch_task replay_task(struct work *work)
{
	struct wardi_board *board = work->board;

	board->seed = work->replay.seed;
	board->order = work->replay.order;
	board->plan = work->replay.plan;
	return (struct wardi_batch_task){
		.test = work->test,
		.board = board,
		.first = work->replay.seed,
		.count = 1,
		.plan_given = work->replay.plan_given,
		.single = true,
	};
}

/* Runs the replay alone. True: it fails again. */
static bool fails_again(struct work *work, bool told)
{
	struct wardi_batch_task task = replay_task(work);

	task.told = told;
	task.trace_file = told ? environment("WARD_TRACE") : NULL;
	return !wardi_child_run(&task);
}

static bool try_plan(void *arg, struct wardi_plan *plan)
{
	struct work *work = arg;

	work->replay.plan = *plan;
	if (!fails_again(work, false))
		return false;
	wardi_plan_struck(&work->board->plan, plan);
	return true;
}

/* Copies the board's run, as far as a replay line can express it. */
static void take_replay(struct work *work)
{
	const struct wardi_board *board = work->board;

	work->replay.seed = board->seed;
	work->replay.order = board->order;
	if (board->order.kind == WARD_ORDER_EXHAUSTIVE)
		work->replay.order.choices.count = board->order.choices.depth;
	else
		work->replay.order.kind = board->order.current;
	work->replay.plan_given = true;
	wardi_plan_struck(&board->plan, &work->replay.plan);
}

/* Prints the faults and the last severe events before the first line kept, in their order. */
static void print_marks_before(const struct wardi_board *board, uint64_t first)
{
	uint32_t strike = 0;
	uint32_t severe = board->severe_count > WARDI_BOARD_SEVERE
				  ? board->severe_count - WARDI_BOARD_SEVERE
				  : 0;

	for (;;) {
		uint32_t at = severe % WARDI_BOARD_SEVERE;
		uint64_t of_strike =
			strike < board->strikes_count ? board->strike_lines[strike] : UINT64_MAX;
		uint64_t of_severe =
			severe < board->severe_count ? board->severe_lines[at] : UINT64_MAX;

		if (of_strike >= first && of_severe >= first)
			break;
		printf("    %s\n", of_strike <= of_severe ? board->strike_texts[strike]
							  : board->severe_texts[at]);
		strike += of_strike <= of_severe;
		severe += of_severe <= of_strike;
	}
	if (first > 0)
		printf("    ... (WARD_TRACE=FILE has all %" PRIu64 " earlier ones)\n", first);
}

static void print_report(const struct work *work)
{
	const struct wardi_board *board = work->board;
	uint64_t count = board->lines_count;

	printf("violation in %s: seed %" PRIu64 ", step %" PRIu64 ", at %" PRId64 ".%03" PRId64
	       " ms\n",
	       work->test->name, board->seed, board->step, board->now_ns / 1000000,
	       board->now_ns / 1000 % 1000);
	printf("  %s\n", work->result->text);
	for (uint32_t i = 0; i < board->strikes_count; i++)
		printf("  fault %s\n", board->strikes[i]);
	if (count > 0)
		printf("  what came last:\n");
	uint64_t first = count > WARDI_BOARD_LINES ? count - WARDI_BOARD_LINES : 0;
	print_marks_before(board, first);
	for (uint64_t i = first; i < count; i++)
		printf("    %s\n", board->lines[i % WARDI_BOARD_LINES]);
	if (board->under_way[0] != '\0')
		printf("    under way: %s\n", board->under_way);
}

static void print_replay(const struct work *work)
{
	const char *name =
		atomic_load_explicit(&wardi_testkit_run->case_name, memory_order_relaxed);

	printf("replay: WARD_REPLAY='%s' %s%s%s\n", work->result->replay, program_invocation_name,
	       name != NULL ? " " : "", name != NULL ? name : "");
	atomic_store_explicit(&wardi_testkit_run->replay_told, true, memory_order_relaxed);
}

static void write_replay(struct work *work)
{
	size_t room = sizeof(work->result->replay);

	/* If the faults do not fit: those drawn from the seed, which are more. */
	if (wardi_replay_text(&work->replay, work->test->name, work->result->replay, room) >= room)
		work->replay.plan_given = false;
	wardi_replay_text(&work->replay, work->test->name, work->result->replay, room);
}

/* Shrinks and reports the failed run on the board, and fills in the result. */
static void handle_violation(struct work *work)
{
	struct wardi_board *board = work->board;
	char text[WARDI_BOARD_TEXT];

	work->result->violations++;
	snprintf(text, sizeof(text), "%s", board->text);
	bool leaked = board->leaked;
	take_replay(work);
	bool again = fails_again(work, leaked);
	if (again && !leaked && work->replay.plan.count > 0) {
		struct wardi_plan plan = work->replay.plan;
		wardi_shrink(&plan, try_plan, work);
		work->replay.plan = plan;
	}
	if (again && !leaked)
		again = fails_again(work, true);
	write_replay(work);
	if (again)
		snprintf(text, sizeof(text), "%s", board->text);
	if (again)
		snprintf(work->result->text, sizeof(work->result->text), "%s", text);
	else
		snprintf(work->result->text, sizeof(work->result->text),
			 "does not fail when run alone, so an earlier run left something behind "
			 "(static data?); in the series it failed with: %.*s",
			 WARD_TEXT_FIT(text, 300));
	work->result->hash = board->hash;
	print_report(work);
	print_replay(work);
}

/* ---- seeds --------------------------------------------------------------------------------- */

/* Runs seeds in one process. False: there was a violation, and the board has the run. */
static bool run_batch(struct work *work, uint64_t first, uint64_t count)
{
	const struct wardi_batch_task task = {
		.test = work->test,
		.board = work->board,
		.first = first,
		.count = count,
	};

	wardi_schedule_init(&work->board->order, work->test->order, work->test->change_points);
	bool well = wardi_child_run(&task);
	work->result->seeds += work->board->runs;
	work->result->steps += work->board->steps;
	if (!well && !work->board->finished) {
		work->result->seeds++;
		work->result->steps += work->board->step;
	}
	work->result->exhausted = well && work->board->exhausted;
	return well;
}

/* A process has made all its runs, but ended badly anyway: a leak. Finds the run. */
static bool run_one_by_one(struct work *work, uint64_t first, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		if (!run_batch(work, first + i, 1)) {
			work->board->finished = false;
			return false;
		}
	}
	return true;
}

static void run_seeds(struct work *work, uint64_t first, uint64_t count)
{
	/* Seeds do not matter: one process for all orders, and none for ranges without seed 1. */
	if (work->test->order == WARD_ORDER_EXHAUSTIVE)
		count = first == 1 ? 1 : 0;
	for (uint64_t done = 0; done < count;) {
		uint64_t batch = count - done < BATCH ? count - done : BATCH;
		bool well = run_batch(work, first + done, batch);
		if (!well && work->board->finished && batch > 1) {
			char text[WARDI_BOARD_TEXT];
			snprintf(text, sizeof(text), "%s", work->board->text);
			work->result->seeds -= work->board->runs;
			work->result->steps -= work->board->steps;
			well = run_one_by_one(work, first + done, batch);
			if (well)
				ward_test_fail(__FILE__, __LINE__,
					       "%s: the process of seeds %" PRIu64 " to %" PRIu64
					       " %s, but not that of any one of them",
					       work->test->name, first + done,
					       first + done + batch - 1, text);
		}
		if (!well) {
			handle_violation(work);
			return;
		}
		done += batch;
	}
}

/* Prints the given faults that did not strike. */
static void print_unstruck(const struct work *work, const struct wardi_plan *plan)
{
	for (uint32_t i = 0; work->replay.plan_given && i < plan->count; i++) {
		const struct wardi_plan one = {.count = 1, .faults = {plan->faults[i]}};
		char text[64];
		if (one.faults[0].struck)
			continue;
		wardi_plan_text(&one, text, sizeof(text));
		printf("fault %s did not strike: the run has %" PRIu64 " step%s\n", text,
		       work->result->steps, WARDI_PLURAL(work->result->steps));
	}
}

static void run_replay(struct work *work)
{
	bool failed = fails_again(work, true);
	struct wardi_board *board = work->board;

	work->result->seeds = 1;
	work->result->steps = failed ? board->step : board->steps;
	work->result->violations = failed;
	work->result->hash = board->hash;
	print_unstruck(work, &board->plan);
	if (failed) {
		wardi_plan_struck(&board->plan, &work->replay.plan);
		work->replay.plan_given = true;
		write_replay(work);
		snprintf(work->result->text, sizeof(work->result->text), "%s", board->text);
		print_report(work);
		print_replay(work);
	} else {
		printf("%s no longer fails with seed %" PRIu64 "\n", work->test->name,
		       work->replay.seed);
	}
	printf("trace of %s: %" PRIu64 " step%s, hash %016" PRIx64 "\n", work->test->name,
	       work->result->steps, WARDI_PLURAL(work->result->steps), board->hash);
}

/* Runs the replay alone, in this process, so that the rules for a shortage apply. */
static void run_for_shortage(struct work *work)
{
	const struct wardi_batch_task task = replay_task(work);

	wardi_child_run_here(&task);
	work->result->seeds = work->board->runs;
	work->result->steps = work->board->steps;
}

/* ---- a replay of nothing ------------------------------------------------------------------- */

/* At the end of a process without a runner: only now is it known that no replay matched. */
static void end_without_replay(void)
{
	const char *words = environment("WARD_REPLAY");
	if (words == NULL ||
	    atomic_load_explicit(&wardi_testkit_run->replay_met, memory_order_relaxed))
		return;
	fprintf(stderr, "%s: WARD_REPLAY='%s': no simulation is called %.*s\n",
		program_invocation_name, words, (int)strcspn(words, " "), words);
	fflush(NULL);
	_exit(2);
}

/* Notes whether this simulation is meant. Without a runner, checks at exit that one was. */
static void note_replay(enum wardi_replay_said said)
{
	static bool registered;

	if (said != WARDI_REPLAY_OTHER)
		atomic_store_explicit(&wardi_testkit_run->replay_met, true, memory_order_relaxed);
	else if (!wardi_testkit_has_runner() && !registered)
		registered = atexit(end_without_replay) == 0;
}

/* Whether the text can be a single-quoted word of a replay line, whose end ward-sim finds. */
static bool is_word(const char *text)
{
	size_t length = 0;

	for (; text[length] != '\0'; length++) {
		if (text[length] <= ' ' || text[length] > '~' || strchr(":'", text[length]) != NULL)
			return false;
	}
	return length > 0 && length <= NAME_LENGTH_MAX;
}

static void check_test(const ward_simulation_test *test)
{
	if (test->name == NULL || test->run == NULL)
		ward_test_fail(__FILE__, __LINE__, "a simulation has a name and a run function");
	if (!is_word(test->name))
		ward_test_fail(__FILE__, __LINE__,
			       "\"%.*s\" cannot name a simulation: a name is one word of a replay "
			       "line, of at most %d characters, without colon or quote",
			       WARD_TEXT_FIT(test->name, 120), NAME_LENGTH_MAX);
}

/* Returns the replay of a seed whose faults are drawn. */
static struct wardi_replay replay_of_seed(const ward_simulation_test *test, uint64_t seed)
{
	struct wardi_replay replay = {.seed = seed};

	wardi_schedule_init(&replay.order, test->order, test->change_points);
	return replay;
}

static ward_simulation_result simulate(const ward_simulation_test *test,
				       struct wardi_location place)
{
	const char *words = environment("WARD_REPLAY");
	const char *why = NULL;
	ward_simulation_result result = {0};
	struct work work = {.test = test, .place = place, .result = &result};
	uint64_t first, count;

	check_test(test);
	enum wardi_replay_said said = WARDI_REPLAY_OTHER;
	if (words != NULL)
		said = wardi_replay_parse(words, test, &work.replay, &why);
	if (words != NULL)
		note_replay(said);
	if (said == WARDI_REPLAY_WRONG)
		ward_test_fail(place.file, place.line, "WARD_REPLAY='%s': %s", words, why);
	choose_seeds(&work, &first, &count);
	if (words == NULL)
		work.replay = replay_of_seed(test, first);
	work.board = wardi_board_create();
	if (ward_test_shortage() && (words == NULL || said == WARDI_REPLAY_THIS))
		run_for_shortage(&work);
	else if (said == WARDI_REPLAY_THIS)
		run_replay(&work);
	else if (words == NULL)
		run_seeds(&work, first, count);
	wardi_board_destroy(work.board);
	return result;
}

ward_simulation_result ward_simulate(const ward_simulation_test *test)
{
	return simulate(test, (struct wardi_location){__FILE__, __LINE__});
}

void ward_simulate_check_at(const ward_simulation_test *test, const char *file, int line)
{
	ward_simulation_result result = simulate(test, (struct wardi_location){file, line});

	printf("# sim %s: %" PRIu64 " seed%s, %" PRIu64 " step%s, %" PRIu64 " violation%s\n",
	       test->name, result.seeds, WARDI_PLURAL(result.seeds), result.steps,
	       WARDI_PLURAL(result.steps), result.violations, WARDI_PLURAL(result.violations));
	if (result.violations > 0)
		ward_test_fail(file, line, "%s: %s", test->name, result.text);
}
