/* SPDX-License-Identifier: MIT
 *
 * places.h - where the guests of a node are.
 */
#ifndef WARDI_REMOTE_PLACES_H
#define WARDI_REMOTE_PLACES_H

#include <ward/types.h>

/* Any thread: finds the guests of a node, as seen by this system. "" and NULL: those of the system
 * itself; so is its name. *ret_grace_ms: they may still run for that time after the connection
 * was lost, so a stand-in waits at least so long. WARD_EUNREACHED: that node is not connected, or
 * has none. */
ward_err ward_remote_guests(ward_system *system, const char *node, ward_ref *ret_guests,
			    int64_t *ret_grace_ms);

/* Notes the guests of a system; nobody: they have ended. */
ward_err wardi_remote_guests_set(ward_system *system, ward_ref guests);

/* What is added to each grace: for frames on their way, and for clocks that differ. */
enum { WARDI_REMOTE_MARGIN_MS = 1000 };

#endif
