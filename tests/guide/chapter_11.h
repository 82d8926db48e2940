/* SPDX-License-Identifier: MIT
 *
 * chapter_11.h - what chapter 11 leaves out: a connection, and who needs it.
 */
#include <ward/testkit.h>
#include <ward/ward.h>

WARD_SIGNAL(drop_line);
WARD_SIGNAL(line_up);
WARD_SIGNAL(line_lost);

extern const ward_behavior connection;
static const ward_failure_class out_of_reach = {.name = "out_of_reach", .parent = &ward_exception};

static struct client {
	ward_ref database;
	bool is_up;
} * me;
