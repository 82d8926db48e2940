/* SPDX-License-Identifier: MIT
 *
 * late_end.h - a system that is not down in time: what it waits for, and the way out.
 */
#ifndef WARDI_LATE_END_H
#define WARDI_LATE_END_H

#include <ward/system.h>

/* WARD_ETIMEDOUT; the detail names what the end waits for, and one actor that is left. */
ward_err wardi_still_up(ward_system *system, int64_t deadline_ms);

/* options.deadline_ms has passed: says so to options.fatal, and ends the process. */
WARD_NORETURN void wardi_end_late(ward_system *system);

#endif
