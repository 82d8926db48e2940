/* SPDX-License-Identifier: MIT
 *
 * options.c - the command line of ward; see options.h.
 */
#include "ward-command/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ward/ward.h>

#include "common/say.h"

enum { DEADLINE_S = 60, DEADLINE_S_MAX = 1000000 };

static const char usage[] =
	"usage: ward run [--quiet | --plain] [--deadline SECONDS] FILE\n"
	"       ward check FILE\n"
	"       ward tree FILE\n"
	"       ward types MODULE\n"
	"       ward --help | --version\n"
	"\n"
	"run starts the tree of actors that the file describes, shows it, and stops it in order "
	"at\n"
	"SIGINT, SIGTERM or SIGHUP; a second signal ends it at once. check says all that is wrong\n"
	"with the file. tree prints the tree that run would start, and starts nothing. types "
	"prints\n"
	"the JSON schema of the messages that a shared object lists.\n"
	"\n"
	"  --quiet             no tree is shown\n"
	"  --plain             the tree is printed once, at the start, also on a terminal\n"
	"  --deadline SECONDS  how long an ordered end may take (60)\n"
	"\n"
	"Exit status: 0 it ended in order, or the file is fine; 1 it gave up; 2 the command line "
	"or\n"
	"the file is wrong; 3 it could not be started; 4 it did not end within the deadline;\n"
	"128 + N ended at once by signal N.\n";

__attribute__((noreturn)) static void misuse(const char *text, const char *what)
{
	wardi_say(stderr, "ward: %s: %s; see ward --help", text, what);
	exit(EXIT_WRONG);
}

static int64_t read_deadline(const char *text)
{
	char *end;
	errno = 0;
	long long number = strtoll(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || number > DEADLINE_S_MAX)
		misuse(text, "--deadline needs a number of seconds, from 0 to 1000000");
	return number * WARD_SECOND;
}

static enum verb read_verb(const char *text)
{
	static const char *const verbs[] = {
		[VERB_RUN] = "run",
		[VERB_CHECK] = "check",
		[VERB_TREE] = "tree",
		[VERB_TYPES] = "types",
	};
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (strcmp(text, verbs[i]) == 0)
			return (enum verb)i;
	misuse(text, "no such command: the commands are run, check, tree and types");
}

/* getopt knows the last word, and the letter within a word of letters. */
__attribute__((noreturn)) static void refuse_dash(char **argv)
{
	const char *word = argv[optind - 1];
	char letter[] = {'-', (char)optopt, '\0'};

	if (strncmp(word, "--", 2) != 0 && optopt != 0)
		word = letter;
	misuse(word, strchr(word, '=') && optopt ? "takes no value" : "no such option");
}

/* Reads the options, anywhere on the command line. */
static void read_dashes(int argc, char **argv, struct options *options)
{
	static const struct option known[] = {
		{"quiet", no_argument, NULL, 'q'},          {"plain", no_argument, NULL, 'p'},
		{"deadline", required_argument, NULL, 'd'}, {"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, 'V'},        {NULL, 0, NULL, 0},
	};
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":qpd:hV", known, NULL)) != -1) {
		switch (option) {
		case 'q':
			options->quiet = true;
			break;
		case 'p':
			options->plain = true;
			break;
		case 'd':
			options->deadline_ms = read_deadline(optarg);
			break;
		case 'h':
			fputs(usage, stdout);
			exit(0);
		case 'V':
			printf("ward %s\n", WARD_VERSION);
			exit(0);
		case ':':
			misuse(argv[optind - 1], "needs a value");
		default:
			refuse_dash(argv);
		}
	}
}

struct options options_read(int argc, char **argv)
{
	struct options options = {.deadline_ms = -1};

	read_dashes(argc, argv, &options);
	argv += optind;
	if (!argv[0]) {
		fputs(usage, stderr);
		exit(EXIT_WRONG);
	}
	options.verb = read_verb(argv[0]);
	if (!argv[1])
		misuse(argv[0], "a file is missing");
	if (argv[2])
		misuse(argv[2], "only one file is allowed");
	options.file = argv[1];
	if (options.verb != VERB_RUN &&
	    (options.quiet || options.plain || options.deadline_ms >= 0))
		misuse(argv[0], "--quiet, --plain and --deadline are for run");
	if (options.deadline_ms < 0)
		options.deadline_ms = DEADLINE_S * WARD_SECOND;
	return options;
}
