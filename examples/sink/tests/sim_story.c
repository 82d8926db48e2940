/* SPDX-License-Identifier: MIT
 *
 * sim_story.c - a sink is run, and run again, until all is stored; see sim_story.h.
 *
 * The actors are the sink's own, with its files. Only the store, the saboteur and some system calls
 * are the world's. The ledger is looked at from outside after each turn: what it takes for safe
 * must be committed.
 */
#include "sim_story.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../audit.h"
#include "../messages.h"
#include "../prepare.h"
#include "fake_store.h"
#include "sim_inside.h"

enum {
	CHAOS_GAP_SHORT = 4,
	RUNS_MAX = 8,
	RUNS_FAULTY = 5,             /* after these runs no fault strikes */
	FAULTY_MS = 4 * WARD_MINUTE, /* the same, in one run */
	HEAL_MS = 2 * WARD_MINUTE
};

struct story *playing;

/* ---- a run of the sink ------------------------------------------------------------------- */

static bool is_gone(void *arg)
{
	const struct story *story = arg;
	return !ward_system_is_alive(ward_kit_system(story->kit), story->ref);
}

static void prepare_run(struct story *story)
{
	char *files[3] = {NULL};
	struct why why;
	struct options options = {
		.db = sim_path("db/sink.db"),
		.memory = sim_path("memory"),
		.chaos = dice_roll(&story->dice, 2) == 0,
		.seed = story->dice.state,
		.parsers = 1 + (uint32_t)dice_roll(&story->dice, 3),
		.line_max = SIM_LINE_MAX,
		.poison = "(ward-sink: poison)",
		.patience_s = 60,
		.files = files,
	};
	if (access(sim_path("packages"), F_OK) == 0)
		files[options.file_count++] = strdup(sim_path("packages"));
	files[options.file_count++] = strdup(sim_path("log"));
	if (story->has_stdin)
		files[options.file_count++] = strdup("-");
	story->job = (struct job){.db = NULL};
	if (!prepare(&story->job, &story->sources, &options, &why))
		ward_test_fail(__FILE__, __LINE__, "%s", why.text);
	story->job.chaos_gap = CHAOS_GAP_SHORT;
	for (int i = 0; i < options.file_count; i++)
		free(files[i]);
}

/* Lets the actors do it, until the ledger is gone. */
static void run_actors(struct story *story, bool faulty)
{
	struct sink_args args = {.job = &story->job};
	world.sources = &story->sources;
	if (faulty)
		world_plan();
	world.calm = !faulty;
	story->ref = ward_kit_spawn(story->kit, sim_watched_ledger(), .name = "ledger",
				    .args = {WARD_COPY(sink_args, &args)});
	if (!ward_kit_run_until(story->kit, FAULTY_MS, is_gone, story)) {
		world.calm = true;
		ward_simulation_faults_end(story->kit);
		ward_simulation_eventually(story->kit, HEAL_MS, is_gone, story,
					   "the sink comes to its end");
	}
	world.calm = true;
	/* They are no longer read. */
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	while (sigtimedwait(&set, NULL, &(struct timespec){0}) > 0)
		;
}

/* For the report: how far each source is, and should be. */
static void tell_sources(const struct story *story)
{
	for (size_t i = 0; i < story->sources.count; i++) {
		const struct source *source = &story->sources.all[i];
		fprintf(stderr,
			"source %u: %s, acknowledged %lld, committed %lld, accepted %lld of %lld, "
			"%lld "
			"lines, %s\n",
			source->id, source->fd < 0 ? "gone" : "readable", (long long)source->acked,
			(long long)fake_store_end_of(source->id), (long long)source->end,
			(long long)source->limit, (long long)source->lines,
			source->verified ? "verified" : "not verified");
	}
}

/* Counts as main() does. True: all is stored, and nothing more will come. */
static bool conclude(struct story *story)
{
	const struct outcome *outcome = &story->job.outcome;
	struct sim_shared *shared = story->shared;
	struct audit audit;
	struct why why;
	enum store_result result =
		audit_run(story->job.db, &story->sources, story->job.line_max, &audit, &why);
	bool clean = result == STORE_OK && audit_is_clean(&audit);
	/* Bytes that were harmed behind the last look are found by this one. */
	bool harmed = result == STORE_OK ? story->excused : fake_store_is_rotten();
	if (!clean && !harmed)
		tell_sources(story);
	if (!clean && !harmed)
		ward_test_fail(__FILE__, __LINE__, "the count: %s; %lld lost, %lld duplicated",
			       result == STORE_OK ? "" : why.text, (long long)audit.lost,
			       (long long)audit.duplicated);
	if (!sources_save(&story->sources, &why))
		ward_test_fail(__FILE__, __LINE__, "%s", why.text);
	for (size_t i = 0; clean && i < story->sources.count; i++)
		sources_release(&story->sources, &story->sources.all[i]);
	shared->finished += outcome->finished;
	shared->interrupted += outcome->interrupted != 0;
	shared->gave_up += outcome->gave_up;
	shared->broken += outcome->input_broken;
	shared->unclean += !clean;
	shared->ledger_failed += !outcome->finished && !outcome->interrupted && !outcome->gave_up;
	ward_assert(!outcome->input_broken || world_has_struck(AT_STDIN));
	return outcome->finished && clean && !outcome->input_broken;
}

