/* SPDX-License-Identifier: MIT
 *
 * switch.h - whether the children of a kit are far.
 */
#ifndef WARDI_FAR_SWITCH_H
#define WARDI_FAR_SWITCH_H

#include <ward/testkit/kit.h>

/* Whether the kit has a second system from its start. */
bool wardi_far_wanted(const ward_kit_options *options);
/* Whether its case begins again with one at the first child that would live there. */
bool wardi_far_awaited(const ward_kit_options *options);

#endif
