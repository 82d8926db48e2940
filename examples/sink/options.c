/* SPDX-License-Identifier: MIT
 *
 * options.c - the command line; see options.h.
 */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"

#define DB_DEFAULT "ward-sink/sink.db"

const char options_usage[] =
	"usage: ward-sink [OPTION...] [FILE...]\n"
	"\n"
	"Stores each line of the files, or of standard input, exactly once in a database, "
	"whatever\nhappens in between. Run it again to continue after an interruption, or with new "
	"input.\n"
	"\n"
	"  --db FILE        the database (" DB_DEFAULT ")\n"
	"  --memory FOLDER  what is remembered of the input (the database's name + .input)\n"
	"  --chaos SEED     make every fault happen once, in an order drawn from the seed\n"
	"  --workers N      threads for actors (as many as cores)\n"
	"  --parsers N      actors that parse (4)\n"
	"  --line-max BYTES longer lines go to the table quarantine (65536)\n"
	"  --poison TEXT    a line that contains it kills its parser\n"
	"  --patience S     seconds without progress until it gives up (60)\n"
	"\n"
	"Exit status: 0 all is stored; 1 it is not, or not as it should be; 2 wrong arguments or\n"
	"input that cannot be read; 128 + N interrupted by signal N.\n";

static bool parse_number(const char *name, const char *text, uint64_t min, uint64_t max,
			 uint64_t *ret_number, struct why *why)
{
	char *end;
	errno = 0;
	unsigned long long number = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || number < min ||
	    number > max)
		return why_not(why, "--%s %s: give a number from %llu to %llu", name, text,
			       (unsigned long long)min, (unsigned long long)max);
	*ret_number = number;
	return true;
}

enum option_number {
	OPTION_DB,
	OPTION_MEMORY,
	OPTION_CHAOS,
	OPTION_WORKERS,
	OPTION_PARSERS,
	OPTION_LINE_MAX,
	OPTION_POISON,
	OPTION_PATIENCE,
	OPTION_HELP
};

static bool take(struct options *options, enum option_number option, const char *text,
		 struct why *why)
{
	uint64_t number = 0;
	bool good = true;
	switch (option) {
	case OPTION_DB:
		options->db = text;
		return text[0] != '\0' || why_not(why, "--db: give the name of a file");
	case OPTION_MEMORY:
		options->memory = text;
		return text[0] != '\0' || why_not(why, "--memory: give the name of a folder");
	case OPTION_CHAOS:
		good = parse_number("chaos", text, 0, UINT64_MAX, &options->seed, why);
		options->chaos = good;
		break;
	case OPTION_WORKERS:
		good = parse_number("workers", text, 1, 256, &number, why);
		options->workers = (uint32_t)number;
		break;
	case OPTION_PARSERS:
		good = parse_number("parsers", text, 1, 64, &number, why);
		options->parsers = (uint32_t)number;
		break;
	case OPTION_LINE_MAX:
		good = parse_number("line-max", text, 1, LINE_MAX_LIMIT, &number, why);
		options->line_max = (size_t)number;
		break;
	case OPTION_POISON:
		options->poison = text;
		return text[0] != '\0' || why_not(why, "--poison: give a text");
	case OPTION_PATIENCE:
		good = parse_number("patience", text, 1, 1000000, &number, why);
		options->patience_s = (int64_t)number;
		break;
	case OPTION_HELP:
		options->help = true;
		break;
	}
	return good;
}

bool options_parse(int argc, char **argv, struct options *ret_options, struct why *why)
{
	static const struct option known[] = {
		{"db", required_argument, NULL, OPTION_DB},
		{"memory", required_argument, NULL, OPTION_MEMORY},
		{"chaos", required_argument, NULL, OPTION_CHAOS},
		{"workers", required_argument, NULL, OPTION_WORKERS},
		{"parsers", required_argument, NULL, OPTION_PARSERS},
		{"line-max", required_argument, NULL, OPTION_LINE_MAX},
		{"poison", required_argument, NULL, OPTION_POISON},
		{"patience", required_argument, NULL, OPTION_PATIENCE},
		{"help", no_argument, NULL, OPTION_HELP},
		{NULL, 0, NULL, 0},
	};
	*ret_options = (struct options){
		.db = DB_DEFAULT, .parsers = 4, .line_max = LINE_MAX_DEFAULT, .patience_s = 60};
	int option;
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":", known, NULL)) != -1) {
		if (option == ':')
			return why_not(why, "%s: needs a value; see --help", argv[optind - 1]);
		if (option == '?')
			return why_not(why, "%s: no such option; see --help", argv[optind - 1]);
		if (!take(ret_options, (enum option_number)option, optarg, why))
			return false;
	}
	ret_options->files = argv + optind;
	ret_options->file_count = argc - optind;
	return true;
}
