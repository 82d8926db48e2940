/* SPDX-License-Identifier: MIT
 *
 * living_kits.h - the kits of the process: shown when a case hangs, counted for their descriptors.
 */
#ifndef WARDI_TESTKIT_LIVING_KITS_H
#define WARDI_TESTKIT_LIVING_KITS_H

#include <ward/testkit/kit.h>

/* Fails the test if a kit was started and not finished. */
void wardi_kit_check_none_lives(void);

/* Enters a kit that has no system yet. The first one notes which descriptors are open. */
void wardi_kit_enter(ward_kit *kit);

/* Stops showing the kit's tree: its system is about to be destroyed. */
void wardi_kit_hide(ward_kit *kit);

/* Removes the kit. The last kit complains about descriptors that were not open at first. */
void wardi_kit_leave(ward_kit *kit);

/* Returns the next kit (after NULL: the first), or NULL. `kit` must not end during the call. */
ward_kit *wardi_kit_next_living(const ward_kit *kit);

/* Returns the kit of a system; NULL: it has none. */
ward_kit *wardi_kit_of_system(const ward_system *system);

/* Has the kit's tree shown when a case hangs. */
void wardi_kit_show(ward_kit *kit);

#endif
