/* SPDX-License-Identifier: MIT
 *
 * places.h - where the guests of a node are.
 */
#ifndef WARDI_REMOTE_PLACES_H
#define WARDI_REMOTE_PLACES_H

#include <ward/types.h>

/* Any thread: finds the guests of a node, as seen by this system. "" and NULL: those of the system
 * itself; so is its name. WARD_EUNREACHED: that node is not connected, or has none. */
ward_err ward_remote_guests(ward_system *system, const char *node, ward_ref *ret_guests);

/* Notes the guests of a system; nobody: they have ended. */
ward_err wardi_remote_guests_set(ward_system *system, ward_ref guests);

/* The least that a stand-in waits before it takes its guest for stopped: a quarter more than the
 * time after which a silent connection is lost, and a second. */
int64_t wardi_remote_grace_ms(void);

#endif
