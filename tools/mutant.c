/* SPDX-License-Identifier: MIT
 *
 * mutant.c - reads which change is made, and maps the file that says which were reached.
 */
#include "base/mutant.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static unsigned char nobody_looks[WARDI_MUTANTS_MAX];

unsigned wardi_mutant;
unsigned char *wardi_mutants_seen = nobody_looks;

static void map_log(const char *name)
{
	int file = open(name, O_RDWR | O_CLOEXEC);
	void *seen = MAP_FAILED;

	if (file >= 0) {
		seen = mmap(NULL, WARDI_MUTANTS_MAX, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
		close(file);
	}
	if (seen == MAP_FAILED) {
		perror(name);
		_exit(2);
	}
	wardi_mutants_seen = seen;
}

/* Before any code with changes in it, which may run in constructors, too. */
__attribute__((constructor(101))) static void read_environment(void)
{
	const char *number = getenv("WARD_MUTANT"), *log = getenv("WARD_MUTANT_LOG");

	if (number != NULL)
		wardi_mutant = (unsigned)strtoul(number, NULL, 10);
	if (log != NULL)
		map_log(log);
}
