/* SPDX-License-Identifier: MIT
 *
 * chapter_10.h - what chapter 10 leaves out: cutters, and what they get.
 */
#include <ward/ward.h>

extern const ward_behavior cutter;

struct sheet {
	int number;
};
WARD_MESSAGE(sheet);
struct deposit {
	uint64_t account;
};
WARD_MESSAGE(deposit);
WARD_SIGNAL(refused);

static ward_ref refs[3];
static struct press {
	ward_ref cutters, group;
} * me;

/* A thread outside. */
static ward_system *system;
static ward_ref workers;
ward_result complain(const char *text);
