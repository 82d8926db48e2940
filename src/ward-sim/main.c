/* SPDX-License-Identifier: MIT
 *
 * main.c - ward-sim: the simulations of a test program over many seeds, in several processes.
 *
 *	ward-sim [--seeds N | --seeds FIRST:N] [--jobs N] PROGRAM [ARGUMENT...]
 *
 * The seeds are cut into chunks, and each chunk is a process of the program with WARD_SEEDS set.
 * The first violation ends them all. Exit status: 0 all held, 1 a violation or another failure, 2
 * misuse, or nothing was run.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ward-sim/jobs.h"
#include "ward-sim/report.h"

enum {
	SEEDS = 10000,
	JOBS_MAX = 1024,
	CHUNKS = 8, /* for each process, so that they end at about the same time */
	CHUNK_MAX = 5000
};

struct options {
	uint64_t first;
	uint64_t count;
	uint64_t jobs;
	char **program;
};

static const char usage[] =
	"usage: ward-sim [--seeds N | --seeds FIRST:N] [--jobs N] PROGRAM [ARGUMENT...]\n";

/* ---- options ------------------------------------------------------------------------------ */

__attribute__((noreturn)) static void misuse(const char *what, const char *text)
{
	fprintf(stderr, "ward-sim: %s: %s\n%s", text, what, usage);
	exit(2);
}

/* A number from 1 to max at *at, which moves behind it; 0: none is there. */
static uint64_t read_number(const char **at, uint64_t max)
{
	if (**at < '0' || **at > '9')
		return 0;
	char *end;
	errno = 0;
	uint64_t number = strtoull(*at, &end, 10);
	*at = end;
	return errno == 0 && number <= max ? number : 0;
}

static void read_seeds(struct options *options, const char *text)
{
	const char *at = text;

	options->count = read_number(&at, INT64_MAX);
	if (*at == ':') {
		at++;
		options->first = options->count;
		options->count = read_number(&at, INT64_MAX);
	}
	if (*at != '\0' || options->first == 0 || options->count == 0)
		misuse("not N or FIRST:N, from seed 1 on", text);
}

static void read_jobs(struct options *options, const char *text)
{
	const char *at = text;

	options->jobs = read_number(&at, JOBS_MAX);
	if (*at != '\0' || options->jobs == 0)
		misuse("not a number of processes", text);
}

static struct options read_options(int argc, char **argv)
{
	static const struct option known[] = {
		{"seeds", required_argument, NULL, 's'},
		{"jobs", required_argument, NULL, 'j'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	struct options options = {
		.first = 1, .count = SEEDS, .jobs = processors > 0 ? (uint64_t)processors : 1};
	int option;

	/* "+": what stands behind the program is for the program. */
	while ((option = getopt_long(argc, argv, "+s:j:h", known, NULL)) != -1) {
		if (option == 's') {
			read_seeds(&options, optarg);
		} else if (option == 'j') {
			read_jobs(&options, optarg);
		} else if (option == 'h') {
			fputs(usage, stdout);
			exit(0);
		} else {
			fputs(usage, stderr);
			exit(2);
		}
	}
	options.program = argv + optind;
	if (*options.program == NULL)
		misuse("which one?", "no program");
	return options;
}

/* ---- running ------------------------------------------------------------------------------ */

/* All that is under way. */
struct run {
	const struct options *options;
	struct jobs jobs;
	struct report report;
	uint64_t given; /* seeds that processes have been started with */
	uint64_t done;
	bool terminal;
};

static uint64_t chunk_size(const struct options *options)
{
	uint64_t size = options->count / (options->jobs * CHUNKS);

	if (size == 0)
		return 1;
	return size < CHUNK_MAX ? size : CHUNK_MAX;
}

static void show_progress(const struct run *run)
{
	if (!run->terminal)
		return;
	printf("\r\033[K%" PRIu64 " of %" PRIu64 " seeds, %" PRIu64 " steps, %u running", run->done,
	       run->options->count, run->report.all.steps, run->jobs.running);
	fflush(stdout);
}

static void end_progress(const struct run *run)
{
	if (run->terminal)
		printf("\r\033[K");
	fflush(stdout);
}

static void start_jobs(struct run *run)
{
	uint64_t chunk = chunk_size(run->options);

	while (run->jobs.running < run->jobs.count && run->given < run->options->count) {
		uint64_t left = run->options->count - run->given;
		uint64_t count = chunk < left ? chunk : left;
		int err = jobs_start(&run->jobs, run->options->first + run->given, count);
		if (err != 0) {
			fprintf(stderr, "ward-sim: %s: %s\n", run->options->program[0],
				strerror(err));
			exit(2);
		}
		run->given += count;
	}
}

static void explain_status(const char *program, int status)
{
	if (WIFSIGNALED(status))
		fprintf(stderr, "ward-sim: %s was ended by signal %d: %s\n", program,
			WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		fprintf(stderr, "ward-sim: %s failed, with exit status %d and no violation\n",
			program, WEXITSTATUS(status));
}

/* A process has ended. Gives the exit status that follows from it; 0: go on. */
static int take(struct run *run, const struct job *job)
{
	const char *program = run->options->program[0];
	uint64_t before = run->report.all.violations;
	bool has_simulations = report_add(&run->report, &job->output);
	bool ended_well = WIFEXITED(job->status) && WEXITSTATUS(job->status) == 0;

	run->done += job->seeds;
	if (run->report.all.violations > before) {
		end_progress(run);
		output_print_violation(&job->output);
		return 1;
	}
	if (!ended_well) {
		end_progress(run);
		output_print_failure(&job->output);
		explain_status(program, job->status);
		return 1;
	}
	if (!has_simulations) {
		end_progress(run);
		fprintf(stderr, "ward-sim: %s has no simulations\n", program);
		return 2;
	}
	return 0;
}

static void print_sums(const struct run *run)
{
	const struct report *report = &run->report;

	for (size_t i = 0; report->count > 1 && i < report->count; i++)
		printf("%s: %" PRIu64 " seeds, %" PRIu64 " steps, %" PRIu64 " violations\n",
		       report->sums[i].name, report->sums[i].seeds, report->sums[i].steps,
		       report->sums[i].violations);
	printf("%" PRIu64 " seeds, %" PRIu64 " steps, %" PRIu64 " violations\n", report->all.seeds,
	       report->all.steps, report->all.violations);
}

int main(int argc, char **argv)
{
	struct options options = read_options(argc, argv);
	struct run run = {.options = &options, .terminal = isatty(STDOUT_FILENO) != 0};
	int status = 0;

	unsetenv("WARD_REPLAY");
	unsetenv("WARD_TRACE");
	jobs_init(&run.jobs, options.program, (unsigned)options.jobs);
	start_jobs(&run);
	while (status == 0 && run.jobs.running > 0) {
		show_progress(&run);
		struct job *job = jobs_wait(&run.jobs);
		status = take(&run, job);
		output_finish(&job->output);
		if (status == 0)
			start_jobs(&run);
	}
	jobs_finish(&run.jobs);
	end_progress(&run);
	if (status == 0 && run.report.all.seeds == 0) {
		fprintf(stderr, "ward-sim: %s has run none of the seeds\n", options.program[0]);
		status = 2;
	}
	if (status != 2)
		print_sums(&run);
	report_finish(&run.report);
	return status;
}
