/* SPDX-License-Identifier: MIT
 *
 * main.c - ward-sink: prepares the job, lets the actors do it, counts, and says what came of it.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <ward/ward.h>

#include "conclude.h"
#include "failures.h"
#include "job.h"
#include "messages.h"
#include "options.h"
#include "prepare.h"
#include "saboteur.h"

enum {
	EXIT_BAD = 2, /* arguments, or input that cannot be read */
	DESTROY_MS = 10000
};

static int complain(const struct why *why)
{
	fprintf(stderr, "ward-sink: %s\n", why->text);
	return EXIT_BAD;
}

/* Its failures are decided one after the other, and main() reads this when all threads are gone. */
static void note_ledger(void *arg, const ward_event *event)
{
	conclude_note(arg, event);
}

/* Runs the tree until the ledger is gone. Returns the number of failures, or -1 and says why. */
static int64_t run(struct job *job, uint32_t workers, struct why *why)
{
	ward_system *system;
	ward_stats stats;
	ward_ref ledger;
	struct sink_args args = {.job = job};
	ward_options options = {.name = "sink",
				.workers = workers,
				.seed = job->seed,
				.user_strategy = &top_strategy,
				.log = note_ledger,
				.log_arg = job,
				.log_kinds = WARD_EVENT_FAILURE};
	ward_err err = ward_system_create(&options, &system);
	if (err != WARD_OK) {
		why_not(why, "the actors cannot be started: %s", ward_err_detail());
		return -1;
	}
	ward_props props = {.behavior = &ledger_behavior,
			    .name = "ledger",
			    .args = {WARD_COPY(sink_args, &args)}};
	err = ward_system_spawn(system, &props, &ledger);
	if (err == WARD_OK)
		err = ward_system_wait_for(system, ledger, WARD_FOREVER);
	if (err != WARD_OK)
		why_not(why, "the actors cannot be started: %s", ward_err_detail());
	ward_system_stats(system, &stats);
	if (ward_system_destroy(system, DESTROY_MS) != WARD_OK) {
		why_not(why, "the actors do not end: %s", ward_err_detail());
		return -1;
	}
	return err == WARD_OK ? (int64_t)stats.failures : -1;
}

/* Signals for the actor that reads them come to nobody else; a closed pipe is an error, no end. */
static void set_signals(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
}

int main(int argc, char **argv)
{
	struct options options;
	struct sources sources;
	struct why why;

	if (argc > 1 && strcmp(argv[1], SABOTEUR_OPTION) == 0)
		return saboteur_main(argc - 2, argv + 2);
	if (!options_parse(argc, argv, &options, &why))
		return complain(&why);
	if (options.help) {
		fputs(options_usage, stdout);
		return 0;
	}
	struct job job = {.terminal = isatty(STDOUT_FILENO) == 1};
	set_signals();
	if (!prepare(&job, &sources, &options, &why))
		return complain(&why);
	int status = 1;
	int64_t failures = run(&job, options.workers, &why);
	if (failures < 0)
		complain(&why);
	else
		status = conclude(&job, failures);
	if (status == 0 && job.skipped > 0)
		status = EXIT_BAD;
	prepare_undo(&job);
	return status;
}
