/* SPDX-License-Identifier: MIT
 *
 * sim_files.c - files and standard input of a simulated run; see sim_inside.h.
 */
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim_inside.h"

enum {
	LINES_MAX = 30, /* of one input */
	FEED_MS = 7
};

/* ---- files ------------------------------------------------------------------------------- */

const char *sim_path(const char *name)
{
	static char paths[8][128];
	static unsigned next;
	char *path = paths[next++ % 8];
	snprintf(path, sizeof(paths[0]), "%s/run/%s", playing->shared->folder, name);
	return path;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
	(void)status;
	(void)kind;
	(void)walk;
	return remove(path);
}

void sim_remove_folder(void)
{
	nftw(sim_path(""), remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static FILE *open_input(const char *name)
{
	FILE *file = fopen(sim_path(name), "a+e");
	ward_assert(file != NULL);
	return file;
}

void sim_write_input(struct story *story, const char *name, bool ended)
{
	FILE *file = open_input(name);
	sim_input_write(file, &story->dice, 1 + (uint32_t)dice_roll(&story->dice, LINES_MAX),
			ended);
	fclose(file);
}

/* ---- standard input ---------------------------------------------------------------------- */

WARD_SIGNAL(feed);

/* Writes a line into the pipe from time to time, while the sink is running or not. */
static ward_result feeder_init(ward_self *self, void *state, const void *args)
{
	(void)state;
	(void)args;
	ward_every(self, 1, FEED_MS, feed);
	return WARD_DONE;
}

static ward_result feeder_receive(ward_self *self, void *state, const ward_msg *msg)
{
	char *line = NULL;
	size_t room = 0;
	(void)state;
	(void)msg;
	ssize_t length = getline(&line, &room, playing->stdin_text);
	if (length > 0) {
		ward_assert_eq(write(playing->fed, line, (size_t)length), length);
	} else {
		close(playing->fed);
		playing->fed = -1;
		ward_stop_self(self);
	}
	free(line);
	return WARD_DONE;
}

static const ward_behavior feeder = {
	.name = "feeder", .init = feeder_init, .receive = feeder_receive};

void sim_redirect(int from, int to)
{
	ward_assert_eq(dup2(from, to), to);
	close(from);
}

void sim_begin_stdin(struct story *story)
{
	int ends[2];
	story->fed = -1;
	story->kept_stdin = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	story->has_stdin = dice_roll(&story->dice, 2) == 0;
	if (!story->has_stdin)
		return;
	sim_write_input(story, "stdin", dice_roll(&story->dice, 2) == 0);
	story->stdin_text = open_input("stdin");
	if (dice_roll(&story->dice, 2) == 0) {
		sim_redirect(open(sim_path("stdin"), O_RDONLY | O_CLOEXEC), STDIN_FILENO);
		return;
	}
	ward_assert_eq(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	sim_redirect(ends[0], STDIN_FILENO);
	story->fed = ends[1];
	ward_kit_spawn(story->kit, &feeder, .name = "feeder");
}

void sim_check_stdin(struct story *story)
{
	if (story->job.intake_source < 0)
		return;
	const struct source *source = &story->sources.all[story->job.intake_source];
	const struct sim_kept *spool = sim_keep_find(&story->keep, source->id);
	ward_assert(spool != NULL);
	char *wanted = malloc(spool->length + 1);
	int fd = fileno(story->stdin_text);
	ssize_t got = pread(fd, wanted, spool->length + 1, story->stdin_kept);
	ward_assert(got >= (ssize_t)spool->length);
	ward_assert(memcmp(wanted, spool->bytes, spool->length) == 0);
	if (story->job.outcome.finished && !story->job.outcome.input_broken)
		ward_assert_eq(got, spool->length);
	story->stdin_kept += (int64_t)spool->length;
	ward_assert_eq(story->stdin_kept, world.stdin_taken);
	free(wanted);
}
