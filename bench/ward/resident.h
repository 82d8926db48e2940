/* SPDX-License-Identifier: MIT
 *
 * resident.h - how much memory of the machine the process has now.
 */
#ifndef BENCH_RESIDENT_H
#define BENCH_RESIDENT_H

#include <stdint.h>

int64_t resident_bytes(void);

#endif
