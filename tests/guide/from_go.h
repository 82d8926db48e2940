/* SPDX-License-Identifier: MIT
 *
 * from_go.h - what the page for those who come from Go leaves out.
 */
#include <stdio.h>

#include <ward/ward.h>

extern const ward_failure_class bad_config;
extern const ward_behavior worker, writer;

struct reader {
	FILE *file;
};
