/* SPDX-License-Identifier: MIT
 *
 * probe_parent.h - the probe as a parent: failures of its children wait for the test's decision.
 */
#ifndef WARDI_TESTKIT_PROBE_PARENT_H
#define WARDI_TESTKIT_PROBE_PARENT_H

#include <ward/types.h>

struct wardi_reported;

/* Returns a probe's strategy: the test decides what `wanted` (NULL: all zero) leaves open. */
ward_strategy wardi_probe_strategy(const ward_strategy *wanted);

void wardi_reported_free(struct wardi_reported *reported);

#endif
