/* SPDX-License-Identifier: MIT
 *
 * report.c - parses the output of test programs, and sums it up.
 *
 * A simulation prints "# sim NAME: N seeds, N steps, N violations", with "1 step" in the singular.
 * A runner may put more "# " in front of the output of a case.
 */
#include "ward-sim/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/say.h"

static void *grown(void *block, size_t size)
{
	block = realloc(block, size);
	if (block == NULL) {
		perror("ward-sim");
		exit(2);
	}
	return block;
}

void output_add(struct output *output, const char *bytes, size_t count)
{
	if (output->length + count + 1 > output->room) {
		output->room = 2 * (output->length + count + 1);
		output->text = grown(output->text, output->room);
	}
	memcpy(output->text + output->length, bytes, count);
	output->length += count;
	output->text[output->length] = '\0';
}

void output_finish(struct output *output)
{
	free(output->text);
	*output = (struct output){0};
}

void report_finish(struct report *report)
{
	free(report->sums);
	*report = (struct report){0};
}

/* ---- lines ------------------------------------------------------------------------------- */

/* Returns the next line, without the prefixes of runners, or NULL. */
static const char *next_line(const char **at, int *ret_length)
{
	const char *line = *at;
	if (line == NULL || *line == '\0')
		return NULL;
	size_t length = strcspn(line, "\n");
	*at = line + length + (line[length] == '\n');
	while (length >= 2 && strncmp(line, "# ", 2) == 0) {
		line += 2;
		length -= 2;
	}
	*ret_length = (int)length;
	return line;
}

static bool starts(const char *line, const char *with)
{
	return strncmp(line, with, strlen(with)) == 0;
}

static bool parse_sum(const char *line, struct sum *sum)
{
	int end = 0;
	return sscanf(line,
		      "sim %127[^:\n]: %" SCNu64 " seed%*[s,] %" SCNu64 " step%*[s,] %" SCNu64
		      " violation%n",
		      sum->name, &sum->seeds, &sum->steps, &sum->violations, &end) == 4 &&
	       end > 0;
}

/* ---- sums -------------------------------------------------------------------------------- */

static void add(struct sum *to, const struct sum *sum)
{
	to->seeds += sum->seeds;
	to->steps += sum->steps;
	to->violations += sum->violations;
}

static struct sum *sum_of(struct report *report, const char *name)
{
	for (size_t i = 0; i < report->count; i++) {
		if (strcmp(report->sums[i].name, name) == 0)
			return &report->sums[i];
	}
	report->sums = grown(report->sums, (report->count + 1) * sizeof(*report->sums));
	struct sum *sum = &report->sums[report->count++];
	*sum = (struct sum){0};
	memcpy(sum->name, name, strlen(name) + 1);
	return sum;
}

bool report_add(struct report *report, const struct output *output)
{
	const char *at = output->text, *line;
	bool found = false;
	struct sum sum;
	int length;

	while ((line = next_line(&at, &length)) != NULL) {
		if (!parse_sum(line, &sum))
			continue;
		found = true;
		add(sum_of(report, sum.name), &sum);
		add(&report->all, &sum);
	}
	return found;
}

/* ---- failures ---------------------------------------------------------------------------- */

/* Whether a line begins the report of a violation: of which simulation, with which seed. */
static bool parse_violation(const char *line, char ret_name[NAME_MAX_LENGTH], uint64_t *ret_seed)
{
	return sscanf(line, "violation in %127[^:\n]: seed %" SCNu64, ret_name, ret_seed) == 2;
}

static uint64_t lowest_seed(const struct output *output)
{
	const char *at = output->text, *line;
	uint64_t lowest = UINT64_MAX, seed;
	char name[NAME_MAX_LENGTH];
	int length;

	while ((line = next_line(&at, &length)) != NULL) {
		if (parse_violation(line, name, &seed) && seed < lowest)
			lowest = seed;
	}
	return lowest;
}

bool output_print_violation(const struct output *output, char ret_name[NAME_MAX_LENGTH])
{
	const char *at = output->text, *line;
	uint64_t lowest = lowest_seed(output), seed;
	bool inside = false;
	int length;

	while ((line = next_line(&at, &length)) != NULL) {
		inside = inside || (parse_violation(line, ret_name, &seed) && seed == lowest);
		if (inside)
			wardi_say_text(stdout, line, (size_t)length, "\n");
		if (inside && starts(line, "replay: WARD_REPLAY="))
			return true;
	}
	return inside;
}

void output_print_failure(const struct output *output)
{
	const char *at = output->text, *line;
	int length;

	while ((line = next_line(&at, &length)) != NULL) {
		if (!starts(line, "ok ") && !starts(line, "1.."))
			wardi_say_text(stderr, line, (size_t)length, "\n");
	}
}
