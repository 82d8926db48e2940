/* SPDX-License-Identifier: MIT
 *
 * chapter_14.h - what chapter 14 leaves out: the rest of an assembly line.
 */
#include <stdio.h>

#include <ward/ward.h>

struct station {
	ward_ref next;
};

ward_result set_up(ward_self *self, void *state);

static char why[128];
static struct foreman {
	ward_ref first;
} * me;
