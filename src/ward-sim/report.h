/* SPDX-License-Identifier: MIT
 *
 * report.h - the output of test programs: sums of their simulations, and violations.
 */
#ifndef WARD_SIM_REPORT_H
#define WARD_SIM_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NAME_MAX_LENGTH = 128 };

/* The sums of a simulation over all processes. */
struct sum {
	char name[NAME_MAX_LENGTH];
	uint64_t seeds;
	uint64_t steps;
	uint64_t violations;
};

struct report {
	struct sum *sums;
	size_t count;
	struct sum all; /* has no name */
};

/* The output of a process so far. All zero: none. */
struct output {
	char *text;
	size_t length;
	size_t room;
};

void output_add(struct output *output, const char *bytes, size_t count);
void output_finish(struct output *output);

/* Adds the sums in the output of a process that has ended. False: it has none. */
bool report_add(struct report *report, const struct output *output);
void report_finish(struct report *report);

/* Prints the violation of the lowest seed in the output, up to its replay line. Returns the name of
 * its simulation in ret_name. False: there is none. */
bool output_print_violation(const struct output *output, char ret_name[NAME_MAX_LENGTH]);
/* Prints the output without passed cases: the program failed for another reason. */
void output_print_failure(const struct output *output);

#endif
