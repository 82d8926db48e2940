/* SPDX-License-Identifier: MIT
 *
 * known_classes.c - the failure classes of a test program.
 *
 * single-threaded: filled before the first kit.
 */
#include "testkit/far/known_classes.h"

#include <ward/testkit/kit.h>

enum { CLASSES_MAX = 256 };

static const ward_failure_class *known[CLASSES_MAX + 1];
static size_t known_count;

void ward_kit_know_classes(const ward_failure_class *const *classes)
{
	for (; *classes != NULL; classes++) {
		ward_assert(known_count < CLASSES_MAX);
		known[known_count++] = *classes;
	}
}

const ward_failure_class *const *wardi_known_classes(void)
{
	return known;
}
