/* SPDX-License-Identifier: MIT
 *
 * coverage_library.c - writes the counters of the shared libward, in a build for `make coverage`.
 *
 * They are its own, and only code inside it can write them; see coverage.c.
 */
#include <gcov.h>

__attribute__((visibility("default"))) void ward_coverage_dump(void);

void ward_coverage_dump(void)
{
	__gcov_dump();
	__gcov_reset();
}
