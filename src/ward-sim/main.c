/* SPDX-License-Identifier: MIT
 *
 * main.c - ward-sim: runs the simulations of a test program over many seeds, in several processes.
 *
 *	ward-sim [--seeds N | --seeds FIRST:N] [--jobs N] PROGRAM [ARGUMENT...]
 *
 * The seeds are divided into chunks; each chunk is a process of the program with WARD_SEEDS set. At
 * a violation the processes with higher seeds are killed and those with lower ones run to their
 * end. So the lowest seed that fails is reported, whichever process is fastest. Exit status: 0 no
 * violation, 1 a violation or another failure, 2 misuse, or nothing was run.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/say.h"
#include "ward-sim/jobs.h"
#include "ward-sim/report.h"

enum {
	SEEDS = 10000,
	JOBS_MAX = 1024,
	CHUNKS = 8, /* per process, so that all end at about the same time */
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

/* ---- options ----------------------------------------------------------------------------- */

__attribute__((noreturn)) static void misuse(const char *what, const char *text)
{
	wardi_say(stderr, "ward-sim: %s: %s", text, what);
	fputs(usage, stderr);
	exit(2);
}

/* Reads a number from 1 to max at *at, and advances *at. 0: not such a number. */
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
		misuse("not a number of processes, from 1 to 1024", text);
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

	/* "+": arguments behind the program belong to the program. */
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
		misuse("missing", "PROGRAM");
	return options;
}

/* ---- running ----------------------------------------------------------------------------- */

/* The state of the run. */
struct run {
	const struct options *options;
	struct jobs jobs;
	struct report report;
	uint64_t given; /* seeds of all processes started so far */
	uint64_t done;
	bool terminal;
	/* the failure at the lowest seeds so far */
	struct job worst;
	int status; /* the exit status that follows from it; 0: no failure */
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
			wardi_say(stderr, "ward-sim: %s: %s", run->options->program[0],
				  strerror(err));
			exit(2);
		}
		run->given += count;
	}
}

static void explain_status(const char *program, int status)
{
	if (WIFSIGNALED(status))
		wardi_say(stderr, "ward-sim: %s was ended by signal %d: %s", program,
			  WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		wardi_say(stderr, "ward-sim: %s failed, with exit status %d and no violation",
			  program, WEXITSTATUS(status));
}

/* Returns the exit status that follows from a process that has ended; 0: no failure.
 */
static int status_of(const struct job *job, bool has_violation, bool has_simulations)
{
	if (has_violation)
		return 1;
	if (!WIFEXITED(job->status))
		return 1;
	/* A runner that has run nothing, as when the chosen case does not exist, exits like
	 * this. */
	if (!has_simulations && (WEXITSTATUS(job->status) == 2 || WEXITSTATUS(job->status) == 0))
		return 2;
	return WEXITSTATUS(job->status) != 0;
}

/* Adds the results of a job that has ended, and takes over its output. */
static void take(struct run *run, struct job *job)
{
	uint64_t before = run->report.all.violations;
	bool has_simulations = report_add(&run->report, &job->output);
	int status = status_of(job, run->report.all.violations > before, has_simulations);

	run->done += job->seeds;
	/* Only jobs with lower seeds are still running, so this failure replaces the last. */
	if (status != 0) {
		output_finish(&run->worst.output);
		run->worst = *job;
		run->status = status;
		job->output = (struct output){0};
		jobs_end_behind(&run->jobs, run->worst.first);
	}
	output_finish(&job->output);
}

/* Prints the command that reports the other simulations that have a violation. */
static void tell_others(const struct run *run, const char *told)
{
	const struct options *options = run->options;
	uint64_t count = 0;

	for (size_t i = 0; i < run->report.count; i++) {
		const struct sum *sum = &run->report.sums[i];

		if (sum->violations == 0 || strcmp(sum->name, told) == 0)
			continue;
		if (count++ == 0) {
			printf("for the others: ward-sim --seeds %" PRIu64 ":%" PRIu64 " ",
			       options->first, options->count);
			wardi_say_text(stdout, options->program[0], WARD_TEXT_ALL, "");
		}
		printf(" ");
		wardi_say_text(stdout, sum->name, WARD_TEXT_ALL, "");
	}
	if (count > 0)
		printf("\n");
}

static void tell_worst(const struct run *run)
{
	const char *program = run->options->program[0];
	const struct job *worst = &run->worst;
	char name[NAME_MAX_LENGTH];

	if (run->status == 0)
		return;
	if (output_print_violation(&worst->output, name)) {
		tell_others(run, name);
		return;
	}
	output_print_failure(&worst->output);
	if (run->status == 1)
		explain_status(program, worst->status);
	else if (WEXITSTATUS(worst->status) != 0)
		wardi_say(stderr, "ward-sim: %s has run nothing", program);
	else if (run->options->program[1] != NULL)
		wardi_say(stderr, "ward-sim: %s: none of the chosen cases is a WARD_SIMULATION",
			  program);
	else
		wardi_say(stderr, "ward-sim: %s has no WARD_SIMULATION", program);
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

static void print_sum(const struct sum *sum)
{
	wardi_say(stdout, "%s%s%" PRIu64 " seed%s, %" PRIu64 " step%s, %" PRIu64 " violation%s",
		  sum->name, sum->name[0] != '\0' ? ": " : "", sum->seeds, plural(sum->seeds),
		  sum->steps, plural(sum->steps), sum->violations, plural(sum->violations));
}

static void print_sums(const struct run *run)
{
	const struct report *report = &run->report;

	for (size_t i = 0; report->count > 1 && i < report->count; i++)
		print_sum(&report->sums[i]);
	print_sum(&report->all);
}

int main(int argc, char **argv)
{
	struct options options = read_options(argc, argv);
	struct run run = {.options = &options, .terminal = isatty(STDOUT_FILENO) != 0};

	unsetenv("WARD_REPLAY");
	unsetenv("WARD_TRACE");
	jobs_init(&run.jobs, options.program, (unsigned)options.jobs);
	start_jobs(&run);
	while (run.jobs.running > 0) {
		show_progress(&run);
		take(&run, jobs_wait(&run.jobs));
		if (run.status == 0)
			start_jobs(&run);
	}
	jobs_finish(&run.jobs);
	end_progress(&run);
	tell_worst(&run);
	if (run.status == 0 && run.report.all.seeds == 0) {
		wardi_say(stderr, "ward-sim: %s has run none of the seeds", options.program[0]);
		run.status = 2;
	}
	if (run.status != 2)
		print_sums(&run);
	output_finish(&run.worst.output);
	report_finish(&run.report);
	return run.status;
}