/* Whether the ledger left word of how far each source is. */
static bool has_left(const struct story *story)
{
	const struct outcome *outcome = &story->job.outcome;
	return outcome->finished || outcome->gave_up || outcome->interrupted != 0;
}

/* True: all that there is to read is stored. */
static bool run_sink(struct story *story, bool faulty)
{
	int asides = fake_store_asides();
	prepare_run(story);
	run_actors(story, faulty);
	for (size_t i = 0; i < story->sources.count && fake_store_asides() > asides; i++)
		if (story->sources.all[i].fd < 0 && fake_store_end_of(story->sources.all[i].id) > 0)
			story->shared->salvaged++;
	ward_assert_eq(intake_finish(&story->job), 0);
	sim_keep_take(&story->keep, &story->sources,
		      has_left(story) ? story->job.chaos_source : -1);
	sim_check_stdin(story);
	bool done = conclude(story);
	prepare_undo(&story->job);
	return done;
}

/* ---- the story --------------------------------------------------------------------------- */

static ward_result draw_seed(ward_self *self, void *state, const void *args)
{
	(void)state;
	(void)args;
	playing->dice.state = ward_random(self);
	return ward_stop_self(self);
}

static ward_result ignore(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)msg;
	return WARD_UNHANDLED;
}

/* All chance of the story comes from the seed of the run. */
static void seed_dice(struct story *story)
{
	static const ward_behavior drawer = {
		.name = "drawer", .init = draw_seed, .receive = ignore};
	ward_kit_spawn(story->kit, &drawer);
	ward_kit_run(story->kit);
}

static void begin(struct story *story)
{
	sigset_t set;
	seed_dice(story);
	sim_remove_folder(); /* of a run that ended badly */
	ward_assert_eq(mkdir(sim_path(""), 0777), 0);
	fake_store_begin();
	world_begin(ward_kit_system(story->kit), story->dice.state, &story->shared->tally);
	sim_write_input(story, "log", dice_roll(&story->dice, 2) == 0);
	sim_write_input(story, "packages", dice_roll(&story->dice, 2) == 0);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, &story->kept_mask);
	fflush(stdout);
	story->kept_stdout = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	/* The view tells what happens: of a run that is replayed, one wants to know. */
	sim_redirect(getenv("WARD_REPLAY") ? dup(STDERR_FILENO)
					   : open("/dev/null", O_WRONLY | O_CLOEXEC),
		     STDOUT_FILENO);
	sim_begin_stdin(story);
	sim_watch(story);
}

static void end(struct story *story)
{
	fflush(stdout);
	clearerr(stdout);
	sim_redirect(story->kept_stdout, STDOUT_FILENO);
	sim_redirect(story->kept_stdin, STDIN_FILENO);
	if (story->fed >= 0)
		close(story->fed);
	if (story->stdin_text)
		fclose(story->stdin_text);
	sigprocmask(SIG_SETMASK, &story->kept_mask, NULL);
	sim_keep_finish(&story->keep);
	fake_store_end();
	sim_remove_folder();
}

/* Runs it until all is stored. What was harmed can be healed by another run, however often. */
static void run_until_done(struct story *story)
{
	for (int run = 0; run < RUNS_MAX; run++) {
		if (run == RUNS_FAULTY)
			ward_simulation_faults_end(story->kit);
		if (run_sink(story, run < RUNS_FAULTY))
			return;
	}
	ward_test_fail(__FILE__, __LINE__, "not all is stored after %d runs", RUNS_MAX);
}

static void check_rows(struct story *story)
{
	struct store *store;
	struct why why;
	ward_assert_eq(store_open_to_read(sim_path("db/sink.db"), &store, &why), STORE_OK);
	for (size_t i = 0; i < story->keep.count; i++)
		sim_keep_check(&story->keep, store, story->keep.all[i].id);
	store_close(store);
	ward_assert(!fake_store_is_open());
}

void sim_story(ward_kit *kit, void *arg)
{
	struct story story = {.kit = kit, .shared = arg};
	playing = &story;
	begin(&story);
	run_until_done(&story);
	check_rows(&story);
	/* Another day: a log has grown, an input is gone. What is stored of it must stay. */
	if (dice_roll(&story.dice, 2) == 0) {
		sim_write_input(&story, "log", true);
		if (dice_roll(&story.dice, 2) == 0)
			ward_assert_eq(unlink(sim_path("packages")), 0);
		run_until_done(&story);
		check_rows(&story);
	}
	end(&story);
	playing = NULL;
}
