/* SPDX-License-Identifier: MIT
 *
 * chapter_01.h - what chapter 1 leaves out: rows that are imported, and who does it.
 */
#include <stdio.h>
#include <stdlib.h>

#include <ward/ward.h>

extern const ward_failure_class bad_config, connection_lost, disk_full;
extern const ward_behavior rows;

enum { POLL = 1 };
WARD_SIGNAL(poll);
struct row {
	int line, columns;
};
WARD_MESSAGE(row);
struct importer {
	ward_ref rows;
};
struct writer {
	char *buffer;
	FILE *file;
};
struct keeper {
	int too_late;
};

void close_file(void *file);
