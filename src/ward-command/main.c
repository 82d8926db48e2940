/* SPDX-License-Identifier: MIT
 *
 * main.c - ward: runs, checks and prints trees of actors that are described in files.
 *
 *	ward run FILE      starts the tree, shows it, stops it in order
 *	ward check FILE    prints all errors in the file
 *	ward tree FILE     prints the tree that would be started
 *	ward types MODULE  prints the JSON schema of the messages of a shared object
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "common/say.h"
#include "ward-command/file.h"
#include "ward-command/options.h"
#include "ward-command/run.h"
#include "ward-command/types.h"

static void print_line(void *arg, const char *text)
{
	(void)arg;
	wardi_say(stdout, "%s", text);
}

/* Flushes standard output; returns the exit status of a command that only prints. */
static int printed(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return EXIT_ORDERED;
	perror("ward: standard output");
	return EXIT_GAVE_UP;
}

static int check(const char *path)
{
	ward_config *config = file_load(path);
	size_t actors, services;

	if (!config)
		return EXIT_WRONG;
	actors = ward_config_count(config, &services);
	wardi_say(stdout, "%s: fine: %zu actor%s, %zu service%s", path, actors,
		  actors == 1 ? "" : "s", services, services == 1 ? "" : "s");
	(void)file_has_actors(config, path);
	ward_config_close(config);
	return printed();
}

static int tree(const char *path)
{
	ward_config *config = file_load(path);
	ward_err err;

	if (!config)
		return EXIT_WRONG;
	err = ward_config_tree(config, print_line, NULL);
	if (err != WARD_OK)
		wardi_say(stderr, "ward: %s", ward_err_detail());
	else
		(void)file_has_actors(config, path);
	ward_config_close(config);
	return err == WARD_OK ? printed() : EXIT_WRONG;
}

/* A closed standard descriptor would be reused by the next open, and that file would get the output
 * of actors. Its replacement is open in the opposite direction only, so that a write fails. */
static void keep_standard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv)
{
	keep_standard_descriptors();
	struct options options = options_read(argc, argv);

	switch (options.verb) {
	case VERB_RUN:
		return run(&options);
	case VERB_CHECK:
		return check(options.file);
	case VERB_TREE:
		return tree(options.file);
	case VERB_TYPES:
		break;
	}
	return types(options.file) ? printed() : EXIT_WRONG;
}
