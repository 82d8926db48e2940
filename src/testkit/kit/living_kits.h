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

/* No more: its system is about to go. */
void wardi_kit_hide(ward_kit *kit);

/* Takes it out. The last one complains if descriptors are open that were not at first. */
void wardi_kit_leave(ward_kit *kit);

/* The next one after this (NULL: the first); NULL: there is none. It must not go meanwhile. */
ward_kit *wardi_kit_next_living(const ward_kit *kit);

/* From now on its tree is shown when a case hangs. */
void wardi_kit_show(ward_kit *kit);

#endif
