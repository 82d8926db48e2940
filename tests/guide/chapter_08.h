/* SPDX-License-Identifier: MIT
 *
 * chapter_08.h - what chapter 8 leaves out: a press, and its binder.
 */
#include <ward/ward.h>

extern const ward_behavior binder, worker;

enum { MAX = 10 };
struct job {
	int32_t urgency;
};
WARD_MESSAGE(job);

static struct press {
	ward_ref binder;
} * me;
