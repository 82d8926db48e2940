/* SPDX-License-Identifier: MIT
 *
 * prepare.c - places, inputs, and what must not be touched; see prepare.h.
 */
#include "prepare.h"

#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spoil.h"
#include "store.h"

#define POISON_DEFAULT "(ward-sink: poison)"

/* Returns the absolute path of the database; makes its folder, if need be. NULL: says why. */
static char *place_of(const char *db, struct why *why)
{
	char *folder_copy = strdup(db), *name_copy = strdup(db), *path = NULL;
	if (folder_copy && name_copy) {
		const char *folder = dirname(folder_copy), *name = basename(name_copy);
		char *real = NULL;
		struct stat status;
		if ((mkdir(folder, 0777) == 0 || errno == EEXIST) && stat(folder, &status) == 0) {
			real = S_ISDIR(status.st_mode) ? realpath(folder, NULL) : NULL;
			errno = S_ISDIR(status.st_mode) ? errno : ENOTDIR;
		}
		if (!real || asprintf(&path, "%s/%s", real, name) < 0) {
			why_not(why, "%s: its folder cannot be used: %s", db, strerror(errno));
			path = NULL;
		}
		free(real);
	} else {
		why_not(why, "out of memory");
	}
	free(folder_copy);
	free(name_copy);
	return path;
}

/* Chaos hides the folder of the database: nothing of anybody else may be in it. */
static bool is_alone(const char *db, const char *memory, struct why *why)
{
	char *folder = strdup(db);
	const char *name = strrchr(db, '/') + 1, *memory_name = strrchr(memory, '/');
	memory_name = memory_name ? memory_name + 1 : memory;
	DIR *open = folder ? opendir(dirname(folder)) : NULL;
	bool alone = open != NULL;
	if (!open)
		why_not(why, "%s: its folder cannot be read: %s", db, strerror(errno));
	for (struct dirent *entry; alone && (entry = readdir(open));) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
		    strncmp(entry->d_name, name, strlen(name)) != 0 &&
		    strcmp(entry->d_name, memory_name) != 0)
			alone = why_not(why,
					"--chaos hides the folder of the database for a while, and "
					"%s/%s is in it: give --db a folder of its own",
					folder, entry->d_name);
	}
	if (open)
		closedir(open);
	free(folder);
	return alone;
}

/* Puts back the folder if an earlier chaos was killed while it was hidden. */
static void put_back_folder(const char *db)
{
	char *copy = strdup(db), *away = NULL;
	struct stat status;
	if (copy) {
		const char *folder = dirname(copy);
		if (asprintf(&away, "%s" CHAOS_AWAY, folder) >= 0 && stat(away, &status) == 0 &&
		    S_ISDIR(status.st_mode) && stat(folder, &status) == 0 &&
		    S_ISREG(status.st_mode) && status.st_size == 0 && unlink(folder) == 0)
			rename(away, folder);
	}
	free(away);
	free(copy);
}

/* Takes up the files. Returns how many, and whether standard input is asked for. */
static int take_files(struct job *job, const struct options *options, bool *ret_stdin)
{
	int taken = 0;
	*ret_stdin = options->file_count == 0;
	for (int i = 0; i < options->file_count; i++) {
		struct why why;
		if (strcmp(options->files[i], "-") == 0) {
			*ret_stdin = true;
		} else if (sources_add_file(job->sources, options->files[i], &why)) {
			taken++;
		} else {
			fprintf(stderr, "ward-sink: %s\n", why.text);
			job->skipped++;
		}
	}
	return taken;
}

static void say_gone(const struct source *source)
{
	struct why why;
	why_not(&why, "%s: is there no more; what was not stored of it cannot be", source->name);
	fprintf(stderr, "ward-sink: %s\n", why.text);
}

static bool take_inputs(struct job *job, const struct options *options, struct why *why)
{
	bool from_stdin;
	bool first_use = job->sources->count == 0;
	int taken = take_files(job, options, &from_stdin);
	if (taken == 0 && !from_stdin)
		return why_not(why, "there is nothing to read");
	if (first_use && !store_is_ours(job->db, why))
		return false;
	sources_reopen(job->sources);
	job->intake_source = job->chaos_source = -1;
	if (from_stdin && (job->intake_source = sources_add_spool(job->sources, why)) < 0)
		return false;
	if (job->chaos && (job->chaos_source = sources_add_spool(job->sources, why)) < 0)
		return false;
	for (size_t i = 0; i < job->sources->count; i++) {
		struct source *source = &job->sources->all[i];
		if (source->limit > source->end || !source->complete)
			source->verified = false;
		if (source->fd < 0 && !source->verified)
			say_gone(source);
	}
	/* Before the first row that names a source by its id. */
	return sources_save(job->sources, why);
}

bool prepare(struct job *job, struct sources *sources, const struct options *options,
	     struct why *why)
{
	job->line_max = options->line_max;
	job->parsers = options->parsers;
	job->chaos = options->chaos;
	job->seed = options->seed;
	job->chaos_gap = CHAOS_GAP;
	job->poison = options->poison;
	if (job->chaos && !job->poison)
		job->poison = POISON_DEFAULT;
	job->patience_ms = options->patience_s * 1000;
	if (job->chaos)
		put_back_folder(options->db);
	job->db = place_of(options->db, why);
	if (!job->db)
		return false;
	char *memory = NULL;
	if (options->memory ? !(memory = strdup(options->memory))
			    : asprintf(&memory, "%s.input", job->db) < 0) {
		prepare_undo(job);
		return why_not(why, "out of memory");
	}
	bool good = (!job->chaos || is_alone(job->db, memory, why)) &&
		    sources_open(sources, memory, why);
	free(memory);
	if (good) {
		job->sources = sources;
		good = take_inputs(job, options, why);
	}
	if (!good)
		prepare_undo(job);
	return good;
}

void prepare_undo(struct job *job)
{
	if (job->sources)
		sources_close(job->sources);
	job->sources = NULL;
	free(job->db);
	job->db = NULL;
}
