/* SPDX-License-Identifier: MIT
 *
 * resident.c - how much memory of the machine the process has now.
 */
#include "resident.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int64_t resident_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	long long size = 0, resident = 0;

	if (file == NULL || fscanf(file, "%lld %lld", &size, &resident) != 2) {
		perror("ward-bench: /proc/self/statm");
		exit(1);
	}
	fclose(file);
	return resident * sysconf(_SC_PAGESIZE);
}
