/* SPDX-License-Identifier: MIT
 *
 * phases.h - the table of a shutdown's phases: checked, and put in order.
 */
#ifndef WARDI_PHASES_H
#define WARDI_PHASES_H

#include <ward/shutdown.h>

/* Writes the rows in an order in which each comes after those that it names; otherwise in the order
 * of the table. Refused with a code and a detail. */
ward_err wardi_phases_sort(const ward_phase *table, const ward_phase *ret_sorted[WARD_PHASES_MAX],
			   uint32_t *ret_count);

#endif
